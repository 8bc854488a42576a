"""Functions that label images, whole or in chunks, and measure labelled regions."""
