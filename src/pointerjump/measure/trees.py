"""Properties that show how trees grow: rounds, depths, path lengths, linkage and giant components."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from math import log
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from pointerjump.base.graph import Graph
from pointerjump.measure.plots import bars, in_panels, lines, percent, symlog
from pointerjump.measure.properties import Column, Counted, counted, noted
from pointerjump.reference.afforest import afforest, link
from pointerjump.reference.afforest_subgraphs import afforest_subgraphs
from pointerjump.reference.ecl_cc import JUMP, ecl_cc
from pointerjump.reference.machine import Machine
from pointerjump.reference.shiloach_vishkin_csr import shiloach_vishkin_csr
from pointerjump.reference.stages import stages
from pointerjump.reference.vocabulary import compare_and_swap
from pointerjump.registry import ALGORITHMS
from pointerjump.registry.table import AFFOREST, CONG, DEHNE, ECL_CC, THESIS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PARTITIONS = ("row", "edge", "neighbor", "forest")
FILTERING = ("soman", "gunrock", "label-propagation", "bfs")
"""The algorithms for which the papers compare how the amount of work shrinks: Soman's algorithm without
filters, Gunrock's with filters, and Ligra's two algorithms, which have frontiers."""


@contextmanager
def at_calls(
    functions: Sequence[Callable[..., Any]], observe: Callable[[dict[str, Any]], None]
) -> Iterator[None]:
    """Within the context, pass the arguments of each call to one of `functions` to `observe`.

    `observe` is called before the function runs, with a dict of the arguments.
    """
    codes = {function.__code__ for function in functions}
    before: Any = sys.getprofile()

    def event(frame: FrameType, what: str, returned: Any) -> None:
        if before:
            before(frame, what, returned)
        if what == "call" and frame.f_code in codes:
            observe(frame.f_locals)

    sys.setprofile(event)
    try:
        yield
    finally:
        sys.setprofile(before)


def depths(parents: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return the depth of each vertex, which is the number of pointers between it and its root."""
    parent = np.array(parents, np.int64)
    depth = np.zeros(len(parent), np.int64)
    at = np.arange(len(parent))
    while True:
        below = parent[at] != at
        if not below.any():
            return depth
        depth += below
        at = parent[at]


def roots(parents: npt.ArrayLike) -> npt.NDArray[np.int64]:
    parent = np.array(parents, np.int64)
    while (parent[parent] != parent).any():
        parent = parent[parent]
    return parent


@counted(
    "Iterations and tree depth of Shiloach-Vishkin and Afforest",
    source=f"{AFFOREST.authors}, table II",
    inputs=(
        "kron:scale=16,degree=16,seed=1",
        "urand:scale=16,degree=16,seed=1",
        "grid2d:rows=256,columns=256,keep=0.6,seed=1",
    ),
    columns=(
        Column("sv_iterations", "SV: iterations"),
        Column("sv_depth", "SV: max. depth"),
        Column("links", "Afforest: links"),
        Column("average_iterations", "average iterations a link", 3),
        Column("most_iterations", "most"),
        Column("depth", "max. depth"),
    ),
    draw=in_panels(
        bars(
            "graph",
            {"Shiloach-Vishkin": "sv_iterations", "Afforest": "average_iterations"},
            "rounds (Afforest: iterations of a link)",
        ),
        bars("graph", {"Shiloach-Vishkin": "sv_depth", "Afforest": "depth"}, "deepest tree (pointers)"),
    ),
)
def iterations(graph: Graph) -> Iterator[Counted]:
    """Afforest skips no component here. A link whose ends have the same parent takes one iteration.

    The depth is the maximum number of pointers from a vertex to its root after any phase that hooks or links.
    """
    links: list[int] = []  # the iterations of each link: one, plus one for every swap that fails

    def swaps(seen: dict[str, Any]) -> None:
        links[-1] += seen["array"][seen["at"]] != seen["expected"]

    with at_calls([link], lambda _: links.append(1)), at_calls([compare_and_swap], swaps):
        afforest(graph, skip_largest=False)

    def depth(_: Machine, phase: str, arrays: dict[str, Any]) -> int | None:
        hooked = phase in ("hook", "link", "link the rest")
        return int(depths(arrays["pi"]).max(initial=0)) if hooked else None

    of_sv = noted(partial(shiloach_vishkin_csr, graph), depth, counting=False)
    of_afforest = noted(partial(afforest, graph, skip_largest=False), depth, counting=False)
    yield {
        "sv_iterations": len(of_sv),
        "sv_depth": max(of_sv, default=0),
        "links": len(links),
        "average_iterations": float(np.mean(links)) if links else 0.0,
        "most_iterations": max(links, default=0),
        "depth": max(of_afforest, default=0),
    }


