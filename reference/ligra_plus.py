"""Ligra+: search or label propagation over compressed rows, which are decoded as they are read.

Ligra+ stores each row of the graph as differences between successive neighbors, encoded in bytes, and decodes
the rows during the search. Choose this algorithm to see what compressed rows cost and save.

J. Shun, L. Dhulipala and G. Blelloch, "Smaller and faster: parallel processing of compressed graphs with
Ligra+", DCC 2015; this description follows J. Jaiganesh's thesis, chapter 2.

Each row is sorted. Its first neighbor is stored as a signed difference from the vertex, and each later
neighbor as its difference from the one before. A difference is split into groups of 7 bits, lowest bits
first. Each group is stored in a byte whose eighth bit tells whether another one follows. In a row's first
byte, one of the 7 bits is the sign. In many graphs, neighbors have similar numbers, so most differences fit
in one byte.

In pseudo-code::

    for each vertex v:
        sort v's neighbors, and take the difference of each from the one before it
        store the differences in bytes, 7 bits per byte
    for each vertex s, in ascending order:
        if s is unvisited:
            Parent[s] = s, and the frontier is s alone
            repeat until the frontier is empty:
                top-down:
                    for each vertex u of the frontier in parallel:
                        for each unvisited neighbor w, as u's bytes are decoded:
                            swap Parent[w] from unvisited to Parent[u]
                            if that worked, w is in the next frontier

Its phases:

- *top-down*: the frontier claims its unvisited neighbors
- *propagate*: each vertex lowers its label to the smallest one among its neighbors
- *remember*: changed labels are saved for the next round

Input: both directions of every edge, in rows; the order within a row does not matter. The result is
deterministic, because both the search and the propagation are. Work O(n + m); depth the sum of the diameters
of all components. The work includes encoding the rows.

See also ``bfs``: searches plain rows; ``label-propagation``: propagates over plain rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.reference.bfs import always_top_down, search_all
from pointerjump.reference.label_propagation import propagate_changed
from pointerjump.reference.vocabulary import as_vertices, neighborhoods, shared

CONTINUE = 0x80
SIGN = 0x40  # the sign bit in the first byte of a row


def encode_row(v: int, neighbors: Sequence[int]) -> bytes:
    code = bytearray()
    previous = v
    for i, w in enumerate(sorted(neighbors)):
        difference, previous = w - previous, w
        rest = abs(difference)
        byte, rest = (rest & 0x3F, rest >> 6) if i == 0 else (rest & 0x7F, rest >> 7)
        if difference < 0:
            byte |= SIGN
        while rest:
            code.append(byte | CONTINUE)
            byte, rest = rest & 0x7F, rest >> 7
        code.append(byte)
    return bytes(code)


def decode_row(v: int, degree: int, code: bytes, at: int) -> Iterator[int]:
    """Yield the `degree` neighbors of v, decoded from the bytes that start at ``code[at]``."""
    w = v
    for i in range(degree):
        byte = code[at]
        bits = 6 if i == 0 else 7
        difference = byte & ((1 << bits) - 1)
        negative = i == 0 and byte & SIGN
        while byte & CONTINUE:
            at += 1
            byte = code[at]
            difference |= (byte & 0x7F) << bits
            bits += 7
        at += 1
        w += -difference if negative else difference
        yield w


class CompressedRow(Sequence[int]):
    """The neighbors of one vertex, decoded during iteration."""

    def __init__(self, v: int, degree: int, code: bytes, at: int) -> None:
        self._row = (v, degree, code, at)

    def __len__(self) -> int:
        return self._row[1]

    def __iter__(self) -> Iterator[int]:
        return decode_row(*self._row)

    def __getitem__(self, i: int) -> int:  # type: ignore[override]
        return list(self)[i]


def compress(graph: Graph) -> tuple[list[CompressedRow], bytes]:
    codes = [encode_row(v, row) for v, row in enumerate(neighborhoods(graph))]
    code = b"".join(codes)
    rows, at = [], 0
    for v, (degree, own) in enumerate(zip(graph.degrees.tolist(), codes, strict=True)):
        rows.append(CompressedRow(v, degree, code, at))
        at += len(own)
    return rows, code


def by_search(N: Sequence[Sequence[int]]) -> list[int]:
    return search_all(N, always_top_down)


def by_propagation(N: Sequence[Sequence[int]]) -> list[int]:
    ID = shared("ID", range(len(N)))
    propagate_changed(N, ID, list(range(len(N))))
    return ID


OVER: dict[str, Callable[[Sequence[Sequence[int]]], list[int]]] = {
    "bfs": by_search,
    "label-propagation": by_propagation,
}


def ligra_plus(graph: Graph, over: str = "bfs") -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

    `over` is the algorithm that runs on the compressed rows: "bfs" or "label-propagation".

    Examples
    --------
    >>> ligra_plus(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
    [0, 1, 0, 3, 3]
    >>> encode_row(5, [2, 6, 300]).hex(" ")
    '43 04 a6 02'
    """
    rows, _ = compress(graph)
    return as_vertices(OVER[over](rows))
