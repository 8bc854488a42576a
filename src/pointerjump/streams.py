"""Connected components of edges that come in blocks, on one device or several.

Nothing is kept of a block once it is linked, so the edges may be more than memory holds. A file's next block
is read while the last one is linked. If there are several devices, each links blocks into a forest of its
own, and in the end the forests join.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

from pointerjump.accel.runtime.sessions import session_for
from pointerjump.disjoint_set import DisjointSet
from pointerjump.errors import DeviceError
from pointerjump.formats.blocks import Blocks
from pointerjump.formats.files import naming
from pointerjump.formats.pieces import FIRST, Position
from pointerjump.graph import Graph
from pointerjump.inputs import HostGraph, edge_blocks
from pointerjump.result import Components, check_labels
from pointerjump.run import Run, choice_for_blocks, is_reference

if TYPE_CHECKING:
    from pointerjump.checkpoints import Checkpoint


class Batch(NamedTuple):
    """Some edges of a stream, and where in the stream they end.

    Attributes
    ----------
    sources, targets : ndarray of int
        The two ends of each edge.
    vertices : int
        There are at least so many vertices.
    end : mapping of str to int
        The place in the stream to go on from; ``end["record"]`` is the number of edges before it.
    bytes_read : int
        How many bytes of the input have been read so far.
    """

    sources: Any
    targets: Any
    vertices: int
    end: Mapping[str, int]
    bytes_read: int = 0


PART = 1 << 22
"""How many of a graph's edges a device takes at a time."""

Watch = Callable[[Batch], None]
"""Is told of every batch that has been handed to a device."""


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
    watch: Watch = lambda batch: None,
) -> Components:
    """Find the components of edges that come in blocks; parameters and errors as for :func:`components`.

    Parameters
    ----------
    devices : object
        A device as `device` of :func:`components` names it, a list of such, or ``"all"``.
    lasting : bool
        Whether a block's arrays stay as they are when the next block is taken.
    checkpoint : Checkpoint, optional
        Where the forest is kept now and then, so that a later call goes on from there.
    watch : callable, optional
    """
    check_labels(labels)
    where = devices_of(devices)
    choice = choice_for_blocks(algorithm, where[0], choices or {})
    if vertices is None and isinstance(blocks, Blocks):
        vertices = blocks.vertices
    run = Run(choice, ())
    run.seconds["transfer"] = 0.0  # edges travel while others are linked
    with _naming(blocks), run.seconds.timed("build"):
        sets = [DisjointSet(vertices, device, **choice.variant) for device in where]
    run.devices = tuple(each.device for each in sets)
    begin = FIRST
    if checkpoint:
        with run.seconds.timed("checkpoint"):
            begin = checkpoint.resume(sets[0]) or FIRST
    if isinstance(blocks, Blocks):
        batches = _of_file(blocks, begin)
    else:
        batches = _of_caller(blocks, where, lasting=lasting)
    with closing(batches):
        end = _link(blocks, batches, begin, sets, run, checkpoint, watch)
    run.counted = {"records": end["record"]}
    with run.seconds.timed("join"):
        joined = _join(sets)
    with run.seconds.timed("labels"):
        found = joined._take(labels)
    return Components(found, labels, run)


def components_of_parts(
    graph: Graph, algorithm: str, devices: object, labels: str, choices: Mapping[str, object]
) -> Components:
    """Find the components of a graph whose edges several devices share."""
    found = components_of_blocks(
        _parts(graph), algorithm, devices, labels, vertices=graph.vertices, choices=choices, lasting=True
    )
    return Components(found.labels, labels, found.run, HostGraph(graph))


def _parts(graph: Graph) -> Iterator[tuple[Any, Any]]:
    """Yield a graph's stored edges, some at a time."""
    edges = graph.edges_as_read
    sources, targets = (edges.sources, edges.targets) if edges else (graph.sources, graph.neighbors)
    for begin in range(0, len(sources), PART):
        some = slice(begin, begin + PART)
        yield sources[some], targets[some]


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


def _of_caller(blocks: Any, devices: Sequence[Any], *, lasting: bool) -> Generator[Batch, None, None]:
    """Yield the edges of a caller's blocks.

    If several devices share them, they are linked while the caller already makes the next block, perhaps in
    the same arrays. So they are copied, unless they last.
    """
    alone = len(devices) == 1
    session = session_for(devices[0]) if alone and not is_reference(devices[0]) else None
    records = 0
    for block in blocks:
        for sources, targets, vertices in edge_blocks(block, session):
            records += len(sources)
            if not (alone or lasting):
                sources, targets = sources.copy(), targets.copy()
            yield Batch(sources, targets, vertices, {"record": records})


