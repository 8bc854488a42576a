"""Ligra's text formats: ``AdjacencyGraph``, n, m, n offsets, m targets; weighted ones add m weights."""

from __future__ import annotations

import re
from typing import BinaryIO

import numpy as np

from pointerjump.errors import FormatError
from pointerjump.formats import parsing
from pointerjump.formats.files import Source
from pointerjump.graph import Graph, check_vertex_count

HEADER = re.compile(rb"\s*(Weighted)?AdjacencyGraph\s+([0-9]{1,18})\s+([0-9]{1,18})(?:\s+|\Z)")


def read_ligra(source: Source) -> Graph:
    """Read an adjacency graph; weights are passed over."""
    text = source.text
    header = HEADER.match(text)
    if header is None:
        raise FormatError("does not begin with AdjacencyGraph or WeightedAdjacencyGraph, n and m")
    weighted, n, m = header[1] is not None, int(header[2]), int(header[3])
    check_vertex_count(n)
    start = header.end()
    if weighted:
        starts, _ = parsing.word_starts(text[start:])
        _require_words(len(starts), n + 2 * m, f"{n} offsets, {m} targets and {m} weights")
        if m:
            text = text[: start + starts[n + m]]  # weights may be fractions
    numbers = parsing.integers(text, start)
    _require_words(len(numbers), n + m, f"{n} offsets and {m} targets")
    return Graph(np.append(numbers[:n], m), numbers[n:])


def _require_words(found: int, stated: int, what: str) -> None:
    if found != stated:
        fault = "it is truncated" if found < stated else "it goes on after them"
        raise FormatError(f"states {what}, {stated} numbers, and has {found}: {fault}")


def write_ligra(graph: Graph, file: BinaryIO) -> None:
    """Write an ``AdjacencyGraph``, both directions of every edge."""
    graph = graph.symmetrized()
    file.write(f"AdjacencyGraph\n{graph.vertices}\n{graph.directed_edges}\n".encode())
    parsing.write_columns(file, [graph.offsets[:-1]])
    parsing.write_columns(file, [graph.neighbors])
