"""Programs for developers, which need a checkout."""
