"""Callbacks of training libraries, and metrics for experiment trackers."""
