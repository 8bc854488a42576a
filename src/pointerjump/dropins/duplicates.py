"""Clusters of duplicates from a folder of ``.dups`` files, and the files that list documents to remove.

All files of the folder, in the order of their names, are one stream of records. The stream is read three
times: to number the documents, to find the clusters and, as far as needed, to choose which document of each
cluster is kept. A document takes about 20 bytes of memory, even if it has no duplicates; records are not
stored.

datatrove's stage 3 is union-find by size, record after record. When two trees join, the root of the larger
tree becomes the root of both; if they are equally large, the root of the record's first document does. The
last root of a cluster is the document that is kept. So, unlike the clusters themselves, this document depends
on the order of the records.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.errors import FormatError
from pointerjump.formats.dups import INDEX, Documents, number_documents
from pointerjump.formats.files import naming
from pointerjump.formats.outputs import replacing
from pointerjump.solving.streams import components_of_blocks

Array = npt.NDArray[Any]

RECORD_BYTES = 16
RECORDS_AT_A_TIME = 1 << 18  # 4 MiB, which a device links faster than the next 4 MiB are read


@dataclass(frozen=True)
class Folder:
    """A folder on this machine."""

    path: Path

    @property
    def name(self) -> str:
        """The folder's name in errors."""
        return str(self.path)

    def dups(self) -> list[str]:
        return sorted(path.name for path in self.path.glob("*.dups"))

    @contextmanager
    def reading(self, name: str) -> Iterator[BinaryIO]:
        """Open a file; an error within the block names the file."""
        with naming(self.path / name), (self.path / name).open("rb") as file:
            yield file

    def write(self, name: str, content: bytes) -> None:
        """Write a file, whole or not at all."""
        with naming(self.path / name):
            self.path.mkdir(parents=True, exist_ok=True)
            with replacing(self.path / name) as file:
                file.write(content)


@dataclass(frozen=True)
class DuplicateClusters:
    """Clusters of documents that are similar, directly or through other documents.

    A document that is in no record is a cluster of its own.
    """

    documents: Documents  # the documents that are the vertices
    labels: Array  # each vertex's cluster, numbered from 0 in order of smallest vertex
    sizes: Array  # the number of vertices in each cluster
    kept: Array  # the vertex that is kept from each cluster, or -1 if the cluster has only one

    def __str__(self) -> str:
        return (
            f"{np.count_nonzero(self.sizes > 1)} clusters of {len(self.duplicates)} documents, "
            f"{len(self.removed)} to remove"
        )

    @property
    def duplicates(self) -> Array:
        """The vertices that share their cluster with other vertices, in ascending order."""
        return np.flatnonzero(self.sizes[self.labels] > 1)

    @property
    def removed(self) -> Array:
        """The vertices that are not kept, in ascending order."""
        vertices = self.duplicates
        is_kept = self.kept[self.labels[vertices]] == vertices
        return np.delete(vertices, is_kept)


def clusters_of(folder: Folder, ignore_index_matches: bool, device: Any) -> DuplicateClusters:
    files = folder.dups()
    if not files:
        raise FormatError(f"{folder.name}: has no .dups files: name the folder that stage 2 wrote into")
    parts = []
    for name in files:
        with folder.reading(name) as file:
            parts.append(number_documents(_blocks(file)))
    most = np.zeros(max(len(part.first) for part in parts) - 1, np.int64)  # documents of each task's file
    for part in parts:
        count = np.diff(part.first)
        np.maximum(most[: len(count)], count, out=most[: len(count)])
    documents = Documents(np.concatenate([[0], np.cumsum(most)]), any(part.index for part in parts))

    def edges() -> Generator[tuple[Array, Array], None, None]:
        for name in files:
            with folder.reading(name) as file:
                for records, *_ in _blocks(file):
                    of_index = (records[:, :2] == INDEX).all(axis=1)
                    taken = records[~of_index] if ignore_index_matches else records
                    yield documents.vertices_of(*taken.T[:2]), documents.vertices_of(*taken.T[2:])

    found = components_of_blocks(edges(), devices=device, vertices=documents.vertices)
    sizes = found.counted()
    index = documents.vertices - 1 if documents.index else None
    with closing(edges()) as again:
        kept = kept_vertices(again, found.labels, sizes, index)
    return DuplicateClusters(documents, found.labels, sizes, kept)


