"""The OpenCL C sources: one algorithm a ``.cl`` file, and the headers they share."""
