"""Code that takes inputs of any form, solves every problem, and holds the results."""
