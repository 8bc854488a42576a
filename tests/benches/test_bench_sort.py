"""benches/sort.py runs, and what it times gives right answers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pointerjump.accel.runtime.devices import Device

SCRIPT = Path(__file__).resolve().parents[2] / "benches" / "sort.py"


@pytest.mark.exhaustive
@pytest.mark.one_device
def test_every_side_is_right(device: Device) -> None:
    command = [sys.executable, SCRIPT, "--device", device.device, "--sizes", "777", "--forest", "500"]
    ran = subprocess.run([*command, "--rounds", "1"], capture_output=True, text=True, check=True)
    assert ran.stdout.count("RadixSort") == 8
    assert "of that, trees" in ran.stdout
    assert "WRONG" not in ran.stdout
    assert "does not run" not in ran.stdout
