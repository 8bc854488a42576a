"""Masks to test and measure labelling with: images of bools, the same on every machine.

Some are easy, some are random, and some are hard: their components are long and winding, or many, or their
parts meet only at the last pixels of a scan.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np
import numpy.typing as npt

from pointerjump.generators.grey_images import Shape, random_parts, smooth_noise

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
