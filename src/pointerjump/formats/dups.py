"""``.dups`` files: pairs of similar documents, found by stage 2 of datatrove's MinHash deduplication.

A record consists of four little-endian uint32 numbers: file, document, file, document. The documents in each
file are numbered from 0. If the first two numbers are both 4294967295, the second document matches the index
of an older data set.

Vertices are numbered file by file, in ascending order of file number. The number of documents in a file is
assumed to be one more than the file's largest document number in any record. All records must therefore be
read once before the first edge can be returned. If any document matches the index, the index becomes an
additional vertex with the highest number. All documents that match the index therefore end up in one cluster,
as in stage 3 of datatrove.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.errors import FormatError
from pointerjump.formats.pieces import FIRST, FileEdges, Piece, Pieces, Position
from pointerjump.formats.records import whole_file
from pointerjump.formats.sources import Source

INDEX = 2**32 - 1  # the file and document number that stands for the index

MOST_FILES = 1 << 22  # file numbers are numbers of datatrove tasks: a larger one means another format


@dataclass(frozen=True)
class Documents:
    """The documents in a ``.dups`` file. Each document is a vertex."""

    first: npt.NDArray[np.int64]  # the first vertex of each file, then the total number of documents
    index: bool  # whether one more vertex stands for the index

    @property
    def vertices(self) -> int:
        return int(self.first[-1]) + self.index

    def of(self, vertices: npt.ArrayLike) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return each vertex's file number and document number.

        Both are -1 for the vertex that stands for the index of an older data set.
        """
        vertex = np.asarray(vertices, np.int64)
        file = np.searchsorted(self.first, vertex, side="right") - 1
        number = vertex - self.first[file]
        is_index = vertex >= self.first[-1]
        return np.where(is_index, -1, file), np.where(is_index, -1, number)

    def vertices_of(self, files: npt.NDArray[Any], numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
        dtype = np.int32 if self.vertices <= np.iinfo(np.int32).max else np.int64
        is_index = files == INDEX
        file = np.where(is_index, len(self.first) - 1, files)
        return (self.first[file] + np.where(is_index, 0, numbers)).astype(dtype)


def dups_edges(source: Source, block: int) -> FileEdges:
    """Read all records once to number the documents, and return the edges."""
    records = whole_file(source, "<u4", 4, "records")
    at_a_time = max(1, block // (4 * records.record_bytes))  # converting an id takes two 64-bit numbers
    documents = number_documents(records.blocks(FIRST["record"], at_a_time))

    def pieces(start: Position) -> Pieces:
        for part, end, bytes_read in records.blocks(start["record"], at_a_time):
            sources, targets = (
                documents.vertices_of(part[:, column], part[:, column + 1]) for column in (0, 2)
            )
            yield Piece(sources, targets, {"record": end}, bytes_read)

    return FileEdges(pieces, documents.vertices, records.count, documents)


def number_documents(blocks: Iterable[tuple[npt.NDArray[Any], int, int]]) -> Documents:
    """Read all records from `blocks`, an iterable like `Records.blocks`, and number their documents."""
    count = np.zeros(0, np.int64)
    index = False
    for records, end, _ in blocks:
        documents = records.reshape(-1, 2)
        of_index = documents[:, 0] == INDEX
        if of_index.any():
            index = True
            wrong = of_index & (documents[:, 1] != INDEX)
            if wrong.any():
                at = int(np.argmax(wrong))
                raise FormatError(
                    f"record {end - len(records) + at // 2} has file {INDEX}, which stands for the index, "
                    f"and document {documents[at, 1]}: it must be {INDEX} too"
                )
            documents = documents[~of_index]
        most = int(documents[:, 0].max(initial=0))
        if most >= MOST_FILES:
            at = int(np.argmax((records[:, ::2] == most).any(axis=1)))
            raise FormatError(
                f"record {end - len(records) + at} names file {most}, but numbers of files are below "
                f"{MOST_FILES}: it is damaged, or not what datatrove writes"
            )
        count = np.pad(count, (0, max(0, most + 1 - len(count))))
        np.maximum.at(count, documents[:, 0], documents[:, 1].astype(np.int64) + 1)
    return Documents(np.concatenate([[0], np.cumsum(count)]), index)
