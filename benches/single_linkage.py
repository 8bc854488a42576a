"""The tree of merges of a forest whose edges are sorted: ours, the reference's, and fast_hdbscan's.

    python benches/single_linkage.py [--edges 1000000,10000000] [--kinds random,path,star] [--rounds 3]
        [--others fast_hdbscan,reference]

Forests are trees, in which each vertex joins a random earlier one ("random"), the one before it or the first
one. Vertices and edges are in random order. Ours is `merges_of`, which `Dendrogram.merges` calls.
fast_hdbscan's `mst_to_linkage_tree` is compiled by Numba before it is timed; scipy has no public function for
it. Sides take turns, and answers are compared. Printed are seconds: median, least and greatest.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from pointerjump.reference.single_linkage import single_linkage
from pointerjump.solving.merges import merges_of


def tree(kind: str, edges: int) -> tuple[Any, Any]:
    """Return the ends of a tree's edges, from light to heavy."""
    rng = np.random.default_rng(edges)
    v = np.arange(1, edges + 1)
    u = {"random": (rng.random(edges) * v).astype(int), "path": v - 1, "star": np.zeros_like(v)}[kind]
    names, order = rng.permutation(edges + 1), rng.permutation(edges)
    return names[u[order]].astype(np.int32), names[v[order]].astype(np.int32)


def sides(us: Any, vs: Any, others: list[str]) -> dict[str, Callable[[], Any]]:
    """Return each side's name, and what is timed: it returns clusters and sizes."""
    n = len(us) + 1
    found: dict[str, Callable[[], Any]] = {"ours": lambda: merges_of(us, vs, n)}
    if "reference" in others:
        found["reference"] = lambda: single_linkage(us, vs, n)
    if "fast_hdbscan" in others:
        from fast_hdbscan.cluster_trees import mst_to_linkage_tree

        given = np.stack((us, vs, np.arange(len(us))), axis=1).astype(np.float64)
        mst_to_linkage_tree(np.array([[0.0, 1, 0], [1, 2, 1]]))
        found["fast_hdbscan"] = lambda: mst_to_linkage_tree(given)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--edges", default="1000000,10000000")
    parser.add_argument("--kinds", default="random,path,star")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--others", default="fast_hdbscan")
    asked = parser.parse_args()
    for m in map(int, asked.edges.split(",")):
        for kind in asked.kinds.split(","):
            us, vs = tree(kind, m)
            seconds: dict[str, list[float]] = {}
            expected = None
            for _ in range(asked.rounds):
                for name, side in sides(us, vs, asked.others.split(",")).items():
                    began = perf_counter()
                    answer = side()
                    seconds.setdefault(name, []).append(perf_counter() - began)
                    answer = np.sort(answer[:, [0, 1, -1]].astype(np.int64), axis=1)
                    expected = answer if expected is None else expected
                    if not np.array_equal(answer, expected):
                        raise SystemExit(f"{name} differs on {kind}, {m:,} edges")
            for name, each in seconds.items():
                print(f"{kind} {m:,} {name}: {median(each):.3f} ({min(each):.3f} to {max(each):.3f})")


if __name__ == "__main__":
    main()
