"""Bind the caller's files, data frames, tables and dicts as relations that measures can read."""
