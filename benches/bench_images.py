"""Labelling images and volumes: ``python benches/bench_images.py --device cpu``, or with pytest.

Every image is also labelled by those other programs that are installed, and that take it. On a CPU these are
scipy, scikit-image, cc3d and OpenCV; on a GPU it is cupy, on arrays that are on the device already and from
the host to the host. All answers are compared with scipy's before anything is timed: ours must be equal, and
the others' may number the components in another order. The script lets all take turns in one process, and
prints medians, and how many times as fast as the fastest of each kind of program pointerjump is.
"""

from __future__ import annotations

import argparse
import json
import math
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import made_images
import numpy as np
import numpy.typing as npt
import pytest
from made_images import Mask, Shape
from rich.console import Console
from rich.table import Table
from scipy import ndimage

import pointerjump as pj
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.bench.timing import Timing, interleaved
from pointerjump.images import as_connectivity

if TYPE_CHECKING:
    from conftest import Measure

Labels = Any
"""An array of labels, on the host or on a device."""

Run = Callable[[], Labels]

ROUNDS, SLOW_ROUNDS, QUICK_ROUNDS = 7, 3, 2
SLOW_SECONDS = 20.0
"""If one round of all takes longer, there are fewer rounds."""

PACKAGES = (
    *("scipy", "scikit-image", "connected-components-3d", "opencv-python", "opencv-python-headless"),
    *("cupy", "cupy-cuda12x", "cupy-cuda13x"),
)


# -- images ----------------------------------------------------------------------------------------

VOLUME, PLANE, HALF_PLANE = (512, 512, 512), (8192, 8192), (4096, 4096)
MASKS: dict[str, Callable[[Shape], Mask]] = {
    "random 0.3": partial(made_images.random, density=0.3),
    "random 0.5": partial(made_images.random, density=0.5),
    "random 0.6": partial(made_images.random, density=0.6),
    "random 0.8": partial(made_images.random, density=0.8),
    "blobs": made_images.blobs,
    "solid": made_images.solid,
    "serpentine": made_images.serpentine,
}
IMAGES: list[tuple[str, Shape]] = [
    *((mask, VOLUME) for mask in ("random 0.3", "random 0.5", "random 0.8", "blobs", "solid")),
    *((mask, PLANE) for mask in ("random 0.5", "random 0.6", "blobs")),
    ("serpentine", HALF_PLANE),
]
NEIGHBORS = {2: (4, 8), 3: (6, 26)}
QUICK = 8
"""By how much images shrink along each axis if it only matters whether everything runs."""


