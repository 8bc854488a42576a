"""The command ``pointerjump bench``, which times algorithms on the user's own device."""
