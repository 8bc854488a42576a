"""One run of an algorithm, by the serial reference or on a device.

Every problem goes the same way: select, place, prepare, run. A problem only provides its :class:`Input`.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from pointerjump.registry.algorithm import Problem
from pointerjump.registry.axes import format_variant
from pointerjump.registry.facts import InputFacts
from pointerjump.registry.selection import Asked, Choice, ask, select

if TYPE_CHECKING:
    from pointerjump.accel.plan import Plan
    from pointerjump.accel.runtime.session import Session

REFERENCE = "reference"
"""As ``device``, this asks for the serial Python reference."""

Found = TypeVar("Found")


class Seconds(dict[str, float]):
    """The duration of each phase of a run, in seconds."""

    def timed(self, phase: str) -> _Timed:
        """Return a context manager that adds the duration of its block to a phase."""
        return _Timed(self, phase)


class _Timed:
    """Times a block. A generator-based context manager would take as long as a small graph's phases."""

    __slots__ = ("_began", "_phase", "_seconds")

    def __init__(self, seconds: Seconds, phase: str) -> None:
        self._seconds, self._phase = seconds, phase

    def __enter__(self) -> None:
        self._began = perf_counter()

    def __exit__(self, *_: object) -> None:
        spent = perf_counter() - self._began
        self._seconds[self._phase] = self._seconds.get(self._phase, 0.0) + spent


class Input(Protocol):
    """What a problem is solved on: a graph or lists, on the host or on a device."""

    def facts(self) -> InputFacts:
        """Return the facts that selection uses."""

    def for_reference(self, seconds: Seconds) -> tuple[Any, ...]:
        """Return the arguments for the reference."""

    def prepared(self, choice: Choice, session: Session, seconds: Seconds) -> Plan:
        """Put the input on the device, if it is not there yet; return the plan of a run."""


class Request(NamedTuple):
    """What to run, and where; both are checked before the input is read.

    Attributes
    ----------
    asked : Asked
    session : Session or None
        The session of the device to run on, or None for the serial reference.
    """

    asked: Asked
    session: Session | None


@dataclass
class Run:
    """What is known about a run when it is over.

    Attributes
    ----------
    choice : Choice
        What ran.
    where : dict
        The platform and the device.
    counted : mapping
        What the algorithm counted, such as rounds.
    seconds : Seconds
    """

    choice: Choice
    where: dict[str, str]
    counted: Mapping[str, int] = field(default_factory=dict)
    seconds: Seconds = field(default_factory=Seconds)

    def stats(self) -> dict[str, Any]:
        """Return the facts for users. Asking for this algorithm and variant makes the same run again."""
        what = {
            "algorithm": self.choice.algorithm.name,
            "variant": format_variant(self.choice.variant),
            "form": self.choice.form,
        }
        return {**what, **self.where, **self.counted, "seconds": dict(self.seconds)}


def request(
    problem: Problem,
    algorithm: str,
    device: Any,
    choices: Mapping[str, object],
    session: Session | None = None,
) -> Request:
    """Make a request, checking all that can be checked without the input.

    Parameters
    ----------
    device
        As for :func:`pointerjump.components`.
    session
        If the input is on a device already, the session of that device. The caller has checked that `device`
        asks for no other.
    """
    if isinstance(device, str) and device == REFERENCE:
        return Request(ask(problem, algorithm, choices, on_device=False), None)
    asked = ask(problem, algorithm, choices, on_device=True)
    if session is None:
        from pointerjump.accel.runtime.sessions import session_for

        session = session_for(device)
    return Request(asked, session)


def solve(
    request: Request, input: Input, read: Callable[[Plan], Found], of_reference: Callable[[Any], Found]
) -> tuple[Found, Run]:
    """Run what was requested; return the answer, on the host, and what is known about the run.

    Parameters
    ----------
    request : Request
    input : Input
    read : callable
        Copies the answer that a run of the plan left on the device.
    of_reference : callable
        Converts what the reference returns into the same kind of answer.
    """
    if request.session is None:
        return _by_reference(request.asked, input, of_reference)
    return _on_device(request.asked, input, request.session, read)


def _by_reference(asked: Asked, input: Input, of_reference: Callable[[Any], Found]) -> tuple[Found, Run]:
    choice = select(asked, input.facts(), None)
    python = f"{platform.python_implementation()} {platform.python_version()}"
    run = Run(choice, {"platform": REFERENCE, "device": python})
    arguments = input.for_reference(run.seconds)
    run.seconds["transfer"] = 0.0
    with run.seconds.timed("compute"):
        found = choice.algorithm.function()(*arguments, **choice.variant)
    return of_reference(found), run


def _on_device(
    asked: Asked, input: Input, session: Session, read: Callable[[Plan], Found]
) -> tuple[Found, Run]:
    facts = input.facts()
    choice = select(asked, facts, session.tuning)
    run = Run(choice, {"platform": session.device.platform, "device": session.device.device})
    with session.running():  # threads may share residents, and therefore plans and their buffers
        plan = input.prepared(choice, session, run.seconds)
        with run.seconds.timed("compute"):
            run.counted = plan.run()
            if not plan.one_launch:
                session.finish()
        with run.seconds.timed("transfer"):
            found = read(plan)
    if plan.decided:
        told = {**choice.variant, **plan.decided}
        variant = choice.algorithm.variant("kernels", told, session.tuning, facts)
        run.choice = choice._replace(variant=variant)
    return found, run
