"""The graph that every algorithm reads: compressed sparse rows, or edges as they come, checked once.

A :class:`Graph` is made from whatever a user has (edge arrays, a scipy matrix, another library's
graph). What cannot be a graph raises one clear error. All other code may trust the arrays:
offsets start at 0, never fall and end at ``len(neighbors)``; ids are in range.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from numbers import Real
from typing import Any, Literal, NamedTuple, TypeGuard

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
"""Vertex ids are int32. Offsets are int32 too, or int64 if there are 2**31 directed edges or more."""

ROW_BYTES_PER_VERTEX, ROW_BYTES_PER_EDGE = 13, 22
"""Bytes that making rows of edges takes at its peak, as measured."""

COUNT_BYTES_PER_EDGE = 25
"""Bytes that counting different edges takes at its peak: ends as int32, two keys, and which keys to keep."""

ORDERED_FROM, ORDER_SAMPLES = 1 << 15, 64
"""From so many edges on, some are looked at to see in what order they are; and how many."""

NEAR = 16
"""Ids that differ by at most this much are near each other: their int32 fill a cache line of 64 bytes."""

FEWER = (
    "allow more memory; or, if most ids are unused, number those that occur from 0 on, or give all edges at "
    'once with ids="compact" (--ids compact)'
)
"""The way out where edges come in blocks, whose ids stay as they are."""

RENUMBER = 'if most ids are unused, renumber them with ids="compact" (--ids compact)'
"""The way out where ids name more vertices than fit."""


class Graph:
    """An undirected graph in compressed sparse rows (CSR).

    Row ``v`` is ``neighbors[offsets[v]:offsets[v + 1]]``. Each edge may be stored in one direction or
    in both, more than once, in any order; self-loops and empty rows are fine. :meth:`symmetrized`
    gives the same graph with both directions of every edge, which is what the algorithms read.

    A graph made of edges, by :meth:`from_edges` or from a file that lists them, keeps its edges. It
    makes rows of them when it is first asked for its rows. Finding components does not ask:
    ``algorithm="auto"`` links edges as they come, in a fraction of the time that rows would take.

    Parameters
    ----------
    offsets : array_like of int, shape (vertices + 1,)
        Where each row begins in `neighbors`. Kept as int32 if ``len(neighbors) < 2**31``, else as
        int64.
    neighbors : array_like of int, shape (directed edges,)
        The rows, one after the other. Kept as int32.
    names : array_like, shape (vertices,), optional
        What the input called each vertex, if that is not its number.
    records : int, optional
        How many edges the input held (lines of a file, stored entries of a matrix), repeated ones
        counted each time. Default: ``len(neighbors)``.

    Raises
    ------
    GraphError
        If the arrays are not CSR: if they are not one-dimensional arrays of integers, offsets fall or
        do not span `neighbors`, or an id is out of range.

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
    """The edges that the graph was made of, in their order; None if it was made of rows."""
    _made_symmetric = False

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
        self._rows = _as_rows(rows, ids)
        self._set_names(names)
        self.records = m if records is None else records

    def _set_names(self, names: npt.ArrayLike | None) -> None:
        self.names = None if names is None else as_array(names, "names", GraphError)
        if self.names is not None and self.names.shape != (self.vertices,):
            raise GraphError(
                f"names has shape {self.names.shape}: give one name for each of {self.vertices} vertices"
            )

    @cached_property
    def _rows(self) -> tuple[OffsetArray, VertexArray]:
        """The offsets and the neighbors, made of the edges unless the graph was made of rows.

        They are stored in one step, so that other threads see both or neither.
        """
        assert self.edges_as_read is not None  # a graph made of rows has them from the beginning
        return self.edges_as_read.rows()

    @cached_property
    def offsets(self) -> OffsetArray:
        """Where each row begins in `neighbors`, shape (vertices + 1,)."""
        return self._rows[0]

    @cached_property
    def neighbors(self) -> VertexArray:
        """The rows, one after the other, shape (directed_edges,)."""
        return self._rows[1]

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
            The two ends of each edge. Without `targets`, `sources` is an (m, 2) array of edges, or a tuple
            of both. Arrays are copied, so they may change afterwards.
        vertices : int, optional
            How many vertices there are. Default: the largest id + 1.
        ids : {"keep", "compact", "auto"}
            Whether ids are vertex numbers as they stand, or are renumbered; see
            :func:`pointerjump.components`. ``names`` then holds the ids.
        names : array_like, shape (vertices,), optional
            What the input called each vertex, if ids are kept.

        Returns
        -------
        Graph
            It keeps the edges as they are. Its rows are made when they are first asked for: they hold
            both directions of every edge, each once, sorted.

        Raises
        ------
        GraphError
            If the arrays are not integers, differ in length, or hold an id that is masked, negative or
            not below `vertices`.
        MemoryLimitError
            If the copy would not fit into memory. Whatever first asks for the rows raises it if they
            would not fit.

        See Also
        --------
        in_rows : The same graph without the edges, for callers who need the rows alone.

        Examples
        --------
        >>> from pointerjump import Graph
        >>> g = Graph.from_edges([0, 1, 1], [1, 0, 2], vertices=5)
        >>> g.neighbors.tolist()
        [1, 0, 2, 1]
        """
        from pointerjump.numbering import graph_of_integers

        if targets is None and are_ends(sources):
            sources, targets = sources
        graph = graph_of_integers(sources, targets, ids, vertices)
        edges = graph.edges_as_read
        if graph.names is None and edges is not None:  # else the ids were renumbered, in new arrays
            s = _own(edges.sources, sources)
            t = _own(edges.targets, sources if targets is None else targets)
            graph.edges_as_read = EdgeList(s, t, edges.vertices)
        if names is not None:
            if graph.names is not None:
                raise GraphError(
                    f"names are given, but ids={ids!r} renumbers the ids and makes names of them: "
                    "leave one of the two out"
                )
            graph._set_names(names.copy() if isinstance(names, np.ndarray) else names)
        return graph

    @classmethod
    def from_scipy(cls, matrix: Any, *, names: npt.ArrayLike | None = None) -> Graph:
        """Build a graph from a square scipy sparse matrix or array of any format.

        Every *stored* entry is an edge, even an explicit zero, as in ``scipy.sparse.csgraph``; values
        are ignored. Only in BSR and DIA, which fill blocks and diagonals up with zeros, is a zero not an
        edge. CSR and CSC arrays are used in place, not copied: do not change them. COO arrays are
        edges, and kept as :meth:`from_edges` keeps them.

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
        if stored.format in {"csr", "csc"}:  # columns hold the same undirected edges as rows
            return cls._of_compressed(stored, names)
        if stored.format == "bsr":
            require_sound_blocks(stored)
            rows = stored.tocsr()
            rows.eliminate_zeros()
            return cls._of_compressed(rows, names)
        coo = stored.tocoo()
        rows, columns = coo.coords if hasattr(coo, "coords") else (coo.row, coo.col)
        if coo is stored:
            return cls.from_edges(rows, columns, vertices=stored.shape[0], names=names)
        return graph_without_copy(rows, columns, stored.shape[0], names=names)

    @classmethod
    def _of_compressed(cls, stored: Any, names: npt.ArrayLike | None) -> Graph:
        """Build a graph from a scipy CSR or CSC matrix, whose arrays somebody may have changed by hand."""
        if len(stored.indptr) != stored.shape[0] + 1:
            raise GraphError(
                f"the matrix is damaged: it has {stored.shape[0]} rows and {len(stored.indptr)} offsets, "
                "which must be one more"
            )
        # scipy leaves unused room after the last row when it has removed entries.
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
        from pointerjump.networkx_backend.adjacency import edges_of

        nodes, sources, targets = edges_of(graph)
        names = np.empty(len(nodes), object)
        names[:] = nodes
        return graph_without_copy(sources, targets, len(nodes), names=names)

    @classmethod
    def from_igraph(cls, graph: Any) -> Graph:
        """Build a graph from a python-igraph graph; ``names`` holds its ``name`` attribute, if any."""
        vertices = check_vertex_count(graph.vcount())
        edges = _pairs(graph.get_edgelist(), graph.ecount())
        names = _as_given(graph.vs["name"]) if "name" in graph.vs.attributes() else None
        return graph_without_copy(edges, None, vertices, names=names)

    @classmethod
    def from_networkit(cls, graph: Any) -> Graph:
        """Build a graph from a networkit graph; its removed nodes stay as isolated vertices."""
        vertices = check_vertex_count(graph.upperNodeIdBound())
        edges = _pairs(graph.iterEdges(), graph.numberOfEdges())
        return graph_without_copy(edges, None, vertices)

    @classmethod
    def from_rustworkx(cls, graph: Any) -> Graph:
        """Build a graph from a rustworkx ``PyGraph`` or ``PyDiGraph``.

        Its vertices are the graph's nodes in order of their indices. If nodes have been removed, the indices
        have gaps; vertices then are numbered without gaps, and ``names`` holds the indices.
        """
        return _without_gaps(np.asarray(graph.edge_list()), np.asarray(graph.node_indices()))

    @classmethod
    def from_graph_tool(cls, graph: Any) -> Graph:
        """Build a graph from a graph-tool ``Graph`` or ``GraphView``.

        If the graph is filtered, its vertices are those that the filter lets through, numbered without gaps,
        and ``names`` holds their indices.
        """
        return _without_gaps(graph.get_edges()[:, :2], graph.get_vertices())

    @classmethod
    def from_torch_geometric(cls, data: Any) -> Graph:
        """Build a graph from a PyTorch Geometric ``Data`` object: its ``edge_index`` and ``num_nodes``.

        The tensor is not copied if it is in host memory: do not change it.

        Raises
        ------
        GraphError
            If ``edge_index`` is missing, or is not two sequences of node numbers that are equally long.
        """
        ends = data.edge_index
        if hasattr(ends, "cpu"):
            ends = ends.cpu()  # from a GPU's memory to the host's
        pairs = as_array(ends, "edge_index", GraphError)
        if pairs.ndim != 2 or len(pairs) != 2:
            fact = "is missing" if ends is None else f"has shape {pairs.shape}"
            raise GraphError(f"edge_index {fact}: its shape must be (2, number of edges)")
        return graph_without_copy(pairs[0], pairs[1], data.num_nodes)

    # -- facts -----------------------------------------------------------------------------------

    @property
    def vertices(self) -> int:
        """How many vertices the graph has, isolated ones included."""
        edges = self.edges_as_read
        return edges.vertices if edges else len(self.offsets) - 1

    @property
    def directed_edges(self) -> int:
        """How many entries the rows hold; of a symmetrized graph, two for each edge that is not a loop."""
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
        if self.edges_as_read is not None and "_rows" not in self.__dict__:
            return self.edges_as_read.count()  # takes less memory than rows would
        graph = self.symmetrized()
        sources = graph.sources
        loops = graph.neighbors == sources
        # A row whose entries strictly rise holds no duplicate. Where the next row begins, they may fall.
        rises = graph.neighbors[1:] > graph.neighbors[:-1]
        if not (rises | (sources[1:] != sources[:-1])).all():
            distinct = graph.to_scipy()
            distinct.sum_duplicates()
            return (distinct.nnz - int(np.count_nonzero(distinct.diagonal()))) // 2
        return (graph.directed_edges - int(np.count_nonzero(loops))) // 2

    @cached_property
    def symmetric(self) -> bool:
        """Whether the rows hold every edge in both directions, equally often."""
        if self.edges_as_read:  # rows are made so
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
        """Whether the graph was made :attr:`symmetric`. Looking at its rows does not change that."""
        return self.edges_as_read is not None or self._made_symmetric

    def mark_symmetric(self) -> None:
        """Say that the rows were made so that they hold every edge in both directions."""
        self._made_symmetric = self.symmetric = True

    def in_rows(self) -> Graph:
        """Return the same graph in rows alone, without the edges it was made of (itself, if of rows).

        A graph made of edges keeps them even when it has its rows. Callers who need the rows alone can
        let go of the graph they had, and with it of the memory for its edges.

        Examples
        --------
        >>> from pointerjump import Graph
        >>> Graph.from_edges([0, 1, 1], [1, 0, 2]).in_rows()
        Graph(vertices=3, directed_edges=4)
        """
        if self.edges_as_read is None:
            return self
        rows = self._rows  # made before the copy is, so that both graphs share them
        graph = copy(self)
        graph._rows, graph.edges_as_read = rows, None
        graph.mark_symmetric()
        return graph

    def symmetrized(self) -> Graph:
        """Return the same graph in rows that hold both directions of every edge.

        That is :meth:`in_rows` if the graph was made of edges. If its rows are such rows, the two share
        their arrays. Else missing directions are added, once: the graph keeps the answer.
        """
        if self.edges_as_read is not None:
            return self.in_rows()
        return self if self._made_symmetric else self._symmetrized

    @cached_property
    def _symmetrized(self) -> Graph:
        if self.symmetric:
            graph = copy(self)
        else:
            require_room_for_rows(self.vertices, self.directed_edges)
            pattern = self.to_scipy()
            pattern.sum_duplicates()
            rows = _both_directions(pattern)
            graph = Graph(rows.indptr, rows.indices, names=self.names, records=self.records)
        graph.mark_symmetric()
        return graph

    def to_scipy(self) -> sp.csr_array[np.bool_]:
        """Return the adjacency pattern as a boolean scipy CSR array, a copy.

        It is a copy because scipy may sort rows and sum duplicates in place at any time.
        """
        return self._shared_pattern().copy()

    def _shared_pattern(self) -> sp.csr_array[np.bool_]:
        """Return the pattern over this graph's own arrays, for functions that leave them as they are."""
        ones = np.ones(self.directed_edges, np.bool_)
        shape = (self.vertices, self.vertices)
        return sp.csr_array((ones, self.neighbors, self.offsets), shape=shape)

    def __repr__(self) -> str:
        if self.edges_as_read:
            return f"Graph(vertices={self.vertices}, records={self.records})"
        return f"Graph(vertices={self.vertices}, directed_edges={self.directed_edges})"


