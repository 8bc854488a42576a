"""A graph's rows on a device."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pointerjump.accel.residents.graphs import Entries, ResidentGraph
from pointerjump.accel.runtime.session import Session
from pointerjump.graph import Graph

if TYPE_CHECKING:
    import pyopencl as cl


LONG_ROW = 4096
"""A row of more neighbors than this is long."""


class ResidentRows(ResidentGraph):
    """A graph whose rows are on a device; not copied if the device shares the host's memory.

    Parameters
    ----------
    graph : Graph
        The graph on the host. Its rows are used as they are stored.
    session : Session
    rows : tuple of two Buffers, optional
        The graph's offsets and neighbors, if they are on the device already.
    one_direction : bool
        Whether some edges may be stored in one direction only.
    """

    def __init__(
        self,
        graph: Graph,
        session: Session,
        rows: tuple[cl.Buffer, cl.Buffer] | None = None,
        *,
        one_direction: bool = False,
    ) -> None:
        self.host, self.session = graph, session
        self.vertices, self.stored = graph.vertices, graph.directed_edges
        self._defines = {"ONE_DIRECTION": one_direction}
        self.offsets, self.neighbors = rows or (
            session.put(graph.offsets, "the graph's offsets"),
            session.put(graph.neighbors, "the graph's neighbors"),
        )

    @property
    def rows(self) -> tuple[cl.Buffer, cl.Buffer]:
        """The offsets and the neighbors."""
        return self.offsets, self.neighbors

    @property
    def wide(self) -> bool:
        """Whether the offsets have 64 bits."""
        return self.host.offsets.dtype == np.int64

    @cached_property
    def sources(self) -> cl.Buffer:
        """The source of each stored edge, written by the device when it is first needed."""
        sources = self.per_edge("the edges' sources")
        kernel = self.kernels("labels.cl")
        kernel("expand_rows", self.over_vertices, self.n, self.offsets, sources)()
        return sources

    @cached_property
    def long_rows(self) -> tuple[cl.Buffer, cl.Buffer]:
        """The pieces of the long rows and their number, made by ``long_rows.cl`` when first needed."""
        most = 2 * self.stored // LONG_ROW  # d > LONG_ROW neighbors make fewer than 2 * d / LONG_ROW
        pieces = self.session.empty(2 * most, np.int32, "the pieces of long rows")
        piece_count = self.session.empty(1, np.int32, "the number of pieces of long rows")
        self.session.fill(piece_count, 0)
        kernel = self.kernels("long_rows.cl", LONG_ROW=LONG_ROW)
        kernel("cut_long_rows", self.over_vertices, self.n, self.offsets, pieces, piece_count)()
        return pieces, piece_count

    def entries(self, form: str) -> Entries:
        """Return the stored edges as ``"edges"`` or as ``"rows"``."""
        m = self.edge_t(self.stored)
        if form == "rows":
            return Entries(self.rows, self.n, m, self.session.shapes, {"INPUT_ROWS": True, **self._defines})
        return Entries((self.sources, self.neighbors), m, m, self.session.shapes, self._defines)
