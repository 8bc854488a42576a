"""The command line: ``pointerjump cc graph.mtx`` and its sisters.

Every command prints tables for people or, with ``--json``, one JSON document; exits 0, 1 when a check
failed, or 2 with one line on standard error when its input is bad.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from pointerjump.errors import FormatError, PointerjumpError, VerificationError
from pointerjump.version import __version__

FAILED, BAD_INPUT = 1, 2
LARGEST_SHOWN = 5

# Without a terminal rich assumes 80 columns, too few for a table that goes to a file or a log.
out = Console(width=None if sys.stdout.isatty() else 140)
err = Console(stderr=True)


def main() -> None:
    """Run the command line; every error becomes one line and an exit code."""
    warnings.showwarning = _show_warning
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.ClickException as error:
        _complain(error.format_message())
        sys.exit(BAD_INPUT)
    except VerificationError as error:
        _complain(str(error))
        sys.exit(FAILED)
    except PointerjumpError as error:
        _complain(str(error))
        sys.exit(BAD_INPUT)
    except MemoryError as error:
        _complain(
            f"out of memory: {error or 'the graph does not fit'}; use a machine with more, or a smaller graph"
        )
        sys.exit(BAD_INPUT)
    sys.exit(code if isinstance(code, int) else 0)


def _complain(message: str) -> None:
    print(f"pointerjump: {' '.join(message.split())}", file=sys.stderr)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _complain(f"warning: {message}")


# -- options and steps that commands share ---------------------------------------------------------

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
device_option = click.option(
    "--device",
    metavar="NAME",
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
ids_option = click.option(
    "--ids",
    type=click.Choice(["auto", "keep", "compact"]),
    default="auto",
    show_default=True,
    help="Edge lists: keep integer ids as vertex numbers, or renumber them.",
)
vertices_option = click.option("--vertices", type=click.IntRange(0), help="Vertex count of an edge list.")
format_option = click.option(
    "--format", "format_", metavar="NAME", help="The file's format, if not by suffix."
)


@contextmanager
def _steps(*names: str) -> Iterator[Callable[[str], None]]:
    """Show a progress bar over named steps, if somebody is watching and it takes a second."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    watched = out.is_terminal and err.is_terminal
    with Progress(*columns, console=err, transient=True, disable=not watched) as progress:
        task = progress.add_task(names[0], total=len(names))

        def begin(name: str) -> None:
            progress.update(task, description=name, completed=names.index(name))

        yield begin


def _load(text: str, ids: str, vertices: int | None, format_: str | None) -> Any:
    """Read a file, or run a generator spec, by the options that commands share."""
    from pointerjump.inputs import read_or_generate, require_vertices

    return require_vertices(read_or_generate(text, format=format_, ids=ids, vertices=vertices), vertices)


def _table(title: str | None, rows: list[tuple[str, str]]) -> None:
    table = Table(title=title, show_header=False, title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*row)
    out.print(table)


def _print_json(document: Any) -> None:
    print(json.dumps(document, indent=2))


def _algorithm(facts: dict[str, Any]) -> str:
    return " ".join([facts["algorithm"], *facts["variant"].split(",")]).strip()


def _times(seconds: dict[str, float]) -> str:
    return ", ".join(f"{phase} {_time(spent)}" for phase, spent in seconds.items())


def _time(spent: float) -> str:
    return f"{spent:.2f} s" if spent >= 1 else f"{spent * 1000:.1f} ms"


