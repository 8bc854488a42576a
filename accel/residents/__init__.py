"""Residents: rows, edges, lists and more that are on a device, ready for algorithms."""
