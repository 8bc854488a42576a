"""What is read and written: by each kernel, at each address in each phase, and in each round."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from pointerjump.graph import Graph
from pointerjump.limits import W
from pointerjump.measure.measurement import Line
from pointerjump.reference.afforest import afforest
from pointerjump.reference.graft_shortcut import graft_shortcut
from pointerjump.reference.machine import Cells, Machine
from pointerjump.reference.shiloach_vishkin import shiloach_vishkin
from pointerjump.reference.shiloach_vishkin_csr import shiloach_vishkin_csr
from pointerjump.reference.stages import stages
from pointerjump.registry import ALGORITHMS

KERNELS = ("SV0", "SV1a", "SV1b", "SV2", "SV3", "SV4", "SV5")
FORMULA: dict[str, tuple[int, str, str]] = {
    "SV0": (0, "n", "2n"),
    "SV1a": (2, "n", "n"),
    "SV1b": (2, "n", "n"),
    "SV2": (4, "m", "2n"),
    "SV3": (5, "m", "n"),
    "SV4": (2, "n", "n"),
    "SV5": (1, "n", "p"),
}
"""Dehne and Yogaratnam, table 4: each kernel's reads, as a multiple of n or m, and its writes. Their m is
what the kernels loop over: the number of entries of the edge list."""

LOWEST = 16
"""The first 1/16 of the addresses, where roots gather."""


def sv_accesses(name: str, graph: Graph) -> list[Line]:
    """Count reads and writes of Shiloach-Vishkin's kernels beside Dehne and Yogaratnam's table 4.

    Several edges may hook the same root in one launch. Each of them writes, but all write the same cell: so
    the different cells that a launch writes are counted too.
    """
    written: dict[int, set[tuple[str, int]]] = {}  # by launch: which cells of which arrays

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
    lines: list[Line] = []
    for kernel in KERNELS:
        times, unit, writes = FORMULA[kernel]
        runs = max(machine.rounds(kernel), 1)
        reads = _in_phase(machine.reads, kernel) / runs
        lines.append(
            {
                "graph": name,
                "kernel": kernel,
                "launches": machine.rounds(kernel),
                "formula_reads": f"{times}{unit}".removeprefix("1") if times else "0",
                "expected_reads": times * (n if unit == "n" else m),
                "reads": reads,
                "formula_writes": writes,
                "writes": _in_phase(machine.writes, kernel) / runs,
                "writes_per_n": _in_phase(machine.writes, kernel) / runs / max(n, 1),
                "cells_per_n": most_cells[kernel] / max(n, 1),
            }
        )
    return lines


def _in_phase(accesses: Counter[tuple[str, str]], phase: str) -> int:
    return sum(count for (where, _), count in accesses.items() if where == phase)


def heat_map(name: str, graph: Graph) -> list[Line]:
    """Trace the accesses of pi by phase, for Shiloach-Vishkin and Afforest (Sutton et al., figure 7)."""
    runs: dict[str, Any] = {
        "shiloach-vishkin-csr": lambda: shiloach_vishkin_csr(graph),
        "afforest, no skipping": lambda: afforest(graph, skip_largest=False),
        "afforest": lambda: afforest(graph),
    }
    lines: list[Line] = []
    for algorithm, run in runs.items():
        with Machine("chunks", trace=True) as machine:
            run()
        trace = [(at, phase, worker) for array, at, phase, worker in machine.accesses if array == "pi"]
        for phase in dict.fromkeys(machine.phases):
            own = np.array([at for at, where, _ in trace if where == phase], np.int64)
            lines.append(
                {
                    "graph": name,
                    "algorithm": algorithm,
                    "phase": phase,
                    "launches": machine.rounds(phase),
                    "accesses": len(own),
                    "per_vertex": len(own) / max(graph.vertices, 1),
                    "lowest": 100 * float(np.mean(own < graph.vertices / LOWEST)) if len(own) else 0.0,
                    "next_to_last": 100 * _local(trace, phase),
                }
            )
        lines[-1]["trace"] = trace
    return lines


def _local(trace: list[tuple[int, str, int]], phase: str) -> float:
    """Return the share of a phase's accesses within a cache line of its worker's access before."""
    before: dict[int, int] = {}
    near = total = 0
    for at, where, worker in trace:
        if where == phase:
            near += worker in before and before[worker] // 16 == at // 16
            total += 1
            before[worker] = at
    return near / total if total else 0.0


def edges_read(name: str, graph: Graph) -> list[Line]:
    """Count the row entries that a search reads, from the top only and in both directions."""
    lines: list[Line] = []
    for direction in ("top-down", "optimizing"):
        with Machine() as machine:
            ALGORITHMS["bfs"].function()(graph, direction)
        read = sum(count for (_, array), count in machine.reads.items() if array == "neighbors")
        lines.append(
            {
                "graph": name,
                "direction": direction,
                "directed_edges": graph.directed_edges,
                "read": read,
                "share": 100 * read / max(graph.directed_edges, 1),
            }
        )
    return lines


LOOK_UPS = {
    "CC": ("look up",),
    "CC-updt": ("update",),
    "CC, sorted": ("look up",),
    "Stages": ("next group", "look up"),
}
"""The phases in which edges look up their ends' components in D. A round begins with the first of them."""


def random_accesses(name: str, graph: Graph) -> list[Line]:
    """Count look-ups in D round by round, and how many are random (Cong and Muzio, theorems 1 and 2)."""
    runs: dict[str, Any] = {
        "CC": lambda: graft_shortcut(graph),
        "CC-updt": lambda: graft_shortcut(graph, update=True),
        "CC, sorted": lambda: graft_shortcut(graph, graft="sorted"),
        "Stages": lambda: stages(graph),
    }
    lines: list[Line] = []
    of_cc: list[int] = []
    for algorithm, run in runs.items():
        for i, trace in enumerate(_look_ups(run, LOOK_UPS[algorithm])):
            blocks = np.array(trace, np.int64) // W
            random = int(np.count_nonzero(np.diff(blocks, prepend=-1)))
            if algorithm == "CC":
                of_cc.append(random)
            lines.append(
                {
                    "graph": name,
                    "algorithm": algorithm,
                    "round": i + 1,
                    "look_ups": len(trace),
                    "random": random,
                    "fewer": of_cc[i] - random if i < len(of_cc) and algorithm != "Stages" else None,
                    "half_n": graph.vertices / 2,
                }
            )
    return lines


def _look_ups(run: Any, phases: tuple[str, ...]) -> list[list[int]]:
    """Return the addresses in D that the look-ups of each round read, in order."""
    traces: list[list[int]] = []

    def note(ended: str, _: dict[str, Any]) -> None:
        if ended == phases[0]:
            traces.append([])
        if ended in phases:
            traces[-1] += [at for array, at, _, _ in machine.accesses if array == "D"]
        machine.accesses.clear()

    machine = Machine(trace=True, after_phase=note)
    with machine:
        run()
    return traces
