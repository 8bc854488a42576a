"""The graph every algorithm reads: compressed sparse rows, checked once.

A :class:`Graph` is made from whatever a user has (edge arrays, a scipy matrix, a NetworkX, igraph or
networkit graph) and says in one clear error why something is not a graph. Everything after it may
trust the arrays: offsets start at 0, never fall and end at ``len(neighbors)``; ids are in range.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pointerjump import memory
from pointerjump.errors import GraphError
from pointerjump.integers import (
    as_array,
    as_count,
    as_integers,
    as_unsigned,
    converted,
    first_outside,
    largest_of,
)

Ids = Literal["auto", "keep", "compact"]
VertexArray = npt.NDArray[np.int32]
OffsetArray = npt.NDArray[np.int32] | npt.NDArray[np.int64]

MAX_VERTICES = np.iinfo(np.int32).max
"""Vertex ids are int32; offsets are int64 where there are 2**31 directed edges or more."""

ROW_BYTES_PER_VERTEX, ROW_BYTES_PER_EDGE = 13, 22
"""What making rows of edges takes at its peak, as measured."""

RENUMBER = 'if most ids are unused, renumber them with ids="compact"'
"""The way out where ids name more vertices than fit."""


class Graph:
    """An undirected graph in compressed sparse rows (CSR).

    Row ``v`` is ``neighbors[offsets[v]:offsets[v + 1]]``. Each edge may be stored in one direction or
    in both, more than once, in any order; self-loops and empty rows are fine. :meth:`symmetrized`
    gives the same graph with both directions of every edge, which is what the algorithms read.

    Parameters
    ----------
    offsets : array_like of int, shape (vertices + 1,)
        Where each row begins in `neighbors`. Kept as int32 when ``len(neighbors) < 2**31``, else
        int64.
    neighbors : array_like of int, shape (directed edges,)
        The rows, one after the other. Kept as int32.
    names : array_like, shape (vertices,), optional
        What the input called each vertex, where that is not its number.
    records : int, optional
        How many edge records the input held (lines of a file, stored entries of a matrix) before
        duplicates went and opposite directions came. Default: ``len(neighbors)``.

    Raises
    ------
    GraphError
        If the arrays are no CSR: wrong dtype or shape, offsets that fall or do not span `neighbors`,
        ids out of range.

    Examples
    --------
    >>> from pointerjump import Graph
    >>> g = Graph(offsets=[0, 1, 2, 2], neighbors=[1, 0])
    >>> g.vertices, g.edges
    (3, 1)
    """

    names: npt.NDArray[Any] | None
    records: int
    edges_as_read: EdgeList | None = None
    """The edges, while no rows have been made of them; see :meth:`of_edges`."""

    def __init__(
        self,
        offsets: npt.ArrayLike,
        neighbors: npt.ArrayLike,
        *,
        names: npt.ArrayLike | None = None,
        records: int | None = None,
    ) -> None:
        rows = as_integers(offsets, "offsets", GraphError)
        ids = as_integers(neighbors, "neighbors", GraphError)
        if len(rows) == 0:
            raise GraphError("offsets is empty: a graph of n vertices has n + 1 offsets, the first 0")
        n, m = len(rows) - 1, len(ids)
        check_vertex_count(n)
        if rows[0] != 0:
            raise GraphError(f"offsets[0] is {rows[0]}: the first row must begin at 0")
        if rows[-1] != m:
            raise GraphError(f"the last offset is {rows[-1]}, but there are {m} neighbors: they must agree")
        # Compared, not subtracted: a difference of unsigned offsets cannot be negative.
        falls = rows[1:] < rows[:-1]
        if falls.any():
            v = int(np.argmax(falls))
            raise GraphError(
                f"offsets fall from {rows[v]} to {rows[v + 1]} at vertex {v}: "
                "each row must end where the next begins"
            )
        check_ids(ids, n, "neighbors")
        self._set_rows(rows, ids)
        self._set_names(names)
        self.records = m if records is None else records

    def _set_rows(self, offsets: npt.NDArray[Any], neighbors: npt.NDArray[Any]) -> None:
        self.__dict__["offsets"] = converted(offsets, offset_dtype(len(neighbors)), "offsets")
        self.__dict__["neighbors"] = converted(neighbors, np.int32, "neighbors")

    def _set_names(self, names: npt.ArrayLike | None) -> None:
        self.names = None if names is None else as_array(names, "names", GraphError)
        if self.names is not None and self.names.shape != (self.vertices,):
            raise GraphError(
                f"names has shape {self.names.shape}: give one name for each of {self.vertices} vertices"
            )

    @cached_property
    def offsets(self) -> OffsetArray:
        """Where each row begins in `neighbors`, shape (vertices + 1,)."""
        self._make_rows()
        rows: OffsetArray = self.__dict__["offsets"]
        return rows

    @cached_property
    def neighbors(self) -> VertexArray:
        """The rows, one after the other, shape (directed_edges,)."""
        self._make_rows()
        rows: VertexArray = self.__dict__["neighbors"]
        return rows

    def _make_rows(self) -> None:
        """Make rows of the edges as read: both directions of each, each once, sorted."""
        edges = self.edges_as_read
        if edges is None:
            return
        require_room_for_rows(edges.vertices, len(edges.sources))
        rows = _both_directions(_pattern(edges.sources, edges.targets, edges.vertices))
        self._set_rows(rows.indptr, rows.indices)
        self.__dict__["symmetric"] = True
        self.edges_as_read = None  # the rows now say the same

    # -- constructors --------------------------------------------------------------------------

    @classmethod
    def from_edges(
        cls,
        sources: npt.ArrayLike,
        targets: npt.ArrayLike | None = None,
        *,
        vertices: int | None = None,
        ids: Ids = "keep",
        names: npt.ArrayLike | None = None,
    ) -> Graph:
        """Build a graph from edges in any order, in either or both directions, repeated or not.

        Parameters
        ----------
        sources, targets : array_like of int, shape (m,)
            The two ends of each edge. Without `targets`, `sources` is an (m, 2) array of edges.
        vertices : int, optional
            How many vertices there are. Default: the largest id + 1.
        ids : {"keep", "compact", "auto"}
            Whether ids are vertex numbers as they stand, or are renumbered; see
            :func:`pointerjump.components`. ``names`` then holds the ids.
        names : array_like, shape (vertices,), optional
            What the input called each vertex, where ids are kept.

        Returns
        -------
        Graph
            Both directions of every edge, each once, rows sorted.

        Raises
        ------
        GraphError
            If the arrays are not integers, differ in length, or hold an id that is masked, negative or
            not below `vertices`.
        MemoryLimitError
            If the rows would not fit into memory.

        Examples
        --------
        >>> from pointerjump import Graph
        >>> g = Graph.from_edges([0, 1, 1], [1, 0, 2], vertices=5)
        >>> g.neighbors.tolist()
        [1, 0, 2, 1]
        """
        from pointerjump.numbering import graph_of_integers

        graph = graph_of_integers(sources, targets, ids, vertices)
        if names is not None:
            if graph.names is not None:
                raise GraphError(f"names are given, and ids={ids!r} makes names of the ids: give one of them")
            graph._set_names(names)
        graph._make_rows()
        return graph

    @classmethod
    def of_edges(cls, edges: EdgeList, *, names: npt.ArrayLike | None = None) -> Graph:
        """Build a graph that makes its rows only when they are first asked for.

        Finding components does not ask for them: edges can be linked as they come, in a fraction of
        the time that rows take. For arrays that nobody will change.
        """
        graph = cls.__new__(cls)
        graph.edges_as_read = edges
        graph.records = len(edges.sources)
        graph._set_names(names)
        return graph

    @classmethod
    def from_scipy(cls, matrix: Any, *, names: npt.ArrayLike | None = None) -> Graph:
        """Build a graph from a square scipy sparse matrix or array of any format.

        Every *stored* entry is an edge, explicit zeros too, as in ``scipy.sparse.csgraph``; values
        are not looked at. CSR arrays are used in place, not copied.

        Raises
        ------
        GraphError
            If `matrix` is not sparse, or not square.

        Examples
        --------
        >>> import scipy.sparse as sp
        >>> from pointerjump import Graph
        >>> Graph.from_scipy(sp.eye_array(3)).vertices
        3
        """
        if not sp.issparse(matrix):
            raise GraphError(f"{type(matrix).__name__} is not a scipy sparse matrix or array")
        stored: Any = matrix
        if stored.ndim != 2 or stored.shape[0] != stored.shape[1]:
            raise GraphError(
                f"the matrix is {'x'.join(map(str, stored.shape))}: an adjacency matrix is square; "
                "for a bipartite graph give edges, columns numbered after the rows"
            )
        if stored.format == "csr":
            return cls._of_csr(stored, names)
        if stored.format in {"csc", "bsr"}:  # csc: the transpose has the same undirected edges
            return cls._of_csr(stored.T if stored.format == "csc" else stored.tocsr(), names)
        coo = stored.tocoo()
        rows, columns = coo.coords if hasattr(coo, "coords") else (coo.row, coo.col)
        return cls.from_edges(rows, columns, vertices=stored.shape[0], names=names)

    @classmethod
    def _of_csr(cls, stored: Any, names: npt.ArrayLike | None) -> Graph:
        """Build a graph of a scipy CSR matrix, whose arrays may have been changed by hand."""
        if len(stored.indptr) != stored.shape[0] + 1:
            raise GraphError(
                f"the matrix is damaged: it has {stored.shape[0]} rows and {len(stored.indptr)} offsets, "
                "which must be one more"
            )
        # scipy leaves spare room behind the last row when it has removed something.
        return cls(stored.indptr, stored.indices[: stored.nnz], names=names)

    @classmethod
    def from_networkx(cls, graph: Any) -> Graph:
        """Build a graph from a NetworkX graph of any kind; ``names`` holds its nodes, in its order.

        Examples
        --------
        >>> import networkx as nx
        >>> from pointerjump import Graph
        >>> Graph.from_networkx(nx.path_graph(4)).edges
        3
        """
        number = {node: i for i, node in enumerate(graph)}
        ends = np.fromiter(
            (number[x] for edge in graph.edges() for x in edge[:2]),
            np.int32,
            2 * graph.number_of_edges(),
        )
        names = np.empty(len(number), object)
        names[:] = list(number)
        return cls.from_edges(ends[0::2], ends[1::2], vertices=len(number), names=names)

    @classmethod
    def from_igraph(cls, graph: Any) -> Graph:
        """Build a graph from a python-igraph graph; ``names`` holds its ``name`` attribute, if any."""
        edges = np.asarray(graph.get_edgelist(), np.int32).reshape(-1, 2)
        names = graph.vs["name"] if "name" in graph.vs.attributes() else None
        return cls.from_edges(edges, vertices=graph.vcount(), names=names)

    @classmethod
    def from_networkit(cls, graph: Any) -> Graph:
        """Build a graph from a networkit graph; its removed nodes stay as isolated vertices."""
        ends = np.fromiter(
            (x for edge in graph.iterEdges() for x in edge), np.int64, 2 * graph.numberOfEdges()
        )
        return cls.from_edges(ends[0::2], ends[1::2], vertices=graph.upperNodeIdBound())

    # -- facts -----------------------------------------------------------------------------------

    @property
    def vertices(self) -> int:
        """How many vertices the graph has, isolated ones included."""
        edges = self.edges_as_read  # looked at once: another thread may be making the rows
        return edges.vertices if edges else len(self.offsets) - 1

    @property
    def directed_edges(self) -> int:
        """How many entries the rows hold: each undirected edge twice, once symmetrized."""
        return len(self.neighbors)

    @property
    def degrees(self) -> npt.NDArray[np.int64]:
        """The length of each row, shape (vertices,)."""
        return np.diff(self.offsets).astype(np.int64)

    @property
    def sources(self) -> VertexArray:
        """The vertex at the other end of each entry of `neighbors`, shape (directed_edges,)."""
        return np.repeat(np.arange(self.vertices, dtype=np.int32), self.degrees)

    @cached_property
    def edges(self) -> int:
        """How many different undirected edges there are; self-loops do not count."""
        graph = self.symmetrized()
        sources = graph.sources
        loops = graph.neighbors == sources
        # Rows that strictly rise hold no duplicate; where a row begins, neighbors may fall.
        rises = graph.neighbors[1:] > graph.neighbors[:-1]
        if not (rises | (sources[1:] != sources[:-1])).all():
            distinct = graph.to_scipy()
            distinct.sum_duplicates()
            return (distinct.nnz - int(np.count_nonzero(distinct.diagonal()))) // 2
        return (graph.directed_edges - int(np.count_nonzero(loops))) // 2

    @cached_property
    def symmetric(self) -> bool:
        """Whether every edge is stored in both directions, equally often."""
        if self.edges_as_read:
            self._make_rows()
            return True
        transposed = self._shared_pattern().tocsc()  # sorts each column by row
        if not np.array_equal(transposed.indptr, self.offsets):
            return False
        if np.array_equal(transposed.indices, self.neighbors):
            return True
        ordered = transposed.tocsr()  # this graph with its rows sorted
        return bool(np.array_equal(transposed.indices, ordered.indices))

    @property
    def known_symmetric(self) -> bool:
        """Whether :attr:`symmetric` is known already, and true."""
        return bool(self.__dict__.get("symmetric", False))

    def symmetrized(self) -> Graph:
        """Return the same graph with both directions of every edge (itself, if it has them)."""
        if self.symmetric:
            return self
        require_room_for_rows(self.vertices, self.directed_edges)
        pattern = self.to_scipy()
        pattern.sum_duplicates()
        rows = _both_directions(pattern)
        graph = Graph(rows.indptr, rows.indices, names=self.names, records=self.records)
        graph.__dict__["symmetric"] = True
        return graph

    def to_scipy(self) -> sp.csr_array[np.bool_]:
        """Return the adjacency pattern as a boolean scipy CSR array, a copy.

        A copy, because scipy sorts rows and sums duplicates in place whenever it wants them so.
        """
        return self._shared_pattern().copy()

    def _shared_pattern(self) -> sp.csr_array[np.bool_]:
        """Return the pattern over this graph's own arrays: not for functions that may tidy them up."""
        ones = np.ones(self.directed_edges, np.bool_)
        shape = (self.vertices, self.vertices)
        return sp.csr_array((ones, self.neighbors, self.offsets), shape=shape)

    def __repr__(self) -> str:
        if self.edges_as_read:
            return f"Graph(vertices={self.vertices}, records={self.records})"
        return f"Graph(vertices={self.vertices}, directed_edges={self.directed_edges})"


