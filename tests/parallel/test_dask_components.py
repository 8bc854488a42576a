"""Components of a Dask DataFrame are those of the whole table, however it is divided and scheduled."""

from __future__ import annotations

import csv
import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from conftest import DATA
from hypothesis import given, settings
from hypothesis import strategies as st

import pointerjump as pj
from pointerjump.errors import DeviceError, MemoryLimitError, TableError

dd = pytest.importorskip("dask.dataframe", reason="dask is not installed")
distributed = pytest.importorskip("distributed", reason="distributed is not installed")

import dask  # noqa: E402

import pointerjump.dask  # noqa: E402

EXPECTED = DATA / "expected.csv"
ROWS = list(csv.DictReader(EXPECTED.read_text().splitlines())) if EXPECTED.exists() else []
FILES = [pytest.param(row, id=row["file"]) for row in ROWS] or [
    pytest.param(None, id="none", marks=pytest.mark.skip(f"there are no graphs in {DATA}"))
]

METHODS = ("tree", "stars", "auto")

KINDS: dict[str, Any] = {
    "int64": lambda i: i * 0x61C8864680B583EB % 2**63 - 2**62,
    "string": lambda i: f"{i * 37 % 101}:{i}",
    "uuid": lambda i: (i * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128).to_bytes(16),
}


def table(pairs: Any, kind: str) -> pd.DataFrame:
    name = KINDS[kind]
    ends = [[name(int(pair[end])) for pair in pairs] for end in (0, 1)]
    dtype = np.int64 if kind == "int64" else object
    return pd.DataFrame({"a": np.array(ends[0], dtype), "b": np.array(ends[1], dtype)})


def in_order(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.sort_values("id").reset_index(drop=True).astype(object)


def whole(frame: pd.DataFrame) -> pd.DataFrame:
    return in_order(pj.components(frame, source="a", target="b").table())


def divided(frame: pd.DataFrame, cuts: list[int]) -> Any:
    """Return a Dask DataFrame whose partitions, some of them empty, are cut there."""
    ends = [0, *sorted(min(cut, len(frame)) for cut in cuts), len(frame)]
    parts = [frame.iloc[begin:end] for begin, end in zip(ends, ends[1:], strict=False)]
    return dd.from_delayed([dask.delayed(part) for part in parts], meta=frame.iloc[:0], verify_meta=False)


pairs_of = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=40)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=10)
@given(
    pairs=pairs_of,
    kind=st.sampled_from(list(KINDS)),
    cuts=st.lists(st.integers(0, 40), max_size=9),
    split_every=st.integers(2, 5),
)
def test_any_partitions(
    method: str, pairs: list[tuple[int, int]], kind: str, cuts: list[int], split_every: int
) -> None:
    with dask.config.set({"dataframe.convert-string": False, "scheduler": "synchronous"}):
        frame = table(pairs, kind)
        ddf = divided(frame, cuts)
        found = pointerjump.dask.components(ddf, "a", "b", split_every=split_every, method=method)
        assert found.npartitions == ddf.npartitions
        assert not found.known_divisions
        computed = found.compute()
    assert computed.dtypes.to_dict() == found._meta.dtypes.to_dict()
    pd.testing.assert_frame_equal(in_order(computed), whole(frame))


@pytest.mark.parametrize("method", METHODS)
def test_a_long_path_in_many_partitions(method: str) -> None:
    """Stars take several rounds here, and must not stop before the last."""
    order = np.random.default_rng(5).permutation(600)
    path = np.column_stack([order[:-1], order[1:]])
    frame = pd.DataFrame(np.random.default_rng(6).permutation(path), columns=["a", "b"])
    ddf = dd.from_pandas(frame, npartitions=8, sort=False)
    with dask.config.set(scheduler="synchronous"):
        found = pointerjump.dask.components(ddf, "a", "b", method=method).compute()
    assert (found["component"] == 0).all()
    assert (found["size"] == 600).all()
    assert sorted(found["id"]) == list(range(600))


def test_nothing_is_computed_before_the_result_is_asked_for() -> None:
    computed = []

    def read(number: int) -> pd.DataFrame:
        computed.append(number)
        return pd.DataFrame({"a": [number], "b": [number + 1]})

    ddf = dd.from_map(read, range(5), meta=pd.DataFrame({"a": [0], "b": [0]}).iloc[:0])
    for method in METHODS:
        with dask.config.set(scheduler="synchronous"):
            found = pointerjump.dask.components(ddf, "a", "b", method=method)
            few = found[found["size"] > 1][["id"]]
            assert computed == []
            assert sorted(few["id"].compute()) == list(range(6))
            assert sorted(computed) == list(range(5)), "a partition is computed once"
        computed.clear()


