"""The name and the size of each component, from what parts claim, and the rows of the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pointerjump.parts.forests import PartForest, Places, together

if TYPE_CHECKING:
    import pyarrow as pa


class Claims(NamedTuple):
    """What parts say about components that reach into several of them.

    Attributes
    ----------
    component : ndarray of int32
        Its number. It may come several times.
    id : pyarrow Array
        An id of it, the smallest that whoever claims knows.
    stayed : ndarray of int64
        How many ids of it did not travel.
    """

    component: Places
    id: pa.Array[Any]
    stayed: npt.NDArray[np.int64]


class Settled(NamedTuple):
    """Each component's name, which is its smallest id, and its size.

    Attributes
    ----------
    component : ndarray of int32
        Their numbers, ascending.
    name : pyarrow Array
    size : ndarray of int64
    """

    component: Places
    name: pa.Array[Any]
    size: npt.NDArray[np.int64]

    def only(self, component: Places) -> Settled:
        """Return what is known about some components."""
        wanted = np.zeros(len(self.component), np.bool_)
        wanted[component] = True
        at = np.flatnonzero(wanted)
        return Settled(self.component[at], self.name.take(at), self.size[at])


def claims(part: PartForest, place: Places, component: Places) -> Claims:
    """Return what a part claims, given the components of its ids that travelled, and their places."""
    of_root = _component_of_root(part, place, component)
    root = np.flatnonzero(of_root >= 0)
    count = np.bincount(part.root[_others(part, place)], minlength=len(part.ids))
    return Claims(of_root[root], part.ids.take(root), count[root])


def merged_claims(several: Sequence[Claims]) -> Claims:
    """Return one claim for each component."""
    of_claim = np.concatenate([each.component for each in several])
    ids = together([each.id for each in several])
    count = np.bincount(of_claim, np.concatenate([each.stayed for each in several])).astype(np.int64)
    component = np.flatnonzero(np.bincount(of_claim)).astype(np.int32)
    return Claims(component, _smallest(ids, of_claim, component), count[component])


def _smallest(ids: pa.ChunkedArray[Any], of_claim: Places, component: Places) -> pa.Array[Any]:
    """Return the smallest id that is claimed for each component."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_integer(ids.type):  # for a minimum nothing need be sorted
        numbers = ids.to_numpy()
        least = np.full(component.max(initial=-1) + 1, np.iinfo(numbers.dtype).max, numbers.dtype)
        np.minimum.at(least, of_claim, numbers)
        return pa.array(least[component], ids.type)
    order = pc.sort_indices(ids).to_numpy()[::-1]
    first = np.empty(component.max(initial=-1) + 1, np.int64)
    first[of_claim[order]] = order  # the smallest one is written last
    return ids.take(first[component]).combine_chunks()


def settled(several: Sequence[Claims], component: Places) -> Settled:
    """Return every component's name and size, from all claims and the components of what travelled."""
    found = merged_claims(several)
    travelled = np.bincount(component, minlength=len(found.component))
    return Settled(found.component, found.id, found.stayed + travelled)


def of_part(part: PartForest, place: Places, component: Places, known: Settled) -> pa.Table:
    """Return the table of a part's ids that did not travel: their components' names and sizes."""
    rows = np.flatnonzero(_others(part, place))
    if not len(rows):
        none = part.ids.take(rows)  # a slice would keep all ids in memory
        return _table(none, none, [])
    root = part.root[rows]
    number = _component_of_root(part, place, component)[root]
    is_known = number >= 0
    at = np.searchsorted(known.component, number[is_known])
    size = np.bincount(part.root, minlength=len(part.ids))[root]
    size[is_known] = known.size[at]
    # Names lie in two places: those of components that are in this part only, and the others' behind them.
    where = root.astype(np.int64)
    where[is_known] = len(part.ids) + at
    names = together([part.ids, known.name]).take(where).combine_chunks()
    return _table(part.ids.take(rows), names, size)


def of_only_part(part: PartForest) -> pa.Table:
    """Return the table of the ids of the only part there is."""
    return _table(
        part.ids, part.ids.take(part.root), np.bincount(part.root, minlength=len(part.ids))[part.root]
    )


def of_all(forest: PartForest, component: Places, known: Settled) -> pa.Table:
    """Return the table of the ids that travelled."""
    return _table(forest.ids, known.name.take(component), known.size[component])


def _others(part: PartForest, place: Places) -> npt.NDArray[np.bool_]:
    """Return which ids of a part did not travel."""
    stayed = np.ones(len(part.ids), np.bool_)
    stayed[place] = False
    return stayed


def _component_of_root(part: PartForest, place: Places, component: Places) -> Places:
    """Return the component of every root that has ids that travelled, and -1 for the others."""
    of_root = np.full(len(part.ids), -1, np.int32)
    of_root[part.root[place]] = component
    return of_root


def _table(ids: Any, names: Any, sizes: Any) -> pa.Table:
    import pyarrow as pa

    return pa.table({"id": ids, "component": names, "size": pa.array(sizes, pa.int64())})
