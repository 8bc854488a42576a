"""The OpenCL C sources: one ``.cl`` file for each algorithm, and the headers they share."""
