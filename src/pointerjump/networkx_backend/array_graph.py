"""The graph class of the backend, which stores the edges of a NetworkX graph in arrays."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from pointerjump.base.edges import EdgeList
from pointerjump.base.graph import Graph
from pointerjump.base.integers import distinct
from pointerjump.errors import GraphError
from pointerjump.solving.biconnected import (
    BiconnectedComponents,
    components_without,
    find_blocks,
    find_bridges,
)
from pointerjump.solving.inputs import HostGraph
from pointerjump.solving.result import Components, find_components
from pointerjump.solving.run import order
from pointerjump.solving.trees import RootedForest

KINDS = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)  # the graph classes of NetworkX

NO_FOREST = "edges do not lead from parents to children in a forest, where each node has at most one parent"
"""The reason why some graphs are left to NetworkX when common ancestors are requested."""


class ArrayGraph:
    """A graph in the form that the functions of the backend accept. It never changes, so it caches results.

    The edges are stored on the host, and are copied to a device for each run. The nodes are in the same order
    as in NetworkX: node i is vertex i of `host`, which contains each edge at least once.

    If a function needs attributes, NetworkX's graph is kept as `original`, and the keys and attributes of its
    edges as `data`. `read` is True if the attributes were read. The original of a multigraph is always kept.
    If `distinct` is True, no two entries of `host` are the same edge. `weights` contains the name of an edge
    attribute, and its value for each entry.
    """

    __networkx_backend__ = "pointerjump"

    def __init__(
        self,
        nodes: Sequence[Hashable],
        host: Graph,
        *,
        kind: type[Any] = nx.Graph,
        distinct: bool = False,
        weights: tuple[Any, list[Any]] | None = None,
        attributes: dict[Any, Any] | None = None,
        original: Any = None,
        data: list[tuple[Any, ...]] | None = None,
    ) -> None:
        self.nodes, self.host, self.kind, self.weights, self.original = nodes, host, kind, weights, original
        self.read, self.data = data is not None, data or []
        self.graph = dict(attributes or {})
        self._distinct = distinct or self.is_multigraph()

    def is_directed(self) -> bool:
        return issubclass(self.kind, nx.DiGraph)

    def is_multigraph(self) -> bool:
        return issubclass(self.kind, nx.MultiGraph)

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.nodes)

    def __contains__(self, node: object) -> bool:
        try:
            return node in self.position
        except TypeError:  # an object that cannot be hashed is not a node
            return False

    number_of_nodes = __len__

    def number_of_edges(self) -> int:
        """Return the number of edges, including self-loops, as NetworkX counts them."""
        return self._edge_count

    @cached_property
    def _edge_count(self) -> int:
        sources, targets = self.ends
        if self._distinct:
            return len(sources)
        first, second = sources.astype(np.int64), targets.astype(np.int64)
        if not self.is_directed():
            first, second = np.minimum(first, second), np.maximum(first, second)
        return len(distinct(first * len(self.nodes) + second))

    @property
    def ends(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """The two ends of each entry, as vertices."""
        edges = self.host.edges_as_read
        assert edges is not None  # the graph was made from edges
        return edges.sources, edges.targets

    @cached_property
    def position(self) -> dict[Hashable, int]:
        return {node: vertex for vertex, node in enumerate(self.nodes)}

    @cached_property
    def components(self) -> Components:
        return find_components(order("components", "auto", configured_device(), {}), HostGraph(self.host))

    @cached_property
    def counted(self) -> EdgeList:
        """The edges of an undirected graph, in the order of the entries.

        As in NetworkX, repeated edges are counted once, except in multigraphs.
        """
        edges = EdgeList(*self.ends, len(self.nodes))
        return edges if self._distinct else _without_repeats(edges)

    @cached_property
    def bridges(self) -> npt.NDArray[np.int64]:
        """The indices of the bridges in `counted`, in ascending order."""
        return find_bridges(order("bridges", "auto", configured_device(), {}), self.counted)[0]

    @cached_property
    def without_bridges(self) -> Components:
        return components_without(self.counted, self.bridges, configured_device())

    @cached_property
    def blocks(self) -> BiconnectedComponents:
        """The biconnected components (blocks). Only the first of several parallel edges is kept."""
        edges = _without_repeats(self.counted) if self.is_multigraph() else self.counted
        return find_blocks(order("biconnectivity", "auto", configured_device(), {}), edges)

    @cached_property
    def rooted(self) -> RootedForest | None:
        """The graph as a forest whose edges lead from parents to children, or None if it is not one."""
        above, below = self.ends
        parents = np.full(len(self.nodes), -1)
        parents[below] = above
        if (parents[below] != above).any() or (above == below).any():
            return None
        try:
            return RootedForest.from_parents(parents, device=configured_device())
        except GraphError:  # parents lead round a cycle
            return None

    @property
    def forest(self) -> RootedForest:
        """The forest in :attr:`rooted`. If there is none, a NotImplementedError lets NetworkX take over."""
        if self.rooted is None:
            raise NotImplementedError(f"{NO_FOREST}: leave backend= out")
        return self.rooted

    @cached_property
    def dfs_postorder(self) -> npt.NDArray[np.int64]:
        """For each vertex, the number of vertices that NetworkX's depth-first search finishes before it.

        The search visits children in the order of their edges. Before it finishes a vertex, it therefore
        finishes all descendants of that vertex, and the subtrees of all earlier siblings of the vertex and of
        its ancestors. Only vertices in the same tree are counted.
        """
        above, below = self.ends
        _, first = np.unique(below, return_index=True)  # the first of parallel edges
        in_order = np.sort(first)
        in_order = in_order[np.argsort(above[in_order], kind="stable")]
        parent, child, size = above[in_order], below[in_order], self.forest.size.astype(np.int64)
        before = np.cumsum(size[child]) - size[child]
        begins = np.flatnonzero(np.diff(parent, prepend=-1))
        earlier = np.zeros(len(self.nodes), np.int64)
        earlier[child] = before - np.repeat(before[begins], np.diff(begins, append=len(child)))
        order: npt.NDArray[np.int64] = self.forest.path_sum(earlier) + size - 1
        return order

    @cached_property
    def _by_component(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        found = self.components
        begins = np.concatenate([[0], np.cumsum(found.sizes)])
        return np.argsort(found.labels, kind="stable"), begins

    def node_sets_of(self, found: Components) -> Iterator[set[Hashable]]:
        """Yield the set of nodes of each component, in the order of the components' first nodes."""
        own = found is self.components
        vertices = self._by_component[0] if own else np.argsort(found.labels, kind="stable")
        nodes = map(self.nodes.__getitem__, vertices.tolist())
        for size in found.sizes.tolist():
            yield set(islice(nodes, size))

    def nodes_with(self, node: Hashable) -> set[Hashable]:
        """Return the nodes in the component of `node`. Raise a KeyError if there is no such node."""
        label = self.components.labels[self.position[node]]
        vertices, begins = self._by_component
        members = vertices[begins[label] : begins[label + 1]]
        return set(map(self.nodes.__getitem__, members.tolist()))

    @cached_property
    def isolated(self) -> npt.NDArray[np.int64]:
        """The vertices without edges, in ascending order. A self-loop counts as an edge."""
        alone = np.ones(len(self.nodes), np.bool_)
        for ends in self.ends:
            alone[ends] = False
        return np.flatnonzero(alone)

    def __repr__(self) -> str:
        return f"ArrayGraph(nodes={len(self.nodes)}, entries={self.host.records})"


def _without_repeats(edges: EdgeList) -> EdgeList:
    """Keep only the first edge between any two vertices, without changing the order of the edges."""
    us, vs, n = edges.sources, edges.targets, edges.vertices
    keys = np.minimum(us, vs).astype(np.int64) * n + np.maximum(us, vs)
    places = np.sort(np.unique(keys, return_index=True)[1])
    return EdgeList(us[places], vs[places], n)


def configured_device() -> Any:
    """Return ``nx.config.backends.pointerjump.device``, or None if NetworkX has no such setting."""
    backends = getattr(getattr(nx, "config", None), "backends", None)
    return getattr(getattr(backends, "pointerjump", None), "device", None)
