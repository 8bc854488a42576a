"""Conditions on the rows of a table, such as ``("score", ">=", 0.9)``: what they mean, decided in one place.

Arrow evaluates them on what was read, whichever kind of table that was. A missing value, null or NaN, meets
no condition but ``"is null"``. Integers, decimals, dates and times are compared exactly, also with fractions.
Other numbers are compared as the column's type has them: 0.9 equals what a column of 32-bit floats holds as
0.9, and -0.0 equals 0.0. Text is in order of code points, and bytes are in order of bytes.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from fractions import Fraction
from functools import cached_property
from numbers import Real
from operator import eq, ge, gt, le, lt
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np

from pointerjump.errors import TableError
from pointerjump.tables.ids import element_type, is_bytes, is_text, storage_type, stored

if TYPE_CHECKING:
    import pyarrow as pa

COMPARISONS = {
    "==": "equal",
    "!=": "not_equal",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
}
"""Each comparison, and what Arrow calls it."""

FOUND_BY_ALL = {"==": eq, "<": lt, "<=": le, ">": gt, ">=": ge}
"""Operators by which every reader finds at least the rows that are wanted."""

MEANT = {"=>": ">=", "=<": "<=", "=": "==", "<>": "!="}
"""What is often written for an operator, and the operator."""

ORDERS = ("<", "<=", ">", ">=")
LISTS = ("in", "not in")
ON_NULLS = ("is null", "is not null")
OPERATORS = (*COMPARISONS, *LISTS, *ON_NULLS)

_MOST_DIGITS = 38
"""How many digits a number may have that is compared with decimals: as many as a decimal of 128 bits."""

_MOST_PLACES = 1000
"""Places before or after the point that a number may have; floating-point numbers have up to 324 after it."""

_NANOSECONDS = {"day": 86_400 * 10**9, "s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


@dataclass(frozen=True)
class Condition:
    """What must hold of a row: its value in a column, compared with another value."""

    column: str
    operator: str
    value: Any = None

    def __str__(self) -> str:
        value = "" if self.operator in ON_NULLS else f" {_shown(self.value)}"
        return f"{self.column} {self.operator}{value}"


def as_conditions(where: Any) -> list[Condition]:
    """Return what a caller gave as ``where``, one condition or several, as a list.

    Raises
    ------
    TableError
        If it is no condition, or has an operator that does not exist.
    """
    if where is None:
        return []
    if isinstance(where, Condition) or _is_one(where):
        where = [where]
    if isinstance(where, str) or not isinstance(where, Sequence):
        raise TableError(
            f"where={_shown(where)}: give a condition, such as ('score', '>=', 0.9), or a list of them"
        )
    return [each if isinstance(each, Condition) else _condition(each) for each in where]


def _is_one(where: Any) -> bool:
    """Whether this is one condition rather than a list of them."""
    listed = isinstance(where, Sequence) and not isinstance(where, str)
    return listed and len(where) > 0 and isinstance(where[0], str)


def _condition(given: Any) -> Condition:
    shown = f"where={_shown(given)}"
    if not (_is_one(given) and len(given) in (2, 3) and isinstance(given[1], str)):
        raise TableError(
            f"{shown}: a condition is a column, an operator and a value, such as ('score', '>=', 0.9)"
        )
    column, written, *values = given
    known = " ".join(written.lower().split())
    if known not in OPERATORS:
        near = [MEANT[known]] if known in MEANT else get_close_matches(known, OPERATORS, 1)
        raise TableError(
            f"{shown}: there is no operator {written!r}: there are {', '.join(OPERATORS)}"
            + (f"; did you mean {near[0]!r}?" if near else "")
        )
    if known in ON_NULLS:
        return Condition(column, known)
    if not values:
        raise TableError(f"{shown}: {written!r} needs a value to compare with")
    if known in LISTS:
        values = values[0].to_arrow() if hasattr(values[0], "to_arrow") else values[0]
        if (
            isinstance(values, str | bytes | Mapping)
            or getattr(values, "ndim", 1) != 1
            or not hasattr(values, "__iter__")
        ):
            raise TableError(f"{shown}: give a list of values, such as ['a', 'b']")
    among = [_python(value) for value in values]
    if not among:
        raise TableError(f"{shown}: the list is empty, so nothing can be in it")
    if any(value is None for value in among):
        raise TableError(f"{shown}: nothing equals None: use 'is null' or 'is not null'")
    return Condition(column, known, among if known in LISTS else among[0])


def _python(value: Any) -> Any:
    """Return a value of Arrow or NumPy as Python's, but for times, which may have nanoseconds."""
    import pyarrow as pa

    if isinstance(value, pa.Scalar):
        return value if value.is_valid and pa.types.is_temporal(value.type) else value.as_py()
    is_numpy = isinstance(value, np.ndarray | np.generic) and value.dtype.kind not in "mM"
    return value.tolist() if is_numpy else value


