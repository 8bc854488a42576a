"""Ligra's text formats: ``AdjacencyGraph``, n, m, n offsets, m targets; weighted ones add m weights."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

import numpy as np

from pointerjump.edges import check_vertex_count
from pointerjump.errors import FormatError
from pointerjump.formats import parsing
from pointerjump.formats.sources import Source
from pointerjump.formats.text import Block
from pointerjump.graph import Graph

HEADER = re.compile(rb"\s*(Weighted)?AdjacencyGraph\s+([0-9]{1,18})\s+([0-9]{1,18})(?:\s+|\Z)")


def read_ligra(source: Source) -> Graph:
    """Read an adjacency graph; weights are ignored."""
    text = source.text_of_long_lines
    header = text.take(HEADER)
    if header is None:
        raise FormatError("does not begin with AdjacencyGraph or WeightedAdjacencyGraph, n and m")
    weighted, n, m = header[1] is not None, int(header[2]), int(header[3])
    check_vertex_count(n)
    words = _Words(n + m if weighted else None)
    blocks = text.parsed(lambda block: [parsing.integers(block)], words.up_to_limit(text.blocks()))
    (numbers,) = parsing.joined(blocks)
    if weighted:
        _require_words(words.count, n + 2 * m, f"{n} offsets, {m} targets and {m} weights")
    _require_words(len(numbers), n + m, f"{n} offsets and {m} targets")
    return Graph(np.append(numbers[:n], m), numbers[n:])


class _Words:
    """Counts the words of a text, and passes on only so many: the weights after them may be fractions."""

    def __init__(self, limit: int | None) -> None:
        self.limit = limit
        self.count = 0

    def up_to_limit(self, blocks: Iterable[Block]) -> Iterator[Block]:
        if self.limit is None:
            yield from blocks
            return
        for block in blocks:
            starts, _ = parsing.word_starts(block.content)
            left = self.limit - self.count
            self.count += len(starts)
            if left >= len(starts):
                yield block
            elif left > 0:
                yield Block(block.buffer.slice(0, int(starts[left])), block.line)


def _require_words(found: int, stated: int, what: str) -> None:
    if found != stated:
        fault = "it is truncated" if found < stated else "it goes on after them"
        raise FormatError(f"states {what}, {stated} numbers, but has {found}: {fault}")


def write_ligra(graph: Graph, file: BinaryIO) -> None:
    """Write an ``AdjacencyGraph``, both directions of every edge."""
    file.write(f"AdjacencyGraph\n{graph.vertices}\n{graph.directed_edges}\n".encode())
    parsing.write_columns(file, [graph.offsets[:-1]])
    parsing.write_columns(file, [graph.neighbors])
