"""Components of ids are right and in one order, wherever and however they are found."""

from __future__ import annotations

import decimal
import io
import re
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import pointerjump as pj
from pointerjump.accel import interning
from pointerjump.accel.id_forests import IdForest
from pointerjump.accel.runtime.devices import Device
from pointerjump.errors import AlgorithmError, DeviceError, GraphError, TableError
from pointerjump.ids import components as tables
from pointerjump.registry import ALGORITHMS

ROWS, BATCH = 900, 130

Rows = list[dict[str, Any]]


@pytest.fixture
def few_rows(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return what decides how many rows pyarrow numbers before a device takes over."""
    return lambda rows: monkeypatch.setattr(tables, "FEW_ROWS", rows)


def clusters(pairs: Iterable[tuple[Any, Any]], more: Iterable[Any] = ()) -> Rows:
    """Return the table of clusters of some pairs, by a union-find in plain Python."""
    parent: dict[Any, Any] = {}

    def root(id: Any) -> Any:
        parent.setdefault(id, id)
        while parent[id] != id:
            id = parent[id]
        return id

    for left, right in pairs:
        ends = sorted((root(left), root(right)))
        parent[ends[1]] = ends[0]
    for id in more:
        root(id)
    named = {id: root(id) for id in list(parent)}
    sizes: dict[Any, int] = {}
    for name in named.values():
        sizes[name] = sizes.get(name, 0) + 1
    return [{"id": id, "component": name, "size": sizes[name]} for id, name in named.items()]


def in_batches(table: pa.Table) -> pa.Table:
    """Return the same table in batches."""
    parts = [table.slice(begin, BATCH).combine_chunks() for begin in range(0, len(table), BATCH)]
    return pa.concat_tables(parts or [table])


def numbers(below: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, below, (2, ROWS))


MANY_IDS: dict[str, Callable[[int], Any]] = {
    "string": lambda i: f"id {i * 7919 % 100_003}" * (1 + i % 3),
    "int64": lambda i: 5 - i * 1_234_567_891_011,
    "uint64": lambda i: i * 0x9E3779B97F4A7C15 % 2**64,
    "dense": lambda i: i,
    "binary": lambda i: b"\0" * (i % 5) + bytes([i % 256, i // 256]),
    "binary(16)": lambda i: (i * 0x9E3779B97F4A7C15F39CC0605CEDC834 % 2**128).to_bytes(16, "little"),
    "decimal": lambda i: decimal.Decimal((i * 123_456_789_012_345 % 10**20) * (-1) ** i),
}
TYPES = {
    "int64": pa.int64(),
    "uint64": pa.uint64(),
    "dense": pa.int32(),
    "binary": pa.binary(),
    "binary(16)": pa.binary(16),
    "decimal": pa.decimal128(30),
}


@pytest.mark.diagonal
@pytest.mark.parametrize("kind", MANY_IDS)
@pytest.mark.parametrize("few", [0, 300, 10**6])
def test_ids_of_every_kind(kind: str, few: int, device: Device, few_rows: Callable[[int], None]) -> None:
    few_rows(few)
    left, right = (pa.array(map(MANY_IDS[kind], each.tolist()), TYPES.get(kind)) for each in numbers(1200))
    table = in_batches(pa.table({"left": left, "right": right}))
    found = pj.components(table, source="left", target="right", device=device)
    assert found.table().to_pylist() == clusters(zip(left.to_pylist(), right.to_pylist(), strict=True))
    assert (found.stats["form"] == "blocks") == (few < ROWS), "few rows are numbered by pyarrow"


def _table() -> pa.Table:
    rng = np.random.default_rng(5)
    left, right = numbers(1200, seed=5)
    lists = [[f"id{i}" for i in rng.integers(0, 1500, rng.integers(0, 4)).tolist()] for _ in range(ROWS)]
    return pa.table(
        {
            "left": [f"id{i}" for i in left.tolist()],
            "right": [f"id{i}" for i in right.tolist()],
            "bucket": [f"b{i}" for i in rng.integers(0, 200, ROWS).tolist()],
            "number": left - 600,
            "other": right - 600,
            "phone": pa.array(rng.integers(0, 900, ROWS), mask=rng.random(ROWS) < 0.5),
            "email": [f"{i}" if i else "" for i in rng.integers(0, 900, ROWS).tolist()],
            "ids": lists,
        }
    )


TABLE = in_batches(_table())


def chained(groups: dict[Any, list[Any]]) -> list[tuple[Any, Any]]:
    """Return pairs that join the members of each group."""
    return [(members[0], member) for members in groups.values() for member in members]


def buckets(column: str, key: str = "bucket") -> list[tuple[Any, Any]]:
    groups: dict[Any, list[Any]] = {}
    for row in TABLE.to_pylist():
        ids = row[column] if isinstance(row[column], list) else [row[column]]
        if ids and row[key] not in (None, ""):
            groups.setdefault(row[key], []).extend(ids)
    return chained(groups)


def column(name: str) -> list[Any]:
    found: list[Any] = TABLE[name].to_pylist()
    return found


WAYS: dict[str, tuple[dict[str, Any], Callable[[], Rows]]] = {
    "pairs": (
        {"source": "left", "target": "right"},
        lambda: clusters(zip(column("left"), column("right"), strict=True)),
    ),
    "integers": (
        {"source": "number", "target": "other"},
        lambda: clusters(zip(column("number"), column("other"), strict=True)),
    ),
    "groups": ({"group": "bucket", "member": "left"}, lambda: clusters(buckets("left"))),
    "lists": (
        {"member": "ids"},
        lambda: clusters(chained({row: ids for row, ids in enumerate(column("ids")) if ids})),
    ),
    "groups of lists": ({"group": "bucket", "member": "ids"}, lambda: clusters(buckets("ids"))),
    "several keys": (
        {"group": ["phone", "email"], "member": "left"},
        lambda: clusters([*buckets("left", "phone"), *buckets("left", "email")], column("left")),
    ),
    "several keys of lists": (
        {"group": ("phone", "bucket"), "member": "ids"},
        lambda: clusters(
            [*buckets("ids", "phone"), *buckets("ids")], [id for ids in column("ids") for id in ids]
        ),
    ),
    "nodes": (
        {"source": "left", "target": "right", "nodes": ["zoe", "id1", "abe"]},
        lambda: clusters(zip(column("left"), column("right"), strict=True), ["zoe", "id1", "abe"]),
    ),
    "where": (
        {"source": "number", "target": "other", "where": ("number", ">=", 300)},
        lambda: clusters((u, v) for u, v in zip(column("number"), column("other"), strict=True) if u >= 300),
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_all_ways_give_the_same_table(way: str, device: Device, few_rows: Callable[[int], None]) -> None:
    asked, expected = WAYS[way]
    rows = expected()
    by_id = {row["id"]: row for row in rows}
    first = pj.components(TABLE, device=device, **asked).table()
    assert {row["id"]: row for row in first.to_pylist()} == by_id
    runs: list[dict[str, Any]] = [{"device": "reference"}, {"device": device, "algorithm": "ecl-cc"}]
    for few in (0, 200):
        few_rows(few)
        for run in [*runs, {"device": device}, {"device": device, "reads": "atomic"}]:
            if len(run) == 2 and "algorithm" not in run:
                run["algorithm"] = "disjoint-set"
            assert pj.components(TABLE, **run, **asked).table().equals(first), (few, run)
    if "group" not in asked:  # of groups, our rows are in order of groups
        assert first.to_pylist() == rows


@pytest.mark.parametrize("coded", ["left", "right", "both"])
def test_columns_go_by_their_dictionaries(
    coded: str, device: Device, few_rows: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    few_rows(150)
    calls: list[int] = []
    merge = IdForest.merge_coded
    monkeypatch.setattr(IdForest, "merge_coded", lambda self, *how: (calls.append(1), merge(self, *how)))
    batches = []
    for batch in TABLE.select(["left", "right"]).to_batches():
        ends = {
            name: batch.column(name).dictionary_encode() if coded in (name, "both") else batch.column(name)
            for name in ("left", "right")
        }
        batches.append(pa.table(ends))
    found = pj.components(pa.concat_tables(batches), device=device).table()
    assert found.to_pylist() == WAYS["pairs"][1]()
    assert bool(calls) == (coded == "both")


def test_dense_integers_that_become_sparse(device: Device, few_rows: Callable[[int], None]) -> None:
    few_rows(0)
    left, right = numbers(800, seed=2)
    left[BATCH * 3 :] *= 10**12
    right[BATCH * 5 :] -= 10**6
    table = in_batches(pa.table({"left": left, "right": right}))
    found = pj.components(table, device=device).table()
    assert found.to_pylist() == clusters(zip(left.tolist(), right.tolist(), strict=True))


def test_small_batches_are_joined(
    device: Device, few_rows: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    few_rows(100)
    rows, merge = [], IdForest.merge
    monkeypatch.setattr(IdForest, "merge", lambda self, *ids: (rows.append(len(ids[0])), merge(self, *ids)))
    whole = pa.table({end: np.random.default_rng(i).integers(0, 500, 560) for i, end in enumerate("ab")})
    coming = (whole.slice(begin, 30) for begin in range(0, 560, 30))
    found = pj.components(coming, source="a", target="b", nodes=pa.array([7, 1000]), device=device)
    assert rows == [120, 120, 120, 120, 80]
    alone = pj.components(whole, source="a", target="b")
    assert found.ids.to_pylist() == [*alone.ids.to_pylist(), 1000]


def test_dense_integers_need_no_hash(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[bool] = []
    kernels = interning.DeviceInterner._kernels

    def watch(self: interning.DeviceInterner, *how: Any, **macros: Any) -> Any:
        built.append(self._direct)
        return kernels(self, *how, **macros)

    monkeypatch.setattr(interning.DeviceInterner, "_kernels", watch)
    ids = np.random.default_rng(1).permutation(5000)
    found, distinct = pj.number_ids(pa.array(ids), algorithm="interning", device=device)
    assert all(built)
    assert np.array_equal(np.asarray(distinct)[found], ids)
    assert np.array_equal(found, np.arange(5000))


def _sorted_bytes(table: pa.Table) -> bytes:
    """Return a sorted table as the bytes of an Arrow file."""
    file = io.BytesIO()
    ordered = table.sort_by("id").combine_chunks()
    with pa.ipc.new_file(file, ordered.schema) as writer:
        writer.write_table(ordered)
    return file.getvalue()


@pytest.mark.parametrize(
    "runs", [20, pytest.param(1000, marks=pytest.mark.exhaustive)], ids=["20 runs", "1000 runs"]
)
def test_shuffled_rows_give_the_same_bytes(
    runs: int, device: Device, few_rows: Callable[[int], None]
) -> None:
    rng = np.random.default_rng(3)
    pairs = TABLE.select(["left", "right"])
    answers = set()
    for run in range(runs):
        few_rows(0 if run % 2 else 10**6)
        shuffled = in_batches(pairs.take(rng.permutation(ROWS)))
        if run % 3 == 0:  # the two ends of a pair are equals
            shuffled = shuffled.rename_columns(["right", "left"])
        answers.add(_sorted_bytes(pj.components(shuffled, device=device).table()))
    assert len(answers) == 1


def test_numbers_of_components_are_in_order_of_smallest_ids(few_rows: Callable[[int], None]) -> None:
    table = pa.table({"left": ["dee", "bob", "cal"], "right": ["bob", "ann", "eve"]})
    for few in (0, 100):
        few_rows(few)
        found = pj.components(table, labels="consecutive")
        assert found.table().to_pylist() == [
            {"id": "dee", "component": 0, "size": 3},
            {"id": "bob", "component": 0, "size": 3},
            {"id": "ann", "component": 0, "size": 3},
            {"id": "cal", "component": 1, "size": 2},
            {"id": "eve", "component": 1, "size": 2},
        ]
        assert (found.count, found.sizes.tolist()) == (2, [3, 2])
        assert [found.names[members].tolist() for members in found.members()] == [
            ["dee", "bob", "ann"],
            ["cal", "eve"],
        ]


LISTS = pa.table({"ids": [["a", "b"], [], ["c", None]], "bucket": ["x", "y", "z"]})
PAIRS = pa.table({"left": ["a"], "right": ["b"]})


@pytest.mark.parametrize(
    ("table", "asked", "error", "message"),
    [
        (PAIRS, {"group": "left"}, TableError, "group= is given, but member= is not"),
        (PAIRS, {"member": "left"}, TableError, "column 'left' holds string, and no lists"),
        (PAIRS, {"group": "left", "member": "left"}, TableError, "group and member are both 'left'"),
        (PAIRS, {"source": "left", "member": "right"}, TableError, "source= and target= are for pairs"),
        (PAIRS, {"group": [], "member": "left"}, TableError, "group= is an empty list"),
        (PAIRS, {"group": ["right", "left"], "member": "left"}, TableError, "are both 'left'"),
        (PAIRS, {"group": ["left", "left"], "member": "right"}, TableError, "'left' is named twice"),
        (PAIRS, {"group": ["lefd"], "member": "right"}, TableError, "did you mean 'left'"),
        (LISTS, {"member": "ids"}, TableError, "column 'ids' has null in the list in row 2"),
        (LISTS, {"group": "bucket", "member": "id"}, TableError, "did you mean 'ids'"),
        (PAIRS, {"vertices": 5}, GraphError, "vertices=5 is for vertices with numbers"),
        (PAIRS, {"devices": "all"}, GraphError, "devices='all' is for vertices with numbers"),
        (PAIRS, {"algorithm": "no such"}, AlgorithmError, "no such"),
        (PAIRS, {"labels": "smallest"}, AlgorithmError, "labels='smallest'"),
    ],
)
def test_what_does_not_go_together_is_refused(
    table: pa.Table, asked: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        pj.components(table, **asked)


def test_values_of_different_keys_are_different_groups() -> None:
    people = pa.table({"phone": [7, 8, None], "email": ["8", "x", "7"], "who": ["ann", "bob", "cal"]})
    assert pj.components(people, group=["phone", "email"], member="who").count == 3


def test_a_null_group_is_no_group_and_a_condition_leaves_its_member_out() -> None:
    people = pa.table({"phone": ["1", None, "1", None, ""], "who": ["ann", "bob", "cal", "dee", "eve"]})
    asked: dict[str, Any] = {"group": "phone", "member": "who"}
    everybody = clusters([("ann", "cal")], ["bob", "dee", "eve"])
    by_id = {row["id"]: row for row in everybody}
    assert {row["id"]: row for row in pj.components(people, **asked).table().to_pylist()} == by_id
    asked["where"] = [("phone", "is not null"), ("phone", "!=", "")]
    assert pj.components(people, **asked).table()["id"].to_pylist() == ["ann", "cal"]
    found = pj.components(people, **asked, nodes=people["who"]).table()
    assert {row["id"]: row for row in found.to_pylist()} == by_id


def test_what_errors_about_nulls_advise_helps() -> None:
    """Conditions leave rows out, so they do not help where a list has nulls."""
    rows = pd.DataFrame({"left": ["a", None, "c"], "right": ["b", "b", "d"]})
    with pytest.raises(TableError, match="by the condition 'is not null' on it"):
        pj.components(rows)
    assert pj.components(rows, where=("left", "is not null")).count == 2
    lists = pd.DataFrame({"who": [["a", "b"], None, ["c", None]]})
    with pytest.raises(TableError, match=r"null in row 1.*by the condition is not null on it"):
        pj.components(lists, member="who")
    with pytest.raises(TableError) as raised:
        pj.components(lists, member="who", where=("who", "is not null"))
    advised = re.search(r"has null in the list in row 1: .* as in (\[.*\])$", str(raised.value))
    assert advised
    lists = lists[lists["who"].notna()]
    mended = lists.assign(who=[eval(advised[1], {"ids": ids}) for ids in lists["who"]])
    assert pj.components(mended, member="who").count == 2


def test_a_table_without_rows() -> None:
    for table in (
        PAIRS.slice(0, 0),
        pa.table({"left": pa.array([], pa.int64()), "right": pa.array([], pa.int64())}),
    ):
        found = pj.components(table)
        assert (found.count, found.vertices, found.table().num_rows) == (0, 0, 0)


def test_ids_alone_are_their_own_components() -> None:
    found = pj.components(PAIRS.slice(0, 0), nodes=["b", "a", "b"])
    assert found.table().to_pylist() == clusters([], ["b", "a"])


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([2**70], "ids: list is no column of ids"),
        ("abc", "a single id"),
        (["a", ""], "is empty in row 1"),
        (["a", None], "is null in row 1"),
        ([1.5], "holds double"),
        (["a", 1], "ids: list is no column of ids"),
    ],
)
def test_what_cannot_be_numbered_is_refused(ids: Any, message: str) -> None:
    with pytest.raises(TableError, match=message):
        pj.number_ids(ids)


def test_interning_is_what_tables_and_number_ids_run() -> None:
    assert ALGORITHMS["interning"].problem == "id-numbering"
    found, distinct = pj.number_ids(pa.array(["b", "a", "b"]).dictionary_encode(), device="reference")
    assert (found.tolist(), distinct.to_pylist()) == ([0, 1, 0], ["b", "a"])


@pytest.mark.parametrize(
    "asked", [{"init": "own"}, {"algorithm": "disjoint-set", "block": 1000}, {"algorithm": "afforest"}]
)
def test_what_is_asked_for_runs_at_every_size(asked: dict[str, Any], few_rows: Callable[[int], None]) -> None:
    ran = set()
    for few in (0, 10**6):
        few_rows(few)
        found = pj.components(TABLE, source="left", target="right", **asked)
        ran.add((found.stats["algorithm"], found.stats["variant"]))
    assert len(ran) == 1


def test_seconds_count_each_phase_once(few_rows: Callable[[int], None]) -> None:
    for few in (0, 10**6):
        few_rows(few)
        begin = perf_counter()
        found = pj.components(TABLE, source="left", target="right")
        assert sum(found.stats["seconds"].values()) <= perf_counter() - begin
        assert min(found.stats["seconds"].values()) >= 0


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"device": "no such device"}, DeviceError),
        ({"algorithm": "no such"}, AlgorithmError),
        ({"jump": "far"}, AlgorithmError),
        ({"labels": ""}, AlgorithmError),
    ],
)
def test_what_is_asked_for_is_checked_before_rows_are_read(
    asked: dict[str, Any], error: type[Exception]
) -> None:
    def rows() -> Any:
        raise AssertionError("rows are read")
        yield

    table = pa.RecordBatchReader.from_batches(PAIRS.schema, rows())
    with pytest.raises(error):
        pj.components(table, **asked)


@pytest.mark.parametrize(
    ("ids", "asked", "error"),
    [
        (["a", "b"], {"device": "no such device"}, DeviceError),
        (["a", "b"], {"algorithm": "no such"}, AlgorithmError),
        (["a", "b"], {"blocks": 5}, AlgorithmError),
        (pa.array([1, 2]).cast(pa.decimal256(40)), {"algorithm": "interning"}, AlgorithmError),
    ],
)
def test_numbering_does_what_it_was_asked_or_says_why_not(
    ids: Any, asked: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        pj.number_ids(ids, **asked)
