"""One run of an algorithm, by the serial reference or on a device.

Every problem goes the same way, which is :func:`solve`: take the input, select, place, plan, run and read. A
problem provides only its :class:`Input`, and the functions that take the input and read the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from platform import python_implementation, python_version
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pointerjump.accel.runtime.sessions import session_for
from pointerjump.registry.algorithm import Problem, format_variant
from pointerjump.registry.facts import Form, InputFacts
from pointerjump.registry.selection import Asked, Choice, ask, select

if TYPE_CHECKING:
    from pointerjump.accel.plan import Plan
    from pointerjump.accel.runtime.devices import Device
    from pointerjump.accel.runtime.session import Session

REFERENCE = "reference"
"""As ``device``, this asks for the serial Python reference."""

Found = TypeVar("Found")
Given = TypeVar("Given", bound="Input")


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

    def placed(self, form: Form, session: Session, seconds: Seconds) -> Any:
        """Return the resident; if there is none yet, put the input on the device in this form."""

    def planned(self, choice: Choice, resident: Any) -> Plan:
        """Return the plan for a choice."""


@dataclass
class Run:
    """What is known about a run when it is over.

    Attributes
    ----------
    choice : Choice
        What ran.
    devices : tuple of Device or str
        Where it ran; ``"reference"`` stands for the serial reference.
    counted : mapping
        What the algorithm counted, such as rounds.
    seconds : Seconds
    """

    choice: Choice
    devices: tuple[Device | str, ...]
    counted: Mapping[str, int] = field(default_factory=dict)
    seconds: Seconds = field(default_factory=Seconds)

    def stats(self) -> dict[str, Any]:
        """Return the facts for users. Asking for this algorithm and variant makes the same run again."""
        choice = self.choice
        names = [_names_of(device) for device in self.devices]
        return {
            "algorithm": choice.algorithm.name,
            "variant": format_variant(choice.variant),
            "form": choice.form,
            "platform": " + ".join(platform for platform, _ in names),
            "device": " + ".join(name for _, name in names),
            **self.counted,
            "seconds": dict(self.seconds),
        }


def is_reference(device: object) -> bool:
    """Return whether a caller asks for the serial reference."""
    return isinstance(device, str) and device == REFERENCE


def _names_of(device: Device | str) -> tuple[str, str]:
    """Return the names of a device's platform and of the device."""
    if isinstance(device, str):
        return device, f"{python_implementation()} {python_version()}"
    return device.platform, device.device


def solve(
    problem: Problem,
    algorithm: str,
    device: Any,
    choices: Mapping[str, object],
    take: Callable[[], Given],
    read: Callable[[Session, Plan, Given], Found],
    of_reference: Callable[[Any], Found] = lambda found: found,
    *,
    flat: Callable[[Session, Given], bool] = lambda session, input: True,
    input_session: Session | None = None,
) -> tuple[Found, Given, Run]:
    """Solve a problem; return the answer, the input, and what is known about the run.

    Parameters
    ----------
    problem, algorithm, device, choices
        What is asked for, as in the public functions. All of it is checked before `take` is called.
    take : callable
        Returns the input, which may take long: a file is read here.
    read : callable
        Copies the answer that a run of the plan left on the device.
    of_reference : callable
        Converts what the reference returns into the same kind of answer.
    flat : callable
        Returns whether `read` needs every vertex's root: otherwise a run may end with trees.
    input_session : Session, optional
        The session of the input, if it is on a device already. Then `device` must be the same device, None or
        ``"reference"``.
    """
    if is_reference(device):
        asked = ask(problem, algorithm, choices, None)
        given = take()
        found, run = _by_reference(asked, given, of_reference)
        return found, given, run
    session = session_for(device, input_session)
    asked = ask(problem, algorithm, choices, session.tuning)
    given = take()
    found, run = _on_device(asked, given, session, read, flat)
    return found, given, run


def _by_reference(asked: Asked, input: Input, of_reference: Callable[[Any], Found]) -> tuple[Found, Run]:
    run = Run(select(asked, input.facts(), None), (REFERENCE,))
    arguments = input.for_reference(run.seconds)
    run.seconds["transfer"] = 0.0
    with run.seconds.timed("compute"):
        found = of_reference(run.choice.algorithm.function()(*arguments, **run.choice.variant))
    return found, run


def _on_device(
    asked: Asked,
    input: Given,
    session: Session,
    read: Callable[[Session, Plan, Given], Found],
    flat: Callable[[Session, Given], bool],
) -> tuple[Found, Run]:
    run = Run(select(asked, input.facts(), session.tuning), (session.device,))
    resident = input.placed(run.choice.form, session, run.seconds)
    with session.running():  # threads may share residents, and therefore plans and their buffers
        with run.seconds.timed("build"):
            plan = input.planned(run.choice, resident)
        with run.seconds.timed("compute"):
            run.counted = plan.run(flat=flat(session, input))
            if not plan.one_launch:
                session.finish()
        with run.seconds.timed("transfer"):
            found = read(session, plan, input)
    if plan.decided:
        run.choice = run.choice.with_decided(plan.decided)
    return found, run
