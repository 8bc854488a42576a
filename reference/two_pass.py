"""Two-pass labels for images and volumes (Rosenfeld, Pfaltz): touching runs of pixels are joined.

Two-pass labelling cuts the rows of an image into runs of pixels, joins touching runs and labels every pixel
with its component's number. Choose this algorithm for images and volumes, as ``label`` does.

A. Rosenfeld and J. L. Pfaltz, "Sequential operations in digital picture processing", J. ACM 13(4), 1966; with
runs in place of pixels, L. He, Y. Chao and K. Suzuki, "A run-based two-scan labeling algorithm", IEEE
Transactions on Image Processing 17(5), 2008.

The first pass gives a provisional label to each *run*: a maximal stretch of pixels along the last axis, where
each pixel belongs together with the next. Runs that touch are joined in a disjoint-set forest, as is common
on GPUs: Y. Komura, Computer Physics Communications 194, 2015; D. P. Playne and K. Hawick, IEEE Transactions
on Parallel and Distributed Systems 29(6), 2018; S. Allegretti, F. Bolelli and C. Grana, ibid. 31(2), 2020. In
the phase *hook_first*, each run writes only its own parent, so no atomics are needed.

In pseudo-code::

    find_runs: for each row of pixels in parallel: cut it into runs of pixels that belong together
    hook_first: for each run r in parallel:
        parent[r] = the first earlier run that r touches, or r itself
    compress: for each run r in parallel: parent[r] = root of r
    link_rest: for each run r in parallel:
        for each run s that r touches: link(r, s), as Afforest does
    compress: for each run r in parallel: parent[r] = root of r
    write_labels:
        number the roots 1, 2, ... in scan order
        for each pixel in parallel: label = the number of its run's root

Its phases:

- *find_runs*: each row of pixels is cut into runs, numbered in scan order
- *hook_first*: each run is hooked under the first earlier run that it touches
- *compress*: each run points to its root
- *link_rest*: each run is linked with all other runs that it touches
- *write_labels*: each pixel gets the number of its run's component

Input: an image of any shape; any axis may wrap around. The result is deterministic regardless of the
schedule: parents never exceed their children, so each root is the first run of its component. The components
are numbered in the order of their roots. Work O(n) in practice; depth the length of the longest path.

The kernels process 32 or 64 pixels at a time, as the bits of a word: A. Hennequin, L. Lacassagne, L. Cabaret
and Q. Meunier, "A new direct connected component labeling and analysis algorithms for GPUs", DASIP 2018.
A contact between two runs is skipped if nearby contacts join the same runs. All contacts that need no atomics
are handled in *hook_first*.

See also ``afforest``: uses the same link, on graphs; ``disjoint-set``: joins chunks of an image.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base.images import Image, Offset, earlier_offsets
from pointerjump.reference.afforest import link
from pointerjump.reference.afforest_edges import compress_all
from pointerjump.reference.vocabulary import in_parallel, phase, shared

PixelRun = range
"""The pixels of a run, as indices in scan order."""

NOBODY = -1
"""The index that stands for a neighbor outside the image."""


def two_pass(image: Image) -> npt.NDArray[np.signedinteger[Any]]:
    """Return the number of each pixel's component, or 0 for background pixels.

    Returns
    -------
    ndarray of int32, or int64 for 2**31 or more pixels, with the image's shape

    Examples
    --------
    >>> from pointerjump.base.images import image_of
    >>> two_pass(image_of([[1, 0, 1], [1, 0, 0], [0, 1, 1]], connectivity=2)).tolist()
    [[1, 0, 2], [1, 0, 0], [0, 1, 1]]
    """
    value = values_of(image)
    foreground = [is_foreground(each, image) for each in value]
    N = neighborhoods(image, value)

    phase("find_runs")
    rows = rows_of(image)
    runs_in: list[list[PixelRun]] = shared("runs", [[] for _ in rows])
    for y in in_parallel(range(len(rows))):
        runs_in[y] = list(runs_of(rows[y], foreground, N))
    runs = [run for runs_in_row in runs_in for run in runs_in_row]
    run_of = {p: r for r, run in enumerate(runs) for p in run}
    R = range(len(runs))

    phase("hook_first")
    parent = shared("parent", R)
    for r in in_parallel(R):
        parent[r] = next((s for s in touched(runs[r], run_of, N) if s < r), r)
    compress_all(parent)

    phase("link_rest")
    for r in in_parallel(R):
        for s in touched(runs[r], run_of, N):
            link(r, s, parent)
    compress_all(parent)

    phase("write_labels")
    roots = [r for r in R if parent[r] == r]
    number = {root: k for k, root in enumerate(roots, 1)}
    label = shared("label", [0] * image.size)
    for r in in_parallel(R):
        for p in runs[r]:
            label[p] = number[parent[r]]
    return np.array(label, image.label_dtype).reshape(image.shape)


# -- runs --------------------------------------------------------------------------------------------


def rows_of(image: Image) -> list[range]:
    length = image.shape[-1]
    return [range(begin, begin + length) for begin in range(0, image.size, max(1, length))]


def runs_of(row: range, foreground: list[bool], N: list[list[int]]) -> Iterator[PixelRun]:
    begin = row.start
    for p in row:
        if p + 1 in row and p in N[p + 1]:
            continue  # the next pixel is in the same run
        if foreground[p]:
            yield range(begin, p + 1)
        begin = p + 1


def touched(run: PixelRun, run_of: dict[int, int], N: list[list[int]]) -> Iterator[int]:
    """Yield the indices of the runs that a run touches. Indices may repeat, and may include the run's own."""
    for p in run:
        for q in N[p]:
            yield run_of[q]


