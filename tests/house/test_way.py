"""The way of a call, as CONTRIBUTING.md tells it: down through the layers once, and short."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from test_house import ROOT, WALKS, house

import pointerjump as pj
from pointerjump import accel, cli, reference
from pointerjump.accel.runtime.devices import devices

CONTRIBUTING = ROOT / "CONTRIBUTING.md"
FOLDERS = {
    f"{Path(package.__path__[0]).resolve()}/": name
    for package, name in ((pj, ""), (accel, "accel/"), (reference, "reference/"))
}

pytestmark = pytest.mark.skipif(not any(d.works for d in devices()), reason="no OpenCL device works")


def told() -> dict[str, list[str]]:
    """Return the modules that CONTRIBUTING names for each call, in order."""
    section = CONTRIBUTING.read_text().split("## The way of a call")[1].split("## Words")[0]
    calls = re.split(r"^(`[^\n]*`[^\n]*:)$", section, flags=re.MULTILINE)[1:]
    return {
        heading.split("`")[1]: re.findall(r"`([a-z_/]+\.py)`", steps.split("With `device=")[0])
        for heading, steps in zip(calls[::2], calls[1::2], strict=True)
    }


S, T = np.random.default_rng(1).integers(0, 400_000, (2, 500_000))
SUCCESSORS = np.minimum(np.arange(1_200_000) + 1, 1_199_999)
MASK = np.random.default_rng(2).random((60, 70)) < 0.5
CALLS: dict[str, Callable[[Path], Callable[[], object]]] = {
    "pj.components((src, dst))": lambda _: lambda: pj.components((S, T)),
    "pj.list_rank(s)": lambda _: lambda: pj.list_rank(SUCCESSORS),
    "pointerjump cc FILE --algorithm ecl-cc --verify": lambda file: (
        lambda: cli.run(["cc", str(file), "--algorithm", "ecl-cc", "--verify", "--json"])
    ),
    "pj.label(mask)": lambda _: lambda: pj.label(MASK),
    "pj.components(blocks)": lambda file: partial(pj.components, pj.read_blocks(file)),
    'pj.components(table, source="left", target="right")': lambda _: partial(
        pj.components,
        pa.table({"left": S[:70_000].astype(str), "right": T[:70_000].astype(str)}),
        source="left",
        target="right",
    ),
}


@pytest.mark.parametrize("heading", CALLS)
def test_the_way_is_as_it_is_told(heading: str, tmp_path: Path) -> None:
    steps = told()[heading]
    assert len(steps) > 7
    assert len(set(steps)) == len(steps), "each module is named once"
    file = tmp_path / "edges.el"
    pj.write(pj.Graph.from_edges(S[:1000], T[:1000] % 1000), file)
    call = CALLS[heading](file)
    call()
    way = list(dict.fromkeys(module for module, *_ in house.entered(call, FOLDERS)))
    assert set(steps) <= set(way)
    order = [module for module in way if module in steps]
    late = {"base/graph.py", "base/images.py"}  # looked at again and again on the way
    assert [m for m in order if m not in late] == [m for m in steps if m not in late]


@pytest.fixture(scope="module")
def walks() -> dict[str, list[tuple[str, str, int]]]:
    return house.walks(ROOT)


@pytest.mark.parametrize("walk", WALKS)
def test_walks_are_short(walks: dict[str, list[tuple[str, str, int]]], walk: str) -> None:
    modules, functions = WALKS[walk]
    entered = {file for file, *_ in walks[walk]}
    assert len(entered) <= modules, entered
    assert len(walks[walk]) <= functions, walks[walk]
