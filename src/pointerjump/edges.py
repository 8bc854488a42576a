"""Edges as two arrays of ids: how they may be given, and what is checked of them."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, NamedTuple, TypeGuard

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pointerjump import memory
from pointerjump.errors import GraphError
from pointerjump.integers import (
    as_array,
    as_count,
    as_integers,
    as_unsigned,
    converted,
    first_outside,
    largest_of,
)

Ids = Literal["auto", "keep", "compact"]


VertexArray = npt.NDArray[np.int32]


OffsetArray = npt.NDArray[np.int32] | npt.NDArray[np.int64]


MAX_VERTICES = np.iinfo(np.int32).max
"""Vertex ids are int32. Offsets are int32 too, or int64 if there are 2**31 directed edges or more."""


ROW_BYTES_PER_VERTEX, ROW_BYTES_PER_EDGE = 13, 22
"""Bytes that making rows of edges takes at its peak, as measured."""


COUNT_BYTES_PER_EDGE = 25
"""Bytes that counting different edges takes at its peak: ends as int32, two keys, and which keys to keep."""


ORDERED_FROM, ORDER_SAMPLES = 1 << 15, 64
"""From so many edges on, some are looked at to see in what order they are; and how many."""


NEAR = 16
"""Ids that differ by at most this much are near each other: their int32 fill a cache line of 64 bytes."""


FEWER = (
    "allow more memory; or, if most ids are unused, number those that occur from 0 on, or give all edges at "
    'once with ids="compact" (--ids compact)'
)
"""The way out where edges come in blocks, whose ids stay as they are."""


RENUMBER = 'if most ids are unused, renumber them with ids="compact" (--ids compact)'
"""The way out where ids name more vertices than fit."""


class EdgeOrder(NamedTuple):
    """In what order edges are, and whether they are short.

    Attributes
    ----------
    in_order : bool
        Whether an edge often has an end near one of the edge before it, as in a graph written row by row.
    local : bool
        Whether an edge often joins ids near each other.
    """

    in_order: bool
    local: bool


def _times_near(some: npt.NDArray[np.int64], others: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
    """Return for each array of `some` how many ids are near the id in the same place in `others`."""
    times: npt.NDArray[np.intp] = np.count_nonzero(abs(some - others) <= NEAR, axis=-1)
    return times


@dataclass(frozen=True)
class EdgeList:
    """Edges as they come, checked: two arrays of ids, any integer dtype, all below `vertices`."""

    sources: npt.NDArray[Any]
    targets: npt.NDArray[Any]
    vertices: int

    @classmethod
    def of(
        cls, sources: npt.ArrayLike, targets: npt.ArrayLike | None = None, vertices: int | None = None
    ) -> EdgeList:
        """Check edges; parameters and errors as for :meth:`Graph.from_edges`, but arrays are not copied."""
        s, t = ends_of(sources, targets)
        largest = max(largest_id(s, "sources"), largest_id(t, "targets"))
        count = check_vertex_count(largest + 1 if vertices is None else vertices)
        if largest >= count:
            check_ids(s, count, "sources")
            check_ids(t, count, "targets")
        return cls(s, t, count)

    def order(self) -> EdgeOrder:
        """Return in what order the edges are, as far as some of them tell, which are evenly spread."""
        m = len(self.sources)
        if m < ORDERED_FROM:
            return EdgeOrder(in_order=False, local=False)
        step = m // ORDER_SAMPLES | 1  # odd, as edges may alternate
        # As int64, because differences of unsigned integers would wrap.
        s, t, next_s, next_t = (
            ends[first : m - 1 + first : step].astype(np.int64)
            for first in (0, 1)
            for ends in (self.sources, self.targets)
        )
        some, others = np.array((s, t, t)), np.array((next_s, next_t, next_s))
        # A hub's edges have the hub in common in whatever order they are. So ends that are near by
        # chance, as those of edges that do not follow each other are, do not count.
        follow = _times_near(some, others) - _times_near(some, np.roll(others, 1, axis=1))
        near = _times_near(s, t)
        often = len(s) / 4  # random ids are near each other far less often
        return EdgeOrder(in_order=bool(follow.max() >= often), local=bool(near >= often))

    def _as_int32(self) -> tuple[VertexArray, VertexArray]:
        return self.sources.astype(np.int32, copy=False), self.targets.astype(np.int32, copy=False)

    def rows(self) -> tuple[OffsetArray, VertexArray]:
        """Make rows of the edges: both directions of each, each once, sorted.

        Raises
        ------
        MemoryLimitError
            If the rows would not fit into memory.
        """
        require_room_for_rows(self.vertices, len(self.sources))
        # scipy keeps int32 indices if it is given int32 and the counts fit.
        entries = (np.ones(len(self.sources), np.bool_), self._as_int32())
        both = both_directions(sp.csr_array(entries, shape=(self.vertices, self.vertices)))
        return as_rows(both.indptr, both.indices)

    def count(self) -> int:
        """Return how many different undirected edges there are, without self-loops."""
        memory.require(
            COUNT_BYTES_PER_EDGE * len(self.sources),
            f"counting the different ones among {len(self.sources):,} edges",
        )
        s, t = self._as_int32()
        pairs = np.minimum(s, t).astype(np.int64)
        pairs <<= 32
        pairs |= np.maximum(s, t)
        pairs = pairs[s != t]
        pairs.sort()
        return int(np.count_nonzero(pairs[1:] != pairs[:-1])) + (len(pairs) > 0)


def as_rows(offsets: npt.NDArray[Any], neighbors: npt.NDArray[Any]) -> tuple[OffsetArray, VertexArray]:
    """Return rows in the dtypes that graphs keep."""
    dtype = offset_dtype(len(neighbors))
    return converted(offsets, dtype, "offsets"), converted(neighbors, np.int32, "neighbors")


def ends_of(
    sources: npt.ArrayLike, targets: npt.ArrayLike | None = None
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the two ends of each edge as integer arrays of one length; any integers will do.

    Parameters and errors are those of :meth:`Graph.from_edges`, except that ranges are not checked.
    """
    if targets is None and are_ends(sources):
        sources, targets = sources
    if targets is None:
        pairs = as_array(sources, "edges", GraphError)
        if pairs.size == 0:
            pairs = np.empty((0, 2), np.int32)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise GraphError(
                f"edges has shape {pairs.shape}: give an (m, 2) array, or a tuple of two arrays of length m"
            )
        sources, targets = pairs[:, 0], pairs[:, 1]
    s, t = as_integers(sources, "sources", GraphError), as_integers(targets, "targets", GraphError)
    if len(s) != len(t):
        raise GraphError(f"there are {len(s)} sources and {len(t)} targets: give one of each per edge")
    return s, t


