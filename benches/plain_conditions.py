"""What conditions on tables mean, in plain Python, and what to try them on.

The tests and hostile.py compare the package with this.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

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
    return values, [
        high,
        7,
        low,
        7.5,
        2**70,
        0,
        -(2**70),
        7.0,
        np.float32(0.5),
        Decimal("7.25"),
        Fraction(22, 3),
        INF,
        -INF,
    ]


FLOATS: tuple[list[Any], list[Any]] = (
    [0.0, -0.0, 0.5, -1.5, INF, -INF, NAN, None, 7.0, 0.1],
    [0, 0.1, -0.0, 0.5, 0.0, 7, -1.5, INF, -INF, Decimal("0.5"), np.float64(7)],
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
SOME_CLOCKS = [dt.time(12, 30), dt.time(12, 30, 0, 1), "12:30", "12:30:00.000000001"]
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
    pa.time32("s"): (TIMES, SOME_CLOCKS),
    pa.time64("us"): (TIMES, SOME_CLOCKS),
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
        return str(value) if "string" in str(type) else value.bytes
    if isinstance(value, str) and pa.types.is_time(type):
        return number(dt.time.fromisoformat(value), type) + (1 if value.endswith("000000001") else 0)
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
    if pa.types.is_floating(type):  # numbers are rounded as the column is
        with np.errstate(over="ignore"):
            rounded = float(type.to_pandas_dtype()(float(value)))
        return rounded if math.isfinite(rounded) else float(value)
    return value


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
    first_null = next((i for i, value in enumerate(values) if value.as_py() is None), None)
    indices = pa.array([None if i == first_null else i for i in range(len(values))], pa.int8())
    return table.set_column(
        table.column_names.index("x"), "x", pa.DictionaryArray.from_arrays(indices, values)
    )


def pandas(table: pa.Table, on_arrow: bool) -> Any:
    pd = import_module("pandas")
    return table.to_pandas(types_mapper=pd.ArrowDtype if on_arrow else None, integer_object_nulls=True)


def polars(table: pa.Table) -> Any:
    return import_module("polars").from_arrow(table)


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
    "polars parquet": lambda table: import_module("polars").scan_parquet(in_row_groups(table)),
    "duckdb": lambda table: import_module("duckdb").connect().from_arrow(table),
    "duckdb parquet": lambda t: import_module("duckdb").connect().read_parquet(in_row_groups(t)),
}


_POLARS = {pa.decimal256(50, 2), pa.uuid()}
_DUCKDB = {pa.decimal256(50, 2), pa.duration("ms"), pa.float16()}  # of which it makes other types
LACKS = {
    "polars": _POLARS,
    "polars lazy": _POLARS,
    "polars parquet": _POLARS,
    "duckdb": _DUCKDB,
    "duckdb parquet": _DUCKDB,
}
"""Types that a library cannot take from Arrow as they are."""
