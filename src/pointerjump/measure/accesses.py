"""Properties based on counts of reads and writes per kernel, phase, round, vertex or sub-list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from pointerjump.base.graph import Graph
from pointerjump.base.limits import LOW_DEGREE, MIDDLE_DEGREE, W
from pointerjump.base.linked_lists import SuccessorArray
from pointerjump.measure.plots import bars, by_length, counts, heat_maps, in_panels, lines, logarithmic
from pointerjump.measure.properties import Column, Counted, counted, noted
from pointerjump.reference.afforest import afforest
from pointerjump.reference.graft_shortcut import graft_shortcut
from pointerjump.reference.ligra_plus import compress
from pointerjump.reference.machine import Cells, Machine
from pointerjump.reference.shiloach_vishkin import shiloach_vishkin
from pointerjump.reference.shiloach_vishkin_csr import shiloach_vishkin_csr
from pointerjump.reference.stages import stages
from pointerjump.registry import ALGORITHMS
from pointerjump.registry.table import AFFOREST, CONG, DEHNE, THESIS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ALGORITHM = Column("algorithm", "algorithm")

KERNELS: dict[str, tuple[int, str, str]] = {
    "SV0": (0, "n", "2n"),
    "SV1a": (2, "n", "n"),
    "SV1b": (2, "n", "n"),
    "SV2": (4, "m", "2n"),
    "SV3": (5, "m", "n"),
    "SV4": (2, "n", "n"),
    "SV5": (1, "n", "p"),
}
"""The reads and writes of each kernel according to Dehne and Yogaratnam, table 4. Reads are given as a
multiple of n or m. Here, n is the number of vertices, and m is the number of entries in the edge list."""

LOWEST = 16  # the number of parts that addresses are divided into; roots gather in the first
SPLITTERS = 1024  # the most splitters in a list whose sub-lists are measured

LOOK_UPS = {  # the phases that look up the components of edges' ends; a round begins with the first
    "CC": ("look up",),
    "CC-updt": ("update",),
    "CC, sorted": ("look up",),
    "Stages": ("next group", "look up"),
}
CLASSES = {  # ECL-CC's three classes of vertices, and their names in the table
    "low": f"degree up to {LOW_DEGREE}",
    "front": f"front: {LOW_DEGREE + 1} to {MIDDLE_DEGREE}",
    "back": f"back: above {MIDDLE_DEGREE}",
}


@counted(
    "Reads and writes of Shiloach-Vishkin's kernels",
    source=f"{DEHNE.authors}, table 4",
    inputs=("urand:scale=12,degree=8,seed=1", "kron:scale=12,degree=8,seed=1"),
    columns=(
        Column("kernel", "kernel"),
        Column("launches", "launches"),
        Column("formula_reads", "reads, paper"),
        Column("expected_reads", "as a number"),
        Column("reads", "reads a launch", 1),
        Column("formula_writes", "writes, paper"),
        Column("writes", "writes a launch", 1),
        Column("writes_per_n", "writes / n", 3),
        Column("cells_per_n", "cells / n, most", 3),
    ),
    draw=in_panels(
        bars(
            "kernel",
            {
                "reads, paper's formula": "expected_reads",
                "reads, counted": "reads",
                "writes, counted": "writes",
            },
            "accesses in a launch",
            log=True,
        ),
        each="graph",
    ),
)
def sv_accesses(graph: Graph) -> Iterator[Counted]:
    """Only the kernels' accesses to the parents D, the marks Q and the edge list are counted.

    n is the number of vertices, and m is the number of entries in the edge list, which has two entries for
    each undirected edge. The last column shows the largest number of distinct cells that any single launch
    writes. For SV1b, SV2 and SV3, which write only where they mark or hook, the paper's numbers are upper
    bounds on the number of cells. SV2 and SV3 may write more often: all edges that hook the same root write
    to the same cell. SV5 writes to a single flag, which is not counted.
    """
    written: dict[int, set[tuple[str, int]]] = {}  # by launch: cells, each with the name of its array

    def note(array: Cells, at: int, *_: Any) -> None:
        written.setdefault(len(machine.phases) - 1, set()).add((array.name, at))

    machine = Machine(on_write=note)
    with machine:
        shiloach_vishkin(graph)
    most_cells: Counter[str] = Counter()
    for launch, cells in written.items():
        kernel = machine.phases[launch]
        most_cells[kernel] = max(most_cells[kernel], len(cells))
    n, m = graph.vertices, graph.directed_edges
    for kernel, (times, unit, formula_writes) in KERNELS.items():
        launches = machine.rounds(kernel)
        reads, writes = (
            sum(count for (where, _), count in accesses.items() if where == kernel) / max(launches, 1)
            for accesses in (machine.reads, machine.writes)
        )
        yield {
            "kernel": kernel,
            "launches": launches,
            "formula_reads": f"{times}{unit}".removeprefix("1") if times else "0",
            "expected_reads": times * (n if unit == "n" else m),
            "reads": reads,
            "formula_writes": formula_writes,
            "writes": writes,
            "writes_per_n": writes / max(n, 1),
            "cells_per_n": most_cells[kernel] / max(n, 1),
        }


@counted(
    "Accesses of the parent array by phase",
    source=f"{AFFOREST.authors}, figure 7",
    inputs=("urand:scale=12,degree=16,seed=1",),
    columns=(
        ALGORITHM,
        Column("phase", "phase"),
        Column("launches", "launches"),
        Column("accesses", "accesses of pi"),
        Column("per_vertex", "a vertex", 1),
        Column("lowest", "in the first 1/16, %", 1),
        Column("next_to_last", "in the cache line of the worker's last, %", 1),
    ),
    draw=heat_maps,
)
def heat_map(graph: Graph) -> Iterator[Counted]:
    """Eight workers move in lockstep, each in a contiguous part of every loop. A cache line has 16 words."""
    runs: dict[str, Callable[[], object]] = {
        "shiloach-vishkin-csr": partial(shiloach_vishkin_csr, graph),
        "afforest, no skipping": partial(afforest, graph, skip_largest=False),
        "afforest": partial(afforest, graph),
    }
    for algorithm, run in runs.items():
        with Machine("chunks", trace=True) as machine:
            run()
        trace = [(at, phase, worker) for array, at, phase, worker in machine.accesses if array == "pi"]
        phases = list(dict.fromkeys(machine.phases))
        for phase in phases:
            own = np.array([at for at, where, _ in trace if where == phase], np.int64)
            yield {
                "algorithm": algorithm,
                "phase": phase,
                "launches": machine.rounds(phase),
                "accesses": len(own),
                "per_vertex": len(own) / max(graph.vertices, 1),
                "lowest": 100 * float(np.mean(own < graph.vertices / LOWEST)) if len(own) else 0.0,
                "next_to_last": 100 * _local(trace, phase),
                "trace": trace if phase == phases[-1] else [],
            }


def _local(trace: list[tuple[int, str, int]], phase: str) -> float:
    """Return the fraction of a phase's accesses that hit the cache line of the worker's previous access."""
    before: dict[int, int] = {}
    near = total = 0
    for at, where, worker in trace:
        if where == phase:
            near += worker in before and before[worker] // 16 == at // 16
            total += 1
            before[worker] = at
    return near / total if total else 0.0


@counted(
    "Random look-ups of components, round by round",
    source=f"{CONG.authors}, theorems 1 and 2, lemma 1",
    inputs=("urand:scale=12,degree=4,seed=1",),
    columns=(
        ALGORITHM,
        Column("round", "round"),
        Column("look_ups", "look-ups in D"),
        Column("random", "random"),
        Column("fewer", "fewer than CC"),
        Column("half_n", "n/2", 0),
    ),
    draw=in_panels(
        lines(
            "round",
            "random",
            "algorithm",
            "round (of Stages: group of edges)",
            "random look-ups",
            counts,
        ),
        each="graph",
    ),
)
def random_accesses(graph: Graph) -> Iterator[Counted]:
    """A look-up counts as random unless it is in the same block of 32 words as the previous look-up.

    For Stages, a round processes one group of n edges: it updates their ends, and then runs all rounds of CC
    on them. Sorting is not counted.
    """
    runs: dict[str, Callable[[], object]] = {
        "CC": partial(graft_shortcut, graph),
        "CC-updt": partial(graft_shortcut, graph, update=True),
        "CC, sorted": partial(graft_shortcut, graph, graft="sorted"),
        "Stages": partial(stages, graph),
    }

    def accesses_of_d(machine: Machine, phase: str, _: dict[str, Any]) -> tuple[str, list[int]]:
        found = [at for array, at, _, _ in machine.accesses if array == "D"]
        machine.accesses.clear()
        return phase, found

    of_cc: list[int] = []
    for algorithm, run in runs.items():
        rounds: list[list[int]] = []  # the addresses that each round looks up
        for phase, addresses in noted(run, accesses_of_d, trace=True):
            if phase == LOOK_UPS[algorithm][0]:
                rounds.append([])
            if phase in LOOK_UPS[algorithm]:
                rounds[-1] += addresses
        for i, looked_up in enumerate(rounds):
            blocks = np.array(looked_up, np.int64) // W
            random = int(np.count_nonzero(np.diff(blocks, prepend=-1)))
            if algorithm == "CC":
                of_cc.append(random)
            yield {
                "algorithm": algorithm,
                "round": i + 1,
                "look_ups": len(looked_up),
                "random": random,
                "fewer": of_cc[i] - random if i < len(of_cc) and algorithm != "Stages" else None,
                "half_n": graph.vertices / 2,
            }


@counted(
    "Edges read by searches from the top and in both directions",
    source=f"{AFFOREST.authors}, figures 6c and 8c",
    inputs=tuple(f"kron:scale=12,degree={d},seed=1" for d in (4, 16, 64)),
    columns=(
        Column("direction", "direction"),
        Column("directed_edges", "directed edges"),
        Column("read", "read"),
        Column("share", "share, %", 1),
    ),
    draw=in_panels(bars("graph", ("direction", "share"), "directed edges read (%)")),
)
def edges_read(graph: Graph) -> Iterator[Counted]:
    """Reads of row entries are counted. In bottom-up steps, a vertex stops at the first parent it finds."""
    for direction in ("top-down", "optimizing"):
        with Machine() as machine:
            ALGORITHMS["bfs"].function()(graph, direction)
        read = sum(count for (_, array), count in machine.reads.items() if array == "neighbors")
        yield {
            "direction": direction,
            "directed_edges": graph.directed_edges,
            "read": read,
            "share": 100 * read / max(graph.directed_edges, 1),
        }


@counted(
    "Vertices and edges by ECL-CC's degree limits",
    source=f"{THESIS.authors}, figure 4.1",
    inputs=(
        "kron:scale=14,degree=16,seed=1",
        "urand:scale=14,degree=16,seed=1",
        "grid2d:rows=128,columns=128,seed=1",
    ),
    columns=(
        Column("vertices", "vertices"),
        Column("directed_edges", "directed edges"),
        *(Column(name, heading) for name, heading in CLASSES.items()),
        Column("low_edges", "their edges, %", 1),
        Column("front_edges", "front's, %", 1),
        Column("back_edges", "back's, %", 1),
        Column("highest", "highest degree"),
    ),
    draw=in_panels(
        bars("graph", {CLASSES[name]: f"{name}_share" for name in CLASSES}, "vertices (%)"),
        bars("graph", {CLASSES[name]: f"{name}_edges" for name in CLASSES}, "directed edges (%)"),
    ),
)
def worklist(graph: Graph) -> Iterator[Counted]:
    """Only vertices of medium degree (at the front) and high degree (at the back) enter the worklist."""
    degree = graph.degrees
    n, m = max(graph.vertices, 1), max(graph.directed_edges, 1)
    line: Counted = {
        "vertices": graph.vertices,
        "directed_edges": graph.directed_edges,
        "highest": int(degree.max(initial=0)),
    }
    class_of = np.searchsorted([LOW_DEGREE, MIDDLE_DEGREE], degree)
    for i, name in enumerate(CLASSES):
        line[name] = int((class_of == i).sum())
        line[f"{name}_share"] = 100 * line[name] / n
        line[f"{name}_edges"] = 100 * float(degree[class_of == i].sum() / m)
    yield line


@counted(
    "Bytes for an edge in Ligra+'s code",
    source=f"{THESIS.authors}, chapter 2 (Ligra+)",
    inputs=(
        "grid2d:rows=64,columns=64,seed=1",
        "kron:scale=12,degree=16,seed=1",
        "urand:scale=14,degree=16,seed=1",
    ),
    columns=(
        Column("directed_edges", "directed edges"),
        Column("bytes", "bytes"),
        Column("bytes_per_edge", "bytes an edge"),
        Column("smaller", "times smaller than 4 bytes"),
    ),
    draw=in_panels(bars("graph", {"bytes": "bytes_per_edge"}, "size of a directed edge (bytes)")),
)
def compression(graph: Graph) -> Iterator[Counted]:
    """Sorted rows are stored as differences between entries, 7 bits to a byte. Offsets are not counted."""
    _, code = compress(graph)
    m = max(graph.directed_edges, 1)
    yield {
        "directed_edges": graph.directed_edges,
        "bytes": len(code),
        "bytes_per_edge": len(code) / m,
        "smaller": 4 * m / max(len(code), 1),
    }


def expected_length(n: int, p: int, j: int) -> float:
    """Return the expected length of the j-th shortest of the p + 1 sub-lists that p splitters create.

    According to Reid-Miller, the lengths between random cuts are exponentially distributed with mean n/p. The
    j-th shortest is expected at the quantile (j - 1/2) / (p + 1). Dehne and Yogaratnam's table 3 uses this.
    """
    return n / p * log((p + 1) / (p + 1 - j + 0.5))


def sublist_lengths(successors: SuccessorArray, choice: str = "random", seed: int = 1) -> list[int]:
    """Return the length of each splitter's sub-list, including the splitter. Empty sub-lists are left out."""
    splitters = max(1, min(SPLITTERS, len(successors) // 8))
    run = partial(ALGORITHMS["random-splitter"].function(), successors, splitters, seed, choice)

    def lengths(_: Machine, phase: str, arrays: dict[str, Any]) -> list[int] | None:
        return [length for length in list(arrays["sprank"]) if length] if phase == "RS3" else None

    return [length for found in noted(run, lengths) for length in found]


def _beside_expected(axes: Axes, found: list[Counted], every: list[Counted]) -> None:
    for i, line in enumerate(found):
        n, p = line["n"], line["p"]
        j = np.arange(1, p + 2)
        share = 100 * j / len(j)
        axes.plot(share, line["lengths"], linewidth=3, color=f"C{i}", label=f"{line['list']}")
        expected = [expected_length(n, p, k) for k in j]
        axes.plot(share, expected, "--", linewidth=1, color="black", label="expected")
    axes.set_xlabel("sub-lists of at most this length (%)")
    axes.set_ylabel("length (elements)")
    logarithmic(axes, [length for line in found for length in line["lengths"]])


@counted(
    "Lengths of sub-lists between random splitters",
    source=f"{DEHNE.authors}, table 3",
    of="list",
    inputs=tuple(f"list:length={1 << k},seed=1" for k in (16, 17, 18)),
    columns=(
        Column("n", "elements n"),
        Column("p", "splitters p"),
        Column("mean", "mean n/p", 1),
        Column("expected_low", "shortest, expected"),
        Column("low", "shortest"),
        Column("expected_high", "longest, expected", 1),
        Column("high", "longest"),
        Column("even_low", "even: shortest"),
        Column("even_high", "even: longest"),
    ),
    draw=in_panels(_beside_expected),
)
def sublists(successors: SuccessorArray) -> Iterator[Counted]:
    """The j-th shortest of p + 1 sub-lists has the expected length n/p ln((p + 1) / (p - j + 3/2))."""
    n = len(successors)
    random, even = (sublist_lengths(successors, choice) for choice in ("random", "even"))
    p = len(random) - 1  # the first element of a list is a splitter, too
    if p >= 1:
        yield {
            "n": n,
            "p": p,
            "mean": n / p,
            "expected_low": expected_length(n, p, 1),
            "expected_high": expected_length(n, p, p + 1),
            "low": int(min(random)),
            "high": int(max(random)),
            "even_low": int(min(even)),
            "even_high": int(max(even)),
            "lengths": sorted(random),
        }


@counted(
    "Accesses of shared arrays per list element",
    source=f"{DEHNE.authors}, section 3 and figure 3",
    of="list",
    inputs=tuple(f"list:length={1 << k},seed=1" for k in (10, 12, 14)),
    columns=(
        Column("n", "elements"),
        ALGORITHM,
        Column("reads", "reads an element", 1),
        Column("writes", "writes an element", 1),
        Column("accesses", "accesses an element", 1),
    ),
    draw=in_panels(
        lines(
            "n",
            "accesses",
            "algorithm",
            "length of the list (elements)",
            "accesses of shared arrays (per element)",
            by_length,
        )
    ),
)
def list_accesses(successors: SuccessorArray) -> Iterator[Counted]:
    """Accesses per element grow with log n for Wylie's algorithm, and are constant for the others."""
    for algorithm in ALGORITHMS.values():
        if algorithm.problem == "list-ranking":
            with Machine() as machine:
                algorithm.function()(successors)
            n = max(len(successors), 1)
            reads, writes = machine.reads.total() / n, machine.writes.total() / n
            yield {
                "n": len(successors),
                "algorithm": algorithm.name,
                "reads": reads,
                "writes": writes,
                "accesses": reads + writes,
            }
