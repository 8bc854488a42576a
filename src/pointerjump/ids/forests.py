"""Where the ids of a table are interned and linked: batch by batch on a device, or all at once on the host.

Ids have been checked: none is null, and all have one type. Pairs may be encoded by dictionaries of that type.
In the end each component is named by its smallest id.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pointerjump.accel.id_forests import IdForest
from pointerjump.graph import Graph
from pointerjump.ids.as_bytes import as_bytes, as_ids, id_kind
from pointerjump.ids.interning import number_ids, numbered_by_library
from pointerjump.inputs import HostGraph
from pointerjump.registry import ALGORITHMS
from pointerjump.registry.facts import InputFacts
from pointerjump.registry.selection import select
from pointerjump.result import find_components
from pointerjump.run import REFERENCE, Order, Run, Seconds
from pointerjump.tables.ids import is_dictionary

if TYPE_CHECKING:
    import pyarrow as pa

    from pointerjump.id_bytes import IdKind

Places = npt.NDArray[np.int32]
"""For each id, the place of another one."""


def fits_device(wanted: Order, types: Sequence[Any]) -> bool:
    """Return whether ids of these types can be interned and linked on the device, as the caller wants it."""
    if wanted.session is None or not (wanted.asked.free or wanted.asked.algorithm.name == "disjoint-set"):
        return False
    if "block" in wanted.asked.dense or any(id_kind(type) is None for type in types):
        return False
    return ALGORITHMS["interning"].runs_on(wanted.session.device)


class IdsOnDevice:
    """Ids that are interned and linked on a device, as they come."""

    def __init__(self, wanted: Order, ids: Any, groups: Sequence[Any]) -> None:
        assert wanted.session is not None
        self._session = wanted.session
        self._type, self._kind = ids, _kind(ids)
        self._of_groups = [_kind(each) for each in groups]
        self._run = Run(select(wanted.asked, InputFacts(0, form="blocks"), None), (self._session.device,))
        variant: dict[str, Any] = self._run.choice.variant
        with self._session.running():
            self._forest = IdForest(self._session, self._kind, self._of_groups, **variant)

    def expect(self, ids: int) -> None:
        """Make room for about this many ids, equal ones included."""
        self._forest.expect(ids)

    def add(self, ids: pa.Array[Any]) -> None:
        """Let these ids be vertices."""
        with self._session.running():
            self._forest.add(as_bytes(ids, self._kind))

    def merge(self, sources: pa.Array[Any], targets: pa.Array[Any]) -> None:
        """Join the components of the two ids of each pair."""
        if is_dictionary(sources) and is_dictionary(targets):
            ids, places = _values_and_places([sources, targets])
            with self._session.running():
                self._forest.merge_coded(as_bytes(ids, self._kind), places)
            return
        ends = [as_bytes(_decoded(each), self._kind) for each in (sources, targets)]
        with self._session.running():
            self._forest.merge(*ends)

    def join(self, groups: pa.Array[Any], members: pa.Array[Any], key: int) -> None:
        """Join the components of each id and of the other members of its group by one of the keys."""
        with self._session.running():
            self._forest.join(as_bytes(groups, self._of_groups[key]), as_bytes(members, self._kind), key)

    @property
    def nbytes(self) -> int:
        """About how much memory ids and forest take."""
        return self._forest.nbytes

    def take(self, seconds: Seconds) -> tuple[pa.Array[Any], Places, Run]:
        """Return every id once, the place of the smallest id in the component of each, and the run.

        Ids are in order of first appearance, row by row. The forest is used up.
        """
        with seconds.timed("labels"), self._session.running():
            ids, smallest = self._forest.take()
            return as_ids(ids, self._type), smallest, self._run


class _Part(NamedTuple):
    """Ids that came together.

    Attributes
    ----------
    ids : list of pyarrow Array
        One column, or the two ends of pairs.
    groups : pyarrow Array or None
        The group of each id in the column, if they are members of groups.
    key : int
        By which key these are groups.
    """

    ids: list[Any]
    groups: Any = None
    key: int = 0


class IdsOnHost:
    """Ids that are kept until all are there, then numbered, and the edges between the numbers linked."""

    def __init__(self, wanted: Order, ids: Any) -> None:
        self._wanted, self._type = wanted, ids
        self._parts: list[_Part] = []

    def add(self, ids: pa.Array[Any]) -> None:
        """Let these ids be vertices."""
        self._parts.append(_Part([ids]))

    def merge(self, sources: pa.Array[Any], targets: pa.Array[Any]) -> None:
        """Join the components of the two ids of each pair."""
        self._parts.append(_Part([_decoded(sources), _decoded(targets)]))

    def join(self, groups: pa.Array[Any], members: pa.Array[Any], key: int) -> None:
        """Join the components of each id and of the other members of its group by one of the keys."""
        self._parts.append(_Part([members], groups, key))

    @property
    def nbytes(self) -> int:
        """How many bytes the ids have that are kept."""
        return sum(ids.nbytes for part in self._parts for ids in part.ids)

    def take(self, seconds: Seconds) -> tuple[pa.Array[Any], Places, Run]:
        """Return every id once, the place of the smallest id in the component of each, and the run.

        Ids are in order of first appearance, row by row. The forest is used up.
        """
        with seconds.timed("labels"):
            ids, edges = self._numbered()
        graph = HostGraph(Graph.of_edges(edges, None, len(ids)))
        found = find_components(self._wanted, graph, "representative")
        with seconds.timed("labels"):
            return ids, _smallest(ids, found.labels), found.run

    def _numbered(self) -> tuple[pa.Array[Any], npt.NDArray[np.int32]]:
        """Return every id once, and the edges between their places."""
        import pyarrow as pa

        columns = pa.chunked_array([column for part in self._parts for column in part.ids], self._type)
        if self._wanted.session is None and id_kind(self._type) is not None:
            numbers, ids = number_ids(columns, device=REFERENCE)
        else:
            numbers, ids = numbered_by_library(columns)
        in_rows, edges = [np.empty(0, np.int32)], [np.empty((0, 2), np.int32)]
        edges += [self._edges_of_groups(numbers, key) for key in {part.key for part in self._parts}]
        for part, here in self._numbered_parts(numbers):
            in_rows.append(here.ravel())
            if len(part.ids) == 2:
                edges.append(here)
        appearance, place = _order_of_appearance(np.concatenate(in_rows), len(ids))
        return ids.take(appearance), place[np.concatenate(edges)].astype(np.int32)

    def _numbered_parts(self, numbers: Places) -> Iterator[tuple[_Part, Places]]:
        """Yield each part, and the numbers of its ids, of shape (rows, columns)."""
        at = 0
        for part in self._parts:
            count = sum(map(len, part.ids))
            yield part, numbers[at : at + count].reshape(len(part.ids), -1).T
            at += count

    def _edges_of_groups(self, numbers: Places, key: int) -> Places:
        """Return an edge from each member of a group by one of the keys to the group's first."""
        import pyarrow as pa

        joined = [
            (part.groups, here[:, 0])
            for part, here in self._numbered_parts(numbers)
            if part.groups is not None and part.key == key
        ]
        if not joined:
            return np.empty((0, 2), np.int32)
        groups = pa.chunked_array([names for names, _ in joined]).combine_chunks().dictionary_encode()
        members = np.concatenate([here for _, here in joined])
        group = np.asarray(groups.indices)
        first = np.empty(len(groups.dictionary), np.int32)
        first[group[::-1]] = members[::-1]  # of a group's members, the first one is written last
        return np.stack([first[group], members], axis=1)


