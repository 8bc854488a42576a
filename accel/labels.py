"""Labels on a device: drives ``kernels_cl/labels.cl``, and numbers components where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pointerjump.accel.drivers import opencl
from pointerjump.accel.programs import quiet_compiler
from pointerjump.accel.session import Launch, Session

if TYPE_CHECKING:
    import pyopencl as cl
    import pyopencl.array as cl_array

    from pointerjump.accel.device_graph import DeviceGraph


def to_smallest(
    graph: DeviceGraph, representative: cl.Buffer, smallest: cl.Buffer, parent: cl.Buffer, reads: str
) -> list[Launch]:
    """Return launches that write each component's smallest vertex, given any representatives.

    `smallest` is scratch, `parent` the result; all three hold `vertices` int32.
    """
    session, n, vertices = graph.session, np.uint32(graph.vertices), graph.over_vertices
    program = session.program("labels.cl", **graph.defines(reads, None))
    return [
        session.launch(program, "clear_smallest", vertices, n, smallest),
        session.launch(program, "smallest_members", vertices, n, representative, smallest),
        session.launch(program, "relabel", vertices, n, representative, smallest, parent),
    ]


def consecutive_on_device(session: Session, representatives: cl_array.Array) -> cl_array.Array:
    """Number components 0 .. k - 1 in order of their smallest vertices, without leaving the device.

    Parameters
    ----------
    representatives : pyopencl.array.Array of int32, shape (vertices,)
        Each vertex's component's smallest vertex.

    Returns
    -------
    pyopencl.array.Array of int32, shape (vertices,)
    """
    import pyopencl.array as cl_array

    if representatives.size == 0:
        return representatives
    number = cl_array.empty_like(representatives)
    with quiet_compiler():
        session.kept(_numbering)(representatives, number, queue=session.queue)
        return cl_array.take(number, representatives, queue=session.queue)


def _numbering(session: Session) -> Any:
    """Return the scan that gives each vertex the number of roots before it."""
    opencl()
    from pyopencl.scan import GenericScanKernel

    return GenericScanKernel(
        session.context,
        np.int32,
        arguments="__global const int *representative, __global int *number",
        input_expr="representative[i] == i",
        scan_expr="a + b",
        neutral="0",
        output_statement="number[i] = item - 1;",
    )
