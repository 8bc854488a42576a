"""Properties of a graph that decide how much an algorithm has to do: degrees, paths, components, sizes."""

from __future__ import annotations

from collections.abc import Mapping
from math import log
from typing import Any

import numpy as np
from scipy.special import gammaln

from pointerjump.graph import Graph
from pointerjump.limits import LOW_DEGREE, MIDDLE_DEGREE
from pointerjump.measure.measurement import Line
from pointerjump.measure.watching import at_calls, path_length, roots
from pointerjump.reference.ecl_cc import JUMP, ecl_cc
from pointerjump.reference.ligra_plus import compress
from pointerjump.reference.machine import Machine
from pointerjump.reference.stages import stages

"""The degrees up to which ECL-CC gives a vertex to one work-item, or to a tile of them. Vertices of higher
degree go to a whole work-group."""


def paths(name: str, graph: Graph) -> list[Line]:
    """Measure how long the paths are on which ECL-CC finds a representative, for each way to jump."""
    lines: list[Line] = []
    for jump in JUMP:
        lengths = _found_paths(graph, jump)
        lines.append(
            {
                "graph": name,
                "jump": jump,
                "finds": len(lengths),
                "average": float(np.mean(lengths)) if lengths else 0.0,
                "longest": max(lengths, default=0),
            }
        )
    return lines


def _found_paths(graph: Graph, jump: str) -> list[int]:
    """Return the length of every path that a find of ECL-CC walks."""
    lengths: list[int] = []

    def look(seen: dict[str, Any]) -> None:
        lengths.append(path_length(seen["v"], seen["parent"]))

    with at_calls([JUMP[jump]], look):
        ecl_cc(graph, jump=jump)
    return lengths


def giant_share(c: float) -> float:
    """Return ``f(c)``: the share of the vertices in the giant component of a random graph of ``cn`` edges.

    Cong and Muzio, theorem 3: f(c) = 1 - 1/(2c) sum over k of k^(k-1)/k! (2c e^(-2c))^k, for c > 1/2. The
    nearer c is to 1/2, the more terms matter.

    Examples
    --------
    >>> [round(giant_share(c), 3) for c in (0.6, 1.0, 2.0)]
    [0.314, 0.797, 0.98]
    """
    log_x = log(2 * c) - 2 * c
    k = np.arange(1, min(10**6, int(40 / -(1 + log_x)) + 10))
    terms = np.exp((k - 1) * np.log(k) - gammaln(k + 1) + k * log_x)
    return float(1 - terms.sum() / (2 * c))


def giant_component(name: str, graph: Graph) -> list[Line]:
    """Measure the largest component after each group of Stages beside f(c)."""
    n = max(graph.vertices, 1)
    lines: list[Line] = []

    def note(phase: str, arrays: Mapping[str, list[int]]) -> None:
        if phase != "shortcut":
            return
        edges = machine.items["next group"]
        c = edges / n
        if lines and lines[-1]["edges"] == edges:
            lines.pop()  # only the group's last shortcut counts
        lines.append(
            {
                "graph": name,
                "edges": edges,
                "c": c,
                "expected": 100 * giant_share(c) if c > 0.5 else None,
                "measured": 100 * float(np.bincount(roots(arrays["D"])).max(initial=0) / n),
            }
        )

    machine = Machine(after_phase=note)
    with machine:
        stages(graph)
    return lines


def worklist(name: str, graph: Graph) -> list[Line]:
    """Count what goes to ECL-CC's double-sided worklist: vertices and edges by degree."""
    degree = graph.degrees
    front = (degree > LOW_DEGREE) & (degree <= MIDDLE_DEGREE)
    back = degree > MIDDLE_DEGREE
    m = max(graph.directed_edges, 1)
    return [
        {
            "graph": name,
            "vertices": graph.vertices,
            "directed_edges": graph.directed_edges,
            "low": int((~front & ~back).sum()),
            "front": int(front.sum()),
            "back": int(back.sum()),
            "low_edges": 100 * float(degree[~front & ~back].sum() / m),
            "front_edges": 100 * float(degree[front].sum() / m),
            "back_edges": 100 * float(degree[back].sum() / m),
            "highest": int(degree.max(initial=0)),
        }
    ]


def compression(name: str, graph: Graph) -> list[Line]:
    """Measure how many bytes Ligra+'s code takes for an edge. A plain row takes four."""
    _, code = compress(graph)
    m = max(graph.directed_edges, 1)
    return [
        {
            "graph": name,
            "directed_edges": graph.directed_edges,
            "bytes": len(code),
            "bytes_per_edge": len(code) / m,
            "smaller": 4 * m / max(len(code), 1),
        }
    ]
