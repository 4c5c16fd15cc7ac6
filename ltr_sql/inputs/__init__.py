"""What callers hand in (files, frames, tables, dicts), bound as relations that measures can read."""
