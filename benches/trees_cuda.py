"""Euler tours, common ancestors and bridges beside the authors' CUDA program, on one GPU.

    python benches/trees_cuda.py PROGRAM [--vertices 10000000] [--shapes recursive,path,star]
        [--graphs road24,u23] [--device gpu]

PROGRAM is built of benches/euler_peer.cu and its authors' sources (stobis/euler-meets-cuda). Its clock begins
and ends with all data on the GPU. Ours are given twice: from NumPy to NumPy, and of the kernels alone.
For a tour, the program ranks its edges; ours ends with parents, depths, preorder and sizes. For bridges, both
get the largest component, without loops and parallel edges, which the program needs; the program gets rows,
ours edges. Common ancestors are asked for as many random pairs as there are vertices, and making what answers
them counts. Answers are compared by their sums or numbers.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
from biconnectivity import in_kernels, named
from trees import edges_of

import pointerjump as pj
from pointerjump.solving.ancestors import common_ancestors

REPEATS = 3


def theirs(program: Path, what: str, path: Path, *arrays: npt.ArrayLike) -> int | None:
    """Print the program's time, and return its answer's sum; None if it fails."""
    with path.open("wb") as file:
        for array in arrays:
            np.asarray(array, np.int32).tofile(file)
    ran = subprocess.run([program, what, path], capture_output=True, text=True, timeout=300, check=False)
    found = re.search(r"MEDIAN_MS (\S+)\nSUM (\d+)", ran.stdout)
    print(f"  theirs, {what}: " + (f"{float(found[1]):.2f} ms" if found else f"fails: {ran.stderr[-200:]}"))
    return int(found[2]) if found else None


def ours(what: str, run: Callable[[Any], Any], device: str) -> Any:
    """Print our time from NumPy to NumPy, and that of the kernels; return the answer."""
    found, seconds = run(device), []
    for _ in range(REPEATS):
        began = perf_counter()
        run(device)
        seconds.append(perf_counter() - began)
    print(f"  ours, {what}: {1e3 * median(seconds):.2f} ms")
    in_kernels(what, run, device)
    return found


def on_a_tree(shape: str, n: int, program: Path, file: Path, device: str) -> None:
    print(f"{shape}, {n:,} vertices")
    ends = edges_of(shape, n)
    theirs(program, "tour", file, [n, 0], *ends)
    forest = ours("tour", lambda session: pj.rooted_forest(ends, device=session), device)
    us, vs = np.random.default_rng(1).integers(0, n, (2, n), np.int32)
    above = np.where(forest.depth, forest.parent, -1)
    expected = theirs(program, "lca", file, [n], above, [n], np.stack([us, vs], axis=1))

    def ancestors(session: Any) -> Any:
        rooted = pj.RootedForest.from_parents(above, device=session).rooted
        return common_ancestors(rooted, us, vs, algorithm="inlabel", device=session)

    found = int(ours("common ancestors", ancestors, device).sum(dtype=np.int64))
    assert expected in (None, found), (expected, found)


def on_a_graph(name: str, program: Path, file: Path, device: str) -> None:
    (us, vs), n = named(name)
    labels = pj.components((us, vs), vertices=n, device=device).labels
    inside = labels == np.bincount(labels).argmax()
    number = np.cumsum(inside, dtype=np.int32) - 1
    edges = pj.Graph.from_edges(number[us[inside[us]]], number[vs[inside[us]]]).symmetrized()
    n, once = edges.vertices, edges.sources < edges.neighbors
    ends = edges.sources[once], edges.neighbors[once]
    print(f"{name}, largest component: {n:,} vertices, {len(ends[0]):,} edges")
    expected = theirs(program, "bridges", file, [n, len(edges.neighbors)], edges.offsets, edges.neighbors)
    given = {"vertices": n}
    found = ours("bridges", lambda session: pj.bridges(ends, device=session, **given), device)
    ours("components", lambda session: pj.components(ends, device=session, **given), device)
    assert expected in (None, 2 * len(found)), (expected, len(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--vertices", type=int, default=10**7)
    parser.add_argument("--shapes", default="recursive,path,star")
    parser.add_argument("--graphs", default="road24,u23")
    parser.add_argument("--device", default="gpu")
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "input"
        for shape in filter(None, asked.shapes.split(",")):
            on_a_tree(shape, asked.vertices, asked.program, file, asked.device)
        for name in filter(None, asked.graphs.split(",")):
            on_a_graph(name, asked.program, file, asked.device)


if __name__ == "__main__":
    main()
