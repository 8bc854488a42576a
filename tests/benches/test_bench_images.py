"""``benches/bench_images.py`` finds wrong answers, and runs with those programs that are installed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from rich.console import Console

from pointerjump.accel.runtime.devices import devices
from pointerjump.accel.runtime.sessions import session_for

SCRIPT = Path(__file__).resolve().parents[2] / "benches" / "bench_images.py"

on_a_device = pytest.mark.skipif(
    not any(device.works for device in devices()), reason="there is no OpenCL device that works"
)


def load() -> ModuleType:
    """Import the script, which is in no package."""
    spec = importlib.util.spec_from_file_location("bench_images", SCRIPT)
    assert spec
    assert spec.loader
    module = sys.modules["bench_images"] = importlib.util.module_from_spec(spec)
    sys.path.append(str(SCRIPT.parent))
    spec.loader.exec_module(module)
    return module


bench = load()
TASK = bench.Task("random 0.5", (30, 40), 4)


def changed(label: int, into: int) -> np.ndarray:
    labels = TASK.expected.copy()
    labels[labels == label] = into
    return labels


def test_right_answers_pass() -> None:
    bench.check(TASK, "pointerjump", TASK.expected)
    count = TASK.expected.max()
    backwards = np.where(TASK.expected > 0, count + 1 - TASK.expected, 0)
    bench.check(TASK, "cc3d", backwards)
    with pytest.raises(AssertionError):
        bench.check(TASK, "pointerjump", backwards)


def test_wrong_answers_are_found() -> None:
    split = TASK.expected.copy()
    split.flat[np.flatnonzero(split == np.bincount(split[split > 0]).argmax())[0]] = split.max() + 1
    for wrong in (changed(3, 2), changed(3, 0), changed(0, TASK.expected.max() + 1), split):
        with pytest.raises(AssertionError):
            bench.check(TASK, "cc3d", wrong)
    with pytest.raises(AssertionError):
        bench.check(TASK, "pointerjump", TASK.expected.astype(np.int64))


@on_a_device
def test_everyone_labels_small_masks() -> None:
    session = session_for(next(device for device in devices() if device.works))
    console = Console(width=200, record=True, quiet=True)
    for contest in bench.contests_on(session):
        lines = [
            bench.measured(contest, bench.Task("blobs", shape, neighbors), session, rounds=1)
            for shape, neighbors in (((40, 50), 8), ((20, 30, 40), 26))
        ]
        bench.show(contest, lines, console)
        assert all("pointerjump" in line.timings for line in lines)
        assert all(line.as_dict()["components"] > 0 for line in lines)


def test_the_images_are_those_of_the_table() -> None:
    assert len({task.name for task in bench.TASKS}) == len(bench.TASKS) == 18
