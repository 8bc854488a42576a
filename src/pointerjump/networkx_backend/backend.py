"""The backend for NetworkX: conversions, constructors, and functions with the same names as in NetworkX.

Arguments, results and errors are the same as in NetworkX, and are described in its documentation. NetworkX
calls the backend only if the function supports the given kind of graph (directed or undirected).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Set
from functools import partial
from itertools import chain, combinations_with_replacement, islice
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from pointerjump.base.adjacency import edges_of, is_view, positions
from pointerjump.base.graph import Graph
from pointerjump.base.weighted import EXACT, keys_of
from pointerjump.graphs.spanning_forests import minimum_spanning_forest
from pointerjump.networkx_backend.advice import SPANNING
from pointerjump.networkx_backend.advice import can_run as can_run
from pointerjump.networkx_backend.advice import should_run as should_run
from pointerjump.networkx_backend.array_graph import KINDS, ArrayGraph, configured_device
from pointerjump.solving.trees import RootedForest


def connected_components(G: ArrayGraph) -> Iterator[set[Hashable]]:
    yield from G.node_sets_of(G.components)


def number_connected_components(G: ArrayGraph) -> int:
    return G.components.count


def is_connected(G: ArrayGraph) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return G.components.count == 1


def node_connected_component(G: ArrayGraph, n: Hashable) -> set[Hashable]:
    return G.nodes_with(n)


weakly_connected_components = connected_components
number_weakly_connected_components = number_connected_components
is_weakly_connected = is_connected


def is_forest(G: ArrayGraph) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    return G.number_of_edges() == len(G) - G.components.count


def is_tree(G: ArrayGraph) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    return G.number_of_edges() == len(G) - 1 and G.components.count == 1


def isolates(G: ArrayGraph) -> Iterator[Hashable]:
    return (G.nodes[vertex] for vertex in G.isolated.tolist())


def number_of_isolates(G: ArrayGraph) -> int:
    return len(G.isolated)


def has_path(G: ArrayGraph, source: Hashable, target: Hashable) -> bool:
    for node in (source, target):
        if node not in G:
            raise nx.NodeNotFound(f"Node {node} is not in G")
    labels = G.components.labels
    return bool(labels[G.position[source]] == labels[G.position[target]])


# -- bridges and blocks of undirected graphs ---------------------------------------------------------------


def bridges(G: ArrayGraph, root: Hashable | None = None) -> Iterator[tuple[Hashable, Hashable]]:
    """Generate all bridges, or only those in the component of `root`, in the order of the edges."""
    if root is not None and root not in G:
        raise nx.NodeNotFound(f"Root node {root} is not in graph")
    ends = np.stack([G.counted.sources[G.bridges], G.counted.targets[G.bridges]], axis=1)
    if root is not None:
        labels = G.components.labels
        ends = ends[labels[ends[:, 0]] == labels[G.position[root]]]
    for u, v in ends.tolist():
        yield G.nodes[u], G.nodes[v]


def has_bridges(G: ArrayGraph, root: Hashable | None = None) -> bool:
    return next(bridges(G, root), None) is not None


def bridge_components(G: ArrayGraph) -> Iterator[set[Hashable]]:
    yield from G.node_sets_of(G.without_bridges)


def articulation_points(G: ArrayGraph) -> Iterator[Hashable]:
    for vertex in G.blocks.articulation_points.tolist():
        yield G.nodes[vertex]


def biconnected_components(G: ArrayGraph) -> Iterator[set[Hashable]]:
    for edges in G.blocks.edges_by_block():
        yield {G.nodes[v] for v in np.unique(edges).tolist()}


def biconnected_component_edges(G: ArrayGraph) -> Iterator[list[tuple[Hashable, Hashable]]]:
    if (G.ends[0] == G.ends[1]).any():
        raise NotImplementedError(
            "self-loops are in components by NetworkX's search alone: leave backend= out"
        )
    return ([(G.nodes[u], G.nodes[v]) for u, v in each.tolist()] for each in G.blocks.edges_by_block())


def is_biconnected(G: ArrayGraph) -> bool:
    return G.blocks.count == 1 and int(G.blocks.sizes[0]) == len(G)


# -- common ancestors in forests whose edges lead from parents to children --------------------------------

PAIRS_AT_ONCE = 1 << 16  # the number of pairs of nodes that are held in memory and looked up at a time

Pair = tuple[Hashable, Hashable]


def all_pairs_lowest_common_ancestor(
    G: ArrayGraph, pairs: Iterable[Any] | None = None
) -> Iterator[tuple[Pair, Hashable]]:
    """Generate pairs in the given order, each with its lowest common ancestor.

    By default, all pairs are generated, in the order of the nodes. Repeated pairs, and pairs without a common
    ancestor, are left out.
    """
    forest = G.forest
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("LCA meaningless on null graphs.")
    different = combinations_with_replacement(G, 2) if pairs is None else dict.fromkeys(pairs)
    for pair in () if pairs is None else different:
        if missing := set(pair).difference(G.position):
            raise nx.NodeNotFound(f"Node(s) {missing} from pair {pair} not in G.")
    return _with_ancestors(G, forest, different)


def lowest_common_ancestor(G: ArrayGraph, node1: Hashable, node2: Hashable, default: Any = None) -> Any:
    return next((found for _, found in all_pairs_lowest_common_ancestor(G, [(node1, node2)])), default)


def tree_all_pairs_lowest_common_ancestor(
    G: ArrayGraph, root: Hashable | None = None, pairs: Iterable[Any] | None = None
) -> Iterator[tuple[Pair, Hashable]]:
    """Generate pairs of nodes below a root, each with its lowest common ancestor, in depth-first order."""
    return _of_tree(G, G.forest, root, pairs)  # only a missing forest raises an error immediately


def _of_tree(
    G: ArrayGraph, forest: RootedForest, root: Hashable | None, pairs: Any
) -> Iterator[tuple[Pair, Hashable]]:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("LCA meaningless on null graphs.")
    if pairs is not None and not isinstance(pairs, Mapping | Set):
        pairs = set(pairs)
    for u, v in pairs or ():
        for node in (u, v):
            if node not in G:
                raise nx.NodeNotFound(f"The node {node} is not in the digraph.")
    if root is None and forest.trees > 1:
        raise nx.NetworkXError("No root specified and tree has multiple sources.")
    if root is not None and root not in G:
        raise nx.NetworkXError(f"The node {root} is not in the digraph.")
    top = int(forest.roots[0]) if root is None else G.position[root]
    below = np.flatnonzero(forest.is_ancestor(top, np.arange(len(G))))
    yield from _with_ancestors(G, forest, _all_met(G, below) if pairs is None else _met(G, below, pairs))


def _with_ancestors(
    G: ArrayGraph, forest: RootedForest, pairs: Iterable[Any]
) -> Iterator[tuple[Pair, Hashable]]:
    """Generate the pairs whose nodes are in the same tree, each with its lowest common ancestor."""
    left = iter(pairs)
    while some := list(islice(left, PAIRS_AT_ONCE)):
        us, vs = (
            [G.position[node] for node in side] for side in zip(*((u, v) for u, v in some), strict=True)
        )
        for pair, found in zip(some, forest.lowest_common_ancestor(us, vs).tolist(), strict=True):
            if found >= 0:
                yield pair, G.nodes[found]


def _all_met(G: ArrayGraph, below: npt.NDArray[np.int64]) -> Iterator[Pair]:
    """When a depth-first search finishes a vertex in `below`, pair it with all vertices finished so far."""
    finished = G.dfs_postorder[below]
    nodes = [G.nodes[v] for v in below.tolist()]
    for i in np.argsort(finished).tolist():
        for j in np.flatnonzero(finished <= finished[i]).tolist():
            yield nodes[j], nodes[i]


def _met(G: ArrayGraph, below: npt.NDArray[np.int64], pairs: Any) -> Iterator[Pair]:
    """Generate the pairs with both nodes in `below`, each as soon as a search has finished both nodes."""
    partners = defaultdict(set)
    for u, v in pairs:
        partners[u].add(v)
        partners[v].add(u)
    finished = dict(zip([G.nodes[v] for v in below.tolist()], G.dfs_postorder[below].tolist(), strict=True))
    for node in sorted(partners.keys() & finished.keys(), key=finished.__getitem__):
        for other in partners[node]:
            if finished.get(other, len(G)) <= finished[node]:
                yield from (pair for pair in ((node, other), (other, node)) if pair in pairs)


# -- spanning trees, with weights from the dicts of the graph that was given -------------------------------


def _spanning_tree(
    maximum: bool,
    G: ArrayGraph,
    weight: Any = "weight",
    algorithm: str = "kruskal",
    ignore_nan: bool = False,
) -> Any:
    if G.is_directed():
        raise nx.NetworkXNotImplemented("not implemented for directed type")
    G = _with_original(G)
    tree = G.original.__class__()
    tree.graph.update(G.original.graph)
    tree.add_nodes_from(G.original.nodes.items())
    tree.add_edges_from(_spanning_edges(maximum, G, weight=weight, ignore_nan=ignore_nan))
    return tree


def _spanning_edges(
    maximum: bool,
    G: ArrayGraph,
    algorithm: str = "kruskal",
    weight: Any = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[tuple[Any, ...]]:
    """Return the forest's edges in Kruskal's order. Unsupported weights raise an error immediately."""
    G = _with_original(G)
    weights = np.array([edge[-1].get(weight, 1) for edge in G.data] or [0.0])[: len(G.data)]
    fractions = weights.dtype.kind == "f"
    if weights.dtype.kind not in "bif" or (
        fractions and (np.abs(weights[np.isfinite(weights)]) >= EXACT).any()
    ):
        raise NotImplementedError(
            "NumPy may not hold these weights exactly, so only NetworkX can compare them"
        )
    wrong = np.isnan(weights)
    taken = np.flatnonzero(~wrong)
    us, vs = (each[taken] for each in G.ends)

    def edge(place: int, u: int, v: int) -> tuple[Any, ...]:
        *key, attributes = G.data[place]
        return (G.nodes[u], G.nodes[v], *(key if keys else ()), *((attributes,) if data else ()))

    def found() -> Iterator[tuple[Any, ...]]:
        if wrong.any() and not ignore_nan:
            place = int(np.argmax(wrong))
            u, v = (int(each[place]) for each in G.ends)
            raise ValueError(f"NaN found as an edge weight. Edge {edge(place, u, v)}")
        device = configured_device()
        forest = minimum_spanning_forest((us, vs), weights[taken], maximum, vertices=len(G), device=device)
        in_order = np.argsort(keys_of(forest.weights, maximum), kind="stable")
        places, ends = taken[forest.places[in_order]], forest.edges[in_order]
        yield from map(edge, places.tolist(), *ends.T.tolist())

    return found()


minimum_spanning_edges = partial(_spanning_edges, False)
maximum_spanning_edges = partial(_spanning_edges, True)
minimum_spanning_tree = partial(_spanning_tree, False)
maximum_spanning_tree = partial(_spanning_tree, True)


def _with_original(G: ArrayGraph) -> ArrayGraph:
    """Return the graph with the attributes of its edges, which are read from a NetworkX graph."""
    if G.read:
        return G
    graph = convert_to_nx(G) if G.original is None else G.original
    return convert_from_nx(graph, name="minimum_spanning_tree", preserve_edge_attrs=True)


# -- constructors, which make no NetworkX graph on the way -------------------------------------------------


def from_edgelist(edgelist: Iterable[Any], create_using: Any = None) -> Any:
    """Build a graph from edges. If edges have keys or data, build a NetworkX graph, which can store them."""
    edges = list(edgelist)
    if set(map(len, edges)) - {2}:
        graph = _kind(create_using)()
        graph.add_edges_from(edges)
        return graph
    return _graph_of_ends(list(chain.from_iterable(edges)), _kind(create_using))


def from_pandas_edgelist(
    df: Any,
    source: Any = "source",
    target: Any = "target",
    edge_attr: Any = None,
    create_using: Any = None,
    edge_key: Any = None,
) -> ArrayGraph:
    sources, targets = df[source], df[target]
    if not (_has_plain_ids(sources) and sources.dtype == targets.dtype and not targets.hasnans):
        ends = list(chain.from_iterable(zip(sources, targets, strict=False)))
        return _graph_of_ends(ends, _kind(create_using))
    import pandas as pd

    codes, ids = pd.factorize(pd.concat([sources, targets], ignore_index=True))
    by_edge, seen = pd.factorize(codes.reshape(2, -1).T.ravel())  # nodes are in order of first appearance
    host = Graph.of_edges(by_edge.astype(np.int32).reshape(-1, 2), None, len(seen))
    return ArrayGraph(ids[seen].tolist(), host, kind=_kind(create_using))


def from_scipy_sparse_array(
    A: Any, parallel_edges: bool = False, create_using: Any = None, edge_attribute: Any = "weight"
) -> ArrayGraph:
    """Build a graph whose edges are a matrix's stored entries, with their values as `edge_attribute`."""
    n, m = A.shape
    if n != m:
        raise nx.NetworkXError(f"Adjacency matrix not square: nx,ny={A.shape}")
    entries = A.tocoo(copy=True)
    sources, targets, values = entries.row, entries.col, entries.data
    kind = _kind(create_using)
    if kind is nx.MultiGraph:  # only one triangle, or each edge would occur twice
        upper = sources <= targets
        sources, targets, values = sources[upper], targets[upper], values[upper]
    host = Graph.of_edges(sources, targets, n)
    return ArrayGraph(range(n), host, weights=(edge_attribute, values.tolist()), kind=kind)


