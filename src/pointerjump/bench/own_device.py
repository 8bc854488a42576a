"""Times algorithms for ``pointerjump bench``, after verifying the result of each one.

The time of a run includes all kernel launches, but not the copying of the graph or list to the device. For
``auto``, a complete call is also timed. It begins with arrays on the host and ends with the result on the
host.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.runtime.session import Session
from pointerjump.base.linked_lists import SuccessorArray
from pointerjump.bench.timing import Effort, ProfilingSession, Timing, kernel_times, timed
from pointerjump.errors import AlgorithmError, GraphError
from pointerjump.generators import generate_list, is_spec, makes_graph
from pointerjump.graphs.connectivity import components
from pointerjump.registry import ALGORITHMS, find_algorithm, parse_variant
from pointerjump.registry.selection import select
from pointerjump.solving.device_graph import DeviceGraph
from pointerjump.solving.inputs import as_graph
from pointerjump.solving.lists import DeviceList, list_input, rank_lists
from pointerjump.solving.run import order
from pointerjump.verifiers.graphs import verify, verify_ranks

SEED = 1  # the seed of every generated graph and list, and of the order of edges

SETS: Mapping[str, tuple[Effort, Mapping[str, str]]] = {  # each set's effort, and its inputs by name
    "quick": (
        Effort(rounds=5, seconds=0.2, patience=5.0),
        {
            "urand16": f"urand:scale=16,degree=8,seed={SEED}",
            "kron16": f"kron:scale=16,degree=8,seed={SEED}",
            "road16": f"grid2d:rows=256,columns=256,keep=0.62,seed={SEED}",
            "delaunay_n16": "delaunay_n16",
            "list18": f"list:length={1 << 18},seed={SEED}",
        },
    ),
    "standard": (
        Effort(rounds=5, seconds=0.5, patience=10.0),
        {
            "urand18": f"urand:scale=18,degree=16,seed={SEED}",
            "kron18": f"kron:scale=18,degree=16,seed={SEED}",
            "road20": f"grid2d:rows=1024,columns=1024,keep=0.62,seed={SEED}",
            "2d-2e20.sym": "2d-2e20.sym",
            "rmat16.sym": "rmat16.sym",
            "delaunay_n17": "delaunay_n17",
            "list22": f"list:length={1 << 22},seed={SEED}",
        },
    ),
    "full": (
        Effort(rounds=9, seconds=0.5, patience=60.0),
        {
            "g24": f"kron:scale=24,degree=16,seed={SEED}",
            "g22": f"kron:scale=22,degree=16,seed={SEED}",
            "u23": f"urand:scale=23,degree=8,seed={SEED}",
            "kron_g500-logn21": "kron_g500-logn21",
            "rmat22.sym": "rmat22.sym",
            "r4-2e23.sym": "r4-2e23.sym",
            "road24": f"grid2d:rows=4096,columns=4096,keep=0.62,seed={SEED}",
            "grid22": "grid2d:rows=2048,columns=2048",
            "delaunay_n20": "delaunay_n20",
            "2d-2e20.sym": "2d-2e20.sym",
            "u18": f"urand:scale=18,degree=8,seed={SEED}",
            "list24": f"list:length={1 << 24},seed={SEED}",
        },
    ),
}

COLUMNS = ("input", "algorithm", "ran", "kind", "step", "median", "low", "high", "samples")
"""The columns of the results. ``input`` names the graph or list. ``algorithm`` is the request, such as
``afforest:init=first``, and ``ran`` is the algorithm that was chosen. ``kind`` is ``run`` (on the device),
``kernel`` (one kernel of a run), ``call`` (a complete call) or ``phase`` (one phase of a call). ``step`` is
the name of the kernel or phase. All other columns are in seconds."""
Line = dict[str, Any]


# -- graphs and lists --------------------------------------------------------------------------------


class GraphSubject:
    """A graph for timing algorithms on a device, with verified labels."""

    problem = "components"

    def __init__(self, name: str, source: str, session: Session) -> None:
        self.name, self.source, self.session = name, source, session
        self.graph = as_graph(source).symmetrized()
        if not self.graph.directed_edges:
            raise GraphError(f"{source} has no edges, so there is nothing to measure: leave it out")
        self.on_device = DeviceGraph(self.graph, session)
        found = components(self.on_device)
        verify(self.graph, found.labels)
        self.labels = found.labels
        self.counts = {"vertices": self.graph.vertices, "edges": self.graph.edges}
        self.counts |= {"directed_edges": self.graph.directed_edges, "components": found.count}

    def chosen(self, algorithm: str = "auto", /, **variant: Any) -> str:
        return self.on_device.choose(algorithm, **variant).algorithm.name

    def kernels(
        self, algorithm: str = "auto", on: Session | None = None, /, **variant: Any
    ) -> Callable[[], object]:
        """Verify an algorithm, and return a function that runs it on the device.

        If a session `on` is given, the algorithm runs in that session. The function returns when the device
        has finished.
        """
        graph = self.on_device
        if on is not None:
            graph = DeviceGraph(self.graph, on, rows=graph.resident.rows)
        self.check(components(graph, algorithm=algorithm, **variant).labels)
        plan = graph.plan(algorithm, **variant)

        def run() -> None:
            plan.run()
            graph.session.finish()

        return run

    def call(self) -> Callable[[], dict[str, Any]]:
        """Return a function that passes edges on the host to ``components`` and returns its ``stats``."""
        edges, n = self.edge_arrays(), self.graph.vertices
        self.check(components(edges, device=self.session, vertices=n).labels)
        return lambda: components(edges, device=self.session, vertices=n).stats

    def check(self, labels: npt.ArrayLike) -> None:
        """Verify labels, unless they equal those that have already been verified."""
        if not np.array_equal(labels, self.labels):
            verify(self.graph, labels)

    def edge_arrays(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return each edge once, in random order and with a random direction, like typical user input."""
        sources = self.graph.sources
        once = np.flatnonzero(sources <= self.graph.neighbors)
        rng = np.random.default_rng(SEED)
        rng.shuffle(once)
        ends = np.stack([sources[once], self.graph.neighbors[once]]).astype(np.int64)
        turned = rng.random(len(once)) < 0.5
        ends[:, turned] = ends[::-1, turned]
        return ends[0], ends[1]


