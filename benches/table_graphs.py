"""The eleven graphs on which GPUs are measured, and where they are kept.

A graph takes up to a minute to make, so each is made once and kept in a folder: its rows as ``NAME.egr``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import pointerjump as pj

GRAPHS = {
    "g24": "kron:scale=24,degree=16,seed=1",
    "g22": "kron:scale=22,degree=16,seed=1",
    "u23": "urand:scale=23,degree=8,seed=1",
    "kron_g500-logn21": "kron_g500-logn21",
    "rmat22": "rmat22.sym",
    "r4-2e23": "r4-2e23.sym",
    "road24": "grid2d:rows=4096,columns=4096,keep=0.62,seed=1",
    "grid22": "grid2d:rows=2048,columns=2048",
    "delaunay_n20": "delaunay_n20",
    "2d-2e20": "2d-2e20.sym",
    "u18": "urand:scale=18,degree=8,seed=1",
}


Make = Callable[[], pj.Graph]
"""Makes the rows of a graph, with both directions of every edge."""


def daily() -> dict[str, Make]:
    """Return what makes each of the eleven."""
    return {name: partial(_generate, spec) for name, spec in GRAPHS.items()}


def _generate(spec: str) -> pj.Graph:
    return pj.generate(spec).symmetrized()


def keep(graphs: Mapping[str, Make], folder: Path) -> None:
    """Make the graphs that the folder does not have yet, each in a process of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor() as pool:
        paths = [folder / f"{name}.egr" for name in graphs]
        list(pool.map(_keep_one, paths, graphs.values()))


def _keep_one(path: Path, make: Make) -> None:
    if not path.exists():
        pj.write(make(), path)


def load(name: str, folder: Path) -> pj.Graph:
    """Return a graph that is kept."""
    graph = pj.read(folder / f"{name}.egr")
    graph.mark_symmetric()  # it was when it was written, so there is no need to look again
    return graph