def _kind(create_using: Any) -> Any:
    if create_using is None:
        return nx.Graph
    if create_using in KINDS:
        return create_using
    raise NotImplementedError(f"create_using={create_using!r}: give None, or one of NetworkX's four classes")


def _graph_of_ends(ends: list[Hashable], kind: Any) -> ArrayGraph:
    nodes = dict.fromkeys(ends)
    if None in nodes:
        raise ValueError("None cannot be a node")
    vertices = positions(ends, len(ends), nodes)
    host = Graph.of_edges(vertices.reshape(-1, 2), None, len(nodes))
    return ArrayGraph(list(nodes), host, kind=kind)


def _has_plain_ids(column: Any) -> bool:
    """Return whether a column has only integers or only strings. pandas numbers such ids as NetworkX does."""
    dtype = getattr(column, "dtype", None)
    kind = getattr(dtype, "kind", "") if isinstance(dtype, np.dtype) else getattr(dtype, "name", "")
    return kind in ("i", "u", "str", "string") and hasattr(column, "hasnans") and not column.hasnans


# -- from NetworkX and back --------------------------------------------------------------------------------

# NetworkX caches converted graphs, and drops them when the original changes.


def convert_from_nx(
    graph: Any,
    *,
    edge_attrs: dict[str, Any] | None = None,
    node_attrs: dict[str, Any] | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
) -> ArrayGraph:
    """Convert a graph. A request for attributes raises NotImplementedError unless `name` is in `SPANNING`."""
    read = bool(edge_attrs or node_attrs or preserve_edge_attrs or preserve_node_attrs)
    if read and name not in SPANNING:
        raise NotImplementedError(
            f"{name} needs attributes of nodes or edges, which pointerjump does not keep: "
            "leave backend= out, or give a graph without attributes"
        )
    if is_view(graph):  # a view does not notice that its graph has changed
        graph.__networkx_cache__ = None
    if graph.is_directed():  # it may be of a user's own class
        kind = nx.MultiDiGraph if graph.is_multigraph() else nx.DiGraph
    else:
        kind = nx.MultiGraph if graph.is_multigraph() else nx.Graph
    data: list[tuple[Any, ...]] | None = [] if read else None
    nodes, sources, targets = edges_of(graph, data)
    host = Graph.of_edges(sources, targets, len(nodes))
    attributes = graph.graph if preserve_graph_attrs else None
    original = graph if read or graph.is_multigraph() else None  # a multigraph has the edges' keys
    return ArrayGraph(
        nodes, host, kind=kind, distinct=True, attributes=attributes, original=original, data=data
    )


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """Convert an `ArrayGraph` to a NetworkX graph, and return other results unchanged.

    Nodes and edges keep their order.
    """
    if not isinstance(result, ArrayGraph):
        return result
    graph = result.kind()
    graph.graph.update(result.graph)
    graph.add_nodes_from(result.nodes)
    sources, targets = (map(result.nodes.__getitem__, ends.tolist()) for ends in result.ends)
    if result.weights is None:
        graph.add_edges_from(zip(sources, targets, strict=True))
    else:
        name, values = result.weights
        data = ({name: value} for value in values)
        graph.add_edges_from(zip(sources, targets, data, strict=True))
    return graph
