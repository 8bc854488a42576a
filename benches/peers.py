"""Other programs that find connected components, each used the fastest way its documentation offers.

A peer is four steps: `build` its own graph of edge arrays or `read` it from a file, `find` the components,
and turn the answer into an array of `labels`. What is timed is made of these: :meth:`Peer.resident`,
:meth:`Peer.from_arrays` and :attr:`Peer.from_file`. No peer is imported before it is used.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain
from typing import Any

import native
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components as scipy_components

from pointerjump.edges import VertexArray
from pointerjump.formats.files import PathLike
from pointerjump.graph import Graph

EdgeEnds = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Peer(ABC):
    """A program that finds connected components.

    Attributes
    ----------
    name, language : str
        What people call it, and what its search is written in.
    needs : str
        The pip package, for C++ the Debian package, that brings it.
    slow : bool
        Whether it is only for graphs of up to about a million edges.
    """

    name: str
    language: str
    needs: str
    slow: bool = False

    # -- what is timed -----------------------------------------------------------------------------

    def resident(self, graph: Graph) -> Callable[[], VertexArray]:
        """Build the peer's own graph, and return a call that only finds components.

        Returns
        -------
        callable
            Gives the labels, in any numbering.
        """
        structure = self.build(*edges_once(graph), graph.vertices)
        return lambda: self.labels(self.find(structure))

    def from_arrays(self, sources: EdgeEnds, targets: EdgeEnds, vertices: int) -> VertexArray:
        """Do all it takes from edge arrays to labels.

        Parameters
        ----------
        sources, targets : ndarray of int64, shape (m,)
            The ends of each edge; one direction suffices, in any order, duplicates and loops too.
        vertices : int
            How many vertices there are; every id is below.

        Returns
        -------
        ndarray of int32, shape (vertices,)
            The labels, in any numbering.
        """
        return self.labels(self.find(self.build(sources, targets, vertices)))

    @property
    def from_file(self) -> Callable[[PathLike], VertexArray] | None:
        """A call that does all it takes from a text file to labels; None if the peer reads no files.

        Each line of the file is an edge ``u v``; there is at least one. The largest id says how many vertices
        the graph has.
        """
        if type(self).read is Peer.read:
            return None
        return lambda path: self.labels(self.find(self.read(path)))

    def missing(self, reading: bool = False) -> str | None:
        """Say why the peer cannot run here, naming the command that would help; None if it can.

        Parameters
        ----------
        reading : bool
            Whether it is to read files, for which scipy needs pandas.
        """
        return _not_installed(self.needs)

    # -- the steps ---------------------------------------------------------------------------------

    @abstractmethod
    def build(self, sources: EdgeEnds, targets: EdgeEnds, vertices: int) -> Any:
        """Return the peer's own graph of these edges."""

    def read(self, path: PathLike) -> Any:
        """Return the peer's own graph of the edges in a text file."""
        raise NotImplementedError

    @abstractmethod
    def find(self, structure: Any) -> Any:
        """Find the components of the peer's own graph; return the answer in the peer's own form."""

    @abstractmethod
    def labels(self, answer: Any) -> VertexArray:
        """Return a label for each vertex, in any numbering."""


class _Scipy(Peer):
    """scipy.sparse.csgraph on a matrix with each edge in one direction: faster than with both."""

    def build(self, sources: EdgeEnds, targets: EdgeEnds, vertices: int) -> Any:
        return sp.coo_array(
            (np.ones(len(sources), np.bool_), (sources, targets)), (vertices, vertices)
        ).tocsr()

    def missing(self, reading: bool = False) -> str | None:
        return _not_installed("pandas" if reading else self.needs)

    def read(self, path: PathLike) -> Any:
        import pandas as pd

        ends = pd.read_csv(path, sep=" ", header=None, dtype=np.int64, engine="pyarrow")
        sources, targets = ends[0].to_numpy(), ends[1].to_numpy()
        return self.build(sources, targets, 1 + max(sources.max(), targets.max()))

    def find(self, structure: Any) -> Any:
        return scipy_components(structure, directed=False)

    def labels(self, answer: Any) -> VertexArray:
        labels: VertexArray = answer[1]
        return labels


class _ScipyStrong(_Scipy):
    """scipy's search for strong components, which are the components where both directions are stored.

    Its documentation recommends the other search for undirected graphs. That one transposes the matrix,
    which this one saves where the matrix is symmetric anyway.
    """

    def build(self, sources: EdgeEnds, targets: EdgeEnds, vertices: int) -> Any:
        both = np.concatenate([sources, targets]), np.concatenate([targets, sources])
        return super().build(*both, vertices)

    def find(self, structure: Any) -> Any:
        return scipy_components(structure, directed=True, connection="strong")


