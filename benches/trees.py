"""Rooting a forest of n vertices: ours, and scipy's two searches, from arrays of edges in random order.

    python benches/trees.py [--vertices 10000000] [--rounds 3] [--shapes recursive,binary,path,star]
        [--sides ours,scipy] [--device cpu]

Ours is `rooted_forest`, which finds parents, depths, preorder and sizes of subtrees. Theirs are
`depth_first_order` and `breadth_first_order`, with the matrix that they need, and NumPy for preorder, depths
and sizes. NumPy goes level by level, so on paths it is left out. On stars scipy's depth-first search takes
time that is quadratic in the degree, so there it is left out. Sides take turns; parents and sizes are
compared. Printed are seconds: median, least and greatest; and the time of our kernels by the device's clock,
in milliseconds.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
from biconnectivity import in_kernels

import pointerjump as pj

Ends = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]

SHAPES: dict[str, Callable[[int, np.random.Generator], npt.NDArray[Any]]] = {
    "recursive": lambda n, rng: rng.random(n - 1) * np.arange(1, n),
    "binary": lambda n, _: np.arange(n - 1) // 2,
    "path": lambda n, _: np.arange(n - 1),
    "star": lambda n, _: np.zeros(n - 1),
}
"""The parent of each vertex but the first, before vertices are shuffled."""


def edges_of(shape: str, n: int) -> Ends:
    """Return a tree's edges, with vertices and edges in random order; vertex 0 is its first one."""
    rng = np.random.default_rng(1)
    name = np.concatenate([[0], 1 + rng.permutation(n - 1)]).astype(np.int32)
    ends = np.stack([name[1:], name[SHAPES[shape](n, rng).astype(np.int64)]])
    return tuple(rng.permuted(ends, axis=0)[:, rng.permutation(n - 1)])  # type: ignore[return-value]


def searched(ends: Ends, n: int, shape: str) -> dict[str, npt.NDArray[Any]]:
    """Return what scipy and NumPy find."""
    import scipy.sparse as sp
    from scipy.sparse.csgraph import breadth_first_order, depth_first_order

    matrix = sp.csr_array((np.ones(n - 1, np.int8), ends), shape=(n, n))
    found: dict[str, npt.NDArray[Any]] = {}
    order, parent = breadth_first_order(matrix, 0, directed=False)
    parent[0] = 0
    found["parent"] = parent
    if shape != "star":
        preorder = np.empty(n, np.int32)
        preorder[depth_first_order(matrix, 0, directed=False, return_predecessors=False)] = np.arange(n)
    if shape != "path":
        place = np.empty(n, np.int64)
        place[order] = np.arange(n)
        above = place[parent[order]]  # ascending: a level's parents stand side by side
        depth, size = np.zeros(n, np.int32), np.ones(n, np.int64)
        levels, end = [0], 1
        while end < n:
            levels.append(end)
            end = int(np.searchsorted(above, end))
        for begin, end in zip(levels[1:], [*levels[2:], n], strict=True):
            depth[begin:end] = depth[above[begin:end]] + 1
        for begin, end in zip(levels[:0:-1], [n, *levels[:1:-1]], strict=True):
            size += np.bincount(above[begin:end], size[begin:end], n).astype(np.int64)
        found["depth"], found["size"] = depth[place], size[place]
    return found


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--vertices", type=int, default=10**7)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shapes", default="recursive,binary,path,star", help="with commas between")
    parser.add_argument("--sides", default="ours,scipy")
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args()
    for shape in given.shapes.split(","):
        n, ends = given.vertices, edges_of(shape, given.vertices)
        seconds: dict[str, list[float]] = defaultdict(list)
        sides: dict[str, Callable[[], Any]] = {
            "ours": lambda: pj.rooted_forest(ends, device=given.device),  # noqa: B023  # called in this round
            "scipy": lambda: searched(ends, n, shape),  # noqa: B023
        }
        found: dict[str, Any] = {"ours": sides["ours"]()}  # builds kernels
        for _ in range(given.rounds):
            for side in given.sides.split(","):
                began = perf_counter()
                found[side] = sides[side]()
                seconds[side].append(perf_counter() - began)
        for name, array in found.get("scipy", {}).items():
            np.testing.assert_array_equal(getattr(found["ours"], name), array, err_msg=name)
        print(shape)
        for side, spent in seconds.items():
            times = median(spent) / median(seconds["ours"])
            print(
                f"  {side} {median(spent):.3f} ({min(spent):.3f} to {max(spent):.3f}), {times:.2f} times ours"
            )
        print(f"  ours, {pj.rooted_forest(ends, device=given.device).stats['seconds']}")
        in_kernels(
            "ours",
            lambda session: pj.rooted_forest(ends, device=session),  # noqa: B023
            given.device,
        )


if __name__ == "__main__":
    main()
