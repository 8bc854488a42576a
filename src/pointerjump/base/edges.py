"""Validates edges, which are passed as two arrays of ids, and numbers their vertices.

The option ``ids``, which says whether ids are renumbered, is explained in :func:`pointerjump.read`.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeGuard, cast, get_args

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.arrow import pa, pc
from pointerjump.base.integers import (
    as_array,
    as_count,
    as_integers,
    as_unsigned,
    concatenated,
    converted,
    first_outside,
)
from pointerjump.errors import GraphError

if TYPE_CHECKING:
    import scipy.sparse as sp

Ids = Literal["auto", "keep", "compact"]
VertexArray = npt.NDArray[np.int32]
OffsetArray = npt.NDArray[np.int32] | npt.NDArray[np.int64]

# Ids are int32. Offsets are also int32 if there are fewer than 2**31 directed edges, else int64.
MAX_VERTICES = np.iinfo(np.int32).max
ROW_BYTES_PER_VERTEX, ROW_BYTES_PER_EDGE = 13, 22  # measured peak host memory, in bytes, for making rows

COUNT_BYTES_PER_EDGE = 25  # peak memory, in bytes, for counting distinct edges: two ends, two keys and a flag

ORDERED_FROM, ORDER_SAMPLES = 1 << 15, 64  # the fewest edges whose order is judged; the number of samples
ENDS_SAMPLED = 1024  # about so many edges have their larger ends compared, to judge whether these are spread
ENTRIES_SAMPLED = 32  # number of entries that `Graph.seems_symmetric` samples
ROWS_SAMPLED, NEAR_ROWS = 256, 64  # rows that `Graph.numbering` samples; ids less than this apart are near

DENSE_VERTICES = 1 << 24  # up to this number of vertices, ids are kept: isolated vertices are cheap

VERTICES_PER_EDGE = 64  # with more vertices, ids are kept only if there are at most this many per edge

NEAR = 16  # ids that differ by at most this are near: a cache line holds 16 int32

FEWER = (
    "allow more memory; or, if most ids are unused, number those that occur from 0 on, or give all edges at "
    'once with ids="compact" (--ids compact)'
)
"""Advice in error messages about edges read in blocks. The ids of such edges are never renumbered."""

RENUMBER = 'if most ids are unused, renumber them with ids="compact" (--ids compact)'
"""Advice in error messages about ids that imply more vertices than fit into memory."""


class EdgeOrder(NamedTuple):
    """A guess, based on a sample, as to whether the order and the ids of edges follow a pattern.

    Edges are considered to be `in_order` if many of them have an end that is close to an end of the preceding
    edge, as in a graph written row by row. They are considered `local` if many of them join ids that are
    close to each other. They are considered to have `hubs`, which are ids with many edges, if non-consecutive
    edges often have equal or close ends. Their ends are considered to be `spread` if few edges have the same
    larger end, so that few of them would hook the same vertex. All four are False if there are fewer than
    `ORDERED_FROM` edges.
    """

    in_order: bool = False
    local: bool = False
    hubs: bool = False
    spread: bool = False


@dataclass(frozen=True)
class EdgeList:
    """Validated edges in input order: two arrays of integer ids that are less than `vertices`.

    `names` contains the names of the vertices in the input, or is None if the input uses vertex numbers.
    """

    sources: npt.NDArray[Any]
    targets: npt.NDArray[Any]
    vertices: int
    names: npt.NDArray[Any] | None = None

    @classmethod
    def of(
        cls,
        sources: npt.ArrayLike,
        targets: npt.ArrayLike | None = None,
        vertices: int | None = None,
        ids: Ids = "keep",
    ) -> EdgeList:
        """Validate edges in the same way as :meth:`Graph.from_edges`, but without copying arrays."""
        if ids != "keep":
            check_choice(ids)
        s, t = ends_of(sources, targets)
        if ids == "compact" and len(s):
            return _renumbered(s, t, vertices)
        largest = max(largest_id(s, "sources"), largest_id(t, "targets"))
        dense = max(DENSE_VERTICES, VERTICES_PER_EDGE * len(s))
        if ids == "auto" and vertices is None and largest >= min(dense, MAX_VERTICES):
            return _renumbered(s, t, vertices)
        count = check_vertex_count(largest + 1 if vertices is None else vertices)
        if largest >= count:
            check_ends(s, t, count)
        return cls(s, t, count)

    def order(self) -> EdgeOrder:
        """Guess from a sample whether the order and the ids of the edges follow a pattern."""
        m = len(self.sources)
        if m < ORDERED_FROM:
            return EdgeOrder()
        step = m // ORDER_SAMPLES | 1  # odd, because input may alternate between both directions
        # As int64, because differences of unsigned integers would wrap around.
        s, t = self.sources[: m - 1 : step].astype(np.int64), self.targets[: m - 1 : step].astype(np.int64)
        next_s, next_t = self.sources[1::step].astype(np.int64), self.targets[1::step].astype(np.int64)
        some, others = np.array((s, t, t)), np.array((next_s, next_t, next_s))
        # The edges of a hub share an end in any order. So close ends are also counted in pairs of edges that
        # do not follow each other. Those ends are close by chance, and their number is subtracted.
        by_chance = np.roll(others, 1, axis=1)
        near = np.count_nonzero(abs(np.array((some, some)) - np.array((others, by_chance))) <= NEAR, axis=-1)
        often = len(s) / 4  # random ids are near far less often
        # A hub with a quarter of the edges is in both edges of a sixteenth of all pairs.
        in_order, hubs = (near[0] - near[1]).max() >= often, near[1].max() >= often / 4
        local = np.count_nonzero(abs(s - t) <= NEAR) >= often
        step = m // ENDS_SAMPLED | 1
        larger = np.sort(np.maximum(self.sources[::step], self.targets[::step]))
        expected = len(larger) ** 2 / (1.5 * self.vertices)  # if ends are random
        spread = np.count_nonzero(larger[1:] == larger[:-1]) - expected < len(larger) / 128
        return EdgeOrder(bool(in_order), bool(local), bool(hubs), bool(spread))

    def _as_int32(self) -> tuple[VertexArray, VertexArray]:
        return self.sources.astype(np.int32, copy=False), self.targets.astype(np.int32, copy=False)

    def rows(self) -> tuple[OffsetArray, VertexArray]:
        """Build sorted CSR rows that contain each direction of every edge once."""
        import scipy.sparse as sp

        require_room_for_rows(self.vertices, len(self.sources))
        # Given int32 arrays, scipy keeps int32 indices if the counts fit.
        entries = (np.ones(len(self.sources), np.bool_), self._as_int32())
        both = both_directions(sp.csr_array(entries, shape=(self.vertices, self.vertices)))
        return as_rows(both.indptr, both.indices)

    def count(self) -> int:
        """Return the number of distinct undirected edges, not counting self-loops."""
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
    """Convert offsets and neighbors to the dtypes in which graphs store them."""
    dtype = np.int32 if len(neighbors) < 2**31 else np.int64
    return converted(offsets, dtype, "offsets"), converted(neighbors, np.int32, "neighbors")


def ends_of(
    sources: npt.ArrayLike, targets: npt.ArrayLike | None = None
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the two ends of each edge, as integer arrays of equal length.

    The parameters and errors are the same as for :meth:`Graph.from_edges`, but ids may be out of range.
    """
    if targets is None and are_ends(sources):
        sources, targets = sources
    if targets is None:
        pairs = as_array(sources, "edges", GraphError)
        if pairs.size == 0:
            pairs = np.empty((0, 2), np.int32)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise GraphError(
                f"edges has shape {pairs.shape}: give an (m, 2) array, or a tuple of two arrays of length m, "
                "and weights apart"
            )
        sources, targets = pairs[:, 0], pairs[:, 1]
    s, t = as_integers(sources, "sources", GraphError), as_integers(targets, "targets", GraphError)
    if len(s) != len(t):
        raise GraphError(f"there are {len(s)} sources and {len(t)} targets: give one of each per edge")
    return s, t


