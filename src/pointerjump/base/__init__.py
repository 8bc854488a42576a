"""Modules that all other packages share: errors, numbers, memory; graphs, edges, lists and images."""
