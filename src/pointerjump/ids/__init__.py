"""Numbers for ids, and components of the ids in tables."""
