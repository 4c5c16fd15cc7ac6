"""Benchmarks: ltr_sql against the bare join and against its peers."""
