"""Prints tables to standard output, and one-line errors and warnings to standard error."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console, RenderableType
from rich.table import Table

from pointerjump.errors import PointerjumpError, VerificationError

FAILED, BAD_INPUT = 1, 2  # exit codes
Lines = list[tuple[str, str]]  # the lines of a table of facts, each with a name and a value

# Markup is off because the name of a file or a device may look like rich's markup. Without a terminal, rich
# assumes 80 columns, which are too few for a table in a file or a log.
out = Console(markup=False, emoji=False, highlight=False, width=None if sys.stdout.isatty() else 140)
err = Console(markup=False, emoji=False, highlight=False, stderr=True)


def printable(text: str) -> str:
    """Escape the control characters in a string, such as a path."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def table_of_facts(title: str | None, lines: Lines) -> Table:
    """Return a table without borders, with a name and a value on each line."""
    table = Table(show_header=False, title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.title = printable(title) if title else None
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in lines:
        table.add_row(name, printable(value))
    return table


def table_with_headings(
    title: str,
    headings: Sequence[str],
    rows: Iterable[Sequence[RenderableType]],
    right: Sequence[str] = (),
    **settings: Any,
) -> Table:
    """Return a table in which long strings are wrapped, and the columns in `right` are right-aligned."""
    table = Table(title=title, title_justify="left", **settings)
    for heading in headings:
        table.add_column(heading, justify="right" if heading in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def complain(message: str) -> None:
    print(f"pointerjump: {printable(' '.join(message.split()))}", file=sys.stderr)


def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning as one line. The arguments are those of ``warnings.showwarning``."""
    complain(f"warning: {message}")


def complain_of(error: Exception) -> int:
    """Print an error as one line and return the exit code. In development mode, raise unexpected errors."""
    match error:
        case click.ClickException():
            complain(error.format_message())
        case PointerjumpError():
            complain(str(error))
        case MemoryError():
            what = str(error) or "the graph does not fit"
            complain(f"out of memory: {what}; use a machine with more, or a smaller graph")
        case _ if sys.flags.dev_mode:
            raise error
        case _:
            last = traceback.extract_tb(error.__traceback__)[-1]
            complain(
                f"this is a bug in pointerjump, please report it: {type(error).__name__}: {error} "
                f"({Path(last.filename).name}, line {last.lineno}; `python -X dev -m pointerjump` shows more)"
            )
    # A bug must not exit with 1, as it would in plain Python, because 1 means that a check failed.
    return FAILED if isinstance(error, VerificationError) else BAD_INPUT