# -- commands --------------------------------------------------------------------------------------


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pointerjump")
def cli() -> None:
    """Connected components and list ranking by pointer jumping, on any OpenCL device.

    INPUT is a graph file (.egr .sg .gr .npz .npy .mtx .el .txt .csv .tsv .graph ..., also .gz) or a
    generator spec such as urand:scale=20,degree=16,seed=1.
    """


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
@click.option("-o", "--output", type=click.Path(), help="Write labels: .npy, .csv, .tsv (also .gz).")
@verify_option
@ids_option
@vertices_option
@format_option
@json_option
def cc(
    input: str,
    algorithm: str,
    variant: str,
    device: str | None,
    labels: str,
    output: str | None,
    check: bool,
    ids: str,
    vertices: int | None,
    format_: str | None,
    as_json: bool,
) -> None:
    """Find the connected components of a graph."""
    from pointerjump.face import components
    from pointerjump.registry import parse_variant
    from pointerjump.verifier import verify

    choices = parse_variant(variant)
    with _steps("reading", "finding components", "verifying", "writing") as begin:
        started = perf_counter()
        graph = _load(input, ids, vertices, format_)
        seconds = {"read": perf_counter() - started}
        begin("finding components")
        found = components(graph, algorithm, device, labels, **choices)  # type: ignore[arg-type]
        seconds |= found.stats.pop("seconds")
        seconds["total"] = perf_counter() - started
        if check:
            begin("verifying")
            verify(graph, found.labels)
        if output:
            begin("writing")
            from pointerjump.formats import write_labels

            write_labels(output, found.labels, graph.names)
    sizes = found.sizes
    report = {
        "input": input,
        "vertices": graph.vertices,
        "edges": graph.edges,
        "records": graph.records,
        "components": found.count,
        "largest": int(sizes.max(initial=0)),
        "isolated": int(np.count_nonzero(sizes == 1)),
        **found.stats,
        "verified": check,
        "seconds": seconds,
    }
    if as_json:
        _print_json(report)
        return
    top = np.sort(sizes)[::-1][:LARGEST_SHOWN]
    more = ", ..." if len(sizes) > LARGEST_SHOWN else ""
    _table(
        input,
        [
            ("components", f"{found.count:,}"),
            ("largest", ", ".join(f"{size:,}" for size in top) + more if len(top) else "none"),
            ("isolated", f"{report['isolated']:,} vertices"),
            ("graph", f"{graph.vertices:,} vertices, {graph.edges:,} undirected edges"),
            ("algorithm", _algorithm(found.stats)),
            ("device", f"{found.stats['device']} ({found.stats['platform']})"),
            ("time", _times(seconds)),
            ("verified", "yes: the labels are right" if check else "not asked for (--verify)"),
            *([("labels", f"written to {output}")] if output else []),
        ],
    )


