"""Reads edges piece by piece, from any position in a file and within a memory limit.

Each format that can be read in this way has a function that accepts a block size, reads the beginning of a
file and returns its `FileEdges`. Files are not kept open between two passes over the edges.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.edges import Ids, check_vertex_count
from pointerjump.base.graph import Graph
from pointerjump.errors import FormatError
from pointerjump.formats.files import MORE_MEMORY
from pointerjump.formats.sources import Source
from pointerjump.formats.text import TextBlock, TextPlace, blocks, joined, parsed_in_order

Position = Mapping[str, int]
"""A position in a file from which reading can continue. It can be stored as JSON. Its ``record`` is the
number of edges before the position. Any other items are used only by the reader for the format."""

FIRST: Position = {"record": 0}

DEFAULT_MEMORY, LEAST_MEMORY = 96 << 20, 16 << 20  # bytes for reading: the default and the least
_HELD = 8  # the number of blocks in memory: the caller's, the next one and copies
_MOST_BYTES = 64 << 20  # bytes of the largest block: larger blocks are not faster

_PARSING_BYTES = 2 << 20  # bytes of a block per thread that parses text; parsing takes 8 times as many
_PAIR_BYTES = 16  # bytes of the longest usual record; a block has room for at least one
_FEW = 4  # pieces are joined if all of them together are smaller than a block by this factor


@dataclass(frozen=True)
class Piece:
    """A batch of edges from a file."""

    sources: npt.NDArray[Any]  # sources and targets may be columns of one array
    targets: npt.NDArray[Any]
    end: Position  # where the next piece begins, and where `Blocks.pieces` can continue
    bytes_read: int  # the number of bytes of the file read so far
    vertices: int = 0  # a lower bound on the number of vertices
    weights: npt.NDArray[Any] | None = None  # None if weights are not read

    @classmethod
    def of(cls, columns: Sequence[npt.NDArray[Any]], end: Position, bytes_read: int) -> Piece:
        """Create a piece from its columns: sources, targets and optionally weights."""
        sources, targets, *weights = columns
        return cls(sources, targets, end, bytes_read, weights=weights[0] if weights else None)

    @property
    def columns(self) -> tuple[npt.NDArray[Any], ...]:
        ends = self.sources, self.targets
        return ends if self.weights is None else (*ends, self.weights)

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in self.columns)


Pieces = Generator[Piece, None, None]


def block_within(size: int) -> int:
    """Return a block size in bytes with which reading needs at most `size` bytes of memory in total."""
    if size < LEAST_MEMORY:
        raise FormatError(
            f"memory is {memory.in_words(size)}, but reading takes at least "
            f"{memory.in_words(LEAST_MEMORY)}: allow that much"
        )
    return max(_PAIR_BYTES, min(size // _HELD, _MOST_BYTES))


@dataclass(frozen=True)
class FileEdges:
    """The edges of a file.

    `pieces` reads the edges, starting at a given position. `vertices` and `records` are the numbers of
    vertices and edges, or None if unknown. `documents` contains the documents of a ``.dups`` file.
    """

    pieces: Callable[[Position], Pieces]
    vertices: int | None = None
    records: int | None = None
    documents: Any = None


def edges_in_lines(
    source: Source,
    block: int,
    parse: Callable[[TextBlock], list[npt.NDArray[Any]]],
    begin: TextPlace,
    vertices: int | None,
    records: int | None,
    miscounted: str,
    ends: Callable[..., tuple[npt.NDArray[Any], npt.NDArray[Any]]] | None = None,
) -> FileEdges:
    """Return the edges of a text file with one edge per line.

    The text is read from `begin` on. `parse` converts each block of text to sources and targets, followed by
    weights if they are read. If given, `ends` converts sources and targets to vertices. Its third argument is
    the number of edges before the block, for error messages. `miscounted` is the error message for a wrong
    number of edges. It may contain the placeholders ``{stated}`` and ``{found}``.
    """

    def pieces(start: Position) -> Pieces:
        record = start["record"]
        place = TextPlace(start.get("byte", begin.byte), start.get("line", begin.line))
        found = parsed_in_order(parse, blocks(source, place), max(1, block // _PARSING_BYTES))
        with closing(found):
            for (sources, targets, *weights), after, bytes_read in found:
                if not len(sources):
                    continue
                if ends:
                    sources, targets = ends(sources, targets, record)
                record += len(sources)
                yield Piece.of(
                    [sources, targets, *weights], {"record": record, **after._asdict()}, bytes_read
                )
        if records not in (None, record):
            raise FormatError(miscounted.format(stated=records, found=record))

    return FileEdges(pieces, vertices, records)


def joined_pieces(
    opener: Callable[[Source, int], FileEdges], source: Source
) -> tuple[Graph, npt.NDArray[Any]]:
    """Read a whole file. Return its graph and an array of weights, which is empty if weights are not read."""
    edges = opener(source, _MOST_BYTES)
    if edges.vertices is not None:
        check_vertex_count(edges.vertices)
    vertices = source.vertices if edges.vertices is None else edges.vertices
    return graph_of_pieces(edges.pieces(FIRST), source.ids, vertices, source.report)


def graph_of_pieces(
    pieces: Pieces, ids: Ids, vertices: int | None, report: Callable[[int], None] = lambda bytes_read: None
) -> tuple[Graph, npt.NDArray[Any]]:
    parts, weights, held = [], [], 0
    with closing(pieces):
        for piece in pieces:
            report(piece.bytes_read)
            parts.append([piece.sources, piece.targets])
            if piece.weights is not None:
                weights.append(piece.weights)
            held += piece.nbytes
            memory.require(held, f"joining the numbers in its first {piece.end['record']} edges", MORE_MEMORY)
    none = np.empty(0, np.int32)
    sources, targets = joined(parts or [[none, none]])
    return Graph.of_edges(sources, targets, vertices, ids=ids), np.concatenate(weights or [np.empty(0)])


def gathered(pieces: Pieces, block: int) -> Pieces:
    """Join small consecutive pieces of the same dtypes, because every piece has a fixed overhead."""
    waiting: list[Piece] = []
    held = 0

    def together() -> Piece:
        if len(waiting) == 1:
            return waiting[0]
        last = waiting[-1]
        columns = zip(*(each.columns for each in waiting), strict=True)
        return Piece.of(list(map(np.concatenate, columns)), last.end, last.bytes_read)

    for piece in pieces:
        dtypes = [column.dtype for column in piece.columns]
        if waiting and (
            held + piece.nbytes > block // _FEW or dtypes != [column.dtype for column in waiting[0].columns]
        ):
            yield together()
            waiting, held = [], 0
        waiting.append(piece)
        held += piece.nbytes
    if waiting:
        yield together()


def numbers_of(columns: Sequence[str | int], names: Sequence[Any], where: str) -> list[int]:
    """Return the indices of columns given by index or name. Raise an error if any are missing or repeated."""
    for column in columns:
        if isinstance(column, int):
            if column >= len(names):
                raise FormatError(f"has no column {column}: {where} has {len(names)}, numbered from 0")
        elif names.count(column) != 1:
            fault = f"{names.count(column)} columns" if column in names else "no column"
            raise FormatError(f"has {fault} called {column!r}: {where} has {listed(names)}")
    found = [column if isinstance(column, int) else names.index(column) for column in columns]
    if len(set(found)) < len(found):
        raise FormatError(f"columns={tuple(columns)!r} names one column twice: give different ones")
    return found


def listed(names: Sequence[str]) -> str:
    return (", ".join(map(repr, names[:20])) or "no columns") + (", ..." if len(names) > 20 else "")


def require_plain(source: Source) -> None:
    """Raise an error for a compressed file, which can be read only in order, not at several positions."""
    if source.compressed:
        raise FormatError(
            "is compressed, but files of this format are read from several places at a time: decompress it "
            "first"
        )
