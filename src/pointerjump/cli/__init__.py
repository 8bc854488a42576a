"""The command line: ``pointerjump cc graph.mtx`` and its sisters.

Every command prints tables for people or, with ``--json``, one JSON document. It exits with 0, with 1 if a
check failed, or with 2 and one line on standard error if its input is bad. A signal ends it with 128 plus
the signal's number, as shells have it: 130 for Ctrl-C.
"""

from __future__ import annotations

import json
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from rich import progress as bars
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pointerjump.errors import FormatError, PointerjumpError, PointerjumpWarning, VerificationError
from pointerjump.progress import Progress
from pointerjump.version import __version__

if TYPE_CHECKING:
    from pointerjump.registry import Problem

FAILED, BAD_INPUT = 1, 2
LARGEST_SHOWN = 5

# Names of files and devices may hold what rich takes for its markup. Without a terminal rich assumes 80
# columns, too few for a table that goes to a file or a log.
out = Console(markup=False, emoji=False, highlight=False, width=None if sys.stdout.isatty() else 140)
err = Console(markup=False, emoji=False, highlight=False, stderr=True)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; every error becomes one line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Default: those of this process.
    """
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            # Whatever filters are set outside: as errors they would look like bugs of ours.
            warnings.simplefilter("default", PointerjumpWarning)
            code = cli.main(arguments, "pointerjump", standalone_mode=False)
        sys.stdout.flush()  # a full disk may show only now
    except click.exceptions.Abort as error:  # what click makes of Ctrl-C
        raise KeyboardInterrupt from error
    except click.ClickException as error:
        _complain(error.format_message())
        return BAD_INPUT
    except VerificationError as error:
        _complain(str(error))
        return FAILED
    except PointerjumpError as error:
        _complain(str(error))
        return BAD_INPUT
    except MemoryError as error:
        _complain(
            f"out of memory: {error or 'the graph does not fit'}; use a machine with more, or a smaller graph"
        )
        return BAD_INPUT
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        _complain(_fault(error))
        return BAD_INPUT
    return code if isinstance(code, int) else 0


def _fault(error: Exception) -> str:
    """Say that an error is ours: exit code 1, Python's own, would say that a check has failed."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return (
        f"this is a bug in pointerjump, please report it: {type(error).__name__}: {error} "
        f"({Path(place.filename).name}, line {place.lineno}; `python -X dev -m pointerjump` shows more)"
    )


def _complain(message: str) -> None:
    print(f"pointerjump: {_printable(' '.join(message.split()))}", file=sys.stderr)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _complain(f"warning: {message}")


def _printable(text: str) -> str:
    """Return a text with escapes for control characters, which names of files may hold."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


# -- options and steps that commands share ---------------------------------------------------------


def _not_empty(context: click.Context, option: click.Parameter, value: str | None) -> str | None:
    """Refuse what a shell makes of a variable that is not set."""
    if value is not None and not value.strip():
        raise click.BadParameter("it is empty: name one, or leave the option out", context, option)
    return value


def _a_file(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Refuse what stands for standard output elsewhere."""
    if value == "-":
        raise click.BadParameter(
            "it names a file, and - is none: give a name with a suffix", context, parameter
        )
    return value


def _two_columns(context: click.Context, option: click.Parameter, value: str | None) -> Any:
    """Return two columns, each as its name or as its number from 0."""
    if value is None:
        return None
    columns = [column.strip() for column in value.split(",")]
    if len(columns) != 2 or not all(columns):
        raise click.BadParameter(
            f"{value!r} is not two columns: write A,B, names or numbers from 0", context, option
        )
    return tuple(int(c) if c.isascii() and c.isdigit() and len(c) < 10 else c for c in columns)