class EdgeOrder(NamedTuple):
    """In what order edges are, and whether they are short.

    Attributes
    ----------
    in_order : bool
        Whether an edge often has an end near one of the edge before it, as in a graph written row by row.
    local : bool
        Whether an edge often joins ids near each other.
    """

    in_order: bool
    local: bool


def _times_near(some: npt.NDArray[np.int64], others: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
    """Return for each array of `some` how many ids are near the id in the same place in `others`."""
    times: npt.NDArray[np.intp] = np.count_nonzero(abs(some - others) <= NEAR, axis=-1)
    return times


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
        """Check edges; parameters and errors as for :meth:`Graph.from_edges`, but arrays are not copied."""
        s, t = ends_of(sources, targets)
        largest = max(largest_id(s, "sources"), largest_id(t, "targets"))
        count = check_vertex_count(largest + 1 if vertices is None else vertices)
        if largest >= count:
            check_ids(s, count, "sources")
            check_ids(t, count, "targets")
        return cls(s, t, count)

    def order(self) -> EdgeOrder:
        """Return in what order the edges are, as far as some of them tell, which are evenly spread."""
        m = len(self.sources)
        if m < ORDERED_FROM:
            return EdgeOrder(in_order=False, local=False)
        step = m // ORDER_SAMPLES | 1  # odd, as edges may alternate
        # As int64, because differences of unsigned integers would wrap.
        s, t, next_s, next_t = (
            ends[first : m - 1 + first : step].astype(np.int64)
            for first in (0, 1)
            for ends in (self.sources, self.targets)
        )
        some, others = np.array((s, t, t)), np.array((next_s, next_t, next_s))
        # A hub's edges have the hub in common in whatever order they are. So ends that are near by
        # chance, as those of edges that do not follow each other are, do not count.
        follow = _times_near(some, others) - _times_near(some, np.roll(others, 1, axis=1))
        near = _times_near(s, t)
        often = len(s) / 4  # random ids are near each other far less often
        return EdgeOrder(in_order=bool(follow.max() >= often), local=bool(near >= often))

    def _as_int32(self) -> tuple[VertexArray, VertexArray]:
        return self.sources.astype(np.int32, copy=False), self.targets.astype(np.int32, copy=False)

    def rows(self) -> tuple[OffsetArray, VertexArray]:
        """Make rows of the edges: both directions of each, each once, sorted.

        Raises
        ------
        MemoryLimitError
            If the rows would not fit into memory.
        """
        require_room_for_rows(self.vertices, len(self.sources))
        # scipy keeps int32 indices if it is given int32 and the counts fit.
        entries = (np.ones(len(self.sources), np.bool_), self._as_int32())
        both = _both_directions(sp.csr_array(entries, shape=(self.vertices, self.vertices)))
        return _as_rows(both.indptr, both.indices)

    def count(self) -> int:
        """Return how many different undirected edges there are, without self-loops."""
        memory.require(
            COUNT_BYTES_PER_EDGE * len(self.sources),
            f"counting the different ones among {len(self.sources):,} edges",
        )
        s, t = self._as_int32()
        pairs = np.minimum(s, t).astype(np.int64)
        pairs <<= 32
        pairs |= np.maximum(s, t)
        pairs = pairs[s != t]
        pairs.sort()
        return int(np.count_nonzero(pairs[1:] != pairs[:-1])) + (len(pairs) > 0)


def require_sound_blocks(matrix: Any) -> None:
    """Refuse a damaged BSR matrix, on which scipy might crash."""
    rows, columns = (size // length for size, length in zip(matrix.shape, matrix.blocksize, strict=True))
    if len(matrix.indptr) != rows + 1:
        raise GraphError(
            f"the matrix is damaged: it has {rows} rows of blocks and {len(matrix.indptr)} offsets, which "
            "must be one more"
        )
    offsets = np.pad(matrix.indptr, (0, max(0, columns - rows)), "edge")
    Graph(offsets, matrix.indices[: offsets[-1]])


def graph_without_copy(
    sources: npt.ArrayLike,
    targets: npt.ArrayLike | None = None,
    vertices: int | None = None,
    *,
    names: npt.ArrayLike | None = None,
) -> Graph:
    """Build a graph from edges as :meth:`Graph.from_edges` does, from arrays that nobody will change."""
    graph = graph_of_checked(EdgeList.of(sources, targets, vertices))
    graph._set_names(names)
    return graph


def graph_of_checked(edges: EdgeList, names: npt.NDArray[Any] | None = None) -> Graph:
    """Build a graph from edges that are known to be right."""
    graph = Graph.__new__(Graph)
    graph.edges_as_read, graph.records, graph.names = edges, len(edges.sources), names
    return graph


def _own(ids: npt.NDArray[Any], given: Any) -> npt.NDArray[Any]:
    """Return the ids that were `given`, in an array that is not the caller's."""
    if isinstance(given, list | tuple | range):  # the array was made of it just now
        return ids
    memory.require(4 * len(ids), "a copy of the edges")
    return np.array(ids, np.int32)


def _pairs(edges: Iterable[tuple[int, int]], count: int) -> VertexArray:
    """Return edges between vertices, all of which an int32 can number, as a (count, 2) array."""
    # NumPy takes numbers one by one in less time than pairs.
    return np.fromiter(chain.from_iterable(edges), np.int32, 2 * count).reshape(-1, 2)


def _as_given(names: list[Any]) -> npt.NDArray[Any]:
    """Return names as an array, each as it is: NumPy alone would make a string of 1 among strings."""
    if {type(name) for name in names} in ({str}, {int}, {float}):
        return np.array(names)
    array = np.empty(len(names), object)
    array[:] = names
    return array


def _without_gaps(edges: npt.NDArray[Any], indices: npt.NDArray[Any]) -> Graph:
    """Build a graph of vertices that have these indices; if 0, 1, ... has gaps there, number them anew."""
    n = len(indices)
    numbers = np.arange(n, dtype=np.int32)
    if np.array_equal(indices, numbers):
        return graph_without_copy(edges, None, n)
    number = np.empty(int(indices.max()) + 1, np.int32)
    number[indices] = numbers
    return graph_without_copy(number[edges], None, n, names=indices)


def _as_rows(offsets: npt.NDArray[Any], neighbors: npt.NDArray[Any]) -> tuple[OffsetArray, VertexArray]:
    """Return rows in the dtypes that graphs keep."""
    dtype = offset_dtype(len(neighbors))
    return converted(offsets, dtype, "offsets"), converted(neighbors, np.int32, "neighbors")


def ends_of(
    sources: npt.ArrayLike, targets: npt.ArrayLike | None = None
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the two ends of each edge as integer arrays of one length; any integers will do.

    Parameters and errors are those of :meth:`Graph.from_edges`, except that ranges are not checked.
    """
    if targets is None and are_ends(sources):
        sources, targets = sources
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


def are_ends(edges: object) -> TypeGuard[tuple[Any, Any]]:
    """Return whether edges are a tuple of sources and targets, and no array or sequence of pairs.

    Raises
    ------
    GraphError
        If they are a tuple of two pairs, such as ((1, 2), (7, 8)), which may be meant as either.
    """
    if not isinstance(edges, tuple) or len(edges) != 2 or np.isscalar(edges[0]):
        return False
    if all(isinstance(each, tuple) and len(each) == 2 and all(map(_is_id, each)) for each in edges):
        raise GraphError(
            f"{edges} may be two edges, or two sources and their targets: give {[*edges]} for edges, or "
            f"{tuple(map(list, edges))} for sources and targets"
        )
    return True


def _is_id(given: Any) -> bool:
    is_number = isinstance(given, Real | np.bool_)
    return is_number and bool(abs(given) < 1 << 64)


def largest_id(ids: npt.NDArray[Any], what: str) -> int:
    """Return the largest id, or -1 if there is none; refuse a negative one. One pass does both."""
    if len(ids) == 0:
        return -1
    largest = int(np.maximum.reduce(as_unsigned(ids)))
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
    """Return a number of vertices; refuse what is not a whole number, or one that ids cannot count."""
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


def check_ends(
    sources: npt.NDArray[Any], targets: npt.NDArray[Any], vertices: int, first: int | None = None
) -> None:
    """Refuse edges with an end outside 0 .. vertices - 1; `first` is the number of the first, in a block."""
    try:
        check_ids(sources, vertices, "sources")
        check_ids(targets, vertices, "targets")
    except GraphError as error:
        if first is None:
            raise
        raise GraphError(f"in the block of edges from number {first} on, counted from 0: {error}") from None


def offset_dtype(directed_edges: int) -> type[np.int32] | type[np.int64]:
    """Return the narrowest dtype that can index `directed_edges` entries."""
    return np.int32 if directed_edges < 2**31 else np.int64


def _both_directions(pattern: sp.csr_array[np.bool_]) -> sp.csr_array[np.bool_]:
    """Return a boolean pattern with every edge in both directions, once, and its rows sorted."""
    # Not int8: scipy sums duplicates, and 256 of them would sum to an int8 zero, which it then drops.
    both = pattern + pattern.T
    both.sort_indices()
    return both
