"""Other programs that find connected components, each used the fastest way its documentation offers.

A peer is four steps: `build` its own graph of edge arrays or `read` it from a file, `find` the components,
and turn the answer into an array of `labels`. What is timed is made of these: :meth:`Peer.resident`,
:meth:`Peer.from_arrays` and :attr:`Peer.from_file`. No peer is imported before it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import native
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components as scipy_components

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph

EdgeEnds = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Peer:
    """A program that finds connected components.

    Attributes
    ----------
    name, language : str
        What people call it, and what its search is written in.
    needs : str
        The pip package, for C++ the Debian package, that brings it.
    build : callable
        Takes edge arrays and the number of vertices; returns the peer's own graph.
    find : callable
        Finds the components of that graph; returns the answer in the peer's own form.
    labels : callable
        Takes that answer; returns a label for each vertex, in any numbering.
    read : callable, optional
        Takes the path of a text file; returns the peer's own graph.
    unite : callable, optional
        Takes what `build` takes, and returns labels faster than by building a graph.
    source : str
        The C++ file of a peer that is built here.
    slow : bool
        Whether it is only for graphs of up to about a million edges.
    """

    name: str
    language: str
    needs: str
    build: Callable[[EdgeEnds, EdgeEnds, int], Any]
    find: Callable[[Any], Any]
    labels: Callable[[Any], VertexArray]
    read: Callable[[Path], Any] | None = None
    unite: Callable[[EdgeEnds, EdgeEnds, int], VertexArray] | None = None
    source: str = ""
    slow: bool = False

    def resident(self, graph: Graph) -> Callable[[], VertexArray]:
        """Build the peer's own graph, and return a call that only finds components."""
        structure = self.build(*edges_once(graph), graph.vertices)
        return lambda: self.labels(self.find(structure))

    def from_arrays(self, sources: EdgeEnds, targets: EdgeEnds, vertices: int) -> VertexArray:
        """Do all it takes from int64 arrays of edges to labels.

        One direction of an edge suffices, in any order, duplicates and loops too. Ids are below `vertices`.
        """
        if self.unite:
            return self.unite(sources, targets, vertices)
        return self.labels(self.find(self.build(sources, targets, vertices)))

    @property
    def from_file(self) -> Callable[[Path], VertexArray] | None:
        """A call that does all it takes from a text file to labels; None if the peer reads no files.

        Each line of the file is an edge ``u v``; there is at least one. The largest id says how many vertices
        the graph has.
        """
        read = self.read
        return read and (lambda path: self.labels(self.find(read(path))))

    def missing(self, reading: bool = False) -> str | None:
        """Say why the peer cannot run here, naming the command that would help; None if it can."""
        if self.source:
            return native.why_not(self.source, self.needs)
        package = "pandas" if reading and self.needs == "scipy" else self.needs  # which scipy reads with
        return None if find_spec(package) else f"{package} is not installed: pip install {package}"


# -- scipy -----------------------------------------------------------------------------------------


def scipy_matrix(sources: EdgeEnds, targets: EdgeEnds, vertices: int) -> Any:
    """Return scipy's matrix with each edge in one direction: faster than with both."""
    return sp.coo_array((np.ones(len(sources), np.bool_), (sources, targets)), (vertices, vertices)).tocsr()


def scipy_both(sources: EdgeEnds, targets: EdgeEnds, vertices: int) -> Any:
    """Return scipy's matrix with both directions of each edge, for its search for strong components.

    Its documentation recommends the other search for undirected graphs. That one transposes the matrix,
    which this one saves where the matrix is symmetric anyway.
    """
    return scipy_matrix(np.append(sources, targets), np.append(targets, sources), vertices)


def scipy_read(path: Path, build: Callable[[EdgeEnds, EdgeEnds, int], Any]) -> Any:
    import pandas as pd

    ends = pd.read_csv(path, sep=" ", header=None, dtype=np.int64, engine="pyarrow")
    sources, targets = ends[0].to_numpy(), ends[1].to_numpy()
    return build(sources, targets, 1 + max(sources.max(), targets.max()))


# -- libraries for Python --------------------------------------------------------------------------


def networkit_graph(sources: EdgeEnds, targets: EdgeEnds, vertices: int) -> Any:
    import networkit

    return networkit.GraphFromCoo((sources, targets), n=vertices)


def networkit_read(path: Path) -> Any:
    import networkit

    return networkit.graphio.EdgeListReader(" ", 0).read(str(path))


def networkit_find(structure: Any, algorithm: str) -> Any:
    import networkit

    return getattr(networkit.components, algorithm)(structure).run()


def igraph_graph(sources: EdgeEnds, targets: EdgeEnds, vertices: int) -> Any:
    import igraph

    return igraph.Graph(vertices, edges=np.column_stack([sources, targets]))


def igraph_read(path: Path) -> Any:
    import igraph

    return igraph.Graph.Read_Edgelist(str(path), directed=False)