def _shown(value: Any) -> str:
    """Return a value as errors show it: in one line, and not all of a long list."""
    shown = reprlib.Repr()
    shown.maxstring = shown.maxother = 80
    try:
        return " ".join(shown.repr(value).split())
    except ValueError:  # an integer of more digits than Python writes
        return "an integer too long to be shown"


def columns_needed(columns: Sequence[str], conditions: Sequence[Condition]) -> list[str]:
    """Return these columns, and those that the conditions need besides."""
    return list(dict.fromkeys([*columns, *(condition.column for condition in conditions)]))


def parse_condition(column: str, operator: str, text: str, type: pa.DataType) -> Condition:
    """Return a condition that is given as text, as on a command line.

    Parameters
    ----------
    column, operator : str
    text : str
        The value. For ``in`` and ``not in``, commas separate values.
    type : pyarrow DataType
        What the column holds.

    Raises
    ------
    TableError
        If there is no such operator, or text would be compared with a number.

    Examples
    --------
    >>> import pyarrow as pa
    >>> print(parse_condition("score", ">=", "0.9", pa.float64()))
    score >= 0.9
    """
    import pyarrow as pa

    (condition,) = as_conditions((column, operator, [text]))
    type = _type_of_values(type)
    is_number = isinstance(_parsed(text, pa.float64()), int | float)
    if is_number and condition.operator in ORDERS and is_text(type):
        raise TableError(
            f"column {column!r} holds text, whose order is not that of numbers, so {operator} cannot compare "
            f"it with {text}: write numbers in it, as 0.95 and not 0,95 or 95%"
        )
    if condition.operator in ON_NULLS:
        return condition
    if condition.operator in LISTS:
        return Condition(
            column, condition.operator, [_parsed(part.strip(), type) for part in text.split(",")]
        )
    return Condition(column, condition.operator, _parsed(text, type))


def _parsed(text: str, type: pa.DataType) -> Any:
    """Return text as a value of a type; what is no such value stays text, and is refused later."""
    import pyarrow as pa

    readings: Sequence[Callable[[str], Any]] = ()
    if pa.types.is_integer(type) or pa.types.is_floating(type):
        readings = (int, float)
    elif pa.types.is_decimal(type):
        readings = (Decimal,)
    elif pa.types.is_boolean(type):
        readings = ({"true": True, "false": False}.__getitem__,)
    for read in readings:
        try:
            return read(text.lower())
        except (ValueError, KeyError, InvalidOperation):
            continue
    return text


# -- what a condition means for a column of some type -----------------------------------------------


