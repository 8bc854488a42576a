"""``mst`` and ``clusters``: what edges with weights, in a file or in a table of pairs, connect and merge."""

from __future__ import annotations

from contextlib import ExitStack
from math import ceil, floor, isfinite
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.base.weighted import Weighted
from pointerjump.cli.tables import open_with_conditions
from pointerjump.cli.tasks import Task, Told, input_and_reading
from pointerjump.ids.weighted import weighted_of
from pointerjump.solving.dendrograms import Dendrogram
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


def clusters_by_weight(task: Task) -> Told:
    """Find clusters at given weights, or of some least size."""
    asked, steps = task.asked, task.steps
    if asked.output is not None:
        require_table_file(asked.output)
    wanted = task.open("minimum-spanning-forest")
    with ExitStack() as until_told:
        with steps.timed("reading", "read"):
            weighted, table_of = _weighted(task, wanted, until_told)
        steps.begin("finding a forest")
        tree = Dendrogram(find_minimum_forest(wanted, weighted, table_of), maximum=weighted.maximum)
        with steps.timed("finding clusters", "clusters"):
            found = _flat_clusters(tree, asked) if asked.at is None else _cuts(tree, asked)

        def check() -> None:
            _verify_clusters(weighted, tree, found)

        def write(path: str) -> None:
            table = found.table()
            write_table(path, table.schema, [table])

        task.finish(tree.forest.stats, check, write, tree.names)
    counts: dict[str, Any] = {"vertices": tree.vertices, "edges": len(weighted.weights)}
    return Told("clusters", "the clusters are right", {**counts, **found.facts}, found.lines)


class ToldClusters(NamedTuple):
    """Clusters, and what is told of them.

    `labels` are those at each weight of the option ``--at``, before small clusters are left out.
    """

    columns: dict[str, Any]
    facts: dict[str, Any]
    lines: list[tuple[str, str]]
    labels: dict[float, VertexArray]
    names: Any

    def table(self) -> pa.Table:
        """Return a table with a row for each vertex."""
        return pa.table({"id": self.names, **self.columns})


def _cuts(tree: Dendrogram, asked: SimpleNamespace) -> ToldClusters:
    """Return the components at each weight, named by their first vertex."""
    ids = _ids_of(tree)
    columns, facts, lines, found = {}, [], [], {}
    least = asked.min_size or 1
    for height in asked.at:
        labels = found[height] = tree.cut(height=height)
        _, first, sizes = np.unique(labels, return_index=True, return_counts=True)
        large = sizes >= least
        named_by: Any = pa.array(first[labels], mask=~large[labels])
        columns[f"component_{height}"] = ids.take(named_by)
        count, largest = int(large.sum()), int(sizes.max(initial=0))
        facts.append({"at": height, "components": count, "largest": largest})
        some = f" of at least {least:,}" if least > 1 else ""
        lines.append((f"at {height}", f"{count:,} components{some}, the largest has {largest:,}"))
    return ToldClusters(columns, {"cuts": facts}, lines, found, ids)


def _flat_clusters(tree: Dendrogram, asked: SimpleNamespace) -> ToldClusters:
    """Return the clusters that last longest, or those that never split."""
    labels, probabilities, persistence = tree.clusters(asked.min_size, asked.method or "eom")
    columns = {"cluster": labels, "probability": probabilities}
    inside = labels[labels >= 0]
    sizes = np.bincount(inside, minlength=len(persistence))
    none = len(labels) - len(inside)
    facts = {"clusters": len(persistence), "largest": int(sizes.max(initial=0)), "in_none": none}
    lines = [("clusters", f"{len(sizes):,}, the largest has {facts['largest']:,}"), ("in none", f"{none:,}")]
    return ToldClusters(columns, facts, lines, {}, _ids_of(tree))


def _ids_of(tree: Dendrogram) -> pa.Array[Any]:
    """Return what the input calls each vertex."""
    names = np.arange(tree.vertices, dtype=np.int32) if tree.names is None else tree.names
    ids: pa.Array[Any] = pa.array(names)
    return ids


def _verify_clusters(weighted: Weighted, tree: Dendrogram, found: ToldClusters) -> None:
    """Check the forest; and components by the edges up to each weight, or the merges."""
    from pointerjump.verifiers.graphs import verify
    from pointerjump.verifiers.merges import verify_merges
    from pointerjump.verifiers.spanning_forests import verify_places

    verify_places(weighted, tree.forest.places)
    graph, weights, maximum = weighted
    if not found.labels:
        verify_merges(graph, tree.merges, weights, maximum)
    for height, labels in found.labels.items():
        bound = (
            (ceil if maximum else floor)(height) if weights.dtype.kind == "i" else weights.dtype.type(height)
        )
        merged = weights >= bound if maximum else weights <= bound
        sources, targets = (end[merged] for end in weighted.ends)
        verify(Graph.of_edges(sources, targets, graph.vertices), labels)


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