def are_ends(edges: object) -> TypeGuard[tuple[Any, Any]]:
    """Return whether `edges` is a tuple of sources and targets, and not an array or a sequence of pairs.

    A tuple of two pairs, such as ((1, 2), (7, 8)), is ambiguous and raises a GraphError.
    """
    if not isinstance(edges, tuple) or len(edges) != 2 or np.isscalar(edges[0]):
        return False
    first, second = edges
    number: Any = Real | np.bool_
    pairs = isinstance(first, tuple) and isinstance(second, tuple) and len(first) == len(second) == 2
    if pairs and all(
        is_object(v) or (isinstance(v, number) and bool(abs(v) < 1 << 64)) for v in first + second
    ):
        raise GraphError(
            f"{edges} may be two edges, or two sources and their targets: give {[*edges]} for edges, or "
            f"{tuple(map(list, edges))} for sources and targets"
        )
    return True


def is_object(vertex: object) -> bool:
    """Return whether a vertex is a string, or a hashable object that NumPy cannot convert to a number."""
    if isinstance(vertex, str | bytes):
        return True
    numbers = ("__index__", "__float__", "__array__")
    return type(vertex).__hash__ is not None and not any(hasattr(vertex, name) for name in numbers)


def largest_id(ids: npt.NDArray[Any], what: str) -> int:
    """Return the largest id, or -1 if there are no ids. Raise a GraphError if an id is negative."""
    if len(ids) == 0:
        return -1
    largest = int(np.maximum.reduce(as_unsigned(ids)))
    if ids.dtype.kind == "i" and largest >> (8 * ids.itemsize - 1):
        at = int(np.argmax(ids < 0))
        raise GraphError(
            f"{what}[{at}] is {ids[at]}, which is negative: ids run from 0 up; "
            'ids="compact" takes any integers'
        )
    return largest