@counted(
    "Linkage and coverage by share of edges processed",
    source=f"{AFFOREST.authors}, figures 6a and 6b",
    inputs=("kron:scale=13,degree=16,seed=1",),
    columns=(
        Column("partition", "partition"),
        Column("batch", "subgraphs"),
        Column("processed", "edges processed, %", 1),
        Column("linkage", "linkage, %", 1),
        Column("coverage", "coverage, %", 1),
    ),
    draw=in_panels(
        lines("processed", "linkage", "partition", "edges processed (%)", "linkage (%)", percent, start=True),
        lines(
            "processed", "coverage", "partition", "edges processed (%)", "coverage (%)", percent, start=True
        ),
        each="graph",
    ),
)
def convergence(graph: Graph) -> Iterator[Counted]:
    """Linkage is the fraction of all tree joins that has taken place so far.

    Coverage is the fraction of the largest component that is in one tree.
    """
    component = roots(afforest(graph))
    largest = Counter(component.tolist()).most_common(1)[0][0] if len(component) else 0
    in_largest = component == largest
    merges = graph.vertices - len(np.unique(component))

    def progress(machine: Machine, phase: str, arrays: dict[str, Any]) -> Counted | None:
        if phase != "compress":
            return None
        tree = roots(arrays["pi"])
        merged = graph.vertices - len(np.unique(tree))
        covered = np.bincount(tree[in_largest]).max(initial=0)
        return {
            "batch": machine.rounds("compress"),
            "processed": 100 * machine.items["link"] / max(graph.directed_edges, 1),
            "linkage": 100 * merged / merges if merges else 100.0,
            "coverage": 100 * float(covered / max(in_largest.sum(), 1)),
        }

    for partition in PARTITIONS:
        for line in noted(partial(afforest_subgraphs, graph, partition), progress, counting=False):
            yield {"partition": partition, **line}


@counted(
    "Lengths of the paths to representatives",
    source=f"{ECL_CC.authors}, table 4",
    inputs=(
        "kron:scale=12,degree=16,seed=1",
        "urand:scale=12,degree=4,seed=1",
        "grid2d:rows=64,columns=64,seed=1",
    ),
    columns=(
        Column("jump", "jump"),
        Column("finds", "finds"),
        Column("average", "average length"),
        Column("longest", "longest"),
    ),
    draw=in_panels(
        bars("jump", {"average": "average", "longest": "longest"}, "path (pointers)", log=True),
        each="graph",
    ),
)
def paths(graph: Graph) -> Iterator[Counted]:
    """The length of a path is the number of pointers from a vertex to its representative.

    Edges are processed serially. Lengths are counted at every find in ECL-CC's compute phase (and in the last
    pass, if it jumps in the same way).
    """
    lengths: list[int] = []

    def look(seen: dict[str, Any]) -> None:
        v, parent = seen["v"], seen["parent"]
        lengths.append(0)
        while parent[v] != v:
            v = parent[v]
            lengths[-1] += 1

    for jump in JUMP:
        lengths.clear()
        with at_calls([JUMP[jump]], look):
            ecl_cc(graph, jump=jump)
        yield {
            "jump": jump,
            "finds": len(lengths),
            "average": float(np.mean(lengths)) if lengths else 0.0,
            "longest": max(lengths, default=0),
        }


def giant_share(c: float) -> float:
    """Return ``f(c)``: the giant component's share of the n vertices in a random graph with ``cn`` edges.

    For c > 1/2, f(c) = 1 - 1/(2c) sum over k of k^(k-1)/k! (2c e^(-2c))^k (Cong and Muzio, theorem 3).
    """
    log_x = log(2 * c) - 2 * c
    k = np.arange(1, min(10**6, int(40 / -(1 + log_x)) + 10))
    terms = np.exp((k - 1) * np.log(k) - gammaln(k + 1) + k * log_x)
    return float(1 - terms.sum() / (2 * c))


