"""NetworkX's own search for components against the backend, and where `should_run` should say no.

``python benches/bench_networkx.py`` prints two Markdown tables, of functions and of constructors. They hold
medians in milliseconds, all taken in turn in one process that has used the device before. *Converted* is a
call that converts the graph, *first* the first call on a converted graph, *again* the next. Where the last
column says "runs", *converted* must be below NetworkX's time.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from scipy.sparse import coo_array

import pointerjump
from pointerjump.bench.timing import interleaved
from pointerjump.networkx_backend.advice import should_run

COUNT = nx.number_connected_components


def random_graph(nodes: int, edges: int, name: Callable[[int], Any] = int) -> nx.Graph:
    """Return a random graph; `name` makes a node of each number."""
    names = [name(number) for number in range(nodes)]
    graph = nx.Graph()
    graph.add_nodes_from(names)
    pairs = np.random.default_rng(nodes).integers(0, nodes, (edges, 2)).tolist()
    graph.add_edges_from((names[u], names[v]) for u, v in pairs)
    return graph


def hashed(number: int) -> int:
    """Return a number that looks like a 63-bit hash."""
    return number * 0x9E3779B97F4A7C15 % 2**63


def shuffled(graph: nx.Graph) -> nx.Graph:
    """Return the same graph with integer nodes in random order."""
    order = np.random.default_rng(7).permutation(len(graph)).tolist()
    return nx.relabel_nodes(graph, dict(zip(graph, order, strict=True)))


def graphs(millions: float) -> Iterator[tuple[str, nx.Graph]]:
    """Yield graphs of about so many million edges, by name."""
    m = int(1e6 * millions)
    yield "random, 5 edges for each node", random_graph(m // 5, m)
    yield "the same, shuffled", shuffled(random_graph(m // 5, m))
    yield "the same, 63-bit hashes", random_graph(m // 5, m, hashed)
    yield "the same, strings", random_graph(m // 5, m, "cust_{:08d}".format)
    yield "as many nodes as edges", random_graph(m, m)
    pairs = np.random.default_rng(1).integers(0, m, (m, 2)).tolist()
    yield "as many pairs, added alone", nx.Graph(pairs)
    yield "as many, shuffled", shuffled(random_graph(m, m))
    yield "as many, strings", random_graph(m, m, "cust_{:08d}".format)
    yield "path, shuffled", shuffled(nx.path_graph(m))
    side = int((m / 2) ** 0.5)
    yield "grid, shuffled", shuffled(nx.convert_node_labels_to_integers(nx.grid_2d_graph(side, side)))
    yield "binary tree", nx.full_rary_tree(2, m)
    yield "star", nx.star_graph(m)
    yield "dense, 100 edges a node", random_graph(m // 100, m)
    yield "preferential attachment", shuffled(nx.barabasi_albert_graph(m // 5, 5, seed=1))


def measured(graph: nx.Graph, rounds: int) -> dict[str, float]:
    """Return the median milliseconds of each way to count the components of a graph."""

    def converted() -> int:
        graph.__networkx_cache__.clear()
        return COUNT(graph, backend="pointerjump")

    def first() -> int:
        for kept in graph.__networkx_cache__["backends"]["pointerjump"].values():
            kept.__dict__.pop("components", None)
        return COUNT(graph, backend="pointerjump")

    def again() -> int:
        return COUNT(graph, backend="pointerjump")

    assert COUNT(graph) == converted() == first() == again()
    ways = {"NetworkX": lambda: COUNT(graph), "converted": converted, "first": first, "again": again}
    timings = interleaved(ways, rounds)
    return {way: 1e3 * timing.median for way, timing in timings.items()}


def advice(graph: nx.Graph) -> str:
    """Return what `should_run` says of a graph that has not been converted."""
    graph.__networkx_cache__.clear()
    said = should_run("number_connected_components", (graph,), {})
    return "runs" if said is True else "declined"


def constructors(millions: float, rounds: int) -> Iterator[tuple[str, float, float]]:
    """Yield the median milliseconds of NetworkX and of the backend for each constructor."""
    m = int(1e6 * millions)
    pairs = np.random.default_rng(1).integers(0, m // 5, (m, 2))
    integers = pd.DataFrame(pairs, columns=["source", "target"])
    strings = integers.map("cust_{:08d}".format)
    matrix = coo_array((np.ones(m), (pairs[:, 0], pairs[:, 1])), shape=(m // 5,) * 2)
    for name, make, given in [
        ("`from_edgelist`, tuples of integers", nx.from_edgelist, list(map(tuple, pairs.tolist()))),
        ("`from_pandas_edgelist`, integers", nx.from_pandas_edgelist, integers),
        ("`from_pandas_edgelist`, strings", nx.from_pandas_edgelist, strings),
        ("`from_scipy_sparse_array`", nx.from_scipy_sparse_array, matrix),
    ]:
        ways = {
            "NetworkX": lambda make=make, given=given: COUNT(make(given)),
            "pointerjump": lambda make=make, given=given: COUNT(make(given, backend="pointerjump")),
        }
        timings = interleaved(ways, rounds)
        yield name, 1e3 * timings["NetworkX"].median, 1e3 * timings["pointerjump"].median
    named = list(strings.itertuples(index=False, name=None))
    ways = {
        "NetworkX": lambda: len(list(nx.connected_components(nx.Graph(named)))),
        "pointerjump": lambda: len(pointerjump.components(named).members()),
    }
    timings = interleaved(ways, rounds)
    name = "`pointerjump.components`, tuples of strings, to sets of them"
    yield name, 1e3 * timings["NetworkX"].median, 1e3 * timings["pointerjump"].median


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--millions", type=float, default=1.0, help="edges, in millions")
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    warnings.filterwarnings("ignore", message="(?s).*conversions to backend graphs are saved")
    print("| graph | nodes | edges | NetworkX | converted | first | again | unconverted |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    for name, graph in graphs(asked.millions):
        took = measured(graph, asked.rounds)
        times = " | ".join(f"{took[way]:.3g}" for way in ("NetworkX", "converted", "first", "again"))
        print(f"| {name} | {len(graph):,} | {graph.size():,} | {times} | {advice(graph)} |", flush=True)
    print("\n| edges to a count | NetworkX | pointerjump |\n| --- | ---: | ---: |")
    for name, theirs, ours in constructors(asked.millions, asked.rounds):
        print(f"| {name} | {theirs:.4g} | {ours:.4g} |", flush=True)


if __name__ == "__main__":
    main()
