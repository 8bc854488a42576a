"""Tables of pairs or groups of ids: all kinds that are accepted, and how columns become ids."""
