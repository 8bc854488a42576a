"""The options of ``cc`` that are about tables: what they ask for, and whether that makes sense."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import click

from pointerjump.cli.reading import Source, title_of
from pointerjump.cli.streaming import StreamOptions
from pointerjump.errors import TableError
from pointerjump.tables.suffixes import FORMATS


@dataclass(frozen=True)
class TableOptions:
    """What a user asks of a table.

    Attributes
    ----------
    source, target, member : str or None
        Columns.
    group : tuple of str
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
    group: tuple[str, ...]
    member: str | None
    where: tuple[tuple[str, str, str], ...]
    nodes: str | None
    sort: bool

    def first(self) -> str | None:
        """Return an option that is given, or None if none is."""
        return next((f"--{name}" for name, value in vars(self).items() if value), None)

    def mean_a_table(self, input: Source, for_graphs: Iterable[object]) -> bool:
        """Return whether a table is to be read, and not a graph, given the options that only graphs have.

        Options for either decide. Else the input does: it is a table if its columns have names of pairs.
        """
        from pointerjump.tables.files import hold_pairs

        if self.first() is not None:
            return True
        return all(value in (None, "auto") for value in for_graphs) and hold_pairs(input)

    def require_sense(self, input: Source, output: str | None, asked: StreamOptions) -> None:
        """Refuse what does not go together, before anything is read."""
        if (self.group or self.member) and (self.source or self.target):
            raise click.UsageError(
                "columns of groups and columns of pairs are both given: leave out --group and --member, or "
                "--source and --target"
            )
        from pointerjump.formats.files import base_suffix
        from pointerjump.generators import is_spec

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
                    f"{self.first()}"
                )
        if isinstance(input, str) and is_spec(input):
            raise TableError(f"{input}: a generator makes a graph, not a table: leave out {self.first()}")
        if output is not None and self.first() is None and base_suffix(Path(output)) not in FORMATS:
            raise click.UsageError(
                f"{title_of(input)} is a table, as its columns have names of pairs: write .parquet or .csv, "
                f"or give --columns A,B to read a graph and write its labels to {output}"
            )

    def nodes_as_given(self) -> str | tuple[str, str] | None:
        """Return what ``--nodes FILE`` or ``--nodes FILE:COLUMN`` names, as ``components`` takes it."""
        if self.nodes is None or ":" not in self.nodes or Path(self.nodes).exists():
            return self.nodes
        path, _, column = self.nodes.rpartition(":")
        return path, column
