"""Clusters that live on: updated, they are those of all pairs together, and keep their names."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import pointerjump as pj
from pointerjump.accel.runtime.devices import devices
from pointerjump.cli import cli
from pointerjump.ids import components

ANYWHERE = None if any(device.works for device in devices()) else "reference"


def pairs(seed: int, ids: int, count: int, kind: Any = "id {}".format) -> pa.Table:
    rng = random.Random(seed)
    left, right = ([kind(rng.randrange(ids)) for _ in range(count)] for _ in range(2))
    return pa.table({"left": left, "right": right})


def clusters(table: pa.Table, column: str = "component") -> dict[Any, frozenset[Any]]:
    """Return the ids in each cluster by its name, without those that are in none."""
    found: dict[Any, set[Any]] = {}
    for row in table.to_pylist():
        if row[column] is not None:
            found.setdefault(row[column], set()).add(row["id"])
    return {name: frozenset(ids) for name, ids in found.items()}


@pytest.mark.parametrize("few", [1 << 14, 0])  # numbered by pyarrow, and on the device
@pytest.mark.parametrize("kind", ["id {}".format, int])
@pytest.mark.parametrize("seed", range(4))
def test_updated_day_by_day(seed: int, kind: Any, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(components, "FEW_ROWS", few)
    days = [pairs(10 * seed + day, 90, 15, kind) for day in range(4)]
    table = pj.components(days[0], device=ANYWHERE).table().select(["id", "component"])
    for day in range(1, 4):
        old, table = table, pj.update_clusters(table, days[day], device=ANYWHERE)
        before, after = clusters(old), clusters(table)
        together = pj.components(pa.concat_tables(days[: day + 1]), device=ANYWHERE).table()
        assert {*after.values()} == {*clusters(together).values()}
        assert table["id"].to_pylist()[: len(old)] == old["id"].to_pylist()
        assert clusters(table, "previous") == before
        status = dict(zip(table["component"].to_pylist(), table["status"].to_pylist(), strict=True))
        assert len({*zip(table["component"].to_pylist(), table["status"].to_pylist(), strict=True)}) == len(
            after
        )
        for name, ids in after.items():
            parts = [part for part, members in before.items() if members <= ids]
            of_parts = frozenset().union(*(before[part] for part in parts))
            expected = (
                "new"
                if not parts
                else "merged"
                if len(parts) > 1
                else "grown"
                if ids > of_parts
                else "unchanged"
            )
            assert status[name] == expected
            assert name in (max(parts, key=lambda part: len(before[part])) if parts else min(ids),)


def test_how_merged_clusters_are_named() -> None:
    old = pa.table({"id": ["x", "c", "a", "b"], "component": ["one", "two", "two", "three"]})
    new = pa.table({"left": ["x", "a"], "right": ["c", "b"]})
    named = lambda keep: {*pj.update_clusters(old, new, keep=keep, device=ANYWHERE)["component"].to_pylist()}  # noqa: E731
    assert named("previous") == {"two"}
    assert named("oldest") == {"one"}
    assert named("smallest") == {"a"}


def test_names_that_are_taken_are_not_given_again() -> None:
    old = pa.table({"id": ["a", "b"], "component": ["n", "o"]})
    new = pa.table({"left": ["n", "p"], "right": ["o", "n"]})
    assert pj.update_clusters(old, new, device=ANYWHERE)["component"].to_pylist() == ["n", "o", "p", "p", "p"]
    with pytest.raises(pj.TableError, match="names of other clusters"):
        pj.update_clusters(old, new.slice(0, 1), device=ANYWHERE)


def test_clusters_with_numbers() -> None:
    old = pa.table({"who": ["a", "b"], "number": pa.array([7, 3], pa.int32())})
    new = pa.table({"left": ["c", "e"], "right": ["d", "a"]})
    found = pj.update_clusters(old, new, id="who", cluster="number", nodes=["z"], device=ANYWHERE)
    assert found["component"].to_pylist() == [7, 3, 8, 8, 7, 9]
    assert found["status"].to_pylist() == ["grown", "unchanged", "new", "new", "grown", "new"]
    words = pa.table({"id": [1], "component": ["one"]})
    with pytest.raises(pj.TableError, match="no id can name a new cluster"):
        pj.update_clusters(words, pa.table({"left": [3], "right": [4]}), device=ANYWHERE)


def test_nothing_old_and_nothing_new() -> None:
    old, new = pa.table({"id": ["a"], "component": ["a"]}), pa.table({"left": ["c"], "right": ["b"]})
    assert pj.update_clusters(old.slice(1), new, device=ANYWHERE)["component"].to_pylist() == ["b", "b"]
    nothing, numbers = pa.table({"id": [], "component": []}), pa.table({"left": [5], "right": [4]})
    assert pj.update_clusters(nothing, numbers, device=ANYWHERE)["component"].to_pylist() == [4, 4]
    found = pj.update_clusters(old, new.slice(1), device=ANYWHERE)
    assert found.to_pylist() == [{"id": "a", "component": "a", "previous": "a", "status": "unchanged"}]


@pytest.mark.parametrize("of", [pd.DataFrame, pl.DataFrame])
def test_the_kind_of_table_that_was_given(of: Any) -> None:
    old = of({"id": ["a", "b"], "component": ["a", "b"]})
    found = pj.update_clusters(old, of({"left": ["a"], "right": ["c"]}), device=ANYWHERE)
    assert type(found) is of
    assert list(found["component"]) == ["a", "b", "a"]


@pytest.mark.parametrize("of", [pa.Table.to_pandas, pl.from_arrow, lambda table: table])
@pytest.mark.parametrize("kind", [pa.int64(), pa.uint64(), pa.string(), pa.date32()])
def test_old_names_are_as_they_were(kind: Any, of: Any) -> None:
    ids = pa.array([2**60 + 1, 2**60 + 3, 2**60 + 5], pa.int64())
    ids = pa.array([20000, 20001, 20003], pa.int32()).cast(kind) if kind == pa.date32() else ids.cast(kind)
    old = pa.table({"id": ids[:2], "component": ids[:2]})
    found = pj.update_clusters(of(old), of(pa.table({"left": ids[:1], "right": ids[2:]})), device=ANYWHERE)
    assert list(found["previous"])[:2] == list(found["id"])[:2]
    assert found["previous"].dtype == found["id"].dtype if isinstance(found, pl.DataFrame) else True
    assert found["previous"].type == kind if isinstance(found, pa.Table) else True


@pytest.mark.parametrize("few", [1 << 14, 0])
def test_both_tables_may_be_streams(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(components, "FEW_ROWS", few)
    old = pj.components(pairs(1, 90, 60), device=ANYWHERE).table().select(["id", "component"])
    new = pairs(2, 120, 30)
    expected = pj.update_clusters(old, new, device=ANYWHERE)
    streams = (pa.RecordBatchReader.from_batches(each.schema, each.to_batches(7)) for each in (old, new))
    assert pj.update_clusters(*streams, device=ANYWHERE) == expected
    twice = pa.concat_tables([old, old.slice(50, 1)])
    with pytest.raises(pj.TableError, match=f"id {old['id'][50]} is in several rows"):
        pj.update_clusters(iter([twice.slice(0, 55), twice.slice(55)]), new, device=ANYWHERE)


def test_names_without_a_next_number() -> None:
    old = pa.table({"id": ["a"], "component": pa.array([2**64 - 1], pa.uint64())})
    with pytest.raises(pj.TableError, match="18446744073709551615, and uint64 has no next number"):
        pj.update_clusters(old, pa.table({"left": ["c"], "right": ["d"]}), device=ANYWHERE)


@pytest.mark.parametrize(
    ("old", "options", "match"),
    [
        ({"id": ["a", "a"], "component": ["a", "b"]}, {}, "id a is in several rows"),
        ({"id": ["a", None], "component": ["a", "b"]}, {}, "column 'id' is null in row 1"),
        ({"id": ["a"], "component": [None]}, {}, "column 'component' is null"),
        ({"id": ["a"], "group": ["a"]}, {}, "no column 'component'"),
        ({"id": [1], "component": [1]}, {}, "column 'id' holds int64, but column 'left' holds string"),
        ({"id": ["a"], "component": ["a"]}, {"keep": "newest"}, "keep='newest': choose one of previous"),
    ],
)
def test_what_is_no_table_of_clusters(old: dict[str, Any], options: dict[str, Any], match: str) -> None:
    with pytest.raises(pj.TableError, match=match):
        pj.update_clusters(
            pa.table(old), pa.table({"left": ["x"], "right": ["y"]}), device=ANYWHERE, **options
        )


def test_files_by_command(tmp_path: Path) -> None:
    old, new, out = tmp_path / "old.parquet", tmp_path / "new.csv", tmp_path / "out.parquet"
    table = pa.table({"id": ["a", "b"], "component": ["a", "b"]})
    pq.write_table(table, old)
    new.write_text("left,right\na,c\n")
    arguments = ["update", *map(str, (old, new)), "-o", str(out), "--device", ANYWHERE or "cpu", "--json"]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    told = json.loads(done.output)
    assert (told["old"], told["pairs"], told["grown"], told["new"]) == (str(old), str(new), 2, 0)
    assert pq.read_table(out).to_pylist() == pj.update_clusters(old, new, device=ANYWHERE).to_pylist()
