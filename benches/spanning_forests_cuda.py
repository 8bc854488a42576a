"""Minimum spanning forests beside the authors' ECL-MST: the same graph files and weights, on one GPU.

    python benches/spanning_forests_cuda.py PROGRAMS FOLDER [--graphs u23,g22] [--json F]

PROGRAMS is the folder of ``ecl-mst FILE.egr``, which is built from its authors' sources (burtscher/ECL-MST)
with as few changes as it takes to time them. It prints ``MEDIAN_MS t`` and ``WEIGHT w EDGES k``. It makes
weights of its own where a file has none, and ours are the same. FOLDER keeps the graphs.

Ours are wall times of all rounds, with the edges and weights on the device: the median of 15 runs. Others
come before them for 0.2 seconds, because the GPU's clock is slow after the seconds in which a graph is
loaded. ECL-MST's clock counts neither allocation nor copies. Ours run on both directions of each edge, as the
program reads them, and on one. The forests must have the program's weight and number of edges.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from functools import partial
from pathlib import Path
from statistics import geometric_mean, median
from time import perf_counter

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table
from table_graphs import Make, daily, keep, load
from wide_graphs import KINDS, rows_of

import pointerjump as pj
from pointerjump.accel.residents.graphs import place
from pointerjump.accel.residents.weighted import ResidentWeighted
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.base.weighted import Weighted
from pointerjump.registry.selection import ask, select
from pointerjump.solving.inputs import as_graph
from pointerjump.solving.spanning_forests import WeightedGraph

GRAPHS = (
    *("u23", "r4-2e23", "g22", "rmat22", "road24", "delaunay_n20", "grid22"),
    *("regular-8", "grid-3d", "preferential", "hypercube", "union-0.1", "power-law"),
)
REPEATS = 15
WARM_UP = 0.2  # seconds


def makers(names: list[str]) -> dict[str, Make]:
    """Return what makes each graph: one that is looked at every day, or one of a wide comparison."""
    shapes = {name: build for kind in KINDS.values() for name, build in kind.items()}
    return {name: daily().get(name) or partial(rows_of, shapes[name]) for name in names}


def weights_of(graph: pj.Graph) -> npt.NDArray[np.int32]:
    """Return the weights that ECL-MST gives the stored edges of rows."""
    with np.errstate(over="ignore"):
        products = graph.sources.astype(np.int32) * graph.neighbors.astype(np.int32)
    return np.abs(np.fmod(products, np.int32(graph.vertices)) + np.int32(1))


def theirs(program: Path, path: Path) -> tuple[float, tuple[int, int]]:
    """Return ECL-MST's time in ms, and its forest's weight and number of edges."""
    printed = subprocess.run([program, path], capture_output=True, text=True, timeout=120, check=True).stdout
    ms, sums = re.search(r"MEDIAN_MS (\S+)", printed), re.search(r"WEIGHT (-?\d+) EDGES (\d+)", printed)
    if not ms or not sums:
        raise SystemExit(f"{program} on {path} printed {printed!r}")
    return float(ms[1]), (int(sums[1]), int(sums[2]))


def ours(
    graph: pj.Graph, weights: npt.NDArray[np.int32], form: str, session: Session
) -> tuple[float, tuple[int, int]]:
    """Return the time of what `auto` runs, in ms, and the forest's weight and number of edges."""
    host = Weighted(graph, weights)
    asked = ask("minimum-spanning-forest", "auto", {}, session.tuning)
    choice = select(asked, WeightedGraph(host).facts(), session.tuning)
    buffer = session.put(weights, "the weights")
    edges = ResidentWeighted(place(graph, form, session), buffer, weights.dtype, keys=host.keys_about())
    plan = choice.algorithm.prepare(edges, **choice.variant)
    warm = perf_counter() + WARM_UP
    while perf_counter() < warm:
        plan.run()
        session.finish()
    times = []
    for _ in range(REPEATS):
        began = perf_counter()
        plan.run()
        session.finish()
        times.append(1e3 * (perf_counter() - began))
    joined_by = session.get(plan.result, graph.vertices)
    places = joined_by[joined_by >= 0]
    return median(times), (int(weights[places].sum(dtype=np.int64)), len(places))


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("programs", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--graphs", default=",".join(GRAPHS))
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    names = given.graphs.split(",")
    keep(makers(names), given.folder)
    session = session_for(given.device)
    table = Table(
        "graph", "ECL-MST", "both directions", "ratio", "one", "ratio", title=f"{session.device}, ms"
    )
    found = {}
    for name in names:
        their_ms, answer = theirs(given.programs / "ecl-mst", given.folder / f"{name}.egr")
        graph = load(name, given.folder)
        weights, once = weights_of(graph), graph.sources < graph.neighbors
        ends = (graph.sources[once].astype(np.int32), graph.neighbors[once].astype(np.int32))
        both = ours(graph, weights, "stored rows", session)
        one = ours(as_graph(ends, vertices=graph.vertices), weights[once], "edges", session)
        for _, of_ours in (both, one):
            assert of_ours == answer, (
                f"{name}: a forest of weight and edges {of_ours}, but theirs is {answer}"
            )
        found[name] = {"theirs": their_ms, "both": both[0], "one": one[0]}
        ratios = their_ms / both[0], their_ms / one[0]
        table.add_row(
            name, f"{their_ms:.2f}", f"{both[0]:.2f}", f"{ratios[0]:.2f}", f"{one[0]:.2f}", f"{ratios[1]:.2f}"
        )
    Console().print(table)
    for form in ("both", "one"):
        print(form, f"{geometric_mean(t['theirs'] / t[form] for t in found.values()):.2f} by geometric mean")
    if given.json:
        given.json.write_text(json.dumps({"device": session.device.as_dict(), "graphs": found}, indent=1))


if __name__ == "__main__":
    main()