def test_partitions_that_share_a_task_are_computed_by_dask() -> None:
    """A shuffle's partitions need the same tasks, so no part computes its own ones by itself."""
    frame = pd.DataFrame(np.random.default_rng(3).integers(0, 500, (400, 2)), columns=["a", "b"])
    ddf = dd.from_pandas(frame, npartitions=6, sort=False).shuffle("a", npartitions=5)
    with dask.config.set(scheduler="synchronous"):
        found = pointerjump.dask.components(ddf, "a", "b", method="tree")
        assert found.npartitions == 5
        pd.testing.assert_frame_equal(in_order(found.compute()), whole(frame))


def test_a_plan_for_other_workers_has_other_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a cluster that has grown takes an old plan's forests, of other partitions, for its own."""
    frame = pd.DataFrame({"a": range(120), "b": range(1, 121)})
    found = pointerjump.dask.components(dd.from_pandas(frame, npartitions=12), "a", "b", method="tree")
    keys = []
    for threads in (2, 3):
        workers = threads, 1 << 30
        monkeypatch.setattr(pointerjump.dask.tables, "workers", lambda workers=workers: workers)
        keys.append({key for key in found.optimize().dask if key[0].startswith("part-forest")})
    assert [len(each) for each in keys] == [2, 3]
    assert not keys[0] & keys[1]


@pytest.mark.parametrize("kind", ["int64", "string"])
def test_more_parts_than_are_merged_at_a_time(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pointerjump.dask.tables, "workers", lambda: (20, 1 << 40))
    frame = table(np.random.default_rng(5).integers(0, 3000, (1500, 2)), kind)
    with dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": False}):
        ddf = divided(frame, list(range(0, 1500, 60)))
        for method in ("tree", "auto"):
            found = pointerjump.dask.components(ddf, "a", "b", split_every=2, method=method).compute()
            pd.testing.assert_frame_equal(in_order(found), whole(frame))


def test_types_that_dask_was_not_told() -> None:
    meta = pd.DataFrame({"a": np.empty(0, np.int8), "b": np.empty(0, np.int8)})
    for ids in ([2**40, 1], ["p", "q"]):
        frame = pd.DataFrame({"a": ids, "b": ids[::-1]})
        ddf = dd.from_delayed([dask.delayed(frame)] * 2, meta=meta, verify_meta=False)
        for method in METHODS:
            with (
                dask.config.set(scheduler="synchronous"),
                pytest.raises(TableError, match="Dask was told that they are int8"),
            ):
                pointerjump.dask.components(ddf, "a", "b", method=method).compute()


