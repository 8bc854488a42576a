"""A graph on a device, for repeated runs and for work that stays there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from pointerjump.accel.launch import Shape
from pointerjump.accel.runtime.session import Launch, Session, require_same_device, session_for
from pointerjump.errors import AlgorithmError, GraphError
from pointerjump.graph import Graph, Ids, VertexArray
from pointerjump.inputs import as_graph
from pointerjump.registry import Algorithm, Value, check_labels, find_algorithm

if TYPE_CHECKING:
    import pyopencl as cl
    import pyopencl.array as cl_array


@dataclass
class Plan:
    """An algorithm made ready for one graph: kernels built, arguments set, buffers there.

    Attributes
    ----------
    parents : Buffer of int32, shape (vertices,)
        Where :attr:`enqueue` leaves each vertex's representative, its component's smallest vertex.
    enqueue : callable
        Enqueues one run, waiting only where the algorithm itself must look at a flag; returns facts
        about the run, such as how many rounds it took.
    algorithm : str
        Its name in the registry.
    variant : dict
        Every choice made, the device's own included.
    """

    parents: cl.Buffer
    enqueue: Callable[[], dict[str, int]]
    algorithm: str = ""
    variant: Mapping[str, Value] = field(default_factory=dict)


def in_order(steps: Sequence[Launch]) -> Callable[[], dict[str, int]]:
    """Return a run that enqueues all of `steps` and waits for none; it has nothing to report."""

    def enqueue() -> dict[str, int]:
        for step in steps:
            step()
        return {}

    return enqueue


@dataclass(frozen=True)
class EdgeInput:
    """A graph's stored entries as ``edges.h`` reads them: as a list of edges (COO) or as rows (CSR).

    Attributes
    ----------
    ends : tuple of two Buffers
        Sources and targets of the edges, or offsets and neighbors of the rows.
    count : np.uint32 or np.uint64
        How many edges, or rows.
    entries : np.uint32 or np.uint64
        How many edges in either form.
    shape : Shape
        A launch over all edges, or rows.
    defines : dict
        The macros of ``edges.h``.
    """

    ends: tuple[cl.Buffer, cl.Buffer]
    count: np.uint32 | np.uint64
    entries: np.uint32 | np.uint64
    shape: Shape
    defines: Mapping[str, object]


class DeviceGraph:
    """A :class:`Graph` whose rows are on an OpenCL device.

    It goes wherever a graph goes; runs on it transfer nothing but labels. Kernels are built and their
    arguments set on an algorithm's first run, and kept.

    Parameters
    ----------
    graph : object
        Anything :func:`pointerjump.components` takes. On devices that share the host's memory (CPUs)
        its arrays are used in place, not copied: do not change them.
    device : optional
        See :func:`pointerjump.to_device`.
    rows : tuple of two Buffers, optional
        The graph's offsets and neighbors, where they are on the device already.
    as_stored : bool
        Do not look whether both directions of every edge are stored, nor add the missing ones. Then only
        ``auto`` may run, which links every stored entry: cheaper than looking, for a single run.

    Examples
    --------
    >>> import pointerjump as pj
    >>> d = pj.to_device(([0, 1], [1, 2]), device="cpu")
    >>> pj.components(d).count
    1
    >>> d.label(labels="representative").get().tolist()
    [0, 0, 0]
    """

    def __init__(
        self,
        graph: Any,
        device: object = None,
        *,
        rows: tuple[cl.Buffer, cl.Buffer] | None = None,
        as_stored: bool = False,
    ) -> None:
        self.session: Session = session_for(device)
        self.graph: Graph = as_graph(graph)
        self.as_stored = as_stored
        if not as_stored:
            self.graph = self.graph.symmetrized()
        self.vertices = self.graph.vertices
        self.directed_edges = self.graph.directed_edges
        began = perf_counter()
        self.offsets, self.neighbors = rows or (
            self.session.put(self.graph.offsets, "the graph's offsets"),
            self.session.put(self.graph.neighbors, "the graph's neighbors"),
        )
        self.session.finish()
        self.transfer_seconds = perf_counter() - began
        self._plans: dict[tuple[str, tuple[tuple[str, Value], ...]], Plan] = {}

    @classmethod
    def from_arrays(cls, offsets: cl_array.Array, neighbors: cl_array.Array) -> DeviceGraph:
        """Take CSR rows that earlier work left on the device, as pyopencl arrays of int32.

        They are looked at once on the host, to check them; runs then use them where they are. They
        must hold both directions of every edge.

        Raises
        ------
        GraphError
            If they are not CSR rows of int32 (offsets: int64 from 2**31 entries on), not symmetric, or
            not contiguous arrays of one context, each with a queue.
        DeviceError
            If the queue is out of order.
        """
        for array, what in ((offsets, "offsets"), (neighbors, "neighbors")):
            if array.queue is None:
                raise GraphError(
                    f"the array of {what} has no command queue: give it one with .with_queue(queue)"
                )
            if not array.flags.c_contiguous:
                raise GraphError(
                    f"the array of {what} is not contiguous: give one that "
                    "pyopencl.array.to_device(queue, ...) makes"
                )
        if offsets.context != neighbors.context:
            raise GraphError("offsets and neighbors are in two OpenCL contexts: put both in one")
        graph = Graph(offsets.get(), neighbors.get())
        if (offsets.dtype, neighbors.dtype) != (graph.offsets.dtype, graph.neighbors.dtype):
            raise GraphError(
                f"offsets are {offsets.dtype} and neighbors {neighbors.dtype}: the kernels read "
                f"{graph.offsets.dtype} and int32; convert with .astype()"
            )
        if not graph.symmetric:
            raise GraphError(
                "the rows do not hold both directions of every edge: add the other direction, or give the "
                "edges to Graph.from_edges"
            )
        # A slice's buffer begins before the slice: copy it into a buffer of its own.
        offsets, neighbors = (a.copy() if a.offset else a for a in (offsets, neighbors))
        neighbors.queue.finish()  # where that is another one, runs would not wait for it
        if neighbors.size == 0:  # no buffer at all
            return cls(graph, offsets.queue)
        return cls(graph, offsets.queue, rows=(offsets.base_data, neighbors.base_data))

    # -- runs --------------------------------------------------------------------------------------

    def label(
        self, algorithm: str = "auto", labels: str = "consecutive", **variant: object
    ) -> cl_array.Array:
        """Run an algorithm and return the labels as a pyopencl array, still on the device.

        Parameters
        ----------
        algorithm, **variant
            As for :func:`pointerjump.components`.
        labels : {"consecutive", "representative"}

        Returns
        -------
        pyopencl.array.Array of int32, shape (vertices,)
            The caller's own: no later run writes to it.
        """
        from pointerjump.accel.labels import number_on_device

        check_labels(labels)
        session, n = self.session, self.vertices
        with session.running():
            plan = self.plan(algorithm, **variant)
            plan.enqueue()
            if labels == "consecutive":
                found, _ = number_on_device(session, plan.parents, n)
            else:
                found = session.copy_of(plan.parents, n, "the labels")
            if session.device.host_memory:
                session.finish()  # runs read the host's arrays, which may be gone when this has returned
        return session.array(found, n)

    def plan(self, algorithm: str = "auto", **choices: object) -> Plan:
        """Return an algorithm made ready for this graph, the same one each time it is asked for."""
        if self.as_stored and (algorithm != "auto" or choices):
            raise AlgorithmError("only auto runs on rows as they are stored: leave as_stored out")
        if algorithm == "auto":
            tuning = self.session.launcher.tuning
            algorithm, defaults = tuning.auto(self.vertices, self.directed_edges, self.as_stored)
            choices = {**defaults, **choices}
        return self.prepared(find_algorithm(algorithm, "components"), choices)

    def prepared(self, row: Algorithm, choices: Mapping[str, object]) -> Plan:
        """Return a row of the registry made ready for this graph, the same each time it is asked for."""
        variant = self.session.variant(row, choices)
        key = (row.name, tuple(variant.items()))
        with self.session.running():  # some drivers run kernels to make a plan
            if key not in self._plans:
                plan = row.driver()(self, **variant)
                self._plans[key] = replace(plan, algorithm=row.name, variant=variant)
            return self._plans[key]

    def parents(self, plan: Plan) -> VertexArray:
        """Return what a run of `plan` left, each vertex's representative, on the host."""
        return self.session.get(plan.parents, self.vertices)

    # -- for the drivers ---------------------------------------------------------------------------

    @cached_property
    def sources(self) -> cl.Buffer:
        """The vertex at the other end of each entry of `neighbors`, expanded on the device."""
        session = self.session
        sources = session.empty(self.directed_edges, np.int32, "the edges' sources")
        program = session.program("labels.cl", **self.defines("plain", None))
        session.launch(
            program, "expand_rows", self.over_vertices, np.uint32(self.vertices), self.offsets, sources
        )()
        return sources

    @property
    def over_vertices(self) -> Shape:
        """A launch over all vertices."""
        return self.session.launcher.over(self.vertices)

    @property
    def edge_count(self) -> np.uint32 | np.uint64:
        """How many directed edges there are, as the kernels' ``edge_t``."""
        wide = self.graph.offsets.dtype == np.int64
        return np.uint64(self.directed_edges) if wide else np.uint32(self.directed_edges)

    def input(self, form: str) -> EdgeInput:
        """Return the stored entries as ``"edges"`` or as ``"rows"``."""
        m = self.edge_count
        if form == "rows":
            ends = (self.offsets, self.neighbors)
            return EdgeInput(ends, np.uint32(self.vertices), m, self.over_vertices, {"INPUT_ROWS": True})
        return EdgeInput((self.sources, self.neighbors), m, m, self.over_edges, {})

    @property
    def over_edges(self) -> Shape:
        """A launch over all directed edges."""
        return self.session.launcher.over(self.directed_edges)

    def defines(self, reads: str, access: str | None) -> dict[str, object]:
        """Return the macros of ``common.h`` for this graph and the chosen variant."""
        return {
            "WIDE_OFFSETS": self.graph.offsets.dtype == np.int64,
            "PARTITIONING": self.session.launcher.partitioning(access),
            "READS_ATOMIC": reads == "atomic",
        }

    def __repr__(self) -> str:
        return (
            f"DeviceGraph(vertices={self.vertices}, directed_edges={self.directed_edges}, "
            f"device={self.session.device.device!r})"
        )


def to_device(
    graph: Any, device: object = None, *, vertices: int | None = None, ids: Ids | None = None
) -> DeviceGraph:
    """Put a graph on a device, for repeated runs without transfers.

    Parameters
    ----------
    graph : object
        Anything :func:`pointerjump.components` takes.
    device : str, Device, pyopencl Device, Context or CommandQueue, optional
        A part of a platform's or device's name, ``"cpu"``, ``"gpu"``, or ``PYOPENCL_CTX`` syntax.
        Default: the fastest device that works.
    vertices, ids : optional
        As for :func:`pointerjump.components`.

    Returns
    -------
    DeviceGraph

    Raises
    ------
    DeviceError
        If there is no such device, or it cannot hold the graph.

    Examples
    --------
    >>> import pointerjump as pj
    >>> d = pj.to_device("star:vertices=10", device="cpu")
    >>> pj.components(d).sizes.tolist()
    [10]
    """
    if isinstance(graph, DeviceGraph):
        require_same_device(graph.session, device, "the graph is")
        as_graph(graph, vertices=vertices, ids=ids)  # which refuses another number of vertices
        return graph
    return DeviceGraph(as_graph(graph, vertices=vertices, ids=ids), device)
