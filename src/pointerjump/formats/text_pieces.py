"""Text with an edge on each line, read piece by piece."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy.typing as npt

from pointerjump.errors import FormatError
from pointerjump.formats.pieces import Bounds, EdgeRecords, Piece, Pieces, Position
from pointerjump.formats.sources import Source, Stream
from pointerjump.formats.text import Block, Place, Text, in_order

Ends = tuple[npt.NDArray[Any], npt.NDArray[Any]]

Parse = Callable[[Block], list[npt.NDArray[Any]]]
"""Makes the sources and the targets of a block of text."""


def as_read(sources: npt.NDArray[Any], targets: npt.NDArray[Any], before: int) -> Ends:
    """Return the ids as they are in the text."""
    return sources, targets


@dataclass(frozen=True)
class Lines:
    """What the beginning of a text says about the lines with edges.

    Parameters
    ----------
    parse : callable
        Makes the sources and the targets of a block of text.
    first : Place
        Where the first edge is.
    vertices, records : int or None
        How many vertices and edges there are, if the text says so.
    miscounted : str
        The error if there are not so many edges; it may use ``{stated}`` and ``{found}``.
    ends : callable
        Makes vertices of the ids of some edges; it is told how many edges come before them.
    """

    parse: Parse
    first: Place
    vertices: int | None
    records: int | None
    miscounted: str
    ends: Callable[[npt.NDArray[Any], npt.NDArray[Any], int], Ends] = as_read


def text_records(source: Source, lines: Lines, bounds: Bounds) -> EdgeRecords:
    """Return the edges of a text."""
    return EdgeRecords(partial(_pieces, source.path, lines, bounds), lines.vertices, lines.records)


def _pieces(path: Path, lines: Lines, bounds: Bounds, start: Position) -> Pieces:
    record = start["record"]
    place = Place(start.get("byte", lines.first.byte), start.get("line", lines.first.line))

    def parsed(placed: tuple[Block, Place]) -> tuple[list[npt.NDArray[Any]], Place]:
        block, after = placed
        return lines.parse(block), after

    with closing(Stream.starting_at(path, place.byte)) as stream:
        blocks = Text(stream, place=place).placed_blocks()
        with closing(in_order(parsed, blocks, bounds.threads)) as columns:
            for ids, after in columns:
                if not len(ids[0]):
                    continue
                sources, targets = lines.ends(ids[0], ids[1], record)
                record += len(sources)
                yield Piece(sources, targets, {"record": record, **after._asdict()}, stream.bytes_read)
    if lines.records not in (None, record):
        raise FormatError(lines.miscounted.format(stated=lines.records, found=record))
