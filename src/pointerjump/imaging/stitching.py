"""Joins the labels of overlapping tiles into the labels of a single image: :func:`stitch`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base.images import MOST_AXES, label_dtype, stand_in
from pointerjump.base.integers import as_array, as_count
from pointerjump.errors import ImageError
from pointerjump.graphs.connectivity import components
from pointerjump.imaging.chunked_arrays import Grid, StoredImage, array_for_labels, let_go

Index = tuple[int, ...]  # the position of a tile in the grid of tiles
LabelsOfTile = npt.NDArray[Any]


def stitch(
    tiles: Any, overlap: int | Iterable[int], iou: float = 0.5, *, out: Any = None, device: Any = None
) -> Any:
    """Join the labels of overlapping tiles, so that an object found in several tiles gets a single label.

    Within the overlap of two neighboring tiles, a label of one tile is matched with a label of the other if
    the intersection of their pixels is at least `iou` times the union. Matched labels belong to the same
    object. In the result, each half of an overlap has the labels of the tile whose center is closer. Which
    pixels form an object depends neither on the order of the tiles nor on the values of their labels.

    Parameters
    ----------
    tiles : nested list of array_like, or mapping of tuple to array_like
        Arrays of nonnegative integers with 1 to 4 dimensions, in which 0 is the background. In two
        dimensions, ``tiles[i][j]`` or ``tiles[i, j]`` is the tile in row i and column j of the grid. All
        tiles in a row of the grid must have the same height, and all tiles in a column the same width. Tiles
        are read several times. If they are memory maps, zarr arrays or similar, only one tile is in memory at
        a time.
    overlap : int or iterable of int
        The number of pixels that neighboring tiles share along each axis: one number for all axes, or one
        number per axis.
    iou : float
        The smallest intersection over union at which labels match, above 0 and at most 1. If it is above 0.5,
        a label matches at most one label of each neighboring tile.
    out : array, optional
        The array to write the labels to, as for :func:`label_chunks`.
    device : optional
        As for :func:`components`. Pixels are compared on the host.

    Returns
    -------
    array of int
        `out`, or a new array of int32 (int64 if there are 2**31 pixels or more). Labels are numbered from 1,
        tile by tile in C order and, within each tile, in the order of the tile's labels.

    Raises
    ------
    ImageError
        If a tile is missing, contains something other than labels or does not fit the other tiles. Also if
        an option is invalid.
    DeviceError, MemoryLimitError
        As for :func:`components`.

    See Also
    --------
    label_chunks : Labels images larger than memory, whose chunks need not overlap.

    Examples
    --------
    >>> import numpy as np
    >>> import pointerjump as pj
    >>> left, right = np.array([[1, 0, 2, 2]]), np.array([[7, 7, 0, 5]])
    >>> pj.stitch([[left, right]], overlap=2).tolist()
    [[1, 0, 2, 2, 0, 3]]
    """
    grid = _in_grid(tiles)
    axes = len(next(iter(grid)))
    given = list(overlap) if isinstance(overlap, Iterable) else [overlap] * axes
    shared = tuple(as_count(each, "overlap", ImageError) for each in given)
    if len(shared) != axes or min(shared) < 0:
        raise ImageError(f"overlap is {overlap!r}: give a number of pixels, or one for each of {axes} axes")
    is_number = not isinstance(iou, bool) and isinstance(iou, Real)
    if not is_number or not 0 < iou <= 1:
        raise ImageError(f"iou is {iou!r}: give a number above 0, and at most 1")
    begins, whole = _places(grid, axes, shared)
    cores = {index: whole.chunk_at(index).slices for index in grid}  # the pixels that each tile labels

    def core_of(index: Index) -> LabelsOfTile:
        steps = (at[i] for at, i in zip(begins, index, strict=True))
        core = zip(cores[index], steps, strict=True)
        return grid[index].read(tuple(slice(each.start - step, each.stop - step) for each, step in core))

    ids = {index: _ids(tile, index) for index, tile in grid.items()}
    base = dict(zip(grid, np.cumsum([0, *(len(each) for each in ids.values())]).tolist(), strict=False))
    total = sum(map(len, ids.values()))
    us, vs = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for index in grid:
        for axis in range(axes):
            after = (*index[:axis], index[axis] + 1, *index[axis + 1 :])
            if after in grid:
                mine, theirs = _same(grid[index], grid[after], axis, shared[axis], float(iou))
                us.append(base[index] + np.searchsorted(ids[index], mine))
                vs.append(base[after] + np.searchsorted(ids[after], theirs))
    object_of = components((np.concatenate(us), np.concatenate(vs)), vertices=total, device=device).labels
    is_there = np.zeros(int(object_of.max(initial=-1)) + 1, np.bool_)
    for index in grid:
        inside = np.unique(core_of(index))
        is_there[object_of[base[index] + np.searchsorted(ids[index], inside[inside != 0])]] = True
    number = np.cumsum(is_there)
    stored = StoredImage(stand_in(whole.shape, np.dtype(np.int8)))
    out = array_for_labels(out, stored, label_dtype(prod(whole.shape)))
    if is_there.any() and int(number[-1]) > np.iinfo(out.dtype).max:
        raise ImageError(
            f"out has dtype {out.dtype}, and there are {int(number[-1]):,} labels: give a wider one"
        )
    for index in grid:
        pixels = core_of(index)
        names = np.concatenate([[0], number[object_of[base[index] : base[index] + len(ids[index])]]])
        out[cores[index]] = names[np.searchsorted(ids[index], pixels, side="right") * (pixels != 0)]
        let_go(out)
    return out


def _in_grid(tiles: Any) -> dict[Index, StoredImage]:
    """Return the tiles by their positions in the grid, in C order."""
    found: dict[Index, Any] = {}

    def take(part: Any, index: Index) -> None:
        is_list = isinstance(part, list | tuple) and part and len(index) < MOST_AXES
        if is_list and not isinstance(part[0], int | float | np.generic):  # else it is a row of pixels
            for number, each in enumerate(part):
                take(each, (*index, number))
        else:
            found[index] = part

    if isinstance(tiles, Mapping):
        found = {key if isinstance(key, tuple) else (key,): tile for key, tile in tiles.items()}
    else:
        take(tiles, ())
    if not found or () in found:
        raise ImageError("tiles is no grid: give nested lists of arrays, or a dict such as {(0, 1): labels}")
    axes = {len(index) for index in found}
    if len(axes) > 1 or not all(isinstance(i, int | np.integer) and i >= 0 for index in found for i in index):
        raise ImageError(
            "tiles have places that are not in one grid: give integers from 0 on, one for each axis"
        )
    grid = {}
    # If positions are far apart, one of the first tiles is missing.
    for index in np.ndindex(*(min(max(each), len(found)) + 1 for each in zip(*found, strict=True))):
        if index not in found:
            raise ImageError(f"tile {index} is missing: give all tiles of the grid, or one of zeros")
        tile = found[index]
        sliced = all(hasattr(tile, name) for name in ("shape", "dtype", "__getitem__"))
        grid[index] = StoredImage(tile if sliced else as_array(tile, f"tile {index}", ImageError))
        if len(grid[index].shape) != len(index) or grid[index].dtype.kind not in "iu":
            raise ImageError(
                f"tile {index} has shape {grid[index].shape} and dtype {grid[index].dtype}: give integers, "
                f"with {len(index)} dimensions as the grid has"
            )
    return grid


def _places(grid: dict[Index, StoredImage], axes: int, shared: Index) -> tuple[list[list[int]], Grid]:
    """Return where tiles begin along each axis, and how the result is divided into chunks.

    Each chunk gets its labels from the tile with the same index.
    """
    begins, cuts = [], []
    for axis in range(axes):
        sizes: dict[int, int] = {}
        for index, tile in grid.items():
            size = sizes.setdefault(index[axis], tile.shape[axis])
            if tile.shape[axis] != size:
                raise ImageError(
                    f"tile {index} has {tile.shape[axis]} pixels along axis {axis}, and others beside it "
                    f"{size}: give tiles that fit together"
                )
            if len(grid) > 1 and size <= shared[axis] and max(each[axis] for each in grid) > 0:
                raise ImageError(
                    f"tile {index} has {size} pixels along axis {axis}, and overlap is {shared[axis]}: give "
                    "a smaller overlap, or larger tiles"
                )
        steps = [sizes[i] - shared[axis] for i in range(len(sizes))]
        first, *later = np.cumsum([0, *steps]).tolist()
        begins.append([first, *later[:-1]])
        cuts.append((first, *(at + shared[axis] // 2 for at in later[:-1]), later[-1] + shared[axis]))
    return begins, Grid(tuple(cuts))


def _ids(tile: StoredImage, index: Index) -> LabelsOfTile:
    """Return the distinct labels of a tile, except 0, in ascending order."""
    found = np.unique(tile.read(tuple(slice(0, size) for size in tile.shape)))
    let_go(tile.array)
    if found.size and int(found[0]) < 0:
        raise ImageError(
            f"tile {index} has labels from {found[0]:,} to {found[-1]:,}: give numbers from 0 on"
        )
    kept: LabelsOfTile = found[found != 0]
    return kept


def _same(
    one: StoredImage, other: StoredImage, axis: int, shared: int, iou: float
) -> tuple[LabelsOfTile, LabelsOfTile]:
    """Return two arrays with the matching labels of a tile and of the next tile along an axis."""
    here = [slice(0, size) for size in one.shape]
    there, size = [*here], one.shape[axis]
    here[axis], there[axis] = slice(size - shared, size), slice(0, shared)
    mine, theirs = one.read(tuple(here)).ravel(), other.read(tuple(there)).ravel()
    (a, place_a, of_a), (b, place_b, of_b) = (
        np.unique(each, return_inverse=True, return_counts=True) for each in (mine, theirs)
    )
    pair, both = np.unique(place_a * max(1, len(b)) + place_b, return_counts=True)
    at_a, at_b = pair // max(1, len(b)), pair % max(1, len(b))
    joined = both >= iou * (of_a[at_a] + of_b[at_b] - both)
    joined &= (a[at_a] != 0) & (b[at_b] != 0)
    return a[at_a[joined]], b[at_b[joined]]
