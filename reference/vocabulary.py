"""The few verbs in which the reference algorithms are written.

Arrays are Python lists, not NumPy arrays: it is several times cheaper to read one element of a list, and the
papers treat one element at a time. A :class:`~pointerjump.reference.machine.Machine` gives the first three
verbs their meaning; without one, they cost next to nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.reference.machine import CURRENT, Cells, Row

T = TypeVar("T")


def in_parallel(items: Sequence[T]) -> Iterable[T]:
    """Return the items of a loop whose iterations may run in any order, or all at once."""
    machine = CURRENT.get()
    return items if machine is None else machine.run(items)


def shared(name: str, values: Iterable[T]) -> list[T]:
    """Return an array that the iterations of parallel loops share. Its accesses are counted."""
    machine = CURRENT.get()
    if machine is None:
        return list(values)
    machine.arrays[name] = Cells(values, name, machine) if machine.counting else list(values)
    return machine.arrays[name]


def phase(name: str) -> None:
    """Begin a step of the algorithm, given the step's name in the paper."""
    machine = CURRENT.get()
    if machine is not None:
        machine.begin_phase(name)


def neighborhoods(graph: Graph) -> list[list[int]]:
    """Return N, where N[v] lists the neighbors of v as they are stored: in that order, with repeats."""
    offsets = graph.offsets.tolist()
    neighbors = graph.neighbors.tolist()
    rows = [neighbors[begin:end] for begin, end in zip(offsets, offsets[1:], strict=False)]
    machine = CURRENT.get()
    return [Row(row, machine) for row in rows] if machine and machine.counting else rows


def directed_edges(graph: Graph) -> list[tuple[int, int]]:
    """Return every stored edge (a, b). If both directions are stored, each edge appears twice."""
    return list(zip(graph.sources.tolist(), graph.neighbors.tolist(), strict=True))


def undirected_edges(graph: Graph) -> list[tuple[int, int]]:
    """Return each edge once, from its smaller end, if both directions are stored; leave out loops."""
    return [(u, v) for u, v in directed_edges(graph) if u < v]


def compare_and_swap(array: list[int], at: int, expected: int, new: int) -> int:
    """Write `new` if `array[at]` is `expected`; return the old value, as atomics do."""
    seen = newest(array, at)
    if seen == expected:
        array[at] = new
    return seen


def fetch_min(array: list[int], at: int, value: int) -> int:
    """Write `value` if it is less than `array[at]`; return the old value, as atomics do."""
    seen = newest(array, at)
    if value < seen:
        array[at] = value
    return seen


def newest(array: list[int], at: int) -> int:
    """Read `array[at]` as atomics do: unlike a plain read, this one is never stale."""
    return array.newest(at) if isinstance(array, Cells) else array[at]


def as_vertices(values: list[int]) -> VertexArray:
    """Return a list of ids as the int32 array that every reference returns."""
    return np.array(values, np.int32)


def kiss(seed: int) -> Iterator[int]:
    """Draw 32-bit random numbers from the KISS generator of Marsaglia and Zaman (1993).

    Three simple generators, each weak alone, are added: a linear congruential one, a three-shift
    register and a multiply-with-carry pair. Dehne and Yogaratnam draw their splitters from it.
    """
    mask = 0xFFFFFFFF
    x, y, z, c = (
        (seed * 69069 + 123456789) & mask,
        (362436069 ^ seed) & mask or 1,
        521288629,
        7654321,
    )
    while True:
        x = (69069 * x + 12345) & mask
        y ^= (y << 13) & mask
        y ^= y >> 17
        y ^= (y << 5) & mask
        t = 698769069 * z + c
        z, c = t & mask, t >> 32
        yield (x + y + z) & mask