def igraph_find(structure: Any) -> Any:
    # igraph remembers whether a graph is connected: from the second time on it would only look that up.
    getattr(structure, "__invalidate_cache")()
    return structure.connected_components(mode="weak")


def networkx_graph(sources: EdgeEnds, targets: EdgeEnds, vertices: int) -> Any:
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(range(vertices))
    graph.add_edges_from(zip(sources.tolist(), targets.tolist(), strict=True))
    return graph


def networkx_read(path: Path) -> Any:
    import networkx

    graph = networkx.read_edgelist(path, nodetype=int, data=False)
    graph.add_nodes_from(range(max(graph)))  # ids without an edge are isolated vertices
    return graph


def networkx_find(structure: Any) -> Any:
    import networkx

    return list(networkx.connected_components(structure))


def rustworkx_graph(sources: EdgeEnds, targets: EdgeEnds, vertices: int) -> Any:
    import rustworkx

    graph = rustworkx.PyGraph()
    graph.add_nodes_from(range(vertices))
    graph.add_edges_from_no_data(list(zip(sources.tolist(), targets.tolist(), strict=True)))
    return graph


def rustworkx_read(path: Path) -> Any:
    import rustworkx

    return rustworkx.PyGraph.read_edge_list(str(path))


def rustworkx_find(structure: Any) -> Any:
    import rustworkx

    return rustworkx.connected_components(structure)


# -- labels ----------------------------------------------------------------------------------------


def from_list(numbers: Collection[int]) -> VertexArray:
    """Return a list of labels as an array; faster than ``np.array``, which looks at the dtypes first."""
    return np.fromiter(numbers, np.int32, len(numbers))


def from_sets(components: Collection[Collection[int]]) -> VertexArray:
    """Return labels, given each component's set of vertices."""
    sizes = [len(members) for members in components]
    vertices = np.fromiter(chain.from_iterable(components), np.int32, sum(sizes))
    labels = np.empty(len(vertices), np.int32)
    labels[vertices] = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return labels


# -- all of them -----------------------------------------------------------------------------------


def _networkit(name: str, language: str, algorithm: str) -> Peer:
    find, labels = (
        partial(networkit_find, algorithm=algorithm),
        lambda c: from_list(c.getPartition().getVector()),
    )
    return Peer(name, language, "networkit", networkit_graph, find, labels, networkit_read)


def _native(name: str, needs: str, source: str) -> Peer:
    """Return a C++ library through our adapter. From arrays its union-find is used."""
    built = partial(native.adapter, source, needs)
    return Peer(
        name,
        "C++",
        needs,
        build=lambda *edges: built().build(*edges),
        find=lambda structure: built().find(structure),
        labels=lambda answer: answer,
        unite=lambda *edges: built().unite(*edges),
        source=source,
    )


PEERS: tuple[Peer, ...] = (
    Peer(
        *("scipy", "C++", "scipy", scipy_matrix),
        find=lambda matrix: scipy_components(matrix, directed=False),
        labels=lambda answer: answer[1],
        read=partial(scipy_read, build=scipy_matrix),
    ),
    Peer(
        *("scipy, strong", "C++", "scipy", scipy_both),
        find=lambda matrix: scipy_components(matrix, directed=True, connection="strong"),
        labels=lambda answer: answer[1],
        read=partial(scipy_read, build=scipy_both),
    ),
    _networkit("NetworKit", "C++", "ConnectedComponents"),
    _networkit("NetworKit parallel", "C++ and OpenMP", "ParallelConnectedComponents"),
    Peer(
        *("igraph", "C", "igraph", igraph_graph, igraph_find),
        labels=lambda clusters: from_list(clusters.membership),
        read=igraph_read,
    ),
    Peer(
        *("NetworkX", "Python", "networkx", networkx_graph, networkx_find, from_sets, networkx_read),
        slow=True,
    ),
    Peer(
        *("rustworkx", "Rust", "rustworkx", rustworkx_graph, rustworkx_find, from_sets, rustworkx_read),
        slow=True,
    ),
    _native("Boost", "libboost-graph-dev", "boost_peer.cpp"),
    _native("Lemon", "liblemon-dev", "lemon_peer.cpp"),
)
"""Every peer there is, whether it can run here or not."""


def edges_once(graph: Graph) -> tuple[EdgeEnds, EdgeEnds]:
    """Return the edges of a graph, each in one direction, in order of their smaller ends."""
    rows = graph.symmetrized()
    once = rows.sources <= rows.neighbors
    return rows.sources[once].astype(np.int64), rows.neighbors[once].astype(np.int64)


def same_components(labels: npt.ArrayLike, others: npt.ArrayLike) -> bool:
    """Say whether two labellings, in whatever numbering, have the same vertices together."""
    return bool(np.array_equal(_first_members(labels), _first_members(others)))


def _first_members(labels: npt.ArrayLike) -> npt.NDArray[np.intp]:
    """Return the first vertex that has the label of each vertex."""
    _, first, number = np.unique(np.asarray(labels), return_index=True, return_inverse=True)
    return first[number]