def _beside_theorem(axes: Axes, found: list[Counted], every: list[Counted]) -> None:
    c = np.linspace(0.52, max(1.0, *(line["c"] for line in found)), 200)
    axes.plot(c, [100 * giant_share(x) for x in c], color="black", linewidth=1, label="f(c)")
    percent(axes, found, every)


@counted(
    "The giant component after each group of edges",
    source=f"{CONG.authors}, theorem 3",
    inputs=("urand:scale=14,degree=6,seed=1",),
    columns=(
        Column("edges", "edges so far"),
        Column("c", "c = edges / n"),
        Column("expected", "f(c), %", 2),
        Column("measured", "largest component, %", 2),
    ),
    draw=in_panels(
        lines(
            "c",
            "measured",
            "graph",
            "c (edges / vertices)",
            "largest component (% of the vertices)",
            _beside_theorem,
            joined=False,
        )
    ),
)
def giant_component(graph: Graph) -> Iterator[Counted]:
    """The algorithm "stages" processes the edges in random order, in groups of n edges for n vertices."""
    n = max(graph.vertices, 1)

    def largest(machine: Machine, phase: str, arrays: dict[str, Any]) -> tuple[int, float] | None:
        if phase != "shortcut":
            return None
        share = float(np.bincount(roots(arrays["D"])).max(initial=0) / n)
        return machine.items["next group"], 100 * share

    # Only the last shortcut of each group counts.
    for edges, measured in dict(noted(partial(stages, graph), largest)).items():
        c = edges / n
        expected = 100 * giant_share(c) if c > 0.5 else None
        yield {"edges": edges, "c": c, "expected": expected, "measured": measured}


@counted(
    "Rounds until nothing changes",
    source=f"{DEHNE.authors}, figure 6; {AFFOREST.authors}, section II",
    inputs=(
        "urand:scale=10,degree=8,seed=1",
        "grid2d:rows=32,columns=32,seed=1",
        "ring:vertices=1024,chords=0",
    ),
    columns=(
        Column("algorithm", "algorithm"),
        Column("in_order", "rounds in order"),
        Column("at_random", "rounds at random"),
    ),
    draw=in_panels(bars("algorithm", ("graph", "at_random"), "rounds, at random", log=True)),
)
def rounds(graph: Graph) -> Iterator[Counted]:
    """Rounds are counted twice: with iterations in order, and with iterations at random.

    In order, each iteration sees all earlier writes. At random, iterations are shuffled, and reads may be
    stale.
    """
    for algorithm in ALGORITHMS.values():
        phase = algorithm.round_phase
        if phase is not None:
            with Machine() as in_order:
                algorithm.function()(graph)
            with Machine("random", stale=True) as at_random:
                algorithm.function()(graph)
            yield {
                "algorithm": algorithm.name,
                "in_order": in_order.rounds(phase),
                "at_random": at_random.rounds(phase),
            }


@counted(
    "Vertices and edges still looked at, round by round",
    source=f"{ECL_CC.authors}, section 2 (Gunrock's filters); {THESIS.authors}, algorithms 7 and 8",
    inputs=("kron:scale=12,degree=8,seed=1",),
    columns=(
        Column("algorithm", "algorithm"),
        Column("phase", "phase"),
        Column("launch", "launch"),
        Column("items", "vertices or edges"),
    ),
    draw=in_panels(
        lines("launch", "items", "phase", "launch", "vertices or edges", symlog), each="algorithm"
    ),
)
def work(graph: Graph) -> Iterator[Counted]:
    """Items are the vertices or edges that a phase loops over, in random order. Reads may be stale."""

    def items_so_far(machine: Machine, phase: str, _: dict[str, Any]) -> tuple[str, int, int]:
        return phase, machine.rounds(phase), machine.items[phase]

    for algorithm in FILTERING:
        before: Counter[str] = Counter()
        run = partial(ALGORITHMS[algorithm].function(), graph)
        for phase, launch, items in noted(run, items_so_far, order="random", stale=True):
            yield {"algorithm": algorithm, "phase": phase, "launch": launch, "items": items - before[phase]}
            before[phase] = items
