"""The graph class that all algorithms use: validated edges, in compressed sparse rows or in input order.

A :class:`Graph` validates its input once, so all other code can rely on its arrays: offsets start at 0, never
decrease and end at ``len(neighbors)``, and all ids are in range.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.edges import (
    ENTRIES_SAMPLED,
    NEAR_ROWS,
    ORDERED_FROM,
    ROWS_SAMPLED,
    EdgeList,
    Ids,
    OffsetArray,
    VertexArray,
    as_rows,
    both_directions,
    check_ids,
    check_vertex_count,
    require_room_for_rows,
)
from pointerjump.base.integers import as_array, as_integers
from pointerjump.base.limits import GOLDEN, spread
from pointerjump.errors import GraphError

if TYPE_CHECKING:
    import scipy.sparse as sp


class Numbering(NamedTuple):
    """Whether the numbering of a graph's vertices follows a pattern.

    The numbering is `grown` if, for nearly every vertex, the first neighbor has a smaller number, for example
    because vertices were numbered as they were added. It is `local` if, for most vertices, the middle entry
    of the row is close to the vertex's own number. Both are False if there are too few edges to judge.
    """

    grown: bool
    local: bool


class Graph:
    """An undirected graph in compressed sparse rows (CSR).

    Row ``v`` is ``neighbors[offsets[v]:offsets[v + 1]]``. Each edge may be stored in one direction or both,
    more than once and in any order. Self-loops and empty rows are allowed. :meth:`symmetrized` returns the
    same graph with both directions of every edge, which is the form that the algorithms read.

    A graph that is built from edges, by :meth:`from_edges` or from a file that lists edges, keeps the edges.
    Its rows are built when they are first needed. Finding components with ``algorithm="auto"`` does not
    require rows.

    Parameters
    ----------
    offsets : array_like of int, shape (vertices + 1,)
        The index in `neighbors` at which each row begins, followed by ``len(neighbors)``. Stored as int32 if
        ``len(neighbors) < 2**31``, otherwise as int64.
    neighbors : array_like of int, shape (directed edges,)
        The concatenated rows. Stored as int32.
    names : array_like, shape (vertices,), optional
        The names of the vertices in the input, if there are any.
    records : int, optional
        The number of edges in the input, for example lines of a file or stored entries of a matrix. Repeated
        edges are counted every time. Defaults to ``len(neighbors)``.

    Raises
    ------
    GraphError
        If an array is not a one-dimensional array of integers, if the offsets decrease or do not span
        `neighbors`, or if an id is out of range.

    Examples
    --------
    >>> from pointerjump import Graph
    >>> g = Graph(offsets=[0, 1, 2, 2], neighbors=[1, 0])
    >>> g.vertices, g.edges
    (3, 1)
    """

    names: npt.NDArray[Any] | None = None
    records: int
    edges_as_read: EdgeList | None = None
    """The edges from which the graph was built, in input order, or None if it was built from rows."""
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
        # Offsets are compared, not subtracted: a difference of unsigned numbers cannot be negative.
        falls = rows[1:] < rows[:-1]
        if falls.any():
            v = int(np.argmax(falls))
            raise GraphError(
                f"offsets fall from {rows[v]} to {rows[v + 1]} at vertex {v}: "
                "each row must end where the next begins"
            )
        check_ids(ids, n, "neighbors")
        self._rows = as_rows(rows, ids)
        if names is not None:
            self._set_names(names)
        self.records = m if records is None else records

    def _set_names(self, names: npt.ArrayLike) -> None:
        self.names = as_array(names, "names", GraphError)
        if self.names.shape != (self.vertices,):
            raise GraphError(
                f"names has shape {self.names.shape}: give one name for each of {self.vertices} vertices"
            )

    @cached_property
    def _rows(self) -> tuple[OffsetArray, VertexArray]:
        # Both arrays are stored in one step, so that other threads see both or neither.
        assert self.edges_as_read is not None  # a graph made from rows always has rows
        return self.edges_as_read.rows()

    @property
    def offsets(self) -> OffsetArray:
        """The index in `neighbors` at which each row begins, as an array of shape (vertices + 1,)."""
        return self._rows[0]

    @property
    def neighbors(self) -> VertexArray:
        """The concatenated rows, as an array of shape (directed_edges,)."""
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
        """Build a graph from edges in any order, in either direction or both, with or without duplicates.

        Parameters
        ----------
        sources, targets : array_like of int, shape (m,)
            The two ends of each edge. If `targets` is omitted, `sources` must be an (m, 2) array of edges or
            a tuple of sources and targets. The arrays are copied, so they may be changed afterwards.
        vertices : int, optional
            The number of vertices. Defaults to the largest id + 1.
        ids : {"keep", "compact", "auto"}
            Whether ids are used as vertex numbers or renumbered; see :func:`pointerjump.components`. If ids
            are renumbered, ``names`` contains the original ids.
        names : array_like, shape (vertices,), optional
            The names of the vertices in the input. Allowed only if ids are not renumbered.

        Returns
        -------
        Graph
            A graph that keeps the edges in input order. Its rows are built when they are first needed. They
            are sorted and contain each direction of every edge once.

        Raises
        ------
        GraphError
            If the arrays do not contain integers or differ in length, or if an id is masked, negative or not
            less than `vertices`.
        MemoryLimitError
            If a copy of the edges does not fit into memory. Building the rows later may raise this error as
            well.

        See Also
        --------
        in_rows : Return the graph as rows only, without its edges.

        Examples
        --------
        >>> from pointerjump import Graph
        >>> g = Graph.from_edges([0, 1, 1], [1, 0, 2], vertices=5)
        >>> g.neighbors.tolist()
        [1, 0, 2, 1]
        """
        edges = EdgeList.of(sources, targets, vertices, ids)
        if edges.names is None:  # else the ids were renumbered, in new arrays
            memory.require(8 * len(edges.sources), "a copy of the edges")
            s, t = np.array(edges.sources, np.int32), np.array(edges.targets, np.int32)
            edges = EdgeList(s, t, edges.vertices)
        elif names is not None:
            raise GraphError(
                f"names are given, but ids={ids!r} renumbers the ids and makes names of them: "
                "leave one of the two out"
            )
        return cls.of_checked(edges, names.copy() if isinstance(names, np.ndarray) else names)

    @classmethod
    def of_edges(
        cls,
        sources: npt.ArrayLike,
        targets: npt.ArrayLike | None = None,
        vertices: int | None = None,
        *,
        ids: Ids = "keep",
        names: npt.ArrayLike | None = None,
    ) -> Graph:
        """Like :meth:`from_edges`, but the arrays are not copied and must not be changed afterwards."""
        return cls.of_checked(EdgeList.of(sources, targets, vertices, ids), names)

    @classmethod
    def of_checked(cls, edges: EdgeList, names: npt.ArrayLike | None = None) -> Graph:
        """Build a graph from validated edges. Pass `names` only if `edges.names` is None."""
        graph = cls.__new__(cls)
        graph.edges_as_read, graph.names, graph.records = edges, edges.names, len(edges.sources)
        if names is not None:
            graph._set_names(names)
        return graph

    @classmethod
    def of_symmetric(
        cls, rows: tuple[OffsetArray, VertexArray], names: npt.NDArray[Any] | None, records: int
    ) -> Graph:
        """Build a graph from valid rows that contain both directions of every edge."""
        graph = cls.__new__(cls)
        graph._rows, graph.names, graph.records = rows, names, records
        graph.mark_symmetric()
        return graph

    @classmethod
    def from_scipy(cls, matrix: Any, *, names: npt.ArrayLike | None = None) -> Graph:
        """Build a graph from a square scipy sparse matrix or array in any format.

        Every *stored* entry is an edge, even if it is an explicit zero, as in ``scipy.sparse.csgraph``.
        Values are ignored, except in the BSR and DIA formats, whose zeros are padding and not edges. CSR and
        CSC arrays are used in place, without a copy, and must not be changed afterwards. COO arrays are
        copied and kept as edges, as in :meth:`from_edges`.

        Raises
        ------
        GraphError
            If `matrix` is not sparse or not square.

        Examples
        --------
        >>> import scipy.sparse as sp
        >>> from pointerjump import Graph
        >>> Graph.from_scipy(sp.eye_array(3)).vertices
        3
        """
        import scipy.sparse as sp

        if not sp.issparse(matrix):
            raise GraphError(f"{type(matrix).__name__} is not a scipy sparse matrix or array")
        stored: Any = matrix
        if stored.ndim != 2 or stored.shape[0] != stored.shape[1]:
            raise GraphError(
                f"the matrix is {'x'.join(map(str, stored.shape))}: an adjacency matrix is square; "
                "for a bipartite graph give edges, columns numbered after the rows"
            )
        if stored.format == "bsr":
            require_sound_blocks(stored)
            stored = stored.tocsr()
            stored.eliminate_zeros()
        if stored.format in {"csr", "csc"}:  # columns hold the same undirected edges as rows
            if len(stored.indptr) != stored.shape[0] + 1:  # the caller has changed the arrays
                raise GraphError(
                    f"the matrix is damaged: it has {stored.shape[0]} rows and {len(stored.indptr)} offsets, "
                    "which must be one more"
                )
            # If scipy has removed entries, the arrays are longer than the rows.
            return cls(stored.indptr, stored.indices[: stored.nnz], names=names)
        coo = stored.tocoo()
        rows, columns = coo.coords if hasattr(coo, "coords") else (coo.row, coo.col)
        if coo is stored:
            return cls.from_edges(rows, columns, vertices=stored.shape[0], names=names)
        return Graph.of_edges(rows, columns, stored.shape[0], names=names)

    @classmethod
    def from_networkx(cls, graph: Any) -> Graph:
        """Build a graph from a NetworkX graph of any kind.

        Vertices are in the order of the graph's nodes, and ``names`` contains the nodes.

        Examples
        --------
        >>> import networkx as nx
        >>> from pointerjump import Graph
        >>> Graph.from_networkx(nx.path_graph(4)).edges
        3
        """
        from pointerjump.base.adjacency import edges_of

        nodes, sources, targets = edges_of(graph)
        names = np.empty(len(nodes), object)
        names[:] = nodes
        return Graph.of_edges(sources, targets, len(nodes), names=names)

    @classmethod
    def from_igraph(cls, graph: Any) -> Graph:
        """Build a graph from a python-igraph graph. A vertex attribute ``name`` becomes ``names``."""
        vertices = check_vertex_count(graph.vcount())
        edges = _pairs(graph.get_edgelist(), graph.ecount())
        names = None
        if "name" in graph.vs.attributes():
            given = graph.vs["name"]
            names = np.empty(len(given), object)  # NumPy would turn a 1 among strings into a string
            names[:] = given
            if {type(name) for name in given} in ({str}, {int}, {float}):
                names = np.array(given)
        return Graph.of_edges(edges, None, vertices, names=names)

    @classmethod
    def from_networkit(cls, graph: Any) -> Graph:
        """Build a graph from a networkit graph. Removed nodes become isolated vertices."""
        vertices = check_vertex_count(graph.upperNodeIdBound())
        edges = _pairs(graph.iterEdges(), graph.numberOfEdges())
        return Graph.of_edges(edges, None, vertices)

    @classmethod
    def from_rustworkx(cls, graph: Any) -> Graph:
        """Build a graph from a rustworkx ``PyGraph`` or ``PyDiGraph``.

        The vertices are the nodes of `graph`, in order of their indices. If the indices have gaps because
        nodes have been removed, the vertices are numbered without gaps and ``names`` contains the indices.
        """
        return _without_gaps(np.asarray(graph.edge_list()), np.asarray(graph.node_indices()))

    @classmethod
    def from_graph_tool(cls, graph: Any) -> Graph:
        """Build a graph from a graph-tool ``Graph`` or ``GraphView``.

        If `graph` is filtered, only the vertices that pass the filter are used. They are numbered without
        gaps, and ``names`` contains their indices in `graph`.
        """
        return _without_gaps(graph.get_edges()[:, :2], graph.get_vertices())

    @classmethod
    def from_torch_geometric(cls, data: Any) -> Graph:
        """Build a graph from the ``edge_index`` and ``num_nodes`` of a PyTorch Geometric ``Data`` object.

        A tensor in host memory is not copied and must not be changed afterwards.

        Raises
        ------
        GraphError
            If ``edge_index`` is missing, or does not consist of two equally long sequences of node numbers.
        """
        ends = data.edge_index
        if hasattr(ends, "cpu"):
            ends = ends.cpu()  # from a GPU's memory to the host's
        pairs = as_array(ends, "edge_index", GraphError)
        if pairs.ndim != 2 or len(pairs) != 2:
            fact = "is missing" if ends is None else f"has shape {pairs.shape}"
            raise GraphError(f"edge_index {fact}: its shape must be (2, number of edges)")
        return Graph.of_edges(pairs[0], pairs[1], data.num_nodes)

    # -- facts -----------------------------------------------------------------------------------

    @property
    def vertices(self) -> int:
        """The number of vertices, including isolated ones."""
        edges = self.edges_as_read
        return edges.vertices if edges else len(self.offsets) - 1

    @property
    def directed_edges(self) -> int:
        """The number of row entries. A symmetrized graph has two for each edge, but one for a self-loop."""
        return len(self.neighbors)

    @property
    def degrees(self) -> npt.NDArray[np.int64]:
        """The length of each row, as an array of shape (vertices,)."""
        return np.diff(self.offsets).astype(np.int64)

    @property
    def sources(self) -> VertexArray:
        """The source vertex of each entry in `neighbors`, as an array of shape (directed_edges,)."""
        return np.repeat(np.arange(self.vertices, dtype=np.int32), self.degrees)

    def numbering(self) -> Numbering:
        """Guess from a sample of the rows whether the numbering of the vertices follows a pattern."""
        if self.directed_edges < ORDERED_FROM:
            return Numbering(grown=False, local=False)
        draws = np.arange(1, ROWS_SAMPLED + 1, dtype=np.uint64) * (GOLDEN >> 32) % 2**32
        some = (draws * self.vertices >> 32).astype(np.int64)
        some = some[self.offsets[some] < self.offsets[some + 1]]
        begin, end = self.offsets[some], self.offsets[some + 1]
        first, middle = self.neighbors[begin], self.neighbors[begin + (end - begin) // 2]
        smaller = int(np.count_nonzero(first < some))
        near = int(np.count_nonzero(abs(middle - some) < NEAR_ROWS))
        return Numbering(smaller * 8 > len(some) * 7, near * 2 > len(some))

    @cached_property
    def seems_symmetric(self) -> bool:
        """Whether most edges appear to be stored in both directions, judging by a sample."""
        if self.edges_as_read is not None:
            return False  # edge lists usually hold each edge once
        if self._made_symmetric:
            return True
        m = self.directed_edges
        places = spread(min(m, ENTRIES_SAMPLED), m)
        sources = np.searchsorted(self.offsets, places, "right") - 1
        rows = (self.neighbors[self.offsets[v] : self.offsets[v + 1]] for v in self.neighbors[places])
        return bool(2 * sum(map(np.isin, sources, rows)) > len(places))

    @cached_property
    def edges(self) -> int:
        """The number of distinct undirected edges, not counting self-loops."""
        if self.edges_as_read is not None and "_rows" not in self.__dict__:
            return self.edges_as_read.count()  # counting takes less memory than making rows
        graph = self.symmetrized()
        sources = graph.sources
        loops = graph.neighbors == sources
        # If the entries of each row increase strictly, there are no duplicates.
        rises = graph.neighbors[1:] > graph.neighbors[:-1]
        if not (rises | (sources[1:] != sources[:-1])).all():
            distinct = graph.to_scipy()
            distinct.sum_duplicates()
            return (distinct.nnz - int(np.count_nonzero(distinct.diagonal()))) // 2
        return (graph.directed_edges - int(np.count_nonzero(loops))) // 2

    @cached_property
    def symmetric(self) -> bool:
        """Whether the rows contain every edge equally often in both directions."""
        if self.edges_as_read:  # rows made from edges hold both directions
            return True
        transposed = self._shared_pattern().tocsc()  # scipy sorts each column by row
        if not np.array_equal(transposed.indptr, self.offsets):
            return False
        if np.array_equal(transposed.indices, self.neighbors):
            return True
        ordered = transposed.tocsr()  # this graph with its rows sorted
        return bool(np.array_equal(transposed.indices, ordered.indices))

    @property
    def known_symmetric(self) -> bool:
        """Whether the graph is known to be :attr:`symmetric` without examining its rows."""
        return self.edges_as_read is not None or self._made_symmetric

    def mark_symmetric(self) -> None:
        """Declare that the rows contain every edge in both directions."""
        self._made_symmetric = self.symmetric = True

    def in_rows(self) -> Graph:
        """Return the graph as rows only, without the edges from which it was built.

        A graph that was built from edges keeps them even after its rows have been built. To free the memory
        that the edges occupy, keep the result and delete the original graph.

        Examples
        --------
        >>> from pointerjump import Graph
        >>> Graph.from_edges([0, 1, 1], [1, 0, 2]).in_rows()
        Graph(vertices=3, directed_edges=4)
        """
        if self.edges_as_read is None:
            return self
        rows = self._rows  # made before the copy, so that both graphs share them
        graph = copy(self)
        graph._rows, graph.edges_as_read = rows, None
        graph.mark_symmetric()
        return graph

    def symmetrized(self) -> Graph:
        """Return the graph as rows that contain both directions of every edge.

        If the graph was built from edges, the result is the same as that of :meth:`in_rows`. If its rows
        already contain both directions, the result shares their arrays. Later calls return the same rows.
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
            rows = both_directions(pattern)
            graph = Graph(rows.indptr, rows.indices, names=self.names, records=self.records)
        graph.mark_symmetric()
        return graph

    def to_scipy(self) -> sp.csr_array[np.bool_]:
        """Return a copy of the rows, as a boolean scipy CSR array that scipy may change in place."""
        return self._shared_pattern().copy()

    def _shared_pattern(self) -> sp.csr_array[np.bool_]:
        """Return a boolean scipy CSR array that shares this graph's arrays and must not be modified."""
        import scipy.sparse as sp

        ones = np.ones(self.directed_edges, np.bool_)
        shape = (self.vertices, self.vertices)
        return sp.csr_array((ones, self.neighbors, self.offsets), shape=shape)

    def __repr__(self) -> str:
        if self.edges_as_read:
            return f"Graph(vertices={self.vertices}, records={self.records})"
        return f"Graph(vertices={self.vertices}, directed_edges={self.directed_edges})"


