"""A condition means the same in every container and reader: what plain Python says, which is written here."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import pointerjump as pj
from pointerjump.tables.given import given_table

NAN, INF = math.nan, math.inf
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
UUIDS = [UUID(int=i) for i in (1, 2**127, 5)]


def whole(low: int, high: int) -> tuple[list[Any], list[Any]]:
    """Return integers of a type with these bounds, and numbers to compare them with."""
    values = [low, low + 1, 0, 1, 7, 8, high - 1, high, None]
    return values, [high, 7, low, 7.5, 0, 7.0, np.float32(0.5), Decimal("7.25"), Fraction(22, 3), INF, -INF]


FLOATS: tuple[list[Any], list[Any]] = (
    [0.0, -0.0, 0.5, -1.5, INF, -INF, NAN, None, 7.0],
    [0, 0.0, -0.0, 0.5, 7, -1.5, INF, -INF, Decimal("0.5"), np.float64(7)],
)
DECIMALS = (
    [Decimal(text) for text in ("0.00", "-1.50", "1.50", "999.99", "-999.99")] + [None],
    [0, 1.5, Decimal("1.5"), 1e-50, Decimal("-1e-300"), Decimal("1.501"), 10**6, -(10**6), 1000],
)
DAYS = [dt.date(1969, 12, 31), dt.date(1970, 1, 1), dt.date(2024, 2, 29), None]
NOON = dt.datetime(2024, 2, 29, 12, 30, 15)
MOMENTS = [dt.datetime(1969, 12, 31, 23, 59, 59), NOON, dt.datetime(2024, 2, 29), None]
SOME_DAYS = [dt.date(2024, 2, 29), dt.date(1970, 1, 1), NOON, "2024-02-29", "2024-02-29T12:30:15"]
SOME_TIMES = [*SOME_DAYS, NOON + dt.timedelta(microseconds=1), np.datetime64("1969-12-31T23:59:59", "ns")]
TIMES = [dt.time(0), dt.time(12, 30), dt.time(23, 59, 59), None]
TEXT = ["", "a", "B", "ä", "\U0001f600", "ab", None], ["a", "", "ä", "\uffff", np.str_("ab")]
BYTES = [b"a1", b"\xff\x00", b"zz", None], [b"a1", b"", b"\xff", b"zzz"]

TYPES: dict[pa.DataType, tuple[list[Any], list[Any]]] = {
    pa.bool_(): ([True, False, None], [True, np.False_]),
    pa.int8(): whole(-(2**7), 2**7 - 1),
    pa.uint8(): whole(0, 2**8 - 1),
    pa.int32(): whole(-(2**31), 2**31 - 1),
    pa.int64(): whole(-(2**63), 2**63 - 1),
    pa.uint64(): whole(0, 2**64 - 1),
    pa.float16(): FLOATS,
    pa.float32(): FLOATS,
    pa.float64(): (FLOATS[0] + [0.9, 2.0**53], [*FLOATS[1], 0.9, 2**53 + 1]),
    pa.decimal32(5, 2): DECIMALS,
    pa.decimal64(10, 2): DECIMALS,
    pa.decimal128(5, 2): DECIMALS,
    pa.decimal256(50, 2): DECIMALS,
    pa.string(): TEXT,
    pa.large_string(): TEXT,
    pa.string_view(): TEXT,
    pa.binary(): BYTES,
    pa.binary_view(): BYTES,
    pa.binary(2): BYTES,
    pa.uuid(): ([*(each.bytes for each in UUIDS), None], UUIDS),
    pa.date32(): (DAYS, SOME_DAYS),
    pa.date64(): (DAYS, SOME_DAYS),
    pa.timestamp("s"): (MOMENTS, SOME_TIMES),
    pa.timestamp("ms"): (MOMENTS, SOME_TIMES),
    pa.timestamp("us"): (MOMENTS, SOME_TIMES),
    pa.timestamp("ns"): (MOMENTS, SOME_TIMES),
    pa.timestamp("us", "Europe/Berlin"): (
        [each and each.replace(tzinfo=dt.UTC) for each in MOMENTS],
        [NOON.replace(tzinfo=dt.UTC), "2024-02-29T13:30:15+01:00"],
    ),
    pa.time32("s"): (TIMES, [dt.time(12, 30), dt.time(12, 30, 0, 1), "12:30"]),
    pa.time64("us"): (TIMES, [dt.time(12, 30), dt.time(12, 30, 0, 1), "12:30"]),
    pa.duration("ms"): (
        [dt.timedelta(0), dt.timedelta(days=-1), dt.timedelta(hours=1), None],
        [dt.timedelta(hours=1), dt.timedelta(microseconds=1), np.timedelta64(-86_400, "s")],
    ),
    pa.null(): ([None, None], [1, "a", 0.5]),
}


def number(value: Any, type: pa.DataType) -> Any:
    """Return a value of a column, or a constant, as plain Python compares it with others of this type."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        return int(value.astype(f"{value.dtype.kind}8[ns]").view("i8"))
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, UUID):
        return value.bytes
    if isinstance(value, str) and pa.types.is_time(type):
        return number(dt.time.fromisoformat(value), type)
    if isinstance(value, str) and pa.types.is_temporal(type):
        return number(dt.datetime.fromisoformat(value), type)
    if isinstance(value, dt.time):
        value = dt.timedelta(0, 3600 * value.hour + 60 * value.minute + value.second, value.microsecond)
    elif isinstance(value, dt.datetime):
        value = value.replace(tzinfo=value.tzinfo or dt.UTC) - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    elif isinstance(value, dt.date):
        value -= dt.date(1970, 1, 1)
    if isinstance(value, dt.timedelta):
        return 1000 * (value // dt.timedelta(microseconds=1))
    if pa.types.is_decimal(type) and isinstance(value, float):
        return Decimal(repr(value))
    return float(value) if pa.types.is_floating(type) else value


def holds(value: Any, operator: str, constants: list[Any], type: pa.DataType) -> bool:
    """Return whether a condition holds, by plain Python."""
    missing = value is None or value != value
    if operator in ("is null", "is not null"):
        return missing == (operator == "is null")
    if missing:
        return False
    value, others = number(value, type), [number(each, type) for each in constants]
    if operator in COMPARISONS:
        return COMPARISONS[operator](value, others[0])
    return (value in others) == (operator == "in")


def in_row_groups(table: pa.Table) -> str:
    pq.write_table(table, "groups.parquet", row_group_size=1)
    return "groups.parquet"


def in_folder(table: pa.Table) -> str:
    Path("folder").mkdir(exist_ok=True)
    pq.write_table(table.slice(0, 2), "folder/a.parquet")
    pq.write_table(table.slice(2), "folder/b.parquet")
    return "folder"


def in_arrow(table: pa.Table) -> str:
    with pa.ipc.new_file("a.arrow", table.schema) as writer:
        writer.write_table(table, 3)
    return "a.arrow"


def in_stream(table: pa.Table) -> str:
    with pa.ipc.new_stream("a.arrows", table.schema) as writer:
        writer.write_table(table)
    return "a.arrows"


def with_dictionary(table: pa.Table) -> pa.Table:
    """Return a table in which some nulls are in the dictionary, and others among the indices."""
    values = table["x"].combine_chunks()
    indices = pa.array(
        [None if i == 0 and values[0].as_py() is None else i for i in range(len(values))], pa.int8()
    )
    return table.set_column(1, "x", pa.DictionaryArray.from_arrays(indices, values))


def pandas(table: pa.Table, on_arrow: bool) -> Any:
    pd = pytest.importorskip("pandas")
    return table.to_pandas(types_mapper=pd.ArrowDtype if on_arrow else None, integer_object_nulls=True)


def polars(table: pa.Table) -> Any:
    return pytest.importorskip("polars").from_arrow(table)


CONTAINERS: dict[str, Callable[[pa.Table], Any]] = {
    "table": lambda table: table,
    "dictionary": with_dictionary,
    "dataset": ds.dataset,
    "iterator": lambda table: iter([table.slice(0, 1), table.slice(1)]),
    "parquet": in_row_groups,
    "folder": in_folder,
    "arrow": in_arrow,
    "arrow stream": in_stream,
    "pandas": lambda table: pandas(table, on_arrow=False),
    "pandas on Arrow": lambda table: pandas(table, on_arrow=True),
    "polars": polars,
    "polars lazy": lambda table: polars(table).lazy(),
    "polars parquet": lambda table: pytest.importorskip("polars").scan_parquet(in_row_groups(table)),
    "duckdb": lambda table: pytest.importorskip("duckdb").connect().from_arrow(table),
    "duckdb parquet": lambda t: pytest.importorskip("duckdb").connect().read_parquet(in_row_groups(t)),
}


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def rows_found(given: Any, where: Any) -> list[int]:
    return [row for batch in given_table(given, ["row"], where).batches() for row in batch["row"].to_pylist()]


_POLARS = {pa.decimal256(50, 2), pa.uuid()}
_DUCKDB = {pa.decimal256(50, 2), pa.duration("ms")}
LACKS = {
    "polars": _POLARS,
    "polars lazy": _POLARS,
    "polars parquet": _POLARS,
    "duckdb": {*_DUCKDB, pa.float16()},
    "duckdb parquet": _DUCKDB,
}
"""Types that a library cannot take from Arrow."""


@pytest.mark.parametrize("part", [8, pytest.param(1, marks=pytest.mark.exhaustive)], ids=["some", "all"])
@pytest.mark.parametrize("type", TYPES, ids=str)
@pytest.mark.parametrize("container", CONTAINERS)
def test_a_condition_means_what_it_means_in_plain_python(
    container: str, type: pa.DataType, part: int
) -> None:
    if type in LACKS.get(container, ()):
        pytest.skip(f"{container} has no {type}")
    values, constants = TYPES[type]
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
    (pa.array([7]), pa.array(["007"])),
    (pa.array(["a"]), pa.array([b"a"])),
    (pa.array([dt.date(2024, 1, 1)]), pa.array([dt.datetime(2024, 1, 1, 5)])),
    (pa.array([1]), pa.array([True])),
    (pa.array([1]), pa.array([1.5])),
    (pa.array([True]), pa.array([1])),
]


