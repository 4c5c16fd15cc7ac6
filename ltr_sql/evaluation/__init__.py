"""Turn rankings into values of measures."""
