"""Forests of parts of a table can be merged in any order, grouping and number, and always say the same."""

from __future__ import annotations

import uuid
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device
from pointerjump.errors import TableError
from pointerjump.ids import components as tables

IDS: dict[str, Any] = {
    "int64": lambda i: (i * 0x9E3779B97F4A7C15 + 5) % 2**63 - 2**62,
    "string": lambda i: f"{i * 37 % 101}:{i}",
    "uuid": lambda i: uuid.UUID(int=(i * 0x9E3779B97F4A7C15F39CC0605CEDC835) % 2**128).bytes,
}
TYPES = {"int64": pa.int64(), "string": pa.string(), "uuid": pa.binary(16)}

Pairs = list[tuple[int, int]]


def table_of(pairs: Pairs, kind: str = "string") -> pa.Table:
    ends = zip(*pairs, strict=True) if pairs else ((), ())
    columns = [pa.array([IDS[kind](i) for i in end], TYPES[kind]) for end in ends]
    return pa.table(columns, names=["a", "b"])


def expected(pairs: Pairs, kind: str) -> dict[str, list[Any]]:
    """Return the forest by a union-find in plain Python."""
    parent = {IDS[kind](i): IDS[kind](i) for pair in pairs for i in pair}

    def root(id: Any) -> Any:
        while parent[id] != id:
            id = parent[id]
        return id

    for a, b in pairs:
        low, high = sorted((root(IDS[kind](a)), root(IDS[kind](b))))
        parent[high] = low
    ids = sorted(parent)
    return {"id": ids, "root": [root(id) for id in ids]}


def forest(table: pa.Table) -> Any:
    return pj.forest_of(table, "a", "b")


@st.composite
def parts(draw: st.DrawFn) -> list[Pairs]:
    """Draw a table of pairs in parts, some of them empty."""
    pair = st.tuples(st.integers(0, 30), st.integers(0, 30))
    return draw(st.lists(st.lists(pair, max_size=12), min_size=1, max_size=7))


@given(parts(), st.sampled_from(list(IDS)), st.data())
def test_any_tree_of_merges_says_the_same(given_parts: list[Pairs], kind: str, data: st.DataObject) -> None:
    whole = forest(table_of([pair for part in given_parts for pair in part], kind))
    assert whole.to_pydict() == expected([pair for part in given_parts for pair in part], kind)
    forests = [forest(table_of(part, kind)) for part in given_parts]
    again = data.draw(st.lists(st.sampled_from(range(len(forests))), max_size=3))
    left = data.draw(st.permutations([*forests, *(forests[i] for i in again)]))
    while len(left) > 1:
        some = data.draw(st.integers(2, len(left)))
        left = [*left[some:], pj.merge_forests(left[:some])]
    assert pj.merge_forests(left).equals(whole)
    assert left[0].equals(whole)


def test_merging_is_associative_commutative_and_idempotent() -> None:
    rng = np.random.default_rng(8)
    a, b, c = (forest(table_of(rng.integers(0, 400, (200, 2)).tolist(), "int64")) for _ in range(3))
    merge = pj.merge_forests
    assert merge([merge([a, b]), c]).equals(merge([a, merge([b, c])]))
    assert merge([a, b]).equals(merge([b, a]))
    assert merge([a, a]).equals(a)
    assert merge([merge([a, b]), b, a]).equals(merge([a, b]))


@pytest.mark.parametrize("kind", list(IDS))
def test_on_every_device(kind: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "FEW_ROWS", 10)
    pairs = np.random.default_rng(9).integers(0, 3000, (2000, 2)).tolist()
    forests = [
        pj.forest_of(table_of(pairs[begin : begin + 500], kind), "a", "b", device=device)
        for begin in range(0, 2000, 500)
    ]
    merged = pj.merge_forests(forests, device=device)
    assert merged.to_pydict() == expected(pairs, kind)
    assert len(merged) == len({i for pair in pairs for i in pair})


def test_kinds_of_tables() -> None:
    pairs = table_of([(1, 2), (3, 3), (2, 5)])
    in_arrow = forest(pairs)
    in_pandas = pj.forest_of(pairs.to_pandas(), "a", "b")
    in_polars = pj.forest_of(pl.from_arrow(pairs), "a", "b")
    assert isinstance(in_pandas, pd.DataFrame)
    assert isinstance(in_polars, pl.DataFrame)
    assert in_pandas.to_dict("list") == in_polars.to_dict(as_series=False) == in_arrow.to_pydict()
    assert isinstance(pj.merge_forests([in_pandas, in_pandas]), pd.DataFrame)
    assert isinstance(pj.merge_forests([in_polars, in_polars]), pl.DataFrame)


def test_groups_nodes_and_conditions() -> None:
    groups = pa.table({"order": [1, 1, 2], "item": ["x", "z", "y"]})
    assert pj.forest_of(groups, group="order", member="item").to_pydict() == {
        "id": ["x", "y", "z"],
        "root": ["x", "y", "x"],
    }
    scored = table_of([(1, 2), (3, 4)]).append_column("score", pa.array([0.9, 0.1]))
    assert len(pj.forest_of(scored, "a", "b", where=("score", ">", 0.5))) == 2
    alone = pj.forest_of(table_of([(1, 2)]), "a", "b", nodes=["other"])
    assert {"id": "other", "root": "other"} in alone.to_pylist()


def test_ids_keep_their_type_and_nothing_is_lost_in_an_empty_forest() -> None:
    for type in (pa.int32(), pa.uint64(), pa.large_string(), pa.binary(16)):
        empty = pj.forest_of(pa.table({"a": pa.array([], type), "b": pa.array([], type)}), "a", "b")
        assert empty.schema.types == [type, type]
        assert len(empty) == 0
        assert pj.merge_forests([empty, empty]).equals(empty)
    narrow = pj.forest_of(
        pa.table({"a": pa.array([7, 3], pa.int32()), "b": pa.array([3, 9], pa.int32())}), "a", "b"
    )
    assert narrow.schema.types == [pa.int32(), pa.int32()]
    assert pj.merge_forests([narrow]).equals(narrow)


@pytest.mark.parametrize(
    ("forests", "why"),
    [
        ([], "there are no forests: give at least one"),
        (5, "forests is of type int: give a list"),
        (None, "forests is of type NoneType: give a list"),
        ("forest.parquet", "forests is of type str: give a list"),
        (pa.table({"id": [1], "root": [1]}), "forests is of type Table: give a list"),
        ([pa.table({"a": [1], "b": [2]})], "has no column 'id'"),
        ([pa.table({"id": [1], "root": [1]}), pa.table({"id": ["x"], "root": ["x"]})], "cast it to one type"),
        ([pa.table({"id": [1], "root": pa.array([None], pa.int64())})], "null"),
    ],
)
def test_what_is_no_list_of_forests(forests: object, why: str) -> None:
    with pytest.raises(TableError, match=why):
        pj.merge_forests(forests)
