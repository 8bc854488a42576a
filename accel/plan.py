"""Defines plans (prepared runs of algorithms) and rounds (steps that are repeated until nothing changes)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.runtime.session import Buffer, Session

PlanStep = Callable[[], object]  # part of a run: a launch, a copy, a check, and so on

ReadBack = Callable[[], npt.NDArray[np.int32]]  # returns the answer on the host

Counts = Mapping[str, int]  # counts that a run reports, such as the number of rounds


@dataclass
class Plan:
    """A prepared run: its kernels have been built, their arguments set and its buffers allocated.

    A plan must not be part of a reference cycle, which would keep its device memory allocated until the
    garbage collector runs. So its steps may refer to buffers and to the session, but not to anything that may
    refer to the plan.

    Attributes
    ----------
    result : Buffer
        The result of a run. For components, the representative of each vertex, which is the smallest vertex
        in its component. For a spanning forest, item v is the edge that joined the tree with root v to
        another tree, or (-1, -1) if no edge did. For lists, the rank or the scanned value of each element.
    begin : sequence of callables
        The first steps.
    rounds : callable, optional
        Runs the steps that depend on intermediate results. Returns counts such as the number of rounds.
    end : sequence of callables
        The last steps.
    flatten : sequence of callables
        The steps that follow `end` and point every vertex directly to its root. They are skipped if the
        caller can use trees that are not flat.
    one_launch : bool
        Whether a run is a single launch. If so, reading the result immediately is faster than waiting for the
        run first.
    read : callable, optional
        Returns the result on the host, or raises an error if the result shows that the run has failed. Set
        only if such a check is needed, or if the result can be obtained faster than by copying `result`.
    labels : Buffer, optional
        The component numbers, if the algorithm finds them along with `result`. For a spanning forest,
        the parent of each vertex, which is a smaller vertex of its component, or the vertex itself.
    decided : mapping
        The values of the algorithm's options that were chosen for this input and device.
    wide : bool
        Whether the items of `result` are int64.
    kept : bool
        Whether the plan may be run again. If so, a run checks its input, and the plan keeps all of its
        buffers.
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
        """Wait for the run to finish, and return the first `items` items of `result` on the host."""
        return self.read() if self.read else session.get(self.result, items)

    def run(self, *, flat: bool = True) -> Counts:
        """Enqueue a run, waiting only where necessary. Return counts such as the number of rounds.

        If `flat` is false, the run may leave components as trees in which parents need not be roots.
        """
        for step in self.begin:
            step()
        facts = self.rounds() if self.rounds else {}
        for step in (*self.end, *(self.flatten if flat else ())):
            step()
        return facts


OneRound = Callable[[int, "Buffer", np.uint32], Sequence[PlanStep]]

ROUND_STEP = 32
"""The distance in words between the flags of consecutive rounds (``common.h`` explains the spacing)."""


class Rounds:
    """Rounds of steps, which are repeated until a round changes nothing.

    Each round has a flag that says whether it has changed anything. The host enqueues `ahead` rounds before
    it reads their flags. A superfluous round changes nothing, and costs less than waiting for the device.
    `one_round` is called with the number of a round, counted from 0, the buffer of flags and the position of
    the round's flag. It returns the steps of the round, which must set that flag if another round is needed.
    The same steps recur every `period` rounds.
    """

    def __init__(self, session: Session, ahead: int, one_round: OneRound, period: int = 1) -> None:
        self._session = session
        self._ahead = ahead
        self._again = session.empty(ahead * ROUND_STEP, np.int32, "the rounds' flags")
        self._rounds = [
            one_round(i, self._again, np.uint32(i % ahead * ROUND_STEP)) for i in range(lcm(ahead, period))
        ]

    def __call__(self) -> Counts:
        """Run the rounds. Return the number of rounds, including the last one, which changed nothing."""
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