@dataclass(frozen=True)
class _NetworKit(Peer):
    """NetworKit's components, serial or parallel."""

    algorithm: str = "ConnectedComponents"

    def build(self, sources: EdgeEnds, targets: EdgeEnds, vertices: int) -> Any:
        import networkit

        return networkit.GraphFromCoo((sources, targets), n=vertices)

    def read(self, path: PathLike) -> Any:
        import networkit

        return networkit.graphio.EdgeListReader(" ", 0).read(str(path))

    def find(self, structure: Any) -> Any:
        import networkit

        return getattr(networkit.components, self.algorithm)(structure).run()

    def labels(self, answer: Any) -> VertexArray:
        return _as_labels(answer.getPartition().getVector())


class _Igraph(Peer):
    """python-igraph."""

    def build(self, sources: EdgeEnds, targets: EdgeEnds, vertices: int) -> Any:
        import igraph

        return igraph.Graph(vertices, edges=np.column_stack([sources, targets]))

    def read(self, path: PathLike) -> Any:
        import igraph

        return igraph.Graph.Read_Edgelist(str(path), directed=False)

    def find(self, structure: Any) -> Any:
        # igraph remembers whether a graph is connected: from the second time on it would only look that up.
        getattr(structure, "__invalidate_cache")()
        return structure.connected_components(mode="weak")

    def labels(self, answer: Any) -> VertexArray:
        return _as_labels(answer.membership)


class _NetworkX(Peer):
    """NetworkX."""

    def build(self, sources: EdgeEnds, targets: EdgeEnds, vertices: int) -> Any:
        import networkx

        graph = networkx.Graph()
        graph.add_nodes_from(range(vertices))
        graph.add_edges_from(zip(sources.tolist(), targets.tolist(), strict=True))
        return graph

    def read(self, path: PathLike) -> Any:
        import networkx

        graph = networkx.read_edgelist(path, nodetype=int, data=False)
        graph.add_nodes_from(range(max(graph)))  # ids without an edge are isolated vertices
        return graph

    def find(self, structure: Any) -> Any:
        import networkx

        return list(networkx.connected_components(structure))

    def labels(self, answer: Any) -> VertexArray:
        return _labels_of_sets(answer)


class _Rustworkx(Peer):
    """rustworkx."""

    def build(self, sources: EdgeEnds, targets: EdgeEnds, vertices: int) -> Any:
        import rustworkx

        graph = rustworkx.PyGraph()
        graph.add_nodes_from(range(vertices))
        graph.add_edges_from_no_data(list(zip(sources.tolist(), targets.tolist(), strict=True)))
        return graph

    def read(self, path: PathLike) -> Any:
        import rustworkx

        return rustworkx.PyGraph.read_edge_list(str(path))

    def find(self, structure: Any) -> Any:
        import rustworkx

        return rustworkx.connected_components(structure)

    def labels(self, answer: Any) -> VertexArray:
        return _labels_of_sets(answer)


@dataclass(frozen=True)
class _Native(Peer):
    """A C++ library through our adapter.

    From arrays its union-find is used, which is faster than building a graph.
    """

    source: str = ""

    def missing(self, reading: bool = False) -> str | None:
        try:
            self._adapter()
        except native.NativeError as error:
            return str(error)
        return None

    def from_arrays(self, sources: EdgeEnds, targets: EdgeEnds, vertices: int) -> VertexArray:
        return self._adapter().unite(sources, targets, vertices)

    def build(self, sources: EdgeEnds, targets: EdgeEnds, vertices: int) -> Any:
        return self._adapter().build(sources, targets, vertices)

    def find(self, structure: Any) -> Any:
        return self._adapter().find(structure)

    def labels(self, answer: Any) -> VertexArray:
        labels: VertexArray = answer
        return labels

    def _adapter(self) -> native.Adapter:
        return native.adapter(self.source, self.needs)


PEERS: tuple[Peer, ...] = (
    _Scipy("scipy", "C++", "scipy"),
    _ScipyStrong("scipy, strong", "C++", "scipy"),
    _NetworKit("NetworKit", "C++", "networkit"),
    _NetworKit("NetworKit parallel", "C++ and OpenMP", "networkit", algorithm="ParallelConnectedComponents"),
    _Igraph("igraph", "C", "igraph"),
    _NetworkX("NetworkX", "Python", "networkx", slow=True),
    _Rustworkx("rustworkx", "Rust", "rustworkx", slow=True),
    _Native("Boost", "C++", "libboost-graph-dev", source="boost_peer.cpp"),
    _Native("Lemon", "C++", "liblemon-dev", source="lemon_peer.cpp"),
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


def _not_installed(package: str) -> str | None:
    """Say that a pip package, named like its module, is not there."""
    return None if find_spec(package) else f"{package} is not installed: pip install {package}"


def _as_labels(numbers: Collection[int]) -> VertexArray:
    """Return a list of labels as an array; faster than ``np.array``, which looks at the dtypes first."""
    return np.fromiter(numbers, np.int32, len(numbers))


def _labels_of_sets(components: Collection[Collection[int]]) -> VertexArray:
    """Return labels, given each component's set of vertices."""
    sizes = [len(members) for members in components]
    vertices = np.fromiter(chain.from_iterable(components), np.int32, sum(sizes))
    labels = np.empty(len(vertices), np.int32)
    labels[vertices] = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return labels
