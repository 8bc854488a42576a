"""The host side of the kernels.

``runtime`` deals with OpenCL, and knows nothing of graphs. ``shapes`` and ``tuning`` decide how kernels are
launched on each class of device. ``residents`` are graphs and lists on a device. A ``plan`` is a prepared
run. Each algorithm has a module named after its kernel file. The module's function ``prepare`` says which
kernels are launched and over what items, and returns a plan.
"""