def test_partitions_that_dask_reads_together_are_as_many_as_were_asked_for(tmp_path: Path) -> None:
    """Of many columns few are needed, so Dask reads several files at once."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({name: rng.integers(0, 300, 400) for name in "abcdefghijklmn"})
    for i in range(8):
        frame[i::8].to_parquet(tmp_path / f"{i}.parquet")
    ddf = dd.read_parquet(tmp_path)
    for method in METHODS:
        with dask.config.set(scheduler="synchronous"):
            found = pointerjump.dask.components(ddf, "a", "b", method=method)
            assert found.npartitions == ddf.npartitions == 8
            parts = dask.compute(*(found.partitions[i] for i in range(8)))
        pd.testing.assert_frame_equal(in_order(pd.concat(parts)), whole(frame))


def test_categories_that_dask_does_not_know_keep_their_type() -> None:
    frame = pd.DataFrame({"a": [1, 10, 2], "b": [2, 11, 3]})
    ddf = dd.from_pandas(frame, npartitions=2).astype("category")
    for method in METHODS:
        with dask.config.set(scheduler="synchronous"):
            found = pointerjump.dask.components(ddf, "a", "b", method=method).compute()
        pd.testing.assert_frame_equal(in_order(found), whole(frame))


@pytest.mark.parametrize(
    ("memory", "method"),
    [(1 << 40, "tree"), (1 << 16, "stars"), (1, "stars")],
    ids=["much", "little", "none"],
)
def test_auto_says_what_it_chose_by_the_workers_memory(
    memory: int, method: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    frame = pd.DataFrame(np.random.default_rng(3).integers(0, 3000, (4000, 2)), columns=["a", "b"])
    ddf = dd.from_pandas(frame, npartitions=4, sort=False)
    workers = (2, memory)
    monkeypatch.setattr(pointerjump.dask.tables, "workers", lambda: workers)
    caplog.set_level(logging.INFO, "pointerjump.dask")
    with dask.config.set(scheduler="synchronous"):
        found = pointerjump.dask.components(ddf, "a", "b").compute()
    pd.testing.assert_frame_equal(in_order(found), whole(frame))
    chosen = next(line for line in caplog.messages if "chosen: True" in line)
    assert f"method: {method}" in chosen
    assert f"bytes of a thread: {memory}" in chosen


@pytest.mark.parametrize(
    ("source", "options", "why"),
    [
        ("x", {}, "has no column 'x': it has 'a', 'b'"),
        ("a", {"split_every": 1}, "split_every is 1: merge at least 2"),
        ("a", {"method": "star"}, "method is 'star': give one of auto, tree, stars"),
        ("b", {}, "are both 'b'"),
        ("a", {"split_every": "8"}, "split_every is '8'"),
        ("a", {"device": 3}, "device is of type int"),
        (["a"], {}, r"\['a'\] is not the name of a column: give a string"),
        ("a", {"member": "b"}, "source= and target= are for pairs, group= and member= for groups"),
        ("a", {"where": ("c", ">", 1)}, "has no column 'c'"),
        ("a", {"where": ("a", ">", "x")}, "'x' cannot be compared"),
        ("a", {"nodes": ["x"]}, "column 'a' holds int64, but column 'id' holds string"),
        ("a", {"nodes": ()}, "nodes is a tuple"),
    ],
)
def test_what_is_refused_at_once(source: str, options: dict[str, Any], why: str) -> None:
    ddf = dd.from_pandas(table([(1, 2)], "int64"), npartitions=1)
    with pytest.raises(TableError, match=why):
        pointerjump.dask.components(ddf, source, "b", **options)
    with pytest.raises(TableError, match="is of type DataFrame: give a Dask DataFrame"):
        pointerjump.dask.components(table([(1, 2)], "int64"), "a", "b")


def test_components_of_one_machine_name_the_function_for_dask() -> None:
    ddf = dd.from_pandas(table([(1, 2)], "int64"), npartitions=1)
    for asked in ({}, {"source": "a", "target": "b"}):
        with pytest.raises(TableError, match=r"give it to a function of pointerjump\.dask"):
            pj.components(ddf, **asked)


def people(rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(rows)
    return pd.DataFrame(
        {
            "phone": pd.array([i if i > rows // 4 else None for i in rng.integers(0, rows, rows)], "Int64"),
            "email": [f"{i}" if i % 5 else ["", None][i % 2] for i in rng.integers(0, rows, rows).tolist()],
            "who": [f"p{i}" for i in rng.integers(0, 2 * rows, rows)],
            "score": rng.random(rows),
            "friends": [[f"p{i}" for i in some] for some in rng.integers(0, rows, (rows, 2))],
        }
    )


ASKED: dict[str, dict[str, Any]] = {
    "one key": {"group": "phone", "member": "who"},
    "two keys": {"group": ["phone", "email"], "member": "who"},
    "two keys, where": {"group": ["phone", "email"], "member": "who", "where": ("score", ">", 0.4)},
    "one key, where and nodes": {
        "group": "email",
        "member": "who",
        "where": ("email", "!=", ""),
        "nodes": ["z"],
    },
    "lists": {"member": "friends"},
    "groups of lists": {"group": "phone", "member": "friends", "where": ("score", "<", 0.5)},
    "pairs, where and nodes": {
        "source": "email",
        "target": "who",
        "where": [("email", "is not null"), ("email", "!=", ""), ("score", ">=", 0.7)],
        "nodes": pd.DataFrame({"id": ["z", "p1", "y"]}),
    },
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("cuts", [[], [0, 30, 30, 31, 50, 60]], ids=["one", "seven"])
def test_what_is_asked_means_the_same_as_on_one_machine(
    asked: str, cuts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The partitions of seven share three parts, so a group's rows are in several of them."""
    workers = (3, 1 << 40)
    monkeypatch.setattr(pointerjump.dask.tables, "workers", lambda: workers)
    frame, options = people(90), ASKED[asked]
    expected = in_order(pj.components(frame, **options).table())
    nodes = "nodes" in options
    with dask.config.set({"dataframe.convert-string": False, "scheduler": "synchronous"}):
        for method in METHODS[:2]:
            found = pointerjump.dask.components(divided(frame, cuts), method=method, **options)
            assert found.npartitions == len(cuts) + 1 + nodes
            pd.testing.assert_frame_equal(in_order(found.compute()), expected)