class ListSubject:
    """Linked lists for timing algorithms on a device."""

    problem = "list-ranking"

    def __init__(self, name: str, source: str, session: Session) -> None:
        self.name, self.source, self.session = name, source, session
        self.successors = generate_list(source)
        self.counts = {"elements": len(self.successors)}

    def chosen(self, algorithm: str = "auto", /, **variant: Any) -> str:
        asked = order("list-ranking", algorithm, self.session, variant).asked
        return select(asked, list_input(self.successors).facts(), self.session.tuning).algorithm.name

    def kernels(
        self, algorithm: str = "auto", on: Session | None = None, /, **variant: Any
    ) -> Callable[[], object]:
        """Verify an algorithm, and return a function that runs it. The ranks stay on the device."""
        lists = DeviceList(self.successors, on or self.session)

        def run() -> None:
            lists.rank(algorithm, **variant)
            lists.session.finish()

        self.check(lists.rank(algorithm, **variant).get())
        return run

    def call(self) -> Callable[[], dict[str, Any]]:
        """Return a function that ranks the lists in an array on the host and returns the run's ``stats``."""

        def ranked() -> tuple[SuccessorArray, dict[str, Any]]:
            return rank_lists(order("list-ranking", "auto", self.session, {}), list_input(self.successors))

        self.check(ranked()[0])
        return lambda: ranked()[1]

    def check(self, ranks: npt.ArrayLike) -> None:
        verify_ranks(self.successors, ranks)


# -- what is timed -----------------------------------------------------------------------------------


def named(sources: Sequence[str]) -> dict[str, str]:
    """Return a dict that maps names to `sources` (files or specs).

    The names are the sources without their folders or, if some of these are equal, the sources as given.
    """
    names = [Path(source).name for source in sources]
    return dict(zip(names if len(set(names)) == len(names) else sources, sources, strict=True))


def check_algorithms(algorithms: Sequence[str]) -> None:
    for asked in algorithms:
        name, _, variant = asked.partition(":")
        parse_variant(variant)
        if name != "auto" and not find_algorithm(name).kernels:
            raise AlgorithmError(
                f"{name} has no kernels, so there is nothing to time on a device: leave it out"
            )


