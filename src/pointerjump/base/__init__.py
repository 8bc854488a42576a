"""Modules for integers, memory, graphs, edges, lists and images, used by all other packages."""
