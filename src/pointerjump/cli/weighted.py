"""The commands ``mst`` and ``clusters``, for weighted edges in a file or a table of pairs."""

from __future__ import annotations

from math import ceil, floor, isfinite
from typing import Any, Literal

import numpy as np

from pointerjump.base.arrow import pa
from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.base.weighted import Weighted
from pointerjump.cli.graphs import is_table_of_pairs, open_streamed, require_all_edges, why_in_blocks
from pointerjump.cli.tables import input_of_pairs, write_whole
from pointerjump.cli.tasks import Facts, Task, Told
from pointerjump.cli.terminal import Lines
from pointerjump.ids.weighted import weighted_of
from pointerjump.solving.dendrograms import Dendrogram
from pointerjump.solving.minimum_forest import minimum_forest_of_blocks
from pointerjump.solving.spanning_forests import SpanningForest, find_minimum_forest
from pointerjump.tables.write import require_table_file

Clusters = tuple[dict[str, Any], Facts, Lines]  # columns of the output, and the report about them


def minimum_forest(task: Task) -> Told:
    task.require_output(require_table_file)
    found, edges, weighted = _forest(task)

    def check() -> None:
        from pointerjump.verifiers.spanning_forests import verify_places

        assert weighted is not None
        require_all_edges(len(weighted.weights), edges)
        verify_places(weighted, found.places)

    task.finish(found.stats, check, lambda path: write_whole(path, found.table()), found.names)
    with task.steps.timed("counting", "summary"):
        kept, total = len(found.places), found.total
        facts: Facts = {"vertices": found.vertices, "edges": edges, "forest": kept}
        facts |= {"components": found.count, "weight": total if isfinite(total) else None}
        facts |= {"streamed": task.streamed}
    lines = [
        ("forest", f"{kept:,} of {edges:,} edges"),
        ("weight", f"{total:,}"),
        ("components", f"{found.count:,}"),
    ]
    return Told("forest's edges", "it is the minimum spanning forest", facts, lines)


def clusters_by_weight(task: Task) -> Told:
    asked, steps = task.asked, task.steps
    task.require_output(require_table_file)
    forest, edges, weighted = _forest(task)
    tree = Dendrogram(forest, maximum=asked.maximum)
    ids: pa.Array[Any] = pa.array(
        np.arange(tree.vertices, dtype=np.int32) if tree.names is None else tree.names
    )
    with steps.timed("finding clusters", "clusters"):
        cuts = {height: tree.cut(height=height) for height in asked.at or ()}
        columns, facts, lines = (
            _cuts(cuts, ids, asked.min_size or 1)
            if cuts
            else _flat_clusters(tree, asked.min_size, asked.method or "eom")
        )

    def check() -> None:
        assert weighted is not None
        require_all_edges(len(weighted.weights), edges)
        _verify_clusters(weighted, tree, cuts)

    def write(path: str) -> None:
        write_whole(path, pa.table({"id": ids, **columns}))

    task.finish(tree.forest.stats, check, write, tree.names)
    facts = {"vertices": tree.vertices, "edges": edges, **facts, "streamed": task.streamed}
    return Told("clusters", "the clusters are right", facts, lines)


def _cuts(cuts: dict[float, VertexArray], ids: pa.Array[Any], least: int) -> Clusters:
    """Return a column of components for each weight, and their counts and largest sizes as data and as text.

    Components are named after their smallest ids. The names of those with fewer than `least` ids are null.
    """
    columns, facts, lines = {}, [], []
    for height, labels in cuts.items():
        _, first, sizes = np.unique(labels, return_index=True, return_counts=True)
        large = sizes >= least
        named_by: Any = pa.array(first[labels], mask=~large[labels])
        columns[f"component_{height}"] = ids.take(named_by)
        count, largest = int(large.sum()), int(sizes.max(initial=0))
        facts.append({"at": height, "components": count, "largest": largest})
        some = f" of at least {least:,}" if least > 1 else ""
        lines.append((f"at {height}", f"{count:,} components{some}, the largest has {largest:,}"))
    return columns, {"cuts": facts}, lines


def _flat_clusters(tree: Dendrogram, min_size: int, method: Literal["eom", "leaf"]) -> Clusters:
    labels, probabilities, persistence = tree.clusters(min_size, method)
    inside = labels[labels >= 0]
    sizes = np.bincount(inside, minlength=len(persistence))
    none = len(labels) - len(inside)
    facts = {"clusters": len(persistence), "largest": int(sizes.max(initial=0)), "in_none": none}
    lines = [("clusters", f"{len(sizes):,}, the largest has {facts['largest']:,}"), ("in none", f"{none:,}")]
    return {"cluster": labels, "probability": probabilities}, facts, lines


def _verify_clusters(weighted: Weighted, tree: Dendrogram, cuts: dict[float, VertexArray]) -> None:
    """Check the forest and the components in `cuts`. If `cuts` is empty, check all merges of `tree`."""
    from pointerjump.verifiers.graphs import verify
    from pointerjump.verifiers.merges import verify_merges
    from pointerjump.verifiers.spanning_forests import verify_places

    verify_places(weighted, tree.forest.places)
    graph, weights, maximum = weighted
    if not cuts:
        verify_merges(graph, tree.merges, weights, maximum)
    for height, labels in cuts.items():
        bound: Any = np.float64(height)
        if weights.dtype == np.float32 and abs(height) <= float(np.finfo(np.float32).max):
            bound = np.float32(height)
        elif weights.dtype.kind == "i" and isfinite(height):
            bound = (ceil if maximum else floor)(height)
        merged = weights >= bound if maximum else weights <= bound
        sources, targets = (end[merged] for end in weighted.ends)
        verify(Graph.of_edges(sources, targets, graph.vertices), labels)


def _forest(task: Task) -> tuple[SpanningForest, int, Weighted | None]:
    """Read the input and find its minimum or maximum spanning forest.

    Return the forest, the number of edges that were read, and the edges. If the file was read block by
    block, the edges are None.
    """
    asked, steps = task.asked, task.steps
    in_table = is_table_of_pairs(task, asked.weight)
    if not in_table and (why := why_in_blocks(task, weighted=True)) is not None:
        told_apart = {"command": "mst", "maximum": asked.maximum}
        blocks, how = open_streamed(task, "minimum-spanning-forest", why, weighted=True, **told_apart)
        steps.begin("finding a forest")
        how |= {"vertices": None, "algorithm": asked.algorithm, **task.choices}
        found = minimum_forest_of_blocks(blocks, asked.maximum, **how)
        return found, found.stats["records"], None
    wanted = task.open("minimum-spanning-forest")
    with steps.timed("reading", "read"):
        given, reading = input_of_pairs(task, wanted, in_table=in_table)
        weighted, table_of = weighted_of(given, maximum=asked.maximum, weight=asked.weight, **reading)
    steps.begin("finding a forest")
    found = find_minimum_forest(wanted, weighted, table_of)
    return found, len(weighted.weights) if table_of is None else table_of.read, weighted
