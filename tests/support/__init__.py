"""Helpers that tests share. They import no test."""
