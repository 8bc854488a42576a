"""Pages of the site that are made from the code: one module for each kind of page."""
