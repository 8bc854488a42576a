"""How long each kernel of an algorithm takes, by the device's own clock: profiling events."""

from __future__ import annotations

from typing import Any

from pointerjump.accel.plan import Plan
from pointerjump.accel.runtime.icd import opencl
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.shapes import Shape
from pointerjump.bench.timing import Timing
from pointerjump.face.device_graph import DeviceGraph


def kernel_times(
    graph: DeviceGraph, algorithm: str = "auto", runs: int = 1, **variant: object
) -> dict[str, Timing]:
    """Run an algorithm on a graph that is on a device; return each kernel's time in a run.

    Parameters
    ----------
    graph : DeviceGraph
    algorithm, **variant
        As for :func:`pointerjump.components`.
    runs : int
        How many runs to profile, after one that is not.

    Returns
    -------
    dict of str to Timing
        Seconds by kernel, in the order of their first launches. Where a run launches a kernel several
        times, their times are summed.
    """
    session = ProfilingSession(graph.session)
    profiled = DeviceGraph(graph.host, session, rows=graph.resident.rows)
    return times_of(profiled.plan(algorithm, **variant), session, runs)


def times_of(plan: Plan, session: ProfilingSession, runs: int = 1) -> dict[str, Timing]:
    """Return each kernel's time in a run of a plan that was made in this session, as above."""
    plan.run()
    session.finish()
    samples: dict[str, list[float]] = {}
    for run in range(runs):
        session.events.clear()
        plan.run()
        session.finish()
        for name, event in session.events:
            of_kernel = samples.setdefault(name, [0.0] * runs)
            of_kernel[run] += (event.profile.end - event.profile.start) * 1e-9
    return {name: Timing(tuple(taken)) for name, taken in samples.items()}


class ProfilingSession(Session):
    """A session on the same context that remembers the event of every launch, in `events`."""

    def __init__(self, session: Session) -> None:
        cl = opencl()
        properties = cl.command_queue_properties.PROFILING_ENABLE
        super().__init__(session.device, cl.CommandQueue(session.context, properties=properties))
        self.shapes = session.shapes
        self._programs = session._programs  # of the same context, so that none is built twice
        self.events: list[tuple[str, Any]] = []

    def launch(self, program: Any, name: str, shape: Shape, *arguments: Any) -> Any:
        """Return a launch of a kernel that also remembers its event."""
        step = super().launch(program, name, shape, *arguments)

        def launched() -> Any:
            event = step()
            self.events.append((name, event))
            return event

        return launched
