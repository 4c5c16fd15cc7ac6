"""The documentation site: `python -m ltr_sql.site FOLDER` builds it from the catalogue and from `docs/`."""
