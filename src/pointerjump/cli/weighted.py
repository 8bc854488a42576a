"""``mst`` and ``clusters``, for edges with weights in a file or a table of pairs."""

from __future__ import annotations

from contextlib import ExitStack
from math import ceil, floor, isfinite
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from pointerjump.base.arrow import pa
from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.base.weighted import Weighted
from pointerjump.cli.graphs import (
    Streamed,
    devices_for_blocks,
    is_table_of_pairs,
    open_streamed,
    refuse_devices,
    require_all_edges,
    told_of,
    why_in_blocks,
)
from pointerjump.cli.tables import open_with_conditions, write_whole
from pointerjump.cli.tasks import Task, Told, bounded, input_and_reading, require_more_than_the_program
from pointerjump.ids.weighted import weighted_of
from pointerjump.solving.dendrograms import Dendrogram
from pointerjump.solving.inputs import Given
from pointerjump.solving.minimum_forest import minimum_forest_of_blocks
from pointerjump.solving.run import REFERENCE, Order
from pointerjump.solving.spanning_forests import SpanningForest, TableOfEdges, find_minimum_forest
from pointerjump.tables.open import Roles
from pointerjump.tables.write import require_table_file


def minimum_forest(task: Task) -> Told:
    task.require_output(require_table_file)
    with ExitStack() as until_told:
        found, edges, weighted, streamed = _forest(task, until_told)

        def check() -> None:
            from pointerjump.verifiers.spanning_forests import verify_places

            assert weighted is not None
            require_all_edges(len(weighted.weights), edges)
            verify_places(weighted, found.places)

        task.finish(found.stats, check, lambda path: write_whole(path, found.table()), found.names)
    with task.steps.timed("counting", "summary"):
        kept, total = len(found.places), found.total
        facts: dict[str, Any] = {"vertices": found.vertices, "edges": edges, "forest": kept}
        facts |= {"components": found.count, "weight": total if isfinite(total) else None}
    of_stream, of_stream_in_words = told_of(streamed, task.steps)
    lines = [
        ("forest", f"{kept:,} of {edges:,} edges"),
        ("weight", f"{total:,}"),
        ("components", f"{found.count:,}"),
        *of_stream_in_words,
    ]
    facts |= of_stream
    return Told("forest's edges", "it is the minimum spanning forest", facts, lines)


def clusters_by_weight(task: Task) -> Told:
    asked, steps = task.asked, task.steps
    task.require_output(require_table_file)
    with ExitStack() as until_told:
        forest, edges, weighted, streamed = _forest(task, until_told)
        tree = Dendrogram(forest, maximum=asked.maximum)
        with steps.timed("finding clusters", "clusters"):
            found = _flat_clusters(tree, asked) if asked.at is None else _cuts(tree, asked)

        def check() -> None:
            assert weighted is not None
            require_all_edges(len(weighted.weights), edges)
            _verify_clusters(weighted, tree, found)

        task.finish(tree.forest.stats, check, lambda path: write_whole(path, found.table()), tree.names)
    of_stream, of_stream_in_words = told_of(streamed, steps)
    facts: dict[str, Any] = {"vertices": tree.vertices, "edges": edges, **found.facts, **of_stream}
    return Told("clusters", "the clusters are right", facts, [*found.lines, *of_stream_in_words])


class ToldClusters(NamedTuple):
    """Clusters, and the report about them.

    `labels` holds the labels at each weight of ``--at``, before small clusters are left out.
    """

    columns: dict[str, Any]
    facts: dict[str, Any]
    lines: list[tuple[str, str]]
    labels: dict[float, VertexArray]
    names: Any

    def table(self) -> pa.Table:
        return pa.table({"id": self.names, **self.columns})


def _cuts(tree: Dendrogram, asked: SimpleNamespace) -> ToldClusters:
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
    labels, probabilities, persistence = tree.clusters(asked.min_size, asked.method or "eom")
    columns = {"cluster": labels, "probability": probabilities}
    inside = labels[labels >= 0]
    sizes = np.bincount(inside, minlength=len(persistence))
    none = len(labels) - len(inside)
    facts = {"clusters": len(persistence), "largest": int(sizes.max(initial=0)), "in_none": none}
    lines = [("clusters", f"{len(sizes):,}, the largest has {facts['largest']:,}"), ("in none", f"{none:,}")]
    return ToldClusters(columns, facts, lines, {}, _ids_of(tree))


def _ids_of(tree: Dendrogram) -> pa.Array[Any]:
    names = np.arange(tree.vertices, dtype=np.int32) if tree.names is None else tree.names
    ids: pa.Array[Any] = pa.array(names)
    return ids


def _verify_clusters(weighted: Weighted, tree: Dendrogram, found: ToldClusters) -> None:
    """Check the forest, and either the merges or the components of the edges up to each weight."""
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


def _forest(
    task: Task, until_told: ExitStack
) -> tuple[SpanningForest, int, Weighted | None, Streamed | None]:
    """Read the input and find its forest, block by block if the file is too large or memory is bounded.

    Also return the number of edges in the graph, and either the edges or the file that is read in blocks.
    """
    asked, steps = task.asked, task.steps
    in_table = is_table_of_pairs(task, asked.weight)
    if not in_table and (why := why_in_blocks(task, weighted=True)) is not None:
        devices = devices_for_blocks(task, "minimum-spanning-forest", unchecked=why)
        how = {"command": "mst", "maximum": asked.maximum}
        streamed = open_streamed(task, why, until_told, weighted=True, **how)
        steps.begin("finding a forest")
        asked_for = {"algorithm": asked.algorithm, **task.choices, **streamed.following(steps)}
        found = minimum_forest_of_blocks(streamed.blocks, asked.maximum, devices, None, **asked_for)
        return found, found.stats["records"], None, streamed
    refuse_devices(task)
    wanted = task.open("minimum-spanning-forest")
    until_told.enter_context(bounded(asked.memory))
    with steps.timed("reading", "read"):
        require_more_than_the_program(asked.memory)
        weighted, table_of = _weighted(task, wanted, until_told, in_table=in_table)
    steps.begin("finding a forest")
    found = find_minimum_forest(wanted, weighted, table_of)
    count = len(weighted.weights) if table_of is None else table_of.read
    return found, count, weighted, None


def _weighted(
    task: Task, wanted: Order, until_told: ExitStack, *, in_table: bool
) -> tuple[Weighted, TableOfEdges | None]:
    asked = task.asked
    if in_table:
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
