"""Device implementation of Boruvka's algorithm."""

from __future__ import annotations

import secrets

import numpy as np

from pointerjump.accel.plan import Counts, Plan, PlanStep
from pointerjump.accel.residents.weighted import ResidentWeighted
from pointerjump.accel.runtime.session import Launch
from pointerjump.base.limits import require_32_bit_edges
from pointerjump.errors import DeviceError

MOST_ROUNDS = 33
"""The maximum number of rounds. Each round at least halves the number of trees, and the last one finds no
edges."""

VERTICES_PER_EDGE = 8  # with striding: if there are this many for each edge left, joining goes over edges

ONE_GROUP_EDGES = 1 << 13  # with striding: if at most this many are left, one group does all later rounds

FEWEST_EACH = 1 << 12  # with partitioning, the fewest edges for a work-item: waking a core takes time

EACH = 3  # with striding, how many edges a work-item examines before its group stores those that remain

ALL, RISING, FALLING = np.arange(3, dtype=np.uint32)  # which entries a launch takes (see boruvka.cl)

NO_LIMIT = np.uint64(2**64 - 1), np.int32(2**31 - 1)  # a threshold that no edge exceeds: a key and a place


def prepare(edges: ResidentWeighted, atomics: str | None = None, *, access: str, rounds_ahead: int) -> Plan:
    growing = TreesOnDevice("boruvka.cl", edges, atomics, access, rounds_ahead)

    def run() -> Counts:
        growing.take_light(*NO_LIMIT)
        return {"rounds": growing.rounds(0)}

    return Plan(growing.joined_by, growing.begin(), run if growing.m else None, decided=growing.decided)


class TreesOnDevice:
    """The kernels, buffers and rounds that grow a spanning forest.

    For each vertex v, `joined_by` holds the position of the edge that joined the tree with root v to another
    tree, or -1 if v is still a root. `decided` records which kind of atomics was chosen.
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
        packed, in_place = packs and atomics != "32-bit", access == "partitioning"
        self.decided = {"atomics": "64-bit" if packed else "32-bit"}
        self.session, self.ahead, self.m = session, rounds_ahead, graph.stored
        # In a list of edges, an entry (u, v) with u > v may come before its other direction.
        rows = graph.host.edges_as_read is None
        self._compares = packed and rows and graph.host.seems_symmetric
        macros = {
            "EACH": EACH,
            "VERTICES_PER_EDGE": VERTICES_PER_EDGE,
            "COMPARES": self._compares,
            "PACKED": packed,
        }
        patience = session.tuning.patience
        self.kernel = edges.kernels(file, access, **macros, PATIENCE=patience, SHORTEN_PATHS=True)
        self.joined_by, self.parent = graph.per_vertex("the forest's edges"), graph.per_vertex("the parents")
        best = session.scratch("lightest edges", graph.vertices, np.int64 if packed else np.int32)
        live = [session.scratch(f"edges that are left {i}", 4 * self.m) for i in range(1 if in_place else 2)]
        over = session.shapes.over(self.m, fewest_each=FEWEST_EACH if in_place else 1)
        runs = session.scratch("runs", over.global_size[0])
        self._words = 2 * (MOST_ROUNDS + rounds_ahead)  # Filter-Boruvka runs rounds twice
        self._left = session.scratch("how many edges are left", self._words)
        self._unmatched = session.scratch("sum of fingerprints", 1, np.uint64)

        self._init = self.kernel("init", graph.over_vertices, graph.n, self.parent, self.joined_by, best)
        m, ends = graph.edge_t(self.m), edges.entries.ends
        self._over, self._given = over, (m, *ends, edges.weights, *edges.shortening)
        # Launches have the parity of a round until they are enqueued for that round.
        self._lists = [(kept, runs, self._left, best) for kept in (live[0], live[-1])]
        self._take_light = self.take("take_light", 0, ALL, np.uint64(0))
        over_trees, trees = over if in_place else graph.over_vertices, (graph.n, m, *ends, self.parent)
        self._join = [
            self.kernel("join", over_trees, np.uint32(r), *trees, self.joined_by, *self._lists[r])
            for r in (0, 1)
        ]
        look = m, edges.weights, self.parent
        self._find = [
            self.kernel("find", over, np.uint32(r), *look, self._lists[1 - r][0], *self._lists[r])
            for r in (0, 1)
        ]
        self._few = 0 if in_place else ONE_GROUP_EDGES
        if self._few:
            one_group, lists = session.shapes.one_group(), (edges.weights, live[0], *self._lists[1])
            self._finish = self.kernel("finish", one_group, np.uint32(0), *trees, self.joined_by, *lists)

    def begin(self) -> list[PlanStep]:
        """Return the steps that prepare the buffers for a run."""
        return [self._clear, self._init]

    def _clear(self) -> None:
        self.session.fill(self._left, 0, self._words)
        if self._compares:
            self.session.fill(self._unmatched, 0, 2)

    def take(self, name: str, parity: int, *more: object) -> Launch:
        """Return a launch of a kernel that reads its edges from the input instead of from an earlier round.

        The kernel's first arguments are the round, a threshold and the values in `more`. The caller must set
        the threshold with :meth:`Launch.again`.
        """
        read = (*self._given, self._unmatched, *self._lists[parity])
        return self.kernel(name, self._over, np.uint32(parity), *NO_LIMIT, *more, *read)

    def take_light(self, key: np.uint64, place: np.int32) -> None:
        """Begin round 0 with the input edges that do not exceed the threshold given by `key` and `place`."""
        first = np.uint32(0), key, place
        if self._compares:
            self._take_light.again(*first, RISING, np.uint64(secrets.randbits(64)))
            self._take_light.again(*first, FALLING)
        else:
            self._take_light.again(*first, ALL)

    def rounds(self, first: int) -> int:
        """Run rounds, numbered from `first`, until no edges are left. Return the number of the last round.

        A round joins trees along their lightest edges, and then finds the lightest edges of the new trees.
        """
        round, left = first, self.m
        while left > self._few:
            for _ in range(self.ahead):
                self._join[round % 2].again(np.uint32(round))
                round += 1
                self._find[round % 2].again(np.uint32(round))
            counts = self.session.get(self._left, self.ahead + 1, first=round - self.ahead)
            left = int(counts[-1])
            if left == 0:
                return round - self.ahead + int(np.argmax(counts == 0))
        self._finish.again(np.uint32(round))
        return round + int(np.argmax(self.session.get(self._left, self._words - round, first=round) == 0))
