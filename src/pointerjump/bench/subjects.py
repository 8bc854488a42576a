"""Graphs and lists on a device whose answers are verified before any run is timed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.runtime.session import Session
from pointerjump.base.linked_lists import SuccessorArray
from pointerjump.errors import GraphError
from pointerjump.generators import generate_list
from pointerjump.graphs.connectivity import components
from pointerjump.registry.selection import select
from pointerjump.solving.device_graph import DeviceGraph
from pointerjump.solving.inputs import as_graph
from pointerjump.solving.lists import DeviceList, list_input, rank_lists
from pointerjump.solving.run import order
from pointerjump.verifiers.graphs import verify, verify_ranks

SEED = 1
"""The seed of every generated graph and list, and of the order in edge arrays."""


class GraphSubject:
    """A graph on a device, and its labels, verified."""

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
        self.counts = {
            "vertices": self.graph.vertices,
            "edges": self.graph.edges,
            "directed_edges": self.graph.directed_edges,
            "components": found.count,
        }

    def chosen(self, algorithm: str = "auto", /, **variant: Any) -> str:
        """Return the name of the algorithm that runs."""
        return self.on_device.choose(algorithm, **variant).algorithm.name

    def kernels(
        self, algorithm: str = "auto", on: Session | None = None, /, **variant: Any
    ) -> Callable[[], object]:
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

    def call(self) -> Callable[[], dict[str, Any]]:
        """Return a whole call, from edge arrays to labels on the host, that returns facts about itself."""
        edges, n = self.edge_arrays(), self.graph.vertices
        self.check(components(edges, device=self.session, vertices=n).labels)
        return lambda: components(edges, device=self.session, vertices=n).stats

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
    """Linked lists on a device."""

    problem = "list-ranking"

    def __init__(self, name: str, source: str, session: Session) -> None:
        self.name, self.source, self.session = name, source, session
        self.successors = generate_list(source)
        self.counts = {"elements": len(self.successors)}

    def chosen(self, algorithm: str = "auto", /, **variant: Any) -> str:
        """Return the name of the algorithm that runs."""
        asked = order("list-ranking", algorithm, self.session, variant).asked
        return select(asked, list_input(self.successors).facts(), self.session.tuning).algorithm.name

    def kernels(
        self, algorithm: str = "auto", on: Session | None = None, /, **variant: Any
    ) -> Callable[[], object]:
        """Return a run of an algorithm on the lists as they lie on the device; the ranks stay there."""
        lists = DeviceList(self.successors, on or self.session)

        def run() -> None:
            lists.rank(algorithm, **variant)
            lists.session.finish()

        self.check(lists.rank(algorithm, **variant).get())
        return run

    def call(self) -> Callable[[], dict[str, Any]]:
        """Return a whole call, from successors to ranks on the host, that returns facts about itself."""

        def ranked() -> tuple[SuccessorArray, dict[str, Any]]:
            return rank_lists(order("list-ranking", "auto", self.session, {}), list_input(self.successors))

        self.check(ranked()[0])
        return lambda: ranked()[1]

    def check(self, ranks: npt.ArrayLike) -> None:
        """Verify an answer."""
        verify_ranks(self.successors, ranks)
