"""Minimum spanning forests of arrays of edges: ours, scipy's, rustworkx's, igraph's and NetworKit's.

    python benches/spanning_forests.py [--edges 8388608] [--degrees 2,8,32] [--dtypes float32,float64]
        [--rounds 3] [--others scipy,rustworkx,igraph,networkit] [--device cpu]

Graphs are random, with so many edges for each vertex, and weights are drawn uniformly. Ours is
`minimum_spanning_forest` of arrays, and `minimum_spanning_tree` of the matrix. scipy's function is timed on
a matrix that is made before ("scipy"), and with making it from the arrays ("scipy from arrays"). The other
libraries get their own graphs, made before. Sides take turns; total weights are compared. Printed are
seconds: median, least and greatest.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import minimum_spanning_tree

import pointerjump as pj

Side = Callable[[], float]
"""Finds a forest, and returns its total weight."""


def sides(n: int, edges: Any, weights: Any, others: list[str], device: str) -> Iterator[tuple[str, Side]]:
    """Yield each library's name, and what is timed; graphs are made here."""
    sources, targets = edges

    def matrix() -> Any:
        return sp.csr_array((weights, (sources, targets)), shape=(n, n))

    made = matrix()
    yield (
        "ours",
        lambda: float(
            pj.minimum_spanning_forest((sources, targets), weights, vertices=n, device=device).total
        ),
    )
    yield "ours, of the matrix", lambda: float(pj.minimum_spanning_tree(made, device=device).sum())
    if "scipy" in others:
        yield "scipy", lambda: float(minimum_spanning_tree(made).sum())
        yield "scipy from arrays", lambda: float(minimum_spanning_tree(matrix()).sum())
    if "rustworkx" in others:
        import rustworkx as rx

        graph = rx.PyGraph()
        graph.add_nodes_from(range(n))
        graph.add_edges_from(list(zip(sources.tolist(), targets.tolist(), weights.tolist(), strict=True)))
        yield (
            "rustworkx",
            lambda: sum(w for *_, w in rx.minimum_spanning_edges(graph, weight_fn=float)),
        )
    if "igraph" in others:
        import igraph

        of_igraph = igraph.Graph(n=n, edges=np.stack(edges, axis=1))
        listed = weights.tolist()
        yield (
            "igraph",
            lambda: float(
                weights[of_igraph.spanning_tree(weights=listed, return_tree=False)].sum(dtype=float)
            ),
        )
    if "networkit" in others:
        import networkit as nk

        of_networkit = nk.GraphFromCoo((weights.astype(float), edges), n=n, weighted=True, directed=False)

        def forest() -> float:
            found = nk.graph.RandomMaximumSpanningForest(of_networkit).run().getMSF(True)
            return float(found.totalEdgeWeight())

        yield "networkit, maximum", forest


def distinct(n: int, m: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return m different pairs of n vertices, in random order: a matrix would add up weights of equals."""
    pairs = rng.permutation(np.unique(rng.integers(0, n * n, m + m // 50 + 1000)))[:m]
    assert len(pairs) == m, "too few vertices for so many edges"
    return (pairs // n).astype(np.int32), (pairs % n).astype(np.int32)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--edges", type=int, default=1 << 23)
    parser.add_argument("--degrees", default="2,8,32", help="edges for each vertex, with commas between")
    parser.add_argument("--dtypes", default="float32,float64", help="with commas between")
    parser.add_argument("--others", default="scipy", help="with commas between")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args()
    for degree in map(int, given.degrees.split(",")):
        for dtype in given.dtypes.split(","):
            m, n = given.edges, given.edges // degree
            rng = np.random.default_rng(1)
            edges = distinct(n, m, rng)
            weights = rng.random(m).astype(dtype)
            timed = dict(sides(n, edges, weights, given.others.split(","), given.device))
            timed["ours"]()  # builds kernels
            seconds: dict[str, list[float]] = defaultdict(list)
            for _ in range(given.rounds):
                totals = {}
                for name, side in timed.items():
                    began = perf_counter()
                    totals[name] = side()
                    seconds[name].append(perf_counter() - began)
            for name, total in totals.items():
                if "maximum" not in name:
                    np.testing.assert_allclose(total, totals["ours"], rtol=1e-5, err_msg=name)
            print(f"{m:,} edges, {n:,} vertices, {dtype}")
            for name, spent in seconds.items():
                ratio = median(spent) / median(seconds["ours"])
                print(f"  {name:20} {median(spent):.3f} ({min(spent):.3f} to {max(spent):.3f}), {ratio:.1f}")
            print(end="", flush=True)


if __name__ == "__main__":
    main()
