"""The command `ltr-sql`."""