def test_nodes_may_be_dasks() -> None:
    frame = table([(1, 2), (2, 3)], "int64")
    more = pd.DataFrame({"n": np.arange(5, dtype=np.int32), "m": 0})
    expected = in_order(pj.components(frame, source="a", target="b", nodes=more["n"]).table())
    ddf, dasks = dd.from_pandas(frame, npartitions=2), dd.from_pandas(more, npartitions=2)
    for nodes in (dasks["n"], dasks[["n"]], (dasks, "n"), more["n"]):
        found = pointerjump.dask.components(ddf, "a", "b", nodes=nodes).compute(scheduler="synchronous")
        pd.testing.assert_frame_equal(in_order(found), expected)
    with pytest.raises(TableError, match="has columns 'n', 'm': name the one with the ids"):
        pointerjump.dask.components(ddf, "a", "b", nodes=dasks)


def of_types(*types: str) -> Any:
    """Return a Dask DataFrame whose partitions have ids of these types."""
    frames = [pd.DataFrame({"a": [i, 7], "b": [i + 1, 9]}).astype(type) for i, type in enumerate(types)]
    parts = [dask.delayed(frame) for frame in frames]
    return dd.from_delayed(parts, meta=frames[0].iloc[:0], verify_meta=False)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("asked", [{"source": "a", "target": "b"}, {"group": "a", "member": "b"}], ids=str)
