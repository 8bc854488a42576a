"""How the components of a table are found: ids come in batches, and at the end each component is named.

On a device, ids are interned and linked as they come. By pyarrow or the reference, they are kept, and
numbered all at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pointerjump.accel.id_forests import IdForest
from pointerjump.tables.as_bytes import as_bytes, as_ids, id_kind
from pointerjump.tables.dictionaries import (
    is_dictionary,
    order_of_appearance,
    values_and_places,
    without_dictionary,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from pointerjump.accel.runtime.session import Session
    from pointerjump.id_bytes import IdKind

Numbers = npt.NDArray[np.int32]


class TableForest(Protocol):
    """The components of ids. They have been checked: none is null, and all have one type.

    Pairs may be encoded by dictionaries that have that type.
    """

    def add(self, ids: pa.Array[Any]) -> None:
        """Let these ids be vertices."""

    def merge(self, sources: pa.Array[Any], targets: pa.Array[Any]) -> None:
        """Join the components of the two ids of each pair."""

    def join(self, groups: pa.Array[Any], members: pa.Array[Any], key: int) -> None:
        """Join the components of each id and of the other members of its group by one of the keys."""

    @property
    def nbytes(self) -> int:
        """About how much memory it takes, once it is no longer little."""

    def take(self) -> tuple[pa.Array[Any], Numbers]:
        """Return every id once, and the place of the smallest id in the component of each.

        Ids are in order of first appearance, row by row. The forest is used up.
        """


class OnDevice:
    """Ids that are interned and linked on a device, as they come."""

    def __init__(
        self,
        session: Session,
        ids: Any,
        groups: Sequence[Any],
        *,
        access: str | None = None,
        reads: str = "plain",
    ) -> None:
        kind, *of_groups = (_kind(each) for each in (ids, *groups))
        self._type, self._kind, self._of_groups = ids, kind, of_groups
        self._session = session
        with session.running():
            self._forest = IdForest(session, kind, of_groups, access=access, reads=reads)

    def expect(self, ids: int) -> None:
        """Be told about how many ids are to come, equal ones included."""
        self._forest.expect(ids)

    def add(self, ids: pa.Array[Any]) -> None:
        """Intern some ids."""
        with self._session.running():
            self._forest.add(as_bytes(ids, self._kind))

    def merge(self, sources: pa.Array[Any], targets: pa.Array[Any]) -> None:
        """Intern the ids of pairs, or of their dictionaries, and link them."""
        if is_dictionary(sources) and is_dictionary(targets):
            ids, places = values_and_places([sources, targets])
            with self._session.running():
                self._forest.merge_coded(as_bytes(ids, self._kind), places)
            return
        ends = [as_bytes(without_dictionary(each), self._kind) for each in (sources, targets)]
        with self._session.running():
            self._forest.merge(*ends)

    def join(self, groups: pa.Array[Any], members: pa.Array[Any], key: int) -> None:
        """Intern groups and members, and link members."""
        with self._session.running():
            self._forest.join(as_bytes(groups, self._of_groups[key]), as_bytes(members, self._kind), key)

    @property
    def nbytes(self) -> int:
        """About how much memory ids and forest take."""
        return self._forest.nbytes

    def take(self) -> tuple[pa.Array[Any], Numbers]:
        """Return the ids, and the places of the smallest ones."""
        with self._session.running():
            ids, smallest = self._forest.take()
        return as_ids(ids, self._type), smallest


class Kept:
    """Ids that are kept until all are there.

    Parameters
    ----------
    ids : pyarrow DataType
        Their type.
    number : callable
        Returns the numbers of some ids, in order of first appearance, and every id once.
    find : callable
        Given the two ends of edges, and the number of vertices, it returns each vertex's representative.
    """

    def __init__(
        self,
        ids: Any,
        number: Callable[[pa.ChunkedArray[Any]], tuple[Numbers, pa.Array[Any]]],
        find: Callable[[Numbers, Numbers, int], Numbers],
    ) -> None:
        self._type, self._number, self._find = ids, number, find
        self._parts: list[_Part] = []

    def add(self, ids: pa.Array[Any]) -> None:
        """Keep some ids."""
        self._parts.append(_Part("add", [ids]))

    def merge(self, sources: pa.Array[Any], targets: pa.Array[Any]) -> None:
        """Keep some pairs."""
        self._parts.append(_Part("merge", [without_dictionary(sources), without_dictionary(targets)]))

    def join(self, groups: pa.Array[Any], members: pa.Array[Any], key: int) -> None:
        """Keep some members of groups."""
        self._parts.append(_Part("join", [members], groups, key))

    def give_to(self, other: TableForest) -> None:
        """Give all that is kept to another forest, and forget it."""
        for part in self._parts:
            if part.what == "add":
                other.add(*part.ids)
            elif part.what == "merge":
                other.merge(*part.ids)
            else:
                other.join(part.groups, part.ids[0], part.key)
        self._parts = []

    @property
    def nbytes(self) -> int:
        """How many bytes the ids have that are kept."""
        return sum(ids.nbytes for part in self._parts for ids in part.ids)

    def take(self) -> tuple[pa.Array[Any], Numbers]:
        """Number all ids, and find the components of the edges between them."""
        import pyarrow as pa

        flat = [column for part in self._parts for column in part.ids]
        numbers, ids = self._number(pa.chunked_array(flat, self._type))
        in_rows, edges = [np.empty(0, np.int32)], [np.empty((0, 2), np.int32)]
        edges += [self._edges_of_groups(numbers, key) for key in {part.key for part in self._parts}]
        for part, here in self._numbered_parts(numbers):
            in_rows.append(here.ravel())
            if part.what == "merge":
                edges.append(here)
        order, place = order_of_appearance(np.concatenate(in_rows), len(ids))
        ids, ends = ids.take(order), place[np.concatenate(edges)].astype(np.int32)
        found = self._find(ends[:, 0], ends[:, 1], len(ids))
        return ids, _smallest(ids, found)

    def _numbered_parts(self, numbers: Numbers) -> Iterator[tuple[_Part, Numbers]]:
        """Yield each part, and the numbers of its ids, of shape (rows, columns)."""
        at = 0
        for part in self._parts:
            count = sum(map(len, part.ids))
            yield part, numbers[at : at + count].reshape(len(part.ids), -1).T
            at += count

    def _edges_of_groups(self, numbers: Numbers, key: int) -> Numbers:
        """Return an edge from each member of a group by one of the keys to the group's first."""
        import pyarrow as pa

        joined = [
            (part.groups, here[:, 0])
            for part, here in self._numbered_parts(numbers)
            if part.what == "join" and part.key == key
        ]
        if not joined:
            return np.empty((0, 2), np.int32)
        groups = pa.chunked_array([names for names, _ in joined]).combine_chunks().dictionary_encode()
        members = np.concatenate([here for _, here in joined])
        group = np.asarray(groups.indices)
        first = np.empty(len(groups.dictionary), np.int32)
        first[group[::-1]] = members[::-1]  # of a group's members, the first one is written last
        return np.stack([first[group], members], axis=1)


class _Part(NamedTuple):
    """Ids that came together, and what is to be done with them.

    Attributes
    ----------
    what : {"add", "merge", "join"}
        The method that they were given to.
    ids : list of pyarrow Array
        One column, or the two ends of pairs.
    groups : pyarrow Array, optional
        The group of each id.
    key : int
        By which key these are groups.
    """

    what: str
    ids: list[Any]
    groups: Any = None
    key: int = 0


def _kind(type: Any) -> IdKind:
    kind = id_kind(type)
    assert kind is not None
    return kind


def _smallest(ids: pa.Array[Any], representatives: Numbers) -> Numbers:
    """Return the vertex with the smallest id in each vertex's component."""
    import pyarrow.compute as pc

    by_rank = pc.sort_indices(ids).to_numpy().astype(np.int32)
    smallest = np.empty(len(ids), np.int32)
    smallest[representatives[by_rank[::-1]]] = by_rank[::-1]  # of a component's ids, the smallest comes last
    return smallest[representatives]
