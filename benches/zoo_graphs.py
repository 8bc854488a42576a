"""The graphs of the zoo (benches/zoo.py): shapes in several sizes and two orders, kept in files.

A file has a graph as edges, each once, as rows, which hold both directions, and scipy's components of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import zoo_shapes
from scipy.sparse.csgraph import connected_components
from zoo_shapes import SEED, SHAPES, Edges, Size

import pointerjump as pj
from pointerjump.graph import Graph

Array = npt.NDArray[Any]

SIZES = {
    "tiny": Size(1 << 6, 1 << 8),
    "small": Size(1 << 13, 1 << 15),
    "medium": Size(1 << 17, 1 << 19),
    "large": Size(1 << 21, 1 << 23),
    "huge": Size(1 << 23, 1 << 25),
}
"""By name. ``small``, ``medium`` and ``large`` are measured, ``tiny`` is for tests."""

ORDERS = ("generated", "shuffled")
"""Vertices and edges as the construction numbers them, or in random order, edges in random direction."""

SLOW_TO_MAKE = ("delaunay", "geometric")


class Specimen(NamedTuple):
    """One graph of the zoo, by name."""

    shape: str
    size: str
    order: str

    def file(self, folder: Path) -> Path:
        """Return where it is kept; the name changes when the shapes' code does."""
        return folder / f"{self.shape}-{self.size}-{self.order}-{code_digest():08x}.npz"


class Kept(NamedTuple):
    """A graph in both forms, and the smallest vertex of each vertex's component according to scipy."""

    edges: pj.Graph
    rows: pj.Graph
    representatives: Array
    components: int


@cache
def code_digest() -> int:
    """Return a number that changes when the shapes or this module do."""
    return crc32(b"".join(Path(module).read_bytes() for module in (zoo_shapes.__file__, __file__)))


def make_all(shapes: Iterable[str], sizes: Iterable[str], orders: Iterable[str], folder: Path) -> None:
    """Make graphs that are not kept yet, in parallel, the slowest first."""
    wanted = [Specimen(*names) for names in product(shapes, sizes, orders)]
    missing = [specimen for specimen in wanted if not specimen.file(folder).exists()]
    missing.sort(key=lambda specimen: (specimen.shape in SLOW_TO_MAKE, SIZES[specimen.size]), reverse=True)
    with ProcessPoolExecutor() as pool:
        list(pool.map(make, missing, [folder] * len(missing)))


def make(specimen: Specimen, folder: Path) -> None:
    """Make a graph and keep it."""
    edges = each_once(SHAPES[specimen.shape].build(SIZES[specimen.size]))
    if specimen.order == "shuffled":
        edges = shuffled(edges)
    rows = Graph.of_edges(edges.sources, edges.targets, edges.vertices)
    target = specimen.file(folder)
    unfinished = target.with_suffix(".unfinished.npz")
    np.savez(
        unfinished,
        sources=edges.sources,
        targets=edges.targets,
        offsets=rows.offsets,
        neighbors=rows.neighbors,
        representatives=representatives_of(rows),
    )
    unfinished.rename(target)


def load(specimen: Specimen, folder: Path) -> Kept:
    """Return a graph that is kept."""
    with np.load(specimen.file(folder)) as arrays:
        representatives = arrays["representatives"]
        rows = pj.Graph(arrays["offsets"], arrays["neighbors"])
        edges = Graph.of_edges(arrays["sources"], arrays["targets"], len(representatives))
    rows.mark_symmetric()  # make() has both directions of every edge
    roots = representatives == np.arange(len(representatives))
    return Kept(edges, rows, representatives, int(np.count_nonzero(roots)))


def each_once(edges: Edges) -> Edges:
    """Return edges in the same order, without loops, and without those that occur before in any direction."""
    proper = edges.sources != edges.targets
    n, sources, targets = edges.vertices, edges.sources[proper], edges.targets[proper]
    keys = np.minimum(sources, targets).astype(np.int64) * n + np.maximum(sources, targets)
    ordered = np.sort(keys)
    if (ordered[1:] == ordered[:-1]).any():
        first = np.sort(np.unique(keys, return_index=True)[1])
        sources, targets = sources[first], targets[first]
    return Edges(n, sources.astype(np.int32), targets.astype(np.int32))


def shuffled(edges: Edges) -> Edges:
    """Return a graph with its vertices renumbered, its edges reordered and half of them turned, at random."""
    rng = np.random.default_rng(SEED)
    names = rng.permutation(edges.vertices).astype(np.int32)
    order = rng.permutation(len(edges.sources))
    sources, targets = names[edges.sources[order]], names[edges.targets[order]]
    turned = rng.random(len(order)) < 0.5
    return Edges(edges.vertices, np.where(turned, targets, sources), np.where(turned, sources, targets))


def representatives_of(graph: pj.Graph) -> Array:
    """Return the smallest vertex of each vertex's component, according to scipy."""
    ones = np.ones(graph.directed_edges, np.int8)
    matrix = sp.csr_array((ones, graph.neighbors, graph.offsets), shape=(graph.vertices, graph.vertices))
    labels = connected_components(matrix, directed=False)[1]
    smallest = np.unique(labels, return_index=True)[1]
    return smallest[labels].astype(np.int32)
