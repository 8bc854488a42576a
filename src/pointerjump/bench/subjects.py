"""The graphs and lists that are measured, on the device and with verified answers, and how runs are timed."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.runtime.session import Session
from pointerjump.bench.measurements import ContestantTimes, Place
from pointerjump.bench.sizes import MOST_ROUNDS, SEED, Effort
from pointerjump.bench.timing import Timing, interleaved
from pointerjump.connectivity import components
from pointerjump.device_graph import DeviceGraph
from pointerjump.errors import GraphError
from pointerjump.generators import generate_list
from pointerjump.inputs import as_graph
from pointerjump.lists import DeviceList
from pointerjump.verifier import verify, verify_ranks

Run = Callable[[], object]
"""One run of a contestant, done when it returns; its answer has been verified."""


class GraphSubject:
    """A graph on a device, and its labels, verified."""

    def __init__(self, where: Place, source: str, session: Session) -> None:
        self.where, self.source, self.session = where, source, session
        self.graph = as_graph(source).symmetrized()
        if not self.graph.directed_edges:
            raise GraphError(f"{source} has no edges, so there is nothing to measure: leave it out")
        self.on_device = DeviceGraph(self.graph, session)
        found = components(self.on_device)
        verify(self.graph, found.labels)
        self.labels = found.labels
        self.counts = {
            "vertices": self.graph.vertices,
            "edges": self.graph.edges,
            "directed_edges": self.graph.directed_edges,
            "components": found.count,
        }

    def kernels(self, algorithm: str = "auto", on: Session | None = None, /, **variant: Any) -> Run:
        """Return a run of an algorithm on the graph as it lies on the device, in session `on` if given."""
        graph = self.on_device
        if on is not None:
            graph = DeviceGraph(self.graph, on, rows=graph.resident.rows)
        self.check(components(graph, algorithm=algorithm, **variant).labels)
        plan = graph.plan(algorithm, **variant)

        def run() -> None:
            plan.run()
            graph.session.finish()

        return run

    def check(self, labels: npt.ArrayLike) -> None:
        """Verify an answer, unless it equals the one that has been verified."""
        if not np.array_equal(labels, self.labels):
            verify(self.graph, labels)

    def edge_arrays(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the edges as a user may have them: each once, in a random direction, in random order."""
        sources = self.graph.sources
        once = np.flatnonzero(sources <= self.graph.neighbors)
        rng = np.random.default_rng(SEED)
        rng.shuffle(once)
        ends = np.stack([sources[once], self.graph.neighbors[once]]).astype(np.int64)
        turned = rng.random(len(once)) < 0.5
        ends[:, turned] = ends[::-1, turned]
        return ends[0], ends[1]


class ListSubject:
    """A linked list on a device."""

    def __init__(self, where: Place, source: str, session: Session) -> None:
        self.where, self.source, self.session = where, source, session
        self.successors = generate_list(source)
        self.counts = {"elements": len(self.successors)}

    def kernels(self, algorithm: str = "auto", on: Session | None = None, /) -> Run:
        """Return a run of an algorithm on the list as it lies on the device; the ranks stay there."""
        lists = DeviceList(self.successors, on or self.session)

        def run() -> None:
            lists.rank(algorithm)
            lists.session.finish()

        self.check(lists.rank(algorithm).get())
        return run

    def check(self, ranks: npt.ArrayLike) -> None:
        """Verify an answer."""
        verify_ranks(self.successors, ranks)


Subject = GraphSubject | ListSubject


def in_turn(subject: Subject, runs: Mapping[str, Run], effort: Effort) -> list[ContestantTimes]:
    """Time runs on a subject side by side."""
    return [ContestantTimes(subject.where, who, t, subject.counts) for who, t in timed(runs, effort).items()]


def timed(runs: Mapping[str, Run], effort: Effort) -> dict[str, Timing]:
    """Time runs side by side, after one round that warms up and says how many there is time for."""
    began = perf_counter()
    for run in runs.values():
        run()
    affordable = int(effort.seconds / (perf_counter() - began))
    gc.freeze()  # so that no collection goes through the many objects of the peers' graphs
    try:
        return interleaved(runs, max(effort.rounds, min(affordable, MOST_ROUNDS)), warm_up=0)
    finally:
        gc.unfreeze()
