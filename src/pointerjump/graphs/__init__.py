"""The functions for graphs: components, scipy's door, and forests that merge."""
