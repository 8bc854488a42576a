"""CC and CC-updt on a device: drives ``kernels_cl/graft_shortcut.cl``; sorting is pyopencl's radix sort."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pointerjump.accel.residents.rows import DeviceGraph, EdgeInput, Plan
from pointerjump.accel.rounds import Rounds
from pointerjump.accel.runtime.session import Launch, Session
from pointerjump.limits import require_32_bit_edges

if TYPE_CHECKING:
    import pyopencl as cl
    import pyopencl.array as cl_array

W = 32  # as in the kernel


def prepare(
    graph: DeviceGraph,
    update: bool,
    graft: str,
    input: str,
    hook: str,
    access: str,
    reads: str,
    rounds_ahead: int,
) -> Plan:
    """Build the kernels and set their arguments for one graph."""
    session, n = graph.session, np.uint32(graph.vertices)
    defines = {**graph.defines(reads, access), f"HOOK_{hook.upper()}": True}
    given = graph.input(input)
    D = session.empty(graph.vertices, np.int32, "the components D")
    init = session.launch(
        session.program("graft_shortcut.cl", **defines, **given.defines), "init", graph.over_vertices, n, D
    )
    joining = join(graph, given, D, update, graft, defines, rounds_ahead)

    def enqueue() -> dict[str, int]:
        init()
        return {"rounds": joining()}

    return Plan(D, enqueue)


def join(
    graph: DeviceGraph,
    edges: EdgeInput,
    D: cl.Buffer,
    update: bool,
    graft: str,
    defines: dict[str, object],
    rounds_ahead: int,
) -> Callable[[], int]:
    """Return a run that joins the trees of `D`, each of depth one at most, along `edges`."""
    session, n = graph.session, np.uint32(graph.vertices)
    program = session.program("graft_shortcut.cl", **defines, **edges.defines)
    m, over_edges = edges.entries, session.launcher.over(int(edges.entries))
    D_u = session.empty(int(m), np.int32, "the components of first ends")
    D_v = session.empty(int(m), np.int32, "the components of second ends")
    shortcut_all = session.launch(program, "shortcut_all", graph.over_vertices, n, D)

    def look_up(u: cl.Buffer, v: cl.Buffer, again: cl.Buffer | None, round: np.uint32) -> Launch:
        """Look up the ends of all edges; in round 0 there is no round before that might have been still."""
        looked_up = (D, u, v, again, round)
        return session.launch(program, "look_up", edges.shape, edges.count, *edges.ends, *looked_up)

    begin: list[Launch] = [look_up(D_u, D_v, None, np.uint32(0))] if update else []
    look_up_sorted = None
    if graft == "sorted" and m:
        require_32_bit_edges("graft=sorted", int(m))
        u, v = D_u, D_v
        if not update:  # D is the identity when a run begins: so these get the ends themselves
            u, v = (session.empty(int(m), np.int32, f"the {which} ends") for which in ("first", "second"))
            begin = [look_up(u, v, None, np.uint32(0))]
        look_up_sorted = BlockSort(session, program, graph.vertices, m).look_up(((u, D_u), (v, D_v)), D)

    def one_round(i: int, again: cl.Buffer, round: np.uint32) -> list[Callable[[], Any]]:
        grafting = session.launch(program, "graft", over_edges, m, D_u, D_v, D, again, round)
        if update:
            updating = session.launch(program, "update", over_edges, m, D, D_u, D_v, again, round)
            return [grafting, shortcut_all, look_up_sorted or updating]
        return [look_up_sorted or look_up(D_u, D_v, again, round), grafting, shortcut_all]

    rounds = Rounds(session, rounds_ahead, one_round)

    def run() -> int:
        for step in begin:
            step()
        return rounds()

    return run


class BlockSort:
    """Looks up ends of edges in the order of the blocks of memory where their components are."""

    def __init__(self, session: Session, program: Any, vertices: int, m: np.uint32 | np.uint64) -> None:
        self._session, self._program, self._m = session, program, m
        self._over_edges = session.launcher.over(int(m))
        self._block, self._edge = (
            session.array(session.empty(int(m), np.int32, what), int(m))
            for what in ("the blocks", "the edges in order of blocks")
        )
        self._key_bits = max(1, (vertices // W).bit_length())
        self._sort = session.kept(_sorter)

    def look_up(self, ends: Sequence[tuple[cl.Buffer, cl.Buffer]], D: cl.Buffer) -> Callable[[], None]:
        """Return a step that, for each (end, component), looks up the components of all edges' ends."""
        launch, program, m, over_edges = self._session.launch, self._program, self._m, self._over_edges

        def step() -> None:
            for end, component in ends:
                launch(program, "blocks", over_edges, m, end, self._block.data, self._edge.data)()
                edge = self._edges_by_block()
                launch(program, "look_up_sorted", over_edges, m, edge.data, end, D, component)()

        return step

    def _edges_by_block(self) -> cl_array.Array:
        """Return the edges in order of the blocks that their ends' components are in."""
        given = (self._block, self._edge)
        how = {"key_bits": self._key_bits, "queue": self._session.queue}
        (_, edge), _ = self._session.by_pyopencl("sorting", self._sort, *given, **how)
        return edge


def _sorter(session: Session) -> Any:
    """Return pyopencl's radix sort of (block, edge) by block."""
    from pyopencl.algorithm import RadixSort

    return RadixSort(
        session.context,
        "__global int *block, __global int *edge",
        key_expr="block[i]",
        sort_arg_names=["block", "edge"],
    )
