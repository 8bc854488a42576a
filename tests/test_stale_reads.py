"""Kernels that use races are right when every plain read is stale (kernels_cl/stale.h), on CPU platforms."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pointerjump.accel.runtime.devices import Device

WORKER = Path(__file__).with_name("stale_worker.py")


def run(device: Device, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the worker on a CPU device; other devices cannot run one work-item after the other."""
    if device.type != "cpu" or "llvmpipe" in device.device:
        pytest.skip(f"{device.device} does not run work-items one after the other in one thread")
    command = [sys.executable, str(WORKER), device.device, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.exhaustive
def test_every_variant_with_stale_reads(device: Device) -> None:
    done = run(device, 1)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 300


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Fini1 as published: an old ancestor is put over a final representative.
        ("LOWER(&parent[prev], next)", "STORE(&parent[prev], next)"),
        # A hook by a plain test and store: of two hooks one is lost.
        (
            "COMPARE_AND_SWAP(&parent[larger], larger, smaller);",
            "LOAD(&parent[larger]); if (seen == larger) STORE(&parent[larger], smaller);",
        ),
    ],
)
def test_what_is_wrong_with_stale_reads_is_found(device: Device, old: str, new: str) -> None:
    for seed in range(1, 9):
        done = run(device, seed, old, new)
        if done.returncode == 3:
            assert "wrong with stale reads: ecl-cc" in done.stderr
            return
        assert done.returncode == 0, done.stderr
    pytest.fail("no seed has found it")
