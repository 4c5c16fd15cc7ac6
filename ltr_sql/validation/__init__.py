"""Run the findings about an input: raise errors, or return texts."""
