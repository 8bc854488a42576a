"""The OpenCL runtime, without any graph code: drivers, devices, programs, sessions and transfers."""
