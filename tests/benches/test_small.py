"""What benches/small.py times beside ours gives the same answers, read in place or copied."""

from __future__ import annotations

import numpy as np
import pytest

from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.sessions import session_for

pytest.importorskip("numba")
import small


@pytest.mark.parametrize("m", [10, 60_000])
def test_sides_agree(m: int, device: Device) -> None:
    for sides in small.tasks(m, session_for(device)).values():
        answers = [call() for call in sides.values()]
        for answer in answers:
            np.testing.assert_array_equal(answer, answers[0])