def require_room_for_rows(vertices: int, edges: int) -> None:
    memory.require(
        ROW_BYTES_PER_VERTEX * vertices + ROW_BYTES_PER_EDGE * edges,
        f"making rows of {vertices:,} vertices and {edges:,} edges",
        f'{RENUMBER}; algorithm="auto" needs no rows',
    )


def check_vertex_count(vertices: Any) -> int:
    """Return `vertices` as an int. Raise a GraphError if it is not an integer or is out of range."""
    count = vertices if type(vertices) is int else as_count(vertices, "vertices", GraphError)
    if count < 0:
        raise GraphError(f"vertices is {count}: it cannot be negative")
    if count > MAX_VERTICES:
        raise GraphError(
            f"the graph needs {count} vertices, and ids are 32-bit: at most {MAX_VERTICES}; {RENUMBER}"
        )
    return count


def check_ids(ids: npt.NDArray[Any], vertices: int, what: str) -> None:
    """Raise a GraphError if an id is outside 0 .. vertices - 1. The message names the first such id."""
    at = first_outside(ids, vertices)
    if at is None:
        return
    fact = "negative" if ids[at] < 0 else f"not below the number of vertices, {vertices}"
    raise GraphError(f"{what}[{at}] is {ids[at]}, which is {fact}: ids run from 0 to vertices - 1")


def check_ends(
    sources: npt.NDArray[Any], targets: npt.NDArray[Any], vertices: int, first: int | None = None
) -> None:
    """Raise a GraphError if an end of an edge is outside 0 .. vertices - 1.

    For a block of edges, `first` is the position of the block's first edge in the input. The message includes
    this position.
    """
    try:
        check_ids(sources, vertices, "sources")
        check_ids(targets, vertices, "targets")
    except GraphError as error:
        if first is None:
            raise
        raise GraphError(f"in the block of edges from number {first} on, counted from 0: {error}") from None


def both_directions(pattern: sp.csr_array[np.bool_]) -> sp.csr_array[np.bool_]:
    """Return the symmetric form of an adjacency matrix, with sorted rows that contain no duplicates."""
    # Not int8: scipy sums duplicates, and 256 of them would make an int8 zero, which scipy drops.
    both = pattern + pattern.T
    both.sort_indices()
    return both


