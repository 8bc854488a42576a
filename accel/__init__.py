"""The host side of the kernels: devices, programs, launch shapes, and one driver per kernel file."""
