"""The name and the size of each component, from what parts claim, and the rows of the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pointerjump.ids.interning import Numbers
from pointerjump.parts.forests import PartForest, Places, concatenated

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

    component: Numbers
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

    component: Numbers
    name: pa.Array[Any]
    size: npt.NDArray[np.int64]

    def only(self, component: Numbers) -> Settled:
        """Return what is known about some components."""
        wanted = np.zeros(len(self.component), np.bool_)
        wanted[component] = True
        at = np.flatnonzero(wanted)
        return Settled(self.component[at], self.name.take(at), self.size[at])


def claims_of(forest: PartForest, place: Places, component: Numbers) -> Claims:
    """Return what a part claims.

    Parameters
    ----------
    forest : PartForest
        The part's.
    place, component : ndarray of int32
        Of those of its ids that travelled: where they are in the forest, and the components they are in.
    """
    of_root = _component_of_root(forest, place, component)
    root = np.flatnonzero(of_root >= 0)
    count = np.bincount(forest.root[_stayed(forest, place)], minlength=len(forest.ids))
    return Claims(of_root[root], forest.ids.take(root), count[root])


def merged_claims(several: Sequence[Claims]) -> Claims:
    """Return one claim for each component."""
    of_claim = np.concatenate([each.component for each in several])
    ids = concatenated([each.id for each in several])
    count = np.bincount(of_claim, np.concatenate([each.stayed for each in several])).astype(np.int64)
    component = np.flatnonzero(np.bincount(of_claim)).astype(np.int32)
    return Claims(component, _smallest(ids, of_claim, component), count[component])


def _smallest(ids: pa.ChunkedArray[Any], of_claim: Numbers, component: Numbers) -> pa.Array[Any]:
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


def settled(merged: Claims, component: Numbers) -> Settled:
    """Return every component's name and size, from all claims, merged, and what travelled."""
    travelled = np.bincount(component, minlength=len(merged.component))
    return Settled(merged.component, merged.id, merged.stayed + travelled)


# -- the rows of the result ------------------------------------------------------------------------


def rows_that_stayed(forest: PartForest, place: Places, component: Numbers, known: Settled) -> pa.Table:
    """Return the rows of a part's ids that did not travel. Other parameters are as for :func:`claims_of`."""
    rows = np.flatnonzero(_stayed(forest, place))
    if not len(rows):
        none = forest.ids.take(rows)  # a slice would keep all ids in memory
        return _table(none, none, [])
    root = forest.root[rows]
    number = _component_of_root(forest, place, component)[root]
    is_known = number >= 0
    at = np.searchsorted(known.component, number[is_known])
    size = np.bincount(forest.root, minlength=len(forest.ids))[root]
    size[is_known] = known.size[at]
    # Names are taken from two columns: of components that only this part has, from its own ids; of others,
    # from what is known, which comes behind them.
    where = root.astype(np.int64)
    where[is_known] = len(forest.ids) + at
    names = concatenated([forest.ids, known.name]).take(where).combine_chunks()
    return _table(forest.ids.take(rows), names, size)


def rows_of_only_part(forest: PartForest) -> pa.Table:
    """Return the rows of the ids of the only part there is."""
    size = np.bincount(forest.root, minlength=len(forest.ids))
    return _table(forest.ids, forest.ids.take(forest.root), size[forest.root])


def rows_that_travelled(forest: PartForest, component: Numbers, known: Settled) -> pa.Table:
    """Return the rows of ids that travelled, given the components that they are in."""
    return _table(forest.ids, known.name.take(component), known.size[component])


def _stayed(forest: PartForest, place: Places) -> npt.NDArray[np.bool_]:
    """Return which ids of a part did not travel."""
    stayed = np.ones(len(forest.ids), np.bool_)
    stayed[place] = False
    return stayed


def _component_of_root(forest: PartForest, place: Places, component: Numbers) -> Numbers:
    """Return the component of every root that has ids that travelled, and -1 for the others."""
    of_root = np.full(len(forest.ids), -1, np.int32)
    of_root[forest.root[place]] = component
    return of_root


def _table(ids: Any, names: Any, sizes: Any) -> pa.Table:
    import pyarrow as pa

    return pa.table({"id": ids, "component": names, "size": pa.array(sizes, pa.int64())})
