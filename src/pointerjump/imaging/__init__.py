"""Labels of images: at once, region by region, and chunk by chunk."""