_LABEL_FILES = ".npy, .csv or .tsv, also with .gz, .bz2, .xz or .zst after it"

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
device_option = click.option(
    "--device",
    metavar="NAME",
    callback=_not_empty,
    help="A part of a device's or platform's name, cpu, gpu, PYOPENCL_CTX syntax, or reference (serial "
    "Python). [default: the fastest that works]",
)
algorithm_option = click.option(
    "--algorithm", default="auto", show_default=True, metavar="NAME", help="See `pointerjump algorithms`."
)
variant_option = click.option(
    "--variant", default="", metavar="A=X,B=Y", help="The algorithm's variants, as in init=own,jump=none."
)
verify_option = click.option("--verify", "check", is_flag=True, help="Check the result; exit 1 if wrong.")
format_option = click.option("--format", metavar="NAME", help="The file's format, if not by suffix.")


def output_option(*names: str, **settings: Any) -> Callable[..., Any]:
    """Make an option that names a file to write."""
    return click.option(*names, type=click.Path(), callback=_a_file, **settings)


_edge_list_options = (
    click.option(
        "--ids",
        type=click.Choice(["auto", "keep", "compact"]),
        default="auto",
        show_default=True,
        help="Edge lists: keep integer ids as vertex numbers, or renumber them.",
    ),
    click.option("--vertices", type=click.IntRange(0), help="Vertex count of an edge list."),
    click.option(
        "--header/--no-header",
        default=None,
        help="Edge lists: whether the first line names the columns. [default: by what it holds]",
    ),
    click.option(
        "--columns",
        callback=_two_columns,
        metavar="A,B",
        help="Edge lists: the columns that hold the ids, by name or by number from 0.",
    ),
)


def reading_options(format_option: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how a graph's file is read; a command takes them as ``**reading``."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed((*_edge_list_options, format_option)):
            command = option(command)
        return command

    return add


class _Steps:
    """The steps of a command: a bar for those who watch, and what the report says of them.

    Attributes
    ----------
    seconds : dict
        What each step took.
    warnings : list of str
        What was warned of.
    checked : bool
        Whether the result was checked.
    why_not : str or None
        What is wrong with the result, if the check found something.
    written : str or None
        The file that holds the result.
    """

    def __init__(self, progress: bars.Progress) -> None:
        self.seconds: dict[str, float] = {}
        self.warnings: list[str] = []
        self.checked = False
        self.why_not: str | None = None
        self.written: str | None = None
        self._progress = progress
        self._task = progress.add_task("", total=None, share="")

    def begin(self, name: str) -> None:
        """Show that a step begins; its bar only pulses until a share of it is known."""
        self._progress.reset(self._task, total=None, description=name, share="")

    def show(self, share: float) -> None:
        """Show what share of the step, 0 to 1, is done."""
        self._progress.update(self._task, total=1.0, completed=share, share=f"{share:4.0%}", refresh=True)

    @contextmanager
    def timed(self, name: str, key: str) -> Iterator[None]:
        """Begin a step, and keep the time it takes as ``seconds[key]``."""
        self.begin(name)
        started = perf_counter()
        yield
        self.seconds[key] = perf_counter() - started

    def warn(self, message: Warning | str, *details: Any, **more: Any) -> None:
        """Show a warning, and keep it for the report."""
        self.warnings.append(str(message))
        _show_warning(message, *details, **more)

    def check(self, verify: Callable[[], None], names: Sequence[object] | None = None) -> None:
        """Check the result; `names` are what the input calls its vertices."""
        self.checked = True
        with self.timed("verifying", "verify"):
            try:
                verify()
            except VerificationError as error:
                self.why_not = _with_names(error, names)

    def write(self, output: str | None, write: Callable[[str], None]) -> None:
        """Write the result where it is wanted, unless it is wrong."""
        if output is None or self.why_not is not None:
            return
        with self.timed("writing", "write"):
            write(output)
        self.written = output


def _with_names(error: VerificationError, names: Sequence[object] | None) -> str:
    """Return a verifier's message with what the input calls the vertices in it."""
    if names is None:
        return str(error)
    known = [f"vertex {v} is {str(names[v])!r}" for v in error.vertices if 0 <= v < len(names)]
    return f"{error} ({', '.join(known)})" if known else str(error)


@contextmanager
def _steps() -> Iterator[_Steps]:
    """Yield the steps of a command; in the end ``seconds["total"]`` is the time of all of it."""
    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.TextColumn("{task.fields[share]}"),
        bars.TimeElapsedColumn(),
    )
    watched = out.is_terminal and err.is_terminal
    started = perf_counter()
    with (
        bars.Progress(*columns, console=err, transient=True, disable=not watched) as bar,
        warnings.catch_warnings(),
    ):
        steps = _Steps(bar)
        warnings.showwarning = steps.warn
        yield steps
    steps.seconds["total"] = perf_counter() - started


