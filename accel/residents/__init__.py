"""Residents: inputs that are stored on a device, ready for use by algorithms."""
