"""Edges in blocks: whatever a caller gives, as pairs of arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.errors import GraphError
from pointerjump.graph import ends_of

if TYPE_CHECKING:
    from pointerjump.accel.runtime.session import Session

Ids = npt.NDArray[Any]
Block = tuple[Any, Any, int]
"""The two ends of each edge, and the number of vertices that there are at least."""


def is_blocks(given: object) -> bool:
    """Return whether something is an iterable of edge blocks, and not itself edges or a graph."""
    from pointerjump.formats.blocks import Blocks

    return isinstance(given, Blocks | Iterator)


def on_device(ids: object) -> bool:
    """Return whether ids are a pyopencl array, without importing pyopencl."""
    return type(ids).__module__ == "pyopencl.array"


def edge_blocks(edges: Any, session: Session | None) -> Iterator[Block]:
    """Yield edges that are given in any form, or in blocks of any form, as blocks.

    Parameters
    ----------
    edges : object
        Anything that :func:`pointerjump.components` takes, an iterable of such things, or a pair of pyopencl
        arrays.
    session : Session or None
        Where the edges are going.

    Raises
    ------
    GraphError
        If they are not edges. Whether ids are in range is not checked.
    """
    if is_blocks(edges):
        for block in edges:
            yield from edge_blocks(block, session)
    elif isinstance(edges, tuple) and len(edges) == 2 and any(on_device(ids) for ids in edges):
        sources, targets = _checked_on_device(*edges, session)
        yield sources, targets, 0
    elif isinstance(edges, np.ndarray | list | tuple):
        yield *ends_of(edges), 0
    else:
        yield _of_graph(edges)


def _of_graph(given: Any) -> Block:
    from pointerjump.inputs import as_graph

    graph = as_graph(given, ids="keep")
    edges = graph.edges_as_read
    if edges is not None:
        return edges.sources, edges.targets, edges.vertices
    return graph.sources, graph.neighbors, graph.vertices


def _checked_on_device(sources: Any, targets: Any, session: Session | None) -> tuple[Any, Any]:
    """Return two arrays on the device as kernels can read them."""
    for ids, what in ((sources, "sources"), (targets, "targets")):
        if not on_device(ids):
            raise GraphError(
                f"{what} are not on the device, but the other ends are: put both there, or neither"
            )
        if session is None or ids.context != session.context:
            raise GraphError(
                f"the array of {what} is in another OpenCL context than the set: make the set with the "
                "array's queue as its device"
            )
        if ids.dtype not in (np.dtype(np.int32), np.dtype(np.int64)) or ids.dtype != sources.dtype:
            raise GraphError(f"{what} have dtype {ids.dtype}: give two arrays of int32, or two of int64")
        if ids.ndim != 1 or not ids.flags.c_contiguous:
            raise GraphError(f"{what} have shape {ids.shape} and strides {ids.strides}: give contiguous ones")
    if sources.size != targets.size:
        raise GraphError(
            f"there are {sources.size} sources and {targets.size} targets: give one of each per edge"
        )
    assert session is not None
    for ids in (sources, targets):
        if ids.queue is not None:
            ids.queue.finish()  # the set has a queue of its own, which would not wait
    # The buffer of a slice begins before the slice, so copy the slice into a buffer of its own.
    sources, targets = (a.copy(session.queue) if a.offset else a for a in (sources, targets))
    return sources, targets
