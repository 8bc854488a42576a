"""Tables that somebody has damaged, or that nobody makes by hand: a right answer, or one clear error."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import pointerjump as pj
import pointerjump.ids.components
from pointerjump.accel import interning
from pointerjump.accel.interning import DeviceInterner
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.base.id_bytes import IdBytes, IdKind
from pointerjump.errors import PointerjumpError, TableError

SCORED = pa.table(
    {
        "left": ["ann", "bob"],
        "right": ["bob", "cal"],
        "n": pa.array([1, 2], pa.int8()),
        "cost": [Decimal("1.5"), Decimal("2.5")],
        "score": [0.5, 0.6],
    }
)


def of_kind(kind: str, table: pa.Table) -> Any:
    if kind == "polars":
        return pytest.importorskip("polars").from_arrow(table)
    if kind == "duckdb":
        return pytest.importorskip("duckdb").from_arrow(table)
    return table


# -- types -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("index", [pa.uint64(), pa.uint8()], ids=str)
def test_dictionaries_with_every_type_of_index(
    index: pa.DataType, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pointerjump.ids.components, "FEW_ROWS", 1)
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 0], index), ["ann", "bob", "cal"])
    batches = pa.table({"left": coded, "right": coded}).to_batches(2)
    found = pj.components(pa.Table.from_batches(batches), device=device)
    assert (found.ids.to_pylist(), found.count) == (["ann", "bob", "cal"], 3)


@pytest.mark.parametrize("where", [None, ("score", ">", 0.5)], ids=str)
def test_lists_and_groups_of_views(where: Any) -> None:
    lists = pa.array([["ann", "bob"], ["bob", "cal"]]).cast(pa.list_(pa.string_view()))
    groups = pa.array(["x", "y"]).cast(pa.string_view())
    table = pa.table({"group": groups, "member": lists, "score": [0.6, 0.7]})
    assert pj.components(table, group="group", member="member", where=where).labels.tolist() == [0, 0, 0]


def test_lists_of_nothing_beside_nodes() -> None:
    nothing = pa.table({"member": pa.array([[]], pa.list_(pa.null()))})
    assert pj.components(nothing, member="member", nodes=["ann"]).table()["id"].to_pylist() == ["ann"]


@pytest.mark.parametrize("type", [pa.decimal32(5, 2), pa.decimal64(5, 2)], ids=str)
def test_short_decimals_come_back_as_they_were(type: pa.DataType) -> None:
    ids = pa.array([Decimal("1.50"), Decimal("-1.50")], type)
    table = pj.components(pa.table({"left": ids, "right": ids[::-1]})).table()
    assert table["component"].combine_chunks() == ids.take(pa.array([1, 1]))


def test_intervals_are_no_ids() -> None:
    ids = pa.array([(1, 2, 3)], pa.month_day_nano_interval())
    with pytest.raises(TableError, match="'left' holds month_day_nano_interval, which cannot be ids"):
        pj.components(pa.table({"left": ids, "right": ids}))


@pytest.mark.parametrize(
    "values",
    [
        ["ann", b"ann"],
        [datetime.date(2024, 1, 1), datetime.datetime(2024, 1, 1, 5)],
        [datetime.timedelta(microseconds=1), 1],
    ],
    ids=str,
)
def test_objects_that_only_arrow_takes_for_equal_are_an_error(values: list[Any]) -> None:
    pd = pytest.importorskip("pandas")
    column = pd.Series(values, dtype=object)
    with pytest.raises(TableError, match=r"'left' holds \w+ in row 0, but \w+ in row 1: cast it to one type"):
        pj.components(pd.DataFrame({"left": column, "right": column}))


# -- conditions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["arrow", "polars", "duckdb"])
@pytest.mark.parametrize(
    ("where", "rows"),
    [
        (("n", "in", [1, 2.5]), [0]),
        (("n", "not in", [1, 2.5]), [1]),
        (("n", "in", [2.5]), []),
        (("n", "in", [1, float("inf")]), [0]),
        (("cost", "in", [100, 1.5]), [0]),
        (("cost", "in", [1.5, 2]), [0]),
    ],
    ids=str,
)
def test_lists_of_numbers_of_two_types(kind: str, where: Any, rows: list[int]) -> None:
    found = pj.components(of_kind(kind, SCORED), where=where)
    assert set(found.ids.to_pylist()) == {
        id for row in rows for id in (SCORED["left"][row].as_py(), SCORED["right"][row].as_py())
    }


@pytest.mark.parametrize("kind", ["arrow", "polars", "duckdb"])
@pytest.mark.parametrize(
    "where",
    [
        ("score", ">", 10**400),
        ("cost", "<", float("inf")),
        ("cost", ">", 10**60),
        ("cost", ">", Decimal("1." + "1" * 40)),
    ],
    ids=["huge", "infinite", "many digits", "many places"],
)
def test_numbers_that_no_column_holds(kind: str, where: Any) -> None:
    with pytest.raises(TableError, match="give a number that fits"):
        pj.components(of_kind(kind, SCORED), where=where)


# -- thresholds ------------------------------------------------------------------------------------


def test_thresholds_from_a_generator() -> None:
    found = pj.components_at(SCORED, thresholds=(each for each in (0.55, 0.5)))
    assert found.table().column_names == ["id", "component_0.55", "component_0.5"]


@pytest.mark.parametrize("thresholds", [["0.5"], [10**400]], ids=["text", "huge"])
def test_thresholds_that_are_no_numbers(thresholds: Any) -> None:
    with pytest.raises(TableError, match="give a list of numbers"):
        pj.components_at(SCORED, thresholds=thresholds)


# -- sources ---------------------------------------------------------------------------------------


def test_relations_of_a_closed_connection() -> None:
    connection = pytest.importorskip("duckdb").connect()
    relation = connection.sql("select 'ann' as left_id, 'bob' as right_id")
    found = pj.components(relation, source="left_id", target="right_id")
    connection.close()
    with pytest.raises(TableError, match="already been closed: keep its connection open, or call arrow"):
        found.table()
    with pytest.raises(TableError, match="already been closed"):
        pj.components(relation, source="left_id", target="right_id")


def test_ids_in_the_names_of_folders(tmp_path: Path) -> None:
    (tmp_path / "left=1").mkdir()
    (tmp_path / "left=1" / "part.csv").write_text("right\n5\n")
    assert pj.components(tmp_path, source="left", target="right").ids.to_pylist() == [1, 5]


def save(path: Path, *, stream: bool) -> bytes:
    """Save pairs as Arrow; return the file."""
    ids = [f"id{i}" for i in range(50)]
    batch = pa.record_batch({"left": ids, "right": pa.array(ids, pa.large_string())})
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(path, batch.schema) as writer:
        writer.write_batch(batch)
    return path.read_bytes()


@pytest.mark.parametrize("where", [(), ("left", ">", "id2")], ids=["all", "some"])
@pytest.mark.parametrize("stream", [False, True], ids=["file", "stream"])
def test_damaged_arrow_files_are_an_error(
    stream: bool, where: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where an id begins may lie far outside the file, and pyarrow maps files without a look at this."""
    monkeypatch.setattr(pointerjump.ids.components, "FEW_ROWS", 0)
    path = tmp_path / "pairs.arrow"
    data = bytearray(save(path, stream=stream))
    begins = data.index(np.cumsum([0] + [3] * 10 + [4] * 40).astype(np.int32).tobytes())
    data[begins + 4 * 30 + 3] ^= 0x40
    path.write_bytes(data)
    with pytest.raises(PointerjumpError, match="cannot be read"):
        pj.components(path, source="left", target="right", where=where)


