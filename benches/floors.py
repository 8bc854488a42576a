"""How close are we to lower bounds? Compares times with the bytes that must move, divided by the bandwidth.

    python benches/floors.py [--device gpu] [--scale 22] [--json FILE]

The bandwidth is that of copying 512 MiB on the device, counting both directions. For the components of a
graph on the device, these bytes must move: the offsets, one cache line of neighbors per vertex (or all
neighbors, if that is less), and the labels once. For edge arrays on a device that shares the host's memory:
the arrays and the labels. For the ranks of a list in random order, the lower bound is the time of one
random gather and one random scatter of the same array, in the same run; for a list on the host, that of
copying the array there and back.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from pyopencl.elementwise import ElementwiseKernel
from rich.console import Console
from rich.table import Table

import pointerjump as pj
from pointerjump.accel.runtime.programs import quiet_compiler
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.bench.timing import interleaved
from pointerjump.solving.lists import DeviceList

COPIED = 512 << 20
CACHE_LINE = {"cpu": 64, "gpu": 32}  # bytes; on GPUs, of a sector
GRAPHS = {
    "urand": "urand:scale={scale},degree=16,seed=1",
    "kron": "kron:scale={scale},degree=16,seed=1",
    "road": "grid2d:rows={side},columns={side},keep=0.62,seed=1",
}


def milliseconds(session: Session, run: Callable[[], object]) -> float:
    """Return the median time of one run in ms, until the device is done."""

    def finished() -> None:
        run()
        session.finish()

    return 1e3 * interleaved({"run": finished}, rounds=11, warm_up=2)["run"].median


def bandwidth(session: Session) -> float:
    """Return how many bytes per ms a copy on the device moves."""
    source, target = (session.empty(COPIED, np.int8, "a buffer to copy") for _ in range(2))
    copy = lambda: cl.enqueue_copy(session.queue, target, source, byte_count=COPIED)  # noqa: E731
    return 2 * COPIED / milliseconds(session, copy)


def graph_rows(session: Session, scale: int, per_ms: float) -> list[tuple[str, float, float]]:
    """Return name, lower bound and time, in ms, for graphs on the device and as edge arrays."""
    rows = []
    line = CACHE_LINE["cpu" if session.device.type == "cpu" else "gpu"]
    for name, pattern in GRAPHS.items():
        graph = pj.generate(pattern.format(scale=scale, side=2 ** (scale // 2))).symmetrized()
        n, m = graph.vertices, graph.directed_edges
        d = pj.to_device(graph, session)
        plan = d.plan()
        plan.run()
        pj.verify(graph, session.get(plan.result, n))
        moved = graph.offsets.nbytes + min(4 * m, line * n) + 4 * n
        rows.append((f"{name}{scale}, on the device", moved / per_ms, milliseconds(session, plan.run)))
        if session.device.host_memory:
            sources = np.repeat(np.arange(n), np.diff(graph.offsets))
            once = sources < graph.neighbors
            order = np.random.default_rng(1).permutation(np.count_nonzero(once))
            ends = (sources[once][order], graph.neighbors[once][order].astype(np.int64))
            whole = lambda ends=ends, n=n: pj.components(ends, device=session, vertices=n)  # noqa: E731
            moved = 16 * len(order) + 4 * n
            rows.append((f"{name}{scale}, edge arrays", moved / per_ms, milliseconds(session, whole)))
    return rows


def list_rows(session: Session, scale: int) -> list[tuple[str, float, float]]:
    """Return name, lower bound and time, in ms, for ranking a random list on the device, and on the host."""
    given = pj.generate(f"list:length={1 << scale},seed=1")
    host = np.empty_like(given)
    successors = cl_array.to_device(session.queue, given)
    values, out = (cl_array.empty_like(successors) for _ in range(2))
    gather = ElementwiseKernel(session.context, "int *s, int *x, int *y", "y[i] = x[s[i]]", "gather")
    scatter = ElementwiseKernel(session.context, "int *s, int *x, int *y", "y[s[i]] = x[i]", "scatter")
    lists = DeviceList(given, session)
    pj.verify_ranks(given, lists.rank(out=out).get())
    with quiet_compiler():
        floor = sum(
            milliseconds(session, lambda kernel=kernel: kernel(successors, values, out, queue=session.queue))
            for kernel in (gather, scatter)
        )
    rows = [(f"list of 2^{scale}, on the device", floor, milliseconds(session, lambda: lists.rank(out=out)))]
    there_and_back = milliseconds(session, lambda: (values.set(given), values.get(ary=host)))
    ranking = milliseconds(session, lambda: pj.list_rank(given, device=session))
    return [*rows, (f"list of 2^{scale}, from NumPy to NumPy", there_and_back, ranking)]


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device")
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--list-scales", default="24")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    session = session_for(arguments.device)
    per_ms = bandwidth(session)
    rows = graph_rows(session, arguments.scale, per_ms)
    for scale in arguments.list_scales.split(","):
        rows += list_rows(session, int(scale))
    table = Table(
        "", "floor, ms", "time, ms", "time / floor", title=f"{session.device}, {per_ms / 1e6:.1f} GB/s"
    )
    for name, floor, time in rows:
        table.add_row(name, f"{floor:.3f}", f"{time:.3f}", f"{time / floor:.2f}")
    Console().print(table)
    if arguments.json:
        arguments.json.write_text(
            json.dumps({"device": session.device.as_dict(), "bytes_per_ms": per_ms, "rows": rows}, indent=1)
        )


if __name__ == "__main__":
    main()
