"""Opens tables of all supported kinds, and reads pairs or groups of ids from them."""
