"""Labels of Dask arrays: lazily, block by block, the same as those of the whole image."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pointerjump as pj
from pointerjump.errors import ImageError

pytest.importorskip("dask.array", reason="dask is not installed")

import dask
import dask.array as da

import pointerjump.dask

IMAGE = np.random.default_rng(4).integers(0, 3, (11, 9, 4)).astype(np.uint8)
EVEN, UNEVEN = (4, 3, 2), ((1, 6, 4), (9,), (3, 1))
REFERENCE = {"device": "reference"}


@pytest.mark.parametrize("chunks", [EVEN, UNEVEN, (1, 9, 4), -1])
@pytest.mark.parametrize(
    "options",
    [{}, {"connectivity": 3, "wrap_axes": (0, 2)}, {"multilabel": True, "background": None}, {"delta": 1}],
    ids=["faces", "wrapped", "multilabel", "delta"],
)
def test_the_labels_are_those_of_the_whole(chunks: Any, options: dict[str, Any]) -> None:
    image = da.from_array(IMAGE, chunks=chunks)
    right, k = pj.label(IMAGE, **options, return_num=True, **REFERENCE)
    labels, count = pointerjump.dask.label(image, **options, return_num=True, **REFERENCE)
    assert labels.chunks == image.chunks
    found, found_count = dask.compute(labels, count, scheduler="synchronous")
    assert np.array_equal(found, right)
    assert (found.dtype, labels.dtype, found_count) == (right.dtype, right.dtype, k)
    assert np.array_equal(pj.label_chunks(image, **options, **REFERENCE), right)


def test_nothing_is_computed_before_it_is_asked_for() -> None:
    computed: list[Any] = []

    def block(block_id: tuple[int, ...]) -> Any:
        computed.append(block_id)
        return np.random.default_rng(block_id).random((5, 6)) < 0.6

    image = da.map_blocks(block, chunks=((5,) * 4, (6,) * 3), dtype=bool, meta=np.zeros((0, 0), bool))
    labels = pointerjump.dask.label(image, 2, **REFERENCE)
    assert computed == []
    found = labels.compute()
    assert len(computed) in (12, 24), "as Dask decides"
    assert np.array_equal(found, pj.label(image.compute(), 2, **REFERENCE))
    computed.clear()
    assert np.array_equal(pointerjump.dask.label(image.persist(), 2, **REFERENCE).compute(), found)
    assert len(computed) == 12


def test_on_a_device_by_several_threads() -> None:
    image = da.from_array(IMAGE, chunks=EVEN)
    assert np.array_equal(
        pointerjump.dask.label(image).compute(scheduler="threads", num_workers=4), pj.label(IMAGE)
    )


def test_blocks_without_pixels() -> None:
    image = da.from_array(IMAGE, chunks=EVEN)
    gaps = image[da.from_array(np.repeat([True, False, True], [3, 5, 3]), chunks=4)].compute_chunk_sizes()
    assert gaps.chunks[0] == (3, 0, 3)
    right = pj.label(gaps.compute(), **REFERENCE)
    assert np.array_equal(pointerjump.dask.label(gaps, **REFERENCE).compute(), right)
    assert np.array_equal(pj.label_chunks(gaps, **REFERENCE), right)
    labels, count = pointerjump.dask.label(image[:0], return_num=True)
    assert (labels.compute().shape, int(count)) == ((0, 9, 4), 0)


def test_sizes_that_nobody_knows() -> None:
    image = da.from_array(IMAGE, chunks=EVEN)
    image = image[da.from_array(np.arange(11) != 5, chunks=4)]
    for label in (pointerjump.dask.label, pj.label_chunks):
        with pytest.raises(ImageError, match=r"shape \(nan, 9, 4\).* call compute_chunk_sizes\(\)"):
            label(image)
    known = image.compute_chunk_sizes()
    right = pj.label(np.delete(IMAGE, 5, axis=0), **REFERENCE)
    assert np.array_equal(pointerjump.dask.label(known, **REFERENCE).compute(), right)


def test_what_is_no_dask_array_and_errors_of_blocks() -> None:
    with pytest.raises(ImageError, match=r"of type ndarray: give a Dask array, or use pj\.label"):
        pointerjump.dask.label(IMAGE)
    with pytest.raises(ImageError, match="connectivity is 5"):
        pointerjump.dask.label(da.from_array(IMAGE), 5)

    def fail(block: Any) -> Any:
        raise ValueError("the tape is torn")

    image = da.from_array(IMAGE, chunks=EVEN).map_blocks(fail, dtype=np.uint8, meta=IMAGE[:0])
    for label in (lambda: pointerjump.dask.label(image).compute(), lambda: pj.label_chunks(image)):
        with pytest.raises(ValueError, match=r"^the tape is torn"):
            label()
