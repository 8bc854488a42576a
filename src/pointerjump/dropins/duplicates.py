"""Finds clusters of duplicates in a folder of ``.dups`` files, and writes lists of documents to remove.

The files of the folder, sorted by name, form a single stream of records. The stream is read three times: to
number the documents, to find the clusters and to choose which document of each cluster to keep. The third
pass ends as soon as all choices have been made. Records are not stored.

datatrove's stage 3 applies union-find by size to one record after another. When two trees are joined, the
root of the larger tree becomes the root of both. If the trees are equally large, the tree with the record's
first document takes precedence. The final root of a cluster is the document that is kept.
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
RECORDS_AT_A_TIME = 1 << 18  # 4 MiB: a device links these records faster than the next 4 MiB is read


@dataclass(frozen=True)
class Folder:
    """A folder on this machine."""

    path: Path

    @property
    def name(self) -> str:
        """The name of the folder in error messages."""
        return str(self.path)

    def dups(self) -> list[str]:
        return sorted(path.name for path in self.path.glob("*.dups"))

    @contextmanager
    def reading(self, name: str) -> Iterator[BinaryIO]:
        """Open a file for reading. Errors raised within the context mention the file."""
        with naming(self.path / name), (self.path / name).open("rb") as file:
            yield file

    def write(self, name: str, content: bytes) -> None:
        """Write a file as a whole or not at all."""
        with naming(self.path / name):
            self.path.mkdir(parents=True, exist_ok=True)
            with replacing(self.path / name) as file:
                file.write(content)


@dataclass(frozen=True)
class DuplicateClusters:
    """Clusters of similar documents. A document that does not occur in any record is a cluster of its own."""

    documents: Documents  # the documents, each of which is a vertex
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
        """The vertices that share a cluster with other vertices, in ascending order."""
        return np.flatnonzero(self.sizes[self.labels] > 1)

    @property
    def removed(self) -> Array:
        """The duplicates that are not kept, as vertices in ascending order."""
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
    """Yield a file's records in blocks, each with the number of records and bytes up to the block's end."""
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

    Once a union-find tree contains more than half of its cluster, it is the larger tree whenever it is joined
    with another. Its root is therefore kept, and the remaining records of the cluster no longer matter. Most
    clusters have two or three vertices, so their first record decides. `edges` yields the records in order,
    and is consumed only as far as necessary. The vertex `index`, which stands for the index of an older data
    set, is always kept.
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
    """For each file of documents, write the files that datatrove's stage 4 reads.

    A ``.remove`` file contains the documents to remove. If `ids` is true, a ``.clusters`` file contains pairs
    of a document and its cluster. If `sizes` is true, a ``.sizes`` file contains pairs of a document and the
    size of its cluster.
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
    """Write document numbers and `columns` for each file of documents that contains any of the `vertices`."""
    bounds = np.searchsorted(vertices, documents.first)
    bounds = np.append(bounds, len(vertices))  # the index comes last, and gets a file of its own
    for file in np.flatnonzero(np.diff(bounds)).tolist():
        some = slice(bounds[file], bounds[file + 1])
        is_index = file == len(documents.first) - 1
        numbers = np.full(1, INDEX) if is_index else vertices[some] - documents.first[file]
        table = np.column_stack([numbers, *(column[some] for column in columns)])
        name = f"{INDEX if is_index else file:06d}.{suffix}"
        folder.write(name, table.astype("<u4").tobytes())
