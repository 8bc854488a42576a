"""Bridges and blocks from arrays of edges: ours, and what igraph, networkit and networkx find.

    python benches/biconnectivity.py [--millions 1,4] [--rounds 3] [--kinds random,sparse,road,preferential]
        [--sides ours,igraph,networkit,networkx] [--most-networkx 1] [--device cpu]
    python benches/biconnectivity.py --kinds u23,g22,road24,delaunay_n20 --sides ours --device gpu

Each side begins with two int32 arrays, and makes what it needs of them; that is in each time. Ours, igraph
and networkx find bridges, articulation points and blocks, networkit only blocks. Sides take turns. Numbers of
bridges, points and blocks are compared. Printed are seconds, medians of all rounds, and behind them how many
times ours that is. networkx runs once, up to --most-networkx million edges. Names of `table_graphs.py` are
kinds, too; their sizes are their own.

Then the time of bridges over that of `components` of the same arrays, end to end and in kernels; and each
phase's and kernel's time, the kernels' by the device's clock.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
from table_graphs import GRAPHS

import pointerjump as pj
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.base.edges import EdgeList
from pointerjump.bench.timing import ProfilingSession, kernel_times
from pointerjump.solving.biconnected import find_bridges
from pointerjump.solving.run import order

Ends = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]
Timed = dict[str, float]


def random(m: int, rng: np.random.Generator, degree: int = 16) -> tuple[Ends, int]:
    """Return m edges between vertices with this average degree, and how many vertices there are."""
    n = 2 * m // degree
    return (rng.integers(0, n, m, np.int32), rng.integers(0, n, m, np.int32)), n


def sparse(m: int, rng: np.random.Generator) -> tuple[Ends, int]:
    """Return a graph with degree 3, in which a quarter of the edges are bridges."""
    return random(m, rng, 3)


def road(m: int, rng: np.random.Generator) -> tuple[Ends, int]:
    """Return a grid of which 62% of the edges are kept, shuffled."""
    side = int((m / 1.24) ** 0.5) + 1
    at = rng.permutation(side * side).astype(np.int32).reshape(side, side)
    s = np.concatenate([at[:, :-1].ravel(), at[:-1].ravel()])
    t = np.concatenate([at[:, 1:].ravel(), at[1:].ravel()])
    kept = rng.permutation(len(s))[: int(0.62 * len(s))]
    return (s[kept], t[kept]), side * side


def preferential(m: int, rng: np.random.Generator) -> tuple[Ends, int]:
    """Return a graph in which every vertex has edges to some earlier ones, mostly to the earliest."""
    n = m // 2
    s = np.concatenate([np.arange(1, n), rng.integers(1, n, m - n + 1)])
    t = s * rng.random(m) ** 3
    return (s.astype(np.int32), t.astype(np.int32)), n


KINDS: dict[str, Callable[..., tuple[Ends, int]]] = {
    "random": random,
    "sparse": sparse,
    "road": road,
    "preferential": preferential,
}


def named(kind: str) -> tuple[Ends, int]:
    """Return one of the graphs on which GPUs are measured, each edge once, in the order of its rows."""
    graph = pj.generate(GRAPHS[kind]).symmetrized()
    once = graph.sources < graph.neighbors
    return (graph.sources[once], graph.neighbors[once]), graph.vertices


def timed(into: Timed, what: str, call: Callable[[], Any]) -> Any:
    """Return what a call returns, and keep its time."""
    began = perf_counter()
    found = call()
    into[what] = perf_counter() - began
    return found


def ours(ends: Ends, n: int, device: Any = "cpu") -> tuple[Timed, dict[str, int]]:
    """Each answer from the arrays; articulation points by a call of their own."""
    times: Timed = {}
    given: dict[str, Any] = {"vertices": n, "device": device}
    timed(times, "components", lambda: pj.components(ends, **given))
    bridges = timed(times, "bridges", lambda: pj.bridges(ends, **given))
    points = timed(times, "points", lambda: pj.articulation_points(ends, **given))
    blocks = timed(times, "blocks", lambda: pj.biconnected_components(ends, **given))
    return times, {"bridges": len(bridges), "points": len(points), "blocks": blocks.count}


def igraph(ends: Ends, n: int) -> tuple[Timed, dict[str, int]]:
    """Each answer with the time that making the graph takes."""
    import igraph as ig

    times: Timed = {}
    graph = timed(times, "build", lambda: ig.Graph(n, np.stack(ends, axis=1)))
    bridges = timed(times, "bridges", graph.bridges)
    points = timed(times, "points", graph.articulation_points)
    blocks = timed(times, "blocks", graph.biconnected_components)
    found = {"bridges": len(bridges), "points": len(points), "blocks": len(blocks)}
    return with_build(times), found


def networkit(ends: Ends, n: int) -> tuple[Timed, dict[str, int]]:
    """Blocks alone."""
    import networkit as nk

    times: Timed = {}
    graph = timed(times, "build", lambda: nk.GraphFromCoo(ends, n, directed=False))
    blocks = nk.components.BiconnectedComponents(graph)
    timed(times, "blocks", blocks.run)
    return with_build(times), {}  # it counts single vertices, too


def networkx(ends: Ends, n: int) -> tuple[Timed, dict[str, int]]:
    """Of a simple graph: parallel edges are one, which only the number of bridges shows."""
    import networkx as nx

    times: Timed = {}

    def build() -> Any:
        graph = nx.Graph()
        graph.add_nodes_from(range(n))
        graph.add_edges_from(zip(ends[0].tolist(), ends[1].tolist(), strict=True))
        graph.remove_edges_from(list(nx.selfloop_edges(graph)))
        return graph

    graph = timed(times, "build", build)
    timed(times, "bridges", lambda: list(nx.bridges(graph)))
    points = timed(times, "points", lambda: set(nx.articulation_points(graph)))
    blocks = timed(times, "blocks", lambda: list(nx.biconnected_component_edges(graph)))
    return with_build(times), {"points": len(points), "blocks": len(blocks)}


def with_build(times: Timed) -> Timed:
    """Add the time of making the graph to each answer's."""
    build = times["build"]
    return {what: time + build * (what != "build") for what, time in times.items()}