def _load(text: str, progress: Progress, reading: dict[str, Any]) -> Any:
    """Read a file, standard input or a generator spec as the options say."""
    from pointerjump.generators import is_spec
    from pointerjump.inputs import read_or_generate

    if is_spec(text):
        _require_unused(reading, text, but="vertices")
    if text == "-":
        text, reading = _standard_input(), {**reading, "format": reading["format"] or "edges"}
    return read_or_generate(text, progress=progress, **reading)


def _load_list(text: str, progress: Progress) -> Any:
    """Read a file, standard input or a generator spec, of linked lists."""
    from pointerjump.inputs import read_or_generate_list

    return read_or_generate_list(_standard_input() if text == "-" else text, progress=progress)


def _standard_input() -> str:
    from pointerjump.formats.files import STANDARD_INPUT

    if not STANDARD_INPUT.exists():
        raise FormatError(f"-: standard input cannot be read here, there is no {STANDARD_INPUT}: name a file")
    return str(STANDARD_INPUT)


def _require_choices(problem: Problem, algorithm: str, choices: dict[str, str], device: str | None) -> None:
    """Refuse an algorithm, a variant or a device that is not there, before a large file is read for it."""
    from pointerjump.registry import find_algorithm

    row = find_algorithm(algorithm, problem)
    if device == "reference":
        row.variant("reference", choices)
        return
    from pointerjump.accel.runtime.session import session_for

    row.load("kernels")
    session = session_for(device)
    if (problem, algorithm) != ("components", "auto"):
        session.variant(row, choices)
        return
    tuning = session.launcher.tuning  # which of the two it will be depends on the graph
    rows = [find_algorithm(name, problem) for name, _ in (tuning.auto_dense, tuning.auto_sparse)]
    known = {axis.name for row in rows for axis in row.axes_of("kernels")}
    if not known.issuperset(choices):
        session.variant(rows[0], choices)


def _require_unused(options: dict[str, Any], subject: str, but: str = "") -> None:
    """Refuse options that would change nothing."""
    for option in click.get_current_context().command.params:
        name = option.name or ""
        if name != but and options.get(name) not in (None, "auto"):
            raise click.UsageError(f"{subject}: {option.opts[0]} is for graphs in files: leave it out")


def _answer_of_run(
    steps: _Steps,
    as_json: bool,
    input: str,
    found: dict[str, Any],
    rows: list[tuple[str, str]],
    facts: dict[str, Any],
    *,
    result: str,
    right: str,
) -> None:
    """Print what a run of an algorithm found.

    Parameters
    ----------
    found, rows
        The beginning of the report, for programs and for people.
    facts
        About the run, as in ``Components.stats``.
    result, right
        What the result is called, and what is said of it if it was checked.
    """
    rows = [
        *rows,
        ("algorithm", _algorithm(facts)),
        ("device", f"{facts['device']} ({facts['platform']})"),
        ("time", _times(steps.seconds)),
        ("verified", f"yes: {right}" if steps.checked else "not asked for (--verify)"),
    ]
    if steps.written is not None:
        rows.append((result, f"written to {steps.written}"))
    report = {"input": input, **found, **facts, "output": steps.written, "seconds": steps.seconds}
    _answer(steps, as_json, report, input, rows)