def measure_device(
    session: Session,
    inputs: Mapping[str, str],
    algorithms: Sequence[str] = (),
    *,
    effort: Effort,
    kernels: bool = False,
    begin: Callable[[str], None] = lambda name: None,
) -> dict[str, Any]:
    """Time algorithms on graphs and lists. Each algorithm is ``NAME`` or ``NAME:AXIS=VALUE,...``.

    By default, ``auto`` and every parallel algorithm with kernels are timed. `inputs` maps names to graph
    files and to specs of graphs or lists. Only one input is in memory at a time. `begin` is called with the
    name of each input before the input is loaded. If `kernels` is true, each kernel is timed as well. If an
    algorithm's result is wrong, a VerificationError is raised. The dict that is returned can be written as
    JSON. It contains the device, the inputs, the times (with the columns in `COLUMNS`) and the algorithms
    that were left out, with the reasons.
    """
    described, times, left_out = list[Line](), list[Line](), list[str]()
    for name, source in inputs.items():
        begin(name)
        of_lists = is_spec(source) and not makes_graph(source)
        subject = (ListSubject if of_lists else GraphSubject)(name, source, session)
        described.append({"name": name, "source": source, "problem": subject.problem, **subject.counts})
        times += _measure(subject, algorithms, effort, kernels, left_out)
    return {"device": session.device.as_dict(), "inputs": described, "times": times, "left_out": left_out}


def _measure(
    subject: GraphSubject | ListSubject,
    algorithms: Sequence[str],
    effort: Effort,
    kernels: bool,
    left_out: list[str],
) -> Iterator[Line]:
    """Verify algorithms, and time them side by side. Add those left out to `left_out`, with the reasons."""
    solving = [each for each in ALGORITHMS.values() if each.problem == subject.problem]
    runs: dict[str, Callable[[], object]] = {}
    ran: dict[str, str] = {}
    of_kernels: dict[str, dict[str, Timing]] = {}
    for asked in algorithms or ["auto", *(each.name for each in solving if each.kernels and not each.serial)]:
        name, _, values = asked.partition(":")
        variant = parse_variant(values)
        if name != "auto" and find_algorithm(name) not in solving:
            continue
        began = perf_counter()
        try:
            ran[asked] = subject.chosen(name, **variant)
            run = subject.kernels(name, **variant)
        except AlgorithmError as refusal:
            left_out.append(f"{asked} on {subject.name}: {refusal}")
            continue
        if (took := perf_counter() - began) > effort.patience:
            left_out.append(f"{asked} on {subject.name}: took {took:.0f} s, too long for this set")
            continue
        runs[asked] = run
        if kernels:
            profiling = ProfilingSession(subject.session)
            launched = subject.kernels(name, profiling, **variant)
            of_kernels[asked] = kernel_times(launched, profiling, effort.rounds)
    for asked, timing in timed(runs, effort).items():
        yield _line(subject, asked, ran[asked], "run", "", timing)
        for kernel, taken in of_kernels.get(asked, {}).items():
            yield _line(subject, asked, ran[asked], "kernel", kernel, taken)
        if asked == "auto":
            yield from _of_call(subject, effort)


def _of_call(subject: GraphSubject | ListSubject, effort: Effort) -> Iterator[Line]:
    """Time a complete call of ``auto``, and each of its phases."""
    call, facts = subject.call(), list[dict[str, Any]]()
    timing = timed({"call": lambda: facts.append(call())}, effort)["call"]
    ran = facts[-1]["algorithm"]
    yield _line(subject, "auto", ran, "call", "", timing)
    phases = [each["seconds"] for each in facts[1:]]  # the first call only warms up
    for phase in phases[-1]:
        samples = tuple(each.get(phase, 0.0) for each in phases)
        yield _line(subject, "auto", ran, "phase", phase, Timing(samples))


def _line(
    subject: GraphSubject | ListSubject, asked: str, ran: str, kind: str, step: str, timing: Timing
) -> Line:
    seconds = (timing.median, timing.low, timing.high, timing.samples)
    return dict(zip(COLUMNS, (subject.name, asked, ran, kind, step, *seconds), strict=True))