def are_ends(edges: object) -> TypeGuard[tuple[Any, Any]]:
    """Return whether edges are a tuple of sources and targets, and no array or sequence of pairs.

    Raises
    ------
    GraphError
        If they are a tuple of two pairs, such as ((1, 2), (7, 8)), which may be meant as either.
    """
    if not isinstance(edges, tuple) or len(edges) != 2 or np.isscalar(edges[0]):
        return False
    if all(isinstance(each, tuple) and len(each) == 2 and all(map(_is_id, each)) for each in edges):
        raise GraphError(
            f"{edges} may be two edges, or two sources and their targets: give {[*edges]} for edges, or "
            f"{tuple(map(list, edges))} for sources and targets"
        )
    return True


def _is_id(given: Any) -> bool:
    is_number = isinstance(given, Real | np.bool_)
    return is_number and bool(abs(given) < 1 << 64)


def largest_id(ids: npt.NDArray[Any], what: str) -> int:
    """Return the largest id, or -1 if there is none; refuse a negative one. One pass does both."""
    if len(ids) == 0:
        return -1
    largest = int(np.maximum.reduce(as_unsigned(ids)))
    if largest > largest_of(ids.dtype):
        at = int(np.argmax(ids < 0))
        raise GraphError(
            f"{what}[{at}] is {ids[at]}, which is negative: ids run from 0 up; "
            'ids="compact" takes any integers'
        )
    return largest


def require_room_for_rows(vertices: int, edges: int) -> None:
    """Refuse to make rows that memory cannot hold.

    Raises
    ------
    MemoryLimitError
        Naming the size.
    """
    memory.require(
        ROW_BYTES_PER_VERTEX * vertices + ROW_BYTES_PER_EDGE * edges,
        f"making rows of {vertices:,} vertices and {edges:,} edges",
        f'{RENUMBER}; algorithm="auto" needs no rows',
    )


def check_vertex_count(vertices: Any) -> int:
    """Return a number of vertices; refuse what is not a whole number, or one that ids cannot count."""
    count = as_count(vertices, "vertices", GraphError)
    if count < 0:
        raise GraphError(f"vertices is {count}: it cannot be negative")
    if count > MAX_VERTICES:
        raise GraphError(
            f"the graph needs {count} vertices, and ids are 32-bit: at most {MAX_VERTICES}; {RENUMBER}"
        )
    return count


def check_ids(ids: npt.NDArray[Any], vertices: int, what: str) -> None:
    """Refuse ids outside 0 .. vertices - 1, naming the first."""
    at = first_outside(ids, vertices)
    if at is None:
        return
    fact = "negative" if ids[at] < 0 else f"not below the number of vertices, {vertices}"
    raise GraphError(f"{what}[{at}] is {ids[at]}, which is {fact}: ids run from 0 to vertices - 1")


def check_ends(
    sources: npt.NDArray[Any], targets: npt.NDArray[Any], vertices: int, first: int | None = None
) -> None:
    """Refuse edges with an end outside 0 .. vertices - 1; `first` is the number of the first, in a block."""
    try:
        check_ids(sources, vertices, "sources")
        check_ids(targets, vertices, "targets")
    except GraphError as error:
        if first is None:
            raise
        raise GraphError(f"in the block of edges from number {first} on, counted from 0: {error}") from None


def offset_dtype(directed_edges: int) -> type[np.int32] | type[np.int64]:
    """Return the narrowest dtype that can index `directed_edges` entries."""
    return np.int32 if directed_edges < 2**31 else np.int64


def both_directions(pattern: sp.csr_array[np.bool_]) -> sp.csr_array[np.bool_]:
    """Return a boolean pattern with every edge in both directions, once, and its rows sorted."""
    # Not int8: scipy sums duplicates, and 256 of them would sum to an int8 zero, which it then drops.
    both = pattern + pattern.T
    both.sort_indices()
    return both
