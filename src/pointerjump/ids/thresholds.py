"""Finds the components in a table of scored pairs, at several thresholds or with a limit on their size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base.arrow import pa
from pointerjump.base.graph import Graph
from pointerjump.base.weighted import Weighted
from pointerjump.errors import TableError
from pointerjump.ids.components import TableComponents, order_for_ids
from pointerjump.ids.interning import numbered_columns
from pointerjump.solving.dendrograms import Dendrogram
from pointerjump.solving.disjoint_set import DisjointSet
from pointerjump.solving.run import Run, choice_for_blocks, order
from pointerjump.solving.spanning_forests import checked_weights, find_minimum_forest
from pointerjump.tables.open import Roles, given_nodes, open_table, pairs_with_numbers


def components_at(
    table: Any,
    source: str | None = None,
    target: str | None = None,
    *,
    score: str = "score",
    thresholds: Sequence[float] = (0.99, 0.95, 0.9),
    where: Any = None,
    nodes: Any = None,
    device: Any = None,
) -> ThresholdComponents:
    """Find the connected components of a table's ids at several thresholds of a score.

    At each threshold, only pairs whose score is at least the threshold are used. The pairs are read only
    once. Every id in the table has a component at every threshold, even if the id is alone in it.

    Parameters
    ----------
    table, source, target
        A table of pairs, and the columns with their ids, as for :func:`components`.
    score : str
        The column with the scores, which must be numbers.
    thresholds : sequence of float
        The thresholds, in any order. If scores are 32-bit floats, thresholds are rounded to 32 bits, as in
        `where`.
    where, nodes, device : optional
        As for :func:`components`. Rows that do not satisfy `where` contribute no ids.

    Returns
    -------
    ThresholdComponents

    Raises
    ------
    TableError
        If a column is missing, a value cannot be used as an id, a score is missing or not a number, or a
        threshold is repeated or not a number.
    DeviceError
        If the device does not exist, or if it does not have enough memory for one number per id.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import pointerjump as pj
    >>> pairs = pa.table({"left": ["bob", "cal"], "right": ["ann", "bob"], "score": [0.99, 0.91]})
    >>> c = pj.components_at(pairs, thresholds=[0.95, 0.9])
    >>> c.table().to_pylist()[2]
    {'id': 'cal', 'component_0.95': 'cal', 'component_0.9': 'ann'}
    >>> c.at(0.95).count
    2
    """
    thresholds, cuts = _checked_thresholds(thresholds)
    reached: list[npt.NDArray[Any]] = [np.empty(0, np.uint8)]

    def keep(scores: npt.NDArray[Any]) -> None:
        reached.append(thresholds_reached(cuts, scores))

    given = pairs_with_numbers(open_table(table), Roles(source, target), score, where, "score", keep)
    more = [] if nodes is None else [given_nodes(nodes)]
    ids, (left, right, *_) = numbered_columns([given, *more], device)
    forest = DisjointSet(len(ids), device)
    smallest = smallest_at(cuts, forest, left, right, np.concatenate(reached))
    run = Run(choice_for_blocks("disjoint-set", device, {}), (forest.device,))
    return ThresholdComponents(ids, thresholds, smallest, run, given.like_given)


def capped_components(
    table: Any,
    roles: Roles,
    score: str | None,
    max_size: int | None,
    where: Any,
    nodes: Any,
    device: Any,
    labels: str | None,
) -> TableComponents:
    """Find components of at most `max_size` ids. Parameters and errors are as for :func:`components`."""
    if score is None or max_size is None:
        raise TableError("score and max_size go together: name the column of scores, and the largest size")
    order_for_ids("auto", device, labels, None)
    wanted = order("minimum-spanning-forest", "auto", device, {})
    scores: list[npt.NDArray[Any]] = [np.empty(0, np.uint8)]
    given = pairs_with_numbers(open_table(table), roles, score, where, "score", scores.append)
    more = [] if nodes is None else [given_nodes(nodes)]
    ids, (left, right, *_) = numbered_columns([given, *more], device)
    # Pairs with equal scores merge in order of their ids, so the order of rows does not matter.
    smaller, larger = np.minimum(left, right), np.maximum(left, right)
    by_ids = np.lexsort((larger, smaller))
    graph = Graph.of_edges(smaller[by_ids], larger[by_ids], len(ids))
    weights = checked_weights(np.concatenate(scores), len(left))[by_ids]
    forest = find_minimum_forest(wanted, Weighted(graph, weights, maximum=True))
    number = Dendrogram(forest, maximum=True).cut(max_size=max_size)
    smallest = np.unique(number, return_index=True)[1].astype(np.int32)[number]
    return TableComponents(ids, smallest, labels or "representative", forest.run, given.like_given)


def smallest_at(
    cuts: Sequence[float],
    forest: DisjointSet,
    left: npt.NDArray[Any],
    right: npt.NDArray[Any],
    reached: npt.NDArray[Any],
) -> dict[float, npt.NDArray[Any]]:
    """Merge pairs, and return the representatives at each of `cuts`, the thresholds in descending order."""
    order = np.argsort(reached, kind="stable")
    ends = np.searchsorted(reached, np.arange(len(cuts) + 1), sorter=order)
    found = {}
    for cut, begin, end in zip(cuts, ends[:-1], ends[1:], strict=True):
        forest.merge(left[order[begin:end]], right[order[begin:end]])
        found[cut] = forest.labels("representative")
    return found


def thresholds_reached(cuts: Sequence[float], scores: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """For each score, return the index of the highest threshold that it reaches, or ``len(cuts)`` if none."""
    # The type is small, because there is one number per pair.
    numbers = np.zeros(len(scores), np.min_scalar_type(len(cuts)))
    for cut in cuts:
        numbers += ~_reaches(scores, cut)
    return numbers


def _reaches(scores: npt.NDArray[Any], cut: float) -> npt.NDArray[np.bool_]:
    """Return which scores are at least `cut`. Integers are compared exactly."""
    if scores.dtype.kind not in "iu":
        with np.errstate(over="ignore"):  # a threshold that exceeds the type's range becomes infinite
            return np.asarray(scores >= scores.dtype.type(cut))
    bounds = np.iinfo(scores.dtype)
    if cut > bounds.max or cut <= bounds.min:
        return np.full(len(scores), cut <= bounds.min)
    return np.asarray(scores >= scores.dtype.type(ceil(cut)))


class ThresholdComponents:
    """The connected components of a table's ids at several thresholds.

    Attributes
    ----------
    ids : pyarrow Array, shape (vertices,)
        The distinct ids, in ascending order.
    thresholds : list of float
        The thresholds, in the order in which they were passed.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import pointerjump as pj
    >>> pairs = pa.table({"left": ["bob", "cal"], "right": ["ann", "bob"], "score": [0.99, 0.91]})
    >>> found = pj.components_at(pairs, thresholds=[0.95, 0.9])
    >>> [found.at(threshold).count for threshold in found.thresholds]
    [2, 1]
    """

    def __init__(
        self,
        ids: pa.Array[Any],
        thresholds: Sequence[float],
        smallest: dict[float, npt.NDArray[Any]],
        run: Run,
        like_given: Callable[[pa.Table], Any],
    ) -> None:
        self.ids, self.thresholds, self._smallest = ids, list(thresholds), smallest
        self._run, self._like_given = run, like_given

    def at(self, threshold: float) -> TableComponents:
        """Return the components at one of the thresholds. A TableError is raised for any other value."""
        if threshold not in self._smallest:
            raise TableError(f"there is no threshold {threshold}: there are {self.thresholds}")
        smallest = self._smallest[threshold]
        return TableComponents(self.ids, smallest, "representative", self._run, self._like_given)

    def __repr__(self) -> str:
        return f"ThresholdComponents(thresholds={self.thresholds}, ids={len(self.ids)})"

    def table(self) -> Any:
        """Return a table with one row per id.

        The table is of the same kind as the input, or an Arrow table for files. In addition to ``id``, there
        is a column for each threshold, such as ``component_0.95``. It contains the smallest id of the
        component.
        """
        columns = {"id": self.ids}
        for threshold in self.thresholds:
            columns[f"component_{threshold}"] = self.ids.take(self._smallest[threshold])
        return self._like_given(pa.table(columns))


def _checked_thresholds(thresholds: Any) -> tuple[list[Any], list[float]]:
    """Return the thresholds twice: in the order in which they were passed, and in descending order."""
    try:
        given = list(thresholds)
        if any(isinstance(threshold, str) for threshold in given):
            raise TypeError
        numbers = [float(threshold) for threshold in given]
    except (OverflowError, TypeError, ValueError):
        raise TableError(f"thresholds={thresholds!r}: give a list of numbers, such as [0.99, 0.95]") from None
    # Integers stay exact, because scores may be integers.
    cuts = [
        int(each) if isinstance(each, Integral) else number
        for each, number in zip(given, numbers, strict=True)
    ]
    if not cuts or any(np.isnan(numbers)) or len(set(cuts)) < len(cuts):
        raise TableError(f"thresholds={thresholds!r}: give one number or more, each only once")
    return given, sorted(cuts, reverse=True)
