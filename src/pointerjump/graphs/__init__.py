"""Finds components, spanning forests, bridges and blocks of graphs, and merges forests."""