def require_sound_blocks(matrix: Any) -> None:
    """Raise a GraphError if a BSR matrix is damaged, because it could crash scipy."""
    rows, columns = (size // length for size, length in zip(matrix.shape, matrix.blocksize, strict=True))
    if len(matrix.indptr) != rows + 1:
        raise GraphError(
            f"the matrix is damaged: it has {rows} rows of blocks and {len(matrix.indptr)} offsets, which "
            "must be one more"
        )
    offsets = np.pad(matrix.indptr, (0, max(0, columns - rows)), "edge")
    Graph(offsets, matrix.indices[: offsets[-1]])


def _pairs(edges: Iterable[tuple[int, int]], count: int) -> VertexArray:
    """Return `count` edges as an array of shape (count, 2). The vertex numbers must fit into int32."""
    # NumPy reads a flat sequence of numbers faster than pairs.
    return np.fromiter(chain.from_iterable(edges), np.int32, 2 * count).reshape(-1, 2)


def _without_gaps(edges: npt.NDArray[Any], indices: npt.NDArray[Any]) -> Graph:
    n = len(indices)
    numbers = np.arange(n, dtype=np.int32)
    if np.array_equal(indices, numbers):
        return Graph.of_edges(edges, None, n)
    number = np.empty(int(indices.max()) + 1, np.int32)
    number[indices] = numbers
    return Graph.of_edges(number[edges], None, n, names=indices)
