"""``pointerjump bench``, which times the algorithms on one's own device."""
