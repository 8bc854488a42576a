"""Tables of pairs or groups of ids: what a caller may give, and how their columns become ids."""
