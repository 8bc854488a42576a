"""Device implementation of Ligra+. The host compresses the rows once per graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.bfs import MACROS, Reading, plan_search
from pointerjump.accel.label_propagation import plan_propagation
from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.graphs import ResidentRows
from pointerjump.base.graph import Graph


def prepare(graph: ResidentRows, over: str, narrow: int, access: str, reads: str, rounds_ahead: int) -> Plan:
    session = graph.session
    offsets, code = compress(graph.host)
    wide = bool(offsets[-1] > np.iinfo(np.uint32).max)
    inner = "OVER_SEARCH" if over == "bfs" else "OVER_PROPAGATION"
    macros: dict[str, Any] = {"WIDE_OFFSETS": wide, inner: True, "TILE": 1, **MACROS}
    rows = (
        session.put(offsets.astype(np.uint64 if wide else np.uint32), "the code's offsets"),
        session.put(code, "the compressed rows"),
    )
    reading = Reading(graph.kernels("ligra_plus.cl", access, reads, **macros), rows)
    if over == "bfs":
        return plan_search(graph, reading, narrow, rounds_ahead)
    return plan_propagation(graph, reading, rounds_ahead)


def compress(graph: Graph) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Compress the rows of a graph.

    Return the rows' offsets, including the end of the last row, and the compressed rows (see ``rows.h``).
    """
    if graph.directed_edges == 0:
        return np.zeros(graph.vertices + 1, np.int64), np.zeros(0, np.uint8)
    sources, targets = graph.sources.astype(np.int64), graph.neighbors.astype(np.int64)
    order = np.argsort(sources * graph.vertices + targets, kind="stable")
    sources, targets = sources[order], targets[order]  # rows in ascending order
    first = np.ones(len(sources), bool)
    first[1:] = sources[1:] != sources[:-1]
    difference = targets - np.where(first, sources, np.roll(targets, 1))
    rest = np.abs(difference)

    # An entry is coded in blocks. The first block of a row's first entry has 6 bits; all others have 7.
    bits = np.where(first, 6, 7)
    length = np.ones(len(rest), np.int64)
    left = rest >> bits
    while left.any():
        length += left > 0
        left >>= 7
    ends = np.cumsum(length)
    code = np.zeros(ends[-1], np.uint8)
    at = ends - length
    block = rest & ((1 << bits) - 1)
    block |= np.where(difference < 0, 0x40, 0)  # only a row's first difference can be negative
    left = rest >> bits
    going = np.arange(len(rest))
    while len(going):
        more = left > 0
        code[at] = block | np.where(more, 0x80, 0)
        going, at, left = going[more], at[more] + 1, left[more]
        block, left = left & 0x7F, left >> 7
    return np.concatenate([[0], ends])[graph.offsets], code
