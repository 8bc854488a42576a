"""Labels on a device: drives ``kernels_cl/labels.cl``, and numbers components where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pointerjump.accel.runtime.icd import opencl
from pointerjump.accel.runtime.session import Launch, Session

if TYPE_CHECKING:
    import pyopencl as cl

    from pointerjump.accel.residents.rows import DeviceGraph


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


def number_on_device(session: Session, representative: cl.Buffer, vertices: int) -> tuple[cl.Buffer, int]:
    """Number components 0 .. k - 1 in order of their representatives, without leaving the device.

    Parameters
    ----------
    representative : Buffer of int32, shape (vertices,)
        Each vertex's component's representative, which is its own.

    Returns
    -------
    label : Buffer of int32, shape (vertices,)
        A new one.
    count : int
        How many components there are.
    """
    label = session.empty(vertices, np.int32, "the labels")
    if not vertices:
        return label, 0
    number = session.empty(vertices, np.int32, "the numbers of roots")
    roots, numbers = session.array(representative, vertices), session.array(number, vertices)
    scan = session.kept(_numbering)
    session.by_pyopencl("numbering", scan, roots, numbers, queue=session.queue)
    program = session.program("labels.cl", PARTITIONING=session.launcher.partitioning())
    over_vertices = session.launcher.over(vertices)
    given = (np.uint32(vertices), representative, number, label)
    session.launch(program, "relabel", over_vertices, *given)()
    return label, int(session.get(number, 1, first=vertices - 1)[0]) + 1


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
