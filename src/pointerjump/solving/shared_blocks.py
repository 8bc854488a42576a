"""Merges edges that arrive in blocks, on one or more devices.

Each device merges blocks into its own set, which is a DisjointSet or a MinimumForest. While one block of a
file is being merged, the next one is read. When a checkpoint is due, the sets are joined and written to it.
At the end, the sets are joined into one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, closing, nullcontext
from functools import partial
from os.path import exists
from typing import TYPE_CHECKING, Any

import numpy as np

from pointerjump.accel.runtime.sessions import session_for
from pointerjump.errors import DeviceError, GraphError
from pointerjump.formats.blocks import Blocks
from pointerjump.formats.files import naming
from pointerjump.formats.pieces import FIRST, Piece, Pieces, Position
from pointerjump.solving.checkpoints import Checkpoint
from pointerjump.solving.inputs import edge_blocks
from pointerjump.solving.run import Seconds, is_reference

if TYPE_CHECKING:
    from pointerjump.accel.runtime.session import Session


def devices_of(devices: object) -> list[Any]:
    """Return a list of distinct devices, given one device, a list, or "all" for all devices that work."""
    if isinstance(devices, str) and devices == "all":
        from pointerjump.accel.runtime.devices import devices as all_devices

        working = [device for device in all_devices() if device.works]
        return working or [session_for(None)]  # raises an error that says what is missing
    if not isinstance(devices, list | tuple):
        return [devices]
    if not devices:
        raise DeviceError('devices is empty: name at least one, or "all"')
    if any(is_reference(device) for device in devices):
        if len(devices) > 1:
            raise DeviceError("the reference cannot share work with devices: name it alone")
        return list(devices)
    return list(dict.fromkeys(session_for(device) for device in devices))


def named_by(blocks: Any) -> Callable[[], AbstractContextManager[object]]:
    """Return a factory of context managers that add the input file's name, if any, to error messages."""
    return partial(naming, *blocks.called) if isinstance(blocks, Blocks) else nullcontext


def pieces_of(blocks: Any, session: Session | None, *, lasting: bool, begin: Position = FIRST) -> Pieces:
    """Yield edges from a file, starting at position `begin`, or from blocks that a caller passed.

    The caller's pyopencl arrays must be in the context of the session. If `lasting` is false, the caller's
    arrays are copied, because they may be reused for the next block while the current one is being linked.
    """
    if isinstance(blocks, Blocks):
        yield from of_file(blocks, begin)
        return
    records = 0
    for block in blocks:
        _refuse_pair(block)
        for sources, targets, vertices in edge_blocks(block, session):
            records += len(sources)
            if not lasting:
                sources, targets = sources.copy(), targets.copy()
            yield Piece(sources, targets, {"record": records}, 0, vertices)


def _refuse_pair(block: Any) -> None:
    """Raise an error if a block is one edge: two integers, or two strings that name no existing files."""
    if not (isinstance(block, list | tuple) and len(block) == 2):
        return
    # Path.exists raises an error for long strings.
    no_file = (isinstance(end, str) and not exists(end) for end in block)  # noqa: PTH110
    if all(isinstance(end, int | np.integer) for end in block) or all(no_file):
        raise GraphError(
            f"{block!r} is one pair, or two files that are not there, but an iterator gives blocks of edges: "
            "make a list of the pairs"
        )


def kept_of_blocks(
    blocks: Any,
    pieces: Callable[[bool, Position], Pieces],
    make: Callable[[int | None, Any], Any],
    devices: Sequence[Any],
    vertices: int | None,
    seconds: Seconds,
    checkpoint: Checkpoint | None = None,
    watch: Callable[[Piece], None] = lambda piece: None,
) -> tuple[list[Any], Position]:
    """Merge blocks of edges into one set per device, and then join all sets into the first one.

    Return the sets, and the position after the last edge. ``make(vertices, device)`` creates the set for a
    device. ``pieces(alone, begin)`` yields the edges, starting at position `begin`; `alone` is true if there
    is only one device.
    """
    if vertices is None and isinstance(blocks, Blocks):
        vertices = blocks.vertices
    named, begin = named_by(blocks), FIRST
    with named(), seconds.timed("build"):
        sets = [make(vertices, device) for device in devices]
    if checkpoint:
        with seconds.timed("checkpoint"):
            if (left := checkpoint.read()) is not None:
                kept, begin = left
                with naming(checkpoint.path):
                    sets[0]._resume(kept)
    with closing(pieces(len(sets) == 1, begin)) as coming:
        end = link(coming, named, begin, sets, seconds, checkpoint, watch)
    with seconds.timed("join"):
        join(sets)
    return sets, end


def of_file(blocks: Blocks, begin: Position) -> Pieces:
    """Yield the edges of a file, starting at position `begin`. A background thread reads ahead."""
    with closing(blocks.pieces(begin)) as pieces, ThreadPoolExecutor(1, "pointerjump-read") as reader:
        coming = reader.submit(next, pieces, None)
        while (piece := coming.result()) is not None:
            coming = reader.submit(next, pieces, None)
            yield piece


def link(
    pieces: Iterator[Piece],
    named: Callable[[], AbstractContextManager[object]],
    begin: Position,
    sets: Sequence[Any],
    seconds: Seconds,
    checkpoint: Checkpoint | None = None,
    watch: Callable[[Piece], None] = lambda piece: None,
) -> Position:
    """Merge each piece into a set that is not busy. Return the position after the last piece.

    `named` creates context managers that add the file's name to error messages. They are not used for read
    errors, which already mention the name.
    """
    end, busy = begin, dict[Any, Future[None]]()

    def merge(piece: Piece) -> None:
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
    if settle:  # so that the first device to finish gets the next piece
        into._settle()


def join(sets: Sequence[Any]) -> Any:
    """Merge all sets pairwise into the first one, and return it."""
    while len(sets) > 1:
        pairs = list(zip(sets[::2], sets[1::2], strict=False))
        with ThreadPoolExecutor(len(pairs), "pointerjump-join") as threads:
            list(threads.map(lambda pair: pair[0]._join(pair[1]), pairs))
        sets = sets[::2]
    return sets[0]
