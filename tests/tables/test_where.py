"""Conditions mean the same in every container and reader: what benches/plain_conditions.py says."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from plain_conditions import (
    COMPARISONS,
    CONTAINERS,
    LACKS,
    NAN,
    NOON,
    TYPES,
    holds,
    in_arrow,
    in_stream,
)

import pointerjump as pj
from pointerjump.tables.open import open_table


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def rows_found(given: Any, where: Any) -> list[int]:
    return [
        row
        for batch in open_table(given).select(["row"], where).batches()
        for row in batch["row"].to_pylist()
    ]


@pytest.mark.parametrize("part", [8, pytest.param(1, marks=pytest.mark.exhaustive)], ids=["some", "all"])
@pytest.mark.parametrize(
    ("container", "type"),
    [(each, type) for each in CONTAINERS for type in TYPES if type not in LACKS.get(each, ())],
    ids=str,
)
def test_a_condition_means_what_it_means_in_plain_python(
    container: str, type: pa.DataType, part: int
) -> None:
    values, constants = [None, *TYPES[type][0]], TYPES[type][1]
    table = pa.table({"row": np.arange(len(values)), "x": pa.array(values, type)})
    wheres: list[Any] = [("x", "is null"), ("x", "is not null")]
    wheres += [("x", operator, constant) for operator in COMPARISONS for constant in constants]
    wheres += [("x", operator, constants[:most]) for operator in ("in", "not in") for most in (1, 99)]
    given = CONTAINERS[container](table)
    for where in wheres[list(CONTAINERS).index(container) % part :: part]:
        named = where[2] if where[1].endswith("in") else list(where[2:])
        expected = [row for row, value in enumerate(values) if holds(value, where[1], named, type)]
        given = CONTAINERS[container](table) if container == "iterator" else given
        assert rows_found(given, where) == expected, where


def test_minima_that_are_not_numbers_leave_no_rows_out() -> None:
    """Some writers put NaN into a file's statistics."""
    table = pa.table({"row": [0, 1, 2], "x": [1.2345, 2.5, 7.6543]})
    pq.write_table(table, "a.parquet", compression="none", use_dictionary=False)
    data = Path("a.parquet").read_bytes()
    values = np.array(table["x"]).tobytes()
    begin = data.index(values)
    head, tail = data[: begin + len(values)], data[begin + len(values) :]
    for low, high in ((1.2345, NAN), (NAN, 7.6543), (NAN, NAN)):
        swapped = tail
        for was, now in ((1.2345, low), (7.6543, high)):
            assert np.float64(was).tobytes() in tail
            swapped = swapped.replace(np.float64(was).tobytes(), np.float64(now).tobytes())
        Path("b.parquet").write_bytes(head + swapped)
        assert rows_found("b.parquet", ("x", ">", 2)) == [1, 2]
        assert rows_found("b.parquet", ("x", "<=", 2.5)) == [0, 1]
        assert rows_found("b.parquet", ("x", "==", 2.5)) == [1]


# -- folders whose files have different types --------------------------------------------------------


def folder_of(*columns: pa.Array) -> str:
    Path("folder").mkdir()
    row = 0
    for number, column in enumerate(columns):
        rows = np.arange(row, row := row + len(column))
        pq.write_table(pa.table({"row": rows, "x": column}), f"folder/{number}.parquet")
    return "folder"


def in_parts(*columns: pa.Array) -> Any:
    return iter([pa.table({"row": np.arange(len(column)), "x": column}) for column in columns])


DIFFERENT = [
    (pa.array([-1]), pa.array([2**64 - 1], pa.uint64())),
    (pa.array([7]), pa.array(["007"])),
    (pa.array(["a"]), pa.array([b"a"])),
    (pa.array([dt.date(2024, 1, 1)]), pa.array([dt.datetime(2024, 1, 1, 5)])),
    (pa.array([1]), pa.array([True])),
    (pa.array(["a"]), pa.array([["a"]])),
    (pa.array([1]), pa.array([1.5])),
    (pa.array([True]), pa.array([1])),
]


@pytest.mark.parametrize("columns", DIFFERENT, ids=lambda columns: f"{columns[0].type} {columns[1].type}")
@pytest.mark.parametrize("together", [folder_of, in_parts])
def test_values_of_two_kinds_are_refused_wherever_they_come_from(together: Any, columns: Any) -> None:
    says = r"column 'x' holds .*(but .*: cast it to one type|which cannot be ids)"
    with pytest.raises(pj.TableError, match=says) as caught:
        list(open_table(together(*columns)).select(["x"]).batches())
    assert "\n" not in str(caught.value)


