"""Residents: rows, edges and lists that are on a device, ready for algorithms."""
