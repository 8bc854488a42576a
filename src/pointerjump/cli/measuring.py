"""The commands that count and time: ``measure`` and ``bench``."""

from __future__ import annotations

import json
from dataclasses import replace
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
from pointerjump.cli.terminal import table_with_headings
from pointerjump.errors import FormatError

if TYPE_CHECKING:
    from pointerjump.bench.own_device import OwnTimes
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
        _require_table_file(output)
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


def _require_table_file(path: str) -> None:
    from pointerjump.formats import require_writable

    require_writable(path)
    if Path(path).suffix not in (".json", ".csv"):
        raise FormatError(f"{path}: tables are written as .json or .csv, by the name's suffix")


@click.command(
    cls=CommandWithExamples,
    examples=(
        example("All algorithms on small graphs and a list", "pointerjump bench", seconds=60),
        example(
            "Two algorithms on a graph of your own, with the times of their kernels",
            "pointerjump bench --algorithm auto --algorithm ecl-cc:jump=single --kernels urand:scale=12",
            seconds=10,
        ),
        example("As a table for programs, in seconds", "pointerjump bench -o times.csv", seconds=60),
    ),
)
@click.argument("inputs", metavar="[INPUT]...", nargs=-1, shell_complete=completion.specs_or_files)
@device_option
@click.option(
    "--set",
    "size",
    type=click.Choice(["quick", "standard", "full"]),
    default="quick",
    show_default=True,
    help="How large the graphs and lists are unless you name some, and how long to measure.",
)
@click.option(
    "--algorithm",
    "algorithms",
    metavar="NAME[:AXIS=VALUE,...]",
    multiple=True,
    help="Only this algorithm; may be repeated. [default: auto and every parallel algorithm with kernels]",
)
@click.option("--kernels", is_flag=True, help="Also time each kernel, by the device's own clock.")
@click.option(
    "--rounds", metavar="N", type=click.IntRange(1), help="How often to measure. [default: by set, 5 or 9]"
)
@output_option("-o", "--output", help="Also write the times: .json or .csv.")
@json_option
def bench(
    inputs: tuple[str, ...],
    device: str | None,
    size: str,
    algorithms: tuple[str, ...],
    kernels: bool,
    rounds: int | None,
    output: str | None,
    as_json: bool,
) -> None:
    """Time algorithms on your device. INPUT is a file or a spec of a graph, or a spec of lists.

    A run is timed on a graph or list that is on the device, with all launches; of auto, also a whole call,
    from arrays on the host to an answer there. Every answer is verified before it is timed.
    """
    from pointerjump.accel.runtime.sessions import session_for
    from pointerjump.bench import own_device
    from pointerjump.formats import write_text

    if output is not None:
        _require_table_file(output)
    own_device.check_algorithms(algorithms)
    effort, chosen = own_device.SETS[size]
    chosen = own_device.named(inputs) if inputs else chosen
    if rounds:
        effort = replace(effort, rounds=rounds, seconds=0.0)
    with follow_steps() as steps:

        def begin(name: str) -> None:
            steps.begin(name)
            steps.show(list(chosen).index(name) / len(chosen))

        session = session_for(device)
        found = own_device.measure_device(
            session, chosen, algorithms, effort=effort, kernels=kernels, begin=begin
        )
        document = found.document()
        if output is not None:
            steps.begin("writing")
            is_json = Path(output).suffix == ".json"
            write_text(output, json.dumps(document, indent=1) if is_json else found.csv())
    note = "Median and quartiles; every answer was verified before it was timed."
    left_out = [f"Left out: {line}" for line in found.left_out]
    report(as_json, document, _table_of_times(found), Text("\n".join([note, *left_out]), style="dim"))


def _table_of_times(found: OwnTimes) -> Table:
    """Return the times for people, in milliseconds, and how much a run gets through in a second."""
    counts = {each["name"]: each.get("directed_edges") or each["elements"] for each in found.inputs}
    table = Table(title=f"Times on {found.session.device}", title_justify="left")
    for heading in ("input", "algorithm", "what", "ms", "quartiles", "million edges or elements/s"):
        table.add_column(heading, justify="left" if len(table.columns) < 3 else "right", overflow="fold")
    for each in found.times:
        ms = [1e3 * seconds for seconds in (each.timing.median, each.timing.low, each.timing.high)]
        is_run = each.kind == "run"
        table.add_row(
            each.input,
            each.algorithm if each.algorithm == each.ran else f"{each.algorithm} ({each.ran})",
            f"  {each.kind} {each.step}" if each.step else each.kind,
            f"{ms[0]:.3f}",
            f"{ms[1]:.3f} to {ms[2]:.3f}",
            f"{counts[each.input] / 1e6 / each.timing.median:,.1f}" if is_run else "",
        )
    return table
