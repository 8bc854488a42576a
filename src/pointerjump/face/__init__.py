"""The public functions, in one module for each problem."""
