"""Labels of images: of whole images, of their regions, and of images in chunks."""
