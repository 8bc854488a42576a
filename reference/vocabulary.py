"""Basic operations from which the reference algorithms are built.

Arrays are Python lists, because reading one element is several times faster than in NumPy. ``in_parallel``,
``shared`` and ``phase`` take effect only on a :class:`~pointerjump.reference.machine.Machine`.
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
    """Return the items of a loop whose iterations may run in any order or simultaneously."""
    machine = CURRENT.get()
    return items if machine is None else machine.run(items)


def shared(name: str, values: Iterable[T]) -> list[T]:
    """Return an array that parallel loops share. A simulated machine counts the accesses to it."""
    machine = CURRENT.get()
    if machine is None:
        return list(values)
    machine.arrays[name] = Cells(values, name, machine) if machine.counting else list(values)
    return machine.arrays[name]


def phase(name: str) -> None:
    """Begin a new phase of the algorithm. It is named after a step in the paper."""
    machine = CURRENT.get()
    if machine is not None:
        machine.begin_phase(name)


def neighborhoods(graph: Graph) -> list[list[int]]:
    """Return N, where N[v] lists the neighbors of v in stored order, including repeats."""
    offsets = graph.offsets.tolist()
    neighbors = graph.neighbors.tolist()
    rows = [neighbors[begin:end] for begin, end in zip(offsets, offsets[1:], strict=False)]
    machine = CURRENT.get()
    return [Row(row, machine) for row in rows] if machine and machine.counting else rows


def directed_edges(graph: Graph) -> list[tuple[int, int]]:
    """Return all stored edges as pairs (a, b). If both directions are stored, each edge appears twice."""
    return list(zip(graph.sources.tolist(), graph.neighbors.tolist(), strict=True))


def undirected_edges(graph: Graph) -> list[tuple[int, int]]:
    """Return each edge once as a pair (u, v) with u < v, without loops. Both directions must be stored."""
    return [(u, v) for u, v in directed_edges(graph) if u < v]


def compare_and_swap(array: list[int], at: int, expected: int, new: int) -> int:
    """Atomically replace ``array[at]`` with `new` if it is equal to `expected`, and return the old value."""
    seen = newest(array, at)
    if seen == expected:
        array[at] = new
    return seen


def fetch_min(array: list[int], at: int, value: int) -> int:
    """Atomically lower ``array[at]`` to `value` if that is smaller, and return the old value."""
    seen = newest(array, at)
    if value < seen:
        array[at] = value
    return seen


def newest(array: list[int], at: int) -> int:
    """Return the current value of ``array[at]``. Unlike a plain read, this read is never stale."""
    return array.newest(at) if isinstance(array, Cells) else array[at]


def as_vertices(values: list[int]) -> VertexArray:
    return np.array(values, np.int32)


def kiss(seed: int) -> Iterator[int]:
    """Generate 32-bit random numbers with KISS (Marsaglia and Zaman, 1993), as Dehne and Yogaratnam do."""
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