@dataclass(frozen=True)
class TypedCondition:
    """A condition on a column whose type is known.

    Attributes
    ----------
    condition : Condition
    type : pyarrow DataType
        In which the column is compared.
    constants : list of pyarrow Scalar or Gap
        The values that the condition names, in this type.
    """

    condition: Condition
    type: Any
    constants: list[Any]

    def rows(self, column: Any) -> Any:
        """Return for each row of a column whether the condition holds, as booleans without nulls."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column, operator = stored(column), self.condition.operator
        if pa.types.is_dictionary(column.type):
            values = stored(column.dictionary)
            if len(values) > len(column):  # do not look at all of a large dictionary for each batch
                return self.rows(values.cast(_without_view(values.type)).take(column.indices))
            of_values = self.rows(values)
            return of_values.take(column.indices).fill_null(operator == "is null")
        missing = pc.is_null(column, nan_is_null=pa.types.is_floating(column.type))
        if operator == "is null":
            return missing
        there = pc.invert(missing)
        if operator == "is not null" or pa.types.is_null(column.type):
            return there
        values = comparable(column)
        if operator in COMPARISONS:
            holds = _compared(values, operator, self.constants[0])
        else:
            holds = pc.is_in(values, self._among)
            holds = pc.invert(holds) if operator == "not in" else holds
        return pc.and_(holds.fill_null(False), there)

    @cached_property
    def _among(self) -> Any:
        """The values of a list, without those that the column cannot hold."""
        import pyarrow as pa

        return pa.array([each.as_py() for each in self.constants if not isinstance(each, Gap)], self.type)


@dataclass(frozen=True)
class Gap:
    """A number that a column of integers or decimals cannot hold.

    Attributes
    ----------
    below : pyarrow Scalar or float
        The largest value of the column's type that is smaller; or minus infinity if all are larger, and
        infinity if all are smaller.
    """

    below: Any


def typed_conditions(conditions: Sequence[Condition], schema: pa.Schema, name: str) -> list[TypedCondition]:
    """Return what these conditions mean for the columns of a table.

    Raises
    ------
    TableError
        If a value cannot be compared with what its column holds.
    """
    return [_typed(each, _type_of_values(schema.field(each.column).type), name) for each in conditions]


def _typed(condition: Condition, type: pa.DataType, name: str) -> TypedCondition:
    import pyarrow as pa

    if condition.operator in ON_NULLS or pa.types.is_null(type):
        return TypedCondition(condition, type, [])
    values = condition.value if condition.operator in LISTS else [condition.value]
    constants = [_constant(value, type, condition, name) for value in values]
    return TypedCondition(condition, compared_as(type), constants)


def rows_that_meet(
    batch: pa.RecordBatch, conditions: Sequence[TypedCondition], columns: Sequence[str]
) -> Any:
    """Return some columns of the rows of a batch that meet all conditions."""
    import pyarrow.compute as pc

    wanted = batch.select(list(columns))
    if not conditions:
        return wanted
    holds, *others = (each.rows(batch.column(each.condition.column)) for each in conditions)
    for other in others:
        holds = pc.and_(holds, other)
    return _without_views(wanted).filter(holds)


def likely(
    conditions: Sequence[TypedCondition],
    schema: pa.Schema,
    column: Callable[[str], Any],
    constant: Callable[[pa.Scalar[Any]], Any],
    trusted: Callable[[pa.DataType], bool] | None = None,
) -> Any:
    """Return a reader's own expression for rows that may meet the conditions; None if all may.

    Readers differ in what they call equal, missing and smaller. So only what all of them find is in it:
    comparisons of numbers with a number of the very same type. NaN may pass: `rows_that_meet` decides.

    Parameters
    ----------
    column, constant : callable
        What the reader makes of a column's name, and of a value.
    trusted : callable, optional
        Whether the reader is also trusted with columns of a type.
    """
    import pyarrow as pa

    expression = None
    for typed in conditions:
        name, operator = typed.condition.column, typed.condition.operator
        type = schema.field(name).type
        known = pa.types.is_integer(type) or pa.types.is_float32(type) or pa.types.is_float64(type)
        if operator not in FOUND_BY_ALL or not (known or (trusted and trusted(type))):
            continue
        exact = typed.constants[0]
        if isinstance(exact, Gap) or not (value := exact.cast(type)).cast(exact.type).equals(exact):
            continue
        one = FOUND_BY_ALL[operator](column(name), constant(value))
        expression = one if expression is None else expression & one
    return expression


def comparable(values: Any) -> Any:
    """Return values in the type in which they are compared, without negative zeros."""
    import pyarrow as pa
    import pyarrow.compute as pc

    wanted = compared_as(values.type)
    if pa.types.is_temporal(values.type):
        return values.view(wanted)
    values = values.cast(wanted)
    return pc.add(values, 0.0) if pa.types.is_floating(wanted) else values


def compared_as(type: Any) -> Any:
    """Return the type in which a column is compared: the nearest one in which Arrow can, and does so exactly.

    Dates and times are compared as counts of their unit.
    """
    import pyarrow as pa

    types = pa.types
    if types.is_floating(type):
        return pa.float64()
    if types.is_temporal(type):
        return pa.int32() if type.bit_width == 32 else pa.int64()
    if types.is_decimal(type):
        wide = types.is_decimal256(type)
        return pa.decimal256(76, type.scale) if wide else pa.decimal128(38, type.scale)
    return pa.binary() if types.is_fixed_size_binary(type) else _without_view(type)


def _compared(values: Any, operator: str, constant: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(constant, Gap):
        if operator in ("==", "!="):
            return pa.array(np.full(len(values), operator == "!="))
        smaller = operator in ("<", "<=")
        if isinstance(constant.below, float):
            return pa.array(np.full(len(values), smaller == (constant.below > 0)))
        operator, constant = "<=" if smaller else ">", constant.below
    return getattr(pc, COMPARISONS[operator])(values, constant)


def _constant(value: Any, type: pa.DataType, condition: Condition, name: str) -> Any:
    """Return a value in the type that `comparable` gives a column, or the gap between values that it is in.

    Raises
    ------
    TableError
        If it cannot be compared with what the column holds.
    """
    import pyarrow as pa

    kinds, wanted, convert = _converter(type)
    try:
        if isinstance(value, kinds) and isinstance(value, bool) == (bool in kinds) and value == value:
            return convert(value, type)
        if value != value:
            wanted = "nothing compares with NaN: use 'is null' or 'is not null'"
    except (pa.ArrowException, ArithmeticError, ValueError, TypeError):
        wanted += "" if "such as" in wanted else " that fits"
    raise TableError(
        f"{name}: where {condition}: column {condition.column!r} holds {type}, so {_shown(value)} cannot be "
        f"compared with it: {wanted}"
    )


def _converter(type: pa.DataType) -> tuple[tuple[Any, ...], str, Callable[[Any, Any], Any]]:
    """Return which Python types a column is compared with, what errors call them, and what converts them."""
    import pyarrow as pa

    types = pa.types
    if types.is_boolean(type):
        return (bool,), "give True or False", _as_it_is
    if types.is_floating(type):
        return (Real, Decimal), "give a number", _float
    if types.is_integer(type):
        return (Real, Decimal), "give a number", _integer
    if types.is_decimal(type):
        return (Real, Decimal), "give a number", _decimal
    if is_text(type):
        return (str, UUID), "give text", _as_it_is
    if is_bytes(type) or types.is_fixed_size_binary(type):
        return (bytes, UUID), "give bytes", _as_it_is
    if types.is_duration(type):
        return (timedelta, np.timedelta64, pa.Scalar), "give a timedelta", _count
    if types.is_time(type):
        return (str, time, pa.Scalar), "give a time without a UTC offset, such as 12:30", _count
    if types.is_date(type) or types.is_timestamp(type):
        aware = types.is_timestamp(type) and type.tz is not None
        zone = (
            "with a UTC offset, such as 2024-01-02T00:00Z"
            if aware
            else "without a UTC offset, such as 2024-01-02"
        )
        return (str, date, np.datetime64, pa.Scalar), f"give a date or time {zone}", _count
    return (), "such columns allow only 'is null' and 'is not null'", _as_it_is


def _as_it_is(value: Any, type: pa.DataType) -> Any:
    import pyarrow as pa

    if isinstance(value, UUID):
        value = str(value) if is_text(type) else value.bytes
    return pa.scalar(value, compared_as(type))


def _float(value: Any, type: pa.DataType) -> Any:
    """Return a number as the nearest one that a column of floating-point numbers can hold."""
    import pyarrow as pa

    number = float(value)
    if math.isinf(number) and value not in (math.inf, -math.inf):
        raise OverflowError
    with np.errstate(over="ignore"):
        rounded = float(np.dtype(f"f{type.bit_width // 8}").type(number))
    return pa.scalar((rounded if math.isfinite(rounded) else number) + 0.0, pa.float64())


def _integer(value: Any, type: Any) -> Any:
    """Return a number as an integer of the column's type."""
    import pyarrow as pa

    bounds = np.iinfo(type.to_pandas_dtype())
    return _in_steps(_exact(value), bounds.min, bounds.max, lambda count: pa.scalar(count, type))