@dataclass(frozen=True)
class EdgeList:
    """Edges as they come, checked: two arrays of ids, any integer dtype, all below `vertices`."""

    sources: npt.NDArray[Any]
    targets: npt.NDArray[Any]
    vertices: int

    @classmethod
    def of(
        cls, sources: npt.ArrayLike, targets: npt.ArrayLike | None = None, vertices: int | None = None
    ) -> EdgeList:
        """Check edges; parameters and errors as for :meth:`Graph.from_edges`."""
        s, t = ends_of(sources, targets)
        largest = max(largest_id(s, "sources"), largest_id(t, "targets"))
        count = check_vertex_count(largest + 1 if vertices is None else vertices)
        if largest >= count:
            check_ids(s, count, "sources")
            check_ids(t, count, "targets")
        return cls(s, t, count)


def ends_of(
    sources: npt.ArrayLike, targets: npt.ArrayLike | None = None
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the two ends of each edge as integer arrays of one length, whatever the integers are.

    Parameters and errors are those of :meth:`Graph.from_edges`, except that ranges are not checked.
    """
    if targets is None:
        pairs = as_array(sources, "edges", GraphError)
        if pairs.size == 0:
            pairs = np.empty((0, 2), np.int32)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise GraphError(
                f"edges has shape {pairs.shape}: give an (m, 2) array, or a tuple of two arrays of length m"
            )
        sources, targets = pairs[:, 0], pairs[:, 1]
    s, t = as_integers(sources, "sources", GraphError), as_integers(targets, "targets", GraphError)
    if len(s) != len(t):
        raise GraphError(f"there are {len(s)} sources and {len(t)} targets: give one of each per edge")
    return s, t


def largest_id(ids: npt.NDArray[Any], what: str) -> int:
    """Return the largest id, or -1 if there are none; refuse a negative one. One pass finds both."""
    if len(ids) == 0:
        return -1
    largest = int(as_unsigned(ids).max())
    if largest > largest_of(ids.dtype):
        at = int(np.argmax(ids < 0))
        raise GraphError(
            f"{what}[{at}] is {ids[at]}, which is negative: ids run from 0 up; "
            'ids="compact" takes any integers'
        )
    return largest


def require_room_for_rows(vertices: int, edges: int) -> None:
    """Refuse to make rows that memory cannot hold.

    Raises
    ------
    MemoryLimitError
        Naming the size.
    """
    memory.require(
        ROW_BYTES_PER_VERTEX * vertices + ROW_BYTES_PER_EDGE * edges,
        f"making rows of {vertices:,} vertices and {edges:,} edges",
        f'{RENUMBER}; algorithm="auto" needs no rows',
    )


def check_vertex_count(vertices: Any) -> int:
    """Return a vertex count; refuse what is not a whole number, is negative or does not fit an int32 id."""
    count = as_count(vertices, "vertices", GraphError)
    if count < 0:
        raise GraphError(f"vertices is {count}: it cannot be negative")
    if count > MAX_VERTICES:
        raise GraphError(
            f"the graph needs {count} vertices, and ids are 32-bit: at most {MAX_VERTICES}; {RENUMBER}"
        )
    return count


def check_ids(ids: npt.NDArray[Any], vertices: int, what: str) -> None:
    """Refuse ids outside 0 .. vertices - 1, naming the first."""
    at = first_outside(ids, vertices)
    if at is None:
        return
    fact = "negative" if ids[at] < 0 else f"not below the number of vertices, {vertices}"
    raise GraphError(f"{what}[{at}] is {ids[at]}, which is {fact}: ids run from 0 to vertices - 1")


def offset_dtype(directed_edges: int) -> type[np.int32] | type[np.int64]:
    """Return the narrowest dtype that can index `directed_edges` entries."""
    return np.int32 if directed_edges <= np.iinfo(np.int32).max else np.int64


def _both_directions(pattern: sp.csr_array[np.bool_]) -> sp.csr_array[np.bool_]:
    """Return a pattern with every edge in both directions, once, and its rows sorted."""
    # bool, not int8: duplicates are summed, and 256 of them would sum to an int8 zero, which scipy's
    # addition drops.
    both = pattern + pattern.T
    both.sort_indices()
    return both


def _pattern(s: npt.NDArray[Any], t: npt.NDArray[Any], vertices: int) -> sp.csr_array[np.bool_]:
    """Return the edges s -> t as a boolean CSR array without duplicates."""
    # scipy keeps int32 indices where it is given int32 and the counts fit.
    ends = (s.astype(np.int32, copy=False), t.astype(np.int32, copy=False))
    return sp.csr_array((np.ones(len(s), np.bool_), ends), shape=(vertices, vertices))
