"""Read the headers of `sql/` as records. Renders nothing."""
