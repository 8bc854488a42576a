"""The input of a command: a file, standard input, or a generator spec."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pointerjump.errors import FormatError
from pointerjump.progress import Progress

if TYPE_CHECKING:
    from pointerjump.graph import Graph
    from pointerjump.linked_lists import SuccessorArray


Source = str | list[str]
"""What a command reads: a file, a pattern, a folder, a spec, ``-`` or several files."""


def load_graph(source: Source, progress: Progress, reading: dict[str, Any]) -> Graph:
    """Return the graph in a file, on standard input or of a generator spec, read as the options say."""
    from pointerjump.generators import is_spec
    from pointerjump.inputs import as_graph

    if isinstance(source, str) and is_spec(source):
        require_unused(reading, source, but="vertices")
    if source == "-":
        source, reading = _standard_input(), {**reading, "format": reading["format"] or "edges"}
    return as_graph(source, progress=progress, **reading)


def load_list(source: str, progress: Progress) -> SuccessorArray:
    """Return the linked lists in a file, on standard input or of a generator spec."""
    from pointerjump.inputs import read_lists

    return read_lists(_standard_input() if source == "-" else source, progress=progress)


def title_of(source: Source) -> str:
    """Return what people call an input."""
    from pointerjump.formats.files import name_of_all

    return source if isinstance(source, str) else name_of_all([*map(Path, source)])


def spooled(folder: str) -> str:
    """Write standard input to a file in a folder, with the suffix of the table that it holds; return it."""
    from pointerjump.formats.files import compression_within

    with Path(_standard_input()).open("rb") as given:
        beginning = given.read(16)
        binary = {b"PAR1": ".parquet", b"\xff\xff\xff\xff": ".arrows", b"ARROW1"[:4]: ".arrow"}
        suffix = binary.get(beginning[:4]) or ".csv" + (compression_within(beginning) or "")
        file = Path(folder) / f"table{suffix}"
        with file.open("wb") as copy:
            copy.write(beginning)
            shutil.copyfileobj(given, copy)
    return str(file)


def _standard_input() -> str:
    from pointerjump.formats.files import STANDARD_INPUT

    if not STANDARD_INPUT.exists():
        raise FormatError(
            f"-: standard input cannot be read here, as there is no {STANDARD_INPUT}: name a file"
        )
    return str(STANDARD_INPUT)


def require_unused(options: dict[str, Any], subject: str, but: str = "") -> None:
    """Refuse options that would change nothing, except the one called `but`."""
    for option in click.get_current_context().command.params:
        name = option.name or ""
        if name != but and options.get(name) not in (None, "auto"):
            raise click.UsageError(f"{subject}: {option.opts[0]} is for graphs in files: leave it out")
