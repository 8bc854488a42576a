"""Connected components of edges that come in blocks, on one device or several.

Nothing is kept of a block once it is linked, so the edges may be more than memory holds. A file's next block
is read while the last one is linked. If there are several devices, each links blocks into a forest of its
own, and in the end the forests join.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, closing, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from pointerjump.accel.runtime.sessions import session_for
from pointerjump.base.graph import Graph
from pointerjump.errors import DeviceError
from pointerjump.formats.blocks import Blocks
from pointerjump.formats.files import naming
from pointerjump.formats.pieces import FIRST, Piece, Pieces, Position
from pointerjump.solving.checkpoints import Checkpoint
from pointerjump.solving.disjoint_set import DisjointSet
from pointerjump.solving.inputs import HostGraph, edge_blocks
from pointerjump.solving.result import Components, check_labels
from pointerjump.solving.run import Run, Seconds, choice_for_blocks, is_reference

if TYPE_CHECKING:
    from pointerjump.accel.runtime.session import Session

PART = 1 << 22
"""How many of a graph's edges a device takes at a time."""


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
    """Find the components of edges that come in blocks; parameters and errors as for :func:`components`.

    `devices` may be one device, too. `lasting` says that a block's arrays stay as they are when the next one
    is taken. `watch` is told of all edges that have been handed to a device.
    """
    check_labels(labels)
    where = devices_of(devices)
    choice = choice_for_blocks(algorithm, where[0], choices or {})
    of_file = isinstance(blocks, Blocks)
    if vertices is None and of_file:
        vertices = blocks.vertices
    run = Run(choice, ())
    run.seconds["transfer"] = 0.0  # edges travel while others are linked
    named = partial(naming, *blocks.called) if of_file else nullcontext
    with named(), run.seconds.timed("build"):
        sets = [DisjointSet(vertices, device, **choice.variant) for device in where]
    run.devices = tuple(each.device for each in sets)
    alone = len(sets) == 1
    session = session_for(where[0]) if alone and not is_reference(where[0]) else None
    pieces = None if of_file else of_caller(blocks, session, lasting=alone or lasting)
    joined, end = kept_of_blocks(blocks, pieces, named, sets, run.seconds, checkpoint, watch)
    run.counted = {"records": end["record"]}
    with run.seconds.timed("labels"):
        found = joined._take(labels)
    return Components(found, labels, run)


def components_of_parts(
    graph: Graph, algorithm: str, devices: object, labels: str, choices: Mapping[str, object]
) -> Components:
    """Find the components of a graph whose edges several devices share."""
    edges = graph.edges_as_read
    sources, targets = (edges.sources, edges.targets) if edges else (graph.sources, graph.neighbors)
    parts = ((sources[at : at + PART], targets[at : at + PART]) for at in range(0, len(sources), PART))
    found = components_of_blocks(
        parts, algorithm, devices, labels, vertices=graph.vertices, choices=choices, lasting=True
    )
    return Components(found.labels, labels, found.run, HostGraph(graph))


def devices_of(devices: object) -> list[Any]:
    """Return the different devices that a caller names: one, a list of them, or all that work."""
    if isinstance(devices, str) and devices == "all":
        from pointerjump.accel.runtime.devices import devices as all_devices

        working = [device for device in all_devices() if device.works]
        return working or [session_for(None)]  # which says what is missing
    if not isinstance(devices, list | tuple):
        return [devices]
    if not devices:
        raise DeviceError('devices is empty: name at least one, or "all"')
    if any(is_reference(device) for device in devices):
        if len(devices) > 1:
            raise DeviceError("the reference is no device that others could share work with: name it alone")
        return list(devices)
    return list(dict.fromkeys(session_for(device) for device in devices))


def of_caller(blocks: Any, session: Session | None, *, lasting: bool) -> Pieces:
    """Yield the edges of a caller's blocks; pyopencl arrays may be in the context of the session.

    If several devices share them, they are linked while the caller already makes the next block, perhaps in
    the same arrays. So they are copied, unless they last.
    """
    records = 0
    for block in blocks:
        for sources, targets, vertices in edge_blocks(block, session):
            records += len(sources)
            if not lasting:
                sources, targets = sources.copy(), targets.copy()
            yield Piece(sources, targets, {"record": records}, 0, vertices)


