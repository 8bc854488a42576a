"""What the tests share: devices, graphs and lists, and the folder of real graphs."""

from __future__ import annotations

import gc
import os
from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import pointerjump.accel.runtime.devices
from pointerjump import Graph
from pointerjump.accel.runtime.devices import Device, devices
from pointerjump.accel.runtime.probe import Verdict, verdict
from pointerjump.registry import Algorithm, Variant, format_variant

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

PASSED = os.environ.get("POINTERJUMP_TEST_PASSED")
"""A file with the tests that need not run again, to which those that pass are added (.ci/run)."""

hypothesis.settings.register_profile("default", deadline=None, derandomize=True)
hypothesis.settings.load_profile("default")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run every test that asks for `device` once on each OpenCL device; without devices, show a skip."""
    if "device" not in metafunc.fixturenames:
        return
    params = [pytest.param(d, id=d.platform.split("(")[0].strip(), marks=_marks(d)) for d in devices()]
    if not params:
        params = [pytest.param(None, id="none", marks=pytest.mark.skip("there is no OpenCL device"))]
    metafunc.parametrize("device", params, scope="session")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "diagonal: each case runs on one of the devices in turn, and on the others if it is asked for "
        "(-m off_diagonal); the first variant of every algorithm runs on all",
    )
    config.addinivalue_line(
        "markers", "one_device: runs on the first device, and on the others if it is asked for"
    )
    config.addinivalue_line(
        "markers",
        "off_diagonal: another device runs this case (diagonal, one_device); no test says so itself",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is off the diagonal of cases and devices, and leave out what has passed."""
    working = [d for d in devices() if d.works]
    numbers: dict[object, dict[object, int]] = defaultdict(dict)
    firsts: dict[object, object] = {}
    for item in items:
        on_devices = isinstance(item, pytest.Function) and "device" in item.fixturenames
        markers = {marker.name for marker in item.iter_markers()}
        if not (on_devices and markers & {"diagonal", "one_device"}):
            continue
        params = item.callspec.params
        case = tuple((name, id(value)) for name, value in params.items() if name != "device")
        number = numbers[item.function].setdefault(case, len(numbers[item.function]))
        if "one_device" in markers:
            number = 0
        is_first = {"algorithm", "variant"} <= params.keys() and case == firsts.setdefault(
            (item.function, params["algorithm"].name), case
        )
        if (
            params["device"] in working
            and not is_first
            and params["device"] != working[number % len(working)]
        ):
            item.add_marker(pytest.mark.off_diagonal)
    if PASSED and Path(PASSED).exists():
        passed = set(Path(PASSED).read_text().splitlines())
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in passed])
        items[:] = [item for item in items if item.nodeid not in passed]


def pytest_collection_finish() -> None:
    """Hide all tests from the garbage collector: some of them call it, and it would look at all each time."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Write down what has passed, once: not in the workers of pytest-xdist too."""
    if PASSED and not hasattr(config, "workerinput"):
        with Path(PASSED).open("a") as file:
            file.writelines(f"{report.nodeid}\n" for report in terminalreporter.stats.get("passed", ()))


def _verdict_for_small_graphs(handle: object) -> Verdict:
    """Accept a device that is refused only because it ends long loops, which most test graphs do not need."""
    found = verdict(handle)
    return Verdict(works=True) if "ends loops" in (found.why_not or "") else found


if os.environ.get("POINTERJUMP_TEST_SHORT_LOOPS"):
    pointerjump.accel.runtime.devices.verdict = _verdict_for_small_graphs


def _marks(device: Device) -> list[pytest.MarkDecorator]:
    return [] if device.works else [pytest.mark.skip(f"{device} does not work: {device.why_not}")]


# -- graphs ----------------------------------------------------------------------------------------


def bit_reversed(n: int) -> np.ndarray:
    """Return 0 .. n - 1 in bit-reversed order: neighbors are far apart, and vice versa."""
    bits = max(1, (n - 1).bit_length())
    order = [int(f"{i:0{bits}b}"[::-1], 2) for i in range(1 << bits)]
    return np.array([i for i in order if i < n])


def path(order: np.ndarray) -> Graph:
    return Graph.from_edges(order[:-1], order[1:], vertices=len(order))