def _kind(type: Any) -> IdKind:
    kind = id_kind(type)
    assert kind is not None
    return kind


def _smallest(ids: pa.Array[Any], representatives: npt.NDArray[Any]) -> Places:
    """Return the vertex with the smallest id in each vertex's component."""
    import pyarrow.compute as pc

    by_rank = pc.sort_indices(ids).to_numpy().astype(np.int32)
    smallest = np.empty(len(ids), np.int32)
    smallest[representatives[by_rank[::-1]]] = by_rank[::-1]  # of a component's ids, the smallest comes last
    found: Places = smallest[representatives]
    return found


def _decoded(column: Any) -> Any:
    """Return a column without a dictionary."""
    return column.dictionary_decode() if is_dictionary(column) else column


def _values_and_places(columns: list[Any]) -> tuple[Any, npt.NDArray[np.int64]]:
    """Return the ids that occur in columns of equal length, and where each row's are among them.

    Returns
    -------
    values : pyarrow Array
        Ids in order of first appearance, row by row. If dictionaries share an id, it is here twice.
    places : ndarray, shape (rows, columns)
    """
    import pyarrow as pa

    sizes = [len(column.dictionary) for column in columns]
    before = np.cumsum([0, *sizes[:-1]])
    codes = np.stack(
        [np.asarray(c.indices).astype(np.int64) + b for c, b in zip(columns, before, strict=True)], axis=1
    )
    appearance, place = _order_of_appearance(codes.ravel(), sum(sizes))
    values = pa.concat_arrays([column.dictionary for column in columns]).take(appearance)
    return values, place[codes]


def _order_of_appearance(
    numbers: npt.NDArray[Any], below: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return which of the numbers 0 .. below - 1 occur, in order of first appearance, and the place of each.

    The place of a number that does not occur is undefined.
    """
    first = np.full(below, len(numbers))
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]  # of equal numbers, the first is written last
    occur = np.flatnonzero(first < len(numbers))
    appearance = occur[np.argsort(first[occur])]
    place = np.empty(below, np.int64)
    place[appearance] = np.arange(len(appearance))
    return appearance, place
