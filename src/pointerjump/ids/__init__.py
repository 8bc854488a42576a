"""The numbering of ids, and the components of ids in tables."""
