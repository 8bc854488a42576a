"""Rounds that are repeated until one changes nothing.

A round tells by its own flag whether it changed anything, so several can be enqueued before the host reads
their flags: a round too many does nothing, and costs less than waiting for the device does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import lcm
from typing import TYPE_CHECKING, Any

import numpy as np

from pointerjump.accel.runtime.session import Session

if TYPE_CHECKING:
    import pyopencl as cl

ROUND_STEP = 32  # as in common.h: words between two rounds' flags

OneRound = Callable[[int, "cl.Buffer", np.uint32], Sequence[Callable[[], Any]]]


class Rounds:
    """The steps of all rounds, made ready.

    Parameters
    ----------
    session : Session
    ahead : int
        How many rounds are enqueued before the host looks.
    one_round : callable
        Given the round's number, counted from 0, the buffer of flags and the round's place in it, returns its
        steps. They set that flag if there is to be another round.
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

    def __call__(self) -> int:
        """Run; return how many rounds it took, with the last one, which changed nothing."""
        done = 0
        while True:
            self._session.fill(self._again, 0, self._ahead * ROUND_STEP)
            for i in range(done, done + self._ahead):
                for step in self._rounds[i % len(self._rounds)]:
                    step()
            flags = self._session.get(self._again, self._ahead * ROUND_STEP)[::ROUND_STEP]
            quiet = np.flatnonzero(flags == 0)
            if len(quiet):
                return done + int(quiet[0]) + 1
            done += self._ahead
