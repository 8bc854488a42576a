"""End to end: from edge arrays, a scipy matrix or a file to an array of labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv
import pytest
import scipy.sparse as sp
from conftest import Measure, require
from peers import PEERS, Peer, same_components
from scipy.sparse.csgraph import connected_components as scipy_components

import pointerjump as pj
from pointerjump.accel.runtime.session import Session
from pointerjump.bench.subjects import GraphSubject

BINARY = (".egr", ".sg")
WITHOUT_A_READER = [peer for peer in PEERS if peer.name in ("NetworKit parallel", "igraph")]
"""Peers that read neither binary format, and get edge arrays made from the file's rows instead."""


@dataclass(frozen=True)
class Inputs:
    """One graph in the forms that users have."""

    sources: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int64]
    matrix: sp.csr_array[np.bool_]
    text: Path
    binary: dict[str, Path]


@pytest.fixture(scope="session")
def inputs(subject: GraphSubject, tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    """One graph in many forms; edges in arrays and text are in random order and direction."""
    folder = tmp_path_factory.mktemp("inputs")
    sources, targets = subject.edge_arrays()
    text = folder / "graph.el"
    pa.csv.write_csv(
        pa.table({"source": sources, "target": targets}),
        text,
        pa.csv.WriteOptions(include_header=False, delimiter=" "),
    )
    binary = {suffix: folder / f"graph{suffix}" for suffix in BINARY}
    for path in binary.values():
        pj.write(subject.graph, path)
    return Inputs(sources, targets, subject.graph.to_scipy(), text, binary)


# -- arrays ----------------------------------------------------------------------------------------


def test_arrays(measure: Measure, subject: GraphSubject, inputs: Inputs, session: Session) -> None:
    edges, vertices = (inputs.sources, inputs.targets), subject.graph.vertices
    run = lambda: pj.components(edges, device=session, vertices=vertices).labels  # noqa: E731
    measure(f"end to end, edge arrays: {subject.name}", run, subject.check, **subject.counts)


def test_arrays_peer(measure: Measure, subject: GraphSubject, inputs: Inputs, peer: Peer) -> None:
    require(peer, subject)
    run = partial(peer.from_arrays, inputs.sources, inputs.targets, subject.graph.vertices)
    measure(f"end to end, edge arrays: {subject.name}", run, subject.check, **subject.counts)


# -- a scipy matrix --------------------------------------------------------------------------------


def test_matrix(measure: Measure, subject: GraphSubject, inputs: Inputs, session: Session) -> None:
    run = lambda: pj.connected_components(inputs.matrix, device=session)[1]  # noqa: E731
    measure(f"end to end, scipy matrix: {subject.name}", run, subject.check, **subject.counts)


def test_matrix_scipy(measure: Measure, subject: GraphSubject, inputs: Inputs) -> None:
    run = lambda: scipy_components(inputs.matrix, directed=False)[1]  # noqa: E731
    measure(f"end to end, scipy matrix: {subject.name}", run, subject.check, **subject.counts)


# -- a text file -----------------------------------------------------------------------------------


def test_text(measure: Measure, subject: GraphSubject, inputs: Inputs, session: Session) -> None:
    run = lambda: pj.components(inputs.text, device=session).labels  # noqa: E731
    check = partial(check_read, subject, inputs)
    measure(f"end to end, text file: {subject.name}", run, check, **subject.counts)


def test_text_peer(measure: Measure, subject: GraphSubject, inputs: Inputs, peer: Peer) -> None:
    if peer.from_file is None:
        pytest.skip(f"{peer.name} has no reader for edge lists")
    require(peer, subject, reading=True)
    check = partial(check_read, subject, inputs)
    run = partial(peer.from_file, inputs.text)
    measure(f"end to end, text file: {subject.name}", run, check, **subject.counts)


def check_read(subject: GraphSubject, inputs: Inputs, labels: npt.NDArray[np.int32]) -> None:
    """Check labels for a text file, which has vertices only up to the largest one with an edge."""
    assert len(labels) == 1 + max(inputs.sources.max(), inputs.targets.max())
    assert same_components(labels, subject.labels[: len(labels)])


# -- binary files ----------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", BINARY)
def test_binary(
    measure: Measure, subject: GraphSubject, inputs: Inputs, session: Session, suffix: str
) -> None:
    run = lambda: pj.components(inputs.binary[suffix], device=session).labels  # noqa: E731
    measure(f"end to end, {suffix} file: {subject.name}", run, subject.check, **subject.counts)


@pytest.mark.parametrize("suffix", BINARY)
def test_binary_scipy(measure: Measure, subject: GraphSubject, inputs: Inputs, suffix: str) -> None:
    """Run scipy on rows that NumPy reads."""

    def run() -> npt.NDArray[np.int32]:
        offsets, neighbors = rows_of(inputs.binary[suffix])
        n = len(offsets) - 1
        matrix = sp.csr_array((np.ones(len(neighbors), np.bool_), neighbors, offsets), shape=(n, n))
        return scipy_components(matrix, directed=False)[1]

    measure(f"end to end, {suffix} file: {subject.name}", run, subject.check, **subject.counts)


@pytest.mark.parametrize("suffix", BINARY)
@pytest.mark.parametrize("without_a_reader", WITHOUT_A_READER, ids=lambda peer: peer.name)
def test_binary_peer(
    measure: Measure, subject: GraphSubject, inputs: Inputs, without_a_reader: Peer, suffix: str
) -> None:
    """Run a peer on the edges, each once, from rows that NumPy reads."""
    peer = without_a_reader
    require(peer, subject)

    def run() -> npt.NDArray[np.int32]:
        offsets, neighbors = rows_of(inputs.binary[suffix])
        n = len(offsets) - 1
        sources = np.repeat(np.arange(n), np.diff(offsets))
        once = sources <= neighbors
        return peer.from_arrays(sources[once], neighbors[once].astype(np.int64), n)

    measure(f"end to end, {suffix} file: {subject.name}", run, subject.check, **subject.counts)


def rows_of(path: Path) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Read the rows of an undirected ``.egr`` or ``.sg`` as a NumPy user would."""
    with path.open("rb") as file:
        if path.suffix == ".egr":
            n, _ = np.fromfile(file, np.int32, 2)
            offsets = np.fromfile(file, np.int32, n + 1)
        else:
            file.seek(1)  # past the byte that says whether it is directed
            _, n = np.fromfile(file, np.int64, 2)
            offsets = np.fromfile(file, np.int64, n + 1).astype(np.int32)  # scipy is faster with int32
        return offsets, np.fromfile(file, np.int32, offsets[-1])
