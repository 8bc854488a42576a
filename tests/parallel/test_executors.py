"""Components by an executor are those of all blocks together, whoever the workers are."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import pointerjump as pj
from pointerjump.errors import AlgorithmError, GraphError, PointerjumpError, TableError
from pointerjump.graphs import parallel


class Serial(Executor):
    """Does the work when it is submitted, and counts what waits."""

    def __init__(self) -> None:
        self.submitted = 0
        self.taken: list[int] = []

    def submit(self, work: Any, /, *given: Any, **options: Any) -> Future[Any]:
        self.submitted += 1
        future, number, taken = Future[Any](), self.submitted - 1, self.taken
        result = future.result
        future.result = lambda *wait: (taken.append(number), result(*wait))[1]  # type: ignore[method-assign]
        try:
            future.set_result(work(*given, **options))
        except BaseException as error:
            future.set_exception(error)
        return future


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        yield executor


def divided(rows: Any, cuts: list[int]) -> list[Any]:
    ends = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    return [rows[begin:end] for begin, end in zip(ends, ends[1:], strict=False)]


pairs_of = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=60)
cuts_of = st.lists(st.integers(0, 60), max_size=6)


@given(pairs_of, cuts_of, st.sampled_from([int, str]))
def test_tables(pairs: list[tuple[int, int]], cuts: list[int], kind: Any) -> None:
    """Not only the components: ids come in the same order too."""
    whole = pa.table({"a": [kind(a) for a, _ in pairs], "b": [kind(b) for _, b in pairs]})
    found = pj.components(divided(whole, cuts), source="a", target="b", executor=Serial())
    expected = pj.components(whole, source="a", target="b")
    assert found.table().equals(expected.table())
    assert np.array_equal(found.labels, expected.labels)


@given(pairs_of, cuts_of, st.sampled_from([None, 100]))
def test_edges(pairs: list[tuple[int, int]], cuts: list[int], vertices: int | None) -> None:
    edges = np.array(pairs)
    found = pj.components(divided(edges, cuts), vertices=vertices, executor=Serial())
    assert np.array_equal(found.labels, pj.components(edges, vertices=vertices).labels)


def test_by_processes_and_threads(processes: Executor, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    whole = pd.DataFrame(rng.integers(0, 5000, (4000, 2)), columns=["left", "right"]).astype(str)
    expected = pj.components(whole, source="left", target="right").table()
    paths = []
    for i, part in enumerate(divided(whole, [0, 1500, 3000])):
        paths.append(tmp_path / f"{i}.parquet")
        part.to_parquet(paths[-1])
    with ThreadPoolExecutor(3) as threads:
        for executor in (processes, threads):
            of_frames = pj.components(divided(whole, [100, 3000]), executor=executor)
            pd.testing.assert_frame_equal(of_frames.table(), expected)
            of_files = pj.components(paths, source="left", target="right", executor=executor)
            assert isinstance(of_files.table(), pa.Table)
            pd.testing.assert_frame_equal(of_files.table().to_pandas(), expected)


def test_conditions_nodes_and_lists(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": ["z", "a"]}), tmp_path / "people.parquet")
    whole = pa.table({"members": [["a", "b"], ["b", "c"], ["y"]], "score": [1.0, 0.8, 0.1]})
    options: dict[str, Any] = {
        "member": "members",
        "where": ("score", ">", 0.5),
        "nodes": (tmp_path / "people.parquet", "id"),
    }
    found = pj.components(divided(whole, [1]), executor=Serial(), labels="consecutive", **options)
    assert found.table().sort_by("id").to_pydict() == {
        "id": ["a", "b", "c", "z"],
        "component": [0, 0, 0, 1],
        "size": [3, 3, 3, 1],
    }


def test_graphs_of_any_kind_are_blocks(tmp_path: Path) -> None:
    (tmp_path / "edges.txt").write_text("3 4\n")
    blocks = [
        sp.coo_array(([1], ([0], [1])), shape=(9, 9)),
        tmp_path / "edges.txt",
        (np.array([1]), np.array([3])),
    ]
    assert pj.components(blocks, executor=Serial()).labels.tolist() == [0, 0, 1, 0, 0, 2, 3, 4, 5]
    far = pj.components([np.array([[5, 2**24 - 9]])], executor=Serial(), labels="representative")
    assert (len(far.labels), far.labels[-1]) == (2**24 - 8, 5)


def test_few_blocks_wait_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    executor = Serial()
    monkeypatch.setattr(executor, "num_workers", 3, raising=False)

    def blocks() -> Iterator[np.ndarray]:
        for i in range(50):
            assert executor.submitted - len(executor.taken) <= 3 * parallel.WAITING
            yield np.array([[i, i + 1]])

    assert pj.components(blocks(), executor=executor).count == 1
    assert executor.taken == list(range(50))


@pytest.mark.parametrize(
    ("blocks", "options", "error", "why"),
    [
        (np.array([[0, 1]]), {}, GraphError, "blocks are of type ndarray: give an executor a list"),
        ("edges.txt", {}, GraphError, "blocks are of type str"),
        (pa.table({"a": [1]}), {}, GraphError, "blocks are of type Table"),
        (sp.csr_array((2, 2)), {}, GraphError, "blocks are of type csr_array"),
        (nx.path_graph(2), {}, GraphError, "blocks are of type Graph"),
        ([], {"source": "a", "target": "b"}, TableError, "there are no tables"),
        ([[[0, 1]]], {"algorithm": "afforest"}, AlgorithmError, "'afforest' and executor are both"),
        ([[[0, 1]]], {"devices": "all"}, AlgorithmError, "devices='all' and executor are both given"),
        ([[[0, 1]]], {"init": "own"}, AlgorithmError, "init='own' and executor are both given"),
        ([[[0, 1]]], {"ids": "compact"}, GraphError, "ids='compact' needs all edges at once"),
        ([iter([pa.table({"a": [1], "b": [2]})])], {"source": "a", "target": "b"}, TableError, "a block is"),
        ([pa.table({"g": [1], "m": [2]})], {"group": "g", "member": "m"}, TableError, "a group may be in"),
        ([(np.array([2**64 - 1], np.uint64), np.array([0]))], {}, GraphError, "block 0: edges end at"),
        ([None], {"source": "a", "target": "b"}, TableError, "NoneType"),
        ([[[0, 1]]], {"labels": "x"}, AlgorithmError, "labels='x'"),
        ([[[0, 1]]], {"device": 5}, PointerjumpError, "device is of type int, which another"),
        ([[[0, 1]], [[0, -1]]], {}, GraphError, "^block 1: edges end at -1"),
        ([pa.table({"a": ["x"], "b": [None]})], {}, TableError, "name those of the ids"),
        ([pa.table({"left": ["x"], "right": pa.nulls(1, pa.string())})], {}, TableError, "^block 0: .*row 0"),
    ],
)  # fmt: skip
def test_what_is_refused(blocks: Any, options: dict[str, Any], error: type[Exception], why: str) -> None:
    with pytest.raises(error, match=why):
        pj.components(blocks, executor=Serial(), **options)


def test_an_executor_must_be_one() -> None:
    for no_executor in (5, ThreadPoolExecutor):
        with pytest.raises(PointerjumpError, match=r"executor is of type \w+: give one with the interface"):
            pj.components([[[0, 1]]], executor=no_executor)


def test_no_blocks_of_edges_are_no_vertices() -> None:
    assert pj.components([], executor=Serial()).count == 0
    assert pj.components([], vertices=3, executor=Serial()).count == 3


def test_a_worker_that_ends_is_an_error_that_names_the_block() -> None:
    with (
        ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor,
        pytest.raises(PointerjumpError, match="block 0: a worker of the executor has ended"),
    ):
        pj.components([_Deadly()], executor=executor)


class _Deadly:
    """A block that ends the process that reads it."""

    def __reduce__(self) -> Any:
        return os._exit, (1,)
