"""Clusters of duplicates, from a folder of ``.dups`` files, and the files that say which documents go.

All files of the folder are one stream of records, in the order of their names. It is read three times: to
number the documents, to find the clusters, and, as far as needed, to see which document of each is kept.
A document takes about 20 bytes of memory, whether it has duplicates or not; records are not kept.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np
import numpy.typing as npt

from pointerjump.connectivity import components
from pointerjump.dropins.first_kept import kept_vertices
from pointerjump.errors import FormatError
from pointerjump.formats.dups import INDEX, Documents, number_documents
from pointerjump.formats.files import naming
from pointerjump.formats.outputs import replacing

Array = npt.NDArray[Any]

RECORD_BYTES = 16

RECORDS_AT_A_TIME = 1 << 18
"""4 MiB of records: a block on a device is linked in less time than it takes to read the next one."""


class Folder(Protocol):
    """A folder, here or elsewhere."""

    @property
    def name(self) -> str:
        """What errors call it."""

    def dups(self) -> list[str]:
        """Return the names of its ``.dups`` files, in order."""

    def reading(self, name: str) -> AbstractContextManager[BinaryIO]:
        """Open a file; an error within the block names the file."""

    def write(self, name: str, content: bytes) -> None:
        """Write a file, whole or not at all."""


def local_folder(path: Path) -> Folder:
    """Return a folder on this machine."""
    return _LocalFolder(path)


@dataclass(frozen=True)
class _LocalFolder:
    path: Path

    @property
    def name(self) -> str:
        return str(self.path)

    def dups(self) -> list[str]:
        return sorted(path.name for path in self.path.glob("*.dups"))

    @contextmanager
    def reading(self, name: str) -> Iterator[BinaryIO]:
        with naming(self.path / name), (self.path / name).open("rb") as file:
            yield file

    def write(self, name: str, content: bytes) -> None:
        with naming(self.path / name):
            self.path.mkdir(parents=True, exist_ok=True)
            with replacing(self.path / name) as file:
                file.write(content)


@dataclass(frozen=True)
class Clusters:
    """Documents that are alike, directly or through others.

    Attributes
    ----------
    documents : Documents
        Which documents the vertices are.
    labels : ndarray of int32, shape (vertices,)
        Each vertex's cluster, numbered in order of smallest vertex. A document that no record names is a
        cluster of its own.
    sizes : ndarray of int, shape (clusters,)
        How many vertices each cluster has.
    kept : ndarray of int, shape (clusters,)
        The vertex of each cluster that is kept, or -1 if it is the only one.
    """

    documents: Documents
    labels: Array
    sizes: Array
    kept: Array

    @property
    def duplicates(self) -> Array:
        """The vertices that are in a cluster with others, ascending."""
        return np.flatnonzero(self.sizes[self.labels] > 1)

    @property
    def removed(self) -> Array:
        """The vertices that are not kept, ascending."""
        vertices = self.duplicates
        is_kept = self.kept[self.labels[vertices]] == vertices
        return np.delete(vertices, is_kept)


def clusters_of(folder: Folder, *, ignore_index_matches: bool = False, device: Any = None) -> Clusters:
    """Find the clusters in a folder of ``.dups`` files.

    Raises
    ------
    FormatError
        If there are no such files, or one is cut short or damaged.
    """
    files = folder.dups()
    if not files:
        raise FormatError(f"{folder.name}: has no .dups files: name the folder that stage 2 wrote into")
    documents = _joined([_documents_in(folder, name) for name in files])

    def edges() -> Generator[tuple[Array, Array], None, None]:
        for name in files:
            with folder.reading(name) as file:
                for records, *_ in _blocks(file):
                    taken = records[_from_documents(records)] if ignore_index_matches else records
                    yield documents.vertices_of(*taken.T[:2]), documents.vertices_of(*taken.T[2:])

    found = components(edges(), device=device, vertices=documents.vertices)
    sizes = found.counted()
    index = documents.vertices - 1 if documents.index else None
    with closing(edges()) as again:
        kept = kept_vertices(again, found.labels, sizes, index)
    return Clusters(documents, found.labels, sizes, kept)


def _documents_in(folder: Folder, name: str) -> Documents:
    with folder.reading(name) as file:
        return number_documents(_blocks(file))


def _blocks(file: BinaryIO) -> Iterator[tuple[Array, int, int]]:
    """Yield some records at a time, and the records and bytes up to there."""
    end = 0
    while content := file.read(RECORDS_AT_A_TIME * RECORD_BYTES):
        if len(content) % RECORD_BYTES:
            raise FormatError(
                f"ends {len(content) % RECORD_BYTES} bytes into a record of {RECORD_BYTES}: it is "
                "truncated, or in another format"
            )
        records = np.frombuffer(content, "<u4").reshape(-1, 4)
        end += len(records)
        yield records, end, end * RECORD_BYTES


def _from_documents(records: Array) -> npt.NDArray[np.bool_]:
    """Return which records are of two documents, and not of the index and a document."""
    of_index: npt.NDArray[np.bool_] = (records[:, :2] == INDEX).all(axis=1)
    return ~of_index


def _joined(parts: list[Documents]) -> Documents:
    """Return one numbering for all: a file of documents has as many as any part says."""
    counts = [np.diff(part.first) for part in parts]
    most = np.zeros(max(map(len, counts)), np.int64)
    for count in counts:
        np.maximum(most[: len(count)], count, out=most[: len(count)])
    return Documents(np.concatenate([[0], np.cumsum(most)]), any(part.index for part in parts))


def write_clusters(clusters: Clusters, folder: Folder, *, ids: bool, sizes: bool) -> None:
    """Write the files that datatrove's stage 4 reads.

    For each file of documents, ``.remove`` has the numbers of those that are not kept; ``.clusters`` has
    pairs of a document and its cluster, and ``.sizes`` pairs of a document and the size of its cluster.
    """
    vertices = clusters.duplicates
    labels = clusters.labels[vertices]
    _write_each(folder, "remove", clusters.documents, clusters.removed)
    if ids:
        number = np.cumsum(clusters.sizes > 1) - 1  # of those that datatrove calls clusters
        _write_each(folder, "clusters", clusters.documents, vertices, number[labels])
    if sizes:
        _write_each(folder, "sizes", clusters.documents, vertices, clusters.sizes[labels])


def _write_each(folder: Folder, suffix: str, documents: Documents, vertices: Array, *columns: Array) -> None:
    """Write a file for each file that has any of the vertices: their documents, and a column beside them."""
    bounds = np.searchsorted(vertices, documents.first)
    bounds = np.append(bounds, len(vertices))  # the index comes last: it has a file like any other
    for file in np.flatnonzero(np.diff(bounds)).tolist():
        some = slice(bounds[file], bounds[file + 1])
        is_index = file == len(documents.first) - 1
        numbers = np.full(1, INDEX) if is_index else vertices[some] - documents.first[file]
        table = np.column_stack([numbers, *(column[some] for column in columns)])
        name = f"{INDEX if is_index else file:06d}.{suffix}"
        folder.write(name, table.astype("<u4").tobytes())


def summary(clusters: Clusters) -> str:
    """Return what was found, in one line."""
    return (
        f"{np.count_nonzero(clusters.sizes > 1)} clusters of {len(clusters.duplicates)} documents, "
        f"{len(clusters.removed)} to remove"
    )
