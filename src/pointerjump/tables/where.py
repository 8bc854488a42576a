"""Parses and evaluates conditions on the rows of a table, such as ``("score", ">=", 0.9)``.

For every kind of table, Arrow evaluates the conditions on the rows that have been read. A missing value (null
or NaN) meets only the condition ``"is null"``. Integers, decimals, dates and times are compared exactly, even
if the column cannot contain the value in the condition. Other numbers are compared in the type of the column:
0.9 equals the 0.9 in a column of 32-bit floats, and -0.0 equals 0.0. Text is ordered by code point. Bytes are
ordered by value.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Context, Decimal, InvalidOperation
from difflib import get_close_matches
from fractions import Fraction
from numbers import Real
from operator import eq, ge, gt, le, lt
from typing import Any
from uuid import UUID

import numpy as np

from pointerjump.base.arrow import pa, pc
from pointerjump.errors import TableError
from pointerjump.tables.ids import is_bytes, is_text, stored, stored_type, without_view

ORDERS = {"<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal"}  # Arrow's operator names
COMPARISONS = {"==": "equal", "!=": "not_equal", **ORDERS}
FOUND_BY_ALL = {"==": eq, "<": lt, "<=": le, ">": gt, ">=": ge}  # no reader misses a matching row
MEANT = {"=>": ">=", "=<": "<=", "=": "==", "<>": "!="}  # common misspellings of operators

LISTS = ("in", "not in")
ON_NULLS = ("is null", "is not null")
OPERATORS = (*COMPARISONS, *LISTS, *ON_NULLS)

_MOST_DIGITS = 38  # the most digits of a number compared with decimals: as many as a 128-bit decimal
_MOST_PLACES = 1000  # the most digits before or after the point; floats have up to 324 after it
_NANOSECONDS = {"day": 86_400 * 10**9, "s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


@dataclass(frozen=True)
class Condition:
    """A condition that compares a row's value in `column` with one value, or with each value in a list.

    :func:`typed_conditions` converts the values to Arrow values of the type in which the column is compared.
    """

    column: str
    operator: str
    value: Any = None

    def __str__(self) -> str:
        value = "" if self.operator in ON_NULLS else f" {_shown(self.value)}"
        return f"{self.column} {self.operator}{value}"


def as_conditions(where: Any) -> list[Condition]:
    """Convert a caller's `where`, which may be one condition, several or None, to a list of conditions."""
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
    """Convert a value to a Python object. Dates and times are kept, because Python's lack nanoseconds."""
    if isinstance(value, pa.Scalar):
        return value if value.is_valid and pa.types.is_temporal(value.type) else value.as_py()
    is_numpy = isinstance(value, np.ndarray | np.generic) and value.dtype.kind not in "mM"
    return value.tolist() if is_numpy else value


def _shown(value: Any) -> str:
    shown = reprlib.Repr()
    shown.maxstring = shown.maxother = 80
    try:
        return " ".join(shown.repr(value).split())
    except ValueError:  # an integer with more digits than Python writes
        return "an integer too long to be shown"


def parse_condition(column: str, operator: str, text: str, type: pa.DataType) -> Condition:
    """Parse a condition, as typed on the command line, for a column of the given type.

    After ``in`` and ``not in``, values are separated by commas. Comparing a text column with a number using
    ``<``, ``<=``, ``>`` or ``>=`` raises a TableError.
    """
    (condition,) = as_conditions((column, operator, [text]))
    type = stored_type(type)
    is_number = isinstance(_parsed(text, pa.float64()), int | float)
    if is_number and condition.operator in ORDERS and is_text(type):
        raise TableError(
            f"column {column!r} holds text, whose order is not that of numbers, so {operator} cannot compare "
            f"it with {text}: write numbers in it, as 0.95 and not 0,95 or 95%"
        )
    if condition.operator in ON_NULLS:
        return condition
    several = condition.operator in LISTS
    value = [_parsed(part.strip(), type) for part in text.split(",")] if several else _parsed(text, type)
    return Condition(column, condition.operator, value)


def _parsed(text: str, type: pa.DataType) -> Any:
    """Parse text as a value of the given type. Text that cannot be parsed is returned unchanged."""
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


def typed_conditions(conditions: Sequence[Condition], schema: pa.Schema, name: str) -> list[Condition]:
    """Convert the values in conditions to the types in which the columns are compared.

    If a column of integers or decimals cannot contain the number in a condition, an equivalent condition is
    used instead: ``n < 7.5`` becomes ``n <= 7``, and ``n == 7.5`` is never met.
    """
    return [_typed(each, stored_type(schema.field(each.column).type), name) for each in conditions]


