"""The tree of merges of a forest: ours, the reference's, and fast_hdbscan's.

    python benches/single_linkage.py [--edges 1000000,10000000] [--kinds random,path,star] [--rounds 3]
        [--device cpu] [--others fast_hdbscan,reference]

Forests are trees, in which each vertex joins a random earlier one ("random"), the one before it or the first
one. Vertices and edges are in random order, and weights are float32. All sides begin with edges and weights
on the host, in any order, and end with scipy's matrix there, as `Dendrogram.merges` does:

- ours: sorting by weight, PANDORA, and the matrix; and of that what is computed on the device
- fast_hdbscan: NumPy's stable argsort, taking edges in this order, and `mst_to_linkage_tree`, which Numba
  compiles before it is timed; and of that `mst_to_linkage_tree` alone. scipy has no public function for it.

Sides take turns, and answers are compared. Printed are seconds: median, least and greatest; and beside that
the median of the seconds that processors worked, all cores together, which depends less on what else they do.
On a GPU, name sizes such as ``--edges 80000000 --others ""``.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np

from pointerjump.base.graph import Graph
from pointerjump.base.weighted import Weighted
from pointerjump.solving.dendrograms import find_merges, scipys_form
from pointerjump.solving.run import order

Seconds = tuple[float, float]
"""Of the clock, and of all processors."""

Parts = dict[str, Seconds]


def timed(work: Callable[..., Any], *arguments: Any) -> tuple[Any, Seconds]:
    """Return an answer, and how long it took."""
    clock, processors = perf_counter(), process_time()
    answer = work(*arguments)
    return answer, (perf_counter() - clock, process_time() - processors)


def tree(kind: str, edges: int) -> tuple[Any, Any]:
    """Return the ends of a tree's edges, in random order."""
    rng = np.random.default_rng(edges)
    v = np.arange(1, edges + 1)
    u = {"random": (rng.random(edges) * v).astype(int), "path": v - 1, "star": np.zeros_like(v)}[kind]
    names, order = rng.permutation(edges + 1), rng.permutation(edges)
    return names[u[order]].astype(np.int32), names[v[order]].astype(np.int32)


def ours(forest: Weighted, algorithm: str, device: Any) -> tuple[Any, Parts]:
    (merges, run), seconds = timed(find_merges, order("dendrograms", algorithm, device, {}), forest)
    on_device = run.seconds["compute"], seconds[1]
    return scipys_form(merges, forest.weights), {"without copies and the matrix": on_device}


def fast_hdbscan(forest: Weighted) -> tuple[Any, Parts]:
    from fast_hdbscan.cluster_trees import mst_to_linkage_tree

    places = np.argsort(forest.weights, kind="stable")
    given = np.column_stack([*forest.ends, forest.weights])[places].astype(np.float64)
    answer, seconds = timed(mst_to_linkage_tree, given)
    return answer, {"merging alone": seconds}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--edges", default="1000000,10000000")
    parser.add_argument("--kinds", default="random,path,star")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device")
    parser.add_argument("--others", default="fast_hdbscan")
    asked = parser.parse_args()
    sides: dict[str, Callable[[Weighted], tuple[Any, Parts]]] = {
        "ours": lambda forest: ours(forest, "auto", asked.device),
        "reference": lambda forest: ours(forest, "single-linkage", "reference"),
        "fast_hdbscan": fast_hdbscan,
    }
    chosen = ["ours", *filter(None, asked.others.split(","))]
    for m in map(int, asked.edges.split(",")):
        for kind in asked.kinds.split(","):
            ends = np.stack(tree(kind, m), axis=1)
            weights = np.random.default_rng(m).permutation(m).astype(np.float32)
            forest = Weighted(Graph.of_edges(ends, None, m + 1), weights)
            spent: defaultdict[str, list[Seconds]] = defaultdict(list)
            expected = None
            for number in range(asked.rounds + 1):
                for name in chosen:
                    (answer, parts), whole = timed(sides[name], forest)
                    took = {name: whole, **{f"{name}, {part}": seconds for part, seconds in parts.items()}}
                    for what, seconds in took.items() if number else ():  # the first round builds and warms
                        spent[what].append(seconds)
                    answer[:, :2].sort(axis=1)
                    expected = answer if expected is None else expected
                    if not np.array_equal(answer, expected):
                        raise SystemExit(f"{name} differs on {kind}, {m:,} edges")
            for what, each in spent.items():
                clock, processors = zip(*each, strict=True)
                print(
                    f"{kind} {m:,} {what}: {median(clock):.3f} ({min(clock):.3f} to {max(clock):.3f}), "
                    f"processors {median(processors):.3f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
