"""``benches/bench_images.py`` finds wrong answers, and runs with those programs that are installed."""

from __future__ import annotations

import bench_images as bench
import numpy as np
import pytest
from contest import OURS, Sheet

from pointerjump.accel.runtime.devices import devices
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.bench.timing import Effort

on_a_device = pytest.mark.skipif(
    not any(device.works for device in devices()), reason="there is no OpenCL device that works"
)


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
def test_everyone_labels_small_masks(capsys: pytest.CaptureFixture[str]) -> None:
    session = session_for(next(device for device in devices() if device.works))
    once = Effort(rounds=1, seconds=0.0, patience=0.0)
    for where in bench.contests_on(session):
        sheet = Sheet(where, bench.KINDS[where])
        for shape, neighbors in (((40, 50), 8), ((20, 30, 40), 26)):
            sheet.add(bench.measured(where, bench.Task("blobs", shape, neighbors), session, once))
        sheet.print()
        assert all(OURS in line.timings for line in sheet.lines)
        assert all(int(line.as_dict()["components"]) > 0 for line in sheet.lines)
        said = capsys.readouterr().out
        assert all(name in said for name in sheet.lines[0].timings)


def test_the_images_are_those_of_the_table() -> None:
    assert len({task.name for task in bench.TASKS}) == len(bench.TASKS) == 18
