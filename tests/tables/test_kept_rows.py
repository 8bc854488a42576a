"""Tables that are larger than memory: in however many parts they are read, answers are those for all rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device
from pointerjump.ids import kept_rows
from pointerjump.tables import frames

pytestmark = pytest.mark.filterwarnings("ignore::pointerjump.PointerjumpWarning")  # of edges that are drawn
IDS = st.sampled_from("abcdefgh")
ROWS = st.lists(st.tuples(IDS, IDS, st.integers(0, 3)), min_size=1, max_size=40)


@contextmanager
def in_parts(rows: int) -> Iterator[None]:
    """Have rows taken in parts of this size, or of as many as are kept."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_rows, "_SHARE", 0)
        patch.setattr(frames, "ROWS_AT_A_TIME", rows)
        yield


def table_of(rows: list[tuple[Any, Any, int]]) -> pa.Table:
    left, right, score = zip(*rows, strict=True)
    return pa.table({"left": left, "right": right, "score": score, "row": range(len(rows))})


def answers(table: Any, device: Any) -> list[Any]:
    """All that can be found without all rows."""
    alike = pj.two_edge_connected_components(table, device=device)
    forest = pj.minimum_spanning_forest(table, weight="score", device=device)
    merges = pj.single_linkage(table, weight="score", maximum=True, device=device)
    return [
        pj.bridges(table, device=device).to_pylist(),
        (alike.names.tolist(), alike.labels.tolist()),
        (forest.places.tolist(), forest.total, forest.count, forest.names.tolist()),
        forest.table().to_pylist(),
        (merges.merges.tolist(), merges.cut(height=2).tolist()),
        pj.components(table, device=device).weak_links(table["left"][0].as_py()).to_pylist(),
    ]


@settings(max_examples=25)
@given(rows=ROWS, size=st.integers(1, 9))
@pytest.mark.parametrize("where", ["reference", None])
def test_any_division_into_parts(where: str | None, rows: list[tuple[str, str, int]], size: int) -> None:
    table = table_of(rows)
    expected = answers(table, "reference")
    with in_parts(size):
        assert answers(table, where) == expected


def test_few_rows_stay(device: Device) -> None:
    rng = np.random.default_rng(1)
    left, right = rng.integers(0, 50, (2, 5000))
    table = pa.table({"left": left, "right": right, "score": rng.random(5000)})
    given = frames.open_arrow(table).select(["left", "right"])

    def merge(n: int, us: Any, vs: Any) -> Any:
        return pj.minimum_spanning_forest((us, vs), np.zeros(len(us)), vertices=n, device=device).places

    with in_parts(1000):
        kept, ids, _ = kept_rows.kept_rows(given, ["left", "right"], merge, None)
    assert (kept.read, len(kept.table), len(ids)) == (5000, 49, 50)
    assert kept.table["left"].to_pylist() == left[kept.places].tolist()


def test_a_folder_of_files_and_another_order_of_columns(tmp_path: Path, device: Device) -> None:
    rng = np.random.default_rng(2)
    ids = np.array([f"id{i}" for i in range(300)])
    for number in range(5):
        left, right = ids[rng.integers(0, 300, (2, 80))]
        part = pa.table({"score": rng.random(80), "right": right, "other": [None] * 80, "left": left})
        pq.write_table(part, tmp_path / f"{number}.parquet", row_group_size=30)
    where = ("score", "<", 0.8)
    expected = pj.bridges(tmp_path, where=where, device=device).to_pylist()
    forest = pj.minimum_spanning_forest(tmp_path, weight="score", where=where, device=device)
    assert len(expected) > 10
    with in_parts(25):
        assert pj.bridges(tmp_path, where=where, device=device).to_pylist() == expected
        again = pj.minimum_spanning_forest(tmp_path, weight="score", where=where, device=device)
    assert again.table().equals(forest.table())
    assert again.places.tolist() == forest.places.tolist()


def test_rows_are_named_as_in_the_whole_table() -> None:
    left: list[str | None] = ["a", "b"] * 20
    left[33] = None
    table = pa.table({"left": left, "right": ["c"] * 40, "score": [1] * 40})
    for find in (pj.bridges, lambda given: pj.minimum_spanning_forest(given, weight="score")):
        with in_parts(4), pytest.raises(pj.TableError, match=r"column 'left'.*row 33"):
            find(table)


@pytest.mark.parametrize("type", [pa.string_view(), pa.binary_view()])
def test_views_of_strings(type: Any) -> None:
    """Arrow cannot take rows of them, as the enemy found."""
    views = [pa.array(list(ids)).cast(pa.binary()).cast(type) for ids in ("abcdd", "bcada")]
    table = pa.table({"left": views[0], "right": views[1], "more": views[0], "score": [3, 2, 1, 1, 1]})
    for rows in (2, 9):
        with in_parts(rows):
            assert pj.bridges(table).schema == table.schema
            assert pj.bridges(table).equals(table[4:])
            assert len(pj.components(table).why("a", "d") if type == pa.string_view() else [0]) == 1
            assert pj.minimum_spanning_forest(table, weight="score").total == 4
    assert pj.bridges(table[1:4]).equals(table[1:3])
