"""Finds regions that span a periodic axis: :func:`wraps`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.device_arrays import on_host
from pointerjump.base.edges import EdgeList
from pointerjump.base.graph import Graph
from pointerjump.base.images import as_connectivity, as_wraps
from pointerjump.imaging.label_regions import LabelImage
from pointerjump.imaging.labels import label
from pointerjump.solving.run import REFERENCE, order
from pointerjump.solving.spanning_forests import earliest_forest
from pointerjump.solving.trees import root

# One row per step across an end of a periodic axis: the pieces on both sides, and 1, -1 or 0 for each axis.
Crossings = npt.NDArray[np.int64]


def wraps(
    labels: Any, wrap_axes: int | Iterable[int], connectivity: int = 1, *, device: Any = None
) -> npt.NDArray[np.bool_]:
    """Find which regions span a periodic axis.

    A region spans an axis if a path within the region goes around the axis and returns to its start. In
    percolation theory, such a region is called a wrapping cluster. A region that merely crosses the end of an
    axis does not span it.

    Parameters
    ----------
    labels : array_like or pyopencl array of int, of 1 to 4 dimensions
        As for :func:`regions`.
    wrap_axes, connectivity
        As for :func:`label`.
    device : optional
        As for :func:`components`. Neighbors across the ends of axes are found on the host.

    Returns
    -------
    ndarray of bool, shape (count, axes)
        Row i says for each axis whether label i + 1 spans it. The value is False for axes that do not wrap.

    Raises
    ------
    ImageError
        If `labels` is not a valid array of labels, or if an axis or the connectivity is invalid.
    DeviceError, MemoryLimitError
        As for :func:`label`.

    Examples
    --------
    >>> import pointerjump as pj
    >>> mask = [[1, 1, 1, 1], [0, 0, 0, 0], [1, 0, 0, 1]]
    >>> pj.wraps(pj.label(mask, wrap_axes=1), wrap_axes=1).tolist()
    [[False, True], [False, False]]
    """
    image = LabelImage(labels, device)
    count = image.largest_label(*image.placement)
    given = on_host(image.given)
    steps = as_connectivity(connectivity, given.ndim)
    around = as_wraps(wrap_axes, given.ndim)
    spans = np.zeros((count, given.ndim), np.bool_)
    pieces = label(given, steps, multilabel=True, device=device)
    crossings = _crossings(given, pieces, around, steps)
    if not len(crossings):
        return spans
    before, behind, step = crossings[:, 0], crossings[:, 1], crossings[:, 2:]
    turns = _turns(crossings, int(pieces.max()) + 1, device)
    # A step that closes a cycle shows how many times the cycle goes around each axis.
    net = turns[before] + step - turns[behind]
    label_of = np.zeros(len(turns), np.int64)
    label_of[pieces] = given
    for axis in range(given.ndim):
        spans[label_of[before[net[:, axis] != 0]] - 1, axis] = True
    return spans


def _crossings(
    labels: npt.NDArray[Any], pieces: npt.NDArray[Any], around: Sequence[bool], steps: int
) -> Crossings:
    """Return the distinct steps that lead across the end of an axis to a neighbor with the same label."""
    found = [np.zeros((0, 2 + labels.ndim), np.int64)]
    for way in product((-1, 0, 1), repeat=labels.ndim):
        if not labels.size or sum(map(abs, way)) > steps or way < (0,) * labels.ndim:
            continue
        for axis in (a for a in range(labels.ndim) if way[a] and around[a]):
            here: list[npt.NDArray[np.intp]] = []
            for a, (step, size) in enumerate(zip(way, labels.shape, strict=True)):
                if a == axis:
                    places = np.array([size - 1 if step > 0 else 0])
                else:
                    first, end = (0, size) if around[a] else (max(0, -step), size - max(0, step))
                    places = np.arange(first, max(first, end))
                here.append(places)
            there = [(at + step) % size for at, step, size in zip(here, way, labels.shape, strict=True)]
            turn = [(at + step) // size for at, step, size in zip(here, way, labels.shape, strict=True)]
            alike = (labels[np.ix_(*here)] == labels[np.ix_(*there)]) & (labels[np.ix_(*here)] != 0)
            at = np.nonzero(alike)
            ends = (pieces[np.ix_(*each)][at] for each in (here, there))
            columns = [*ends, *(turn[a][at[a]] for a in range(labels.ndim))]
            found.append(np.unique(np.stack(columns, axis=-1).astype(np.int64), axis=0))
    return np.unique(np.concatenate(found), axis=0)


def _turns(crossings: Crossings, pieces: int, device: Any) -> Crossings:
    """Return how many times the path from the root to each piece goes around each axis.

    Pieces are the parts of regions that are connected without crossing an end of an axis. The paths lie in a
    spanning forest whose vertices are the pieces and whose edges are crossings.
    """
    low, high = np.minimum(crossings[:, 0], crossings[:, 1]), np.maximum(crossings[:, 0], crossings[:, 1])
    key, first = np.unique(low * pieces + high, return_index=True)
    step = np.where((crossings[:, 0] == low)[:, np.newaxis], crossings[:, 2:], -crossings[:, 2:])[first]
    ends = EdgeList((key // pieces).astype(np.int32), (key % pieces).astype(np.int32), pieces)
    wanted = order("trees", "auto", device, {})
    rows = earliest_forest(ends, wanted.session or REFERENCE)
    edges = EdgeList(ends.sources[rows], ends.targets[rows], pieces)
    forest = root(wanted, Graph.of_checked(edges), None)
    vertex, parent = np.arange(pieces), forest.parent
    below = np.flatnonzero(parent != vertex)
    down = vertex[below] > parent[below]
    place = np.searchsorted(
        key, np.where(down, parent[below] * pieces + below, below * pieces + parent[below].astype(np.int64))
    )
    own = np.zeros((pieces, step.shape[1]), np.int64)
    own[below] = np.where(down[:, np.newaxis], step[place], -step[place])
    return np.stack([forest.path_sum(each) for each in own.T], axis=-1)
