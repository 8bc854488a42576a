"""Building blocks of commands: examples, shared options and tab completion.

click calls the functions for tab completion while the user is typing, so they must not open devices or files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click
from click.shell_completion import CompletionItem

from pointerjump.base.memory import as_bytes
from pointerjump.errors import FormatError

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

LABEL_FILES = ".npy, .csv or .tsv, optionally followed by .gz, .bz2, .xz or .zst"
OF_GRAPHS = ("ids", "vertices", "header", "columns", "format")  # options for reading graph files

PROBLEMS = {  # the problem that a command solves; other commands accept the algorithms for all problems
    "cc": "components",
    "rank": "list-ranking",
    "mst": "minimum-spanning-forest",
    "clusters": "minimum-spanning-forest",
    "tree": "trees",
    "bridges": "bridges",
    "blocks": "biconnectivity",
    "label": "image-labelling",
}

# -- examples --------------------------------------------------------------------------------------


class Example:
    """Shell commands that can be run as is, either in an empty folder or after the earlier examples.

    `about` is a title, without the final colon. `exit_code` is the expected exit code of the last line. If an
    example takes more than a few seconds, `seconds` is its approximate time on two cores. Such an example is
    not run when the documentation is built.
    """

    def __init__(self, about: str, *lines: str, exit_code: int = 0, seconds: float = 0) -> None:
        self.about, self.lines, self.exit_code, self.seconds = about, lines, exit_code, seconds


class CommandWithExamples(click.Command):
    """A command that rejects repeated options, and whose help text ends with examples."""

    def __init__(self, *arguments: Any, examples: Iterable[Example] = (), **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.examples = tuple(examples)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. Reject repeated options, because click would silently use the last value."""
        if not ctx.resilient_parsing:
            given = self.make_parser(ctx).parse_args(list(args))[2]
            for each in given:
                idempotent = isinstance(each, click.Option) and each.is_flag and not each.secondary_opts
                if given.count(each) > 1 and not each.multiple and not idempotent:
                    raise click.UsageError(
                        f"{each.opts[-1]} is given {given.count(each)} times: give it once"
                    )
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        with formatter.section("Examples"):
            for each in self.examples:
                formatter.write_text(f"{each.about}:")
                formatter.indent()
                for line in each.lines:  # not wrapped, so that it can be copied
                    formatter.write(f"{'':{formatter.current_indent}}{line}\n")
                formatter.dedent()


def command(*examples: Example) -> Callable[[Callable[..., Any]], CommandWithExamples]:
    """Return a decorator that turns a function into a command with the given examples."""
    return click.command(cls=CommandWithExamples, examples=examples)


# -- completion ------------------------------------------------------------------------------------


