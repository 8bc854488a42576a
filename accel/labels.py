"""Labels on a device: finding each component's smallest vertex, and numbering components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pointerjump.accel.residents.graphs import ResidentGraph
from pointerjump.accel.runtime.icd import opencl
from pointerjump.accel.runtime.session import Launch, Session

if TYPE_CHECKING:
    import pyopencl as cl


def to_smallest(
    graph: ResidentGraph, representative: cl.Buffer, scratch: cl.Buffer, parent: cl.Buffer, reads: str
) -> list[Launch]:
    """Return the launches that replace representatives by each component's smallest vertex.

    The result goes to `parent`. All three buffers hold one int32 for each vertex.
    """
    kernel, n, over_vertices = graph.kernels("labels.cl", reads=reads), graph.n, graph.over_vertices
    return [
        kernel("clear_smallest", over_vertices, n, scratch),
        kernel("smallest_members", over_vertices, n, representative, scratch),
        kernel("relabel", over_vertices, n, representative, scratch, parent),
    ]


def number_on_device(session: Session, representative: cl.Buffer, vertices: int) -> tuple[cl.Buffer, int]:
    """Number components 0 .. k - 1 on the device, in order of their representatives.

    Parameters
    ----------
    representative : Buffer of int32, shape (vertices,)
        Each vertex's representative. A representative is its own representative.

    Returns
    -------
    label : Buffer of int32, shape (vertices,)
        A new buffer with each vertex's component.
    count : int
        The number of components.
    """
    label = session.empty(vertices, np.int32, "the labels")
    if not vertices:
        return label, 0
    number = session.empty(vertices, np.int32, "the numbers of roots")
    roots, numbers = session.array(representative, vertices), session.array(number, vertices)
    scan = session.shared(_numbering)
    session.by_pyopencl("numbering", scan, roots, numbers, queue=session.queue)
    kernel = session.kernels("labels.cl")
    kernel("relabel", session.shapes.over(vertices), np.uint32(vertices), representative, number, label)()
    return label, int(session.get(number, 1, first=vertices - 1)[0]) + 1


def _numbering(session: Session) -> Any:
    """Return the scan that numbers the roots, from 0 on."""
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
