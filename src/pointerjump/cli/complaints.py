"""What is wrong, in one line on standard error, and the exit code that goes with it."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import Any

import click

from pointerjump.cli.terminal import printable
from pointerjump.errors import PointerjumpError, VerificationError

FAILED, BAD_INPUT = 1, 2


def complain(message: str) -> None:
    """Print one line on standard error."""
    print(f"pointerjump: {printable(' '.join(message.split()))}", file=sys.stderr)


def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning as one line; takes what ``warnings.showwarning`` takes."""
    complain(f"warning: {message}")


def complain_of(error: Exception) -> int:
    """Print an error as one line and return its exit code; in Python's development mode, raise a bug."""
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
            complain(_bug(error))
    # A bug must not exit with 1, as it would in plain Python: that would say that a check failed.
    return FAILED if isinstance(error, VerificationError) else BAD_INPUT


def _bug(error: Exception) -> str:
    """Describe an error that nobody foresaw, for whoever reports it."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return (
        f"this is a bug in pointerjump, please report it: {type(error).__name__}: {error} "
        f"({Path(place.filename).name}, line {place.lineno}; `python -X dev -m pointerjump` shows more)"
    )
