"""Parse the options of scripts, each up to where its work would begin.

    options_worker.py < a JSON list of command lines, each a list that begins with the script

Prints a JSON list with one complaint for each line, empty if its options are good. A script that does
its work without looking at its options is complained of too.
"""

from __future__ import annotations

import argparse
import json
import runpy
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import click


class Parsed(BaseException):
    """The options are good, and no work has been done."""


def stop(*given: object, **named: object) -> None:
    raise Parsed


parse_args = argparse.ArgumentParser.parse_args


def parse_and_stop(self: argparse.ArgumentParser, *given: Any, **named: Any) -> None:
    parse_args(self, *given, **named)
    raise Parsed


argparse.ArgumentParser.parse_args = parse_and_stop  # type: ignore[assignment, method-assign]
click.Command.invoke = stop  # type: ignore[assignment, method-assign]


def complaint(line: list[str]) -> str:
    """Return what is wrong with a command line."""
    sys.argv = line
    said = StringIO()
    try:
        with redirect_stderr(said), redirect_stdout(said):
            runpy.run_path(line[0], run_name="__main__")
    except Parsed:
        return ""
    except SystemExit:
        return said.getvalue() or "it has ended early"
    except ModuleNotFoundError as error:
        if error.name is None or error.name in sys.modules:
            return f"{type(error).__name__}: {error}"
        sys.modules[error.name] = MagicMock()  # a library that a benchmark compares with, not installed here
        return complaint(line)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "its options were not looked at" if line[1:] else ""  # it has run


lines = json.load(sys.stdin)
sys.path[0] = str(Path(lines[0][0]).parent)  # as Python does for a script
json.dump([complaint(line) for line in lines], sys.stdout)
