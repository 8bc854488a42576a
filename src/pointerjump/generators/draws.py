"""Draws random ids, booleans, real numbers and orders from raw bits, identically on every machine.

NumPy guarantees that the raw stream of a bit generator never changes, but not that ``Generator`` always
derives the same numbers from it. All numbers are therefore computed from raw 64-bit words, by integer
arithmetic and by floating-point operations that IEEE 754 specifies.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.edges import MAX_VERTICES, VertexArray
from pointerjump.errors import SpecError

Bits = np.random.PCG64

# The number of random numbers that are drawn at a time, so that they stay in the cache. Changing it would
# change the graphs that specs describe: kron, rmat and union draw several numbers for each chunk in turn.
_CHUNK = 1 << 14


def require_size(vertices: int, directed_edges: int) -> None:
    """Raise an error if a graph or list has too many vertices for int32 ids, or does not fit into memory."""
    if vertices > MAX_VERTICES:
        raise SpecError(f"{vertices} vertices are too many: ids are 32-bit, at most {MAX_VERTICES}")
    needed = 16 * (vertices + directed_edges)  # bytes that building a graph takes, measured
    memory.require(needed, "making it", "ask for a smaller one")


def chunks(count: int) -> Iterator[slice]:
    """Split ``range(count)`` into slices that fit into the cache."""
    for start in range(0, count, _CHUNK):
        yield slice(start, min(start + _CHUNK, count))


def random_reals(bits: Bits, count: int) -> npt.NDArray[np.float64]:
    """Return `count` random multiples of 2**-53 in [0, 1), each computed from one random word."""
    return (bits.random_raw(count) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def random_flips(bits: Bits, count: int, chance: float) -> npt.NDArray[np.bool_]:
    flips = np.empty(count, np.bool_)
    for part in chunks(count):
        flips[part] = random_reals(bits, part.stop - part.start) < chance
    return flips


def random_ids(bits: Bits, count: int, below: int) -> VertexArray:
    """Return `count` random ids, uniform over 0 .. below - 1 (up to a bias of below / 2**64)."""
    ids = np.empty(count, np.int32)
    for part in chunks(count):
        ids[part] = bits.random_raw(part.stop - part.start) % np.uint64(below)
    return ids


def random_order(bits: Bits, count: int) -> VertexArray:
    # The low bits of each word hold an id, and the random bits above decide the order. No two words are
    # equal, so every sorting algorithm gives the same order.
    width = np.uint64(count.bit_length())
    words = (bits.random_raw(count) << width) | np.arange(count, dtype=np.uint64)
    words.sort()
    return (words & ((np.uint64(1) << width) - np.uint64(1))).astype(np.int32)


def vertex_order(bits: Bits, count: int, order: str) -> VertexArray:
    """Return the integers 0 .. count - 1 in a named order: natural, reverse, random or bitreversed."""
    if order == "random":
        return random_order(bits, count)
    if order == "bitreversed":  # sorted by their reversed bits, so that neighbors are far apart
        halves = np.zeros(1, np.int32)
        for _ in range(max(count - 1, 0).bit_length()):
            halves = np.concatenate([2 * halves, 2 * halves + 1])
        return halves[halves < count]
    natural = np.arange(count, dtype=np.int32)
    return natural[::-1] if order == "reverse" else natural