def _decimal(value: Any, type: Any) -> Any:
    """Return a number as a decimal of the column's scale."""
    import pyarrow as pa

    def decimal(count: int) -> Any:
        digits = tuple(map(int, str(abs(count))))
        return pa.scalar(Decimal((int(count < 0), digits, -type.scale)), compared_as(type))

    number = Decimal(str(value))
    if not number.is_finite() or max(number.adjusted(), len(number.as_tuple().digits) - 1) >= _MOST_DIGITS:
        raise ValueError
    steps, largest = _exact(number) * Fraction(10) ** type.scale, 10**type.precision - 1
    return _in_steps(steps, -largest, largest, decimal)


def _count(value: Any, type: Any) -> Any:
    """Return a date or time as a count of the column's unit."""
    import pyarrow as pa

    if isinstance(value, str):
        value = _time_in(value, type)
    if isinstance(value, np.datetime64 | np.timedelta64) and np.datetime_data(value)[0] not in _NANOSECONDS:
        value = value.astype(f"{value.dtype.kind}8[s]")  # days, months and hours: Arrow has none
    scalar: Any = value if isinstance(value, pa.Scalar) else pa.scalar(value)
    has_zone = getattr(value, "tzinfo", getattr(scalar.type, "tz", None)) is not None
    if has_zone != (getattr(type, "tz", None) is not None) or _kind_of(scalar.type) != _kind_of(type):
        raise ValueError
    # Arrow takes pandas' times for Python's, which have no nanoseconds.
    finer = getattr(value, "nanosecond", 0) + getattr(value, "nanoseconds", 0)
    exact = Fraction(scalar.value * _nanoseconds(scalar.type) + finer, _nanoseconds(type))
    wanted = compared_as(type)
    bounds = np.iinfo(wanted.to_pandas_dtype())
    return _in_steps(exact, bounds.min, bounds.max, lambda count: pa.scalar(count, wanted))


