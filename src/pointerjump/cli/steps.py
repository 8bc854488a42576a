"""Times the steps of a command, shows their progress and prints the report at the end."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from time import perf_counter
from typing import Any

import click
from rich import filesize
from rich import progress as bars
from rich.console import RenderableType

from pointerjump.cli import terminal
from pointerjump.errors import VerificationError

SECONDS = {  # the name of each step in the line ``time`` and in JSON, and what it includes
    "start": "imports, and checking the request, but not Python's own start",
    "device": "finding and opening the OpenCL device",
    "read": "reading the input",
    "rows": "making rows of edges",
    "trees": "finding out which vertices are in one tree",
    "forest": "finding a spanning forest, and rooting it",
    "transfer": "copying to and from the device",
    "build": "planning, and building kernels or loading them from a cache",
    "compute": "running the kernels; for tables, blocks and chunks, also reading and copying them",
    "join": "joining the forests of several devices",
    "labels": "numbering the components",
    "checkpoint": "reading and writing checkpoints",
    "clusters": "cutting the tree of merges, or choosing clusters",
    "verify": "checking the answer",
    "write": "writing the answer",
    "summary": "counting what is printed",
    "other": "everything else",
}


class Steps:
    """The times and the progress of a command's steps, as yielded by :func:`follow_steps`.

    At the end, the seconds of all steps add up to ``total``, the time since the command began. ``start`` is
    the time before the first step, which is mostly spent on imports. ``other`` is the time between steps.
    """

    def __init__(self, progress: bars.Progress) -> None:
        self.seconds: dict[str, float] = {}
        self.warnings: list[str] = []  # the warnings that were shown
        self.checked = False  # whether the result was checked
        self.why_not: str | None = None  # the fault in the result, if the check found one
        self._progress = progress
        self._task = progress.add_task("", total=None, share="")
        self._bar = progress.tasks[-1]

    def begin(self, name: str) -> None:
        """Show the name of the next step. The bar pulses until progress is reported."""
        self._progress.refresh()  # so that the bar shows the last step as done
        self._progress.reset(self._task, total=None, description=name, share="")

    def show(self, share: float) -> None:
        self._progress.update(self._task, total=1.0, completed=share, share=f"{share:4.0%}", refresh=True)

    def show_bytes(self, done: int, total: int) -> None:
        """Show how many bytes of the step's input have been processed, and the estimated time left.

        The bar is redrawn only periodically, because drawing it takes longer than processing a small block.
        """
        unit, name = filesize.pick_unit_and_suffix(total, ["bytes", "KiB", "MiB", "GiB", "TiB"], 1024)
        self._show_amount(done, total, f"{min(done, total) / unit:.1f} of {total / unit:.1f} {name}")

    def show_rows(self, done: int, total: int | None) -> None:
        """Show how many rows have been processed and, if the total is known, the estimated time left."""
        self._show_amount(done, total, f"{done:,} rows" if total is None else f"{done:,} of {total:,} rows")

    def _show_amount(self, done: int, total: int | None, amount: str) -> None:
        self._progress.update(self._task, total=total, completed=done)
        left = self._bar.time_remaining
        share = amount + (f", {timedelta(seconds=left)} left" if left else "")
        self._progress.update(self._task, share=share)

    @contextmanager
    def timed(self, name: str, key: str) -> Iterator[None]:
        """Begin a step, and add its duration to ``seconds[key]``."""
        self.begin(name)
        started = perf_counter()
        yield
        self.add({key: perf_counter() - started})

    def add(self, seconds: Mapping[str, float]) -> None:
        for key, spent in seconds.items():
            self.seconds[key] = self.seconds.get(key, 0.0) + spent

    def warn(self, message: Warning | str, *_: Any, **__: Any) -> None:
        """Show a warning, and keep it for the report. The arguments are those of ``warnings.showwarning``."""
        self.warnings.append(str(message))
        terminal.show_warning(message)

    def check(self, verify: Callable[[], None], names: Any = None) -> None:
        """Check the result. If it is wrong, store the reason in `why_not`.

        If `names` is given, the reason includes the names of the vertices that it mentions.
        """
        self.checked = True
        with self.timed("verifying", "verify"):
            try:
                verify()
            except VerificationError as error:
                mentioned = [v for v in error.vertices if names is not None and 0 <= v < len(names)]
                known = ", ".join(f"vertex {v} is {str(names[v])!r}" for v in mentioned)
                self.why_not = f"{error} ({known})" if known else str(error)

    @property
    def verdict(self) -> dict[str, object]:
        return {"verified": self.checked and self.why_not is None, "why_not": self.why_not}


@contextmanager
def follow_steps() -> Iterator[Steps]:
    """Track the steps of a command. The click context's ``obj`` must be the time when the command began."""
    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.TextColumn("{task.fields[share]}"),
        bars.TimeElapsedColumn(),
    )
    watched = terminal.out.is_terminal and terminal.err.is_terminal
    began = click.get_current_context().obj
    with (
        bars.Progress(*columns, console=terminal.err, transient=True, disable=not watched) as bar,
        warnings.catch_warnings(),
    ):
        steps = Steps(bar)
        warnings.showwarning = steps.warn
        steps.add({"start": perf_counter() - began})
        yield steps
    total = perf_counter() - began
    steps.add({"other": total - sum(steps.seconds.values()), "total": total})


def report(as_json: bool, document: Any, *shown: RenderableType, steps: Steps | None = None) -> None:
    """Print the result of a command: `document` if JSON is requested, otherwise the items in `shown`.

    Warnings from the steps are added to the document. If a check has failed, the exit code is 1, and the
    error is printed to standard error instead of the result. With JSON, the error is part of the document.
    """
    why_not = steps.why_not if steps else None
    if as_json:
        print(json.dumps({**document, "warnings": steps.warnings} if steps else document, indent=2))
        if why_not is not None:
            raise click.exceptions.Exit(terminal.FAILED)
    elif why_not is not None:
        raise VerificationError(why_not)
    else:
        for each in shown:
            terminal.out.print(each)
