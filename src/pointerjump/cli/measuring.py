"""The commands that count, draw and time: ``measure``, ``draw`` and ``bench``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table
from rich.text import Text

from pointerjump.cli.options import (
    device_option,
    format_option,
    json_option,
    output_option,
    reading_options,
    variant_option,
)
from pointerjump.cli.reading import load_graph, require_unused
from pointerjump.cli.report import report, report_file
from pointerjump.cli.steps import follow_steps
from pointerjump.cli.terminal import table_of_facts, table_with_headings
from pointerjump.errors import FormatError

if TYPE_CHECKING:
    from pointerjump.measure import Measurement


@click.command()
@click.argument("property", metavar="[PROPERTY]", required=False)
@click.argument("inputs", metavar="[INPUT]...", nargs=-1)
@output_option("-o", "--output", help="Also write the table: .json or .csv.")
@output_option("--plot", metavar="FILE", help="Also draw the figure: .svg, .png or .pdf.")
@json_option
def measure(
    property: str | None, inputs: tuple[str, ...], output: str | None, plot: str | None, as_json: bool
) -> None:
    """Measure a property that the papers measured, by counting what the references do.

    Without PROPERTY, list them. INPUT is a file or a spec of a graph or, for properties of lists, of a
    list. References are serial Python: up to about a million edges are bearable.
    """
    if property is None:
        _list_properties(as_json)
        return
    from pointerjump import measure as measuring
    from pointerjump.formats import write_text
    from pointerjump.formats.files import naming

    wanted = measuring.find_property(property)
    if output is not None:
        _require_table_file(output)
    if plot is not None:
        _require_figure_file(plot)
    with follow_steps() as steps:
        steps.begin("measuring")
        found = measuring.measure(property, inputs or None)
        steps.begin("writing")
        if output is not None:
            write_text(output, found.json() if Path(output).suffix == ".json" else found.csv())
        if plot is not None:
            with naming(Path(plot)):
                measuring.save(found, wanted.draw, plot)
    report(as_json, json.loads(found.json()), _table_of(found), Text(found.about, style="dim"))


def _list_properties(as_json: bool) -> None:
    from pointerjump.measure import PROPERTIES

    names = ("name", "title", "source", "of", "inputs", "about")
    table = table_with_headings("Properties", ("name", "what is measured", "in the papers", "of"))
    for each in PROPERTIES:
        table.add_row(each.name, each.title, each.source, f"{each.of}s")
    report(as_json, [{name: getattr(each, name) for name in names} for each in PROPERTIES], table)


def _require_table_file(path: str) -> None:
    from pointerjump.formats import require_writable

    require_writable(path)
    if Path(path).suffix not in (".json", ".csv"):
        raise FormatError(f"{path}: tables are written as .json or .csv, by the name's suffix")


def _require_figure_file(path: str) -> None:
    from pointerjump.formats import require_writable
    from pointerjump.measure import require_plots

    require_writable(path)
    require_plots(path)


def _table_of(found: Measurement) -> Table:
    """Return the table that people read; columns of numbers stand to the right."""
    table = Table(title=f"{found.title} ({found.source})", title_justify="left")
    for column in found.columns:
        numbers = all(isinstance(values[column.name], int | float | None) for values in found.lines)
        table.add_column(column.heading, justify="right" if numbers else "left", overflow="fold")
    for values in found.lines:
        table.add_row(*(column.text(values[column.name]) for column in found.columns))
    return table


@click.command()
@click.argument("algorithm")
@click.argument("input", metavar="[INPUT]", required=False)
@variant_option
@output_option("-o", "--output", required=True, help="The picture to write: .svg.")
@reading_options(format_option)
@json_option
def draw(algorithm: str, input: str | None, variant: str, output: str, as_json: bool, **reading: Any) -> None:
    """Draw a run on a small graph: the forest of parent pointers after each phase."""
    from pointerjump.formats import write_text
    from pointerjump.measure import drawing
    from pointerjump.registry import ask, parse_variant

    choices = parse_variant(variant)
    if input is None:
        require_unused(reading, "without an INPUT")
    _require_picture_file(output)
    with follow_steps() as steps:
        ask("components", algorithm, choices, None)
        steps.begin("reading")
        graph = drawing.EXAMPLE if input is None else load_graph(input, steps.show, reading)
        steps.begin("drawing")
        write_text(output, drawing.draw(algorithm, graph, **choices))
    facts = {"algorithm": algorithm, "input": input}
    counts = {"vertices": graph.vertices, "edges": graph.edges}
    report_file(as_json, facts, title=algorithm, output=output, counts=counts, steps=steps)


def _require_picture_file(path: str) -> None:
    from pointerjump.formats import require_writable

    require_writable(path)
    if Path(path).suffix.lower() != ".svg":
        raise FormatError(f"{path}: pictures are written as .svg")


@click.command()
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
    from pointerjump.accel.runtime.sessions import session_for
    from pointerjump.bench import report as page
    from pointerjump.bench import suite
    from pointerjump.bench.charts import choose_charts
    from pointerjump.formats import write_text

    page.require(output, *([] if data_file is None else [data_file]))
    chosen = choose_charts(charts)
    work = suite.workload(size, graphs, rounds)
    names = suite.steps(work, chosen)
    with follow_steps() as steps:

        def begin(name: str) -> None:
            steps.begin(name)
            steps.show(names.index(name) / len(names))

        data = page.data(suite.run(session_for(device), work, chosen, begin), chosen)
        steps.begin("writing")
        write_text(output, page.render(data, chosen))
        if data_file is not None:
            write_text(data_file, json.dumps(data, indent=1))
    lines = [
        ("device", f"{data['device']['device']} ({data['device']['platform']})"),
        ("verified", "yes: every answer, before it was timed"),
        ("written", ", ".join(filter(None, (output, data_file)))),
    ]
    report(as_json, data, table_of_facts(f"{len(chosen)} charts", lines))