def kept_of_blocks(
    blocks: Any,
    pieces: Pieces | None,
    named: Callable[[], AbstractContextManager[None]],
    sets: Sequence[Any],
    seconds: Seconds,
    checkpoint: Checkpoint | None = None,
    watch: Callable[[Piece], None] = lambda piece: None,
) -> tuple[Any, Position]:
    """Return the only one of `sets` that is left once they have taken all edges, and where these end.

    They are the `pieces`, or else those of a file's blocks, from where a checkpoint's run has come to.
    """
    begin = FIRST
    if checkpoint:
        with seconds.timed("checkpoint"):
            if (left := checkpoint.read()) is not None:
                kept, begin = left
                with naming(checkpoint.path):
                    sets[0]._resume(kept)
    with closing(of_file_from(blocks, begin) if pieces is None else pieces) as coming:
        end = link(coming, named, begin, sets, seconds, checkpoint, watch)
    with seconds.timed("join"):
        return join(sets), end


def of_file_from(blocks: Blocks, begin: Position) -> Pieces:
    """Yield the edges of a file from some place on, while a thread already reads the next ones."""
    with closing(blocks.pieces(begin)) as pieces, ThreadPoolExecutor(1, "pointerjump-read") as reader:
        coming = reader.submit(next, pieces, None)
        while (piece := coming.result()) is not None:
            coming = reader.submit(next, pieces, None)
            yield piece


def link(
    pieces: Iterator[Piece],
    named: Callable[[], AbstractContextManager[None]],
    begin: Position,
    sets: Sequence[Any],
    seconds: Seconds,
    checkpoint: Checkpoint | None = None,
    watch: Callable[[Piece], None] = lambda piece: None,
) -> Position:
    """Link all pieces, each into the set of a device that is free; return where they end.

    Sets are all of one class, DisjointSet or MinimumForest. `named` names the file in errors of its edges.
    Errors in reading name it already.
    """
    end, busy = begin, dict[Any, Future[None]]()

    def merge(piece: Piece) -> None:
        """Merge a piece: in this thread into the only set, or else in another into a set that is free."""
        if len(sets) == 1:
            _merge(sets[0], piece)
            return
        if len(busy) == len(sets):
            wait(busy.values(), return_when=FIRST_COMPLETED)
        for each in [each for each, work in busy.items() if work.done()]:
            busy.pop(each).result()
        free = next(each for each in sets if each not in busy)
        busy[free] = threads.submit(_merge, free, piece, settle=True)

    def settle() -> None:
        """Wait until every piece is merged."""
        for work in busy.values():
            work.result()
        for each in sets:
            each._settle()

    def save(to: Checkpoint) -> None:
        with named():
            settle()
        to.write(join(sets)._arrays(), end)

    with ThreadPoolExecutor(len(sets), "pointerjump-link") as threads:
        try:
            while True:
                with seconds.timed("read"):
                    piece = next(pieces, None)
                if piece is None:
                    break
                with seconds.timed("compute"), named():
                    merge(piece)
                end = piece.end
                watch(piece)
                if checkpoint is not None and checkpoint.is_due():
                    with seconds.timed("checkpoint"):
                        save(checkpoint)
            with seconds.timed("compute"), named():
                settle()
        except KeyboardInterrupt:
            if checkpoint is not None and end is not begin:
                save(checkpoint)
            raise
    return end


def _merge(into: Any, piece: Piece, *, settle: bool = False) -> None:
    first = piece.end["record"] - len(piece.sources)
    into._merge_block(*piece.columns, vertices=piece.vertices, first=first)
    if settle:  # so that the next piece goes to the device that is done first
        into._settle()


def join(sets: Sequence[Any]) -> Any:
    """Merge all sets into the first, in pairs, and return it."""
    while len(sets) > 1:
        pairs = list(zip(sets[::2], sets[1::2], strict=False))
        with ThreadPoolExecutor(len(pairs), "pointerjump-join") as threads:
            list(threads.map(lambda pair: pair[0]._join(pair[1]), pairs))
        sets = sets[::2]
    return sets[0]
