"""Images to measure labelling with, and to draw: masks and images with values, the same on every machine.

Values are made of raw random words by integer arithmetic, and by floating-point operations on single
elements, which IEEE 754 rounds in exactly one way (:mod:`pointerjump.generators.draws`).

bench_images.py, docs/picture.py and the tests of docs/images.md import this.
"""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import numpy.typing as npt
from scipy.ndimage import uniform_filter

from pointerjump.generators.draws import Bits

Shape = tuple[int, ...]
Mask = npt.NDArray[np.bool_]

# -- masks -----------------------------------------------------------------------------------------


def solid(shape: Shape) -> Mask:
    """Return a mask without background."""
    return np.ones(shape, np.bool_)


def random(shape: Shape, density: float = 0.5, seed: int = 1) -> Mask:
    """Return a mask in which each pixel is foreground with probability `density`, to within 2**-17.

    Examples
    --------
    >>> print(drawing(random((2, 16))))
    .#......##.##...
    #####.#####.####
    """
    return np.less(random_parts(shape, seed), round(density * 2**16))


def blobs(shape: Shape, size: int = 16, seed: int = 1) -> Mask:
    """Return rounded shapes about `size` pixels wide, which fill about half of the image.

    Examples
    --------
    >>> print(drawing(blobs((6, 40), size=4, seed=5)))
    #############........#####..............
    ############..........###...............
    ############.........###................
    ############......................###...
    #############.#####...............####.#
    ###################....##.....##...###.#
    """
    return smooth_noise(shape, size, seed) > 128


def serpentine(shape: Shape) -> Mask:
    """Return one path that winds through the whole image, row by row and plane by plane.

    Examples
    --------
    >>> print(drawing(serpentine((5, 8))))
    ########
    .......#
    ########
    #.......
    ########
    """
    mask = np.zeros(shape, np.bool_)
    if not mask.size:
        return mask
    if len(shape) == 1:
        return solid(shape)
    mask[::2] = serpentine(shape[1:])
    begin, end = (0,) * (len(shape) - 1), _end_of_serpentine(shape[1:])
    for first, turn in ((1, end), (3, begin)):
        turns: tuple[slice | int, ...] = (slice(first, shape[0] - 1, 4), *turn)
        mask[turns] = True
    return mask


def drawing(mask: Mask) -> str:
    """Return a mask of two dimensions as text."""
    return "\n".join("".join(".#"[pixel] for pixel in row) for row in mask.astype(int).tolist())


def _end_of_serpentine(shape: Shape) -> Shape:
    """Return the last pixel of the path that :func:`serpentine` returns."""
    if len(shape) == 1:
        return (shape[0] - 1,)
    planes = (shape[0] + 1) // 2
    rest = _end_of_serpentine(shape[1:]) if planes % 2 else (0,) * (len(shape) - 1)
    return (2 * (planes - 1), *rest)


# -- images with values ------------------------------------------------------------------------------

_BOX = 4
"""Noise is averaged over boxes of this width before it is stretched. More would look no smoother."""