# -- pixels ------------------------------------------------------------------------------------------


def values_of(image: Image) -> list[Any]:
    """Return the pixels' values in scan order: float32 for floats of up to 32 bits, else Python numbers."""
    pixels = image.pixels.ravel()
    if pixels.dtype in (np.float16, np.float32):
        return list(pixels.astype(np.float32))
    values: list[Any] = pixels.tolist()
    return values


def is_foreground(value: Any, image: Image) -> bool:
    return image.background is None or bool(value != image.background)


def are_alike(one: Any, other: Any, image: Image) -> bool:
    if not (is_foreground(one, image) and is_foreground(other, image)):
        return False
    if image.alike == "foreground" or one == other:
        return True
    return image.difference is not None and bool(abs(one - other) <= type(one)(image.difference))


def neighborhoods(image: Image, value: list[Any]) -> list[list[int]]:
    """Return N. Of p's neighbors at the `earlier_offsets`, N[p] lists those that belong together with p."""
    with np.errstate(over="ignore", invalid="ignore"):  # inf - inf is NaN, which counts as far apart
        return [
            [q for q in before if q != NOBODY and are_alike(value[p], value[q], image)]
            for p, before in enumerate(neighbors_before(image))
        ]


def neighbors_before(image: Image) -> list[tuple[int, ...]]:
    """Return each pixel's neighbors at the `earlier_offsets`, with `NOBODY` for those outside the image."""
    if image.size == 0:
        return []
    pixels = np.arange(image.size).reshape(image.shape)
    for axis, wraps in enumerate(image.wraps):
        both_ends = [(int(each == axis),) * 2 for each in range(pixels.ndim)]
        how: dict[str, Any] = {"mode": "wrap"} if wraps else {"constant_values": NOBODY}
        pixels = np.pad(pixels, both_ends, **how)
    offsets = earlier_offsets(pixels.ndim, image.connectivity)
    return list(zip(*(moved(pixels, offset).ravel().tolist() for offset in offsets), strict=True))


def moved(pixels: npt.NDArray[Any], offset: Offset) -> npt.NDArray[Any]:
    """For each pixel not on the one-pixel border of `pixels`, return the pixel at `offset` from it."""
    inner = zip(offset, pixels.shape, strict=True)
    return pixels[tuple(slice(1 + step, length - 1 + step) for step, length in inner)]
