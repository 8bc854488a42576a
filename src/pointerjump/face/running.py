"""One run of an algorithm, by the serial reference or on a device: the way that every problem goes.

select, then place, prepare and run. What a problem brings to it is an :class:`Input`.
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
"""The ``device`` that means: run the serial Python reference."""

Found = TypeVar("Found")


class Seconds(dict[str, float]):
    """How long each phase of a run took."""

    def timed(self, phase: str) -> _Timed:
        """Return a context manager that adds the time of its block to a phase."""
        return _Timed(self, phase)


class _Timed:
    """Times a block. A generator would take as long as some of the phases of a small graph."""

    __slots__ = ("_began", "_phase", "_seconds")

    def __init__(self, seconds: Seconds, phase: str) -> None:
        self._seconds, self._phase = seconds, phase

    def __enter__(self) -> None:
        self._began = perf_counter()

    def __exit__(self, *_: object) -> None:
        spent = perf_counter() - self._began
        self._seconds[self._phase] = self._seconds.get(self._phase, 0.0) + spent


class Input(Protocol):
    """What a problem is solved on."""

    def facts(self) -> InputFacts:
        """Return what the selection may know."""

    def for_reference(self, seconds: Seconds) -> tuple[Any, ...]:
        """Return what the reference takes."""

    def prepared(self, choice: Choice, session: Session, seconds: Seconds) -> Plan:
        """Return a run made ready, with the input on the device."""


class Request(NamedTuple):
    """What to run and where, checked before the input is looked at.

    Attributes
    ----------
    asked : Asked
    session : Session or None
        Of the device to run on. None: the serial reference.
    """

    asked: Asked
    session: Session | None


@dataclass
class Run:
    """What there is to say of a run that is over.

    Attributes
    ----------
    choice : Choice
        What was run.
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
        """Return it as users see it: algorithm and variant, asked for, make the same run."""
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
    """Return what is asked for, checked as far as it can be without an input.

    Parameters
    ----------
    device
        As for :func:`pointerjump.components`.
    session
        Where the input lies already; then `device` must be that or nothing.
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
    """Run what was asked for; return what was found, on the host.

    Parameters
    ----------
    request : Request
    input : Input
    read : callable
        Fetches the answer that a run of a plan left on the device.
    of_reference : callable
        Turns what the reference returns into the same kind of answer.
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
    with session.running():  # threads may share what lies on the device, and so plans and their buffers
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