@dataclass(frozen=True)
class Task:
    """A mask to be labelled, and how many neighbors a pixel has."""

    kind: str
    shape: Shape
    neighbors: int

    @property
    def name(self) -> str:
        """What tables call it."""
        return f"{self.kind}, {' x '.join(map(str, self.shape))}, {self.neighbors} neighbors"

    @property
    def mask(self) -> Mask:
        """The mask."""
        return _mask(self.kind, self.shape)

    @property
    def expected(self) -> npt.NDArray[np.int32]:
        """The labels."""
        return _expected(self)

    @property
    def connectivity(self) -> int:
        """Along how many axes neighbors may differ."""
        return as_connectivity(self.neighbors, len(self.shape))

    @property
    def structure(self) -> Mask:
        """Which pixels are neighbors of the one in the middle."""
        return ndimage.generate_binary_structure(len(self.shape), self.connectivity)

    def quick(self) -> Task:
        """Return the same on a small mask."""
        return replace(self, shape=tuple(n // QUICK for n in self.shape))


TASKS = [Task(kind, shape, neighbors) for kind, shape in IMAGES for neighbors in NEIGHBORS[len(shape)]]


@lru_cache(maxsize=1)
def _mask(kind: str, shape: Shape) -> Mask:
    """Make a mask; the last one is kept, because all tasks on a mask follow one another."""
    return MASKS[kind](shape)


@lru_cache(maxsize=1)
def _expected(task: Task) -> npt.NDArray[np.int32]:
    return ndimage.label(task.mask, task.structure)[0]


# -- who takes part: each function prepares a run, or says why there is none -----------------------


class LeftOutError(Exception):
    """This program does not take this image."""


def by_pointerjump(task: Task, session: Session) -> Run:
    """Label an array on the host."""
    return partial(pj.label, task.mask, task.neighbors, device=session)


def by_pointerjump_on_device(task: Task, session: Session) -> Run:
    """Label an array on the device; the labels stay there."""
    from pyopencl import array

    there = array.to_device(session.queue, task.mask)

    def run() -> Labels:
        labels = pj.label(there, task.neighbors)
        session.finish()
        return labels

    return run


def by_scipy(task: Task, session: Session) -> Run:
    """Label by scipy.ndimage."""
    mask, structure = task.mask, task.structure
    return lambda: ndimage.label(mask, structure)[0]


def by_skimage(task: Task, session: Session) -> Run:
    """Label by scikit-image, which hands masks over to scipy."""
    from skimage.measure import label

    return partial(label, task.mask, connectivity=task.connectivity)


def by_cc3d(task: Task, session: Session) -> Run:
    """Label by cc3d, which chooses integers that are wide enough for the labels."""
    from cc3d import connected_components

    return partial(connected_components, task.mask, connectivity=task.neighbors)


def by_opencv(task: Task, session: Session, algorithm: str) -> Run:
    """Label by one of OpenCV's algorithms, in as many threads as there are cores for this process."""
    import cv2

    if len(task.shape) != 2:
        raise LeftOutError("OpenCV labels images of two dimensions only")
    cv2.setNumThreads(len(os.sched_getaffinity(0)))
    chosen = getattr(cv2, f"CCL_{algorithm}")
    pixels = task.mask.view(np.uint8)
    return lambda: cv2.connectedComponentsWithAlgorithm(pixels, task.neighbors, cv2.CV_32S, chosen)[1]


def by_cupy(task: Task, session: Session) -> Run:
    """Label an array on the host by cupy."""
    import cupy
    from cupyx.scipy.ndimage import label

    mask, structure = task.mask, cupy.asarray(task.structure)
    return lambda: cupy.asnumpy(label(cupy.asarray(mask), structure)[0])


def by_cupy_on_device(task: Task, session: Session) -> Run:
    """Label an array on the device by cupy; the labels stay there."""
    import cupy
    from cupyx.scipy.ndimage import label

    there, structure = cupy.asarray(task.mask), cupy.asarray(task.structure)

    def run() -> Labels:
        labels = label(there, structure)[0]
        cupy.cuda.Device().synchronize()
        return labels

    return run


@dataclass(frozen=True)
class Contest:
    """Programs that do the same: ours, and others by kind."""

    where: str
    ours: Callable[[Task, Session], Run]
    others: dict[str, dict[str, Callable[[Task, Session], Run]]]

    @property
    def everyone(self) -> dict[str, Callable[[Task, Session], Run]]:
        """All by name, ours first."""
        return {"pointerjump": self.ours} | {k: v for kind in self.others.values() for k, v in kind.items()}


ON_CPUS = Contest(
    "on the CPU",
    by_pointerjump,
    {
        "the libraries": {"scipy": by_scipy, "scikit-image": by_skimage, "cc3d": by_cc3d},
        "OpenCV": {
            "OpenCV": partial(by_opencv, algorithm="DEFAULT"),
            "BBDT": partial(by_opencv, algorithm="BBDT"),
            "Spaghetti": partial(by_opencv, algorithm="SPAGHETTI"),
        },
    },
)
ON_GPUS = Contest("on the GPU", by_pointerjump_on_device, {"cupy": {"cupy": by_cupy_on_device}})
THROUGH_GPUS = Contest("from host to host", by_pointerjump, {"cupy": {"cupy": by_cupy}})
CONTESTS = {contest.where: contest for contest in (ON_CPUS, ON_GPUS, THROUGH_GPUS)}


def contests_on(session: Session) -> list[Contest]:
    """Return what there is to compare on a device."""
    return [ON_CPUS] if session.device.host_memory else [ON_GPUS, THROUGH_GPUS]


# -- checking --------------------------------------------------------------------------------------


def check(task: Task, name: str, labels: Labels) -> None:
    """Require that labels are right: ours equal scipy's, and others may have another order."""
    found = labels.get() if hasattr(labels, "get") else labels  # from a device
    expected = task.expected
    if name == "pointerjump":
        assert found.dtype == np.int32
        assert np.array_equal(found, expected)
        return
    assert np.array_equal(found == 0, expected == 0), f"{name} has another background"
    theirs = np.zeros(int(expected.max()) + 1, np.int64)
    theirs[expected] = found
    assert np.array_equal(theirs[expected], found), f"{name} has separated what is one component"
    assert len(np.unique(theirs)) == len(theirs), f"{name} has joined components"


# -- benchmarks for pytest -------------------------------------------------------------------------


@pytest.fixture(params=TASKS, ids=lambda task: task.name)
def task(request: pytest.FixtureRequest, quick: bool) -> Task:
    """An image to be labelled."""
    return request.param.quick() if quick else request.param


@pytest.mark.parametrize(
    ("where", "name"), [(c.where, name) for c in CONTESTS.values() for name in c.everyone]
)
def test_labelling(measure: Measure, task: Task, session: Session, where: str, name: str) -> None:
    contest = CONTESTS[where]
    if contest not in contests_on(session):
        pytest.skip(f"the device is no device for labelling {where}")
    try:
        run = contest.everyone[name](task, session)
    except (ImportError, LeftOutError) as error:
        pytest.skip(str(error))
    measure(f"labelling {where}: {task.name}", run, partial(check, task, name), pixels=task.mask.size)


# -- the table -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """How long everyone took for a task."""

    task: Task
    components: int
    timings: dict[str, Timing]

    def milliseconds(self, name: str) -> str:
        """Return somebody's median as text."""
        return f"{self.timings[name].median * 1e3:,.1f}" if name in self.timings else "-"

    def ratio(self, others: dict[str, Any]) -> float | None:
        """Return how many times as long as ours the fastest of the others took, if there are any."""
        theirs = [self.timings[name].median for name in others if name in self.timings]
        return min(theirs) / self.timings["pointerjump"].median if theirs else None

    def as_dict(self) -> dict[str, Any]:
        """Return what a JSON file keeps."""
        times = {who: {"median": t.median, "low": t.low, "high": t.high} for who, t in self.timings.items()}
        return {"task": self.task.name, "components": self.components, "seconds": times}


def measured(contest: Contest, task: Task, session: Session, rounds: int) -> Line:
    """Check everyone's answer, then time all in turns."""
    runs: dict[str, Run] = {}
    for name, prepare in contest.everyone.items():
        try:
            runs[name] = prepare(task, session)
        except (ImportError, LeftOutError):
            continue
        check(task, name, runs[name]())
    components = int(task.expected.max())
    began = perf_counter()
    for run in runs.values():
        run()
    slow = perf_counter() - began > SLOW_SECONDS
    rounds = min(rounds, SLOW_ROUNDS) if slow else rounds
    lead_in = 0 if session.device.host_memory else 1  # GPU programs have contexts of their own
    return Line(task, components, interleaved(runs, rounds, warm_up=0, lead_in=lead_in))


def show(contest: Contest, lines: list[Line], console: Console) -> None:
    """Print a table, and how many times as fast as each kind of program ours is."""
    table = Table(title=f"labelling {contest.where}, ms")
    for heading in ("image", "components", *contest.everyone):
        table.add_column(heading, justify="right" if table.columns else "left")
    for kind in contest.others:
        table.add_column(f"ratio to {kind}", justify="right")
    for line in lines:
        times = [line.milliseconds(name) for name in contest.everyone]
        ratios = [line.ratio(kind) for kind in contest.others.values()]
        table.add_row(
            line.task.name,
            f"{line.components:,}",
            *times,
            *("-" if ratio is None else f"{ratio:.2f}" for ratio in ratios),
        )
    console.print(table)
    for name, kind in contest.others.items():
        found = [ratio for line in lines if (ratio := line.ratio(kind)) is not None]
        if found:
            mean = math.exp(math.fsum(map(math.log, found)) / len(found))
            console.print(f"Ratio to {name}: {mean:.2f} (geometric mean), at least {min(found):.2f}")


def versions() -> dict[str, str]:
    """Return the versions of those other programs that are installed."""
    found = {}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", help="as `pointerjump devices` names it")
    parser.add_argument("--quick", action="store_true", help="small images, few rounds: does everything run?")
    parser.add_argument("--only", default="", metavar="TEXT", help="images whose names have this in them")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    options = parser.parse_args()
    session = session_for(options.device)
    rounds = QUICK_ROUNDS if options.quick else options.rounds
    chosen = [task for task in TASKS if options.only in task.name]
    contests = contests_on(session)
    console = Console(width=200)
    console.print(f"{session.device}; {versions()}")
    lines: dict[str, list[Line]] = {contest.where: [] for contest in contests}
    for task, contest in product(chosen, contests):
        line = measured(contest, task.quick() if options.quick else task, session, rounds)
        lines[contest.where].append(line)
        times = ", ".join(f"{name} {line.milliseconds(name)}" for name in line.timings)
        console.print(f"{line.task.name}, {contest.where}: {times} ms", highlight=False)
    for contest in contests:
        show(contest, lines[contest.where], console)
    if options.json:
        results = {where: [line.as_dict() for line in done] for where, done in lines.items()}
        about = {"device": session.device.as_dict(), "versions": versions()}
        options.json.write_text(json.dumps(about | results, indent=1))


if __name__ == "__main__":
    main()
