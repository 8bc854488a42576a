"""Images whose bytes, values or places in memory are not what a caller thinks of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device


@pytest.mark.diagonal
@pytest.mark.parametrize("options", [{"multilabel": True}, {"background": True}, {"delta": 0}])
def test_bools_of_other_bytes_than_0_and_1(options: dict[str, Any], device: Device) -> None:
    """NumPy makes them from any bytes, and all but 0 are true."""
    bytes_ = np.random.default_rng(1).integers(0, 4, (5, 130)).astype(np.uint8)
    found = pj.label(bytes_.view(bool), device=device, **options)
    np.testing.assert_array_equal(found, pj.label(bytes_ != 0, device="reference", **options))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_no_finite_difference_joins_infinity_to_a_number(dtype: str, device: Device) -> None:
    pixels = np.array([1, 2, np.inf, np.inf, 5, -np.inf], dtype)
    for delta in (3.5e38, 1e300):
        for where in (device, "reference"):
            assert pj.label(pixels, delta=delta, device=where).tolist() == [1, 1, 2, 2, 3, 4]
    assert pj.label(pixels, delta=float("inf"), device=device).max() == 1


def test_labels_at_any_place_in_a_buffer(device: Device) -> None:
    """A pyopencl array may begin anywhere, and kernels write labels only at whole multiples of their size."""
    cl = pytest.importorskip("pyopencl")
    from pyopencl import array as cl_array

    from pointerjump.accel.runtime.sessions import session_for

    queue = session_for(device).queue
    image = np.random.default_rng(2).integers(0, 2, (7, 40)).astype(np.uint8)
    expected = pj.label(image, device="reference")
    buffer = cl.Buffer(queue.context, 0, expected.nbytes + 8)
    for offset in (0, 2, 4):
        out = cl_array.Array(queue, image.shape, np.int32, data=buffer, offset=offset)
        assert pj.label(cl_array.to_device(queue, image), out=out) is out
        whole = cl_array.Array(queue, (buffer.size,), np.uint8, data=buffer).get()
        np.testing.assert_array_equal(np.ndarray(image.shape, np.int32, whole, offset), expected)
