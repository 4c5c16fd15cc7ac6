"""What measures are called and mean: the catalogue, measure strings, conventions, their documentation."""