def test_types_that_differ_are_one_answer_whichever_partitions_share_a_part(
    threads: int, asked: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    workers = (threads, 1 << 40)
    monkeypatch.setattr(pointerjump.dask.tables, "workers", lambda: workers)
    expected = in_order(pj.components(of_types(*["int64"] * 3).compute(), **asked).table())
    with dask.config.set(scheduler="synchronous"):
        for method in METHODS:
            found = pointerjump.dask.components(of_types("int64", "int32", "uint16"), method=method, **asked)
            pd.testing.assert_frame_equal(in_order(found.compute()), expected)
            for types in (["int64", "uint64", "int64"], ["int64", "int64", "str"]):
                with pytest.raises(TableError, match=r"cast (it|them) to one type"):
                    pointerjump.dask.components(of_types(*types), method=method, **asked).compute()


def test_columns_that_cannot_be_ids_are_refused_at_once() -> None:
    ddf = dd.from_pandas(pd.DataFrame({"a": [0.5], "b": [1.5]}), npartitions=1)
    with pytest.raises(TableError, match="cannot be ids"):
        pointerjump.dask.components(ddf, "a", "b")


@pytest.mark.parametrize("method", METHODS)
def test_null_ids_and_types_that_differ_are_errors_of_the_computation(method: str) -> None:
    with dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": False}):
        nulls = dd.from_pandas(pd.DataFrame({"a": ["x", None], "b": ["y", "z"]}), npartitions=2)
        mixed = divided(pd.DataFrame({"a": ["x", b"x"], "b": ["y", b"z"]}, dtype=object), [1])
        with pytest.raises(TableError, match=r"row 0.* null"):
            pointerjump.dask.components(nulls, "a", "b", method=method).compute()
        with pytest.raises(TableError, match="in one part of the table, and"):
            pointerjump.dask.components(mixed, "a", "b", method=method).compute()


# -- on clusters -----------------------------------------------------------------------------------


@contextmanager
def cluster(workers: int, **options: Any) -> Iterator[Any]:
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # a killed worker is no news
    with (
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
            **options,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with cluster(2) as client:
        yield client


def large(seed: int, ids: int = 200_000) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.integers(0, ids, (3 * ids // 4, 2)), columns=["a", "b"])


@pytest.mark.parametrize("method", METHODS[:2])  # auto is one of them
def test_on_a_cluster(client: Any, method: str) -> None:
    frame = large(1, 20_000)
    ddf = dd.from_pandas(frame, npartitions=9, sort=False)
    found = pointerjump.dask.components(ddf, "a", "b", split_every=3, method=method)
    pd.testing.assert_frame_equal(in_order(found.compute()), whole(frame))


def test_dasks_executor_is_one_of_any(client: Any) -> None:
    frame = large(1, 2000)
    blocks = [frame[i : i + 400] for i in range(0, len(frame), 400)]
    with client.get_executor() as executor:
        found = pj.components(blocks, source="a", target="b", executor=executor)
    pd.testing.assert_frame_equal(in_order(found.table()), whole(frame))


def test_groups_on_a_cluster(client: Any) -> None:
    frame = people(400)[["phone", "who", "score"]]
    asked: dict[str, Any] = {"group": "phone", "member": "who", "where": ("score", ">", 0.2)}
    found = pointerjump.dask.components(dd.from_pandas(frame, npartitions=5, sort=False), **asked)
    pd.testing.assert_frame_equal(in_order(found.compute()), in_order(pj.components(frame, **asked).table()))


def test_stars_of_binary_ids_on_a_cluster(client: Any) -> None:
    """Dask's shuffle takes no binary of fixed width."""
    ids = [KINDS["uuid"](i) for i in range(300)]
    dtype = pd.ArrowDtype(pa.binary(16))
    frame = pd.DataFrame({"a": pd.array(ids[:200], dtype), "b": pd.array(ids[100:], dtype)})
    ddf = dd.from_pandas(frame, npartitions=4, sort=False)
    found = pointerjump.dask.components(ddf, "a", "b", method="stars").compute()
    assert found["id"].dtype == dtype
    pd.testing.assert_frame_equal(in_order(found), whole(frame))


def test_what_travels_is_counted_and_told(client: Any) -> None:
    """An id of 8 bytes travels as 12, and once for each part that has it."""
    rng = np.random.default_rng(2)
    halves = [rng.integers(half * 50_000, 60_000 + half * 50_000, (60_000, 2)) for half in (0, 1)]
    frame = pd.DataFrame(np.concatenate(halves), columns=["a", "b"])
    ddf = dd.from_pandas(frame, npartitions=2, sort=False)
    for method in ("tree", "auto"):
        found = pointerjump.dask.components(ddf, "a", "b", method=method)
        pd.testing.assert_frame_equal(in_order(found.compute()), whole(frame))
        told = [what for _, what in client.get_events("pointerjump")][-1]
        sent = sum(len(np.unique(half)) for half in halves)
        assert told == {
            "worker": told["worker"],
            "method": "tree",
            "ids": len(np.unique(frame)),
            "parts": 2,
            "ids_sent": sent,
            "bytes_sent": 12 * sent,
        }


def test_a_device_error_names_the_worker_and_the_device(client: Any) -> None:
    ddf = dd.from_pandas(large(1), npartitions=2)
    with pytest.raises(DeviceError, match=r"^on worker [01] at tcp://.*, device no-such-device: "):
        pointerjump.dask.components(ddf, "a", "b", method="tree", device="no-such-device").compute()


def test_errors_name_the_device_where_there_is_no_cluster() -> None:
    def work(device: object) -> None:
        raise MemoryLimitError("too little memory")

    with pytest.raises(MemoryLimitError, match=r"^on device reference: too little memory"):
        pointerjump.dask.workers.on_worker(work, "reference")


def test_workers_without_a_limit_share_the_memory_of_their_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """These are threads of this process, so what their machine has can be set here."""
    options = {"n_workers": 2, "threads_per_worker": 2, "processes": False, "dashboard_address": ":0"}
    monkeypatch.setattr(pointerjump.dask.workers, "_memory_of_this_machine", lambda: 4_000_000)
    for limit, memory in ((0, 1_000_000), (3_000_000_000, 1_500_000_000)):
        with distributed.LocalCluster(memory_limit=limit, **options) as cluster, distributed.Client(cluster):
            assert pointerjump.dask.workers.workers() == (4, memory)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_lost_scheduler_is_an_error_that_says_so() -> None:
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "2s"}),
        distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            processes=False,  # a worker of its own process would be started again and again, in vain
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        ) as cluster,
    ):
        client = distributed.Client(cluster)
        slow = dd.from_map(_slow, range(2), meta=pd.DataFrame({"a": [0], "b": [0]}).iloc[:0])
        errors: list[BaseException] = []

        def compute() -> None:
            try:
                pointerjump.dask.components(slow, "a", "b", method="tree").compute()
            except BaseException as error:
                errors.append(error)

        thread = threading.Thread(target=compute)
        thread.start()
        time.sleep(0.5)
        cluster.sync(cluster.scheduler.close)
        thread.join(60)
        assert not thread.is_alive()
        assert "scheduler" in str(errors[0])
        client.close()