def _typed(condition: Condition, type: pa.DataType, name: str) -> Condition:
    column, operator = condition.column, condition.operator
    if operator in ON_NULLS:
        return condition
    if pa.types.is_null(type):  # no row meets the condition
        return Condition(column, "is not null")
    several = operator in LISTS
    values = condition.value if several else [condition.value]
    known = [_checked_value(value, type, condition, name) for value in values]
    if several:
        held = [value.as_py() for value, is_equal in known if is_equal]
        return Condition(column, operator, pa.array(held, compared_as(type)))
    ((below, is_equal),) = known
    if is_equal:
        return Condition(column, operator, below)
    if operator == "==" or (below is None and operator in ("<", "<=")):
        return Condition(column, "in", pa.array([], compared_as(type)))
    if operator == "!=" or below is None:
        return Condition(column, "is not null")
    return Condition(column, "<=" if operator in ("<", "<=") else ">", below)


def rows_that_meet(batch: pa.RecordBatch, conditions: Sequence[Condition], columns: Sequence[str]) -> Any:
    """Return the given columns of a batch, restricted to the rows that meet all typed conditions."""
    holds, *others = (_holds(each, batch.column(each.column)) for each in conditions)
    for other in others:
        holds = pc.and_(holds, other)
    wanted = [batch.column(name) for name in columns]  # Arrow cannot filter views
    return pa.record_batch(
        [each.cast(without_view(each.type)) for each in wanted], names=list(columns)
    ).filter(holds)


def _holds(condition: Condition, column: Any) -> Any:
    """Return whether each row of a column meets a condition, as booleans without nulls."""
    column, operator = stored(column), condition.operator
    if pa.types.is_dictionary(column.type):
        values = stored(column.dictionary)
        if len(values) > len(column):  # so that a large dictionary is not read as a whole for each batch
            return _holds(condition, values.take(column.indices))
        return _holds(condition, values).take(column.indices).fill_null(operator == "is null")
    missing = pc.is_null(column, nan_is_null=pa.types.is_floating(column.type))
    if operator in ON_NULLS:
        return missing if operator == "is null" else pc.invert(missing)
    values = _comparable(column)
    if operator in COMPARISONS:
        holds = getattr(pc, COMPARISONS[operator])(values, condition.value)
    else:
        holds = pc.is_in(values, condition.value)
        holds = pc.invert(holds) if operator == "not in" else holds
    return pc.and_not(holds.fill_null(False), missing)


def likely(
    conditions: Sequence[Condition],
    schema: pa.Schema,
    column: Callable[[str], Any],
    constant: Callable[[pa.Scalar[Any]], Any],
    trusted: Callable[[pa.DataType], bool] | None = None,
) -> Any:
    """Return a filter that lets a reader skip rows that do not meet the conditions.

    The result is None if the reader cannot skip any rows. Readers, such as Polars and DuckDB, differ in which
    values they consider equal, missing or smaller. The filter therefore contains only conditions on which all
    readers agree. These compare a column with a value of its own type. The type must be an integer or float
    type, or one for which `trusted` returns True. The filter may let NaN pass, since :func:`rows_that_meet`
    makes the final decision.
    """
    expression = None
    for condition in conditions:
        name, exact = condition.column, condition.value
        type = schema.field(name).type
        known = pa.types.is_integer(type) or pa.types.is_float32(type) or pa.types.is_float64(type)
        if condition.operator not in FOUND_BY_ALL or not (known or (trusted and trusted(type))):
            continue
        if not (value := exact.cast(type)).cast(exact.type).equals(exact):
            continue
        one = FOUND_BY_ALL[condition.operator](column(name), constant(value))
        expression = one if expression is None else expression & one
    return expression


def _comparable(values: Any) -> Any:
    """Convert values to the type in which they are compared, and replace negative zeros with zeros."""
    wanted = compared_as(values.type)
    if pa.types.is_temporal(values.type):
        return values.view(wanted)
    values = values.cast(wanted)
    return pc.add(values, 0.0) if pa.types.is_floating(wanted) else values


def compared_as(type: Any) -> Any:
    """Return the type to which a column is converted so that Arrow can compare its values exactly."""
    types = pa.types
    if types.is_floating(type):
        return pa.float64()
    if types.is_temporal(type):
        return pa.int32() if type.bit_width == 32 else pa.int64()
    if types.is_decimal(type):
        wide = types.is_decimal256(type)
        return pa.decimal256(76, type.scale) if wide else pa.decimal128(38, type.scale)
    return pa.binary() if types.is_fixed_size_binary(type) else without_view(type)


# -- values ----------------------------------------------------------------------------------------


def _checked_value(value: Any, type: pa.DataType, condition: Condition, name: str) -> tuple[Any, bool]:
    """Return the result of `_nearest`. Raise a TableError if the value and the column cannot be compared."""
    kinds, wanted = _kinds_of_values(type)
    try:
        if isinstance(value, kinds) and isinstance(value, bool) == (bool in kinds) and value == value:
            return _nearest(value, type)
        if value != value:
            wanted = "nothing compares with NaN: use 'is null' or 'is not null'"
    except (pa.ArrowException, ArithmeticError, ValueError, TypeError):
        wanted += "" if "such as" in wanted else " that fits"
    raise TableError(
        f"{name}: where {condition}: column {condition.column!r} holds {type}, so {_shown(value)} cannot be "
        f"compared with it: {wanted}"
    )