def _blocks(file: BinaryIO) -> Iterator[tuple[Array, int, int]]:
    """Yield blocks of records, with the number of records and bytes up to the end of each block."""
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


def kept_vertices(
    edges: Iterable[tuple[Array, Array]], labels: Array, sizes: Array, index: int | None
) -> Array:
    """Return the vertex that is kept from each cluster, or -1 for a cluster of one vertex.

    Once a tree has more than half of its cluster, it is always the larger tree. So its root is kept, and
    other records of the cluster no longer matter. Most clusters have two or three vertices, and their first
    record decides. So only a few records need the serial loop.

    `edges` are the records, in order; they are read no further than needed. The vertex `index`, which stands
    for the index, is always kept.
    """
    memory.require(
        2 * labels.nbytes + sizes.nbytes, f"trees of {len(labels)} documents", memory.LESS_AT_A_TIME
    )
    kept = np.full(len(sizes), -1, labels.dtype)
    if index is not None:
        kept[labels[index]] = index
    undecided = np.count_nonzero((sizes > 1) & (kept < 0))
    # Single numbers are read and written much faster through a memoryview.
    parent, size = np.arange(len(labels), dtype=labels.dtype).data, np.ones(len(labels), labels.dtype).data
    root_in = kept.data

    def root_of(vertex: int) -> int:
        while (above := parent[vertex]) != vertex:
            parent[vertex] = vertex = parent[above]
        return vertex

    for firsts, seconds in edges:
        clusters = labels[firsts]
        matters = (kept[clusters] < 0) & (firsts != seconds)
        at_once = matters & (sizes[clusters] <= 3)
        decided, at = np.unique(clusters[at_once], return_index=True)
        kept[decided] = firsts[at_once][at]
        undecided -= len(decided)
        others = matters & ~at_once
        rows = (clusters[others], sizes[clusters[others]], firsts[others], seconds[others])
        for cluster, whole, first, second in zip(*(row.tolist() for row in rows), strict=True):
            if root_in[cluster] >= 0 or (root := root_of(first)) == (other := root_of(second)):
                continue
            if size[root] < size[other]:
                root, other = other, root
            parent[other] = root
            size[root] += size[other]
            if 2 * size[root] > whole:
                root_in[cluster] = root
                undecided -= 1
        if not undecided:
            break
    return kept


def write_clusters(clusters: DuplicateClusters, folder: Folder, *, ids: bool, sizes: bool) -> None:
    """Write the files that datatrove's stage 4 reads.

    For each file of documents, there are up to three files. ``.remove`` holds the numbers of the documents to
    remove; ``.clusters`` holds pairs of a document and its cluster; ``.sizes`` holds pairs of a document and
    its cluster's size.
    """
    vertices = clusters.duplicates
    labels = clusters.labels[vertices]
    _write_each(folder, "remove", clusters.documents, clusters.removed)
    if ids:
        number = np.cumsum(clusters.sizes > 1) - 1  # of clusters with several vertices
        _write_each(folder, "clusters", clusters.documents, vertices, number[labels])
    if sizes:
        _write_each(folder, "sizes", clusters.documents, vertices, clusters.sizes[labels])


def _write_each(folder: Folder, suffix: str, documents: Documents, vertices: Array, *columns: Array) -> None:
    """For each input file with some of the vertices, write a file with their numbers and the columns."""
    bounds = np.searchsorted(vertices, documents.first)
    bounds = np.append(bounds, len(vertices))  # the index comes last, and gets a file of its own
    for file in np.flatnonzero(np.diff(bounds)).tolist():
        some = slice(bounds[file], bounds[file + 1])
        is_index = file == len(documents.first) - 1
        numbers = np.full(1, INDEX) if is_index else vertices[some] - documents.first[file]
        table = np.column_stack([numbers, *(column[some] for column in columns)])
        name = f"{INDEX if is_index else file:06d}.{suffix}"
        folder.write(name, table.astype("<u4").tobytes())