ALIKE = [
    (pa.array([1], pa.int32()), pa.array([2**40, None])),
    (pa.array([1], pa.uint8()), pa.array([2**64 - 1], pa.uint64())),
    (pa.array(["a"]), pa.array(["b"], pa.large_string())),
    (pa.array(["a"]), pa.array(["b"]).dictionary_encode()),
    (pa.array(["a"]).dictionary_encode(), pa.array(["b"], pa.string_view())),
    (pa.array([b"a"]), pa.array([b"b"], pa.large_binary())),
    (pa.nulls(1), pa.array(["a"])),
    (pa.array(["a"]), pa.nulls(2)),
    (pa.array(["a"]), pa.array([], pa.float64())),
    (pa.array([], pa.float64()), pa.array(["a"])),
    (pa.array([], pa.float64()), pa.array([], pa.string())),
    (pa.nulls(1), pa.array([], pa.float64())),
    (pa.array([["a"]]), pa.array([["b"]], pa.large_list(pa.large_string()))),
    (pa.array([[1]], pa.list_(pa.int32())), pa.array([[2**40]])),
]


@pytest.mark.parametrize("columns", ALIKE, ids=lambda columns: f"{columns[0].type} {columns[1].type}")
def test_values_of_one_kind_stay_as_they_are(columns: Any) -> None:
    found = [
        value
        for batch in open_table(folder_of(*columns)).select(["x"]).batches()
        for value in batch["x"].to_pylist()
    ]
    assert found == [value for column in columns for value in column.to_pylist()]


# -- strange values and columns --------------------------------------------------------------------


def table_with(column: Any) -> pa.Table:
    return pa.table({"row": np.arange(len(column)), "x": column})


@pytest.mark.parametrize("where", [("x", "==", 1), ("x", "is null"), ("x", "in", ["a"])], ids=str)
def test_dictionaries_of_nulls(where: Any) -> None:
    nothing = table_with(pa.DictionaryArray.from_arrays(pa.array([0, 0], pa.int8()), pa.nulls(1)))
    rows = [0, 1] if where[1] == "is null" else []
    for given in (nothing, in_arrow(nothing), in_stream(nothing)):
        assert rows_found(given, where) == rows


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "numpy", "set", "generator"])
def test_lists_of_values_in_any_collection(kind: str) -> None:
    values = {
        "pandas": lambda: pytest.importorskip("pandas").Series([1, 2]),
        "polars": lambda: pytest.importorskip("polars").Series([1, 2]),
        "arrow": lambda: pa.array([1, 2]),
        "numpy": lambda: np.array([1, 2]),
        "set": lambda: {1, 2},
        "generator": lambda: (each for each in [1, 2]),
    }[kind]()
    assert rows_found(table_with([1, 2, 3]), ("x", "in", values)) == [0, 1]


def test_booleans_in_bytes_are_booleans() -> None:
    booleans = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([0, 1, 2, None], pa.int8()))
    assert rows_found(table_with(booleans), ("x", "==", True)) == [1, 2]
    with pytest.raises(pj.TableError, match="holds bool, which cannot be ids"):
        pj.components(pa.table({"left": booleans, "right": booleans}))


def test_nanoseconds_of_pandas_and_of_numpy_are_not_lost() -> None:
    pd = pytest.importorskip("pandas")
    times = table_with(pa.array([1, 2], pa.timestamp("ns")))
    for value in (pd.Timestamp(1), np.datetime64(1, "ns")):
        assert rows_found(times, ("x", "==", value)) == [0]


@pytest.mark.parametrize("unit", ["Y", "M", "D", "h", "m"])
def test_times_of_numpy_in_units_that_arrow_lacks(unit: str) -> None:
    times = table_with(pa.array([dt.datetime(2023, 12, 31), dt.datetime(2024, 1, 1)]))
    assert rows_found(times, ("x", ">=", np.datetime64("2024", unit))) == [1]
    spans = table_with(pa.array([dt.timedelta(0), dt.timedelta(days=400)]))
    if unit not in "YM":  # which are not of one length
        assert rows_found(spans, ("x", ">=", np.timedelta64(1, unit))) == [1]


def test_an_empty_field_of_text_is_null() -> None:
    """Others that read CSV say so too, and a file cannot say the one and not the other."""
    Path("a.csv").write_text("row,x,score\n0,a,0.5\n1,,\n2,NA,0.9\n")
    for column in ("x", "score"):
        assert rows_found("a.csv", (column, "is null")) == [1]
        assert rows_found("a.csv", (column, "is not null")) == [0, 2]
    assert rows_found("a.csv", ("x", "!=", "a")) == [2]


