"""The steps of a command: a bar for those who watch, and what the report says of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click
from rich import filesize
from rich import progress as bars

from pointerjump.cli import terminal
from pointerjump.cli.complaints import show_warning
from pointerjump.errors import VerificationError

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    Names = npt.NDArray[Any] | pa.Array[Any] | None

SECONDS = {
    "start": "imports, and checking what is asked for; Python's own start comes before",
    "device": "finding and opening the OpenCL device",
    "read": "reading the input",
    "rows": "making rows of edges",
    "transfer": "copying to and from the device",
    "build": "planning, and building kernels or loading them from a cache",
    "compute": "running the kernels; of tables, blocks and chunks also what happens on the way to them",
    "join": "joining the forests of several devices",
    "labels": "numbering the components",
    "checkpoint": "reading and writing checkpoints",
    "verify": "checking the answer",
    "write": "writing the answer",
    "summary": "counting what is printed",
    "other": "what is left",
}
"""What each step of a command is called in its line ``time`` and in JSON, and what takes that time."""


class Steps:
    """The steps of a command, as :func:`follow_steps` yields them.

    Attributes
    ----------
    seconds : dict
        What each step took. In the end the steps add up to ``total``, the time since the command began:
        ``start`` is the time before the first step, most of it imports, and ``other`` is what no step took.
    warnings : list of str
        The warnings that were shown.
    checked : bool
        Whether the result was checked.
    why_not : str or None
        What is wrong with the result, if the check found something.
    written : str or None
        The file that holds the result.
    """

    def __init__(self, progress: bars.Progress) -> None:
        self.seconds: dict[str, float] = {}
        self.warnings: list[str] = []
        self.checked = False
        self.why_not: str | None = None
        self.written: str | None = None
        self._progress = progress
        self._task = progress.add_task("", total=None, share="")
        self._bar = progress.tasks[-1]

    def begin(self, name: str) -> None:
        """Show that a step begins; its bar only pulses until a share of the step is done."""
        self._progress.refresh()  # so that the last step is seen to be done
        self._progress.reset(self._task, total=None, description=name, share="")

    def show(self, share: float) -> None:
        """Show what share of the step, 0 to 1, is done."""
        self._progress.update(self._task, total=1.0, completed=share, share=f"{share:4.0%}", refresh=True)

    def show_bytes(self, done: int, total: int) -> None:
        """Show how many bytes of the step's input are done, and how long the others will take.

        The bar draws itself now and then: that takes longer than many a block of edges.
        """
        self._show_amount(done, total, _of_bytes(min(done, total), total))

    def show_rows(self, done: int, total: int | None) -> None:
        """Show how many rows are done and, if their number is known, how long the others will take."""
        self._show_amount(done, total, f"{done:,} rows" if total is None else f"{done:,} of {total:,} rows")

    def _show_amount(self, done: int, total: int | None, amount: str) -> None:
        self._progress.update(self._task, total=total, completed=done)
        left = self._bar.time_remaining
        share = amount + (f", {timedelta(seconds=left)} left" if left else "")
        self._progress.update(self._task, share=share)

    @contextmanager
    def timed(self, name: str, key: str) -> Iterator[None]:
        """Begin a step, and add the time it takes to ``seconds[key]``."""
        self.begin(name)
        started = perf_counter()
        yield
        self.add({key: perf_counter() - started})

    def add(self, seconds: Mapping[str, float]) -> None:
        """Add the time that steps took."""
        for key, spent in seconds.items():
            self.seconds[key] = self.seconds.get(key, 0.0) + spent

    def warn(self, message: Warning | str, *details: Any, **more: Any) -> None:
        """Show a warning, and keep it for the report."""
        self.warnings.append(str(message))
        show_warning(message, *details, **more)

    def check(self, verify: Callable[[], None], names: Names = None) -> None:
        """Check the result; `names` are what the input calls its vertices."""
        self.checked = True
        with self.timed("verifying", "verify"):
            try:
                verify()
            except VerificationError as error:
                self.why_not = _with_names(error, names)

    @property
    def verdict(self) -> dict[str, object]:
        """What the check said, for programs."""
        return {"verified": self.checked and self.why_not is None, "why_not": self.why_not}

    def write(self, output: str | None, write: Callable[[str], None]) -> None:
        """Write the result if a file was named for it, unless the result is wrong."""
        if output is None or self.why_not is not None:
            return
        with self.timed("writing", "write"):
            write(output)
        self.written = output


def _of_bytes(done: int, total: int) -> str:
    """Return how many bytes of how many are done, as people write it: "1.2 of 4.0 GiB"."""
    unit, name = filesize.pick_unit_and_suffix(total, ["bytes", "KiB", "MiB", "GiB", "TiB"], 1024)
    return f"{done / unit:.1f} of {total / unit:.1f} {name}"


def _with_names(error: VerificationError, names: Names) -> str:
    """Return a verifier's message, and with it what the input calls the vertices that it mentions."""
    if names is None:
        return str(error)
    known = [f"vertex {v} is {str(names[v])!r}" for v in error.vertices if 0 <= v < len(names)]
    return f"{error} ({', '.join(known)})" if known else str(error)


@contextmanager
def follow_steps() -> Iterator[Steps]:
    """Yield the steps of a command. The root context's ``obj`` says when the command began."""
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
