"""The catalogue of measures and conventions, measure strings, and the generated documentation."""
