"""Components of the ids in tables, and numbers for ids."""
