"""Render SQL from templates: for a dialect, and as the script of all macros."""
