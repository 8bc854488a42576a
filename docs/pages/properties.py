"""The page of measured properties: each as a figure, and as a table below it."""

from __future__ import annotations

from pages.markdown import code, folded, table
from pointerjump.measure import PROPERTIES, Measurement, Property, measure
from pointerjump.measure.plots import svg


def properties_page() -> str:
    """Return all properties, each with a figure and a table."""
    parts = [
        "# Measured properties",
        "",
        "What the papers measured that does not depend on hardware, counted on the references. Each figure "
        "was made while this page was built, by the command above it. Where the command names graphs or "
        "lists, they are smaller than those that `pointerjump measure` takes by itself, so that the page is "
        "built in seconds.",
        "",
        *table(
            ("property", "what is measured", "in the papers"),
            [(f"[`{each.name}`](#{each.name})", each.title, each.source) for each in PROPERTIES],
        ),
        "",
    ]
    for each in PROPERTIES:
        parts += described(each)
    return "\n".join(parts)


def described(which: Property) -> list[str]:
    """Return a property: the command that measures it, the figure, how to read it, and the table."""
    found = measure(which.name, which.small or None)
    command = " \\\n    ".join([f"pointerjump measure {which.name}", *which.small])
    lines = "\n".join(table_of(found))
    return [
        f"## {which.title} {{ #{which.name} }}",
        "",
        f"{which.source}.",
        "",
        code("sh", command),
        f'<figure class="chart"><div>{svg(found, which.draw)}</div></figure>',
        "",
        f"**What it shows.** {which.shows}",
        "",
        f"**What was counted.** {which.about}",
        "",
        folded(f"The table: {len(found.lines)} lines", lines, "note"),
        "",
    ]


def table_of(found: Measurement) -> list[str]:
    """Return a measurement's table."""
    rows = [[column.text(line[column.name]) for column in found.columns] for line in found.lines]
    return table([column.heading for column in found.columns], rows)
