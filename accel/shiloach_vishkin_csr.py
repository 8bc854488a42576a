"""Shiloach-Vishkin's CSR form on a device: drives ``kernels_cl/shiloach_vishkin_csr.cl``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from pointerjump.accel.residents.rows import DeviceGraph, EdgeInput, Plan
from pointerjump.accel.rounds import Rounds
from pointerjump.accel.runtime.session import Launch

if TYPE_CHECKING:
    import pyopencl as cl


def prepare(graph: DeviceGraph, input: str, hook: str, access: str, reads: str, rounds_ahead: int) -> Plan:
    """Build the kernels and set their arguments for one graph."""
    session, n = graph.session, np.uint32(graph.vertices)
    pi = session.empty(graph.vertices, np.int32, "the parents")
    defines = {**graph.defines(reads, access), f"HOOK_{hook.upper()}": True}
    given = graph.input(input)
    init = session.launch(
        session.program("shiloach_vishkin_csr.cl", **defines, **given.defines),
        "init",
        graph.over_vertices,
        n,
        pi,
    )
    joining = join(graph, given, pi, defines, rounds_ahead)

    def enqueue() -> dict[str, int]:
        init()
        return {"rounds": joining()}

    return Plan(pi, enqueue)


def join(
    graph: DeviceGraph, edges: EdgeInput, pi: cl.Buffer, defines: dict[str, object], rounds_ahead: int
) -> Callable[[], int]:
    """Return a run that joins the trees of `pi`, each of depth one at most, along `edges`."""
    session, n = graph.session, np.uint32(graph.vertices)
    program = session.program("shiloach_vishkin_csr.cl", **defines, **edges.defines)

    def one_round(i: int, again: cl.Buffer, round: np.uint32) -> list[Launch]:
        return [
            session.launch(program, "hook", edges.shape, edges.count, *edges.ends, pi, again, round),
            session.launch(program, "shortcut_all", graph.over_vertices, n, pi),
        ]

    return Rounds(session, rounds_ahead, one_round)
