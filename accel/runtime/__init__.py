"""The OpenCL runtime: drivers, devices, programs, a session and its transfers. It knows no graph."""
