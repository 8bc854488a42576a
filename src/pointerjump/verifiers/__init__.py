"""Functions that check results. They share no code with the algorithms."""
