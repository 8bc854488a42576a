"""Numbers ids, and finds the components of ids in tables."""