def _time_in(text: str, type: Any) -> Any:
    """Return the date or time that text says, with or without a zone as the column is."""
    import pyarrow as pa

    in_nanoseconds: Any = pa.timestamp("ns", getattr(type, "tz", None))
    if pa.types.is_time(type):
        moment: Any = pa.scalar(f"1970-01-01T{text}").cast(in_nanoseconds)
        return pa.scalar(moment.value, pa.time64("ns"))
    try:
        return pa.scalar(text).cast(in_nanoseconds)
    except pa.ArrowInvalid:  # perhaps beyond the years that nanoseconds reach
        return pa.scalar(text).cast(pa.timestamp("us", in_nanoseconds.tz))


def _kind_of(type: pa.DataType) -> str:
    """Return what values of this type are: times of a day, durations, or moments."""
    import pyarrow as pa

    if pa.types.is_time(type):
        return "time"
    return "duration" if pa.types.is_duration(type) else "moment"


def _exact(number: Any) -> Fraction | float:
    """Return a number without rounding; only an infinite one stays a float."""
    if isinstance(number, Decimal) and abs(number.adjusted()) > _MOST_PLACES:
        raise ValueError  # before a fraction of as many digits is made
    return Fraction(number) if math.isfinite(number) else float(number)


def _in_steps(number: Fraction | float, least: int, largest: int, value_of: Callable[[int], Any]) -> Any:
    """Return the value that is this many steps of an exact type, or the gap that the number is in.

    The type has values from `least` to `largest` steps.
    """
    if isinstance(number, float):
        return Gap(number)
    below = math.floor(number)
    if not least <= below <= largest:
        return Gap(math.copysign(math.inf, below))
    return value_of(below) if below == number else Gap(value_of(below))


# -- types -----------------------------------------------------------------------------------------


def _type_of_values(type: pa.DataType) -> pa.DataType:
    """Return the type of a column's values, which may be in dictionaries and in storage."""
    import pyarrow as pa

    while pa.types.is_dictionary(type) or isinstance(type, pa.BaseExtensionType):
        type = type.value_type if pa.types.is_dictionary(type) else storage_type(type)
    return type


def _nanoseconds(type: Any) -> int:
    """Return how long the unit of a type of dates or times is."""
    import pyarrow as pa

    if pa.types.is_date(type):
        return _NANOSECONDS["day" if pa.types.is_date32(type) else "ms"]
    return _NANOSECONDS[type.unit]


def _without_views(batch: Any) -> Any:
    """Return a batch with views cast to plain strings and bytes, because Arrow cannot filter views."""
    import pyarrow as pa

    types = [_without_view(type) for type in batch.schema.types]
    if types == batch.schema.types:
        return batch
    columns = [column.cast(type) for column, type in zip(batch.columns, types, strict=True)]
    return pa.record_batch(columns, names=batch.schema.names)


def _without_view(type: Any) -> Any:
    import pyarrow as pa

    plain: dict[Any, Any] = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    if element_type(type) in plain and element_type(type) is not type:
        return pa.large_list(plain[element_type(type)])
    return plain.get(type, type)
