"""Modules that all other packages share: numbers, memory, graphs, edges, lists and images."""
