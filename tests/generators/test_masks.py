"""Masks and grey images: the same everywhere, of any shape, and what their names promise."""

from __future__ import annotations

import doctest
import hashlib

import made_images as masks
import numpy as np
import pytest
from made_images import Mask, Shape, cells, small_integers, smooth_noise
from scipy.ndimage import convolve, generate_binary_structure, label

MASKS = {
    "solid": masks.solid,
    "random": masks.random,
    "blobs": masks.blobs,
    "serpentine": masks.serpentine,
}
IMAGES = {**MASKS, "small integers": small_integers, "smooth noise": smooth_noise, "cells": cells}
SHAPES = [
    (1,),
    (9,),
    (1, 1),
    (1, 7),
    (7, 1),
    (2, 2),
    (5, 5),
    (9, 14),
    (12, 5),
    (1, 3, 4),
    (5, 6, 7),
    (3, 4, 5, 6),
]

DIGESTS = {
    "solid": "4776164b6cffdb02",
    "random": "ebdaaa7b3fe30056",
    "blobs": "2daadb78fab1cbe4",
    "serpentine": "a8882c7f986f4ccc",
    "small integers": "5776a7d18c09a48d",
    "smooth noise": "45b3b13fb4ecf9bd",
    "cells": "52b5b29dca0f211c",
}


def digest(name: str) -> str:
    """Hash an image of two dimensions and one of three, as little-endian words whatever the machine."""
    images = [IMAGES[name](shape) for shape in ((40, 70), (9, 20, 30))]
    return hashlib.sha256(b"".join(image.astype("<i4").tobytes() for image in images)).hexdigest()[:16]


def components(mask: Mask, connectivity: int) -> int:
    return int(label(mask, generate_binary_structure(mask.ndim, connectivity))[1])


@pytest.mark.parametrize("name", IMAGES)
def test_images_are_the_same_on_every_machine(name: str) -> None:
    assert digest(name) == DIGESTS[name]


@pytest.mark.parametrize("name", IMAGES)
@pytest.mark.parametrize("shape", [*SHAPES, (0,), (0, 3), (3, 0), (2, 0, 3)], ids=str)
def test_images_have_any_shape(name: str, shape: Shape) -> None:
    image = IMAGES[name](shape)
    assert image.shape == shape
    assert image.flags.c_contiguous
    assert (image.dtype == np.bool_) == (name in MASKS)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_serpentine_is_one_component(shape: Shape) -> None:
    mask = masks.serpentine(shape)
    assert {components(mask, c) for c in range(1, len(shape) + 1)} == {1}


@pytest.mark.parametrize("shape", [(9, 14), (8, 9), (5, 6, 7), (6, 6, 6), (3, 4, 5, 6)], ids=str)
def test_a_serpentine_is_a_path(shape: Shape) -> None:
    mask = masks.serpentine(shape).astype(int)
    neighbors = convolve(mask, generate_binary_structure(mask.ndim, 1).astype(int), mode="constant") - mask
    ends = mask * (neighbors == 1)
    assert ends.sum() == 2
    assert (mask * neighbors).max() == 2


def test_random_masks_are_as_dense_as_they_should_be() -> None:
    for density in (0.0, 0.3, 0.5, 0.8, 1.0):
        assert abs(masks.random((300, 400), density).mean() - density) < 0.01
    assert masks.random((40, 40), 0.0).sum() == 0
    assert masks.random((40, 40), 1.0).all()
    assert not np.array_equal(masks.random((40, 40), seed=1), masks.random((40, 40), seed=2))


def test_blobs_fill_half_and_are_as_large_as_they_should_be() -> None:
    counts = []
    for size in (4, 8, 16, 32):
        mask = masks.blobs((512, 512), size)
        assert 0.4 < mask.mean() < 0.6
        counts.append(components(mask, 1))
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 10 * counts[2] > 10


def test_every_pixel_is_in_the_cell_of_the_nearest_point() -> None:
    found = cells((60, 90), size=10)
    at = np.indices(found.shape)
    for number in np.unique(found):
        mask = found == number
        assert components(mask, 1) == 1, "a cell is in one piece"
        assert np.ptp(at[0][mask]) < 30
        assert np.ptp(at[1][mask]) < 30
    assert 40 < len(np.unique(found)) < 96


def test_grey_values_are_what_they_are_said_to_be() -> None:
    assert np.bincount(small_integers((100, 100), values=5).ravel()).min() > 1800
    noise = smooth_noise((100, 100), size=20).astype(int)
    assert np.abs(np.diff(noise)).max() < 40
    assert np.ptp(noise) > 150


def test_the_examples_in_docstrings_are_right() -> None:
    assert not doctest.testmod(masks).failed