def _kinds_of_values(type: Any) -> tuple[tuple[Any, ...], str]:
    types = pa.types
    if types.is_boolean(type):
        return (bool,), "give True or False"
    if types.is_floating(type) or types.is_integer(type) or types.is_decimal(type):
        return (Real, Decimal), "give a number"
    if is_text(type):
        return (str, UUID), "give text"
    if is_bytes(type) or types.is_fixed_size_binary(type):
        return (bytes, UUID), "give bytes"
    if types.is_duration(type):
        return (timedelta, np.timedelta64, pa.Scalar), "give a timedelta"
    if types.is_time(type):
        return (str, time, pa.Scalar), "give a time without a UTC offset, such as 12:30"
    if types.is_date(type) or types.is_timestamp(type):
        has_zone = getattr(type, "tz", None) is not None
        offset = "with a UTC offset, such as 2024-01-02T00:00Z"
        zone = offset if has_zone else "without a UTC offset, such as 2024-01-02"
        return (str, date, np.datetime64, pa.Scalar), f"give a date or time {zone}"
    return (), "such columns allow only 'is null' and 'is not null'"


def _nearest(value: Any, type: Any) -> tuple[Any, bool]:
    """Return the largest value that fits into a column of this type and does not exceed `value`.

    Also return whether it equals `value`. If there is no such value, the first result is None. For types
    other than integers, decimals, dates and times, `value` is only converted to the type, and the result
    always counts as equal.
    """
    types, wanted = pa.types, compared_as(type)
    if types.is_floating(type):
        as_double = float(value)
        if math.isinf(as_double) and value not in (math.inf, -math.inf):
            raise OverflowError
        with np.errstate(over="ignore"):
            rounded = float(np.dtype(f"f{type.bit_width // 8}").type(as_double))  # rounded as in the column
        return pa.scalar((rounded if math.isfinite(rounded) else as_double) + 0.0, wanted), True
    if types.is_decimal(type):
        number: Any = Decimal(str(value))
        digits = max(number.adjusted(), len(number.as_tuple().digits) - 1) if number.is_finite() else math.inf
        if digits >= _MOST_DIGITS:
            raise ValueError
        step, largest = Fraction(10) ** -type.scale, 10**type.precision - 1
        least = -largest
    elif types.is_temporal(type) or types.is_integer(type):
        number, step = (_in_nanoseconds(value, type), _unit(type)) if types.is_temporal(type) else (value, 1)
        bounds = np.iinfo(wanted.to_pandas_dtype())
        least, largest = int(bounds.min), int(bounds.max)
    else:
        if isinstance(value, UUID):
            value = str(value) if is_text(type) else value.bytes
        return pa.scalar(value, wanted), True
    if isinstance(number, Decimal) and abs(number.adjusted()) > _MOST_PLACES:
        raise ValueError  # before a fraction with all these digits is made
    steps = Fraction(number) / step if math.isfinite(number) else float(number)
    if steps < least:
        return None, False
    count = largest if steps > largest else math.floor(steps)
    is_equal = count == steps
    if types.is_decimal(type):
        return pa.scalar(Decimal(count).scaleb(-type.scale, Context(prec=type.precision)), wanted), is_equal
    return pa.scalar(count, wanted), is_equal


def _in_nanoseconds(value: Any, type: Any) -> int:
    if isinstance(value, str):  # it has a zone if the column has one
        in_nanoseconds: Any = pa.timestamp("ns", getattr(type, "tz", None))
        if pa.types.is_time(type):
            moment: Any = pa.scalar(f"1970-01-01T{value}").cast(in_nanoseconds)
            value = pa.scalar(moment.value, pa.time64("ns"))
        else:
            try:
                value = pa.scalar(value).cast(in_nanoseconds)
            except pa.ArrowInvalid:  # perhaps outside the years that nanoseconds can express
                value = pa.scalar(value).cast(pa.timestamp("us", in_nanoseconds.tz))
    if isinstance(value, np.datetime64 | np.timedelta64) and np.datetime_data(value)[0] not in _NANOSECONDS:
        value = value.astype(f"{value.dtype.kind}8[s]")  # days, months or hours, which Arrow lacks
    scalar: Any = value if isinstance(value, pa.Scalar) else pa.scalar(value)
    has_zone = getattr(value, "tzinfo", getattr(scalar.type, "tz", None)) is not None
    kinds = [(pa.types.is_time(each), pa.types.is_duration(each)) for each in (scalar.type, type)]
    if has_zone != (getattr(type, "tz", None) is not None) or kinds[0] != kinds[1]:
        raise ValueError
    # Arrow reads pandas' times as Python times, which have no nanoseconds.
    finer = getattr(value, "nanosecond", 0) + getattr(value, "nanoseconds", 0)
    return int(scalar.value * _unit(scalar.type) + finer)


def _unit(type: Any) -> int:
    """Return the unit of a date or time type in nanoseconds."""
    if pa.types.is_date(type):
        return _NANOSECONDS["day" if pa.types.is_date32(type) else "ms"]
    return _NANOSECONDS[type.unit]
