"""Conditions on the rows of a table: ``("score", ">=", 0.9)``, for Arrow, Polars and DuckDB alike.

A condition on a missing value, which is null or NaN, does not hold, whatever its operator. The only
exception is ``"is null"``, which holds for both.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from pointerjump.errors import TableError

if TYPE_CHECKING:
    import pyarrow as pa

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
MEANT = {"=>": ">=", "=<": "<=", "=": "==", "<>": "!="}
"""What is often written for an operator, and the operator."""

ORDERS = ("<", "<=", ">", ">=")
LISTS = ("in", "not in")
_MOST_DIGITS = 38
"""How many digits a decimal of 128 bits has."""
ON_NULLS = ("is null", "is not null")
OPERATORS = (*COMPARISONS, *LISTS, *ON_NULLS)


@dataclass(frozen=True)
class Condition:
    """What must hold of a row: its value in a column, compared with another value."""

    column: str
    operator: str
    value: Any = None

    def __str__(self) -> str:
        return f"{self.column} {self.operator}" + ("" if self.operator in ON_NULLS else f" {self.value!r}")


@dataclass(frozen=True)
class Dialect:
    """How a library writes conditions. Its expressions know Python's operators ``==``, ``>=``, ``&``, ``~``.

    Attributes
    ----------
    column : callable
        Takes a name, its Arrow type and the values it is compared with; returns the column.
    value : callable
        Takes a value and the Arrow type of the column; returns a constant.
    among : callable
        Takes a column and a list of constants; returns whether a value is one of them.
    missing : callable
        Takes a column and whether it holds floating-point numbers; returns whether a value is null or NaN.
    """

    column: Callable[[str, pa.DataType, Sequence[Any]], Any]
    value: Callable[[Any, pa.DataType], Any]
    among: Callable[[Any, list[Any]], Any]
    missing: Callable[[Any, bool], Any]


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
            f"where={where!r}: give a condition, such as ('score', '>=', 0.9), or a list of them"
        )
    return [each if isinstance(each, Condition) else _condition(each) for each in where]


def _is_one(where: Any) -> bool:
    """Whether this is one condition rather than a list of them."""
    listed = isinstance(where, Sequence) and not isinstance(where, str)
    return listed and len(where) > 0 and isinstance(where[0], str)


def _condition(given: Any) -> Condition:
    if not (_is_one(given) and len(given) in (2, 3) and isinstance(given[1], str)):
        raise TableError(
            f"where={given!r}: a condition is a column, an operator and a value, such as ('score', '>=', 0.9)"
        )
    column, written, *values = given
    known = " ".join(written.lower().split())
    if known not in OPERATORS:
        near = [MEANT[known]] if known in MEANT else get_close_matches(known, OPERATORS, 1)
        raise TableError(
            f"where={given!r}: there is no operator {written!r}: there are {', '.join(OPERATORS)}"
            + (f"; did you mean {near[0]!r}?" if near else "")
        )
    if known not in ON_NULLS and not values:
        raise TableError(f"where={given!r}: {written!r} needs a value to compare with")
    return Condition(column, known, None if known in ON_NULLS else values[0])


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
    (condition,) = as_conditions((column, operator, text))
    type = _plain(type)
    if condition.operator in ORDERS and _is_text(type) and isinstance(_parsed(text, _float64()), int | float):
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


def _is_text(type: Any) -> bool:
    import pyarrow as pa

    return pa.types.is_string(type) or pa.types.is_large_string(type) or pa.types.is_string_view(type)


def _float64() -> Any:
    import pyarrow as pa

    return pa.float64()


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


def expression_of(conditions: Sequence[Condition], schema: pa.Schema, name: str, dialect: Dialect) -> Any:
    """Return what a library calls these conditions, all of which must hold; None if there are none.

    Raises
    ------
    TableError
        If a value cannot be compared with what its column holds.
    """
    expression = None
    for condition in conditions:
        type = _plain(schema.field(condition.column).type)
        one = _expression(condition, type, name, dialect)
        expression = one if expression is None else expression & one
    return expression


def _expression(condition: Condition, type: pa.DataType, name: str, dialect: Dialect) -> Any:
    import pyarrow as pa

    floats = pa.types.is_floating(type)
    if condition.operator in ON_NULLS:
        missing = dialect.missing(dialect.column(condition.column, type, ()), floats)
        return missing if condition.operator == "is null" else ~missing
    several = condition.operator in LISTS
    values = [_comparable(each, type, condition, name) for each in _values(condition, name)]
    if pa.types.is_integer(
        type
    ):  # no integer equals a fraction, and libraries compare the two in their own ways
        values = [value for value in values if isinstance(value, int)] or values[:1]
    column = dialect.column(condition.column, type, values)
    constants = [dialect.value(value, type) for value in values]
    if several:
        holds = dialect.among(column, constants) if len(constants) > 1 else column == constants[0]
        holds = ~holds if condition.operator == "not in" else holds
    else:
        holds = COMPARISONS[condition.operator](column, constants[0])
    return ~dialect.missing(dialect.column(condition.column, type, ()), floats) & holds


def _values(condition: Condition, name: str) -> list[Any]:
    """Return the values that a condition names, as plain Python objects."""
    value = condition.value
    value = value.tolist() if type(value).__module__ == "numpy" else value
    if condition.operator not in LISTS:
        return [value]
    if isinstance(value, str | bytes) or not hasattr(value, "__iter__"):
        raise TableError(f"{name}: where {condition}: give a list of values, such as ['a', 'b']")
    values = list(value)
    if not values:
        raise TableError(f"{name}: where {condition}: the list is empty, so nothing can be in it")
    return values


def _comparable(value: Any, type: pa.DataType, condition: Condition, name: str) -> Any:
    """Return a value as one that can be compared with a column of this type; raise a TableError if none can.

    A value for a column of 32-bit floats is rounded to one: 0.9 equals what such a column holds as 0.9.
    """
    import pyarrow as pa

    types, fits, wanted = pa.types, False, str(type)
    if types.is_boolean(type):
        fits, wanted = isinstance(value, bool | np.bool_), "True or False"
    elif types.is_integer(type) or types.is_floating(type) or types.is_decimal(type):
        fits, wanted = isinstance(value, Real | Decimal) and not isinstance(value, bool), "a number"
    elif types.is_string(type) or types.is_large_string(type):
        fits, wanted = isinstance(value, str), "text"
    elif types.is_binary(type) or types.is_large_binary(type) or types.is_fixed_size_binary(type):
        fits, wanted = isinstance(value, bytes), "bytes"
    elif types.is_temporal(type):
        fits, wanted = isinstance(value, str | date | datetime | time | timedelta), "a date or time"
    elif types.is_null(type):
        fits = value is not None
    if value is None:
        raise TableError(f"{name}: where {condition}: nothing equals None: use 'is null' or 'is not null'")
    if fits and value != value:
        raise TableError(
            f"{name}: where {condition}: nothing compares with NaN: use 'is null' or 'is not null'"
        )
    try:
        if not fits:
            raise ValueError
        return _converted(value, type)
    except (ValueError, TypeError, OverflowError, NotImplementedError, InvalidOperation):
        raise TableError(
            f"{name}: where {condition}: column {condition.column!r} holds {type}, so {value!r} cannot be "
            f"compared with it: give {wanted}" + (" that fits" if fits else "")
        ) from None


def _converted(value: Any, type: pa.DataType) -> Any:
    """Return a value in a column's type, as a Python object, or raise an error."""
    import pyarrow as pa

    types = pa.types
    if types.is_integer(type):
        if isinstance(value, Integral) or value == value // 1:
            return pa.scalar(int(value), type).as_py()
        return float(value)
    if types.is_floating(type):
        return float(value) if types.is_float64(type) else float(np.float32(value))
    if types.is_decimal(type):
        return _decimal(value)
    if types.is_temporal(type):
        return pa.scalar(value).cast(type).as_py()
    return value


def _decimal(value: Any) -> Decimal:
    """Return a number as a decimal that all libraries take; raise a ValueError if there is none."""
    number = Decimal(str(value))
    if not number.is_finite() or max(number.adjusted(), len(number.as_tuple().digits) - 1) >= _MOST_DIGITS:
        raise ValueError
    return number


def _plain(type: pa.DataType) -> pa.DataType:
    """Return the type of a column's values, which may be in a dictionary, in storage, or behind a view."""
    import pyarrow as pa

    if pa.types.is_dictionary(type):
        type = type.value_type
    if isinstance(type, pa.BaseExtensionType):
        type = type.storage_type
    if pa.types.is_string_view(type):
        return pa.large_string()
    return pa.large_binary() if pa.types.is_binary_view(type) else type
