"""The command line: ``pointerjump cc graph.mtx`` and its sisters.

Every command prints tables for people or, with ``--json``, one JSON document. It exits with 0, with 1 if a
check failed, or with 2 and one line on standard error if its input is bad. A signal ends it with 128 plus
the signal's number, as is the custom in shells: 130 for Ctrl-C.

    __init__     the group of commands, and the function that runs it
    components   cc                                 lists       rank, forest
    images       label                              verifying   verify
    files        convert, generate                  listings    devices, algorithms
    drawing      draw                               measuring   measure, bench

    tasks        what they have in common: read, run, check, write, report
    blocks       cc on a file that is read block by block
    tables       cc on a table of ids
    sizes        the largest components, and how many there are of each size
    image_options  the options of label             options      the options that commands share
    steps       what a command does, one thing after another
    reading      the input                          complaints  what is wrong, in one line
    report       what it found, and its exit code   terminal    the two consoles, and tables
    examples     at the end of each command's help  completion  what the Tab key offers

Nothing here imports NumPy or pyopencl before a command needs it, so that ``--help`` is quick.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from time import perf_counter

import click

from pointerjump.cli.complaints import BAD_INPUT, complain_of, show_warning
from pointerjump.cli.components import cc
from pointerjump.cli.drawing import draw
from pointerjump.cli.files import convert, generate
from pointerjump.cli.images import label
from pointerjump.cli.listings import algorithms, devices
from pointerjump.cli.lists import forest, rank
from pointerjump.cli.measuring import bench, measure
from pointerjump.cli.verifying import verify
from pointerjump.errors import PointerjumpWarning
from pointerjump.version import __version__

__all__ = ["cli", "run"]

COMMANDS = (cc, rank, forest, label, verify, convert, generate, devices, algorithms, measure, draw, bench)


@click.group(
    commands=COMMANDS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="pointerjump")
@click.pass_context
def cli(context: click.Context) -> None:
    """Connected components and list ranking by pointer jumping, on any OpenCL device.

    INPUT is a graph file (.egr .sg .gr .npz .npy .mtx .el .txt .csv .tsv .graph ..., also with .gz, .bz2,
    .xz or .zst after it), - for an edge list on standard input, or a generator spec such as
    urand:scale=20,degree=16,seed=1. Only `label` takes images.
    """
    if context.obj is None:
        context.obj = perf_counter()
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(BAD_INPUT)


def run(arguments: Sequence[str] | None = None, began: float | None = None) -> int:
    """Run the command line and return its exit code; every error becomes one line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Default: those of this process.
    began : float, optional
        When the command began, by :func:`time.perf_counter`. Default: now.
    """
    try:
        with warnings.catch_warnings():
            warnings.showwarning = show_warning
            # Filters from outside must not turn a warning into an error: it would look like a bug of ours.
            warnings.simplefilter("default", PointerjumpWarning)
            code = cli.main(arguments, "pointerjump", standalone_mode=False, obj=began)
        sys.stdout.flush()  # a full disk may show only now
    except click.exceptions.Abort as error:  # what click makes of Ctrl-C
        raise KeyboardInterrupt from error
    except Exception as error:
        return complain_of(error)
    return code if isinstance(code, int) else 0