@cli.command()
@click.argument("input", metavar="INPUT")
@algorithm_option
@variant_option
@device_option
@click.option("-o", "--output", type=click.Path(), help="Write ranks: .npy, .csv, .tsv (also .gz).")
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

    INPUT is a successor array (.npy, or text with one position a line) or a spec such as
    list:length=1000000,seed=1.
    """
    from pointerjump.face import rank_lists
    from pointerjump.registry import parse_variant
    from pointerjump.verifier import verify_ranks

    choices = parse_variant(variant)
    with _steps("reading", "ranking", "verifying", "writing") as begin:
        started = perf_counter()
        successors = _load_list(input)
        seconds = {"read": perf_counter() - started}
        begin("ranking")
        ranks, facts = rank_lists(successors, algorithm, device, **choices)
        seconds |= facts.pop("seconds")
        seconds["total"] = perf_counter() - started
        if check:
            begin("verifying")
            verify_ranks(successors, ranks)
        if output:
            begin("writing")
            from pointerjump.formats import write_labels

            write_labels(output, ranks)
    lists = int(np.count_nonzero(successors == np.arange(len(successors))))
    longest = int(ranks.max(initial=-1)) + 1
    report = {"input": input, "elements": len(ranks), "lists": lists, "longest": longest}
    report |= {**facts, "verified": check, "seconds": seconds}
    if as_json:
        _print_json(report)
        return
    _table(
        input,
        [
            ("elements", f"{len(ranks):,}"),
            ("lists", f"{lists:,}, the longest of {longest:,} elements"),
            ("algorithm", _algorithm(facts)),
            ("device", f"{facts['device']} ({facts['platform']})"),
            ("time", _times(seconds)),
            ("verified", "yes: the ranks are right" if check else "not asked for (--verify)"),
            *([("ranks", f"written to {output}")] if output else []),
        ],
    )


@cli.command()
@click.argument("input", metavar="INPUT")
@variant_option
@device_option
@click.option("-o", "--output", type=click.Path(), help="Write the forest's edges as a graph file.")
@verify_option
@ids_option
@vertices_option
@format_option
@json_option
def forest(
    input: str,
    variant: str,
    device: str | None,
    output: str | None,
    check: bool,
    ids: str,
    vertices: int | None,
    format_: str | None,
    as_json: bool,
) -> None:
    """Find a spanning forest of a graph."""
    from pointerjump.face import find_forest
    from pointerjump.graph import Graph
    from pointerjump.registry import parse_variant
    from pointerjump.verifier import verify_forest

    with _steps("reading", "finding a forest", "verifying", "writing") as begin:
        started = perf_counter()
        graph = _load(input, ids, vertices, format_)
        seconds = {"read": perf_counter() - started}
        begin("finding a forest")
        choices: dict[str, Any] = {**parse_variant(variant)}
        edges, facts = find_forest(graph, device=device, **choices)
        seconds |= facts.pop("seconds")
        seconds["total"] = perf_counter() - started
        if check:
            begin("verifying")
            verify_forest(graph, edges)
        if output:
            begin("writing")
            from pointerjump.formats import write

            write(Graph.from_edges(edges, vertices=graph.vertices, names=graph.names), output)
    report = {
        "input": input,
        "vertices": graph.vertices,
        "edges": graph.edges,
        "forest": len(edges),
        "components": graph.vertices - len(edges),
        **facts,
        "verified": check,
        "seconds": seconds,
    }
    if as_json:
        _print_json(report)
        return
    _table(
        input,
        [
            ("forest", f"{len(edges):,} of {graph.edges:,} undirected edges"),
            ("components", f"{report['components']:,}"),
            ("algorithm", _algorithm(facts)),
            ("device", f"{facts['device']} ({facts['platform']})"),
            ("time", _times(seconds)),
            ("verified", "yes: it is a spanning forest" if check else "not asked for (--verify)"),
            *([("forest's edges", f"written to {output}")] if output else []),
        ],
    )


def _load_list(text: str) -> Any:
    from pointerjump.formats import read_successors
    from pointerjump.generators import generate_list, is_spec

    if is_spec(text) and not Path(text).exists():
        return generate_list(text)
    return read_successors(text)


@cli.command()
@json_option
def devices(as_json: bool) -> None:
    """List every OpenCL device, what it can do and whether it works."""
    from pointerjump.accel.devices import devices as find_devices
    from pointerjump.accel.drivers import how_to_install

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
                f"{device.device}\n[dim]{device.platform}[/dim]",
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
            f"{row.title}\n[dim]{row.paper}[/dim]",
            variants,
            "yes" if row.reference else "",
            "yes" if row.kernels else "",
        )
    out.print(table)


@cli.command()
@click.argument("spec", metavar="SPEC")
@click.option("-o", "--output", required=True, type=click.Path(), help="The file to write.")
@format_option
@json_option
def generate(spec: str, output: str, format_: str | None, as_json: bool) -> None:
    """Generate a graph, or a linked list, and write it to a file.

    SPEC is a generator with its parameters, such as kron:scale=20,degree=16,seed=1.
    """
    from pointerjump.formats import write, write_successors
    from pointerjump.generators import generate as run
    from pointerjump.graph import Graph

    with _steps("generating", "writing") as begin:
        made = run(spec)
        begin("writing")
        if isinstance(made, Graph):
            write(made, output, format=format_)
        else:
            write_successors(output, made)
    if isinstance(made, Graph):
        facts: dict[str, Any] = {"vertices": made.vertices, "edges": made.edges}
    else:
        facts = {"elements": len(made)}
    _report_file(spec, output, facts, as_json)


@cli.command()
@click.argument("input", metavar="IN")
@click.argument("output", metavar="OUT")
@ids_option
@vertices_option
@click.option("--from", "from_", metavar="NAME", help="IN's format, if not by suffix.")
@click.option("--to", metavar="NAME", help="OUT's format, if not by suffix.")
@json_option
def convert(
    input: str,
    output: str,
    ids: str,
    vertices: int | None,
    from_: str | None,
    to: str | None,
    as_json: bool,
) -> None:
    """Read a graph in one format and write it in another."""
    from pointerjump.formats import write

    with _steps("reading", "writing") as begin:
        graph = _load(input, ids, vertices, from_)
        begin("writing")
        write(graph, output, format=to)
    _report_file(input, output, {"vertices": graph.vertices, "edges": graph.edges}, as_json)


def _report_file(source: str, output: str, facts: dict[str, Any], as_json: bool) -> None:
    size = Path(output).stat().st_size
    if as_json:
        _print_json({"input": source, "output": output, **facts, "bytes": size})
        return
    counts = ", ".join(f"{count:,} {what}" for what, count in facts.items())
    _table(
        source, [("graph" if "edges" in facts else "list", counts), ("written", f"{output}, {size:,} bytes")]
    )


@cli.command()
@click.argument("input", metavar="INPUT")
@click.argument("labels", metavar="LABELS")
@click.option("--ranks", is_flag=True, help="INPUT is a successor array and LABELS are ranks.")
@ids_option
@vertices_option
@format_option
@json_option
def verify(
    input: str,
    labels: str,
    ranks: bool,
    ids: str,
    vertices: int | None,
    format_: str | None,
    as_json: bool,
) -> None:
    """Check labels, as `cc -o` writes them, against the graph; exit 1 if they are wrong."""
    from pointerjump import verifier
    from pointerjump.formats import read_labels

    with _steps("reading", "verifying") as begin:
        values = read_labels(labels)
        subject = _load_list(input) if ranks else _load(input, ids, vertices, format_)
        begin("verifying")
        try:
            (verifier.verify_ranks if ranks else verifier.verify)(subject, values)
        except VerificationError as error:
            if not as_json:
                raise
            _print_json({"input": input, "labels": labels, "verified": False, "why_not": str(error)})
            raise click.exceptions.Exit(FAILED) from None
    if as_json:
        _print_json({"input": input, "labels": labels, "verified": True, "why_not": None})
    else:
        _table(None, [("verified", f"yes: {labels} is right for {input}")])


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
@click.option("-o", "--output", default="report.html", show_default=True, type=click.Path(), help="The page.")
@click.option("--json", "json_output", metavar="FILE", type=click.Path(), help="Also write the data.")
def bench(
    device: str | None,
    size: str,
    charts: str | None,
    graphs: tuple[str, ...],
    rounds: int | None,
    output: str,
    json_output: str | None,
) -> None:
    """Measure on your device, beside other programs, and write a page with charts."""
    from pointerjump.accel.session import session_for
    from pointerjump.bench import report, suite
    from pointerjump.bench.catalogue import choose_charts

    report.require(output, *([json_output] if json_output else []))
    chosen = choose_charts(charts)
    work = suite.workload(size, graphs, rounds)
    with _steps(*suite.steps(work, chosen), "writing") as begin:
        data = report.data(suite.run(session_for(device), work, chosen, begin), chosen)
        begin("writing")
        report.write(output, report.render(data, chosen))
        if json_output:
            report.write(json_output, json.dumps(data, indent=1))
    _table(
        f"{len(chosen)} charts",
        [
            ("device", f"{data['device']['device']} ({data['device']['platform']})"),
            ("verified", "yes: every answer, before it was timed"),
            ("written", ", ".join(filter(None, (output, json_output)))),
        ],
    )


@cli.command()
@click.argument("property", metavar="[PROPERTY]", required=False)
@click.argument("inputs", metavar="[INPUT]...", nargs=-1)
@click.option("-o", "--output", type=click.Path(), help="Also write the table: .json or .csv.")
@click.option("--plot", metavar="FILE", type=click.Path(), help="Also draw the figure: .svg, .png or .pdf.")
@json_option
def measure(
    property: str | None, inputs: tuple[str, ...], output: str | None, plot: str | None, as_json: bool
) -> None:
    """Measure a property that the papers measured, by counting what the references do.

    Without PROPERTY, list them. INPUT is a file or a spec, a graph's or (for properties of lists) a list's;
    references are serial Python: up to about a million edges are bearable.
    """
    from pointerjump import measure as measuring

    if property is None:
        _list_properties(as_json)
        return
    row = measuring.find_property(property)
    if output and Path(output).suffix not in (".json", ".csv"):
        raise FormatError(f"{output}: tables are written as .json or .csv, by the name's suffix")
    if plot:
        measuring.require_plots(plot)
    with _steps("measuring", "writing") as begin:
        found = measuring.measure(property, inputs or None)
        begin("writing")
        if output:
            _write_text(output, found.json() if Path(output).suffix == ".json" else found.csv())
        if plot:
            measuring.save(found, row.draw, plot)
    if as_json:
        print(found.json())
        return
    table = Table(title=f"{found.title} ({found.source})", title_justify="left")
    for column in found.columns:
        numbers = all(isinstance(r[column.name], int | float | None) for r in found.rows)
        table.add_column(column.heading, justify="right" if numbers else "left", overflow="fold")
    for each in found.rows:
        table.add_row(*(column.text(each[column.name]) for column in found.columns))
    out.print(table)
    out.print(found.about, style="dim")


@cli.command()
@click.argument("algorithm")
@click.argument("input", metavar="[INPUT]", required=False)
@variant_option
@click.option("-o", "--output", required=True, type=click.Path(), help="The picture to write: .svg.")
def draw(algorithm: str, input: str | None, variant: str, output: str) -> None:
    """Draw a run on a small graph: the forest of parent pointers after each phase."""
    from pointerjump.measure import forest as drawing
    from pointerjump.registry import parse_variant

    if Path(output).suffix.lower() != ".svg":
        raise FormatError(f"{output}: pictures are written as .svg")
    graph = _load(input, "auto", None, None) if input else drawing.EXAMPLE
    _write_text(output, drawing.draw(algorithm, graph, **parse_variant(variant)))
    _table(algorithm, [("written", f"{output}")])


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


def _write_text(path: str, text: str) -> None:
    from pointerjump.formats.files import replacing

    with replacing(Path(path)) as aside:
        aside.write(text.encode())


if __name__ == "__main__":
    main()
