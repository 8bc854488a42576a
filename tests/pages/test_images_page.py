"""docs/images.md is true: other libraries give the same, and the picture is what the script draws."""

from __future__ import annotations

import doctest
import importlib
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import made_images
import numpy as np
import pytest

import pointerjump as pj
from pointerjump.accel.runtime.devices import devices

DOCS = Path(__file__).resolve().parents[2] / "docs"
ROWS = re.findall(r"^\| `(.+?)` \| `(.+?)` \| (.+?) \|$", (DOCS / "images.md").read_text(), re.MULTILINE)
SUBMODULES = ("scipy.ndimage", "skimage.measure", "skimage.morphology")
LEAST_VERSIONS = {"skimage": "0.26"}
"""Earlier ones call max_size by another name."""

pytestmark = pytest.mark.skipif(not any(d.works for d in devices()), reason="no OpenCL device works")


def names() -> dict[str, Any]:
    """Return what the table's expressions mention, but for the other libraries."""
    mask = made_images.random((30, 40), density=0.4)
    labels, count = pj.label(mask, return_num=True)
    return {
        "np": np,
        "pj": pj,
        "mask": mask,
        "labels": labels,
        "count": count,
        "cells": made_images.small_integers((30, 40), values=3),
        "volume": made_images.small_integers((9, 20, 30), values=5),
        "pieces": made_images.cells((20, 30, 40), size=10).astype(np.uint32),
    }


def same(theirs: Any, ours: Any) -> bool:
    """Return whether two answers are equal: arrays, numbers, slices, or several of them."""
    if isinstance(theirs, slice):
        return bool(theirs == ours)
    if isinstance(theirs, tuple | list):
        return len(theirs) == len(ours) and all(map(same, theirs, ours))
    return np.shape(theirs) == np.shape(ours) and bool(np.isclose(theirs, ours).all())


def same_components(theirs: np.ndarray, ours: np.ndarray) -> bool:
    """Return whether two arrays of labels differ only in how the components are numbered."""
    pairs = np.unique(np.stack([theirs.ravel(), ours.ravel()]), axis=1)
    return all(len(np.unique(side)) == pairs.shape[1] for side in pairs) and bool((pairs[:, 0] == 0).all())


def same_contacts(theirs: dict[tuple[int, int], float], ours: Any) -> bool:
    """Return whether the same labels touch, over as many faces."""
    return theirs == dict(zip(map(tuple, ours.pairs.tolist()), ours.faces.tolist(), strict=True))


COMPARE = {
    "same": same,
    "same components, numbered differently": same_components,
    "cc3d returns a dict, pointerjump two arrays": same_contacts,
}


@pytest.mark.parametrize(("theirs", "ours", "note"), ROWS, ids=[row[0] for row in ROWS])
def test_what_to_write_in_place_of_other_libraries(theirs: str, ours: str, note: str) -> None:
    library = theirs.partition(".")[0]
    known = names()
    if library not in known:
        known[library] = pytest.importorskip(library, minversion=LEAST_VERSIONS.get(library))
    for module in SUBMODULES:
        if module.startswith(library):
            importlib.import_module(module)
    assert COMPARE[note](eval(theirs, known), eval(ours, known))


def test_the_table_is_read() -> None:
    assert len(ROWS) >= 15
    assert {note for *_, note in ROWS} == set(COMPARE)


def test_the_code_on_the_device_works_in_a_fresh_process() -> None:
    """Nothing has shown pyopencl the drivers of pip before it."""
    (block,) = re.findall(
        r"^>>> import pyopencl.*?(?=^```)", (DOCS / "images.md").read_text(), re.DOTALL | re.MULTILINE
    )
    code = "import numpy as np; import pointerjump as pj; mask = np.eye(3)\n" + doctest.script_from_examples(
        block
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_picture_is_up_to_date() -> None:
    assert runpy.run_path(str(DOCS / "picture.py"))["picture"]() == (DOCS / "labels.svg").read_text()
