"""Device implementations of CC and CC-updt, which can sort edges with pyopencl's radix sort."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pointerjump.accel.plan import Counts, Plan, PlanStep, Rounds
from pointerjump.accel.residents.graphs import EdgeCount, Entries, ResidentGraph
from pointerjump.accel.runtime.session import Buffer, Kernels, Launch, Session
from pointerjump.base.limits import W, require_32_bit_edges

if TYPE_CHECKING:
    import pyopencl.array as cl_array

FILE = "graft_shortcut.cl"


def prepare(
    graph: ResidentGraph,
    update: bool,
    graft: str,
    input: str,
    hook: str,
    access: str,
    reads: str,
    rounds_ahead: int,
) -> Plan:
    entries = graph.entries(input)
    D = graph.per_vertex("the components D")
    kernel = graph.kernels(FILE, access, reads, hook=hook, entries=entries, W=W)
    init = kernel("init", graph.over_vertices, graph.n, D)
    return Plan(D, [init], join(graph, entries, D, update, graft, hook, access, reads, rounds_ahead))


def join(
    graph: ResidentGraph,
    edges: Entries,
    D: Buffer,
    update: bool,
    graft: str,
    hook: str,
    access: str,
    reads: str,
    rounds_ahead: int,
) -> Callable[[], Counts]:
    """Return a function that joins the trees in `D`, each of depth at most one, along `edges`."""
    session, n, m = graph.session, graph.n, edges.edges
    kernel = graph.kernels(FILE, access, reads, hook=hook, entries=edges, W=W)
    over_edges = session.shapes.over(int(m))
    D_u = session.empty(int(m), np.int32, "the components of first ends")
    D_v = session.empty(int(m), np.int32, "the components of second ends")
    shortcut_all = kernel("shortcut_all", graph.over_vertices, n, D)

    def look_up(u: Buffer, v: Buffer, again: Buffer | None, round: np.uint32) -> Launch:
        # In round 0, `again` is not read and may be None.
        return kernel("look_up", edges.shape, edges.items, *edges.ends, D, u, v, again, round)

    begin: list[Launch] = [look_up(D_u, D_v, None, np.uint32(0))] if update else []
    look_up_sorted = None
    if graft == "sorted" and m:
        require_32_bit_edges("graft=sorted", int(m))
        u, v = D_u, D_v
        if not update:  # D is the identity when a run begins, so this looks up the ends themselves
            u, v = (session.empty(int(m), np.int32, f"the {which} ends") for which in ("first", "second"))
            begin = [look_up(u, v, None, np.uint32(0))]
        look_up_sorted = BlockSort(session, kernel, graph.vertices, m).look_up(((u, D_u), (v, D_v)), D)

    def one_round(i: int, again: Buffer, round: np.uint32) -> list[PlanStep]:
        grafting = kernel("graft", over_edges, m, D_u, D_v, D, again, round)
        if update:
            updating = kernel("update", over_edges, m, D, D_u, D_v, again, round)
            return [grafting, shortcut_all, look_up_sorted or updating]
        return [look_up_sorted or look_up(D_u, D_v, again, round), grafting, shortcut_all]

    rounds = Rounds(session, rounds_ahead, one_round)

    def run() -> Counts:
        for step in begin:
            step()
        return rounds()

    return run


class BlockSort:
    """Sorts edges by one of their ends: by the block of memory that stores the end's component.

    The components can then be looked up one block at a time.
    """

    def __init__(self, session: Session, kernel: Kernels, vertices: int, m: EdgeCount) -> None:
        self._session, self._kernel, self._m = session, kernel, m
        self._over_edges = session.shapes.over(int(m))
        self._block, self._edge = (
            session.array(session.empty(int(m), np.int32, what), int(m))
            for what in ("the blocks", "the edges in order of blocks")
        )
        self._key_bits = max(1, (vertices // W).bit_length())
        self._sort = session.shared(_sorter)

    def look_up(self, ends: Sequence[tuple[Buffer, Buffer]], D: Buffer) -> Callable[[], None]:
        """Return a step that looks up components.

        For each pair of buffers, it writes the components of the vertices in the first one to the second one.
        """
        kernel, m, over_edges = self._kernel, self._m, self._over_edges

        def step() -> None:
            for end, component in ends:
                kernel("blocks", over_edges, m, end, self._block.data, self._edge.data)()
                edge = self._edges_by_block()
                kernel("look_up_sorted", over_edges, m, edge.data, end, D, component)()

        return step

    def _edges_by_block(self) -> cl_array.Array:
        given = (self._block, self._edge)
        how = {"key_bits": self._key_bits, "queue": self._session.queue}
        (_, edge), _ = self._session.by_pyopencl("sorting", self._sort, *given, **how)
        return edge


def _sorter(session: Session) -> Any:
    from pyopencl.algorithm import RadixSort

    return RadixSort(
        session.context,
        "__global int *block, __global int *edge",
        key_expr="block[i]",
        sort_arg_names=["block", "edge"],
    )
