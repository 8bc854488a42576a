"""Labels of overlapping tiles: cut out of one labelling, they become it again."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_regions import labelled

import pointerjump as pj
from pointerjump.accel.runtime.devices import devices

ANYWHERE = None if any(device.works for device in devices()) else "reference"
Tiles = dict[tuple[int, ...], np.ndarray]


def cut(labels: np.ndarray, steps: tuple[int, ...], overlap: tuple[int, ...], seed: int) -> Tiles:
    """Cut labels into tiles, and give each tile other numbers, in which there are gaps."""
    rng = np.random.default_rng(seed)
    ends = [
        [*range(step + both, size, step), size]
        for size, step, both in zip(labels.shape, steps, overlap, strict=True)
    ]
    tiles = {}
    for index in product(*(range(len(each)) for each in ends)):
        where = tuple(slice(i * step, each[i]) for i, step, each in zip(index, steps, ends, strict=True))
        other = np.concatenate([[0], rng.permutation(3 * labels.max() + 1)[: labels.max()] + 1])
        tiles[index] = other[labels[where]]
    return tiles


def same_partition(one: np.ndarray, other: np.ndarray) -> bool:
    pairs = np.unique(np.stack([one.ravel(), other.ravel()]), axis=1)
    return all(len(np.unique(each)) == len(each) for each in pairs) and bool(
        ((one == 0) == (other == 0)).all()
    )


@settings(max_examples=60)
@given(data=st.data())
def test_what_was_cut_is_whole_again(data: Any) -> None:
    axes = data.draw(st.integers(1, 3))
    shape = tuple(data.draw(st.integers(6, 14)) for _ in range(axes))
    labels = labelled(*shape, share=data.draw(st.sampled_from([0.3, 0.5, 0.6])))
    overlap = tuple(data.draw(st.integers(1, 3)) for _ in range(axes))
    steps = tuple(data.draw(st.integers(1, size)) for size in shape)
    tiles = cut(labels, steps, overlap, data.draw(st.integers(0, 9)))
    found = pj.stitch(tiles, overlap, device=ANYWHERE)
    assert same_partition(found, labels)
    assert set(np.unique(found)) - {0} == set(range(1, labels.max() + 1))
    order = data.draw(st.permutations(list(tiles)))
    again = pj.stitch({index: tiles[index] for index in order}, overlap, device="reference")
    np.testing.assert_array_equal(again, found)


def test_objects_that_differ_are_compared_by_their_pixels() -> None:
    left, right = np.array([[0, 0, 1, 1, 1, 1]]), np.array([[5, 5, 5, 0, 0, 6]])
    assert pj.stitch([[left, right]], 4, 0.5, device=ANYWHERE).tolist() == [[0, 0, 1, 1, 1, 0, 0, 2]]
    for iou in (0.75, np.float32(0.75), Fraction(3, 4)):
        assert pj.stitch([[left, right]], 4, iou, device=ANYWHERE).tolist() == [[0, 0, 1, 1, 1, 0, 0, 2]]
    assert pj.stitch([[left, right]], 4, 0.76, device=ANYWHERE).tolist() == [[0, 0, 1, 1, 2, 0, 0, 3]]
    assert pj.stitch([left[0], right[0]], 0, device=ANYWHERE).tolist() == [0, 0, *[1] * 4, *[2] * 3, 0, 0, 3]
    # Label 5 has pixels only where the other tile decides, and is no object of that.
    assert pj.stitch([[0, 0, 0, 0], [5, 0, 0, 7]], 2, device=ANYWHERE).tolist() == [0, 0, 0, 0, 0, 1]


def test_labels_that_only_uint64_holds() -> None:
    large = 2**63 + np.array([[1, 2]], np.uint64)
    assert pj.stitch([[large, large]], 1, device=ANYWHERE).tolist() == [[1, 2, 3]]


def test_tiles_in_files(tmp_path: Path) -> None:
    labels = labelled(20, 30, share=0.5)
    tiles = {}
    for (i, j), tile in cut(labels, (8, 11), (2, 3), 1).items():
        np.save(tmp_path / f"{i}-{j}.npy", tile)
        tiles[i, j] = np.load(tmp_path / f"{i}-{j}.npy", mmap_mode="r")
    out = np.lib.format.open_memmap(tmp_path / "out.npy", "w+", "u2", labels.shape)
    assert pj.stitch(tiles, (2, 3), out=out, device=ANYWHERE) is out
    assert same_partition(np.load(tmp_path / "out.npy"), labels)


ONES = np.ones((4, 4), int)


@pytest.mark.parametrize(
    ("tiles", "options", "match"),
    [
        ([], {}, "is no grid"),
        (ONES, {}, "is no grid"),
        ({}, {}, "is no grid"),
        ({(0, 1): ONES}, {}, r"tile \(0, 0\) is missing"),
        ({(10**30, 0): ONES}, {}, r"tile \(0, 0\) is missing"),
        ({(0, 0): ONES, (1,): ONES}, {}, "not in one grid"),
        ({(0, -1): ONES}, {}, "not in one grid"),
        ([ONES, ONES], {}, "with 1 dimensions"),
        ([[ONES * 0.5, ONES]], {}, "dtype float64"),
        ([[ONES, -ONES]], {}, "labels from -1"),
        ([[ONES, ONES[:3]]], {}, "give tiles that fit together"),
        ([[ONES, ONES]], {"overlap": 4}, "smaller overlap"),
        ([[ONES, ONES]], {"overlap": (1, 1, 1)}, "for each of 2 axes"),
        ([[ONES, ONES]], {"overlap": 0.5}, "overlap"),
        ([[ONES, ONES]], {"iou": 0}, "iou is 0"),
        ([[ONES, ONES]], {"iou": True}, "iou is True"),
        ([[ONES, ONES]], {"iou": np.float32("nan")}, "iou is"),
        ([[ONES, ONES]], {"out": np.zeros((4, 4), int)}, "they must agree"),
    ],
)
def test_what_cannot_be_stitched(tiles: Any, options: dict[str, Any], match: str) -> None:
    with pytest.raises(pj.ImageError, match=match):
        pj.stitch(tiles, **{"overlap": 1, "device": ANYWHERE, **options})
