"""Labels Dask arrays block by block on Dask's workers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from dask import delayed

from pointerjump.base.images import Pixels
from pointerjump.errors import ImageError
from pointerjump.imaging.chunked_arrays import StoredImage, grid_of
from pointerjump.imaging.chunked_labels import ChunkedImage, ChunkOutline, FinalNumbers, Seams


def label(
    array: da.Array,
    connectivity: int = 1,
    *,
    multilabel: bool = False,
    background: int | float | None = 0,
    delta: int | float | None = None,
    wrap_axes: int | Iterable[int] = (),
    return_num: bool = False,
    device: Any = None,
) -> Any:
    """Label the connected components of a Dask array, and return the labels as a Dask array.

    The result is computed lazily. The labels are the same as those that :func:`pointerjump.label` returns for
    the whole image, regardless of how the image is divided into blocks.

    Parameters
    ----------
    array : dask.array.Array
        An image of 1 to 4 dimensions.
    connectivity, multilabel, background, delta, wrap_axes, return_num : optional
        As for :func:`pointerjump.label`.
    device : optional
        As for :func:`pointerjump.label`. The device is selected separately in each worker's process.

    Returns
    -------
    labels : dask.array.Array of int32
        The labels, divided into the same blocks as the image, except that empty blocks are dropped. The dtype
        is int64 if there are 2**31 pixels or more.
    count : dask.array.Array of int64, shape ()
        The number of components. Returned only if `return_num` is true.

    Raises
    ------
    ImageError
        If `array` is not a Dask array or has blocks of unknown size, or if an option is not valid for it.

    Notes
    -----
    Each block is labelled twice, and it must contain the same pixels both times. To compute each block only
    once, pass ``array.persist()``. To keep only one block in memory at a time and write the labels to an
    output array, use :func:`pointerjump.label_chunks`. A single task receives the pixels and labels along the
    borders of all blocks. Every worker receives an array that maps all provisional labels to final ones.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> import pointerjump.dask
    >>> image = da.from_array(np.array([[1, 1, 0, 1], [0, 1, 0, 1], [0, 1, 1, 1]]), chunks=2)
    >>> pointerjump.dask.label(image).compute()
    array([[1, 1, 0, 1],
           [0, 1, 0, 1],
           [0, 1, 1, 1]], dtype=int32)
    """
    if not isinstance(array, da.Array):
        raise ImageError(f"the image is of type {type(array).__name__}: give a Dask array, or use pj.label")
    image = StoredImage(array)
    options = connectivity, multilabel, background, delta, wrap_axes
    grid = grid_of(image.shape, (1,) * array.ndim, array.chunks)
    whole = ChunkedImage.of(image, options, grid, device)
    if not len(grid):
        labels, count = da.zeros(image.shape, dtype=whole.label_dtype), da.zeros((), dtype=np.int64)
        return (labels, count) if return_num else labels
    array = array.rechunk(grid.sizes)
    blocks = zip(grid.chunks(), array.to_delayed(optimize_graph=False).ravel(), strict=True)
    outlines = [delayed(whole.outline)(chunk, block) for chunk, block in blocks]
    found = delayed(partial(_merged, whole))(outlines)
    labels = array.map_blocks(
        _labels, found, dtype=whole.label_dtype, meta=np.zeros((0,) * array.ndim, whole.label_dtype)
    )
    return (labels, da.from_delayed(found.components, (), np.int64)) if return_num else labels


def _merged(whole: ChunkedImage, outlines: Sequence[ChunkOutline]) -> FinalNumbers:
    seams = Seams(whole)
    for chunk, outline in zip(whole.grid.chunks(), outlines, strict=True):
        seams.take(chunk, outline)
    return seams.final_numbers()


def _labels(pixels: Pixels, found: FinalNumbers, block_id: tuple[int, ...]) -> Pixels:
    labels = found.labels(found.whole.grid.chunk_at(block_id), pixels)
    return labels.astype(found.whole.label_dtype, copy=False)