def random_parts(shape: Shape, seed: int) -> npt.NDArray[np.uint16]:
    """Return a random number of 16 bits for each pixel, four of them from each word."""
    count = prod(shape)
    words = Bits(seed).random_raw(-(-count // 4)).astype("<u8", copy=False)
    return words.view("<u2")[:count].reshape(shape)


def small_integers(shape: Shape, values: int = 4, seed: int = 1) -> npt.NDArray[np.uint8]:
    """Return independent random integers, 0 to `values` - 1.

    Examples
    --------
    >>> small_integers((2, 6), values=3)
    array([[0, 2, 0, 2, 0, 2],
           [1, 0, 1, 1, 2, 0]], dtype=uint8)
    """
    return (random_parts(shape, seed) % values).astype(np.uint8)


def smooth_noise(shape: Shape, size: int = 16, seed: int = 1) -> npt.NDArray[np.uint8]:
    """Return noise with hills and valleys that are about `size` pixels wide, and a median of about 128.

    Random numbers on a coarse grid are averaged and then interpolated, which takes far less time than
    averaging over `size` pixels.

    Examples
    --------
    >>> smooth_noise((2, 6), size=4)
    array([[198, 240, 179,  88,  29,  31],
           [220, 255, 188, 106,  55,  64]], dtype=uint8)
    """
    box = min(size, _BOX)
    step = size // box
    coarse = random_parts(tuple(-(-n // step) + 1 for n in shape), seed) >> np.uint16(8)
    # Bytes, so that a box of a power of two of them has an exact average on every machine.
    averages = coarse.astype(np.float32)
    for _ in range(2):
        averages = uniform_filter(averages, box, mode="wrap")  # at the border as everywhere else
    noise = _spread_around(128, averages)
    for axis in reversed(range(1, len(shape))):
        noise = _interpolated(noise, axis, np.arange(shape[axis]), step)
    stretched = np.empty(shape, np.uint8)
    for first in range(0, shape[0], step):  # a few planes at a time, which stay in the cache
        planes = np.arange(first, min(first + step, shape[0]))
        stretched[planes[0] : planes[-1] + 1] = _interpolated(noise, 0, planes, step)
    return stretched


def cells(shape: Shape, size: int = 32, seed: int = 1) -> npt.NDArray[np.int32]:
    """Return for each pixel which of some random points is nearest: cells, as in tissue or in foam.

    Each box of `size` pixels along each axis has one point. Looked at are the points of a pixel's own box and
    of the boxes next to it. Points, and so cells, are numbered from 1.

    Examples
    --------
    >>> cells((4, 12), size=4)
    array([[ 1,  2,  2,  3,  3,  3,  3,  3,  4,  4,  9,  9],
           [ 7,  7,  7,  8,  8,  8,  8,  8,  4,  9,  9,  9],
           [ 7,  7,  7,  8,  8,  8,  8,  8, 14,  9,  9,  9],
           [ 7,  7,  7,  8,  8,  8,  8,  8, 14, 14, 14, 14]], dtype=int32)
    """
    boxes = tuple(-(-n // size) for n in shape)
    grid = tuple(n + 2 for n in boxes)  # with one more box at each end
    numbers = np.arange(1, prod(grid) + 1, dtype=np.int32).reshape(grid)
    points = random_parts((len(shape), *grid), seed) % size + size * (np.indices(grid) - 1)
    found = np.empty(shape, np.int32)
    for box in product(*map(range, boxes)):
        around = tuple(slice(b, b + 3) for b in box)
        pixels = tuple(slice(size * b, min(size * (b + 1), n)) for b, n in zip(box, shape, strict=True))
        near = points[:, *around].reshape(len(shape), -1)
        found[pixels] = numbers[around].ravel()[_nearest(near, pixels)]
    return found


def _spread_around(middle: int, values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return values stretched to a range of bytes, with their median in the middle of it."""
    if not values.size:
        return values
    away = values - np.median(values)
    furthest = float(np.abs(away).max())
    return np.asarray(away * ((255 - middle) / max(furthest, 1.0)) + middle)


def _interpolated(
    values: npt.NDArray[np.float32], axis: int, pixels: npt.NDArray[np.int64], step: int
) -> npt.NDArray[np.float32]:
    """Return values at some pixels along an axis, from values `step` pixels apart."""
    before = pixels // step
    low, high = values.take(before, axis), values.take(before + 1, axis, mode="clip")
    share = ((pixels % step) / step).astype(np.float32)
    high -= low
    high *= share.reshape(-1, *(1 for _ in range(axis + 1, values.ndim)))
    high += low
    return np.asarray(high)


def _nearest(points: npt.NDArray[np.int64], pixels: tuple[slice, ...]) -> npt.NDArray[np.int64]:
    """Return for each pixel of a box which of some points is nearest; of equally near ones, the first."""
    count = points.shape[1]
    across = (count, *(1 for _ in pixels))
    # A distance and a point in one number: the smallest number tells the nearest point.
    numbers = np.arange(count).reshape(across)
    for places, coordinates in zip(points, np.ogrid[pixels], strict=True):
        numbers = numbers + count * (places.reshape(across) - coordinates) ** 2
    return np.asarray(numbers.min(axis=0) % count)
