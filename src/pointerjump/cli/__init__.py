"""The command line: ``pointerjump cc graph.mtx`` and the other commands.

Every command prints tables for people or, with ``--json``, one JSON document. Its exit code is 0 on success;
1 if a check failed; and 2, with one line on standard error, if the input is bad. After a signal, the exit
code is 128 plus the signal's number, as usual in shells: 130 for Ctrl-C.

    __init__     the group of commands, and the function that runs it
    solving      cc, rank, forest, mst, clusters, tree, bridges, blocks, label: their options
    files        convert, generate, draw, verify
    measuring    devices, algorithms, measure, bench

    commands     parts of commands: examples, options that several share, completion
    tasks        request, check, output and report of a command
    graphs       cc on a graph, read whole or block by block, forest and rank
    tables       cc on a table of ids, and how other commands read tables of pairs
    weighted     mst and clusters
    biconnectivity   bridges and blocks
    sizes        reports of components, for graphs and tables
    images       label
    steps        the steps of a command, and the report at the end
    terminal     tables on standard output, complaints on standard error

A command's module is imported when the command is named. NumPy, pyopencl and the modules from tasks on are
imported only when the command runs, so ``--help`` is quick.
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
    """All commands by name; a command is imported when it is looked up."""

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

    INPUT is a graph file (.egr .sg .gr .npz .npy .mtx .el .txt .csv .tsv .graph ..., also with .gz, .bz2, .xz
    or .zst after it), - for an edge list on standard input, or a generator spec such as
    urand:scale=20,degree=16,seed=1. The commands for components, bridges and clusters also take tables. Only
    `label` takes images.
    """
    if context.obj is None:
        context.obj = perf_counter()
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(BAD_INPUT)


def run(arguments: Sequence[str] | None = None, began: float | None = None) -> int:
    """Run the command line and return its exit code; every error becomes one line.

    By default, the arguments are those of this process. `began` is the time when the process began, by
    :func:`time.perf_counter`.
    """
    try:
        with warnings.catch_warnings():
            warnings.showwarning = show_warning
            # If a caller's filter turned a warning into an error, it would look like a bug in pointerjump.
            warnings.simplefilter("default", PointerjumpWarning)
            code = cli.main(arguments, "pointerjump", standalone_mode=False, obj=began)
        sys.stdout.flush()  # a full disk may show only now
    except click.exceptions.Abort as error:  # click's error for Ctrl-C
        raise KeyboardInterrupt from error
    except Exception as error:
        return complain_of(error)
    return code if isinstance(code, int) else 0
