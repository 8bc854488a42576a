"""The page of measured properties, each with the table of its default inputs."""

from __future__ import annotations

from pages.markdown import code
from pointerjump.measure import PROPERTIES, Property, measure


def properties_page() -> str:
    """Return all properties, each with the table of its default inputs."""
    parts = [
        "# Measured properties",
        "",
        "What the papers measured that does not depend on hardware, counted on the references. Each table "
        "was made while this page was built, by the command above it.",
        "",
    ]
    for each in PROPERTIES:
        parts += [
            f"## {each.title} {{ #{each.name} }}",
            "",
            f"{each.source}.",
            "",
            code("sh", f"pointerjump measure {each.name}"),
        ]
        parts += [*property_table(each), "", each.about, ""]
    return "\n".join(parts)


def property_table(which: Property) -> list[str]:
    """Return a property's table as Markdown."""
    found = measure(which.name)
    table = [
        "| " + " | ".join(column.heading for column in which.columns) + " |",
        "|" + " --- |" * len(which.columns),
    ]
    for line in found.lines:
        table.append("| " + " | ".join(column.text(line[column.name]) for column in which.columns) + " |")
    return table
