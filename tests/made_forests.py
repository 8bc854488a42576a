"""Forests for tests: rooted ones, made from parents in plain Python, and what their edges merge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pointerjump.base.graph import Graph
from pointerjump.base.rooted import Rooted
from pointerjump.base.weighted import Weighted
from pointerjump.solving.dendrograms import find_merges
from pointerjump.solving.run import order


def rooted_from(parents: Sequence[int]) -> Rooted:
    """Return a forest's arrays: children in ascending order, trees in order of their smallest vertices."""
    n = len(parents)
    children: list[list[int]] = [[] for _ in range(n)]
    for v in range(n):
        if parents[v] != v:
            children[parents[v]].append(v)
    depth, preorder, tree = [0] * n, [-1] * n, [0] * n
    roots: list[int] = []
    order: list[int] = []
    for v in range(n):
        if preorder[v] >= 0:
            continue  # its tree has a smaller vertex
        root = v
        while parents[root] != root:
            root = parents[root]
        stack = [root]
        while stack:
            u = stack.pop()
            preorder[u], tree[u] = len(order), len(roots)
            depth[u] = 0 if u == root else depth[parents[u]] + 1
            order.append(u)
            stack += reversed(children[u])
        roots.append(root)
    size = [1] * n
    for u in reversed(order):
        if parents[u] != u:
            size[parents[u]] += size[u]
    return Rooted(*(np.array(each, np.int32) for each in (parents, depth, preorder, size, tree, roots)))


def relabelled(parents: np.ndarray, seed: int) -> list[int]:
    """Return the same forest with its vertices renamed at random."""
    name = np.random.default_rng(seed).permutation(len(parents))
    renamed = np.empty(len(parents), int)
    renamed[name] = name[parents]
    return renamed.tolist()


def shapes(n: int, seed: int = 1) -> dict[str, np.ndarray]:
    """Return the parents of forests of n vertices, none of which exceeds its child."""
    rng = np.random.default_rng(seed)
    v = np.arange(n)
    return {
        "path": np.maximum(v - 1, 0),
        "star": np.zeros(n, int),
        "caterpillar": np.where(v % 2, v - 1, np.maximum(v - 2, 0)),
        "comb": np.where(v % 8, v - 1, np.maximum(v - 8, 0)),
        "random": rng.integers(0, np.maximum(v, 1)),
        "binary": np.maximum(v - 1, 0) // 2,
        "many trees": np.where(rng.random(n) < 0.2, v, rng.integers(0, np.maximum(v, 1))),
        "all roots": v,
    }


def merges_of(
    us: Any,
    vs: Any,
    n: int,
    algorithm: str = "auto",
    device: Any = None,
    weights: Any = None,
    maximum: bool = False,
    **variant: Any,
) -> np.ndarray:
    """Return what the edges of a forest merge; without weights, they are in order."""
    weights = np.arange(len(us)) if weights is None else weights
    graph = Graph.of_edges(np.stack((us, vs), axis=1).astype(np.int32), None, n)
    wanted = order("dendrograms", algorithm, device, variant)
    return find_merges(wanted, Weighted(graph, weights, maximum))[0]


def walked_up(rooted: Rooted, us: Sequence[int], vs: Sequence[int]) -> list[int]:
    """Return lowest common ancestors; -1 for different trees."""
    parent, depth = rooted.parent.tolist(), rooted.depth.tolist()
    found = []
    for u, v in zip(us, vs, strict=True):
        while u != v and (depth[u], depth[v]) != (0, 0):
            if depth[u] >= depth[v]:
                u = parent[u]
            else:
                v = parent[v]
        found.append(u if u == v else -1)
    return found
