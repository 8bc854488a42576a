"""A graph on a device, whatever the form of its edges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pointerjump.accel.plan import ROUND_STEP, Read
from pointerjump.accel.runtime.session import Kernels, Session
from pointerjump.accel.shapes import Shape, Shapes
from pointerjump.edges import offset_dtype
from pointerjump.graph import Graph
from pointerjump.limits import LOW_DEGREE, MIDDLE_DEGREE

if TYPE_CHECKING:
    import pyopencl as cl


Count = np.uint32 | np.uint64
"""A number of edges as kernels take it: ``edge_t``."""


class Entries(NamedTuple):
    """Stored edges as ``edges.h`` reads them: as a list of edges (COO), or as rows (CSR).

    Attributes
    ----------
    ends : tuple of two Buffers
        The sources and targets of the edges, or the offsets and neighbors of the rows.
    items : np.uint32 or np.uint64
        The number of edges in a list, or the number of rows.
    edges : np.uint32 or np.uint64
        The number of stored edges, in a list or in rows.
    shapes : Shapes
        The device's launch shapes.
    defines : mapping
        The macros of ``edges.h``.
    """

    ends: tuple[cl.Buffer, cl.Buffer]
    items: Count
    edges: Count
    shapes: Shapes
    defines: Mapping[str, object]

    @property
    def shape(self) -> Shape:
        """The shape of a launch over all edges, or all rows."""
        return self.shapes.over(int(self.items))


class ResidentGraph:
    """A graph on a device, as algorithms see it: the base of rows and of edges as read.

    Attributes
    ----------
    session : Session
    host : Graph
        The same graph on the host.
    vertices, stored : int
        The numbers of vertices and of stored edges.
    n : np.uint32
        The number of vertices, as kernels take it.
    """

    session: Session
    host: Graph
    vertices: int
    stored: int

    @property
    def n(self) -> np.uint32:
        """The number of vertices, as kernels take it."""
        return np.uint32(self.vertices)

    @property
    def edge_t(self) -> type[Count]:
        """The type of an edge's position: 64 bits wide from 2**31 stored edges on."""
        return np.uint64 if self.wide else np.uint32

    @property
    def wide(self) -> bool:
        """Whether an edge's position needs 64 bits."""
        return offset_dtype(self.stored) is np.int64

    @property
    def over_vertices(self) -> Shape:
        """The shape of a launch over all vertices."""
        return self.session.shapes.over(self.vertices)

    @property
    def over_edges(self) -> Shape:
        """The shape of a launch over all stored edges."""
        return self.session.shapes.over(self.stored)

    @property
    def by_degree(self) -> dict[str, Any]:
        """The macros of kernels that treat vertices differently by degree."""
        tile = self.session.tuning.tile
        return {"TILE": tile, "LOW_DEGREE": LOW_DEGREE, "MIDDLE_DEGREE": MIDDLE_DEGREE}

    def entries(self, form: str) -> Entries:
        """Return the stored edges as ``"edges"`` or as ``"rows"``."""
        raise NotImplementedError

    def per_vertex(self, what: str, each: int = 1) -> cl.Buffer:
        """Return a new buffer with `each` int32 for each vertex."""
        return self.session.empty(each * self.vertices, np.int32, what)

    def parents(self) -> tuple[cl.Buffer, Read | None]:
        """Return a new buffer for the parents, and how to read them, if that is cheaper than a copy."""
        return self.per_vertex("the parents"), None

    def per_edge(self, what: str, dtype: type[np.generic] = np.int32) -> cl.Buffer:
        """Return a new buffer with one item for each stored edge."""
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

        Parameters
        ----------
        access, reads
            The values of these axes, for ``common.h``. Default for `access`: what suits the device.
        hook
            The value of this axis, for ``put_under.h``.
        entries
            The edges that ``edges.h`` reads.
        **macros
            The macros of this file.
        """
        if hook is not None:
            macros[f"HOOK_{hook.upper()}"] = True
        if entries is not None:
            macros = {**entries.defines, **macros}
        given = {"WIDE_OFFSETS": self.wide, "READS_ATOMIC": reads == "atomic", "ROUND_STEP": ROUND_STEP}
        return self.session.kernels(file, access, **{**given, **macros})
