"""Finds connected components of graphs whose edges arrive in blocks, on one or more devices.

Each block is discarded after it has been linked, so the edges as a whole need not fit into memory. Each
device links blocks into its own forest, and the forests are joined at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pointerjump.accel.runtime.sessions import session_for
from pointerjump.base.graph import Graph
from pointerjump.formats.pieces import Piece
from pointerjump.solving.checkpoints import Checkpoint
from pointerjump.solving.disjoint_set import DisjointSet
from pointerjump.solving.result import Components, check_labels
from pointerjump.solving.run import Run, choice_for_blocks, is_reference
from pointerjump.solving.shared_blocks import devices_of, kept_of_blocks, pieces_of

PART = 1 << 22  # the number of edges in a block, if a graph is split into blocks


def components_of_blocks(
    blocks: Any,
    algorithm: str = "auto",
    devices: object = None,
    labels: str = "consecutive",
    *,
    vertices: int | None = None,
    choices: Mapping[str, object] | None = None,
    lasting: bool = False,
    checkpoint: Checkpoint | None = None,
    watch: Callable[[Piece], None] = lambda piece: None,
) -> Components:
    """Find the components of a graph whose edges arrive in blocks.

    See :func:`components` for the other parameters and for errors. `devices` may be a single device. If
    `lasting` is true, the caller guarantees that the arrays of a block are not modified later. `watch` is
    called with each :class:`Piece` after its edges have been passed to a device.
    """
    check_labels(labels)
    where = devices_of(devices)
    choice = choice_for_blocks(algorithm, where[0], choices or {})
    run = Run(choice, ())
    run.seconds["transfer"] = 0.0  # edges are copied while others are linked
    session = session_for(where[0]) if len(where) == 1 and not is_reference(where[0]) else None
    sets, end = kept_of_blocks(
        blocks,
        lambda alone, begin: pieces_of(blocks, session, lasting=alone or lasting, begin=begin),
        lambda stated, device: DisjointSet(stated, device, **choice.variant),
        where,
        vertices,
        run.seconds,
        checkpoint,
        watch,
    )
    run.devices, run.counted = tuple(each.device for each in sets), {"records": end["record"]}
    with run.seconds.timed("labels"):
        found = sets[0]._take(labels)
    return Components(found, labels, run)


def components_of_parts(
    graph: Graph, algorithm: str, devices: object, labels: str, choices: Mapping[str, object]
) -> Components:
    """Find the components of a graph by distributing its edges across several devices."""
    edges = graph.edges_as_read
    sources, targets = (edges.sources, edges.targets) if edges else (graph.sources, graph.neighbors)
    parts = ((sources[at : at + PART], targets[at : at + PART]) for at in range(0, len(sources), PART))
    found = components_of_blocks(
        parts, algorithm, devices, labels, vertices=graph.vertices, choices=choices, lasting=True
    )
    found._graph = graph  # for names and spanning forests
    return found
