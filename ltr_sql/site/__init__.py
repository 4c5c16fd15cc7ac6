"""Build the documentation site from the catalogue and `docs/`: `python -m ltr_sql.site FOLDER`."""
