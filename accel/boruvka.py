"""Device implementation of Boruvka's algorithm."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.plan import Counts, Plan, PlanStep
from pointerjump.accel.residents.weighted import ResidentWeighted
from pointerjump.accel.runtime.session import Buffer, Launch
from pointerjump.base.limits import require_32_bit_edges
from pointerjump.errors import DeviceError

MOST_ROUNDS = 33
"""The maximum number of rounds. Each round at least halves the number of trees, and the last one finds no
edges."""

EACH = 2  # with striding, how many edges a work-item examines before its group stores those that remain


def prepare(edges: ResidentWeighted, atomics: str | None = None, *, access: str, rounds_ahead: int) -> Plan:
    growing = TreesOnDevice("boruvka.cl", edges, atomics, access, rounds_ahead)

    def run() -> Counts:
        growing.take("take_all", 0)()
        return {"rounds": growing.rounds(0)}

    begin: list[PlanStep] = [growing.clear, growing.init]
    return Plan(growing.joined_by, begin, run if growing.m else None, decided=growing.decided)


class TreesOnDevice:
    """The kernels, buffers and rounds that grow a spanning forest.

    For each vertex, `joined_by` holds the position of the edge along which it was hooked, or -1 if it is a
    root. `decided` records which kind of atomics was chosen.
    """

    def __init__(
        self, file: str, edges: ResidentWeighted, atomics: str | None, access: str, rounds_ahead: int
    ) -> None:
        graph, session = edges.graph, edges.session
        name = file.removesuffix(".cl").replace("_", "-")
        require_32_bit_edges(name, graph.stored, 'give each edge once, or ask for device="reference"')
        packs = session.device.int64_atomics
        if atomics == "64-bit" and not packs:
            raise DeviceError(
                f"atomics=64-bit needs atomics of 64 bits, which {session.device} does not have: leave it out"
            )
        packed = packs and atomics != "32-bit"
        self.decided = {"atomics": "64-bit" if packed else "32-bit"}
        self.graph, self.session, self.weights, self.ahead = graph, session, edges.weights, rounds_ahead
        self.m, self.in_place = graph.stored, access == "partitioning"
        tuning = session.tuning
        self.kernel = edges.kernels(
            file, access, EACH=EACH, PACKED=packed, PATIENCE=tuning.patience, SHORTEN_PATHS=True
        )
        self._entries, self._shortening = edges.entries, edges.shortening
        self.over_edges = session.shapes.over(self.m)
        n = graph.vertices
        self.joined_by, self.parent = graph.per_vertex("the forest's edges"), graph.per_vertex("the parents")
        best = np.int64 if packed else np.int32
        self.best = session.scratch("lightest edges", n, best)
        live = [
            session.scratch(f"edges that are left {i}", 4 * self.m) for i in range(1 if self.in_place else 2)
        ]
        self.live = [live[0], live[-1]]
        self.runs = session.scratch("runs", self.over_edges.global_size[0])
        self._words = 2 * (MOST_ROUNDS + rounds_ahead)
        self.left = session.scratch("how many edges are left", self._words)
        self.init = self.kernel("init", graph.over_vertices, graph.n, self.parent, self.joined_by, self.best)

    def clear(self) -> None:
        self.session.fill(self.left, 0, self._words)

    def of_round(self, round: int) -> tuple[Buffer, Buffer, Buffer, np.uint32, Buffer]:
        """Return the kernel arguments that describe a round.

        They are the edges left in the round, the number of edges that each work-item has left, the number of
        edges left in each round, the number of this round and the lightest edge of each tree.
        """
        return self.live[round % 2], self.runs, self.left, np.uint32(round), self.best

    def take(self, name: str, round: int, *arguments: object) -> Launch:
        """Return a launch of a kernel that reads its edges from the input instead of from an earlier round.

        `arguments` are passed to the kernel after the input edges.
        """
        given = (self.graph.edge_t(self.m), *self._entries.ends, self.weights, *self._shortening)
        return self.kernel(name, self.over_edges, *given, *arguments, *self.of_round(round))

    def rounds(self, first: int) -> int:
        """Run rounds, numbered from `first`, until no edges are left. Return the number of the last round.

        A round joins trees along their lightest edges, and then finds the lightest edges of the new trees.
        """
        graph, round, over = self.graph, first, self.over_edges
        m = graph.edge_t(self.m)
        while True:
            for _ in range(self.ahead):
                of_round = self.of_round(round)
                over_trees = over if self.in_place else graph.over_vertices
                trees = (graph.n, m, *self._entries.ends, self.parent)
                self.kernel("join", over_trees, *trees, *of_round, self.joined_by)()
                round += 1
                self.kernel("find", over, m, self.weights, self.parent, of_round[0], *self.of_round(round))()
            counts = self.session.get(self.left, self.ahead, first=round - self.ahead + 1)
            if not counts[-1]:
                return round - self.ahead + 1 + int(np.argmax(counts == 0))
