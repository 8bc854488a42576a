"""Functions for graphs: components, spanning forests, bridges and blocks, and merging of forests."""
