"""The end of a command: what it found, for people or for programs, and its exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from rich.console import RenderableType

from pointerjump.cli import terminal
from pointerjump.cli.complaints import FAILED
from pointerjump.cli.steps import Steps
from pointerjump.errors import VerificationError


def report(as_json: bool, document: Any, *shown: RenderableType, steps: Steps | None = None) -> None:
    """Print what a command found; every command ends here.

    Parameters
    ----------
    as_json : bool
        Whether programs read it, or people.
    document : dict or list
        What programs read.
    *shown : renderable
        What people read: tables and texts, one below the other.
    steps : Steps, optional
        The steps that led here. Their warnings are added to the document, and a failed check among them
        ends the command with exit code 1: people read what is wrong in place of the result, on standard
        error, and programs read it in the document.
    """
    why_not = None
    if steps is not None:
        document = {**document, "warnings": steps.warnings}
        why_not = steps.why_not
    if as_json:
        print(json.dumps(document, indent=2))
    elif why_not is not None:
        raise VerificationError(why_not)
    else:
        for each in shown:
            terminal.out.print(each)
    if why_not is not None:
        raise click.exceptions.Exit(FAILED)


def report_file(
    as_json: bool,
    facts: dict[str, Any],
    *,
    title: str,
    output: str,
    counts: dict[str, int],
    steps: Steps,
    what: str | None = None,
) -> None:
    """Report that a file was written.

    Parameters
    ----------
    facts : dict
        What programs read first: what the file was made of.
    title, output : str
        What people read above the table, and the file.
    counts : dict
        What the file holds: ``vertices`` and ``edges`` of a graph, or ``elements`` of lists.
    what : str, optional
        What people read before the counts. Default: "graph" or "list".
    """
    size = Path(output).stat().st_size
    kind = "graph" if "edges" in counts else "list"
    lines = [
        (what or kind, ", ".join(f"{count:,} {name}" for name, count in counts.items())),
        ("written", f"{output}, {size:,} bytes"),
    ]
    document = {**facts, "output": output, **counts, "bytes": size}
    report(as_json, document, terminal.table_of_facts(title, lines), steps=steps)
