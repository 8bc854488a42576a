"""The figures on the papers' pages: each stands where a comment in ``docs/papers/*.md`` asks for it.

A comment is a line of its own::

    <!-- figure: measure convergence kron:scale=11 -->      drawn while the page is built
    <!-- table: measure sv-accesses urand:scale=10 kernel reads writes -->      columns in place of the figure
    <!-- figure: bench h200 degree -->                      drawn from docs/data/h200.json
    <!-- figure: bench h200 degree scipy afforest -->       only these of the chart

A comment that asks for anything else fails the build. Options in commands are kept whole, however narrow a
cell is.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterator
from html import escape
from itertools import count
from pathlib import Path
from typing import Any

from pointerjump.errors import PointerjumpError
from pointerjump.measure import Column, Measurement, find_property, measure
from pointerjump.measure.plots import plain

sys.path.append(str(Path(__file__).resolve().parents[2] / "benches"))

from chart_points import GEOMETRIC_MEAN, MEAN, NOISY_FROM, Point
from charts import choose_charts, figure
from page_figures import svg

DATA = Path(__file__).resolve().parents[1] / "data"
SETS = {"h200": "standard", "sixteen-cores": "standard"}
"""What is stored in ``docs/data``, and the set of ``benches/charts.py`` that it was measured with."""

HOW_TO_READ = "<a href='../reading/'>How to read it</a>."

COMMENT = re.compile(r"<!--(.*?)-->", re.DOTALL)
COMMAND = re.compile(r"`((?:pointerjump|python) [^`]*)`")


def with_figures(markdown: str) -> str:
    """Return a paper's page with figures and tables in place of the comments that ask for them.

    Raises
    ------
    ValueError
        If a comment asks for something that does not exist. It ends the build.
    """
    numbers = count(1)
    text = COMMAND.sub(lambda found: as_code(found[1]), markdown)
    return COMMENT.sub(lambda found: asked_for(found[1].strip(), numbers), text)


def asked_for(comment: str, numbers: Iterator[int]) -> str:
    """Return what one comment asks for as HTML. `numbers` tell the figures of a page apart."""
    ids = f"figure-{next(numbers)}"
    try:
        match shlex.split(comment):
            case ["figure:", "measure", name, *inputs]:
                return measured_figure(name, inputs, ids)
            case ["table:", "measure", name, *arguments]:
                return measured_table(name, arguments)
            case ["figure:", "bench", stored, chart, *wanted] if stored in SETS:
                return stored_figure(stored, chart, wanted, ids)
    except (PointerjumpError, ValueError) as error:
        raise ValueError(f"a paper's page asks for {comment!r}: {error}") from error
    raise ValueError(f"a paper's page asks for {comment!r}, which docs/pages/papers.py does not know")


def measured_figure(name: str, inputs: list[str], ids: str) -> str:
    """Measure a property, and return its figure with its numbers folded below."""
    found = measure(name, inputs or None)
    line = command("measure", name, *inputs, "--plot", "figure.svg")
    caption = f"Counted and drawn while this page was built, as {line} does it. {HOW_TO_READ}"
    numbers = f"<details>\n<summary>The numbers</summary>\n{table(found)}\n</details>"
    return in_frame(svg(found, ids), caption) + "\n\n" + numbers


def measured_table(name: str, arguments: list[str]) -> str:
    """Measure a property, and return its numbers, in the columns that are named."""
    wanted = [column for column in find_property(name).columns if column.name in arguments]
    inputs = [argument for argument in arguments if argument not in {column.name for column in wanted}]
    found = measure(name, inputs or None)
    caption = f"<p>Counted while this page was built, by {command('measure', name, *inputs)}:</p>"
    return f"{caption}\n\n{table(found, tuple(wanted))}"


def stored_figure(stored: str, chart: str, wanted: list[str], ids: str) -> str:
    """Return a chart of times that were measured before, and say where, when and how noisy they are."""
    data = json.loads((DATA / f"{stored}.json").read_text())
    device = f"{data['device']['device']} ({data['device']['platform']})"
    (known,) = choose_charts(chart)
    entry = chart_of(data, known.name, wanted)
    points = [Point(**point) for point in entry["points"]]
    times = [point for point in points if point.where not in (GEOMETRIC_MEAN, MEAN)]
    noisy = sum(point.noisy for point in times)
    missing = dict.fromkeys(line.partition(":")[0] for line in entry["left_out"])
    sentences = [
        f"Measured on {data['date'][:10]} on {escape(device)} by "
        f"{as_code(f'python benches/charts.py --set {SETS[stored]} --charts {chart}')}:",
        f"medians of {data['rounds']} or more runs, in <a href='../../data/{stored}.json'>{stored}.json</a>.",
        f"Marked with a star: {noisy} of {len(times)} numbers, whose third quartile is more than "
        f"{NOISY_FROM} times the first."
        if noisy
        else "",
        f"Left out on some graphs or all: {escape(', '.join(missing))}." if missing and not wanted else "",
        HOW_TO_READ,
    ]
    caption = " ".join(filter(None, sentences))
    numbers = f"<details>\n<summary>The numbers</summary>\n{table_of_points(points)}\n</details>"
    return in_frame(figure(entry, ids), caption) + "\n\n" + numbers


def table_of_points(points: list[Point]) -> str:
    """Return medians as an HTML table: a line for each contestant, so that none needs to be pointed at."""
    there = {(point.who, point.where): point for point in points}
    places = dict.fromkeys(point.where for point in points)
    head = "".join(f"<th>{escape(str(where))}</th>" for where in ("", *places))
    lines = []
    for who in dict.fromkeys(point.who for point in points):
        own = [there.get((who, where)) for where in places]
        texts = ["-" if point is None else plain(point.median) + "*" * point.noisy for point in own]
        numbers = "".join(f'<td style="text-align: right">{text}</td>' for text in texts)
        lines.append(f"<tr><td>{escape(who)}</td>{numbers}</tr>")
    return html_table(head, lines)


def chart_of(data: dict[str, Any], chart: str, wanted: list[str]) -> dict[str, Any]:
    """Return a chart of stored data, with the points of some contestants if any are named."""
    for entry in data["charts"]:
        if entry["name"] == chart:
            there = {point["who"] for point in entry["points"]}
            for who in set(wanted) - there:
                raise ValueError(f"{who!r} is not in the chart {chart}: {', '.join(sorted(there))} are")
            points = [point for point in entry["points"] if not wanted or point["who"] in wanted]
            return {**entry, "points": points}
    raise ValueError(f"the stored data has no chart {chart!r}")


def command(*words: str) -> str:
    """Return a command as HTML."""
    return as_code(shlex.join(["pointerjump", *words]))


def as_code(line: str) -> str:
    """Return a command line as HTML that breaks between its words, and at no option's hyphens."""
    words = re.sub(r"(?<= )--?[a-z][a-z-]*", r"<span>\g<0></span>", escape(line))
    return f"<code>{words}</code>"


def in_frame(drawn: str, caption: str) -> str:
    """Return a figure with its caption."""
    return f'<figure class="chart">\n<div>{drawn}</div>\n<figcaption>{caption}</figcaption>\n</figure>'


def table(found: Measurement, wanted: tuple[Column, ...] = ()) -> str:
    """Return a measurement as an HTML table, in some of its columns or all."""
    columns = wanted or found.of.columns
    head = "".join(f"<th>{escape(column.heading)}</th>" for column in columns)
    return html_table(head, [f"<tr>{cells(columns, line)}</tr>" for line in found.lines])


def html_table(head: str, lines: list[str]) -> str:
    """Return a table of these cells and lines."""
    body = "\n".join(lines)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def cells(columns: tuple[Column, ...], line: dict[str, Any]) -> str:
    """Return a line's cells: numbers to the right, and long specs free to wrap at their commas."""
    parts = []
    for column in columns:
        value = line[column.name]
        text = escape(column.text(value))
        if isinstance(value, int | float):
            parts.append(f'<td style="text-align: right">{text}</td>')
        else:
            parts.append(f"<td>{text.replace(',', ',<wbr>')}</td>")
    return "".join(parts)
