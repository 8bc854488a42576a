"""How long each kernel takes, by the device's own clock: profiling events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pointerjump.accel.runtime.icd import opencl
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.shapes import Shape
from pointerjump.bench.timing import Timing


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


def kernel_times(run: Callable[[], object], session: ProfilingSession, runs: int = 1) -> dict[str, Timing]:
    """Return each kernel's time in a run.

    Parameters
    ----------
    run : callable
        Launches kernels in `session`.
    session : ProfilingSession
    runs : int
        How many runs to profile, after one that is not.

    Returns
    -------
    dict of str to Timing
        Seconds by kernel, in the order of their first launches. Where a run launches a kernel several
        times, their times are summed.
    """
    run()
    session.finish()
    samples: dict[str, list[float]] = {}
    for i in range(runs):
        session.events.clear()
        run()
        session.finish()
        for name, event in session.events:
            of_kernel = samples.setdefault(name, [0.0] * runs)
            of_kernel[i] += (event.profile.end - event.profile.start) * 1e-9
    return {name: Timing(tuple(taken)) for name, taken in samples.items()}
