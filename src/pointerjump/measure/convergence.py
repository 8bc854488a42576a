"""How fast trees grow together: rounds, depths, local iterations, linkage and coverage."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from pointerjump.graph import Graph
from pointerjump.measure.measurement import Line
from pointerjump.measure.watching import at_calls, at_returns, depths, roots
from pointerjump.reference.afforest import afforest, link
from pointerjump.reference.afforest_subgraphs import afforest_subgraphs
from pointerjump.reference.machine import Machine
from pointerjump.reference.shiloach_vishkin_csr import shiloach_vishkin_csr
from pointerjump.reference.vocabulary import compare_and_swap
from pointerjump.registry import ALGORITHMS

PARTITIONS = ("row", "edge", "neighbor", "forest")
FILTERING = ("soman", "gunrock", "label-propagation", "bfs")
"""The algorithms whose shrinking work the papers compare: Soman's without filters and Gunrock's with them,
and Ligra's two, which have frontiers."""


def iterations(name: str, graph: Graph) -> list[Line]:
    """Count SV's rounds, Afforest's local iterations for each link, and how deep the trees of both get."""
    deepest: Counter[str] = Counter()

    def depth_after(phase: str, arrays: dict[str, Any]) -> None:
        if phase in ("hook", "link", "link the rest"):
            deepest[phase] = max(deepest[phase], int(depths(arrays["pi"]).max(initial=0)))

    with Machine(counting=False, after_phase=depth_after) as machine:
        shiloach_vishkin_csr(graph)
    rounds, depth = machine.rounds("hook"), deepest["hook"]

    links: list[int] = []  # the iterations of each: one, and another for every swap that failed

    def began(_: dict[str, Any]) -> None:
        links.append(1)

    def swapped(seen: dict[str, Any], found: int) -> None:
        links[-1] += found != seen["expected"]

    with at_calls([link], began), at_returns([compare_and_swap], swapped):
        afforest(graph, skip_largest=False)
    with Machine(counting=False, after_phase=depth_after):
        afforest(graph, skip_largest=False)
    return [
        {
            "graph": name,
            "sv_iterations": rounds,
            "sv_depth": depth,
            "links": len(links),
            "average_iterations": float(np.mean(links)) if links else 0.0,
            "most_iterations": max(links, default=0),
            "depth": max(deepest["link"], deepest["link the rest"]),
        }
    ]


def convergence(name: str, graph: Graph) -> list[Line]:
    """Measure linkage and coverage after each subgraph, for four ways to choose subgraphs."""
    component = roots(afforest(graph))
    largest = Counter(component.tolist()).most_common(1)[0][0] if len(component) else 0
    in_largest = component == largest
    merges = graph.vertices - len(np.unique(component))

    def progress(partition: str) -> list[Line]:
        found: list[Line] = []
        machine = Machine(counting=False)

        def note(phase: str, arrays: dict[str, Any]) -> None:
            if phase != "compress":
                return
            tree = roots(arrays["pi"])
            merged = graph.vertices - len(np.unique(tree))
            covered = np.bincount(tree[in_largest]).max(initial=0)
            found.append(
                {
                    "graph": name,
                    "partition": partition,
                    "batch": machine.rounds("compress"),
                    "processed": 100 * machine.items["link"] / max(graph.directed_edges, 1),
                    "linkage": 100 * merged / merges if merges else 100.0,
                    "coverage": 100 * float(covered / max(in_largest.sum(), 1)),
                }
            )

        machine.after_phase = note
        with machine:
            afforest_subgraphs(graph, partition)
        return found

    return [line for partition in PARTITIONS for line in progress(partition)]


def rounds(name: str, graph: Graph) -> list[Line]:
    """Count the rounds of every algorithm that goes in rounds, in order and in a hostile order."""
    lines: list[Line] = []
    for algorithm in ALGORITHMS.values():
        phase = algorithm.round_phase
        if phase is None:
            continue
        run = algorithm.function()
        with Machine() as in_order:
            run(graph)
        with Machine("random", stale=True) as at_random:
            run(graph)
        lines.append(
            {
                "graph": name,
                "algorithm": algorithm.name,
                "in_order": in_order.rounds(phase),
                "at_random": at_random.rounds(phase),
            }
        )
    return lines


def work(name: str, graph: Graph) -> list[Line]:
    """Count the vertices and edges that each round still looks at, with and without filters."""
    return [line for algorithm in FILTERING for line in _items_by_phase(name, graph, algorithm)]


def _items_by_phase(name: str, graph: Graph, algorithm: str) -> list[Line]:
    lines: list[Line] = []
    before: Counter[str] = Counter()
    machine = Machine("random", stale=True)

    def note(phase: str, _: dict[str, Any]) -> None:
        items = machine.items[phase] - before[phase]
        before[phase] = machine.items[phase]
        launch = machine.rounds(phase)
        lines.append(
            {"graph": name, "algorithm": algorithm, "phase": phase, "launch": launch, "items": items}
        )

    machine.after_phase = note
    with machine:
        ALGORITHMS[algorithm].function()(graph)
    return lines