def _slow(number: int) -> pd.DataFrame:
    time.sleep(1)
    return pd.DataFrame({"a": [number], "b": [number + 1]})


@pytest.mark.exhaustive
@pytest.mark.parametrize(("workers", "first"), [(1, 0), (2, 1), (3, 1), (7, 0)])
def test_clusters_of_any_size(workers: int, first: int) -> None:
    """For stars there are fewer partitions: of these, each shuffle makes many small tasks."""
    rng = np.random.default_rng(workers)
    asked = [("tree", 1, "int64"), ("tree", 7, "string"), ("tree", 100, "uuid")]
    asked += [("stars", 1, "uuid"), ("stars", 7, "int64"), ("stars", 20 if workers == 3 else 3, "string")]
    with cluster(workers), dask.config.set({"dataframe.convert-string": False}):
        for method, partitions, kind in asked[first::2]:  # both methods at each size
            ids = int(rng.integers(1, 2000))
            frame = table(rng.integers(0, ids, (int(rng.integers(1, 2000)), 2)), kind)
            ddf = divided(frame, sorted(rng.integers(0, len(frame) + 1, partitions - 1).tolist()))
            found = pointerjump.dask.components(ddf, "a", "b", method=method)
            assert found.npartitions == partitions
            pd.testing.assert_frame_equal(in_order(found.compute()), whole(frame))


@pytest.mark.exhaustive
@pytest.mark.parametrize("row", FILES)
def test_real_graphs(client: Any, row: dict[str, str], tmp_path: Path) -> None:
    """A vertex without edges is a pair with itself."""
    if int(row["undirected_edges"]) > 300_000 and row["file"] != "cnr-2000.el.gz":
        pytest.skip("one large graph is enough")
    graph = pj.read(DATA / row["file"])
    alone = np.flatnonzero(graph.degrees == 0)
    ends = np.column_stack([graph.sources, graph.neighbors])
    frame = pd.DataFrame(np.concatenate([ends, np.column_stack([alone, alone])]), columns=["a", "b"])
    frame = frame.sample(frac=1, random_state=1)
    if len(frame) % 2:
        frame = frame.astype(str)
    for i in range(16):
        frame[i::16].to_parquet(tmp_path / f"{i}.parquet")
    ddf = dd.read_parquet(tmp_path)
    ways = {"tree": ddf}
    if len(frame) < 100_000:
        ways["stars"] = ddf.repartition(npartitions=4)
    for method, pairs in ways.items():
        found = pointerjump.dask.components(pairs, "a", "b", method=method).compute()
        assert len(found) == int(row["vertices"])
        assert found["component"].nunique() == int(row["components"])
        assert found["size"].max() == int(row["largest_component"])
        pd.testing.assert_frame_equal(in_order(found), whole(frame))


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize(("method", "times"), [("tree", 4), ("stars", 2)])
def test_a_worker_is_killed(method: str, times: int) -> None:
    """Early, in the middle and late: the answer is the same."""
    seconds, seed = 0.0, 0
    while seed < times:
        with (
            suppress(KeyError),
            cluster(3) as client,
        ):  # Dask's, when it closes after a worker did not come back
            while seed < times and len(client.nthreads()) > 1:
                frame = large(seed, 20_000 if method == "tree" else 1000)
                ddf = dd.from_pandas(frame, npartitions=8 if method == "tree" else 4, sort=False)
                if not seconds:
                    begin = time.perf_counter()
                    pointerjump.dask.components(ddf, "a", "b", split_every=2, method=method).compute()
                    seconds = time.perf_counter() - begin
                killer = threading.Timer((seed + 0.5) / times * 0.9 * seconds, _kill, (client, seed))
                killer.start()
                found = pointerjump.dask.components(ddf, "a", "b", split_every=2, method=method).compute()
                killer.join()
                pd.testing.assert_frame_equal(in_order(found), whole(frame))
                seed += 1


def _kill(client: Any, which: int) -> None:
    numbers = [info["pid"] for info in client.run(_pid).values()]
    os.kill(numbers[which % len(numbers)], signal.SIGKILL)


def _pid() -> dict[str, int]:
    return {"pid": os.getpid()}
