"""Tables of pairs or groups of ids: the kinds of tables accepted, and how columns become ids."""
