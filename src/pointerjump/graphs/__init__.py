"""Functions for graphs: components, spanning forests, bridges and blocks, and forests that merge."""