def _answer(
    steps: _Steps, as_json: bool, report: dict[str, Any], title: str, rows: list[tuple[str, str]]
) -> None:
    """Print what was found, and exit with code 1 if the check of it failed."""
    why_not = steps.why_not
    if as_json:
        verdict = {"verified": steps.checked and why_not is None, "why_not": why_not}
        _print_json({**report, **verdict, "warnings": steps.warnings})
    elif why_not is not None:
        raise VerificationError(why_not)
    else:
        _table(title, rows)
    if why_not is not None:
        raise click.exceptions.Exit(FAILED)


def _table(title: str | None, rows: list[tuple[str, str]]) -> None:
    table = Table(show_header=False, title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.title = _printable(title) if title else None
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, _printable(value))
    out.print(table)


def _with_note(text: str, note: str) -> Text:
    return Text.assemble(text, "\n", (note, "dim"))


def _print_json(document: Any) -> None:
    print(json.dumps(document, indent=2))


def _algorithm(facts: dict[str, Any]) -> str:
    return " ".join([facts["algorithm"], *facts["variant"].split(",")]).strip()


def _times(seconds: dict[str, float]) -> str:
    return ", ".join(f"{phase} {_time(spent)}" for phase, spent in seconds.items())


def _time(spent: float) -> str:
    return f"{spent:.2f} s" if spent >= 1 else f"{spent * 1000:.1f} ms"


