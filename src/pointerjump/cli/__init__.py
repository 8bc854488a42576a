"""The command line, with commands such as ``pointerjump cc graph.mtx``.

Every command prints human-readable tables or, with ``--json``, a single JSON document. The exit code is 0 on
success, and 1 if a check failed. If the input is invalid, the exit code is 2, and one line on standard error
says why. After a signal, the exit code is 128 plus the number of the signal, as is usual in shells: for
example, 130 for Ctrl-C.

A command's module is imported only when the command is looked up. NumPy, pyopencl and the modules that solve
problems are imported only when the command runs, so ``--help`` is fast.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from time import perf_counter
from typing import Any, cast

import click

from pointerjump.cli.terminal import BAD_INPUT, complain_of, show_warning
from pointerjump.errors import PointerjumpWarning
from pointerjump.version import __version__

__all__ = ["cli", "run"]

MODULES = {  # the module of each command
    **dict.fromkeys(("cc", "rank", "forest", "mst", "clusters", "tree"), "solving"),
    **dict.fromkeys(("bridges", "blocks", "label"), "solving"),
    **dict.fromkeys(("verify", "update", "convert", "generate", "draw"), "files"),
    **dict.fromkeys(("devices", "algorithms", "measure", "bench"), "measuring"),
}


class Commands(Mapping[str, click.Command]):
    """A mapping from names to commands. Each command is imported when it is looked up."""

    def __getitem__(self, name: str) -> click.Command:
        found: click.Command = getattr(import_module(f"{__name__}.{MODULES[name]}"), name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)


@click.group(
    commands=cast(Any, Commands()),
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="pointerjump")
@click.pass_context
def cli(context: click.Context) -> None:
    """Connected components and list ranking by pointer jumping, on any OpenCL device.

    INPUT is a graph file (.egr .sg .gr .npz .npy .mtx .el .txt .csv .tsv .graph ..., optionally followed by
    .gz, .bz2, .xz or .zst), - for an edge list on standard input, or a generator spec such as
    urand:scale=20,degree=16,seed=1. The commands for components, bridges and clusters also accept tables.
    `label` reads an image instead of a graph.
    """
    if context.obj is None:
        context.obj = perf_counter()
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(BAD_INPUT)


def run(arguments: Sequence[str] | None = None, began: float | None = None) -> int:
    """Run the command line and return its exit code. Each error is printed as one line.

    `began` is the time at which the process started, as measured by :func:`time.perf_counter` (default: now).
    """
    try:
        with warnings.catch_warnings():
            warnings.showwarning = show_warning
            # If a caller's filter turned a warning into an error, it would look like a bug in pointerjump.
            warnings.simplefilter("default", PointerjumpWarning)
            code = cli.main(arguments, "pointerjump", standalone_mode=False, obj=began)
        sys.stdout.flush()  # a full disk may be noticed only now
    except click.exceptions.Abort as error:  # click's error for Ctrl-C
        raise KeyboardInterrupt from error
    except Exception as error:
        return complain_of(error)
    return code if isinstance(code, int) else 0
