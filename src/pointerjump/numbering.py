"""From ids to vertex numbers.

The rule for ``ids="auto"``: integer ids are kept as vertex numbers if the number of vertices is stated,
or if they do not make absurdly many vertices for so few edges (`DENSE_VERTICES`, `VERTICES_PER_EDGE`).
All other ids are renumbered, as ``ids="compact"`` does: integers in ascending order, strings in order of
first appearance. ``Graph.names`` then holds the original ids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np
import numpy.typing as npt

from pointerjump import memory
from pointerjump.edges import MAX_VERTICES, EdgeList, Ids, check_vertex_count, ends_of, largest_id
from pointerjump.errors import GraphError
from pointerjump.integers import concatenated

if TYPE_CHECKING:
    import pyarrow as pa

DENSE_VERTICES = 1 << 24
"""At most this many vertices cost little, even isolated ones: ids are kept, however few edges there are."""

VERTICES_PER_EDGE = 64
"""Beyond `DENSE_VERTICES`, ids are kept if there are at most this many vertices for each edge."""

_CHOICES = get_args(Ids)


def check_choice(ids: object) -> None:
    """Refuse anything but "auto", "keep" and "compact"."""
    if not (isinstance(ids, str) and ids in _CHOICES):
        raise GraphError(f"ids={ids!r}: choose one of {', '.join(_CHOICES)}")


Numbered = tuple[EdgeList, npt.NDArray[Any] | None]
"""Edges between vertices, and what the input called each vertex, if not by its number."""


def numbered_integers(
    sources: npt.ArrayLike, targets: npt.ArrayLike | None, ids: Ids, vertices: int | None
) -> Numbered:
    """Number the vertices of edges between integer ids, which are kept or renumbered by the rule above.

    Parameters
    ----------
    sources, targets
        As for :meth:`pointerjump.Graph.from_edges`, except that arrays whose ids are kept are not copied.
    ids : {"auto", "keep", "compact"}
        Whether the ids are kept.
    vertices : int or None
        The number of vertices, if the file or the caller states it.
    """
    if ids == "keep":
        return EdgeList.of(sources, targets, vertices), None
    check_choice(ids)
    s, t = ends_of(sources, targets)
    if len(s) == 0 or (ids == "auto" and _stay(s, t, vertices)):
        return EdgeList.of(s, t, vertices), None

    import pyarrow as pa

    codes, found = _encode(pa.chunked_array([pa.array(concatenated([s, t], GraphError))]))
    distinct = np.from_dlpack(found)
    ascending = np.argsort(distinct)
    number = np.empty(len(distinct), np.int32)
    number[ascending] = np.arange(len(distinct), dtype=np.int32)
    return _of_codes(number[codes], distinct[ascending], vertices)


def _stay(sources: npt.NDArray[Any], targets: npt.NDArray[Any], vertices: int | None) -> bool:
    """Whether ``ids="auto"`` keeps these ids; refuse negative ones."""
    largest = max(largest_id(sources, "sources"), largest_id(targets, "targets"))
    dense = max(DENSE_VERTICES, VERTICES_PER_EDGE * len(sources))
    return vertices is not None or (largest < MAX_VERTICES and largest + 1 <= dense)


def numbered_strings(
    sources: pa.ChunkedArray[Any], targets: pa.ChunkedArray[Any], vertices: int | None
) -> Numbered:
    """Make edges between vertices of edges between strings, numbered in order of first appearance."""
    import pyarrow as pa

    codes, ids = _encode(pa.chunked_array([*sources.chunks, *targets.chunks]))
    in_file_order = codes.reshape(2, -1).T.ravel()
    numbered, first_seen = _encode(pa.chunked_array([pa.array(in_file_order)]))
    names = ids.take(first_seen).to_numpy(zero_copy_only=False)
    return _of_codes(numbered.reshape(-1, 2).T.ravel(), names, vertices)


def has_empty_id(ids: pa.ChunkedArray[Any]) -> bool:
    """Whether one of these dictionary-encoded strings is empty, or blank."""
    import pyarrow.compute as pc

    dictionaries = [chunk.dictionary for chunk in cast(list[Any], ids.chunks)]
    return any(pc.index(pc.utf8_trim_whitespace(d), "").as_py() >= 0 for d in dictionaries)


def from_one(ids: npt.NDArray[Any], highest: int, what: str, before: int = 0) -> npt.NDArray[Any]:
    """Return ids that count from 1 as ids that count from 0.

    Errors call them `what` and say how many there are up to the wrong one; `before` are not in `ids`.
    """
    if len(ids) and (ids.min() < 1 or ids.max() > highest):
        at = int(np.argmax((ids < 1) | (ids > highest)))
        raise GraphError(f"{what} {before + at + 1} is {ids[at]}: it must be from 1 to {highest}")
    return ids - 1


def _encode(ids: pa.ChunkedArray[Any]) -> tuple[npt.NDArray[np.int32], pa.Array[Any]]:
    """Return codes 0, 1, ... in order of first appearance, and the ids they stand for.

    Blanks around string ids are removed.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

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


def _of_codes(codes: npt.NDArray[np.int32], names: npt.NDArray[Any], vertices: int | None) -> Numbered:
    """Make edges of codes, first those of all sources, then those of all targets.

    Isolated vertices have no name.
    """
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
    return EdgeList.of(codes[:half], codes[half:], len(names)), names
