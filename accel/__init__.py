"""Host code that prepares and launches the kernels.

``runtime`` wraps OpenCL and contains no graph code. ``shapes`` and ``tuning`` decide how kernels are launched
on each class of device. ``residents`` contains the inputs, such as graphs and lists, that are stored on a
device. A ``plan`` is a prepared run. Each algorithm has a module named after its kernel file. The module's
``prepare`` function decides which kernels to launch and over which items, and returns a plan.
"""
