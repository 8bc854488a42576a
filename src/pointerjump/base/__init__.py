"""Modules that all other packages use, for integers, memory, graphs, edges, lists and images."""
