"""Tables of pairs or groups of ids: the kinds that are accepted, and how columns become ids."""
