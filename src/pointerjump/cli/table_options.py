"""The options of ``cc`` that are about tables: what they ask for, and whether that makes sense."""

from __future__ import annotations

import glob
from dataclasses import dataclass
from pathlib import Path

import click

from pointerjump.cli.streaming import StreamOptions
from pointerjump.errors import TableError
from pointerjump.tables.suffixes import BINARY, FORMATS


@dataclass(frozen=True)
class TableOptions:
    """What a user asks of a table.

    Attributes
    ----------
    source, target, group, member : str or None
        Columns.
    where : tuple
        Conditions: columns, operators and values, as text.
    nodes : str or None
        A file with more ids, and perhaps a column of it.
    sort : bool
        Whether rows are written in order.
    """

    source: str | None
    target: str | None
    group: str | None
    member: str | None
    where: tuple[tuple[str, str, str], ...]
    nodes: str | None
    sort: bool

    def first(self) -> str | None:
        """Return an option that is given, or None if none is."""
        return next((f"--{name}" for name, value in vars(self).items() if value), None)

    def mean_a_table(self, input: str, output: str | None) -> bool:
        """Return whether a table is to be read, and not a graph: an option or the output's format says so.

        In text, labels of a graph are written too. So text is a table of clusters only if the input is
        several files, which no graph is.
        """
        if self.first() is not None:
            return True
        if output is None or (suffix := _suffix(output)) not in FORMATS:
            return False
        either = suffix in BINARY and _suffix(input) in FORMATS
        return either or _is_several_files(input)

    def require_sense(self, input: str, output: str | None, asked: StreamOptions) -> None:
        """Refuse what does not go together, before anything is read."""
        if (self.group or self.member) and (self.source or self.target):
            raise click.UsageError(
                "columns of groups and columns of pairs are both given: leave out --group and --member, or "
                "--source and --target"
            )
        pairs = (("source", "target"), ("target", "source"), ("group", "member"))
        for one, other in pairs:
            if getattr(self, one) and not getattr(self, other):
                raise click.UsageError(f"--{one} is given without --{other}: name both columns")
        if self.sort and output is None:
            raise click.UsageError("--sort is for the file that is written: name one by -o, or leave it out")
        for option, value in (("--checkpoint", asked.checkpoint), ("--devices", asked.devices)):
            if value is not None:
                raise click.UsageError(
                    f"{option} is for graphs, whose ids are integers: leave it out, or leave out "
                    f"{self.first() or 'the table to write'}"
                )
        _require_file(input, self.first() or str(output))

    def nodes_as_given(self) -> str | tuple[str, str] | None:
        """Return what ``--nodes FILE`` or ``--nodes FILE:COLUMN`` names, as ``components`` takes it."""
        if self.nodes is None or ":" not in self.nodes or Path(self.nodes).exists():
            return self.nodes
        path, _, column = self.nodes.rpartition(":")
        return path, column


def _suffix(name: str) -> str:
    from pointerjump.formats.files import base_suffix

    return base_suffix(Path(name))


def _is_several_files(name: str) -> bool:
    try:
        return Path(name).is_dir() or (glob.has_magic(name) and not Path(name).exists())
    except (OSError, ValueError):  # of a name that no file can have
        return False


def _require_file(input: str, option: str) -> None:
    """Refuse an input that is no file."""
    from pointerjump.generators import is_spec

    if input == "-":
        raise TableError(f"-: tables are read from files: save standard input to one, or leave out {option}")
    if is_spec(input):
        raise TableError(f"{input}: a generator makes a graph, not a table: leave out {option}")