def test_a_schema_of_the_callers_own_is_kept() -> None:
    folder = folder_of(pa.array([7]), pa.array(["007"]))
    strings = ds.dataset(folder, schema=pa.schema([("row", pa.int64()), ("x", pa.string())]))
    found = [
        value for batch in open_table(strings).select(["x"]).batches() for value in batch["x"].to_pylist()
    ]
    assert found == ["7", "007"]


def test_a_large_dictionary_means_what_its_values_mean() -> None:
    """Of a dictionary with more values than a batch has rows, not all are looked at."""
    text = pa.array([None, *(f"id{i}" for i in range(1000))])
    for values in (text, text.cast(pa.string_view()), pa.array([None, *range(1000)])):
        column = pa.DictionaryArray.from_arrays(pa.array([1, None, 0, 7]), values)
        for where, rows in ((("x", "is null"), [1, 2]), (("x", "==", values[1].as_py()), [0])):
            assert rows_found(table_with(column), where) == rows
        assert rows_found(table_with(column), ("x", "!=", values[1].as_py())) == [3]


def test_nanoseconds_of_text_arrow_and_polars_are_not_lost() -> None:
    clock = table_with(pa.array([0, 1, 1000], pa.time64("ns")))
    one = pa.scalar(1, pa.time64("ns"))
    for value in ("00:00:00.000000001", one):
        assert rows_found(clock, ("x", "==", value)) == [1]
    assert rows_found(clock, ("x", "in", [one])) == [1]
    with pytest.raises(pj.TableError, match="give a time without a UTC offset"):
        rows_found(clock, ("x", "==", "00:00:00+02:00"))
    pl = pytest.importorskip("polars")
    times = table_with(pa.array([0, 1, 1000], pa.timestamp("ns")))
    assert rows_found(times, ("x", "in", pl.Series([1], dtype=pl.Datetime("ns")))) == [1]


def test_decimals_with_more_places_than_digits() -> None:
    small = pa.array([Decimal("0.00123"), Decimal("-0.00999")], pa.decimal128(7, 5)).cast(pa.decimal128(3, 5))
    assert rows_found(table_with(small), ("x", "<", 0)) == [1]
    assert rows_found(table_with(small), ("x", "==", Decimal("0.00123"))) == [0]


def test_conditions_on_columns_without_rows() -> None:
    pd = pytest.importorskip("pandas")
    nothing = pd.DataFrame({"left": [], "right": [], "s": []})
    assert pj.components(nothing, "left", "right", where=("s", "==", "a")).count == 0


def test_a_filtered_data_set_of_several_files() -> None:
    folder = folder_of(pa.array([1, 2]), pa.array([3]))
    filtered = ds.dataset(folder).filter(ds.field("x") > 1)
    assert rows_found(filtered, ("x", "<", 3)) == [1]


def test_a_day_is_not_its_noon() -> None:
    days = table_with(pa.array([dt.date(2024, 2, 29)]))
    assert rows_found(days, ("x", "<", NOON)) == [0]
    assert rows_found(days, ("x", "==", NOON)) == []


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        ([1, 2], Decimal("1e999999999"), "give a number that fits"),
        ([1, 2], Decimal("1e-999999999"), "give a number that fits"),
        ([1, 2], Decimal("sNaN"), "give a number that fits"),
        ([1, 2], 1j, "give a number"),
        ([dt.datetime(2024, 1, 1)], NOON.replace(tzinfo=dt.UTC), "give a date or time without a UTC offset"),
        ([NOON.replace(tzinfo=dt.UTC)], NOON, "with a UTC offset, such as 2024-01-02T00:00Z"),
        ([NOON.replace(tzinfo=dt.UTC)], NOON.date(), "with a UTC offset, such as 2024-01-02T00:00Z"),
        ([NOON], np.datetime64("NaT", "s"), "nothing compares with NaN"),
        ([[1], [2]], 1, "such columns allow only 'is null' and 'is not null'"),
        (["x"], "\ud800", "give text that fits"),
        ([1.5], Decimal("1e400"), "give a number that fits"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_one_clear_error(column: Any, value: Any, says: str) -> None:
    for where in (("x", "<", value), ("x", "in", [value])):
        with pytest.raises(pj.TableError, match=says) as caught:
            rows_found(table_with(pa.array(column)), where)
        assert "\n" not in str(caught.value)


def test_long_lists_make_short_errors() -> None:
    with pytest.raises(pj.TableError) as caught:
        rows_found(table_with(["a"]), ("x", "in", list(range(10_000))))
    assert len(str(caught.value)) < 300
    with pytest.raises(pj.TableError, match="an integer too long to be shown"):
        rows_found(table_with(["a"]), ("x", "==", 10**5000))
