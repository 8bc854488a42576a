"""Plans: runs of an algorithm made ready, and rounds that are repeated until one changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import lcm
from typing import TYPE_CHECKING, Any

import numpy as np

from pointerjump.accel.runtime.session import Session

if TYPE_CHECKING:
    import pyopencl as cl

Step = Callable[[], object]
"""Part of a run: a launch, or something else that is enqueued or looked at on the way."""

Facts = Mapping[str, int]
"""What a run counted, such as its rounds."""


@dataclass
class Plan:
    """A run made ready: kernels built, arguments set, buffers there.

    A plan holds buffers and the session, never what lies on the device: that may hold the plan, and of a
    circle of the two neither would go before the garbage collector runs.

    Attributes
    ----------
    result : Buffer
        Where a run leaves its answer. Components: each vertex's representative, its component's smallest
        vertex. Spanning forest: for each vertex the edge that joined its tree to another, or (-1, -1).
        Lists: each element's rank, or its value of the scan.
    begin : sequence of callables
        The first steps.
    rounds : callable, optional
        What comes next, where that depends on what the device has found; it returns facts about the run.
    end : sequence of callables
        The last steps.
    one_launch : bool
        Whether a run is a single launch. To wait for it before its answer is read would take longer.
    labels : Buffer, optional
        Where a run leaves the components' numbers, if it numbers them anyway.
    decided : mapping
        Choices that were left open, because they depend on what lies on the device.
    """

    result: cl.Buffer
    begin: Sequence[Step] = ()
    rounds: Callable[[], Facts] | None = None
    end: Sequence[Step] = ()
    one_launch: bool = False
    labels: cl.Buffer | None = None
    decided: Mapping[str, Any] = field(default_factory=dict)

    def run(self) -> Facts:
        """Enqueue a run, waiting only where the algorithm itself must; return what it counted."""
        for step in self.begin:
            step()
        facts = self.rounds() if self.rounds else {}
        for step in self.end:
            step()
        return facts


OneRound = Callable[[int, "cl.Buffer", np.uint32], Sequence[Step]]

ROUND_STEP = 32
"""How many words lie between the flags of two rounds; ``common.h`` says why."""


class Rounds:
    """Rounds that are repeated until one changes nothing.

    Each round tells by a flag of its own whether it changed anything. So several can be enqueued before the
    host reads their flags. A round too many does nothing, and costs less than waiting for the device.

    Parameters
    ----------
    session : Session
    ahead : int
        How many rounds are enqueued before the host looks.
    one_round : callable
        Given the number of a round, counted from 0, the buffer of flags and the place of its own flag, it
        returns the round's steps. They set that flag if another round is needed.
    period : int
        After so many rounds the steps are the same again.
    """

    def __init__(self, session: Session, ahead: int, one_round: OneRound, period: int = 1) -> None:
        self._session = session
        self._ahead = ahead
        self._again = session.empty(ahead * ROUND_STEP, np.int32, "the rounds' flags")
        self._rounds = [
            one_round(i, self._again, np.uint32(i % ahead * ROUND_STEP)) for i in range(lcm(ahead, period))
        ]

    def __call__(self) -> Facts:
        """Run; return how many rounds it took. The last one, which changed nothing, counts."""
        done = 0
        while True:
            self._session.fill(self._again, 0, self._ahead * ROUND_STEP)
            for i in range(done, done + self._ahead):
                for step in self._rounds[i % len(self._rounds)]:
                    step()
            flags = self._session.get(self._again, self._ahead * ROUND_STEP)[::ROUND_STEP]
            quiet = np.flatnonzero(flags == 0)
            if len(quiet):
                return {"rounds": done + int(quiet[0]) + 1}
            done += self._ahead
