"""A simulated parallel machine that reorders loop iterations, performs stale reads and counts accesses.

A reference implementation runs its parallel loops with ``in_parallel``, creates its shared arrays with
``shared`` and names its kernels with ``phase`` (see :mod:`pointerjump.reference.vocabulary`). Loop iterations
inside ``with Machine(...)`` may run in any order, and every access to a shared array is counted.

Each outermost parallel loop is one kernel. A kernel sees everything that earlier kernels wrote. Within a
kernel, a plain read of a cell may return any value that the cell has held since the kernel began. An
iteration always sees its own writes. An atomic operation always sees and changes the newest value.

Examples
--------
>>> from pointerjump import Graph
>>> from pointerjump.reference.afforest import afforest
>>> with Machine(order="random", stale=True, seed=7) as machine:
...     afforest(Graph.from_edges([0, 4], [2, 3], vertices=5)).tolist()
[0, 1, 0, 3, 3]
>>> machine.rounds("link"), machine.reads["compress", "pi"] > 0
(2, True)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar, Token
from random import Random
from typing import Any, TypeVar

T = TypeVar("T")
Step = tuple[int, int]  # worker, position

CURRENT: ContextVar[Machine | None] = ContextVar("machine", default=None)
REMEMBERED = 8  # the number of older values of a cell that a stale read may return


def forward(k: int, workers: int, random: Random) -> Iterator[Step]:
    return ((i * workers // k, i) for i in range(k))


def backward(k: int, workers: int, random: Random) -> Iterator[Step]:
    return ((i * workers // k, i) for i in reversed(range(k)))


def shuffled(k: int, workers: int, random: Random) -> Iterator[Step]:
    return ((i * workers // k, i) for i in random.sample(range(k), k))


def striding(k: int, workers: int, random: Random) -> Iterator[Step]:
    """Deal out positions to workers in turn: worker i gets i, i + `workers`, ... (Dehne's *striding*)."""
    return ((i % workers, i) for i in range(k))


def chunks(k: int, workers: int, random: Random) -> Iterator[Step]:
    """Assign each worker a contiguous chunk. All workers advance in step (Dehne's *partitioning*)."""
    bounds = [k * w // workers for w in range(workers + 1)]
    longest = max(high - low for low, high in zip(bounds, bounds[1:], strict=False))
    for step in range(longest):
        for worker in range(workers):
            if bounds[worker] + step < bounds[worker + 1]:
                yield worker, bounds[worker] + step


def uneven(k: int, workers: int, random: Random) -> Iterator[Step]:
    """Assign each worker a contiguous chunk. On average, each worker is twice as fast as the previous one."""
    bounds = [k * w // workers for w in range(workers + 1)]
    at = bounds[:-1]
    moving = [w for w in range(workers) if at[w] < bounds[w + 1]]
    while moving:
        worker = random.choices(moving, [2.0**w for w in moving])[0]
        yield worker, at[worker]
        at[worker] += 1
        if at[worker] == bounds[worker + 1]:
            moving.remove(worker)


ORDERS: dict[str, Callable[[int, int, Random], Iterator[Step]]] = {
    "forward": forward,
    "reverse": backward,
    "random": shuffled,
    "striding": striding,
    "chunks": chunks,
    "uneven": uneven,
}


class Cells(list[Any]):
    """A shared array. The simulated machine counts each access by index, but not iteration or slicing."""

    def __init__(self, values: Iterable[Any], name: str, machine: Machine) -> None:
        super().__init__(values)
        self.name = name
        self._machine = machine
        self._older: dict[int, tuple[int, int, list[Any]]] = {}  # kernel, iteration, values

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return super().__getitem__(at)
        value = self.newest(at)
        machine = self._machine
        if machine.stale and at in self._older:
            kernel, iteration, older = self._older[at]
            if kernel == machine.kernel and iteration != machine.iteration:
                return machine.random.choice([*older, value])
        return value

    def newest(self, at: int) -> Any:
        """Return the current value of a cell, which is also what an atomic operation sees."""
        self._machine.count("read", self, at)
        return super().__getitem__(at)

    def __setitem__(self, at: Any, value: Any) -> None:
        machine = self._machine
        machine.count("write", self, at)
        old = super().__getitem__(at)
        if machine.on_write:
            machine.on_write(self, at, old, value)
        if machine.stale:
            kernel, _, older = self._older.get(at, (-1, -1, []))
            older = [*older[1 - REMEMBERED :], old] if kernel == machine.kernel else [old]
            self._older[at] = (machine.kernel, machine.iteration, older)
        super().__setitem__(at, value)


class Row(list[int]):
    """The neighbors of one vertex. A neighbor counts as read when iteration over the row reaches it."""

    name = "neighbors"

    def __init__(self, values: Iterable[int], machine: Machine) -> None:
        super().__init__(values)
        self._machine = machine

    def __iter__(self) -> Iterator[int]:
        for at, neighbor in enumerate(super().__iter__()):
            self._machine.count("read", self, at)
            yield neighbor


class Machine:
    """A simulated parallel machine that runs the reference algorithms called in its ``with`` block.

    Parameters
    ----------
    order : {"forward", "reverse", "random", "striding", "chunks", "uneven"}
        The order in which the iterations of a parallel loop run.
    stale : bool
        Whether plain reads may return older values.
    seed : int
        The seed for random orders and stale reads.
    workers : int
        The number of workers that share the iterations of a loop.
    trace : bool
        Whether to record every access in `accesses`.
    counting : bool
        Whether to count accesses. If false, arrays are plain lists, which is several times faster. In that
        case, no reads are stale, `accesses` stays empty and `on_write` is never called.
    on_write : callable, optional
        Called before each write. The arguments are the array, the index, the old value and the new value.
    after_phase : callable, optional
        Called at the end of each phase with the name of the phase and a dict of the shared arrays by name.

    Attributes
    ----------
    reads, writes : Counter
        The number of accesses for each ``(phase, array)``.
    phases : list of str
        The names of the phases, in the order in which they began.
    items : Counter
        The number of iterations of parallel loops in each phase.
    arrays : dict
        The shared arrays by name. If several arrays have the same name, the last one is stored.
    item : object
        The item that the current loop has reached or, between loops, the item at which the last loop ended.
    accesses : list of tuple
        If `trace` is true, one ``(array, index, phase, worker)`` for each read or write, in order.
    """

    def __init__(
        self,
        order: str = "forward",
        *,
        stale: bool = False,
        seed: int = 1,
        workers: int = 8,
        trace: bool = False,
        counting: bool = True,
        on_write: Callable[[Cells, int, Any, Any], None] | None = None,
        after_phase: Callable[[str, dict[str, Any]], None] | None = None,
    ) -> None:
        self.stale = stale
        self.counting = counting
        self.random = Random(seed)
        self.workers = workers
        self.on_write = on_write
        self.reads: Counter[tuple[str, str]] = Counter()
        self.writes: Counter[tuple[str, str]] = Counter()
        self.items: Counter[str] = Counter()
        self.phases: list[str] = []
        self.arrays: dict[str, list[Any]] = {}
        self.accesses: list[tuple[str, int, str, int]] = []
        self.kernel = self.iteration = self.worker = 0
        self.item: Any = None
        self._order = ORDERS[order]
        self._trace = trace
        self.after_phase = after_phase
        self._depth = 0
        self._tokens: list[Token[Machine | None]] = []

    def __enter__(self) -> Machine:
        self._tokens.append(CURRENT.set(self))
        return self

    def __exit__(self, *error: object) -> None:
        CURRENT.reset(self._tokens.pop())
        if error[0] is None:
            self._end_phase()

    def rounds(self, phase: str) -> int:
        """Return the number of times that a phase has begun."""
        return self.phases.count(phase)

    def begin_phase(self, name: str) -> None:
        self._end_phase()
        self.phases.append(name)

    def _end_phase(self) -> None:
        if self.phases and self.after_phase:
            self.after_phase(self.phases[-1], self.arrays)

    def count(self, what: str, cells: Cells | Row, at: int) -> None:
        phase = self.phases[-1] if self.phases else ""
        (self.reads if what == "read" else self.writes)[phase, cells.name] += 1
        if self._trace:
            self.accesses.append((cells.name, at, phase, self.worker))

    def run(self, items: Sequence[T]) -> Iterator[T]:
        if self._depth == 0:
            self.kernel += 1
        self._depth += 1
        self.items[self.phases[-1] if self.phases else ""] += len(items)
        try:
            if items:
                for worker, position in self._order(len(items), self.workers, self.random):
                    self.worker = worker
                    self.iteration += 1
                    self.item = items[position]
                    yield self.item
        finally:
            self._depth -= 1
            if self._depth == 0:
                self.kernel += 1
                self.worker = 0
