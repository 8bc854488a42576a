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
    for delta in (3.5e38, 1e300, 10**400):
        for where in (device, "reference"):
            assert pj.label(pixels, delta=delta, device=where).tolist() == [1, 1, 2, 2, 3, 4]
    assert pj.label(pixels, delta=float("inf"), device=device).max() == 1
