"""The host side of the kernels.

``runtime`` is OpenCL and knows no graph. ``shapes`` and ``tuning`` say how kernels are launched on which
device. ``residents`` lie on a device. A ``plan`` is a run made ready. Each algorithm is a module named as its
kernel file is, whose function ``prepare`` says what is launched over what and returns a plan.
"""
