"""Kernels that use races are right when every plain read is stale (kernels_cl/stale.h), on CPU platforms."""

from __future__ import annotations

import os
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
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
    }  # other tests' helpers are found, too
    return subprocess.run(command, capture_output=True, text=True, env=environment)


@pytest.mark.exhaustive
def test_every_variant_with_stale_reads(device: Device) -> None:
    done = run(device, 1)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 300


@pytest.mark.one_device
@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        # Fini1 as published: an old ancestor is put over a final representative.
        ("ecl_cc.cl", "LOWER(&parent[prev], next)", "STORE(&parent[prev], next)"),
        # A hook by a plain test and store: of two hooks one is lost.
        (
            "ecl_cc.cl",
            "COMPARE_AND_SWAP(&parent[larger], larger, smaller);",
            "LOAD(&parent[larger]); if (seen == larger) STORE(&parent[larger], smaller);",
        ),
        # A heavier edge is put over a tree's lightest one.
        pytest.param(
            "boruvka.cl",
            "const int was = COMPARE_AND_SWAP(best, seen, x.z);",
            "const int was = seen; STORE(best, x.z);",
            marks=pytest.mark.exhaustive,
        ),
        # A heavier edge is put over a vertex's lightest one.
        (
            "pandora.cl",
            "if (e < seen.x) LOWER(&lightest[ends.x], e);",
            "if (e < seen.x) STORE(&lightest[ends.x], e);",
        ),
        # Runs of pixels are hooked by a plain store: of two hooks one is lost.
        pytest.param(
            "two_pass.cl",
            "above = COMPARE_AND_SWAP(&pi[h], h, l);",
            "STORE(&pi[h], l);",
            marks=pytest.mark.exhaustive,
        ),
        # An edge claims to be the forest's by a plain test and store: so do two parallel ones.
        pytest.param(
            "marking.cl",
            "COMPARE_AND_SWAP(&claimed[j], NOBODY, (vertex_t)e) != NOBODY",
            "(LOAD(&claimed[j]) != NOBODY || (STORE(&claimed[j], (vertex_t)e), false))",
            marks=pytest.mark.exhaustive,
        ),
        # A slot is filled by a plain store: of two ids one is lost.
        ("interning.cl", "seen = COMPARE_AND_SWAP(&slot[at], EMPTY, mine);", "STORE(&slot[at], mine);"),
        # An earlier appearance is put over one that is earlier still.
        pytest.param(
            "interning.cl",
            "const slot_t was = COMPARE_AND_SWAP(&slot[at], seen, mine);",
            "const slot_t was = seen; STORE(&slot[at], mine);",
            marks=pytest.mark.exhaustive,
        ),
        # A slot is given to a pair by a plain store: another pair loses its own.
        pytest.param(
            "region_contacts.cl",
            "seen = COMPARE_AND_SWAP(&to->table[at].pair, NO_PAIR, pair);",
            "STORE(&to->table[at].pair, pair);",
            marks=pytest.mark.exhaustive,
        ),
        # A smaller id is put over one that is smaller still.
        pytest.param(
            "smallest_ids.cl",
            "const int was = COMPARE_AND_SWAP(&smallest[r], seen, v);",
            "const int was = seen; STORE(&smallest[r], v);",
            marks=pytest.mark.exhaustive,
        ),
        # A second member of a group takes itself for the first.
        pytest.param(
            "disjoint_set.cl",
            "with = COMPARE_AND_SWAP(first, NOBODY, member[i]);",
            "STORE(first, member[i]);",
            marks=pytest.mark.exhaustive,
        ),
    ],
)
def test_what_is_wrong_with_stale_reads_is_found(device: Device, file: str, old: str, new: str) -> None:
    for seed in range(1, 9):
        done = run(device, seed, file, old, new)
        if done.returncode == 3:
            assert "wrong with stale reads: " in done.stderr
            return
        assert done.returncode == 0, done.stderr
    pytest.fail("no seed has found it")
