"""Inputs in any form, how every problem is solved, and the results."""
