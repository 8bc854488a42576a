"""The table that measuring a property fills: columns with headings, lines of values, source and remarks."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, field
from typing import Any

Line = dict[str, Any]
"""A line of the table: its values by column name, and what only the figure needs."""


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    name : str
        The key in JSON and CSV.
    heading : str
        What people read above it, with the unit.
    digits : int
        Digits after the point, for values that are not whole numbers.
    """

    name: str
    heading: str
    digits: int = 2

    def text(self, value: Any) -> str:
        """Return a value as people read it."""
        if value is None:
            return ""
        if isinstance(value, float):
            return f"{value:,.{self.digits}f}"
        return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class Measurement:
    """A table of measured values.

    Attributes
    ----------
    name, title, source : str
        The property, its heading, and where in the papers it comes from.
    columns : tuple of Column
    lines : list of dict
        The values by column name.
    about : str
        What was counted, and how to read it.
    series : list of dict
        The same lines with what the figure needs besides.
    """

    name: str
    title: str
    source: str
    columns: tuple[Column, ...]
    lines: list[Line]
    about: str
    series: list[Line] = field(default_factory=list, repr=False)

    def json(self) -> str:
        """Return all of it but the series as one JSON document."""
        document = {
            **{name: getattr(self, name) for name in ("name", "title", "source", "about")},
            "rows": self.lines,
            "columns": {column.name: column.heading for column in self.columns},
        }
        return json.dumps(document, indent=2)

    def csv(self) -> str:
        """Return the lines as comma-separated values under the columns' names."""
        text = io.StringIO()
        writer = csv.DictWriter(text, [column.name for column in self.columns], lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.lines)
        return text.getvalue()
