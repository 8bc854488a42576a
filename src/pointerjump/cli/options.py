"""The options that several commands share, and what is checked of them as they are parsed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from pointerjump.cli import completion
from pointerjump.errors import FormatError
from pointerjump.memory import as_bytes

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

LABEL_FILES = ".npy, .csv or .tsv, also with .gz, .bz2, .xz or .zst after it"
OF_GRAPHS = ("ids", "vertices", "header", "columns", "format")
"""Options that say how the file of a graph is read."""

TABLE_FILES = ".parquet, .arrow, .feather, .ipc, .csv or .tsv"


# -- callbacks -------------------------------------------------------------------------------------


def _not_empty(
    context: click.Context, option: click.Parameter, value: str | tuple[str, ...] | None
) -> str | tuple[str, ...] | None:
    """Refuse an empty name, which is what a shell makes of a variable that is not set."""
    if not all(name.strip() for name in ((value,) if isinstance(value, str) else value or ())):
        raise click.BadParameter("it is empty: name one, or leave the option out", context, option)
    return value


def _not_nan(context: click.Context, option: click.Parameter, value: float) -> float:
    """Refuse what is not a number, which no comparison does."""
    if value != value:
        raise click.BadParameter("it is not a number", context, option)
    return value


def to_file(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Refuse ``-`` for a file to write: the format is told by the suffix, and standard output has none."""
    if value == "-":
        raise click.BadParameter(
            "- would be standard output, and this must go to a file: give a name with a suffix",
            context,
            parameter,
        )
    return value


def _two_columns(
    context: click.Context, option: click.Parameter, value: str | None
) -> tuple[str | int, ...] | None:
    """Return two columns, each as its name or as its number from 0."""
    if value is None:
        return None
    columns = [column.strip() for column in value.split(",")]
    if len(columns) != 2 or not all(columns):
        raise click.BadParameter(
            f"{value!r} is not two columns: write A,B, each a name or a number from 0", context, option
        )
    return tuple(_number_or_name(column) for column in columns)


def _number_or_name(column: str) -> str | int:
    """Return a column's number; digits that are too many for one are taken as a name."""
    return int(column) if column.isascii() and column.isdigit() and len(column) < 10 else column


def _amount_of_memory(context: click.Context, option: click.Parameter, value: str | None) -> int | None:
    """Return an amount of memory in bytes."""
    return None if value is None else as_bytes(value, "--memory", FormatError)


def _device_names(
    context: click.Context, option: click.Parameter, value: str | None
) -> list[str] | str | None:
    """Return ``"all"``, or the names of devices."""
    if value is None or value == "all":
        return value
    names = [name.strip() for name in value.split(",")]
    if not all(names):
        raise click.BadParameter(
            f"{value!r} names a device that is empty: write all, or NAME,NAME", context, option
        )
    return names


# -- options ---------------------------------------------------------------------------------------

input_argument = click.argument("input", metavar="INPUT", shell_complete=completion.specs_or_files)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
device_option = click.option(
    "--device",
    metavar="NAME",
    callback=_not_empty,
    shell_complete=completion.devices,
    help="Part of a device's or platform's name, or cpu, gpu, PYOPENCL_CTX syntax, or reference (serial "
    "Python). [default: the fastest that works]",
)
devices_option = click.option(
    "--devices",
    metavar="all|NAME,NAME",
    callback=_device_names,
    help="Several devices, which share the edges: all that work, or each named as for --device.",
)
algorithm_option = click.option(
    "--algorithm",
    default="auto",
    show_default=True,
    metavar="NAME",
    shell_complete=completion.algorithms,
    help="See `pointerjump algorithms`.",
)
variant_option = click.option(
    "--variant", default="", metavar="A=X,B=Y", help="The algorithm's variants, as in init=own,jump=none."
)
verify_option = click.option("--verify", "check", is_flag=True, help="Check the result; exit 1 if wrong.")
format_option = click.option("--format", metavar="NAME", help="The file's format, if not by suffix.")


checkpoint_option = click.option(
    "--checkpoint",
    metavar="FILE",
    callback=to_file,
    help="Keep what is done in this .npz file. If stopped, the same command goes on from there.",
)


def memory_option(help: str) -> Decorator:
    """Make the option that bounds the memory of a run."""
    return click.option("--memory", metavar="SIZE", callback=_amount_of_memory, help=help)


_streaming_options = (
    memory_option("Read the file block by block, and take at most so much memory, as in 2GiB."),
    checkpoint_option,
    click.option(
        "--checkpoint-every",
        metavar="SECONDS",
        type=click.FloatRange(0, 10**9),
        callback=_not_nan,
        default=60.0,
        show_default=True,
        help="How long after a checkpoint the next one is written.",
    ),
)


def with_options(command: Callable[..., Any], options: Sequence[Decorator]) -> Callable[..., Any]:
    """Add options to a command, in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def streaming_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for files that are read block by block."""
    return with_options(command, _streaming_options)


def output_option(*names: str, **settings: Any) -> Decorator:
    """Make an option that names a file to write."""
    return click.option(*names, type=click.Path(), callback=to_file, **settings)


_size_options = (
    click.option("--top", metavar="N", type=click.IntRange(1), help="Show the N largest components."),
    click.option("--histogram", is_flag=True, help="Show how many components there are of each size."),
)

_table_options = (
    click.option(
        "--source",
        metavar="COLUMN",
        callback=_not_empty,
        help="Tables of pairs: the column with one id of each pair. [default: by its name]",
    ),
    click.option(
        "--target",
        metavar="COLUMN",
        callback=_not_empty,
        help="Tables of pairs: the column with the other id.",
    ),
    click.option(
        "--group",
        multiple=True,
        metavar="COLUMN",
        callback=_not_empty,
        help="Tables of groups: the column with the group. Ids that share a group are together. If given "
        "several times, ids that share a group in any of these columns are together.",
    ),
    click.option(
        "--member", metavar="COLUMN", callback=_not_empty, help="Tables of groups: the column with the id."
    ),
    click.option(
        "--where",
        nargs=3,
        multiple=True,
        metavar="COLUMN OPERATOR VALUE",
        help="Tables: take only rows in which this holds, as in --where score '>=' 0.9 or --where score "
        "'is not' null. If given several times, all must hold.",
    ),
    click.option(
        "--nodes",
        metavar="FILE[:COLUMN]",
        callback=_not_empty,
        help="Tables: a table of ids, which are there even if no row of INPUT has them.",
    ),
    click.option("--sort", is_flag=True, help="Tables: write rows by component, and then by id."),
)


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for tables of pairs or groups."""
    return with_options(command, _table_options)


def size_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that show the sizes of components."""
    return with_options(command, _size_options)


_edge_list_options = (
    click.option(
        "--ids",
        type=click.Choice(["auto", "keep", "compact"]),
        default="auto",
        show_default=True,
        help="Edge lists: keep integer ids as vertex numbers, or renumber them.",
    ),
    click.option("--vertices", metavar="N", type=click.IntRange(0), help="Vertex count of an edge list."),
    click.option(
        "--header/--no-header",
        default=None,
        help="Text: whether the first line names the columns. If it does not, columns of a table are called "
        "0, 1, and so on. [default: for graphs by what it holds, for tables --header]",
    ),
    click.option(
        "--columns",
        callback=_two_columns,
        metavar="A,B",
        help="Edge lists: the columns that hold the ids, by name or by number from 0.",
    ),
)


def reading_options(format_option: Decorator) -> Decorator:
    """Add the options that say how a graph's file is read; a command takes them as ``**reading``."""
    return lambda command: with_options(command, (*_edge_list_options, format_option))
