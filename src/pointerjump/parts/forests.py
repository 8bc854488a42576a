"""A part of a table becomes a forest. Forests are merged, and components passed down to the parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pointerjump.connectivity import components
from pointerjump.errors import TableError
from pointerjump.ids.components import Watch, components_of_table
from pointerjump.ids.interning import Numbers
from pointerjump.ids.interning import numbered as numbered_ids
from pointerjump.result import number_components
from pointerjump.tables.open import that_have_rows
from pointerjump.tables.roles import Roles

if TYPE_CHECKING:
    import pyarrow as pa

Places = npt.NDArray[np.int32]
"""Where ids are in a forest."""


class PartForest(NamedTuple):
    """The components of some ids.

    Attributes
    ----------
    ids : pyarrow Array
        Every id once.
    root : ndarray of int32
        For each id, the place of an id of its component, the same one for all of them.
    """

    ids: pa.Array[Any]
    root: Places

    @property
    def nbytes(self) -> int:
        """How many bytes travel if it does."""
        return int(self.ids.nbytes) + self.root.nbytes

    @property
    def is_root(self) -> npt.NDArray[np.bool_]:
        """Which ids are roots."""
        found: npt.NDArray[np.bool_] = self.root == np.arange(len(self.root), dtype=np.int32)
        return found


def part_forest(
    tables: Iterable[Any],
    roles: Roles,
    device: Any = None,
    watch: Watch = lambda rows, nbytes: None,
    where: Any = None,
) -> PartForest:
    """Return the forest of a part that consists of some tables. Roots are smallest ids."""
    found = components_of_table(iter(tables), device=device, roles=roles, where=where, watch=watch)
    return PartForest(found.ids, found.labels)


def in_order_of_ids(forest: PartForest) -> PartForest:
    """Return the same forest with its ids in ascending order, whatever the order of the rows was."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_integer(forest.ids.type):
        order = np.argsort(forest.ids.to_numpy())  # sooner than pyarrow
    else:
        order = pc.sort_indices(forest.ids).to_numpy()
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return PartForest(forest.ids.take(order), place[forest.root[order]])


def part_forests(
    tables: Iterable[Any], roles: Roles, memory: float, device: Any = None, where: Any = None
) -> list[PartForest]:
    """Return forests of a part, in order of its tables: as few as so much memory allows.

    A forest takes tables until it needs more than that. So it may take one table too many. How many forests
    there are does not depend on the order of a table's rows.
    """
    waiting = iter(tables)
    taken = 0

    def watch(rows: int, nbytes: int) -> None:
        nonlocal taken
        taken = nbytes

    def tables_while_there_is_room() -> Iterator[Any]:
        while taken <= memory and (table := next(waiting, None)) is not None:
            yield table

    forests = []
    table = next(waiting, None)
    while table is not None:
        taken = 0
        given = chain([table], tables_while_there_is_room())
        forests.append(part_forest(given, roles, device, watch, where))
        table = next(waiting, None)
    return forests


def concatenated(ids: Sequence[pa.Array[Any]]) -> pa.ChunkedArray[Any]:
    """Return the ids of several parts, one after the other.

    Raises
    ------
    TableError
        If they are of different types. What has no ids may have any type, as a column of objects has.
    """
    import pyarrow as pa

    not_empty = list(that_have_rows(ids))
    return pa.chunked_array(not_empty, one_type([each.type for each in not_empty]))


def one_type(types: Sequence[Any], what: str = "ids") -> Any:
    """Return the type of the ids, or groups, of several parts, or raise a TableError if there are several."""
    for type in types:
        if type != types[0]:
            raise TableError(
                f"the {what} are {types[0]} in one part of the table, and {type} in another: cast them to "
                "one type"
            )
    return types[0]


class Merge(NamedTuple):
    """A forest of several.

    Attributes
    ----------
    forest : PartForest
    places : list of ndarray of int32
        For each of the merged forests, where its ids are in this one.
    """

    forest: PartForest
    places: list[Places]


def merged_forests(forests: Sequence[PartForest], device: Any = None) -> Merge:
    """Merge forests."""
    number, ids = numbered_ids(concatenated([forest.ids for forest in forests]), device)
    places = np.split(number, np.cumsum([len(forest.ids) for forest in forests])[:-1])
    roots = [place[forest.root] for place, forest in zip(places, forests, strict=True)]
    found = components(
        (number, np.concatenate(roots)), device=device, labels="representative", vertices=len(ids)
    )
    return Merge(PartForest(ids, found.labels), places)


def component_numbers(forest: PartForest) -> Numbers:
    """Return the number of each id's component, from 0 on."""
    return number_components(forest.root)


def passed_down(which: int, component: Numbers, merge: Merge) -> Numbers:
    """Return the components of the ids of one of the merged forests, given those of all ids."""
    return component[merge.places[which]]