def _of_file(blocks: Blocks, begin: Position) -> Generator[Batch, None, None]:
    """Yield the edges of a file from some place on, while a thread already reads the next ones."""
    with closing(blocks.pieces(begin)) as pieces, ThreadPoolExecutor(1, "pointerjump-read") as reader:
        coming = reader.submit(next, pieces, None)
        while (piece := coming.result()) is not None:
            coming = reader.submit(next, pieces, None)
            yield Batch(piece.sources, piece.targets, 0, piece.end, piece.bytes_read)


def _link(
    blocks: Any,
    batches: Iterator[Batch],
    begin: Position,
    sets: Sequence[DisjointSet],
    run: Run,
    checkpoint: Checkpoint | None,
    watch: Watch,
) -> Position:
    """Link all batches, each into the forest of a device that is free; return where they end."""
    end = begin
    with _Linkers(sets, blocks) as linkers:
        try:
            while (batch := _next(batches, run)) is not None:
                with run.seconds.timed("compute"):
                    linkers.merge(batch)
                end = batch.end
                watch(batch)
                if checkpoint is not None and checkpoint.is_due():
                    with run.seconds.timed("checkpoint"):
                        linkers.save(checkpoint, end)
            with run.seconds.timed("compute"):
                linkers.wait()
        except KeyboardInterrupt:
            if checkpoint is not None and end is not begin:
                linkers.save(checkpoint, end)
            raise
    return end


def _next(batches: Iterator[Batch], run: Run) -> Batch | None:
    with run.seconds.timed("read"):
        return next(batches, None)


@contextmanager
def _naming(blocks: Any) -> Iterator[None]:
    """Name the file in errors of its edges. Errors in reading name it already."""
    if not isinstance(blocks, Blocks):
        yield
        return
    with naming(*blocks.called):
        yield


class _Linkers:
    """Merges batches into sets: one set in the caller's thread, several in a thread each."""

    def __init__(self, sets: Sequence[DisjointSet], blocks: Any) -> None:
        self._sets = sets
        self._blocks = blocks
        self._threads = ThreadPoolExecutor(len(sets), "pointerjump-link") if len(sets) > 1 else None
        self._free: SimpleQueue[DisjointSet] = SimpleQueue()
        self._busy: list[Future[None]] = []
        for each in sets:
            self._free.put(each)

    def __enter__(self) -> _Linkers:
        return self

    def __exit__(self, *_: object) -> None:
        if self._threads:
            self._threads.shutdown()

    def merge(self, batch: Batch) -> None:
        """Merge a batch into a set that is free; wait for one if need be."""
        with _naming(self._blocks):
            if self._threads is None:
                _merge(self._sets[0], batch)
                return
            free = self._free.get()
            self._busy = [each for each in self._busy if not _is_over(each)]
            self._busy.append(self._threads.submit(self._merge_and_free, free, batch))

    def wait(self) -> None:
        """Wait until every batch is merged."""
        with _naming(self._blocks):
            for work in self._busy:
                work.result()
            for each in self._sets:
                each._settle()

    def save(self, checkpoint: Checkpoint, end: Position) -> None:
        """Write a checkpoint at the end of the last batch, once every batch is merged."""
        self.wait()
        checkpoint.save(_join(self._sets), end)

    def _merge_and_free(self, into: DisjointSet, batch: Batch) -> None:
        try:
            _merge(into, batch)
            into._settle()  # so that the next batch goes to whoever is done first
        finally:
            self._free.put(into)


def _is_over(work: Future[None]) -> bool:
    """Return whether work is over; raise the error that has ended it."""
    if work.done():
        work.result()
    return work.done()


def _merge(into: DisjointSet, batch: Batch) -> None:
    first = batch.end["record"] - len(batch.sources)
    into._merge_block(batch.sources, batch.targets, batch.vertices, first)


def _join(sets: Sequence[DisjointSet]) -> DisjointSet:
    """Merge all sets into the first, in pairs, and return it."""
    while len(sets) > 1:
        pairs = list(zip(sets[::2], sets[1::2], strict=False))
        with ThreadPoolExecutor(len(pairs), "pointerjump-join") as threads:
            list(threads.map(lambda pair: pair[0].update(pair[1]), pairs))
        sets = sets[::2]
    return sets[0]