# -- interning -------------------------------------------------------------------------------------


def column(ids: list[int]) -> list[IdBytes]:
    return [IdBytes(IdKind(8, "unsigned"), np.array(ids, np.uint64).view(np.uint8))]


def test_dense_integers_after_a_block_that_failed(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Known integers may be larger than all of the next block's."""
    session = session_for(device)
    with session.running():
        interner = DeviceInterner(session, IdKind(8, "unsigned"))
        interner.intern(column([50_000, 3]))
        with monkeypatch.context() as patched:
            patched.setattr(interner, "_keep_new", interrupted)
            with pytest.raises(KeyboardInterrupt):
                interner.intern(column([4]))
        assert session.get(interner.intern(column([3, 5])), 2).tolist() == [1, 2]
        assert interner._slots > 50_000 or not interner._direct
        assert session.get(interner.intern(column([50_000])), 1).tolist() == [0]


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_slot_of_their_own_is_for_integers_that_have_a_slot_number(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interning, "MOST_SLOTS", 1 << 12)
    session = session_for(device)
    with session.running():
        interner = DeviceInterner(session, IdKind(8, "unsigned"))
        assert session.get(interner.intern(column([4096, 7, 4096])), 3).tolist() == [0, 1, 0]
        assert interner._slots < 4096
