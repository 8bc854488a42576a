"""A graph's edges on a device, as they were read: in any order, and in one direction or both."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.plan import Read
from pointerjump.accel.residents.forests import PerVertex
from pointerjump.accel.residents.graphs import Entries, ResidentGraph
from pointerjump.accel.runtime.session import Session
from pointerjump.edges import EdgeList
from pointerjump.graph import Graph
from pointerjump.integers import converted

if TYPE_CHECKING:
    import pyopencl as cl


class ResidentEdges(ResidentGraph):
    """A graph whose edges are on a device, for one run, as read; not copied if it shares the host's memory.

    Parameters
    ----------
    graph : Graph
        A graph that was made from edges.
    session : Session
    """

    def __init__(self, graph: Graph, session: Session) -> None:
        edges = graph.edges_as_read
        assert edges is not None
        self.host, self.session = graph, session
        self.vertices, self.stored = edges.vertices, len(edges.sources)
        self._ends, self._defines = _put(edges, session)

    def entries(self, form: str) -> Entries:
        """Return the stored edges; ``"edges"`` is the only form they come in."""
        assert form == "edges", form
        m = self.edge_t(self.stored)
        return Entries(self._ends, m, m, self.session.shapes, self._defines)

    def parents(self) -> tuple[cl.Buffer, Read]:
        """Return a new buffer for the parents of the only run there is, which become its answer."""
        parents = PerVertex(self.session, self.vertices, np.int32, "the parents")
        return parents.buffer, partial(parents.take, self.vertices)


def _put(edges: EdgeList, session: Session) -> tuple[tuple[cl.Buffer, cl.Buffer], dict[str, object]]:
    """Put an edge list on a device, converted only if need be; return the buffers and their macros."""
    sources, targets, defines = edges.sources, edges.targets, {"ONE_DIRECTION": True}
    pairs = pairs_of(sources, targets)
    if pairs is not None:
        buffer = session.put(pairs, "the edges")
        return (buffer, buffer), {**defines, "EDGE_PAIRS": True, "WIDE_IDS": pairs.itemsize == 8}
    wide = sources.dtype.itemsize == targets.dtype.itemsize == 8
    dtype = np.int64 if wide else np.int32
    ends = (
        session.put(_contiguous(sources, dtype), "the sources"),
        session.put(_contiguous(targets, dtype), "the targets"),
    )
    return ends, {**defines, "WIDE_IDS": wide}


def _contiguous(ids: npt.NDArray[Any], dtype: type[np.signedinteger[Any]]) -> npt.NDArray[Any]:
    """Return ids, all below 2**31, as a contiguous array of `dtype`; without a copy if possible."""
    as_it_is = ids.dtype.itemsize == np.dtype(dtype).itemsize and ids.dtype.isnative
    return converted(ids.view(dtype) if as_it_is else ids, dtype, "ids")


def pairs_of(sources: npt.NDArray[Any], targets: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
    """Return the contiguous (m, 2) array with these two columns, if it exists and kernels can read it."""
    base = sources.base
    if not isinstance(base, np.ndarray) or base is not targets.base or base.ndim != 2:
        return None
    readable = base.dtype.kind in "iu" and base.dtype.isnative and base.itemsize in (4, 8)
    whole = base.shape == (len(sources), 2) and base.flags.c_contiguous
    if not (readable and whole and len(sources)):
        return None
    in_order = (
        sources.ctypes.data == base.ctypes.data and targets.ctypes.data == base.ctypes.data + base.itemsize
    )
    return base if in_order else None
