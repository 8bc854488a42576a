"""``bridges`` and ``blocks``: of a graph, or of a table of pairs."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import numpy as np

from pointerjump.cli.tables import open_with_conditions
from pointerjump.cli.tasks import Task, Told, input_and_reading
from pointerjump.ids.multigraphs import Multigraph, multigraph_of, multigraph_of_table
from pointerjump.solving.biconnected import find_blocks, find_bridges
from pointerjump.solving.inputs import classify
from pointerjump.solving.run import REFERENCE, Order
from pointerjump.tables.open import Roles
from pointerjump.tables.write import require_table_file, write_table


def bridges_of_graph(task: Task) -> Told:
    if task.asked.output is not None:
        require_table_file(task.asked.output)
    wanted = task.open("bridges")
    with ExitStack() as until_told:
        given = _read(task, wanted, until_told)
        task.steps.begin("finding bridges")
        places, run = find_bridges(wanted, given.edges)

        def check() -> None:
            from pointerjump.verifiers.biconnectivity import check_bridges

            check_bridges(given.edges, given.edges.sources[places], given.edges.targets[places])

        def write(path: str) -> None:
            table = given.table(places)
            write_table(path, table.schema, [table])

        task.finish(run.stats(), check, write, given.names)
    with task.steps.timed("counting", "summary"):
        vertices, edges, found = given.edges.vertices, len(given.edges.sources), len(places)
    lines = [("graph", f"{vertices:,} vertices, {edges:,} edges"), ("bridges", f"{found:,}")]
    facts = {"vertices": vertices, "edges": edges, "bridges": found}
    return Told("bridges", "these are all bridges", facts, lines)


def blocks_of_graph(task: Task) -> Told:
    if task.asked.output is not None:
        require_table_file(task.asked.output)
    wanted = task.open("biconnectivity")
    with ExitStack() as until_told:
        given = _read(task, wanted, until_told)
        task.steps.begin("finding blocks")
        found = find_blocks(wanted, given.edges, given.names)

        def check() -> None:
            from pointerjump.verifiers.biconnectivity import check_blocks

            check_blocks(given.edges, found.labels)

        def write(path: str) -> None:
            table = given.table(np.arange(len(found.labels)), block=found.labels)
            write_table(path, table.schema, [table])

        task.finish(found.stats, check, write, given.names)
    with task.steps.timed("counting", "summary"):
        facts: dict[str, Any] = {
            "vertices": found.vertices,
            "edges": len(found.labels),
            "blocks": found.count,
        }
        facts |= {"articulation_points": len(found.articulation_points)}
        facts |= {"largest": int(found.sizes.max(initial=0))}
    lines = [
        ("graph", f"{found.vertices:,} vertices, {len(found.labels):,} edges"),
        ("blocks", f"{found.count:,}, the largest of {facts['largest']:,} vertices"),
        ("articulation points", f"{facts['articulation_points']:,}"),
    ]
    return Told("edges with their blocks", "these are the blocks", facts, lines)


def _read(task: Task, wanted: Order, until_told: ExitStack) -> Multigraph:
    asked = task.asked
    columns = any((asked.source, asked.target, asked.where))
    numbers = any(value not in (None, "auto") for value in task.reading.values())
    with task.steps.timed("reading", "read"):
        if classify(task.source, columns=columns, numbers=numbers).kind == "table":
            table, where = open_with_conditions(task, until_told)
            roles, numbering = Roles(asked.source, asked.target), wanted.session or REFERENCE
            return multigraph_of_table(table, roles, where or None, numbering, whole=True)
        source, reading = input_and_reading(task.source, task.reading)
        return multigraph_of(source, progress=task.steps.show, **reading)
