"""The command `ltr-sql`: one module for each command."""
