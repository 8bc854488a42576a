"""The commands that count and time: ``measure`` and ``bench``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from pointerjump.cli import completion
from pointerjump.cli.examples import CommandWithExamples, example
from pointerjump.cli.options import (
    device_option,
    json_option,
    output_option,
)
from pointerjump.cli.report import report
from pointerjump.cli.steps import follow_steps
from pointerjump.cli.terminal import table_of_facts, table_with_headings
from pointerjump.errors import FormatError

if TYPE_CHECKING:
    from pointerjump.measure import Measurement


@click.command(
    cls=CommandWithExamples,
    examples=(
        example("What can be measured", "pointerjump measure"),
        example("One property of one graph", "pointerjump measure giant-component urand:scale=12,degree=4"),
        example(
            "One property of several graphs, as a table for programs",
            "pointerjump measure rounds star:vertices=64 grid2d:rows=8,columns=8 -o rounds.csv",
            "head -4 rounds.csv",
        ),
        example(
            "Also draw the figure; this needs matplotlib: pip install 'pointerjump[plot]'",
            "pointerjump measure worklist kron:scale=10 --plot worklist.svg",
        ),
    ),
)
@click.argument("property", metavar="[PROPERTY]", required=False, shell_complete=completion.properties)
@click.argument("inputs", metavar="[INPUT]...", nargs=-1, shell_complete=completion.specs_or_files)
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
    from pointerjump.formats import require_writable, write_text

    if output is not None:
        require_writable(output)
        if Path(output).suffix not in (".json", ".csv"):
            raise FormatError(f"{output}: tables are written as .json or .csv, by the name's suffix")
    if plot is not None:
        require_writable(plot)
        measuring.require_plots(plot)
    with follow_steps() as steps:
        steps.begin("measuring")
        found = measuring.measure(property, inputs or None)
        steps.begin("writing")
        if output is not None:
            write_text(output, found.json() if Path(output).suffix == ".json" else found.csv())
        if plot is not None:
            measuring.save(found, plot)
    report(as_json, json.loads(found.json()), _table_of(found), Text(found.of.about, style="dim"))


def _list_properties(as_json: bool) -> None:
    from pointerjump.measure import PROPERTIES

    names = ("name", "title", "source", "of", "inputs", "about")
    table = table_with_headings("Properties", ("name", "what is measured", "in the papers", "of"))
    for each in PROPERTIES:
        table.add_row(each.name, each.title, each.source, f"{each.of}s")
    report(as_json, [{name: getattr(each, name) for name in names} for each in PROPERTIES], table)


def _table_of(found: Measurement) -> Table:
    """Return the table that people read; columns of numbers stand to the right."""
    table = Table(title=f"{found.of.title} ({found.of.source})", title_justify="left")
    for column in found.of.columns:
        numbers = all(isinstance(values[column.name], int | float | None) for values in found.lines)
        table.add_column(column.heading, justify="right" if numbers else "left", overflow="fold")
    for values in found.lines:
        table.add_row(*(column.text(values[column.name]) for column in found.of.columns))
    return table


@click.command(
    cls=CommandWithExamples,
    examples=(
        example("A page of all charts with small graphs", "pointerjump bench -o report.html", seconds=60),
        example(
            "One chart for a graph of your own",
            "pointerjump bench --charts slowdown --graphs urand:scale=12 --rounds 3 -o slowdown.html",
            seconds=10,
        ),
    ),
)
@device_option
@click.option(
    "--set",
    "size",
    type=click.Choice(["quick", "standard", "full"]),
    default="quick",
    show_default=True,
    help="How large the graphs are; quick takes about a minute on 2 cores.",
)
@click.option(
    "--charts",
    metavar="NAME,...",
    help="Only some of the charts. They are slowdown, end-to-end, kernels-ecl-cc, kernels-auto, ecl-init, "
    "ecl-jump, ecl-fini, edges-per-second, vertices-per-second, list-length, kernels-random-splitter, "
    "work-groups, list-work-groups, component-fraction and degree. [default: all]",
)
@click.option(
    "--graphs",
    multiple=True,
    metavar="SPEC_OR_FILE",
    shell_complete=completion.specs_or_files,
    help="Your own graphs; may be repeated.",
)
@click.option(
    "--rounds", metavar="N", type=click.IntRange(1), help="How often to measure. [default: by set, 5 or 9]"
)
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
    report(as_json, data, table_of_facts("1 chart" if len(chosen) == 1 else f"{len(chosen)} charts", lines))
