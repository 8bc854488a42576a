"""Labels of images, whole or in chunks, and measurements of labelled regions."""
