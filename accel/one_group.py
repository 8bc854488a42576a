"""Union-find in one launch of one work-group, on a device.

A launch takes microseconds before it does anything. Of a graph of some thousand edges one work-group has
found the components by then; on CPUs one work-item has, serially.
"""

from __future__ import annotations

from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.graphs import ResidentGraph
from pointerjump.errors import DeviceError


def prepare(graph: ResidentGraph, find: str, input: str, work_items: int, reads: str) -> Plan:
    """Make a run on one graph ready; it leaves parents and labels."""
    session, entries = graph.session, graph.entries(input)
    if work_items > session.device.work_group:
        raise DeviceError(
            f"work_items={work_items}: a work-group of {session.device.device} has at most "
            f"{session.device.work_group}; leave it out"
        )
    kernel = graph.kernels(  # the kernel numbers vertices run by run, on GPUs too
        "one_group.cl", "partitioning", reads, entries=entries, GROUP=work_items, FIND=f"find_{find}"
    )
    # Pages of new memory take longer than a small graph. A large one has its own, which nobody keeps.
    room = session.tuning.small
    if graph.vertices <= room:
        parent, label = (session.scratch.buffer(session, name, room) for name in ("parent", "label"))
    else:
        parent, label = graph.per_vertex("the parents"), graph.per_vertex("the labels")
    group = session.shapes.one_group(work_items)
    run = kernel(f"of_{input}", group, graph.n, entries.edges, *entries.ends, parent, label)
    return Plan(parent, [run], one_launch=True, labels=label)
