"""Text formats that list each vertex's neighbors: METIS's ``.graph`` and Ligra's ``AdjacencyGraph``.

A METIS file has a header ``n m [fmt [ncon]]``, followed by one line per vertex that lists its neighbors. Each
edge is on two lines, but m counts it once. Vertices are numbered from 1. The digits of ``fmt`` say whether
each line also contains the size of the vertex, its ``ncon`` weights and a weight for each edge. A Ligra file
contains n, m, n offsets, m targets and optionally m weights. Line breaks may occur between any two numbers.
The sizes and weights of vertices are ignored, and so are the weights in Ligra files.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from pointerjump.base.arrow import pa, pc
from pointerjump.base.edges import check_vertex_count
from pointerjump.base.graph import Graph
from pointerjump.errors import FormatError
from pointerjump.formats import parsing
from pointerjump.formats.sources import Source
from pointerjump.formats.text import TextBlock, TextStart, block_of, blocks, joined, parsed

METIS_COMMENT = re.compile(rb"^[ \t]*%[^\n]*(?:\n|\Z)", re.MULTILINE)
METIS_LEADING = re.compile(rb"(?:\s*+%[^\n]*(?:\n|\Z))*+")
METIS_HEADER = re.compile(
    rb"\s*([0-9]{1,18})[ \t]+([0-9]{1,18})(?:[ \t]+([01]{1,3})(?:[ \t]+([0-9]{1,9}))?)?[ \t]*\r?(?:\n|\Z)"
)
LIGRA_HEADER = re.compile(rb"\s*(Weighted)?AdjacencyGraph\s+([0-9]{1,18})\s+([0-9]{1,18})(?:\s+|\Z)")

ROWS_AT_ONCE = 1 << 18  # rows written at a time, to limit the memory needed for their text


# -- METIS ---------------------------------------------------------------------------------------------


def read_metis(source: Source) -> tuple[Graph, npt.NDArray[Any] | None]:
    """Read a METIS graph and its edge weights, which are None if the file contains none."""
    text = TextStart(source)
    text.take(METIS_LEADING)
    header = text.take(METIS_HEADER)
    if header is None:
        raise FormatError("does not begin with a METIS header: 'n m', 'n m fmt' or 'n m fmt ncon'")
    n, m = int(header[1]), int(header[2])
    check_vertex_count(n)
    found = parsed(_rows, source, blocks(source, text.place, long_lines=True))
    numbers, words = (np.concatenate(parts) for parts in zip(*found, strict=True))
    if len(words) < n or words[n:].any():
        raise FormatError(
            f"states {n} vertices, but {len(words)} lines follow: each vertex needs one; it is truncated or "
            "miscounted"
        )
    graph, weights = _graph_of_rows(numbers, words[:n], header[3] or b"", int(header[4] or 1))
    entries = graph.directed_edges
    loops = int(np.count_nonzero(graph.neighbors == graph.sources))
    if 2 * m not in (entries, entries + loops):  # a row may contain a loop once or twice
        raise FormatError(
            f"states {m} edges and lists {entries} neighbors, which must be twice as many: "
            "it is truncated or miscounted"
        )
    if not graph.symmetric:
        adjacency = graph.to_scipy()
        adjacency.sum_duplicates()
        u, v = (adjacency > adjacency.T).nonzero()
        if len(u):
            raise FormatError(
                f"lists {v[0] + 1} as a neighbor of vertex {u[0] + 1}, but not {u[0] + 1} as one of "
                f"{v[0] + 1}: each edge must be listed at both ends"
            )
        raise FormatError("lists an edge more often at one end than at the other: list it equally often")
    if source.weighted and weights is None:
        raise FormatError("has no weights of edges: its fmt must end with 1")
    return graph, weights


def _rows(block: TextBlock) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    # Returns the numbers in a block, except in comments, and the count of numbers on each line.
    text = METIS_COMMENT.sub(b"", block.content) if block.has("%") else block.content
    _, words = parsing.word_starts(text)
    return parsing.integers(block, METIS_COMMENT), words


def _graph_of_rows(
    numbers: npt.NDArray[Any], words: npt.NDArray[np.int64], fmt: bytes, ncon: int
) -> tuple[Graph, npt.NDArray[Any] | None]:
    """Return a graph and its weights, given the numbers after the header and how many are on each line."""
    sizes, vertex_weights, edge_weights = (digit == ord("1") for digit in fmt.rjust(3, b"0"))
    before = sizes + ncon * vertex_weights
    step = 1 + edge_weights
    uneven = (words < before) | ((words - before) % step != 0)
    if uneven.any():
        v = int(np.argmax(uneven))
        raise FormatError(
            f"has {words[v]} numbers for vertex {v + 1}, but its fmt ({fmt.decode()}) means "
            f"{before} and then {step} for each neighbor: correct the line or fmt"
        )
    weights = None
    if before or edge_weights:
        offsets = np.cumsum(words) - words
        place = np.arange(len(numbers)) - np.repeat(offsets, words) - before  # each number's index in its row
        if edge_weights:
            weights = numbers[(place >= 0) & (place % step == 1)]
        numbers = numbers[(place >= 0) & (place % step == 0)]
    degrees = (words - before) // step
    n = len(words)
    if len(numbers) and (numbers.min() < 1 or numbers.max() > n):
        at = int(np.argmax((numbers < 1) | (numbers > n)))
        v = int(np.searchsorted(np.cumsum(degrees), at, "right"))
        raise FormatError(f"lists {numbers[at]} as a neighbor of vertex {v + 1}: ids run from 1 to {n}")
    return Graph(np.append(0, np.cumsum(degrees)), numbers - 1), weights


def write_metis(graph: Graph, file: BinaryIO) -> None:
    """Write every edge on the lines of both its vertices. Keep self-loops, although METIS expects none."""
    # METIS expects no duplicates, but the graph's rows may contain some.
    graph = Graph.of_edges(graph.sources, graph.neighbors, graph.vertices).in_rows()
    loops = graph.directed_edges - 2 * graph.edges
    file.write(f"{graph.vertices} {graph.edges + loops}\n".encode())
    for first in range(0, graph.vertices, ROWS_AT_ONCE):
        offsets: Any = graph.offsets[first : first + ROWS_AT_ONCE + 1]
        ids = pa.array(graph.neighbors[offsets[0] : offsets[-1]] + 1).cast(pa.string())
        rows = pa.ListArray.from_arrays(pa.array(offsets - offsets[0], pa.int32()), ids)
        parsing.write_columns(file, [pc.binary_join(rows, " ")], delimiter="\t")


# -- Ligra ---------------------------------------------------------------------------------------------


def read_ligra(source: Source) -> tuple[Graph, None]:
    text = TextStart(source)
    header = text.take(LIGRA_HEADER)
    if header is None:
        raise FormatError("does not begin with AdjacencyGraph or WeightedAdjacencyGraph, n and m")
    weighted, n, m = header[1] is not None, int(header[2]), int(header[3])
    check_vertex_count(n)
    count = 0

    def without_weights() -> Generator[TextBlock, None, None]:
        # Weights may be fractions, so only the text before them is yielded. All words are counted.
        nonlocal count
        for block in blocks(source, text.place, long_lines=True):
            starts, _ = parsing.word_starts(block.content)
            left = n + m - count
            count += len(starts)
            if left >= len(starts):
                yield block
            elif left > 0:
                yield block_of(block.content[: int(starts[left])], block.place)

    found = without_weights() if weighted else blocks(source, text.place, long_lines=True)
    (numbers,) = joined(parsed(lambda block: [parsing.integers(block)], source, found))
    if weighted:
        _require_words(count, n + 2 * m, f"{n} offsets, {m} targets and {m} weights")
    _require_words(len(numbers), n + m, f"{n} offsets and {m} targets")
    return Graph(np.append(numbers[:n], m), numbers[n:]), None


def _require_words(found: int, stated: int, what: str) -> None:
    if found != stated:
        fault = "it is truncated" if found < stated else "it goes on after them"
        raise FormatError(f"states {what}, {stated} numbers, but has {found}: {fault}")


def write_ligra(graph: Graph, file: BinaryIO) -> None:
    """Write an ``AdjacencyGraph`` file that contains both directions of every edge."""
    file.write(f"AdjacencyGraph\n{graph.vertices}\n{graph.directed_edges}\n".encode())
    parsing.write_columns(file, [graph.offsets[:-1]])
    parsing.write_columns(file, [graph.neighbors])
