"""Spanning forests of edges in blocks: however they are split, the answer is that for all at once."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from test_spanning_forests import by_definition, weighted_graphs

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device, devices
from pointerjump.formats import pieces, sources
from pointerjump.solving import minimum_forest

TRIPLES = [([0, 1], [1, 2], [5.0, 2.0]), ([2, 0], [0, 0], [1.0, -9.0]), ([3], [1], [7.0])]
WORKING = [device for device in devices() if device.works]
PLACES: dict[str, dict[str, Any]] = {"reference": {"device": "reference"}}
if WORKING:
    PLACES["device"] = {"device": WORKING[0]}
if len(WORKING) > 1:
    PLACES["several"] = {"devices": WORKING}
EVERYWHERE = pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)


def split(draw: Any, *columns: np.ndarray) -> Iterator[tuple[np.ndarray, ...]]:
    """Some columns in blocks of drawn sizes, some of which are empty."""
    m = len(columns[0])
    cuts = sorted(draw(st.lists(st.integers(0, m), max_size=8)))
    for begin, end in zip([0, *cuts], [*cuts, m], strict=True):
        yield tuple(column[begin:end] for column in columns)


@EVERYWHERE
@settings(max_examples=60)
@given(
    data=st.data(), graph=weighted_graphs(), maximum=st.booleans(), waiting=st.sampled_from([1, 5, 1 << 22])
)
def test_any_split_into_blocks(place: Any, data: Any, graph: Any, maximum: bool, waiting: int) -> None:
    n, edges, weights = graph
    blocks = split(data.draw, *edges.T, weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(minimum_forest, "WAITING", waiting)
        found = pj.minimum_spanning_forest(blocks, maximum=maximum, vertices=n, **place)
    assert found.places.tolist() == by_definition(n, edges, weights, maximum=maximum)
    assert found.edges.tolist() == edges[found.places].tolist()
    assert found.weights.tolist() == weights[found.places].tolist()
    assert (found.vertices, found.stats["records"]) == (n, len(edges))
    assert found.weights.dtype == weights.dtype or not len(found.places)


@settings(max_examples=60)
@given(data=st.data(), graph=weighted_graphs(), waiting=st.sampled_from([1, 3, 1 << 22]))
def test_parts_that_are_merged_in_order(device: Device, data: Any, graph: Any, waiting: int) -> None:
    n, edges, weights = graph
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(minimum_forest, "WAITING", waiting)
        parts = []
        for block in split(data.draw, *edges.T, weights):
            part = pj.MinimumForest(n, device=device)
            part.merge(*block)
            parts.append(part)
        while len(parts) > 1:  # neighbors, in any grouping
            at = data.draw(st.integers(0, len(parts) - 2))
            parts[at].update(parts.pop(at + 1))
    assert parts[0].forest().places.tolist() == by_definition(n, edges, weights)
    assert parts[0].records == len(edges)


@pytest.mark.parametrize("step", [1, 7, 1000, 20000, 10**6])
def test_many_edges(step: int, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minimum_forest, "WAITING", 3000)
    n, m = 2000, 200 if step == 1 else 30000
    rng = np.random.default_rng(1)
    u, v = rng.integers(0, n, (2, m))
    weights = rng.integers(0, 50, m)
    kept = pj.MinimumForest(device=device)
    for at in range(0, m, step):
        kept.merge(u[at : at + step], v[at : at + step], weights[at : at + step])
        assert sum(len(each.places) for each in kept._waiting) < max(3000, len(kept._kept.places))
        assert len(kept._waiting) <= 15
    assert kept.forest().places.tolist() == pj.minimum_spanning_forest((u, v), weights).places.tolist()
    assert kept.vertices == max(u.max(), v.max()) + 1


def test_answers_between_blocks_and_other_forms_of_edges() -> None:
    kept = pj.MinimumForest()
    assert (kept.forest().count, kept.vertices, kept.records) == (0, 0, 0)
    kept.merge([(0, 1), (1, 2)], weights=[5, 2])
    assert kept.forest().total == 7
    kept.merge(np.int32(2), 0, 1)
    assert kept.forest().places.tolist() == [1, 2]
    kept.merge(iter([([4], [2], [9]), ([4], [4], [-1])]))
    assert kept.forest().edges.tolist() == [[1, 2], [2, 0], [4, 2]]
    assert kept.forest().components().labels.tolist() == [0, 0, 0, 1, 0]
    assert repr(kept) == "MinimumForest(vertices=5, records=5, maximum=False)"
    kept.merge(np.array([3]), np.array([0]), [1.5])
    assert kept.forest().weights.tolist() == [2, 1, 9, 1.5]


@EVERYWHERE
def test_arrays_that_are_used_again(place: Any) -> None:
    def blocks() -> Iterator[Any]:
        room = np.empty((3, 2))
        for at in range(50):
            ends = np.array([[at], [at + 1]], np.int64)
            room[:] = [[at, 0], [at + 1, 0], [50 - at, 0]]
            yield ends[0], ends[1], room[2, :1]
            room[:], ends[:] = 99, 7

    found = pj.minimum_spanning_forest(blocks(), **place)
    assert found.weights.tolist() == list(range(50, 0, -1))


# -- files -------------------------------------------------------------------------------------------------

M, N = 1500, 400
U, V = np.random.default_rng(2).integers(0, N, (2, M))
WEIGHTS = np.random.default_rng(3).integers(-20, 20, M)


def written(name: str) -> Path:
    """Write edges with weights; rows are sorted."""
    path, matrix = Path(name), sp.coo_array((WEIGHTS, (U, V)), shape=(N, N))
    if name.endswith(".mtx"):
        scipy.io.mmwrite(path, matrix, symmetry="general")
    elif name.endswith(".gr"):
        lines = (f"a {u + 1} {v + 1} {w}\n" for u, v, w in zip(U, V, WEIGHTS, strict=True))
        path.write_text(f"p sp {N} {M}\n" + "".join(lines))
    elif name.endswith(("egr", "wsg")):
        rows = matrix.tocsr()
        n, m = np.array([N, rows.nnz])
        if name.endswith("egr"):
            parts = [np.array([n, m, *rows.indptr, *rows.indices, *rows.data], "<i4")]
        else:
            both = np.stack((rows.indices, rows.data), axis=1).astype("<i4")
            parts = [np.uint8(0), np.array([m, n, *rows.indptr], "<i8"), both]
        path.write_bytes(b"".join(part.tobytes() for part in parts))
    else:
        path.write_text("".join(f"{u}\t{v}\t{w}\n" for u, v, w in zip(U, V, WEIGHTS, strict=True)))
    return path


@pytest.mark.parametrize("name", ["a.tsv", "a.el", "a.mtx", "a.gr", "a.egr", "a.wsg", "a.el.gz"])
def test_files(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(name.removesuffix(".gz"))
    if name.endswith(".gz"):
        import gzip

        Path(name).write_bytes(gzip.compress(path.read_bytes()))
    whole = pj.minimum_spanning_forest(name)
    monkeypatch.setattr(pieces, "block_within", lambda size: 900)
    monkeypatch.setattr(sources, "BLOCK", 900)
    monkeypatch.setattr(minimum_forest, "WAITING", 500)
    blocks = pj.read_blocks(name, weighted=True)
    assert blocks.weighted
    assert {len(block) for block in blocks} == {3}
    assert {len(block) for block in pj.read_blocks(name)} == {2}
    for place in PLACES.values():
        found = pj.minimum_spanning_forest(blocks, **place)
        assert found.places.tolist() == whole.places.tolist()
        assert found.weights.tolist() == whole.weights.tolist()
        assert found.vertices == whole.vertices

    kept = pj.MinimumForest()
    some = list(islice(blocks.pieces(), 3))
    for piece in some:
        kept.merge(*piece.columns)
    kept.save("half.npz")
    more = pj.MinimumForest.load("half.npz")
    for piece in blocks.pieces(some[-1].end):
        more.merge(*piece.columns)
    assert more.forest().places.tolist() == whole.places.tolist()


def test_several_files_are_one_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.el").write_text("0 1 5\n1 2 6\n")
    Path("b.el").write_text("2 0 5.5\n2 3 -1\n")
    found = pj.minimum_spanning_forest(pj.read_blocks("*.el", weighted=True))
    assert (found.places.tolist(), found.weights.tolist()) == ([0, 2, 3], [5, 5.5, -1])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.el", "0 1 2\n1 2 nan\n", r"a\.el: in the block of edges from number 0 on.*weights\[1\] is NaN"),
        ("a.el", "0 1\n", "each line needs two integer ids and then a number"),
        ("a.el", f"0 {2**40} 1\n", r"a\.el: .* not below the number of vertices, 2147483647"),
        ("a.raw32", "\0" * 8, "is Raw pairs of int32, of which no weights are read"),
        ("a.npy", "", "of which no weights are read"),
    ],
)
def test_files_that_are_refused(name: str, content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(pj.PointerjumpError, match=message):
        pj.minimum_spanning_forest(pj.read_blocks(tmp_path / name, weighted=True))


# -- files of forests, and other processes -----------------------------------------------------------------


def kept_from(triples: Any, **how: Any) -> pj.MinimumForest:
    kept = pj.MinimumForest(**how)
    kept.merge(iter(triples))
    return kept


def test_saved_and_sent(tmp_path: Path) -> None:
    whole = kept_from(TRIPLES).forest()
    for count in range(4):
        kept = kept_from(TRIPLES[:count], maximum=False)
        kept.save(tmp_path / "forest.npz")
        for again in (pj.MinimumForest.load(tmp_path / "forest.npz"), pickle.loads(pickle.dumps(kept))):
            assert (again.records, again.vertices) == (kept.records, kept.vertices)
            again.merge(iter(TRIPLES[count:]))
            assert again.forest().places.tolist() == whole.places.tolist()
            assert again.forest().weights.dtype == whole.weights.dtype
    stated = pickle.loads(pickle.dumps(kept_from(TRIPLES, vertices=4, maximum=True)))
    assert stated.maximum
    with pytest.raises(pj.GraphError, match="not below the number of vertices, 4"):
        stated.merge(4, 0, 1)
    if WORKING:
        with pytest.raises(pj.PointerjumpError, match="another process cannot use: give its name"):
            pickle.dumps(pj.MinimumForest(device=WORKING[0]))


def test_processes_that_each_take_a_part() -> None:
    with ProcessPoolExecutor(2, get_context("spawn")) as workers:
        parts = list(workers.map(kept_from, [TRIPLES[:1], TRIPLES[1:2], TRIPLES[2:]]))
    for part in parts[1:]:
        parts[0].update(part)
    assert parts[0].forest().places.tolist() == kept_from(TRIPLES).forest().places.tolist()


def test_threads_that_update_both_ways() -> None:
    one, other = kept_from(TRIPLES), kept_from(TRIPLES)
    with ThreadPoolExecutor(4) as threads:
        pairs = [(one, other), (other, one)] * 10
        list(threads.map(lambda pair: pair[0].update(pair[1]), pairs))
        list(threads.map(lambda triple: one.merge(*triple), TRIPLES * 10))
    assert one.forest().total == other.forest().total == kept_from(TRIPLES).forest().total


@pytest.mark.parametrize(
    "change",
    [
        {"sources": np.array([0, 1, 9], np.int32)},
        {"sources": np.array([0, -1, 1], np.int32)},
        {"sources": np.array([0], np.int32)},
        {"weights": np.array([1, np.nan, 2])},
        {"weights": np.array(["a", "b", "c"])},
        {"places": np.array([2, 1, 3])},
        {"places": np.array([-1, 1, 3])},
        {"places": np.array([1, 2, 30])},
        {"places": np.array([1, 2, 3], np.int32)},
        {"records": np.array([1, 2])},
        {"records": np.array(1.5)},
        {"vertices": np.array(-1)},
        {"vertices": np.array(2**40)},
        {"targets": None},
    ],
)
def test_damaged_files(change: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "forest.npz"
    kept_from(TRIPLES).save(path)
    arrays: dict[str, Any] = {**np.load(path), **change}
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    with pytest.raises(pj.FormatError, match=r"forest\.npz: is not what MinimumForest\.save writes"):
        pj.MinimumForest.load(path)


def test_other_files_and_names(tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(b"PK")
    with pytest.raises(pj.FormatError, match=r"damaged, or not what MinimumForest\.save writes"):
        pj.MinimumForest.load(tmp_path / "a.npz")
    pj.DisjointSet(2).save(tmp_path / "b.npz")
    with pytest.raises(pj.FormatError, match=r"is not what MinimumForest\.save writes"):
        pj.MinimumForest.load(tmp_path / "b.npz")
    with pytest.raises(pj.FormatError, match=r"is written as \.npz"):
        pj.MinimumForest().save(tmp_path / "a.npy")


# -- what is refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        (([0], [1]), "have no weights"),
        (([0], [1], [1, 2]), "give one weight for each of 1 edges"),
        (([0], [-1], [1]), r"targets\[0\] is -1"),
        (([0], [7], [1]), "not below the number of vertices, 5"),
        (([0, 1], [1], [1, 1]), "2 sources and 1 targets"),
        (([0], [1], [np.nan]), r"weights\[0\] is NaN"),
        ((iter([([0], [1])]),), "give triples of sources, targets and weights"),
        ((iter([([0], [1], None)]),), "give triples of sources, targets and weights"),
        ((pj.Graph.from_edges([0], [1]),), "give triples of sources, targets and weights"),
    ],
)
def test_edges_that_are_refused(edges: Any, message: str) -> None:
    kept = pj.MinimumForest(5)
    with pytest.raises(pj.GraphError, match=message):
        kept.merge(*edges)
    assert (kept.records, kept.vertices) == (0, 5)


def test_integers_that_floats_may_not_hold() -> None:
    for first, second in (([2**53], [0.5]), ([0.5], [-(2**53)])):
        kept = pj.MinimumForest()
        kept.merge([0], [1], first)
        with pytest.raises(pj.GraphError, match=r"integers beyond 2\*\*53"):
            kept.merge([1], [2], second)
        assert kept.records == 1
    kept.merge([1], [2], [2**53 - 1])
    assert kept.forest().weights.tolist() == [0.5, 2**53 - 1]


def test_forests_that_do_not_fit() -> None:
    kept = pj.MinimumForest(3)
    with pytest.raises(pj.GraphError, match="cannot update from list"):
        kept.update([])  # type: ignore[arg-type]
    with pytest.raises(pj.GraphError, match="the heaviest edges of one"):
        kept.update(pj.MinimumForest(3, maximum=True))
    with pytest.raises(pj.GraphError, match="the edges have 4 vertices, but the forest has 3"):
        kept.update(pj.MinimumForest(4))


def test_options_that_do_not_fit(tmp_path: Path) -> None:
    for options, message in (
        ({"weights": [1]}, "weights is for edges that come at once"),
        ({"ids": "compact"}, "ids is for edges that come at once"),
        ({"device": "cpu", "devices": "all"}, "device and devices are both given"),
    ):
        with pytest.raises(pj.PointerjumpError, match=message):
            pj.minimum_spanning_forest(iter(TRIPLES), **options)
    with pytest.raises(pj.DeviceError, match="devices are for edges in blocks"):
        pj.minimum_spanning_forest([(0, 1)], [1], devices="all")
    np.save(tmp_path / "edges.npy", np.array([[0, 1]]))
    blocks = pj.read_blocks(tmp_path / "edges.npy")
    with pytest.raises(pj.GraphError, match=r"use read_blocks\(\.\.\., weighted=True\)"):
        pj.minimum_spanning_forest(blocks)
    with pytest.raises(pj.AlgorithmError):
        pj.MinimumForest(algorithm="ecl-cc")
