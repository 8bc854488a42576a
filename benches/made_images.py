"""Images to test and measure labelling with: masks and images with values, the same on every machine.

Some masks are easy, some are random, and some are hard: their components are long and winding, or many, or
their parts meet only at the last pixels of a scan. Values are made of raw random words by integer arithmetic,
and by floating-point operations on single elements, which IEEE 754 rounds in exactly one way
(:mod:`pointerjump.generators.draws`).

The tests, bench_images.py and docs/picture.py import this.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.ndimage import uniform_filter

from pointerjump.generators.draws import Bits, random_words

Shape = tuple[int, ...]
Mask = npt.NDArray[np.bool_]

PERCOLATION = {
    (1, 1): 1.0,
    (2, 1): 0.592746,
    (2, 2): 0.407254,
    (3, 1): 0.311608,
    (3, 2): 0.1372,
    (3, 3): 0.0976,
    (4, 1): 0.196889,
}
"""By dimensions and connectivity, the density at which a random mask begins to have a giant component.

The numbers are those of site percolation in the literature. At them, components of all sizes occur.
"""


# -- simple ones -----------------------------------------------------------------------------------


def empty(shape: Shape) -> Mask:
    """Return a mask without foreground."""
    return np.zeros(shape, np.bool_)


def solid(shape: Shape) -> Mask:
    """Return a mask without background."""
    return np.ones(shape, np.bool_)


def one_pixel(shape: Shape) -> Mask:
    """Return a mask whose only foreground is the pixel in the middle."""
    mask = empty(shape)
    if mask.size:
        mask[tuple(n // 2 for n in shape)] = True
    return mask


# -- random ones -----------------------------------------------------------------------------------


def random(shape: Shape, density: float = 0.5, seed: int = 1) -> Mask:
    """Return a mask in which each pixel is foreground with probability `density`, to within 2**-17.

    Examples
    --------
    >>> print(drawing(random((2, 16))))
    .#......##.##...
    #####.#####.####
    """
    return np.less(random_parts(shape, seed), round(density * 2**16))


def percolation(shape: Shape, connectivity: int = 1, seed: int = 1) -> Mask:
    """Return a random mask of that density at which a giant component begins to form."""
    return random(shape, PERCOLATION[len(shape), connectivity], seed)


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


# -- regular ones ----------------------------------------------------------------------------------


def checkerboard(shape: Shape) -> Mask:
    """Return every other pixel: neighbors along an axis are never both foreground.

    Examples
    --------
    >>> print(drawing(checkerboard((3, 8))))
    #.#.#.#.
    .#.#.#.#
    #.#.#.#.
    """
    return stripes(shape, period=2)


def stripes(shape: Shape, period: int = 3, width: int = 1) -> Mask:
    """Return diagonal stripes of some width, which begin anew after `period` pixels.

    Examples
    --------
    >>> print(drawing(stripes((3, 8))))
    #..#..#.
    ..#..#..
    .#..#..#
    """
    coordinates = np.indices(shape, np.int32, sparse=True)
    return np.asarray(reduce(np.add, coordinates) % period < width)


def comb(shape: Shape) -> Mask:
    """Return teeth that meet only in the last row (in a volume, in the last plane).

    Examples
    --------
    >>> print(drawing(comb((3, 7))))
    #.#.#.#
    #.#.#.#
    #######
    """
    mask = empty(shape)
    mask[:, *(slice(None, None, 2) for _ in shape[1:])] = True
    mask[-1:] = True
    return mask


def shells(shape: Shape) -> Mask:
    """Return frames within frames (in a volume, shells within shells).

    Examples
    --------
    >>> print(drawing(shells((5, 9))))
    #########
    #.......#
    #.#####.#
    #.......#
    #########
    """
    return np.equal(_from_border(shape) % 2, 0)


# -- winding ones ----------------------------------------------------------------------------------


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
    mask = empty(shape)
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


def serpentine_in_columns(shape: Shape) -> Mask:
    """Return a serpentine whose long stretches lie along the first axis.

    Examples
    --------
    >>> print(drawing(serpentine_in_columns((3, 9))))
    #.###.###
    #.#.#.#.#
    ###.###.#
    """
    return np.ascontiguousarray(serpentine(shape[::-1]).T)


def spiral(shape: Shape) -> Mask:
    """Return one path from the border to the middle (in a volume, a sheet rolled up: each plane is the same).

    Examples
    --------
    >>> print(drawing(spiral((9, 15))))
    ###############
    ..............#
    #############.#
    #...........#.#
    #.#########.#.#
    #.#.........#.#
    #.###########.#
    #.............#
    ###############
    """
    if len(shape) < 2:
        return solid(shape)
    height, width = shape[-2:]
    mask = _from_border((height, width)) % 2 == 0
    for ring in range(0, (min(height, width) - 1) // 2 - 1, 2):
        mask[ring + 1, ring] = False
        mask[ring + 2, ring + 1] = True
    return np.broadcast_to(mask, shape).copy()


MASKS: dict[str, Callable[[Shape], Mask]] = {
    "empty": empty,
    "solid": solid,
    "one pixel": one_pixel,
    "random": random,
    "percolation": percolation,
    "blobs": blobs,
    "checkerboard": checkerboard,
    "stripes": stripes,
    "comb": comb,
    "shells": shells,
    "serpentine": serpentine,
    "serpentine in columns": serpentine_in_columns,
    "spiral": spiral,
}
"""Masks of any shape by name."""


def drawing(mask: Mask) -> str:
    """Return a mask of two dimensions as text."""
    return "\n".join("".join(".#"[pixel] for pixel in row) for row in mask.astype(int).tolist())


def _from_border(shape: Shape) -> npt.NDArray[np.int32]:
    """Return how many pixels each pixel is away from the nearest border."""
    coordinates = np.indices(shape, np.int32, sparse=True)
    nearest = [np.minimum(c, n - 1 - c) for c, n in zip(coordinates, shape, strict=True)]
    return np.asarray(reduce(np.minimum, nearest))


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
    words = random_words(Bits(seed), -(-count // 4)).astype("<u8", copy=False)
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


def gradient(shape: Shape) -> npt.NDArray[np.uint8]:
    """Return the sum of each pixel's coordinates, modulo 256: neighbors along an axis differ by 1.

    Where 255 is followed by 0, they differ by 255.

    Examples
    --------
    >>> gradient((2, 5))
    array([[0, 1, 2, 3, 4],
           [1, 2, 3, 4, 5]], dtype=uint8)
    """
    coordinates = np.indices(shape, np.uint8, sparse=True)  # modulo 256, which the sum may be as well
    return np.asarray(reduce(np.add, coordinates), np.uint8)


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


GREY_IMAGES: dict[str, Callable[[Shape], npt.NDArray[Any]]] = {
    "small integers": small_integers,
    "gradient": gradient,
    "smooth noise": smooth_noise,
    "cells": cells,
}
"""Images of any shape by name."""


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