# -- commands --------------------------------------------------------------------------------------


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pointerjump")
@click.pass_context
def cli(context: click.Context) -> None:
    """Connected components and list ranking by pointer jumping, on any OpenCL device.

    INPUT is a graph file (.egr .sg .gr .npz .npy .mtx .el .txt .csv .tsv .graph ..., also with .gz, .bz2,
    .xz or .zst after it), - for an edge list on standard input, or a generator spec such as
    urand:scale=20,degree=16,seed=1.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(BAD_INPUT)


@cli.command()
@click.argument("input", metavar="INPUT")
@algorithm_option
@variant_option
@device_option
@click.option(
    "--labels",
    type=click.Choice(["consecutive", "representative"]),
    default="consecutive",
    show_default=True,
    help="Number components from 0, or name them by their smallest vertex.",
)
@output_option("-o", "--output", help=f"Write labels: {_LABEL_FILES}.")
@verify_option
@reading_options(format_option)
@json_option
def cc(
    input: str,
    algorithm: str,
    variant: str,
    device: str | None,
    labels: str,
    output: str | None,
    check: bool,
    as_json: bool,
    **reading: Any,
) -> None:
    """Find the connected components of a graph."""
    from pointerjump.face import components
    from pointerjump.formats import require_label_file, write_labels
    from pointerjump.registry import parse_variant
    from pointerjump.verifier import verify

    choices = parse_variant(variant)
    if output is not None:
        require_label_file(output)
    with _steps() as steps:
        _require_choices("components", algorithm, choices, device)
        with steps.timed("reading", "read"):
            graph = _load(input, steps.show, reading)
        steps.begin("finding components")
        found = components(graph, algorithm, device, labels, **choices)  # type: ignore[arg-type]
        steps.seconds |= found.stats.pop("seconds")
        if check:
            steps.check(lambda: verify(graph, found.labels, progress=steps.show), graph.names)
        steps.write(output, lambda path: write_labels(path, found.labels, graph.names))
    sizes = found.sizes
    report = {
        "vertices": graph.vertices,
        "edges": graph.edges,
        "records": graph.records,
        "components": found.count,
        "largest": int(sizes.max(initial=0)),
        "isolated": int(np.count_nonzero(sizes == 1)),
    }
    top = np.sort(sizes)[::-1][:LARGEST_SHOWN]
    more = ", ..." if len(sizes) > LARGEST_SHOWN else ""
    rows = [
        ("components", f"{found.count:,}"),
        ("largest", ", ".join(f"{size:,}" for size in top) + more if len(top) else "none"),
        ("isolated", f"{report['isolated']:,} vertices"),
        ("graph", f"{graph.vertices:,} vertices, {graph.edges:,} undirected edges"),
    ]
    right = "the labels are right"
    _answer_of_run(steps, as_json, input, report, rows, found.stats, result="labels", right=right)


@cli.command()
@click.argument("input", metavar="INPUT")
@algorithm_option
@variant_option
@device_option
@output_option("-o", "--output", help=f"Write ranks: {_LABEL_FILES}.")
@verify_option
@json_option
def rank(
    input: str,
    algorithm: str,
    variant: str,
    device: str | None,
    output: str | None,
    check: bool,
    as_json: bool,
) -> None:
    """Rank linked lists: each element's distance to the last element of its list.

    INPUT is a successor array (.npy, or text with one position a line), - for such text on standard
    input, or a spec such as list:length=1000000,seed=1.
    """
    from pointerjump.face import rank_lists
    from pointerjump.formats import require_label_file, write_labels
    from pointerjump.registry import parse_variant
    from pointerjump.verifier import verify_ranks

    choices = parse_variant(variant)
    if output is not None:
        require_label_file(output)
    with _steps() as steps:
        _require_choices("list-ranking", algorithm, choices, device)
        with steps.timed("reading", "read"):
            successors = _load_list(input, steps.show)
        steps.begin("ranking")
        ranks, facts = rank_lists(successors, algorithm, device, **choices)
        steps.seconds |= facts.pop("seconds")
        if check:
            steps.check(lambda: verify_ranks(successors, ranks))
        steps.write(output, lambda path: write_labels(path, ranks))
    lists = int(np.count_nonzero(successors == np.arange(len(successors))))
    longest = int(ranks.max(initial=-1)) + 1
    report = {
        "elements": len(ranks),
        "lists": lists,
        "longest": longest,
    }
    rows = [
        ("elements", f"{len(ranks):,}"),
        ("lists", f"{lists:,}, the longest of {longest:,} elements"),
    ]
    right = "the ranks are right"
    _answer_of_run(steps, as_json, input, report, rows, facts, result="ranks", right=right)


@cli.command()
@click.argument("input", metavar="INPUT")
@variant_option
@device_option
@output_option("-o", "--output", help="Write the forest's edges as a graph file.")
@verify_option
@reading_options(format_option)
@json_option
def forest(
    input: str,
    variant: str,
    device: str | None,
    output: str | None,
    check: bool,
    as_json: bool,
    **reading: Any,
) -> None:
    """Find a spanning forest of a graph."""
    from pointerjump.face import find_forest
    from pointerjump.formats import require_graph_file, write
    from pointerjump.graph import Graph
    from pointerjump.registry import parse_variant
    from pointerjump.verifier import verify_forest

    choices: dict[str, Any] = {**parse_variant(variant)}
    if output is not None:
        require_graph_file(output)
    with _steps() as steps:
        _require_choices("spanning-forest", "auto", choices, device)
        with steps.timed("reading", "read"):
            graph = _load(input, steps.show, reading)
        steps.begin("finding a forest")
        edges, facts = find_forest(graph, device=device, **choices)
        steps.seconds |= facts.pop("seconds")
        if check:
            steps.check(lambda: verify_forest(graph, edges), graph.names)
        steps.write(
            output,
            lambda path: write(Graph.from_edges(edges, vertices=graph.vertices, names=graph.names), path),
        )
    report = {
        "vertices": graph.vertices,
        "edges": graph.edges,
        "forest": len(edges),
        "components": graph.vertices - len(edges),
    }
    rows = [
        ("forest", f"{len(edges):,} of {graph.edges:,} undirected edges"),
        ("components", f"{report['components']:,}"),
    ]
    right = "it is a spanning forest"
    _answer_of_run(steps, as_json, input, report, rows, facts, result="forest's edges", right=right)


@cli.command()
@json_option
def devices(as_json: bool) -> None:
    """List every OpenCL device, what it can do and whether it works."""
    from pointerjump.accel.runtime.devices import devices as find_devices
    from pointerjump.accel.runtime.icd import how_to_install

    found = find_devices()
    if as_json:
        _print_json([device.as_dict() for device in found])
    elif found:
        table = Table(title="OpenCL devices", title_justify="left")
        for column in ("works", "device", "type", "OpenCL C", "units", "memory", "largest buffer", "has"):
            table.add_column(column, overflow="fold")
        for device in found:
            abilities = {
                "int64 atomics": device.int64_atomics,
                "relaxed atomics": device.relaxed_atomics,
                "sub-groups": device.subgroups,
                "host memory": device.host_memory,
            }
            table.add_row(
                "yes" if device.works else f"no: {device.why_not}",
                _with_note(device.device, device.platform),
                device.type,
                device.version.removeprefix("OpenCL C "),
                str(device.compute_units),
                f"{device.memory / 2**30:.1f} GiB",
                f"{device.max_allocation / 2**30:.1f} GiB",
                ", ".join(name for name, there in abilities.items() if there),
            )
        out.print(table)
    if not any(device.works for device in found):
        _complain(f"no usable OpenCL device: {how_to_install()}")
        raise click.exceptions.Exit(FAILED)


@cli.command()
@json_option
def algorithms(as_json: bool) -> None:
    """List every algorithm with its paper and variants."""
    from pointerjump.registry import algorithms as rows

    if as_json:
        _print_json([row.as_dict() for row in rows()])
        return
    table = Table(title="Algorithms", title_justify="left", show_lines=True)
    for column in ("name", "title and paper", "variants (default first)", "reference", "kernels"):
        table.add_column(column, overflow="fold")
    for row in rows():
        variants = "\n".join(
            f"{axis.name}={'|'.join(str(value).lower() for value in axis.values)}" for axis in row.axes
        )
        table.add_row(
            row.name,
            _with_note(row.title, row.paper),
            variants,
            "yes" if row.reference else "",
            "yes" if row.kernels else "",
        )
    out.print(table)


@cli.command()
@click.argument("spec", metavar="SPEC")
@output_option("-o", "--output", required=True, help="The file to write.")
@format_option
@json_option
def generate(spec: str, output: str, format: str | None, as_json: bool) -> None:
    """Generate a graph, or a linked list, and write it to a file.

    SPEC is a generator with its parameters, such as kron:scale=20,degree=16,seed=1.
    """
    from pointerjump.formats import require_graph_file, require_writable, write, write_successors
    from pointerjump.generators import generate_graph, generate_list, makes_graph

    if makes_graph(spec):
        require_graph_file(output, format)
        with _steps() as steps:
            steps.begin("generating")
            graph = generate_graph(spec)
            steps.begin("writing")
            write(graph, output, format=format)
        facts: dict[str, int] = {"vertices": graph.vertices, "edges": graph.edges}
    else:
        _require_unused({"format": format}, spec)
        require_writable(output)
        with _steps() as steps:
            steps.begin("generating")
            successors = generate_list(spec)
            steps.begin("writing")
            write_successors(output, successors)
        facts = {"elements": len(successors)}
    _report_file(spec, output, facts, steps, as_json)


@cli.command()
@click.argument("input", metavar="IN")
@click.argument("output", metavar="OUT", callback=_a_file)
@reading_options(click.option("--from", "format", metavar="NAME", help="IN's format, if not by suffix."))
@click.option("--to", metavar="NAME", help="OUT's format, if not by suffix.")
@json_option
def convert(input: str, output: str, to: str | None, as_json: bool, **reading: Any) -> None:
    """Read a graph in one format and write it in another."""
    from pointerjump.formats import require_graph_file, write

    require_graph_file(output, to)
    with _steps() as steps:
        steps.begin("reading")
        graph = _load(input, steps.show, reading)
        steps.begin("writing")
        write(graph, output, format=to)
    _report_file(input, output, {"vertices": graph.vertices, "edges": graph.edges}, steps, as_json)


def _report_file(source: str, output: str, facts: dict[str, int], steps: _Steps, as_json: bool) -> None:
    size = Path(output).stat().st_size
    if as_json:
        _print_json({"input": source, "output": output, **facts, "bytes": size, "warnings": steps.warnings})
        return
    counts = ", ".join(f"{count:,} {what}" for what, count in facts.items())
    _table(
        source, [("graph" if "edges" in facts else "list", counts), ("written", f"{output}, {size:,} bytes")]
    )


@cli.command()
@click.argument("input", metavar="INPUT")
@click.argument("labels", metavar="LABELS")
@click.option("--ranks", is_flag=True, help="INPUT is a successor array and LABELS are ranks.")
@reading_options(format_option)
@json_option
def verify(input: str, labels: str, ranks: bool, as_json: bool, **reading: Any) -> None:
    """Check labels, as `cc -o` writes them, against the graph; exit 1 if they are wrong.

    Lines of a .csv or .tsv are matched with vertices by the ids they begin with, in any order; a .npy has
    labels alone, in vertex order.
    """
    from pointerjump import verifier
    from pointerjump.formats import read_labels

    if ranks:
        _require_unused(reading, "--ranks")
    with _steps() as steps:
        steps.begin("reading")
        if ranks:
            successors = _load_list(input, steps.show)
            steps.begin("reading ranks")
            values = read_labels(labels, np.arange(len(successors)), progress=steps.show)
            steps.check(lambda: verifier.verify_ranks(successors, values))
        else:
            graph = _load(input, steps.show, reading)
            names = np.arange(graph.vertices) if graph.names is None else graph.names
            steps.begin("reading labels")
            values = read_labels(labels, names, progress=steps.show)
            steps.check(partial(verifier.verify, graph, values, progress=steps.show), graph.names)
    report = {"input": input, "labels": labels}
    _answer(steps, as_json, report, "", [("verified", f"yes: {labels} is right for {input}")])


@cli.command()
@device_option
@click.option(
    "--set",
    "size",
    type=click.Choice(["quick", "standard", "full"]),
    default="quick",
    show_default=True,
    help="How large the graphs are; quick takes about a minute on 2 cores.",
)
@click.option("--charts", metavar="NAME,...", help="Only these charts. [default: all]")
@click.option("--graphs", multiple=True, metavar="SPEC_OR_FILE", help="Your own graphs; may be repeated.")
@click.option("--rounds", type=click.IntRange(1), help="How often to measure. [default: by set, 5 or 9]")
@output_option("-o", "--output", default="report.html", show_default=True, help="The page.")
@output_option("--data", "data_file", metavar="FILE", help="Also write the data, as JSON.")
@json_option
def bench(
    device: str | None,
    size: str,
    charts: str | None,
    graphs: tuple[str, ...],
    rounds: int | None,
    output: str,
    data_file: str | None,
    as_json: bool,
) -> None:
    """Measure on your device, beside other programs, and write a page with charts."""
    from pointerjump.accel.runtime.session import session_for
    from pointerjump.bench import report, suite
    from pointerjump.bench.catalogue import choose_charts
    from pointerjump.formats import write_text

    report.require(output, *([] if data_file is None else [data_file]))
    chosen = choose_charts(charts)
    work = suite.workload(size, graphs, rounds)
    names = suite.steps(work, chosen)
    with _steps() as steps:

        def begin(name: str) -> None:
            steps.begin(name)
            steps.show(names.index(name) / len(names))

        data = report.data(suite.run(session_for(device), work, chosen, begin), chosen)
        steps.begin("writing")
        write_text(output, report.render(data, chosen))
        if data_file is not None:
            write_text(data_file, json.dumps(data, indent=1))
    if as_json:
        _print_json(data)
        return
    _table(
        f"{len(chosen)} charts",
        [
            ("device", f"{data['device']['device']} ({data['device']['platform']})"),
            ("verified", "yes: every answer, before it was timed"),
            ("written", ", ".join(filter(None, (output, data_file)))),
        ],
    )


@cli.command()
@click.argument("property", metavar="[PROPERTY]", required=False)
@click.argument("inputs", metavar="[INPUT]...", nargs=-1)
@output_option("-o", "--output", help="Also write the table: .json or .csv.")
@output_option("--plot", metavar="FILE", help="Also draw the figure: .svg, .png or .pdf.")
@json_option
def measure(
    property: str | None, inputs: tuple[str, ...], output: str | None, plot: str | None, as_json: bool
) -> None:
    """Measure a property that the papers measured, by counting what the references do.

    Without PROPERTY, list them. INPUT is a file or a spec, a graph's or (for properties of lists) a list's;
    references are serial Python: up to about a million edges are bearable.
    """
    from pointerjump import measure as measuring
    from pointerjump.formats import require_writable, write_text
    from pointerjump.formats.files import naming

    if property is None:
        _list_properties(as_json)
        return
    row = measuring.find_property(property)
    if output is not None:
        require_writable(output)
        if Path(output).suffix not in (".json", ".csv"):
            raise FormatError(f"{output}: tables are written as .json or .csv, by the name's suffix")
    if plot is not None:
        require_writable(plot)
        measuring.require_plots(plot)
    with _steps() as steps:
        steps.begin("measuring")
        found = measuring.measure(property, inputs or None)
        steps.begin("writing")
        if output is not None:
            write_text(output, found.json() if Path(output).suffix == ".json" else found.csv())
        if plot is not None:
            with naming(Path(plot)):
                measuring.save(found, row.draw, plot)
    if as_json:
        print(found.json())
        return
    table = Table(title=f"{found.title} ({found.source})", title_justify="left")
    for column in found.columns:
        numbers = all(isinstance(r[column.name], int | float | None) for r in found.lines)
        table.add_column(column.heading, justify="right" if numbers else "left", overflow="fold")
    for each in found.lines:
        table.add_row(*(column.text(each[column.name]) for column in found.columns))
    out.print(table)
    out.print(found.about, style="dim")


@cli.command()
@click.argument("algorithm")
@click.argument("input", metavar="[INPUT]", required=False)
@variant_option
@output_option("-o", "--output", required=True, help="The picture to write: .svg.")
@reading_options(format_option)
@json_option
def draw(algorithm: str, input: str | None, variant: str, output: str, as_json: bool, **reading: Any) -> None:
    """Draw a run on a small graph: the forest of parent pointers after each phase."""
    from pointerjump.formats import require_writable, write_text
    from pointerjump.measure import drawing
    from pointerjump.registry import parse_variant

    choices = parse_variant(variant)
    if input is None:
        _require_unused(reading, "without an INPUT")
    require_writable(output)
    if Path(output).suffix.lower() != ".svg":
        raise FormatError(f"{output}: pictures are written as .svg")
    with _steps() as steps:
        _require_choices("components", algorithm, choices, "reference")
        steps.begin("reading")
        graph = drawing.EXAMPLE if input is None else _load(input, steps.show, reading)
        steps.begin("drawing")
        write_text(output, drawing.draw(algorithm, graph, **choices))
    if as_json:
        facts = {"vertices": graph.vertices, "edges": graph.edges, "bytes": Path(output).stat().st_size}
        _print_json({"algorithm": algorithm, "input": input, "output": output, **facts})
        return
    _table(algorithm, [("written", output)])


def _list_properties(as_json: bool) -> None:
    from pointerjump.measure import PROPERTIES

    if as_json:
        names = ("name", "title", "source", "of", "inputs", "about")
        _print_json([{name: getattr(row, name) for name in names} for row in PROPERTIES])
        return
    table = Table(title="Properties", title_justify="left")
    for heading in ("name", "what is measured", "in the papers", "of"):
        table.add_column(heading, overflow="fold")
    for row in PROPERTIES:
        table.add_row(row.name, row.title, row.source, f"{row.of}s")
    out.print(table)
