"""Compares run times fairly, even on busy machines, and times kernels by OpenCL events."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from pointerjump.accel.runtime.icd import opencl
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.shapes import Shape


@dataclass(frozen=True)
class Timing:
    """The times of one contestant in seconds, in order of measurement."""

    samples: tuple[float, ...]

    @property
    def median(self) -> float:
        return self._quantile(0.5)

    @property
    def low(self) -> float:
        """The first quartile of the samples."""
        return self._quantile(0.25)

    @property
    def high(self) -> float:
        """The third quartile of the samples."""
        return self._quantile(0.75)

    def _quantile(self, share: float) -> float:
        return float(np.quantile(self.samples, share))


MOST_ROUNDS = 50  # the most samples per contestant, no matter how short its runs are; see Effort


@dataclass(frozen=True)
class Effort:
    """How many samples to take, and how long to measure."""

    rounds: int  # the fewest samples of each contestant
    seconds: float  # sampling continues for this long, because other processes disturb short runs more
    patience: float  # contestants that take longer than this to prepare and run once are left out


def timed(
    contestants: Mapping[str, Callable[[], object]], effort: Effort, lead_in: int = 0
) -> dict[str, Timing]:
    """Time contestants side by side. A first round warms up and determines the number of rounds."""
    began = perf_counter()
    for run in contestants.values():
        run()
    affordable = int(effort.seconds / (perf_counter() - began))
    gc.freeze()  # so that garbage collection skips the many objects in other libraries' graphs
    try:
        rounds = max(effort.rounds, min(affordable, MOST_ROUNDS))
        return interleaved(contestants, rounds, warm_up=0, lead_in=lead_in)
    finally:
        gc.unfreeze()


def interleaved(
    contestants: Mapping[str, Callable[[], object]], rounds: int = 9, warm_up: int = 1, lead_in: int = 0
) -> dict[str, Timing]:
    """Time several contestants side by side: each round runs every contestant once, in turn.

    Contestants take turns because other programs, clock rates and heat make a machine's speed drift, often by
    more than the differences to be measured. Noise is one-sided and sometimes huge, so medians and quartiles
    are reported. Minima would be misleading, because they fall as samples are added.

    Garbage is collected before each round, not during it. A contestant that starts work on a device must wait
    until that work is finished. The times of the first `warm_up` rounds are discarded. Each timed run is
    preceded by `lead_in` runs that are not timed, because a GPU needs some time to switch contexts.
    """
    samples: dict[str, list[float]] = {name: [] for name in contestants}
    was_on = gc.isenabled()
    gc.disable()
    try:
        for _ in range(warm_up + rounds):
            gc.collect()
            for name, contestant in contestants.items():
                for _ in range(lead_in):
                    contestant()
                began = perf_counter()
                answer = contestant()
                samples[name].append(perf_counter() - began)
                del answer
    finally:
        if was_on:
            gc.enable()
    return {name: Timing(tuple(taken[warm_up:])) for name, taken in samples.items()}


class ProfilingSession(Session):
    """A session that shares another session's context.

    It adds each launch's kernel name and event to `events`.
    """

    def __init__(self, session: Session) -> None:
        cl = opencl()
        properties = cl.command_queue_properties.PROFILING_ENABLE
        super().__init__(session.device, cl.CommandQueue(session.context, properties=properties))
        self.shapes = session.shapes
        self._programs = session._programs  # the context is the same, so programs need not be built again
        self.events: list[tuple[str, Any]] = []

    def launch(self, program: Any, name: str, shape: Shape, *arguments: Any) -> Any:
        step = super().launch(program, name, shape, *arguments)

        def launched() -> Any:
            event = step()
            self.events.append((name, event))
            return event

        return launched


def kernel_times(run: Callable[[], object], session: ProfilingSession, runs: int = 1) -> dict[str, Timing]:
    """Return the seconds that each kernel takes per run, with kernels in order of first launch.

    `run` is called once to warm up, and then `runs` times. The times of a kernel's launches are added up.
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
