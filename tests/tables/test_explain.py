"""Why ids are in one cluster, and by which rows a cluster hangs, by definition."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device

pytestmark = pytest.mark.filterwarnings("ignore::pointerjump.PointerjumpWarning")  # of edges that are drawn
Rows = list[tuple[str, str]]
IDS = st.sampled_from("abcdefghijkl")
ROWS = st.lists(st.tuples(IDS, IDS), min_size=1, max_size=24)
PAIRS = pa.table({"left": list("abacd"), "right": list("bccde"), "score": [9, 8, 9, 5, 7]})


def table_of(rows: Rows) -> pa.Table:
    left, right = zip(*rows, strict=True)
    return pa.table({"left": left, "right": right, "row": range(len(rows))})


@settings(max_examples=60)
@given(rows=ROWS, choice=st.randoms(use_true_random=False))
@pytest.mark.parametrize("where", ["reference", None])
def test_the_rows_lead_from_one_id_to_the_other(where: str | None, rows: Rows, choice: Any) -> None:
    table = table_of(rows)
    explained = pj.components(table, device=where)
    graph = nx.MultiGraph(rows)
    one, other = (choice.choice(sorted(graph)) for _ in range(2))
    if not nx.has_path(graph, one, other):
        with pytest.raises(pj.GraphError, match="are in different clusters"):
            explained.why(one, other)
        return
    found = explained.why(one, other).to_pylist()
    here, seen = one, {one}
    for row in found:
        assert rows[row["row"]] == (row["left"], row["right"])
        here = row["right"] if row["left"] == here else row["left"]
        assert here in (row["left"], row["right"])
        assert here not in seen
        seen.add(here)
    assert here == other


@settings(max_examples=60)
@given(rows=ROWS, choice=st.randoms(use_true_random=False))
@pytest.mark.parametrize("where", ["reference", None])
def test_a_cluster_falls_into_two_without_a_weak_link(where: str | None, rows: Rows, choice: Any) -> None:
    id = choice.choice(sorted({end for row in rows for end in row}))
    cluster = nx.node_connected_component(nx.Graph(rows), id)
    expected = []
    for number, (left, right) in enumerate(rows):
        rest = nx.Graph(row for at, row in enumerate(rows) if at != number)
        rest.add_nodes_from((left, right))
        if left in cluster and not nx.has_path(rest, left, right):
            sizes = (len(nx.node_connected_component(rest, end)) for end in (left, right))
            expected.append((number, *sizes))
    table = table_of(rows)
    found = pj.components(table, device=where).weak_links(id).to_pylist()
    assert [(row["row"], row["left_size"], row["right_size"]) for row in found] == expected


def test_answers_are_tables_of_the_kind_given(device: Device) -> None:
    table = PAIRS.to_pandas()
    explained = pj.components(table, where=("score", ">", 5), device=device)
    found = explained.why("a", "c")
    assert isinstance(found, pd.DataFrame)
    assert found["score"].tolist() == [9, 8]
    assert explained.weak_links("d")[["left_size", "right_size"]].to_numpy().tolist() == [[1, 1]]
    with pytest.raises(pj.GraphError, match="are in different clusters"):
        explained.why("a", "d")  # the row that joined them does not meet the condition


def test_a_file_and_ids_that_are_integers(tmp_path: Path) -> None:
    pd.DataFrame({"x": [10**12, 7, 8], "y": [7, 8, 9]}).to_csv(tmp_path / "pairs.csv", index=False)
    explained = pj.components(tmp_path / "pairs.csv", "x", "y")
    assert explained.why(9, 10**12).to_pylist() == [{"x": 8, "y": 9}, {"x": 7, "y": 8}, {"x": 10**12, "y": 7}]
    assert [row["x_size"] for row in explained.weak_links(7).to_pylist()] == [1, 2, 3]


def test_dates() -> None:
    first, second = datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)
    pairs = pl.DataFrame({"left": [first], "right": [second]})
    explained = pj.components(pairs)
    for id in (first, "2024-01-01", np.datetime64(first)):
        assert explained.weak_links(id)[["left", "right"]].equals(pairs)
    with pytest.raises(pj.GraphError, match="the table has no id 'soon'"):
        explained.why("soon", second)
    path = pl.DataFrame({"left": [first, second], "right": [second, datetime.date(2024, 1, 3)]})
    assert pj.articulation_points(path)["id"].to_list() == [second]


@pytest.mark.parametrize("id", ["z", 1, None, 0.5, ["a"], ("a", "b"), float("nan")])
def test_ids_that_are_not_there(id: Any) -> None:
    explained = pj.components(PAIRS)
    for ask in (lambda: explained.why("a", id), lambda: explained.weak_links(id)):
        with pytest.raises(pj.GraphError, match="the table has no id"):
            ask()


def test_what_cannot_be_explained() -> None:
    taken = PAIRS.append_column("left_size", PAIRS["score"])
    with pytest.raises(pj.TableError, match="has a column 'left_size' already"):
        pj.components(taken).weak_links("a")
    groups = pa.table({"group": [1, 1], "member": ["a", "b"]})
    for found in (
        pj.components(groups, group="group", member="member"),
        pj.components(PAIRS, score="score", max_size=2),
    ):
        with pytest.raises(pj.GraphError, match="not blocks, groups or one-to-one clusters"):
            found.why("a", "b")
    with pytest.raises(pj.TableError, match="is empty"):
        pj.components(iter([PAIRS]), "left", "right").why("a", "b")
