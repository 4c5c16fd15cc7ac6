"""Render records of the catalogue as SQL text. Runs nothing."""
