"""Tables of pairs or groups of ids: the supported kinds of tables, and how ids are read from them."""
