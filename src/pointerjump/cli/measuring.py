"""The commands that list, count and time: ``devices``, ``algorithms``, ``measure`` and ``bench``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from pointerjump.cli.commands import (
    Example,
    command,
    device_option,
    json_option,
    output_option,
    properties,
    specs_or_files,
)
from pointerjump.cli.commands import algorithms as complete_algorithms
from pointerjump.cli.steps import follow_steps, report
from pointerjump.cli.terminal import FAILED, complain, table_with_headings
from pointerjump.errors import FormatError


@command(
    Example("The devices of this machine", "pointerjump devices"),
    Example("One JSON document, for programs", "pointerjump devices --json"),
)
@json_option
def devices(as_json: bool) -> None:
    """List all OpenCL devices and their capabilities, and say whether each device works."""
    from pointerjump.accel.runtime import devices as there
    from pointerjump.accel.runtime.icd import how_to_install

    found = there.devices()
    headings = ("works", "device", "type", "OpenCL C", "units", "memory", "largest buffer", "has")
    abilities = {"int64_atomics": "int64 atomics", "relaxed_atomics": "relaxed atomics"}
    abilities |= {"subgroups": "sub-groups", "host_memory": "host memory"}
    rows = [
        (
            "yes" if device.works else f"no: {device.why_not}",
            _with_note(device.device, device.platform),
            device.type,
            device.version.removeprefix("OpenCL C "),
            str(device.compute_units),
            f"{device.memory / 2**30:.1f} GiB",
            f"{device.max_allocation / 2**30:.1f} GiB",
            ", ".join(name for ability, name in abilities.items() if getattr(device, ability)),
        )
        for device in found
    ]
    shown = [table_with_headings("OpenCL devices", headings, rows)] if rows else []
    report(as_json, [device.as_dict() for device in found], *shown)
    if not any(device.works for device in found):
        complain(f"no usable OpenCL device: {how_to_install()}")
        raise click.exceptions.Exit(FAILED)


@command(
    Example("All of them", "pointerjump algorithms"),
    Example("One of them", "pointerjump algorithms fast-sv"),
)
@click.argument("names", metavar="[NAME]...", nargs=-1, shell_complete=complete_algorithms)
@json_option
def algorithms(names: tuple[str, ...], as_json: bool) -> None:
    """List all algorithms, or only those named, with their papers and variants."""
    from pointerjump import registry

    found = [*map(registry.find_algorithm, names)] if names else registry.algorithms()
    headings = ("name", "title and paper", "variants (default first)", "reference", "kernels")
    rows = [
        (
            each.name,
            _with_note(each.title, each.paper),
            "\n".join(f"{axis.name}={'|'.join(str(v).lower() for v in axis.values)}" for axis in each.axes),
            "yes" if each.reference else "",
            "yes" if each.kernels else "",
        )
        for each in found
    ]
    table = table_with_headings("Algorithms", headings, rows, show_lines=True)
    report(as_json, [each.as_dict() for each in found], table)


def _with_note(text: str, note: str) -> Text:
    return Text.assemble(text, "\n", (note, "dim"))


@command(
    Example("What can be measured", "pointerjump measure"),
    Example("One property of one graph", "pointerjump measure giant-component urand:scale=12,degree=4"),
    Example(
        "One property of several graphs, as a table for programs",
        "pointerjump measure rounds star:vertices=64 grid2d:rows=8,columns=8 -o rounds.csv",
        "head -4 rounds.csv",
    ),
    Example(
        "Also draw the figure; this needs matplotlib: pip install 'pointerjump[plot]'",
        "pointerjump measure worklist kron:scale=10 --plot worklist.svg",
    ),
)
@click.argument("property", metavar="[PROPERTY]", required=False, shell_complete=properties)
@click.argument("inputs", metavar="[INPUT]...", nargs=-1, shell_complete=specs_or_files)
@output_option("-o", "--output", help="Also write the table: .json or .csv.")
@output_option("--plot", metavar="FILE", help="Also draw the figure: .svg, .png or .pdf.")
@json_option
def measure(
    property: str | None, inputs: tuple[str, ...], output: str | None, plot: str | None, as_json: bool
) -> None:
    """Measure a property from an algorithm's paper, by counting the work of reference implementations.

    Without PROPERTY, all properties are listed. INPUT is a file or spec of a graph or, for properties of
    lists, of a linked list. The reference implementations are serial Python, so inputs should have at most
    about a million edges.
    """
    from pointerjump import measure as measuring
    from pointerjump.formats import require_writable

    if property is None:
        names = ("name", "title", "source", "of", "inputs", "about")
        there = measuring.PROPERTIES
        table = table_with_headings(
            "Properties",
            ("name", "what is measured", "in the papers", "of"),
            [(each.name, each.title, each.source, f"{each.of}s") for each in there],
        )
        report(as_json, [{name: getattr(each, name) for name in names} for each in there], table)
        return

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
            _write_table(output, json.loads(found.json()), [c.name for c in found.of.columns], found.lines)
        if plot is not None:
            measuring.save(found, plot)
    columns = found.of.columns
    of_numbers = [c for c in columns if all(isinstance(v[c.name], int | float | None) for v in found.lines)]
    table = table_with_headings(
        f"{found.of.title} ({found.of.source})",
        [column.heading for column in columns],
        [[column.text(values[column.name]) for column in columns] for values in found.lines],
        right=[column.heading for column in of_numbers],
    )
    report(as_json, json.loads(found.json()), table, Text(found.of.about, style="dim"))


def _require_table_file(path: str) -> None:
    from pointerjump.formats import require_writable

    require_writable(path)
    if Path(path).suffix not in (".json", ".csv"):
        raise FormatError(f"{path}: tables are written as .json or .csv, by the name's suffix")


def _write_table(path: str, document: Any, columns: Sequence[str], lines: list[dict[str, Any]]) -> None:
    from pointerjump.formats.outputs import write_text
    from pointerjump.measure.properties import csv_text

    is_json = Path(path).suffix == ".json"
    write_text(path, json.dumps(document, indent=1) if is_json else csv_text(columns, lines))


@command(
    Example("All algorithms on small graphs and a list", "pointerjump bench", seconds=60),
    Example(
        "Two algorithms on a graph of your own, with the times of their kernels",
        "pointerjump bench --algorithm auto --algorithm ecl-cc:jump=single --kernels urand:scale=12",
        seconds=10,
    ),
    Example("As a table for programs, in seconds", "pointerjump bench -o times.csv", seconds=60),
)
@click.argument("inputs", metavar="[INPUT]...", nargs=-1, shell_complete=specs_or_files)
@device_option
@click.option(
    "--set",
    "size",
    type=click.Choice(["quick", "standard", "full"]),
    default="quick",
    show_default=True,
    help="How long to measure and, unless INPUT is given, how large the graphs and lists are.",
)
@click.option(
    "--algorithm",
    "algorithms",
    metavar="NAME[:AXIS=VALUE,...]",
    multiple=True,
    help="Time only this algorithm. May be repeated. [default: auto and every parallel algorithm with "
    "kernels]",
)
@click.option("--kernels", is_flag=True, help="Also time each kernel, using the device's own clock.")
@click.option(
    "--rounds",
    metavar="N",
    type=click.IntRange(1),
    help="How many times to measure. [default: at least 5 or 9, depending on --set]",
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
    """Time algorithms on your device.

    INPUT is a graph file, or a spec that describes a graph or linked lists. Each algorithm is timed on a
    graph or list that is already on the device, and the time includes all kernel launches. For auto, a
    complete call is also timed. It begins with arrays on the host and ends with the result on the host.
    Before an algorithm is timed, its result is verified.
    """
    from pointerjump.accel.runtime.sessions import session_for
    from pointerjump.bench import own_device

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
        document = own_device.measure_device(
            session, chosen, algorithms, effort=effort, kernels=kernels, begin=begin
        )
        if output is not None:
            steps.begin("writing")
            lines = [{**each, "samples": len(each["samples"])} for each in document["times"]]
            _write_table(output, document, own_device.COLUMNS, lines)
    counts = {each["name"]: each.get("directed_edges") or each["elements"] for each in document["inputs"]}
    texts = ("input", "algorithm", "what")
    numbers = ("ms", "quartiles", "million edges or elements/s")
    rows = [
        (
            each["input"],
            each["algorithm"] + (f" ({each['ran']})" if each["ran"] != each["algorithm"] else ""),
            f"  {each['kind']} {each['step']}" if each["step"] else each["kind"],
            f"{1e3 * each['median']:.3f}",
            f"{1e3 * each['low']:.3f} to {1e3 * each['high']:.3f}",
            f"{counts[each['input']] / 1e6 / each['median']:,.1f}" if each["kind"] == "run" else "",
        )
        for each in document["times"]
    ]
    table = table_with_headings(f"Times on {session.device}", (*texts, *numbers), rows, right=numbers)
    note = "Median and quartiles; every answer was verified before it was timed."
    left_out = [f"Left out: {line}" for line in document["left_out"]]
    report(as_json, document, table, Text("\n".join([note, *left_out]), style="dim"))
