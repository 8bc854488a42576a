"""``pointerjump bench``, which times the algorithms on your own device."""
