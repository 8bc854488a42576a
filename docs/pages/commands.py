"""The page of the command line: the help of every command."""

from __future__ import annotations

import click

from pages.markdown import code
from pointerjump.cli import cli


def commands_page() -> str:
    """Return the help of every command."""
    parts = [
        "# Command line",
        "",
        "Every command exits with 0, 1 (a check failed) or 2 (bad input, one line on standard error).",
        "",
    ]
    with click.Context(cli, info_name="pointerjump") as root:
        for name, command in cli.commands.items():
            with click.Context(command, info_name=name, parent=root) as context:
                parts += [f"## {name}", "", code("text", command.get_help(context))]
    return "\n".join(parts)
