"""An offline HTML report of an evaluation."""
