"""Sixteen threads at once over everything that can be shared, and processes that are forked."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from scipy import ndimage

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device
from pointerjump.registry import ALGORITHMS
from pointerjump.solving.inputs import as_graph
from pointerjump.solving.lists import DeviceList

THREADS = 16
TIMES = 6

RNG = np.random.default_rng(3)
N = 4000
EDGES = RNG.integers(0, N, (2, N // 2 + 500)).astype(np.int32)
ORDER = RNG.permutation(N)
LISTS = np.empty(N, np.int32)  # five lists, some elements apart
LISTS[ORDER] = np.where(np.arange(N) % 800 == 799, ORDER, np.roll(ORDER, -1))
VALUES = RNG.integers(-9, 9, N)


def graph() -> pj.Graph:
    return pj.Graph.from_edges(*EDGES, vertices=N)


def rows() -> pj.Graph:
    """Rows in one direction only: nothing is known of them."""
    order = np.argsort(EDGES[0], kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(EDGES[0], minlength=N))])
    return pj.Graph(offsets, EDGES[1][order])


LABELS = pj.components(graph(), algorithm="dfs", device="reference").labels
FIRST = pj.components(graph(), algorithm="dfs", device="reference", labels="representative").labels
RANKS = pj.list_rank(LISTS, device="reference")
SUMS = pj.list_scan(LISTS, VALUES, device="reference")


def in_threads(work: Callable[[int], object], expected: object) -> None:
    """Do `work` in all threads at once, some times each, and compare all that comes out."""
    start = Barrier(THREADS)

    def repeat(thread: int) -> list[object]:
        start.wait()
        return [work(thread) for _ in range(TIMES)]

    with ThreadPoolExecutor(THREADS) as pool:
        for answers in pool.map(repeat, range(THREADS)):
            for answer in answers:
                np.testing.assert_array_equal(answer, expected)  # type: ignore[arg-type]


WITH_KERNELS = [
    algorithm.name
    for algorithm in ALGORITHMS.values()
    if algorithm.kernels and algorithm.problem == "components"
]


def test_components_of_everything_at_once(device: Device) -> None:
    """Each thread comes another way: as edges, as rows, of a graph on the device, by many algorithms."""
    d, g, r = pj.to_device(graph(), device), graph(), rows()
    both = g.in_rows()
    ways: list[Callable[[], Any]] = [
        lambda: pj.components((EDGES[0], EDGES[1]), device=device, vertices=N),
        lambda: pj.components((EDGES[0], EDGES[1]), algorithm="afforest", device=device, vertices=N),
        lambda: pj.components(g, device=device),
        lambda: pj.components(both, device=device),
        lambda: pj.components(r, device=device),
        lambda: pj.components(r, algorithm="galois", device=device),
        *(
            lambda name=name: pj.components(d, algorithm=name)
            for name in ("auto", "gunrock", "nd-hybrid", "stages")
        ),
        lambda: pj.components(d, algorithm="graft-shortcut", graft="sorted"),
        lambda: pj.components(d, algorithm="afforest-subgraphs", partition="forest"),
    ]
    in_threads(lambda thread: ways[thread % len(ways)]().labels, LABELS)


@pytest.mark.diagonal
@pytest.mark.parametrize("name", WITH_KERNELS)
def test_one_graph_and_one_algorithm(name: str, device: Device) -> None:
    d = pj.to_device(graph(), device)
    in_threads(lambda thread: pj.components(d, algorithm=name).labels, LABELS)


@pytest.mark.parametrize("name", ["auto", "shiloach-vishkin", "soman", "nd-hybrid"])
def test_labels_that_stay_on_the_device(name: str, device: Device) -> None:
    d = pj.to_device(graph(), device)
    for labels, expected in (("consecutive", LABELS), ("representative", FIRST)):
        in_threads(lambda thread, labels=labels: d.label(name, labels=labels).get(), expected)


def test_labels_are_the_callers_own(device: Device) -> None:
    d = pj.to_device(graph(), device)
    first = d.label("soman", labels="representative")
    first.set(np.full(N, 7, np.int32))
    second = d.label("soman", labels="representative")
    np.testing.assert_array_equal(second.get(), FIRST)
    assert (first.get() == 7).all()


def test_labels_of_a_graph_that_nobody_holds(device: Device) -> None:
    for _ in range(20):
        label = pj.to_device(graph(), device).label("afforest")
        np.testing.assert_array_equal(label.get(), LABELS)


def test_forests(device: Device) -> None:
    d = pj.to_device(graph(), device)

    def forest(thread: int) -> int:
        found = pj.spanning_forest(d if thread % 2 else graph(), device=None if thread % 2 else device)
        pj.verify_forest(d.host, found)
        return len(found)

    in_threads(forest, N - (LABELS.max() + 1))


def test_connected_components_and_verification(device: Device) -> None:
    matrix = graph().to_scipy()

    def work(thread: int) -> Any:
        labels = pj.connected_components(matrix, device=device)[1]
        pj.verify(matrix, labels)
        return labels

    in_threads(work, LABELS)


@pytest.mark.parametrize("algorithm", ["auto", "wylie", "rehman"])
def test_ranks_of_lists_that_are_shared(algorithm: str, device: Device) -> None:
    lists = DeviceList(LISTS, device)
    ways = [
        lambda: pj.list_rank(lists, algorithm=algorithm),
        lambda: lists.rank(algorithm).get(),
        lambda: pj.list_rank(lists, algorithm="random-splitter", splitters=50, choice="even"),
        lambda: pj.list_rank(LISTS, algorithm=algorithm, device=device),
    ]
    in_threads(lambda thread: ways[thread % len(ways)](), RANKS)


def test_ranks_are_the_callers_own(device: Device) -> None:
    lists = DeviceList(LISTS, device)
    first = lists.rank()
    first.set(np.full(N, 7, np.int32))
    np.testing.assert_array_equal(lists.rank().get(), RANKS)
    assert (first.get() == 7).all()


def test_the_device_that_residents_are_on_may_be_named(device: Device) -> None:
    d, lists = pj.to_device(graph(), device), DeviceList(LISTS, device)
    assert pj.to_device(d, device) is d
    np.testing.assert_array_equal(pj.components(d, device=device).labels, LABELS)
    np.testing.assert_array_equal(pj.list_rank(lists, device=device), RANKS)


def test_residents_are_not_used_on_another_device(device: Device) -> None:
    others = [other for other in pj.devices() if other.works and other != device]
    if not others:
        pytest.skip("there is one device only")
    d, lists = pj.to_device(graph(), device), DeviceList(LISTS, device)
    calls: list[tuple[str, Callable[[Device], object]]] = [
        ("the input is", lambda other: pj.to_device(d, other)),
        ("the input is", lambda other: pj.components(d, device=other)),
        ("the input is", lambda other: pj.spanning_forest(d, device=other)),
        ("the input is", lambda other: pj.list_rank(lists, device=other)),
    ]
    for other in others:
        for what, call in calls:
            refused = f"{what} on {device}, not on {other}: leave device out"
            with pytest.raises(pj.DeviceError, match=re.escape(refused)):
                call(other)


def test_scans(device: Device) -> None:
    in_threads(lambda thread: pj.list_scan(LISTS, VALUES, device=device), SUMS)


def test_labels_of_images(device: Device) -> None:
    """Of images of all sizes, which share scratch."""
    masks = [np.random.default_rng(seed).random((20 + 30 * seed, 300)) < 0.6 for seed in range(THREADS)]
    expected = [ndimage.label(mask)[0] for mask in masks]

    def work(thread: int) -> bool:
        return np.array_equal(pj.label(masks[thread], device=device), expected[thread])

    in_threads(work, True)


def test_ranks_and_components_beside_each_other(device: Device) -> None:
    d, lists = pj.to_device(graph(), device), DeviceList(LISTS, device)

    def work(thread: int) -> Any:
        if thread % 2:
            return np.concatenate([pj.components(d, algorithm="soman").labels, pj.list_rank(lists)])
        return np.concatenate([d.label().get(), lists.rank("wylie").get()])

    in_threads(work, np.concatenate([LABELS, RANKS]))


def test_properties_that_a_graph_works_out_when_asked(device: Device) -> None:
    def facts(g: pj.Graph, thread: int) -> list[int]:
        asked = ("edges", "vertices", "directed_edges", "symmetric", "records")
        answers = {name: int(getattr(g, name)) for name in np.roll(asked, thread)}
        return [*(answers[name] for name in asked), int(g.offsets[-1]), int(g.neighbors.sum())]

    edges = as_graph((EDGES[0], EDGES[1]), vertices=N)
    expected = facts(as_graph((EDGES[0], EDGES[1]), vertices=N), 0)
    for _ in range(10):
        edges = as_graph((EDGES[0], EDGES[1]), vertices=N)

        def work(thread: int, edges: pj.Graph = edges) -> Any:
            if thread % 3 == 0:
                np.testing.assert_array_equal(pj.components(edges, device=device).labels, LABELS)
            return facts(edges, thread)

        in_threads(work, expected)


def test_putting_graphs_on_the_device(device: Device) -> None:
    g = graph()
    in_threads(lambda thread: pj.to_device(g, device).label().get(), LABELS)


# -- first use ------------------------------------------------------------------------------------


def run_python(code: str, *arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


FIRST_USE = """
import os, sys, warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
import numpy as np
import pointerjump as pj

