"""The OpenCL runtime, without graphs: drivers, devices, programs, sessions and transfers."""
