"""Defines properties that can be measured, and the tables that hold their measurements."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pointerjump.reference.machine import Machine

if TYPE_CHECKING:
    from matplotlib.figure import Figure

T = TypeVar("T")

Counted = dict[str, Any]  # a row of the table: values by column name, and values that only the figure uses
Draw = Callable[["Figure", list[Counted]], None]  # draws the rows of a measurement into a matplotlib figure


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str  # the key in JSON and CSV
    heading: str  # for people, with the unit
    digits: int = 2  # after the point, for values that are not whole numbers

    def text(self, value: Any) -> str:
        if value is None:
            return ""
        if isinstance(value, float):
            return f"{value:,.{self.digits}f}"
        return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class Property:
    """A property that can be measured, as listed in :data:`pointerjump.measure.PROPERTIES`."""

    name: str  # on the command line
    title: str
    _: KW_ONLY
    source: str  # the papers' tables, figures or theorems
    of: Literal["graph", "list"]
    inputs: tuple[str, ...]  # the specs on which it is measured by default
    columns: tuple[Column, ...]  # the first one names the graph or list
    draw: Draw
    about: str  # a description of the counts and of how to read them
    count: Callable[[Any], Iterable[Counted]]  # yields rows, with values for the columns and for the figure


def counted(
    title: str, *, columns: Iterable[Column], of: Literal["graph", "list"] = "graph", **others: Any
) -> Callable[[Callable[[Any], Iterable[Counted]]], Property]:
    """Return a decorator that turns a counting function and its docstring into a :class:`Property`."""

    def made(count: Callable[[Any], Iterable[Counted]]) -> Property:
        name, about = count.__name__.replace("_", "-"), " ".join((count.__doc__ or "").split())
        every = (Column(of, of), *columns)
        return Property(name, title, about=about, of=of, columns=every, count=count, **others)

    return made


def noted(
    run: Callable[[], object], note: Callable[[Machine, str, dict[str, Any]], T | None], **settings: Any
) -> list[T]:
    """Run a reference implementation, and return the notes taken after its phases.

    `note` takes the machine, the phase's name and a dict of the shared arrays. It returns a note or None.
    """
    found: list[T] = []

    def after_phase(phase: str, arrays: dict[str, Any]) -> None:
        seen = note(machine, phase, arrays)
        if seen is not None:
            found.append(seen)

    machine = Machine(after_phase=after_phase, **settings)
    with machine:
        run()
    return found


@dataclass(frozen=True)
class Measurement:
    """A property and the rows that were measured for its table."""

    of: Property
    series: list[Counted]

    @cached_property
    def lines(self) -> list[Counted]:
        """The rows of the table as dicts by column name, without values that only the figure uses."""
        names = [column.name for column in self.of.columns]
        return [{name: line[name] for name in names} for line in self.series]

    def json(self) -> str:
        document = {
            **{name: getattr(self.of, name) for name in ("name", "title", "source", "about")},
            "rows": self.lines,
            "columns": {column.name: column.heading for column in self.of.columns},
        }
        return json.dumps(document, indent=2)


def csv_text(columns: Sequence[str], lines: Iterable[Counted]) -> str:
    """Return the rows of a table as comma-separated values, below a header row with the column names."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()
