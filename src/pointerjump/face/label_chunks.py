"""Labels of an image that may be larger than memory."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from pointerjump.errors import ImageError
from pointerjump.face.chunk_memory import Room, fitting_pixels
from pointerjump.face.chunk_passes import Passes
from pointerjump.face.chunks import ChunkedImage, Grid, as_chunk, facts_of, fitting_grid, grid_of
from pointerjump.face.stored_arrays import LabelArray, StoredImage
from pointerjump.formats.files import PathLike
from pointerjump.memory import as_bytes
from pointerjump.progress import Progress, bar


def label_chunks(
    array: Any,
    chunk: int | tuple[int, ...] | None = None,
    *,
    connectivity: int = 1,
    multilabel: bool = False,
    background: int | float | None = 0,
    delta: int | float | None = None,
    wrap_axes: int | Iterable[int] = (),
    out: Any = None,
    checkpoint: PathLike | None = None,
    memory: int | str | None = None,
    progress: bool | Progress = False,
    return_num: bool = False,
    device: Any = None,
) -> Any:
    """Label the components of an image that may be larger than memory, chunk by chunk.

    The labels are those of :func:`label`, however the image is divided. Every chunk is read twice: first to
    find out which components reach from one chunk into another, then to write its labels.

    Parameters
    ----------
    array : array
        An image of 1 to 4 dimensions: a NumPy array or memory map, a zarr array, an HDF5 dataset, a Dask
        array, or anything else with `shape` and `dtype` that takes a tuple of slices in brackets. It must not
        change meanwhile.
    chunk : int or tuple of int, optional
        The shape of a chunk; one number counts for all axes. Default: as many whole planes along the first
        axis as `memory` allows. But if the array is stored in blocks (`array.chunks`), a chunk is made of
        whole blocks, for which other axes may have to be divided, too.
    connectivity, multilabel, background, delta, wrap_axes, device : optional
        As for :func:`label`.
    out : array, optional
        Where to write labels: an array of integers with the image's shape, such as a memory map of
        ``np.lib.format.open_memmap``, or anything else to which a tuple of slices can be assigned. Nothing is
        written there before the first pass is over, and each pixel's label is final. If the call is
        interrupted, some chunks are still as they were. Default: a new NumPy array.
    checkpoint : path, optional
        A ``.npz`` file, which is written once a minute, and when Ctrl-C is pressed. Make the same call after
        an interruption, and it goes on from there, with what is in `out`. In the end the file is removed.
    memory : int or str, optional
        The most memory that this may take beside `out`, in bytes or as in ``"2GiB"``. Default: chunks are as
        large as 2 GiB, or half of what is free, would allow, and nothing else has a bound.
    progress : bool or callable, optional
        True draws a bar. A function is called after each chunk, with the share of the work that is done.
    return_num : bool, optional
        Whether to return the number of components, too.

    Returns
    -------
    labels : array
        `out`, or an array of int32; of int64 if there are 2**31 pixels or more.
    count : int
        Only if `return_num` is true.

    Raises
    ------
    ImageError
        If it is no such image, an option or `out` does not suit it, or it has changed meanwhile. If `out`
        cannot hold as many labels as there are, nothing has been written.
    FormatError
        If the checkpoint is damaged, or that of another image or of other options; or it cannot be written.
    DeviceError
        If there is no such device, or it cannot hold a chunk or the provisional numbers.
    MemoryLimitError
        If `memory`, or what the machine has, does not suffice.

    See Also
    --------
    label : For images in memory.
    pointerjump.dask.label : Labels of a Dask array as a Dask array.

    Notes
    -----
    Each component of each chunk has a provisional number. It takes 4 bytes, and 9 for moments (8 and 18 if
    there are 2**31 numbers or more), and up to 16 more if the image is divided along several axes. At each
    boundary between chunks, the planes of pixels on both sides are kept until the next boundary is complete.

    Examples
    --------
    >>> import numpy as np
    >>> import pointerjump as pj
    >>> image = np.lib.format.open_memmap("image.npy", "w+", np.uint8, (4, 6))
    >>> image[:] = [[1, 0, 1, 0, 0, 1], [1, 0, 1, 1, 0, 1], [1, 0, 0, 1, 0, 0], [1, 1, 1, 1, 0, 1]]
    >>> pj.label_chunks(image, chunk=2)
    array([[1, 0, 1, 0, 0, 2],
           [1, 0, 1, 1, 0, 2],
           [1, 0, 0, 1, 0, 0],
           [1, 1, 1, 1, 0, 3]], dtype=int32)
    """
    image = StoredImage(array)
    facts = facts_of(image.shape, image.dtype, connectivity, multilabel, background, delta, wrap_axes)
    size = None if memory is None else as_bytes(memory, "memory", ImageError)
    whole = ChunkedImage(facts, _grid(image, chunk, size), device)
    room = Room(size, whole)
    labels = LabelArray(out, image, whole.label_dtype)
    with _reporting(progress) as report:
        count = Passes(image, whole, labels, room, report, checkpoint).run()
    return (labels.array, count) if return_num else labels.array


def _grid(image: StoredImage, chunk: Any, size: int | None) -> Grid:
    """Return the chunks that a caller wants, or those that suit the image and the memory."""
    if chunk is not None:
        return grid_of(image.shape, as_chunk(chunk, image.shape))
    return fitting_grid(image.shape, image.own_blocks(), fitting_pixels(size, image.dtype))


def _reporting(progress: bool | Progress) -> AbstractContextManager[Progress]:
    """Return whom to tell how far the work is."""
    if callable(progress):
        return nullcontext(progress)
    if not isinstance(progress, bool):
        raise ImageError(f"progress is {progress!r}: give True, False or a function of one number")
    return bar("labelling") if progress else nullcontext(lambda share: None)