# -- from ids to vertex numbers ----------------------------------------------------------------------


def check_choice(ids: object) -> None:
    if not (isinstance(ids, str) and ids in get_args(Ids)):
        raise GraphError(f"ids={ids!r}: choose one of {', '.join(get_args(Ids))}")


def _renumbered(s: npt.NDArray[Any], t: npt.NDArray[Any], vertices: int | None) -> EdgeList:
    """Build an edge list from integer ids. Vertices are numbered in ascending order of the ids."""
    codes, found = _encode(pa.chunked_array([pa.array(concatenated([s, t], GraphError))]))
    distinct = np.from_dlpack(found)
    ascending = np.argsort(distinct)
    number = np.empty(len(distinct), np.int32)
    number[ascending] = np.arange(len(distinct), dtype=np.int32)
    return _of_codes(number[codes], distinct[ascending], vertices)


def numbered_strings(
    sources: pa.ChunkedArray[Any], targets: pa.ChunkedArray[Any], vertices: int | None
) -> EdgeList:
    """Build an edge list from strings. Vertices are numbered in order of first appearance."""
    codes, ids = _encode(pa.chunked_array([*sources.chunks, *targets.chunks]))
    in_file_order = codes.reshape(2, -1).T.ravel()
    numbered, first_seen = _encode(pa.chunked_array([pa.array(in_file_order)]))
    names = ids.take(first_seen).to_numpy(zero_copy_only=False)
    return _of_codes(numbered.reshape(-1, 2).T.ravel(), names, vertices)


def has_empty_id(ids: pa.ChunkedArray[Any]) -> bool:
    """Return whether a dictionary-encoded column of strings contains an empty or blank id."""
    dictionaries = [chunk.dictionary for chunk in cast(list[Any], ids.chunks)]
    return any(pc.index(pc.utf8_trim_whitespace(d), "").as_py() >= 0 for d in dictionaries)


def from_one(ids: npt.NDArray[Any], highest: int, what: str, before: int = 0) -> npt.NDArray[Any]:
    """Convert one-based ids to zero-based ids. Raise a GraphError if an id is outside 1 .. highest.

    The message begins with `what` and the id's position in the input. `before` is the number of ids that
    precede `ids` in the input.
    """
    if len(ids) and (ids.min() < 1 or ids.max() > highest):
        at = int(np.argmax((ids < 1) | (ids > highest)))
        raise GraphError(f"{what} {before + at + 1} is {ids[at]}: it must be from 1 to {highest}")
    return ids - 1


def _encode(ids: pa.ChunkedArray[Any]) -> tuple[npt.NDArray[np.int32], pa.Array[Any]]:
    """Trim ids, and number them in order of first appearance. Return their numbers and the distinct ids."""
    if not pa.types.is_dictionary(ids.type):
        ids = ids.dictionary_encode()
    chunks: list[Any] = ids.unify_dictionaries().chunks
    codes = np.concatenate([np.from_dlpack(chunk.indices) for chunk in chunks])
    distinct: Any = chunks[0].dictionary
    if pa.types.is_large_string(distinct.type):
        trimmed = pc.utf8_trim_whitespace(distinct)
        if not trimmed.equals(distinct):
            merged = trimmed.dictionary_encode()
            return np.from_dlpack(merged.indices)[codes], merged.dictionary
    return codes, distinct


def _of_codes(codes: npt.NDArray[np.int32], names: npt.NDArray[Any], vertices: int | None) -> EdgeList:
    """Build an edge list. `codes` contains indices into `names`: all sources, followed by all targets."""
    if vertices is not None:
        vertices = check_vertex_count(vertices)
        if vertices < len(names):
            raise GraphError(
                f"there are {len(names)} different ids, but {vertices} vertices are stated: "
                f"state at least {len(names)}"
            )
        if vertices > len(names):
            memory.require(16 * vertices, f"names of {vertices:,} vertices", "state fewer vertices")
            names = np.concatenate([names.astype(object), np.full(vertices - len(names), None)])
    half = len(codes) // 2
    return EdgeList(codes[:half], codes[half:], len(names), names)
