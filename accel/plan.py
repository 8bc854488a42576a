"""Plans, which are prepared runs of algorithms, and rounds, which repeat until one changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.runtime.session import Buffer, Session

PlanStep = Callable[[], object]  # part of a run: a launch, a copy, a check, and so on

ReadBack = Callable[[], npt.NDArray[np.int32]]  # a way to get an answer to the host

Counts = Mapping[str, int]  # numbers that a run reports, such as its rounds


@dataclass
class Plan:
    """A prepared run: its kernels are built, their arguments set, and its buffers allocated.

    A plan must not be part of a reference cycle: that would keep device memory until the garbage collector
    runs. So its steps hold buffers and the session, but nothing that may hold the plan.

    Attributes
    ----------
    result : Buffer
        The answer of a run. For components, each vertex's representative: the smallest vertex of its
        component. For a spanning forest, the edge by which each vertex's tree was joined to another, or (-1,
        -1). For lists, each element's rank, or its scan.
    begin : sequence of callables
        The first steps.
    rounds : callable, optional
        Runs the steps that depend on what the device finds; returns facts about the run.
    end : sequence of callables
        The last steps.
    flatten : sequence of callables
        The steps after `end`, which point every vertex to its root; a caller that can use trees skips them.
    one_launch : bool
        Whether a run is a single launch; if so, it is faster to read the answer without waiting first.
    read : callable, optional
        Returns the answer on the host, if there is a cheaper way than a copy; or raises an error, if the
        answer says that the run has failed.
    labels : Buffer, optional
        Where a run leaves the components' numbers, if the algorithm also finds them. For a spanning forest,
        each vertex's parent: a smaller vertex of its component, or itself.
    decided : mapping
        The values of axes that depend on the resident.
    wide : bool
        Whether the items of `result` are int64.
    kept : bool
        Whether the plan may be run again; if so, a run checks its input, and gives no buffer away.
    """

    result: Buffer
    begin: Sequence[PlanStep] = ()
    rounds: Callable[[], Counts] | None = None
    end: Sequence[PlanStep] = ()
    flatten: Sequence[PlanStep] = ()
    one_launch: bool = False
    read: ReadBack | None = None
    labels: Buffer | None = None
    decided: dict[str, Any] = field(default_factory=dict)
    wide: bool = False
    kept: bool = False

    def answer(self, session: Session, items: int) -> npt.NDArray[np.int32]:
        """Return the first `items` items of `result` on the host, once the run is done."""
        return self.read() if self.read else session.get(self.result, items)

    def run(self, *, flat: bool = True) -> Counts:
        """Enqueue a run, and wait only where the algorithm must; return its counts.

        If `flat` is false, components may be left as trees, in which parents need not be roots.
        """
        for step in self.begin:
            step()
        facts = self.rounds() if self.rounds else {}
        for step in (*self.end, *(self.flatten if flat else ())):
            step()
        return facts


OneRound = Callable[[int, "Buffer", np.uint32], Sequence[PlanStep]]

ROUND_STEP = 32
"""The distance, in words, between the flags of two rounds; ``common.h`` says why."""


class Rounds:
    """Rounds that are repeated until one changes nothing.

    Each round has a flag that says whether it changed anything. The host enqueues a number of rounds,
    `ahead`, before it reads their flags. A superfluous round changes nothing, and costs less than waiting for
    the device. `one_round` takes the number of a round, counted from 0, the buffer of flags, and the position
    of this round's flag. It returns the round's steps, which set that flag if another round is needed. The
    steps repeat after `period` rounds.
    """

    def __init__(self, session: Session, ahead: int, one_round: OneRound, period: int = 1) -> None:
        self._session = session
        self._ahead = ahead
        self._again = session.empty(ahead * ROUND_STEP, np.int32, "the rounds' flags")
        self._rounds = [
            one_round(i, self._again, np.uint32(i % ahead * ROUND_STEP)) for i in range(lcm(ahead, period))
        ]

    def __call__(self) -> Counts:
        """Run; return the number of rounds, including the last one, which changed nothing."""
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