SIDES: dict[str, Callable[[Ends, int], tuple[Timed, dict[str, int]]]] = {
    "ours": ours,
    "igraph": igraph,
    "networkit": networkit,
    "networkx": networkx,
}


def in_kernels(what: str, run: Callable[[Session], object], device: str) -> float:
    """Print the time of a run's kernels in milliseconds, the longest first; return their sum."""
    session = ProfilingSession(session_for(device))
    ms = {
        name: 1e3 * timing.median for name, timing in kernel_times(lambda: run(session), session, 3).items()
    }
    longest = sorted(ms.items(), key=lambda kernel: -kernel[1])
    told = ", ".join(f"{name} {time:.3f}" for name, time in longest if time >= sum(ms.values()) / 200)
    print(f"  {what}, kernels: {sum(ms.values()):.3f} ms: {told}", flush=True)
    return sum(ms.values())


def over_components(ends: Ends, n: int, device: str, middle: Timed) -> None:
    """Print how much longer bridges take than components, end to end and in kernels, and what takes it."""
    edges = EdgeList(*ends, n)
    phases = find_bridges(order("bridges", "auto", device, {}), edges)[1].seconds
    print(f"  bridges, seconds by phase: {', '.join(f'{at} {took:.4f}' for at, took in phases.items())}")
    components, bridges = (
        in_kernels(what, run, device)
        for what, run in (
            ("components", lambda session: pj.components(ends, vertices=n, device=session)),
            ("bridges", lambda session: pj.bridges(ends, vertices=n, device=session)),
        )
    )
    whole = middle["bridges"] / middle["components"]
    print(
        f"  bridges / components: {whole:.1f} end to end, {bridges / components:.1f} in kernels", flush=True
    )


def main() -> None:
    """Time all sides in turn, and print a table for each graph."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--millions", default="1,4")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--sides", default=",".join(SIDES))
    parser.add_argument("--most-networkx", type=float, default=1)
    parser.add_argument("--device", default="cpu")
    chosen = parser.parse_args()
    SIDES["ours"] = partial(ours, device=chosen.device)
    sides, kinds = chosen.sides.split(","), chosen.kinds.split(",")
    for millions in map(float, chosen.millions.split(",")):
        for kind in (kind for kind in kinds if kind in KINDS):
            ends, n = KINDS[kind](int(millions * 1e6), np.random.default_rng(1))
            some = [side for side in sides if side != "networkx" or millions <= chosen.most_networkx]
            compare(kind, ends, n, some, chosen.rounds, chosen.device)
    for kind in (kind for kind in kinds if kind not in KINDS):
        compare(kind, *named(kind), sides, chosen.rounds, chosen.device)


def compare(kind: str, ends: Ends, n: int, sides: list[str], rounds: int, device: str) -> None:
    """Print what each side takes, beside ours, and require equal answers."""
    print(f"\n{kind}: {n:,} vertices, {len(ends[0]):,} edges", flush=True)
    SIDES["ours"](ends, n)  # builds kernels
    times: dict[str, list[Timed]] = defaultdict(list)
    expected: dict[str, int] = {}
    for round in range(rounds):
        for side in sides:
            if side == "networkx" and round:
                continue
            took, found = SIDES[side](ends, n)
            times[side].append(took)
            expected = expected or found
            assert found.items() <= expected.items(), (side, found, expected)
    print(f"  {expected}")
    middle = {
        side: {what: median(each[what] for each in took) for what in took[0]} for side, took in times.items()
    }
    for side, took in middle.items():
        told = ", ".join(
            f"{what} {time:.3f}"
            + (f" ({time / middle['ours'][what]:.1f})" if side != "ours" and what in middle["ours"] else "")
            for what, time in took.items()
        )
        print(f"  {side:10} {told}", flush=True)
    over_components(ends, n, device, middle["ours"])


if __name__ == "__main__":
    main()
