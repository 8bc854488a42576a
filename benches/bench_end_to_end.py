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
from pointerjump.bench.own_device import GraphSubject

BINARY = (".egr", ".sg")
WITHOUT_A_READER = {peer.name: peer for peer in PEERS if peer.name in ("NetworKit parallel", "igraph")}
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


# -- arrays and a scipy matrix ---------------------------------------------------------------------


def test_arrays(measure: Measure, subject: GraphSubject, inputs: Inputs, session: Session) -> None:
    edges, vertices = (inputs.sources, inputs.targets), subject.graph.vertices
    run = lambda: pj.components(edges, device=session, vertices=vertices).labels  # noqa: E731
    measure(f"end to end, edge arrays: {subject.name}", run, subject.check, **subject.counts)


def test_arrays_peer(measure: Measure, subject: GraphSubject, inputs: Inputs, peer: Peer) -> None:
    require(peer, subject)
    run = partial(peer.from_arrays, inputs.sources, inputs.targets, subject.graph.vertices)
    measure(f"end to end, edge arrays: {subject.name}", run, subject.check, **subject.counts)


@pytest.mark.parametrize("who", ["pointerjump", "scipy"])
def test_matrix(measure: Measure, subject: GraphSubject, inputs: Inputs, session: Session, who: str) -> None:
    find = scipy_components if who == "scipy" else partial(pj.connected_components, device=session)
    run = lambda: find(inputs.matrix, directed=False)[1]  # noqa: E731
    measure(f"end to end, scipy matrix: {subject.name}", run, subject.check, **subject.counts)


# -- files -----------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("suffix", BINARY)
@pytest.mark.parametrize("who", ["pointerjump", "scipy", *WITHOUT_A_READER])
def test_binary(
    measure: Measure, subject: GraphSubject, inputs: Inputs, session: Session, who: str, suffix: str
) -> None:
    """Read binary rows, by NumPy for the others: scipy takes rows, and peers the edges, each once."""

    def run() -> npt.NDArray[np.int32]:
        if who == "pointerjump":
            return pj.components(inputs.binary[suffix], device=session).labels
        offsets, neighbors = rows_of(inputs.binary[suffix])
        n = len(offsets) - 1
        if who == "scipy":
            matrix = sp.csr_array((np.ones(len(neighbors), np.bool_), neighbors, offsets), shape=(n, n))
            return scipy_components(matrix, directed=False)[1]
        sources = np.repeat(np.arange(n), np.diff(offsets))
        once = sources <= neighbors
        return WITHOUT_A_READER[who].from_arrays(sources[once], neighbors[once].astype(np.int64), n)

    if who in WITHOUT_A_READER:
        require(WITHOUT_A_READER[who], subject)
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
