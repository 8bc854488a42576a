"""The public functions, each in the module of the problem that it solves."""
