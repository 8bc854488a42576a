"""``pointerjump bench``: how long the algorithms take on one's own device."""