def _nasty() -> dict[str, Graph]:
    rng = np.random.default_rng(7)
    n = 1000
    many = {
        "empty": Graph([0], []),
        "one vertex": Graph([0, 0], []),
        "one loop": Graph([0, 1], [0]),
        "all isolated": Graph(np.zeros(1001, int), []),
        "self-loops": Graph.from_edges(np.arange(50), np.arange(50)),
        "duplicates": Graph([0, 4, 6, 8, 8], [1, 1, 2, 1, 0, 0, 0, 0]),
        "unsorted rows": Graph([0, 3, 4, 5, 6], [3, 1, 2, 0, 0, 0]),
        "hub": Graph.from_edges(np.zeros(n - 1, int), np.arange(1, n)),
        "hub last": Graph.from_edges(np.full(n - 1, n - 1), np.arange(n - 1)),
        "two hubs": Graph.from_edges(np.repeat([0, n - 1], n - 2), np.tile(np.arange(1, n - 1), 2)),
        "path": path(np.arange(n)),
        "path backwards": path(np.arange(n)[::-1]),
        "path shuffled": path(rng.permutation(n)),
        "path bit-reversed": path(bit_reversed(n)),
        "cycle": Graph.from_edges(np.arange(n), np.roll(np.arange(n), 1)),
        "pairs that meet last": Graph.from_edges(
            np.concatenate([np.arange(0, 1000, 2), np.arange(1, 999, 2)]),
            np.concatenate([np.arange(1, 1000, 2), np.arange(2, 1000, 2)]),
        ),
        "complete bipartite": Graph.from_edges(np.repeat(np.arange(40), 60), np.tile(np.arange(40, 100), 40)),
        "clique": Graph.from_edges(*np.triu_indices(70, 1)),
        "sparse random": Graph.from_edges(rng.integers(0, n, n // 2), rng.integers(0, n, n // 2), vertices=n),
        "dense random": Graph.from_edges(
            rng.integers(0, 500, 5000), rng.integers(0, 500, 5000), vertices=501
        ),
        "degrees 15 to 18, 351 to 354": _stars([15, 16, 17, 18, 351, 352, 353, 354]),
    }
    for size in (2, 63, 64, 65, 255, 256, 257):
        many[f"path of {size}"] = path(rng.permutation(size))
    return {name: graph.in_rows() for name, graph in many.items()}


def _stars(degrees: list[int]) -> Graph:
    """Return stars whose centers form a path and have these degrees, which straddle ECL-CC's limits."""
    n = len(degrees)
    centres = np.repeat(np.arange(n), degrees)
    return Graph.from_edges(centres, n + np.arange(len(centres)))


NASTY = _nasty()

TREES = Graph.from_edges([(4, 0), (4, 7), (4, 9), (9, 2), (2, 5), (9, 8), (3, 6)], vertices=11)
"""Three trees: one in which vertices have children that are less, one of an edge, and one of a vertex."""


@st.composite
def graphs(draw: st.DrawFn, most: int = 40) -> Graph:
    """Draw a small graph: edges, rows made from edges, or CSR rows, unsorted and with duplicates."""
    n = draw(st.integers(0, most))
    if n == 0:
        return Graph([0], [])
    vertex = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(vertex, vertex), max_size=2 * most))
    s = np.array([e[0] for e in edges], int)
    t = np.array([e[1] for e in edges], int)
    if draw(st.booleans()):
        made = Graph.from_edges(s, t, vertices=n)
        return made.in_rows() if draw(st.booleans()) else made
    order = np.argsort(s, kind="stable")  # one direction, duplicates kept, rows unsorted
    return Graph(np.concatenate([[0], np.cumsum(np.bincount(s, minlength=n))]), t[order])


# -- variants --------------------------------------------------------------------------------------


def meeting(variants: Iterable[Variant], together: int = 2) -> list[Variant]:
    """Return some variants, the first among them, in which any two values meet, or any three."""
    every = list(variants)
    together = min([together, *map(len, every)])
    kept: list[int] = []
    met: set[Any] = set()
    of = [set(combinations(variant.items(), together)) for variant in every]
    while not all(some <= met for some in of):
        most = max(range(len(every)), key=lambda i: len(of[i] - met))  # the first of several
        kept.append(most)
        met |= of[most]
    return [every[i] for i in sorted(kept)]


def in_parts(algorithm: Algorithm, few: list[Variant], more: list[Variant]) -> list:
    """Return parameters for tests of few variants, and of more if what takes long is asked for."""
    return [
        pytest.param(
            algorithm,
            variant,
            id=f"{algorithm.name}:{format_variant(variant)}",
            marks=[] if variant in few else pytest.mark.exhaustive,
        )
        for variant in [*few, *(variant for variant in more if variant not in few)]
    ]


# -- lists -----------------------------------------------------------------------------------------


def lists_from(order: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return successors that follow `order`, with a list ending wherever `ends` is true."""
    successors = np.empty(len(order), np.int32)
    if len(order):
        ends = ends.copy()
        ends[-1] = True
        successors[order] = np.where(ends, order, np.roll(order, -1))
    return successors


def _nasty_lists() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(11)
    many = {
        "all alone": np.arange(300, dtype=np.int32),
        "forwards": lists_from(np.arange(1000), np.zeros(1000, bool)),
        "backwards": lists_from(np.arange(1000)[::-1], np.zeros(1000, bool)),
        "pairs": lists_from(rng.permutation(1000), np.arange(1000) % 2 == 1),
        "bit-reversed": lists_from(bit_reversed(3000), np.zeros(3000, bool)),
        "many": lists_from(rng.permutation(5000), rng.random(5000) < 0.02),
        "one long among short": lists_from(rng.permutation(4000), np.arange(4000) < 1000),
    }
    for n in (0, 1, 2, 63, 64, 65, 255, 256, 257, 4000):
        many[f"one of {n}"] = lists_from(rng.permutation(n), np.zeros(n, bool))
    return many


NASTY_LISTS = _nasty_lists()


@st.composite
def linked_lists(draw: st.DrawFn, most: int = 60) -> np.ndarray:
    """Draw a few linked lists in one array."""
    n = draw(st.integers(0, most))
    order = np.array(draw(st.permutations(range(n))), np.int32)
    return lists_from(order, np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), bool))


BAD_LISTS = {
    "cycle": [1, 2, 0],
    "cycle beside a list": [1, 0, 3, 3],
    "two cycles of two": [1, 0, 3, 2, 4],
    "cycle with a way in": [1, 2, 1, 0],
    "two before one": [2, 2, 2],
    "two before a last element": [1, 1, 1],
    "out of range": [1, 3, 2],
    "negative": [0, -1],
}
