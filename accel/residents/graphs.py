"""Graphs on a device, stored either as adjacency rows or as the edges of the input."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pointerjump.accel.plan import ROUND_STEP, ReadBack
from pointerjump.accel.residents.arrays import DeviceArray
from pointerjump.accel.runtime.session import Buffer, Kernels, Session
from pointerjump.accel.shapes import Shape, Shapes
from pointerjump.base.edges import FEWER, EdgeList
from pointerjump.base.graph import Graph
from pointerjump.base.integers import converted
from pointerjump.base.limits import LOW_DEGREE, MIDDLE_DEGREE

LONG_ROW = 4096
"""Rows with more than this number of neighbors count as long."""

RUN_EACH = 4
"""The number of vertices per work-item in a run (see ``inside.h``)."""

PAIRS: Mapping[str, object] = {"ONE_DIRECTION": True, "EDGE_PAIRS": True, "WIDE_IDS": False}
"""The macros for edges that are stored as pairs of int32, each in only one direction."""

EdgeCount = np.uint32 | np.uint64
"""The types in which kernels accept a number of edges (``edge_t``)."""


class Entries(NamedTuple):
    """Stored edges in a form that ``edges.h`` can read: a list of edges (COO) or rows (CSR).

    `ends` contains the sources and targets of the edges, or the offsets and neighbors of the rows. `items` is
    the number of edges in the list, or the number of rows. `edges` is the number of stored edges. `defines`
    contains macros for kernels.
    """

    ends: tuple[Buffer, Buffer]
    items: EdgeCount
    edges: EdgeCount
    shapes: Shapes
    defines: Mapping[str, object]

    @property
    def shape(self) -> Shape:
        return self.shapes.over(int(self.items))


class ResidentGraph:
    """A graph on a device, stored as adjacency rows or as the edges of the input.

    `host` is the same graph on the host. `n` is the number of vertices, in the type that kernels expect.
    `stored` is the number of stored edges. `wide` says whether positions of edges have 64 bits. They do if
    there are at least 2**31 stored edges, or if the graph's offsets have 64 bits. `edge_t` is the type of a
    position: np.uint32 or np.uint64.
    """

    def __init__(self, host: Graph, session: Session, stored: int, *, wide: bool) -> None:
        self.host, self.session = host, session
        self.vertices, self.stored, self.wide = host.vertices, stored, wide
        self.n = np.uint32(self.vertices)
        self.edge_t: type[EdgeCount] = np.uint64 if wide else np.uint32

    @property
    def over_vertices(self) -> Shape:
        return self.session.shapes.over(self.vertices)

    @property
    def over_edges(self) -> Shape:
        return self.session.shapes.over(self.stored)

    def over_runs(self, access: str = "striding") -> Shape:
        """Return the shape of a launch in which each work-group processes runs of consecutive vertices.

        If `access` is "partitioning", each work-item processes single vertices instead.
        """
        fewest_each = 1 if access == "partitioning" else RUN_EACH
        return self.session.shapes.over(self.vertices, fewest_each=fewest_each)

    @property
    def in_runs(self) -> dict[str, Any]:
        """The macros for kernels that process runs of consecutive vertices."""
        return {"RUN_EACH": RUN_EACH, "RUN": RUN_EACH * self.over_runs().local_size[0]}

    @property
    def by_degree(self) -> dict[str, Any]:
        """The macros for kernels that process vertices of low, middle and high degree differently."""
        tile = self.session.tuning.tile
        return {"TILE": tile, "LOW_DEGREE": LOW_DEGREE, "MIDDLE_DEGREE": MIDDLE_DEGREE}

    def entries(self, form: str) -> Entries:
        """Return the stored edges in the form ``"edges"`` or ``"rows"``."""
        raise NotImplementedError

    def per_vertex(self, what: str, each: int = 1) -> Buffer:
        return self.session.empty(each * self.vertices, np.int32, what)

    def parents(self) -> tuple[Buffer, ReadBack | None]:
        """Return a new buffer for the parents, and a function that returns them on the host.

        If the function is None, the buffer must be copied instead.
        """
        return self.per_vertex("the parents"), None

    def per_edge(self, what: str, dtype: type[np.generic] = np.int32) -> Buffer:
        return self.session.empty(self.stored, dtype, what)

    def kernels(
        self,
        file: str,
        access: str | None = None,
        reads: str = "plain",
        *,
        hook: str | None = None,
        entries: Entries | None = None,
        **macros: object,
    ) -> Kernels:
        """Return the kernels of a file, built for this graph.

        `access` selects how ``common.h`` assigns items to work-items. Its default depends on the device.
        `reads` selects plain or atomic reads. `hook` selects one of the variants of hooking in
        ``put_under.h``. `entries` are the edges that ``edges.h`` reads. All other keyword arguments define
        macros.
        """
        if hook is not None:
            macros[f"HOOK_{hook.upper()}"] = True
        if entries is not None:
            macros = {**entries.defines, **macros}
        given = {"WIDE_OFFSETS": self.wide, "READS_ATOMIC": reads == "atomic", "ROUND_STEP": ROUND_STEP}
        return self.session.kernels(file, access, **{**given, **macros})


def place(graph: Graph, form: str, session: Session) -> ResidentGraph:
    """Put a graph on a device as ``"edges"``, ``"stored rows"`` or ``"rows"``.

    ``"edges"`` are the edges of the input. ``"stored rows"`` may contain an edge in only one direction,
    whereas ``"rows"`` contain each edge in both directions.
    """
    if form == "edges":
        return ResidentEdges(graph, session)
    return ResidentRows(graph, session, one_direction=form == "stored rows")


class CopiedEdges:
    """Edges in host arrays, which each run copies to the device.

    Edges that have arrived are linked while others are being copied. Ids are checked while edges are linked,
    so the arrays must not change during a run. `asked` is the requested number of vertices. If it is None,
    the number of vertices is the largest id + 1, which is known only after a run.
    """

    def __init__(
        self, sources: npt.NDArray[Any], targets: npt.NDArray[Any], vertices: int | None, session: Session
    ) -> None:
        self.sources, self.targets, self.session = sources, targets, session
        self.asked = self.vertices = vertices
        self.stored = len(sources)


# -- edges -----------------------------------------------------------------------------------------


class ResidentEdges(ResidentGraph):
    """The input edges of a graph, stored on a device for a single run.

    If the device shares the host's memory, edges are copied only if they must be converted. If the edges are
    already on the device, they are passed as `pairs` of int32.
    """

    def __init__(self, graph: Graph, session: Session, pairs: Buffer | None = None) -> None:
        edges = graph.edges_as_read
        assert edges is not None
        stored = len(edges.sources)
        super().__init__(graph, session, stored, wide=stored >= 2**31)
        self._ends, self._defines = _put(edges, session) if pairs is None else ((pairs, pairs), PAIRS)

    def entries(self, form: str) -> Entries:
        assert form == "edges", form
        m = self.edge_t(self.stored)
        return Entries(self._ends, m, m, self.session.shapes, self._defines)

    def parents(self) -> tuple[Buffer, ReadBack]:
        """Return a new buffer for the parents of one run, and a function that returns them on the host."""
        n = self.vertices
        parents = DeviceArray(self.session, n, np.int32, f"the parents of {n:,} vertices", FEWER)
        return parents.buffer, partial(parents.take, n)


def _put(edges: EdgeList, session: Session) -> tuple[tuple[Buffer, Buffer], Mapping[str, object]]:
    """Put an edge list on a device, converting it if necessary. Return its buffers and macros."""
    pairs = pairs_of(edges.sources, edges.targets)
    if pairs is not None:
        buffer = session.put(pairs, "the edges")
        return (buffer, buffer), {**PAIRS, "WIDE_IDS": pairs.itemsize == 8}
    wide = edges.sources.dtype.itemsize == edges.targets.dtype.itemsize == 8
    dtype: type[np.signedinteger[Any]] = np.int64 if wide else np.int32
    buffers = []
    for ids, what in ((edges.sources, "the sources"), (edges.targets, "the targets")):
        if ids.dtype.kind == "u" and ids.dtype.itemsize == np.dtype(dtype).itemsize and ids.dtype.isnative:
            ids = ids.view(dtype)  # all ids are below 2**31
        buffers.append(session.put(converted(ids, dtype, "ids"), what))
    return (buffers[0], buffers[1]), {"ONE_DIRECTION": True, "WIDE_IDS": wide}


def pairs_of(sources: npt.NDArray[Any], targets: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
    """Return the (m, 2) array whose columns are given, or None if there is none that kernels can read."""
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


# -- rows ------------------------------------------------------------------------------------------


class ResidentRows(ResidentGraph):
    """A graph whose rows are on a device, in the form in which the host stores them.

    If the device shares the host's memory, the rows are not copied. `rows` contains the offsets and neighbors
    of the graph, if they are already on the device. `one_direction` says whether some edges may be stored in
    only one direction.
    """

    def __init__(
        self,
        graph: Graph,
        session: Session,
        rows: tuple[Buffer, Buffer] | None = None,
        *,
        one_direction: bool = False,
    ) -> None:
        super().__init__(graph, session, graph.directed_edges, wide=graph.offsets.dtype == np.int64)
        self._defines = {"ONE_DIRECTION": one_direction}
        self.rows = self.offsets, self.neighbors = rows or (
            session.put(graph.offsets, "the graph's offsets"),
            session.put(graph.neighbors, "the graph's neighbors"),
        )

    @cached_property
    def sources(self) -> Buffer:
        """The source of each stored edge. A kernel computes the sources on first access."""
        sources = self.per_edge("the edges' sources")
        kernel = self.kernels("labels.cl")
        kernel("expand_rows", self.over_vertices, self.n, self.offsets, sources)()
        return sources

    @cached_property
    def long_rows(self) -> tuple[Buffer, Buffer]:
        """The pieces of long rows, and how many there are. A kernel computes both on first access."""
        most = 2 * self.stored // LONG_ROW  # d > LONG_ROW neighbors make fewer than 2 * d / LONG_ROW
        pieces = self.session.empty(2 * most, np.int32, "the pieces of long rows")
        piece_count = self.session.empty(1, np.int32, "the number of pieces of long rows")
        self.session.fill(piece_count, 0)
        kernel = self.kernels("long_rows.cl", LONG_ROW=LONG_ROW)
        kernel("cut_long_rows", self.over_vertices, self.n, self.offsets, pieces, piece_count)()
        return pieces, piece_count

    def entries(self, form: str) -> Entries:
        m = self.edge_t(self.stored)
        if form == "rows":
            return Entries(self.rows, self.n, m, self.session.shapes, {"INPUT_ROWS": True, **self._defines})
        return Entries((self.sources, self.neighbors), m, m, self.session.shapes, self._defines)
