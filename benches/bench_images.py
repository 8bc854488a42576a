"""Labelling images and volumes: ``python benches/bench_images.py --device cpu``.

Every image is also labelled by those other programs that are installed, and that take it. On a CPU these are
scipy, scikit-image, cc3d and OpenCV; on a GPU it is cupy, on arrays that are on the device already and from
the host to the host. All answers are compared with scipy's before anything is timed: ours must be equal, and
the others' may number the components in another order. All take turns in one process.
"""

from __future__ import annotations

import argparse
import json
import os
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from pathlib import Path
from typing import Any

import made_images
import numpy as np
import numpy.typing as npt
from contest import OURS, LeftOutError, Line, Run, Sheet, contest
from made_images import Mask, Shape
from scipy import ndimage

import pointerjump as pj
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.base.images import as_connectivity
from pointerjump.bench.timing import Effort

Labels = Any
"""An array of labels, on the host or on a device."""

ROUNDS, QUICK_ROUNDS, SECONDS = 3, 2, 20.0
"""The least rounds, those with --quick, and up to how many seconds there are more."""

PACKAGES = (
    *("scipy", "scikit-image", "connected-components-3d", "opencv-python", "opencv-python-headless"),
    *("cupy", "cupy-cuda12x", "cupy-cuda13x"),
)


# -- images ----------------------------------------------------------------------------------------

VOLUME, PLANE, HALF_PLANE = (512, 512, 512), (8192, 8192), (4096, 4096)
MASKS = {
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


# -- checking --------------------------------------------------------------------------------------


def check(task: Task, name: str, labels: Labels) -> None:
    """Require that labels are right: ours equal scipy's, and others may have another order."""
    found = labels.get() if hasattr(labels, "get") else labels  # from a device
    expected = task.expected
    if name == OURS:
        assert found.dtype == np.int32
        assert np.array_equal(found, expected)
        return
    assert np.array_equal(found == 0, expected == 0), f"{name} has another background"
    theirs = np.zeros(int(expected.max()) + 1, np.int64)
    theirs[expected] = found
    assert np.array_equal(theirs[expected], found), f"{name} has separated what is one component"
    assert len(np.unique(theirs)) == len(theirs), f"{name} has joined components"


# -- contests --------------------------------------------------------------------------------------


OPENCV = {"OpenCV": "DEFAULT", "BBDT": "BBDT", "Spaghetti": "SPAGHETTI"}
LIBRARIES = {"scipy": by_scipy, "scikit-image": by_skimage, "cc3d": by_cc3d}
CONTESTS = {
    "on the CPU": {
        OURS: by_pointerjump,
        **LIBRARIES,
        **{name: partial(by_opencv, algorithm=algorithm) for name, algorithm in OPENCV.items()},
    },
    "on the GPU": {OURS: by_pointerjump_on_device, "cupy": by_cupy_on_device},
    "from host to host": {OURS: by_pointerjump, "cupy": by_cupy},
}
"""Who does what: each function prepares a run."""

KINDS = {
    "on the CPU": {"the libraries": list(LIBRARIES), "OpenCV": list(OPENCV)},
    "on the GPU": {"cupy": ["cupy"]},
    "from host to host": {"cupy": ["cupy"]},
}


def contests_on(session: Session) -> list[str]:
    """Return what there is to compare on a device."""
    return ["on the CPU"] if session.device.host_memory else ["on the GPU", "from host to host"]


def measured(where: str, task: Task, session: Session, effort: Effort) -> Line:
    """Check everybody's answer, then time all in turns."""
    prepare = {name: partial(made, task, session) for name, made in CONTESTS[where].items()}
    lead_in = 0 if session.device.host_memory else 1  # GPU programs have contexts of their own
    components = f"{task.expected.max():,}"
    return contest(task.name, prepare, partial(check, task), effort, lead_in=lead_in, components=components)


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
    parser.add_argument("--rounds", type=int, help="exactly so many")
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    options = parser.parse_args()
    session = session_for(options.device)
    rounds = options.rounds or (QUICK_ROUNDS if options.quick else None)
    effort = Effort(rounds or ROUNDS, 0.0 if rounds else SECONDS, patience=0.0)
    sheets = {where: Sheet(f"labelling {where}", KINDS[where]) for where in contests_on(session)}
    print(f"{session.device}; {versions()}")
    for task, where in product(TASKS, sheets):
        if options.only in task.name:
            chosen = task.quick() if options.quick else task
            sheets[where].add(measured(where, chosen, session, effort))
    for sheet in sheets.values():
        sheet.print()
    if options.json:
        results = {where: [line.as_dict() for line in sheet.lines] for where, sheet in sheets.items()}
        about = {"device": session.device.as_dict(), "versions": versions()}
        options.json.write_text(json.dumps(about | results, indent=1))


if __name__ == "__main__":
    main()
