"""Collect the contents of a report, and write it as one file."""
