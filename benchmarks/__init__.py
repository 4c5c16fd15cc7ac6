"""Benchmarks of ltr_sql, compared with the join alone and with its peers."""
