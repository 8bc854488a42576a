"""The reference: serial, readable Python of every algorithm, and the oracle the kernels are held to.

One algorithm a module, top to bottom like the paper's pseudo-code and under the paper's names. Where
a paper says "in parallel" the reference runs the loop in order; nothing here is fast, and nothing
here needs OpenCL.
"""
