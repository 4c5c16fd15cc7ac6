"""Bind the caller's objects as tables of a connection."""