def algorithms(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    from pointerjump.registry import ALGORITHMS

    problem = PROBLEMS.get(context.info_name or "")
    found = [(each.name, each.title) for each in ALGORITHMS.values() if problem in (None, each.problem)]
    return _beginning(begun, found if problem is None else [("auto", "leaves the choice to us"), *found])


def properties(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    from pointerjump.measure import PROPERTIES

    return _beginning(begun, ((each.name, each.title) for each in PROPERTIES))


def devices(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Complete device names that are known without opening a device."""
    names = (("cpu", "a processor"), ("gpu", "a graphics processor"), ("reference", "serial Python"))
    return _beginning(begun, names)


def specs(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Complete the names of generators and presets, and the parameters and values that follow a name."""
    from pointerjump.generators import GENERATORS, PRESETS

    name, colon, text = begun.partition(":")
    if not colon:
        named = [*((each.name, each.title) for each in GENERATORS), *((p.name, p.title) for p in PRESETS)]
        return _beginning(begun, named)
    meant = {preset.name: preset.spec.partition(":")[0] for preset in PRESETS}.get(name, name)
    before, comma, last = text.rpartition(",")
    found = []
    for parameter_of in next((each.parameters for each in GENERATORS if each.name == meant), ()):
        if f"{parameter_of.name}=" not in before:
            values = parameter_of.choices or ("",)
            found += [(f"{parameter_of.name}={value}", parameter_of.meaning) for value in values]
    return [
        CompletionItem(f"{name}:{before}{comma}{item.value}", help=item.help)
        for item in _beginning(last, found)
    ]


def specs_or_files(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Complete specs, and let the shell complete paths."""
    found = specs(context, parameter, begun) if begun else []
    return [CompletionItem(begun, type="file"), *found]


def _beginning(begun: str, found: Iterable[tuple[str, str]]) -> list[CompletionItem]:
    return [CompletionItem(name, help=about) for name, about in found if name.startswith(begun)]


# -- types of values -------------------------------------------------------------------------------


def a_name(value: str) -> str:
    """Reject an empty name, which a shell passes for a variable that is not set."""
    if not value.strip():
        raise click.BadParameter("it is empty: name one, or leave the option out")
    return value


class FileToWrite(click.Path):
    """The path of a file to write. ``-`` is rejected, because only a suffix can determine the format."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "-":
            self.fail("- would be standard output, and this must go to a file: give a name with a suffix")
        return super().convert(value, param, ctx)


def _columns(value: str) -> tuple[str | int, ...]:
    """Parse two or three columns. Each is a name or a position (0, 1, ...) with fewer than ten digits."""
    columns = [column.strip() for column in value.split(",")]
    if len(columns) not in (2, 3) or not all(columns):
        raise click.BadParameter(f"{value!r} is not two columns: write A,B, each a name or a number from 0")
    return tuple(int(c) if c.isascii() and c.isdigit() and len(c) < 10 else c for c in columns)


# -- options ---------------------------------------------------------------------------------------


def together(*each: Decorator) -> Decorator:

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(each):
            command = option(command)
        return command

    return add


def memory_option(help: str) -> Decorator:
    read = lambda value: as_bytes(value, "--memory", FormatError)  # noqa: E731
    return click.option("--memory", metavar="SIZE", type=read, help=help)


def output_option(*names: str, **settings: Any) -> Decorator:
    return click.option(*names, type=FileToWrite(), **settings)


input_argument = click.argument("input", metavar="INPUT", shell_complete=specs_or_files)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
device_option = click.option(
    "--device",
    metavar="NAME",
    type=a_name,
    shell_complete=devices,
    help="The device: cpu, gpu, part of a device's or platform's name, PYOPENCL_CTX syntax, or reference "
    "(serial Python). [default: the fastest device that works]",
)
algorithm_option = click.option(
    "--algorithm",
    default="auto",
    show_default=True,
    metavar="NAME",
    shell_complete=algorithms,
    help="See `pointerjump algorithms`.",
)
variant_option = click.option(
    "--variant", default="", metavar="A=X,B=Y", help="The algorithm's variant, such as init=own,jump=none."
)
run_options = together(algorithm_option, variant_option, device_option)
verify_option = click.option(
    "--verify", "check", is_flag=True, help="Check the result; exit with 1 if it is wrong."
)
format_option = click.option("--format", metavar="NAME", help="The file's format. [default: by its suffix]")
checkpoint_option = output_option(
    "--checkpoint",
    metavar="FILE",
    help="Save progress in this .npz file. If the run is stopped, the same command resumes it.",
)


def reading_options(format_option: Decorator) -> Decorator:
    return together(
        click.option(
            "--ids",
            type=click.Choice(["auto", "keep", "compact"]),
            default="auto",
            show_default=True,
            help="Edge lists: keep integer ids as vertex numbers, or renumber them.",
        ),
        click.option(
            "--vertices", metavar="N", type=click.IntRange(0), help="Edge lists: the number of vertices."
        ),
        click.option(
            "--header/--no-header",
            default=None,
            help="Text files: whether the first line contains column names. If not, the columns of a table "
            "are named 0, 1 and so on. [default: detected for graphs, --header for tables]",
        ),
        click.option(
            "--columns",
            type=_columns,
            metavar="A,B",
            help="Edge lists: the columns with the ids, by name or by number from 0. For Parquet and Arrow "
            "tables with weights: A,B,WEIGHT.",
        ),
        format_option,
    )


file_options = together(reading_options(format_option), json_option)


def require_unused(options: dict[str, Any], subject: str, but: str = "") -> None:
    """Reject options for graph files, because they would be ignored. The option `but` is allowed."""
    for option in click.get_current_context().command.params:
        name = option.name or ""
        if name != but and options.get(name) not in (None, "auto"):
            raise click.UsageError(f"{subject}: {option.opts[0]} is for graphs in files: leave it out")
