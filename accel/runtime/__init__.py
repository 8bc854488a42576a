"""The OpenCL runtime: drivers, devices, programs, sessions and transfers. Nothing here knows about graphs."""
