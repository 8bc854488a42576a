"""``mst``: the minimum spanning forest of a graph in a file with weights, or of a table of pairs."""

from __future__ import annotations

from contextlib import ExitStack
from math import isfinite
from typing import Any

from pointerjump.base.weighted import Weighted
from pointerjump.cli.tables import open_with_conditions
from pointerjump.cli.tasks import Task, Told, input_and_reading
from pointerjump.ids.weighted import weighted_of
from pointerjump.solving.inputs import Given, classify
from pointerjump.solving.run import REFERENCE, Order
from pointerjump.solving.spanning_forests import TableOfEdges, find_minimum_forest
from pointerjump.tables.open import Roles
from pointerjump.tables.write import require_table_file, write_table


def minimum_forest(task: Task) -> Told:
    """Find the minimum spanning forest."""
    asked, steps = task.asked, task.steps
    if asked.output is not None:
        require_table_file(asked.output)
    wanted = task.open("minimum-spanning-forest")
    with ExitStack() as until_told:
        with steps.timed("reading", "read"):
            weighted, table_of = _weighted(task, wanted, until_told)
        steps.begin("finding a forest")
        found = find_minimum_forest(wanted, weighted, table_of)

        def check() -> None:
            from pointerjump.verifiers.spanning_forests import verify_places

            verify_places(weighted, found.places)

        def write(path: str) -> None:
            table = found.table()
            write_table(path, table.schema, [table])

        task.finish(found.stats, check, write, found.names)
    with steps.timed("counting", "summary"):
        edges, kept, total = len(weighted.weights), len(found.places), found.total
        facts: dict[str, Any] = {"vertices": found.vertices, "edges": edges, "forest": kept}
        facts |= {"components": found.count, "weight": total if isfinite(total) else None}
    lines = [
        ("forest", f"{kept:,} of {edges:,} edges"),
        ("weight", f"{total:,}"),
        ("components", f"{found.count:,}"),
    ]
    return Told("forest's edges", "it is the minimum spanning forest", facts, lines)


def _weighted(task: Task, wanted: Order, until_told: ExitStack) -> tuple[Weighted, TableOfEdges | None]:
    """Read the input: a table if an option for tables is given, or if it has columns of pairs."""
    asked = task.asked
    columns = any((asked.weight, asked.source, asked.target, asked.where))
    numbers = any(value not in (None, "auto") for value in task.reading.values())
    if classify(task.source, columns=columns, numbers=numbers).kind == "table":
        table, where = open_with_conditions(task, until_told)
        return weighted_of(
            Given("table", table),
            maximum=asked.maximum,
            weight=asked.weight,
            roles=Roles(asked.source, asked.target),
            where=where or None,
            numbering=wanted.session or REFERENCE,
        )
    source, reading = input_and_reading(task.source, task.reading)
    return weighted_of(source, maximum=asked.maximum, progress=task.steps.show, **reading)
