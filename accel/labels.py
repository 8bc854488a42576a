"""Finds the smallest vertex of each component, or numbers the components, on a device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pointerjump.accel.residents.graphs import ResidentGraph
from pointerjump.accel.runtime.session import Buffer, Launch, Session

Count = Callable[[], int]


def to_smallest(
    graph: ResidentGraph, representative: Buffer, scratch: Buffer, parent: Buffer, reads: str
) -> list[Launch]:
    """Return the launches that replace each representative with the smallest vertex of its component.

    The result is written to `parent`. `representative`, `scratch` and `parent` hold one int32 per vertex.
    """
    kernel, n, over_vertices = graph.kernels("labels.cl", reads=reads), graph.n, graph.over_vertices
    return [
        kernel("clear_smallest", over_vertices, n, scratch),
        kernel("smallest_members", over_vertices, n, representative, scratch),
        kernel("relabel", over_vertices, n, representative, scratch, parent),
    ]


def numbers_trees(session: Session) -> bool:
    """Return whether :func:`number_in_place` follows paths to the roots, so that trees need not be flat."""
    return session.shapes.over(1).local_size == (1,)


def number_in_place(
    session: Session, label: Buffer, vertices: int, reads: str = "plain", *, wide: bool = False
) -> Count:
    """Enqueue kernels that number the components from 0 to k - 1, in the order of their roots.

    `label` holds the root of each vertex, which is replaced with the number of the vertex's component. If
    :func:`numbers_trees` returns true, `label` may instead hold any smaller vertex on the path to the root.
    `wide` says whether `label` holds int64. The returned function waits for the device and returns k. It must
    be called before any other components are numbered, because numbering them overwrites k.
    """
    if not vertices:
        return lambda: 0
    shape, in_one_group = session.shapes.over(vertices), session.shapes.one_group()
    n_type, n_dtype = (np.uint64, np.int64) if wide else (np.uint32, np.int32)
    n = n_type(vertices)
    macros: dict[str, Any] = {"WIDE_VERTICES": wide, "READS_ATOMIC": reads == "atomic"}
    counts = session.scratch("roots", shape.groups + 1, n_dtype)
    file, group = "numbering.cl", shape.local_size[0]
    kernel = session.kernels(file, "partitioning", GROUP=group, **macros)
    add_up = session.kernels(file, "partitioning", GROUP=in_one_group.local_size[0], **macros)
    kernel("count_roots", shape, n, label, counts)()
    add_up("add_up", in_one_group, np.uint32(shape.groups), counts)()
    kernel("number_roots", shape, n, label, counts)()
    # This kernel needs no contiguous runs of vertices, so it takes them in the order that suits the device.
    session.kernels(file, GROUP=group, **macros)("show_numbers", shape, n, label)()
    return lambda: int(session.get(counts, 1, n_dtype, first=shape.groups)[0])