warnings.simplefilter("error")
before = dict(os.environ)
start = Barrier(16)

def work(thread):
    start.wait()
    assert pj.devices()
    d = pj.to_device(([0, 1, 3], [1, 2, 4]), sys.argv[1])
    assert pj.components(d, algorithm="nd-hybrid").count == 2
    assert pj.components(d, algorithm="soman").count == 2
    assert d.label().get().tolist() == [0, 0, 0, 1, 1]
    return d.session

with ThreadPoolExecutor(16) as pool:
    sessions = set(pool.map(work, range(16)))
assert len(sessions) == 1
assert dict(os.environ) == before
print("right")
"""


def test_sixteen_threads_that_all_come_first(device: Device, tmp_path: Any) -> None:
    """Nothing is cached: drivers are looked for, devices tried and programs built, without a warning."""
    assert run_python(FIRST_USE, device.platform, XDG_CACHE_HOME=str(tmp_path)) == "right\n"


REMARKS = """
import sys, warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from pointerjump.accel.runtime import programs
from pointerjump.accel.runtime.icd import opencl
from pointerjump.accel.runtime.sessions import session_for

cl = opencl()
talkative = []
cl._Program._get_build_logs = lambda program: talkative.append(program) or [("a device", "a remark")]
session = session_for(sys.argv[1])
start = Barrier(6)

