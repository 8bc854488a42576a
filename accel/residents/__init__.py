"""Residents: inputs that are on a device, ready for algorithms."""
