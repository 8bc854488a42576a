"""A small graph's components in one launch: drives ``kernels_cl/one_group.cl``.

On an edge list Afforest takes some ten launches, and each costs microseconds before it does anything. Of a
graph of some thousand edges one work-group has found the components in less; on CPUs one work-item, serially.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pointerjump.accel.residents.edges import put_edges
from pointerjump.accel.runtime.icd import opencl
from pointerjump.accel.runtime.session import Session
from pointerjump.graph import Graph, VertexArray

if TYPE_CHECKING:
    import pyopencl as cl


def is_small(graph: Graph, session: Session) -> bool:
    """Whether one launch of one work-group takes less time than several of many."""
    edges = graph.edges_as_read
    stored = len(edges.sources) if edges else graph.directed_edges
    return graph.vertices + stored <= session.launcher.tuning.small


class SmallGraph:
    """A graph on an OpenCL device for one short run; in place where it shares the host's memory.

    Threads may each have one on the same session.
    """

    def __init__(self, graph: Graph, session: Session) -> None:
        self.graph = graph
        self.session = session
        began = perf_counter()
        self._given: tuple[Any, ...]
        edges = graph.edges_as_read
        if edges:
            ends = put_edges(edges, session)
            self._input, self._stored = "edges", len(edges.sources)
            self._defines = (ends.pairs, ends.wide_ids)
            self._given = (ends.sources, ends.targets)
        else:
            offsets = session.put(graph.offsets, "the graph's offsets")
            neighbors = session.put(graph.neighbors, "the graph's neighbors")
            self._input, self._stored = "rows", graph.directed_edges
            self._defines = (False, False)
            self._given = (offsets, neighbors)
        self.transfer_seconds = perf_counter() - began

    def run(self, labels: str, seconds: dict[str, float]) -> tuple[VertexArray, dict[str, Any]]:
        """Find the components; return labels of the kind wanted, and facts about the run.

        `seconds` is told what it took; the labels come ready from the device, within ``compute``.
        """
        session, tuning = self.session, self.session.launcher.tuning
        group = min(tuning.small_group, session.device.work_group)
        began = perf_counter()
        sizes = (np.uint32(self.graph.vertices), np.uint32(self._stored))
        key = (f"of_{self._input}", *self._defines, group, tuning.small)
        with session.lent(key, lambda: Kept.make(session, *key, *sizes, *self._given)) as kept:
            kept.kernel.set_args(*sizes, *self._given, kept.parent, kept.label)
            ready = perf_counter()
            where = (session.queue, kept.kernel, (group,), (group,))
            session.attempt("the kernel of small graphs", opencl().enqueue_nd_range_kernel, *where)
            wanted = kept.label if labels == "consecutive" else kept.parent
            found = session.get(wanted, self.graph.vertices)
        seconds |= {"build": ready - began, "compute": perf_counter() - ready, "labels": 0.0}
        return found, {
            "algorithm": "union-find",
            "variant": f"input={self._input},union=index,find=splitting",
            "path": "serial" if group == 1 else "one-group",
        }


class Kept(NamedTuple):
    """What one run leaves to the next: a kernel, or pages of new memory, take longer than a small graph."""

    kernel: cl.Kernel
    parent: cl.Buffer
    label: cl.Buffer

    @classmethod
    def make(
        cls,
        session: Session,
        name: str,
        pairs: bool,
        wide_ids: bool,
        group: int,
        vertices: int,
        *arguments: Any,
    ) -> Kept:
        """Return a kernel for arguments of these types, and room for so many parents and labels."""
        program = session.program("one_group.cl", GROUP=group, EDGE_PAIRS=pairs, WIDE_IDS=wide_ids)
        parent = session.empty(vertices, np.int32, "the parents")
        label = session.empty(vertices, np.int32, "the labels")
        return cls(session.make_kernel(program, name, *arguments, parent, label), parent, label)
