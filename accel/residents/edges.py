"""An edge list on a device: components without ever sorting it into rows.

Afforest's link may take edges in any order and direction (Sutton et al., theorem 1), so edges are linked
as they come. In between trees are compressed, which makes most later look-ups one step.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pointerjump.accel.residents.rows import Plan, in_order
from pointerjump.accel.runtime.session import Session
from pointerjump.graph import EdgeList, Graph, VertexArray
from pointerjump.integers import converted

if TYPE_CHECKING:
    import pyopencl as cl

# Compress when half an edge per vertex is linked, and whenever the number of linked edges has doubled:
# until a giant component has formed, chains grow with every link, and whoever walks them pays. (A shuffled
# grid of 4 M vertices took 1.6 s on two CPU cores when first compressed after two edges a vertex, 0.1 s so.)
FIRST_COMPRESSION = 0.5

# Up to so many edges a vertex, all edges first vie for the first parents: a store costs less than linking.
# On two CPU cores a shuffled grid of 4 M vertices took 40 ms instead of 68, one in order of rows 28 instead
# of 23; random graphs with eight edges a vertex took the same time.
FIRST_PARENTS = 4


class DeviceEdges:
    """A graph whose edges, as read, are on an OpenCL device; in place where it shares the host's memory."""

    def __init__(self, graph: Graph, edges: EdgeList, session: Session) -> None:
        self.session = session
        self.graph = graph
        self.vertices = edges.vertices
        self.edges = len(edges.sources)
        began = perf_counter()
        self._ends = put_edges(edges, session)
        session.finish()
        self.transfer_seconds = perf_counter() - began

    def plan(self, algorithm: str = "auto") -> Plan:
        """Return a run made ready; there is one way to run on edges, and ``auto`` is its name."""
        session, n, m, ends = self.session, np.uint32(self.vertices), self.edges, self._ends
        launcher = session.launcher
        wide = m > np.iinfo(np.int32).max
        edge_t = np.uint64 if wide else np.uint32
        program = session.program(
            "afforest_edges.cl",
            WIDE_IDS=ends.wide_ids,
            EDGE_PAIRS=ends.pairs,
            WIDE_OFFSETS=wide,
            PARTITIONING=launcher.partitioning(),
            SHORTEN_PATHS=True,
        )
        pi = session.empty(self.vertices, np.int32, "the parents")
        compress_all = session.launch(
            program, "compress_all", launcher.over(self.vertices, resident=True), n, pi
        )
        steps = [session.launch(program, "init", launcher.over(self.vertices), n, pi)]
        given = (ends.sources, ends.targets, pi)
        if m <= FIRST_PARENTS * self.vertices:
            over_edges = launcher.over(m)
            steps += [session.launch(program, "init_by_edges", over_edges, edge_t(m), *given), compress_all]
        begin, end = 0, min(m, max(1, int(FIRST_COMPRESSION * self.vertices)))
        while begin < m:
            over_edges, bounds = launcher.over(end - begin), (edge_t(begin), edge_t(end))
            steps += [session.launch(program, "link_edges", over_edges, *bounds, *given), compress_all]
            begin, end = end, min(m, 2 * end)

        return Plan(pi, in_order(steps), "afforest", {"input": "edges", "reads": "plain"})

    def parents(self, plan: Plan) -> VertexArray:
        """Return what a run of `plan` left, each vertex's representative, on the host."""
        return self.session.get(plan.parents, self.vertices)


class EndBuffers(NamedTuple):
    """An edge list on a device: two arrays of ends, or one array of pairs twice."""

    sources: cl.Buffer
    targets: cl.Buffer
    pairs: bool
    wide_ids: bool


def put_edges(edges: EdgeList, session: Session) -> EndBuffers:
    """Put an edge list on a device as it is, if the kernels can read it so."""
    sources, targets = edges.sources, edges.targets
    pairs = _pairs(sources, targets)
    if pairs is not None:
        buffer = session.put(pairs, "the edges")
        return EndBuffers(buffer, buffer, True, pairs.itemsize == 8)
    wide = sources.dtype.itemsize == targets.dtype.itemsize == 8
    dtype = np.int64 if wide else np.int32
    return EndBuffers(
        session.put(_contiguous(sources, dtype), "the sources"),
        session.put(_contiguous(targets, dtype), "the targets"),
        False,
        wide,
    )


def _contiguous(ids: npt.NDArray[Any], dtype: type[np.signedinteger[Any]]) -> npt.NDArray[Any]:
    """Return ids, all below 2**31, as a contiguous array of a dtype the kernel reads; itself if it is one."""
    as_it_is = ids.dtype.itemsize == np.dtype(dtype).itemsize and ids.dtype.isnative
    return converted(ids.view(dtype) if as_it_is else ids, dtype, "ids")


def _pairs(sources: npt.NDArray[Any], targets: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
    """Return the contiguous (m, 2) array that both are columns of, if there is one the kernel can read."""
    base = sources.base
    if not isinstance(base, np.ndarray) or base is not targets.base or base.ndim != 2:
        return None
    readable = base.dtype.kind in "iu" and base.dtype.isnative and base.itemsize in (4, 8)
    whole = base.shape == (len(sources), 2) and base.flags.c_contiguous
    in_order = (
        sources.ctypes.data == base.ctypes.data and targets.ctypes.data == base.ctypes.data + base.itemsize
    )
    return base if readable and whole and in_order and len(sources) else None
