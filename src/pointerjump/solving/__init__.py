"""Implements what public functions do: reading the input, solving the problem and building the result."""
