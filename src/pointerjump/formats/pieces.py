"""Edges that are read piece by piece, from any place in a file on, and the memory that this may take.

A format that can be read in this way has a function that looks at the beginning of a file and returns its
`EdgeRecords`. Nothing is kept open between two passes over a file.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump import memory
from pointerjump.edges import Ids
from pointerjump.errors import FormatError
from pointerjump.formats import parsing
from pointerjump.formats.sources import Source
from pointerjump.formats.text import MORE_MEMORY
from pointerjump.graph import Graph

if TYPE_CHECKING:
    from pointerjump.formats.dups import Documents

Position = Mapping[str, int]
"""A place in a file to go on from. Its ``record`` is the number of edges before it; what else it holds is
for the reader. It can be stored as JSON."""

FIRST: Position = {"record": 0}

DEFAULT_MEMORY, LEAST_MEMORY = 96 << 20, 16 << 20
"""Bytes that reading may take if the caller does not say, and that the caller has to grant at least."""

_HELD = 8
"""Into how many blocks the memory is divided: some that the caller holds, the next one, and conversions."""

_MOST_BYTES = 64 << 20
"""A block is not made larger than this, since larger ones are not handled any faster."""

_PARSING_BYTES = 8 << 20
"""Bytes that parsing one block of text takes at most, with what becomes of it."""

_PAIR_BYTES = 16
"""Bytes of the longest usual record, of which a block holds at least one."""

_FEW = 4
"""Pieces smaller than a block by this factor are joined, up to that size."""


@dataclass(frozen=True)
class Piece:
    """Some of a file's edges.

    Attributes
    ----------
    sources, targets : ndarray of int
        The two ends of each edge. They may be columns of one array.
    end : mapping of str to int
        Where the next piece begins: `Blocks.pieces` goes on from there. ``end["record"]`` is the number of
        edges up to there, counted from the beginning of the file.
    bytes_read : int
        How many bytes of the file have been read.
    """

    sources: npt.NDArray[Any]
    targets: npt.NDArray[Any]
    end: Position
    bytes_read: int

    @property
    def nbytes(self) -> int:
        """The bytes that the edges take."""
        return self.sources.nbytes + self.targets.nbytes


Pieces = Generator[Piece, None, None]


@dataclass(frozen=True)
class Bounds:
    """What reading may take: bytes of one block of edges, and threads that parse text."""

    block: int
    threads: int

    @classmethod
    def within(cls, size: int) -> Bounds:
        """Return the bounds for which reading takes at most `size` bytes."""
        if size < LEAST_MEMORY:
            raise FormatError(
                f"memory is {memory.in_words(size)}, but reading takes at least "
                f"{memory.in_words(LEAST_MEMORY)}: allow that much"
            )
        return cls(max(_PAIR_BYTES, min(size // _HELD, _MOST_BYTES)), max(1, size // (2 * _PARSING_BYTES)))

    def records(self, record_bytes: int) -> int:
        """Return how many records of that size make a block."""
        return max(1, self.block // record_bytes)


@dataclass(frozen=True)
class EdgeRecords:
    """The edges of a file, and how to read them.

    Parameters
    ----------
    pieces : callable
        Reads them from a position on.
    vertices, records : int, optional
        How many vertices and edges there are, if the file says so.
    documents : Documents, optional
        Which documents the vertices are, if they are documents.
    """

    pieces: Callable[[Position], Pieces]
    vertices: int | None = None
    records: int | None = None
    documents: Documents | None = None


Opener = Callable[[Source, Bounds], EdgeRecords]
"""Looks at the beginning of a file, and says how its edges are read."""


def whole(opener: Opener) -> Callable[[Source], Graph]:
    """Return a reader of whole graphs for a format that is read piece by piece."""

    def read(source: Source) -> Graph:
        records = opener(source, Bounds.within(DEFAULT_MEMORY))

        def pieces() -> Pieces:
            for piece in records.pieces(FIRST):
                if source.progress:
                    source.progress(min(1.0, piece.bytes_read / source.size))
                yield piece

        vertices = source.vertices if records.vertices is None else records.vertices
        return graph_of_pieces(pieces(), source.ids, vertices)

    return read


def graph_of_pieces(pieces: Pieces, ids: Ids, vertices: int | None) -> Graph:
    """Return the graph of all edges."""
    parts, held = [], 0
    for piece in pieces:
        parts.append([piece.sources, piece.targets])
        held += piece.nbytes
        memory.require(held, f"joining its first {piece.end['record']} edges", MORE_MEMORY)
    none = np.empty(0, np.int32)
    sources, targets = parsing.joined(parts or [[none, none]])
    return Graph.of_edges(sources, targets, vertices, ids=ids)


def gathered(pieces: Pieces, block: int) -> Pieces:
    """Join pieces that are much smaller than a block of so many bytes, as long as their dtypes are equal.

    Each block costs its user a fixed time, however few edges it has.
    """
    waiting: list[Piece] = []
    held = 0
    for piece in pieces:
        if waiting and (held + piece.nbytes > block // _FEW or _dtypes(piece) != _dtypes(waiting[0])):
            yield _joined(waiting)
            waiting, held = [], 0
        waiting.append(piece)
        held += piece.nbytes
    if waiting:
        yield _joined(waiting)


def _joined(pieces: list[Piece]) -> Piece:
    if len(pieces) == 1:
        return pieces[0]
    return Piece(
        np.concatenate([piece.sources for piece in pieces]),
        np.concatenate([piece.targets for piece in pieces]),
        pieces[-1].end,
        pieces[-1].bytes_read,
    )


def _dtypes(piece: Piece) -> tuple[np.dtype[Any], np.dtype[Any]]:
    return piece.sources.dtype, piece.targets.dtype


def require_plain(source: Source, title: str) -> None:
    """Refuse a compressed file whose parts are read from several places at a time."""
    if source.compressed:
        raise FormatError(
            f"is compressed, but {title} is read from several places at a time: decompress it first"
        )