@pytest.mark.parametrize("columns", DIFFERENT, ids=lambda columns: f"{columns[0].type} {columns[1].type}")
@pytest.mark.parametrize("together", [folder_of, in_parts])
def test_values_of_two_kinds_are_refused_wherever_they_come_from(together: Any, columns: Any) -> None:
    with pytest.raises(pj.TableError, match=r"column 'x' holds .* but .*: cast it to one type") as caught:
        list(given_table(together(*columns), ["x"]).batches())
    assert "\n" not in str(caught.value)


ALIKE = [
    (pa.array([1], pa.int32()), pa.array([2**40, None])),
    (pa.array([1], pa.int8()), pa.array([2**64 - 1], pa.uint64())),
    (pa.array(["a"]), pa.array(["b"], pa.large_string())),
    (pa.array(["a"]), pa.array(["b"]).dictionary_encode()),
    (pa.array(["a"]).dictionary_encode(), pa.array(["b"], pa.string_view())),
    (pa.array([b"a"]), pa.array([b"b"], pa.large_binary())),
    (pa.array([0.5], pa.float32()), pa.array([0.1])),
    (pa.nulls(1), pa.array(["a"])),
    (pa.array(["a"]), pa.nulls(2)),
]


@pytest.mark.parametrize("columns", ALIKE, ids=lambda columns: f"{columns[0].type} {columns[1].type}")
def test_values_of_one_kind_stay_as_they_are(columns: Any) -> None:
    found = [
        value
        for batch in given_table(folder_of(*columns), ["x"]).batches()
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
        ([dt.datetime(2024, 1, 1)], NOON.replace(tzinfo=dt.UTC), "give a date or time with no UTC offset"),
        ([NOON.replace(tzinfo=dt.UTC)], NOON, "with a UTC offset, such as 2024-01-02T00:00Z"),
        ([NOON.replace(tzinfo=dt.UTC)], NOON.date(), "with a UTC offset, such as 2024-01-02T00:00Z"),
        ([NOON], np.datetime64("NaT", "s"), "nothing compares with NaN"),
        ([[1], [2]], 1, "only 'is null' and 'is not null' are about such columns"),
        (["x"], "\ud800", "give text that fits"),
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
