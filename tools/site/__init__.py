"""Build the documentation site from the catalogue and `docs/`: `python -m tools.site FOLDER`."""