def work(thread):
    start.wait()
    programs.build(session.context, "labels.cl", [f"-DUNUSED={thread}"])

with ThreadPoolExecutor(6) as pool:
    list(pool.map(work, range(6)))
assert len(talkative) >= 6
try:  # and others still hear what the compiler says to them
    cl.Program(session.context, "__kernel void nothing() {}").build(cache_dir=False)
except cl.CompilerWarning:
    print("heard")
"""


def test_compilers_remarks_do_not_leak_between_threads(device: Device) -> None:
    code = 'import warnings; warnings.simplefilter("error")\n' + REMARKS
    assert run_python(code, device.platform, PYOPENCL_NO_CACHE="1") == "heard\n"


# -- forks ----------------------------------------------------------------------------------------


FORKED = """
import os, signal, sys, warnings
import pointerjump as pj
from pointerjump.solving.inputs import as_graph
from pointerjump.solving.lists import DeviceList
warnings.simplefilter("ignore")  # Python's own, of forks beside threads

device = sys.argv[1]
d, lists = pj.to_device(([0, 1], [1, 2]), device), DeviceList([1, 1], device)
calls = [
    lambda: pj.components(([0, 1], [1, 2]), device=device),
    lambda: pj.components(d, algorithm="soman"),
    lambda: d.label(),
    lambda: pj.spanning_forest(d),
    lambda: pj.list_rank(lists),
    lambda: lists.rank(),
    lambda: pj.list_scan([1, 1], [1, 2], device=device),
    lambda: pj.label([1, 1], device=device),
    lambda: pj.to_device(([0, 1], [1, 2]), device),
    lambda: pj.devices(),
]
for call in calls:
    call()
sys.stdout.flush()
child = os.fork()
if child == 0:
    signal.alarm(60)
    for call in calls:
        try:
            call()
            print("no error")
        except pj.DeviceError as error:
            assert '"spawn"' in str(error) and "\\n" not in str(error), error
    assert pj.components(([0, 1], [1, 2]), device="reference").count == 1
    print("refused", flush=True)
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert pj.components(d, algorithm="soman").count == 1
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
def test_a_forked_process_is_refused_at_once(device: Device) -> None:
    assert run_python(FORKED, device.platform) == "refused\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
def test_a_process_may_be_forked_before_the_first_use(device: Device) -> None:
    code = """
import os, sys
import pointerjump as pj
child = os.fork()
assert pj.components(([0, 1], [1, 2]), algorithm="soman", device=sys.argv[1]).count == 1
if child == 0:
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""
    run_python(code, device.platform)
