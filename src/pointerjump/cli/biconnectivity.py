"""The commands ``bridges`` and ``blocks``, and the options ``--explain`` and ``--weak`` of ``cc``."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from pointerjump.cli.graphs import is_table_of_pairs, open_streamed, require_all_edges, why_in_blocks
from pointerjump.cli.sizes import plain
from pointerjump.cli.tables import input_of_pairs, write_whole
from pointerjump.cli.tasks import Task, Told
from pointerjump.cli.terminal import printable, table_with_headings
from pointerjump.errors import TableError
from pointerjump.generators import is_spec
from pointerjump.graphs.explain import Explanation
from pointerjump.ids.multigraphs import Multigraph, multigraph_of
from pointerjump.solving.biconnected import find_blocks, find_bridges
from pointerjump.solving.minimum_forest import certificate_of_blocks
from pointerjump.solving.run import Order, order
from pointerjump.tables.write import require_table_file

ROWS_SHOWN = 50  # the most rows of an explanation that are printed in a table

_NOT_EXPLAINED = (  # options of ``cc`` that have no effect on an explanation
    *("group", "member", "nodes", "sort", "labels", "devices", "check", "top", "histogram"),
    *("memory", "checkpoint"),
)


def bridges_of_graph(task: Task) -> Told:
    task.require_output(require_table_file)
    in_table = is_table_of_pairs(task)
    if not in_table and (why := why_in_blocks(task)) is not None:
        blocks, how = open_streamed(task, "bridges", why, command="bridges")
        task.steps.begin("keeping two forests")
        edges, records = certificate_of_blocks(blocks, **how)
        given = Multigraph(edges, None, records)
        wanted = order("bridges", task.asked.algorithm, how["devices"][0], task.choices)
    else:
        wanted = task.open("bridges")
        given = _read(task, wanted, in_table=in_table, bridges=True)
    task.steps.begin("finding bridges")
    places, run = find_bridges(wanted, given.edges)
    if not len(places):
        given.warn_if_doubled()

    def check() -> None:
        from pointerjump.verifiers.biconnectivity import check_bridges

        require_all_edges(len(given.edges.sources), given.records)
        check_bridges(given.edges, given.edges.sources[places], given.edges.targets[places])

    task.finish(run.stats(), check, lambda path: write_whole(path, given.table(places)), given.names)
    with task.steps.timed("counting", "summary"):
        vertices, count, found = given.edges.vertices, given.records, len(places)
    lines = [("graph", f"{vertices:,} vertices, {count:,} edges"), ("bridges", f"{found:,}")]
    facts = {"vertices": vertices, "edges": count, "bridges": found, "streamed": task.streamed}
    return Told("bridges", "these are all bridges", facts, lines)


def blocks_of_graph(task: Task) -> Told:
    task.require_output(require_table_file)
    wanted = task.open("biconnectivity")
    given = _read(task, wanted, in_table=is_table_of_pairs(task))
    task.steps.begin("finding blocks")
    found = find_blocks(wanted, given.edges, given.names)

    def check() -> None:
        from pointerjump.verifiers.biconnectivity import check_blocks

        check_blocks(given.edges, found.labels)

    def write(path: str) -> None:
        write_whole(path, given.table(np.arange(len(found.labels)), block=found.labels))

    task.finish(found.stats, check, write, given.names)
    with task.steps.timed("counting", "summary"):
        facts = {"vertices": found.vertices, "edges": len(found.labels), "blocks": found.count}
        facts |= {"articulation_points": len(found.articulation_points)}
        facts |= {"largest": int(found.sizes.max(initial=0))}
    lines = [
        ("graph", f"{found.vertices:,} vertices, {len(found.labels):,} edges"),
        ("blocks", f"{found.count:,}, the largest of {facts['largest']:,} vertices"),
        ("articulation points", f"{facts['articulation_points']:,}"),
    ]
    return Told("edges with their blocks", "these are the blocks", facts, lines)


def explanation_of_table(task: Task) -> Told:
    """Find rows that connect two ids (``--explain``), or find the bridges of a cluster (``--weak``)."""
    asked = task.asked
    what = "--explain" if asked.weak is None else "--weak"
    if asked.explain and asked.weak:
        raise click.UsageError("--explain and --weak are both given: leave one out")
    unused = [name for name in _NOT_EXPLAINED if getattr(asked, name)]
    unused += ["algorithm"] if asked.algorithm != "auto" else ["variant"] if task.choices else []
    if unused:
        raise click.UsageError(
            f"{what} has no use for --{unused[0].replace('check', 'verify')}: leave it out"
        )
    if isinstance(task.source, str) and is_spec(task.source):
        raise TableError(f"{task.source}: a generator makes a graph, not a table: leave out {what}")
    task.require_output(require_table_file)
    wanted = task.open("bridges")
    given = _read(task, wanted, in_table=True)
    task.steps.begin("explaining")
    explained = Explanation(given, wanted)
    if asked.weak is None:
        found = explained.why(*(_as_id(each, given) for each in asked.explain))
    else:
        found = explained.weak_links(_as_id(asked.weak, given))
    task.finish(explained.stats, lambda: None, lambda path: write_whole(path, found))
    rows = [{name: plain(value) for name, value in row.items()} for row in found.to_pylist()]
    counts = {"ids": given.edges.vertices, "rows": len(given.edges.sources), "found": len(rows)}
    lines = [("table", f"{counts['rows']:,} rows, {counts['ids']:,} ids")]
    title = " joins ".join(asked.explain or ()) if asked.weak is None else f"Weak links of {asked.weak}"
    shown = [[printable(str(value)) for value in row.values()] for row in rows[:ROWS_SHOWN]]
    shown += [["..."] * len(found.column_names)] if len(rows) > ROWS_SHOWN else []
    table = table_with_headings(printable(title), [*map(printable, found.column_names)], shown)
    name = "path" if asked.weak is None else "weak links"
    lines.append((name, f"{len(rows):,}"))
    return Told(name, "", {**counts, name.replace(" ", "_"): rows}, lines, [table])


def _as_id(text: str, given: Multigraph) -> Any:
    """Convert text to the type of the table's ids, if possible. Bytes must be written in hexadecimal."""
    assert given.names is not None
    of_integers, first = given.names.dtype.kind in "iu", next(iter(given.names), "")
    try:
        return int(text) if of_integers else bytes.fromhex(text) if isinstance(first, bytes) else text
    except ValueError:
        return text


def _read(task: Task, wanted: Order, *, in_table: bool, bridges: bool = False) -> Multigraph:
    """Read a multigraph. For `bridges`, rows of a large table that do not affect bridges may be dropped."""
    with task.steps.timed("reading", "read"):
        given, reading = input_of_pairs(task, wanted, in_table=in_table)
        return multigraph_of(given, whole=True, bridges=bridges, **reading)
