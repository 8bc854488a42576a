"""The two consoles that commands write to, and the tables that people read on them."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

Lines = list[tuple[str, str]]
"""The lines of a table of facts: what each is called, and what it is."""

# Markup is off because the name of a file or a device may look like rich's. Without a terminal rich assumes
# 80 columns, which is too few for a table that goes to a file or a log.
out = Console(markup=False, emoji=False, highlight=False, width=None if sys.stdout.isatty() else 140)
err = Console(markup=False, emoji=False, highlight=False, stderr=True)


def printable(text: str) -> str:
    """Return a text with its control characters escaped: the name of a file may hold some."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def table_of_facts(title: str | None, lines: Lines) -> Table:
    """Return a table with one fact a line, and no rules between them."""
    table = Table(show_header=False, title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.title = printable(title) if title else None
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in lines:
        table.add_row(name, printable(value))
    return table


def table_with_headings(title: str, headings: Iterable[str], **settings: Any) -> Table:
    """Return a table without lines yet, whose columns fold what is too long for them."""
    table = Table(title=title, title_justify="left", **settings)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def with_note(text: str, note: str) -> Text:
    """Return a text with a paler one below it."""
    return Text.assemble(text, "\n", (note, "dim"))
