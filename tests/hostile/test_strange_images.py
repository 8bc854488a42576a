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
