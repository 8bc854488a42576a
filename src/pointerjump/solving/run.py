"""Solves every kind of problem in the same steps, from checking the request to reading the result.

First, :func:`order` checks everything in a request that does not depend on the input. Then the caller reads
the input, which may take a long time. Finally, :func:`solve` selects an algorithm, puts the input on the
device, makes a plan, runs it and reads the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from platform import python_implementation, python_version
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from pointerjump.accel.runtime.sessions import session_for
from pointerjump.registry.algorithm import Form, InputFacts, Problem, format_variant
from pointerjump.registry.selection import Asked, Choice, ask, select

if TYPE_CHECKING:
    from pointerjump.accel.plan import Plan
    from pointerjump.accel.runtime.devices import Device
    from pointerjump.accel.runtime.session import Session

REFERENCE = "reference"  # the value of `device` for the serial Python reference


def is_reference(device: object) -> bool:
    return isinstance(device, str) and device == REFERENCE


class Seconds(dict[str, float]):
    """The duration of each phase of a run, in seconds."""

    def timed(self, phase: str) -> _Timed:
        return _Timed(self, phase)


class _Timed:
    """A context manager that adds the duration of its ``with`` block to that of a phase.

    For a small graph, a generator-based context manager would itself take as long as a whole phase.
    """

    __slots__ = ("_began", "_phase", "_seconds")

    def __init__(self, seconds: Seconds, phase: str) -> None:
        self._seconds, self._phase = seconds, phase

    def __enter__(self) -> None:
        self._began = perf_counter()

    def __exit__(self, *_: object) -> None:
        spent = perf_counter() - self._began
        self._seconds[self._phase] = self._seconds.get(self._phase, 0.0) + spent


class Instance:
    """The input of a run: a graph, lists or an image, on the host or on a device."""

    more: tuple[Any, ...] = ()  # arguments for plans, in addition to the input on the device

    def facts(self) -> InputFacts:
        """Return the properties of the input that ``algorithm="auto"`` uses to select an algorithm."""
        raise NotImplementedError

    def for_reference(self, seconds: Seconds) -> tuple[Any, ...]:
        """Return the arguments to pass to the reference implementation."""
        raise NotImplementedError

    def placed(self, form: Form, session: Session, seconds: Seconds) -> Any:
        """Return the input in the given form on the device, placing it there if necessary."""
        raise NotImplementedError

    def planned(self, choice: Choice, resident: Any) -> Plan:
        plan: Plan = choice.algorithm.prepare(resident, *self.more, **choice.variant)
        return plan


@dataclass
class Run:
    """A record of a finished run: what was run, where it was run and how long it took."""

    choice: Choice
    devices: tuple[Device | str, ...]
    counted: Mapping[str, int] = field(default_factory=dict)  # counts, such as the number of rounds
    seconds: Seconds = field(default_factory=Seconds)

    def stats(self) -> dict[str, Any]:
        """Return the run's statistics as a dict, as shown to users."""
        choice = self.choice
        own = f"{python_implementation()} {python_version()}"
        names = [(d, own) if isinstance(d, str) else (d.platform, d.device) for d in self.devices]
        return {
            "algorithm": choice.algorithm.name,
            "variant": format_variant(choice.variant),
            "form": choice.form,
            "platform": " + ".join(platform for platform, _ in names),
            "device": " + ".join(name for _, name in names),
            **self.counted,
            "seconds": dict(self.seconds),
        }


class Order(NamedTuple):
    """A caller's validated request, and the session in which to run it."""

    asked: Asked
    session: Session | None  # None for the serial reference


def order(
    problem: Problem,
    algorithm: str,
    device: Any,
    choices: Mapping[str, object],
    input_session: Session | None = None,
) -> Order:
    """Validate a caller's request, in the form that the public functions accept.

    If the input is already on a device, `input_session` must be the input's session. In that case, `device`
    must be the same device, None or ``"reference"``.
    """
    session = None if is_reference(device) else session_for(device, input_session)
    return Order(ask(problem, algorithm, choices, session.tuning if session else None), session)


def choice_for_blocks(algorithm: str, device: Any, choices: Mapping[str, object]) -> Choice:
    """Return the algorithm and variant for edges in blocks. Errors are those of :func:`components`."""
    return select(order("components", algorithm, device, choices).asked, InputFacts(0, form="blocks"), None)


def solve(
    wanted: Order, input: Instance, read: Callable[[Session, Plan], Any], *, flat: bool = True
) -> tuple[Any, Run]:
    """Solve a problem. Return the result, and a record of the run.

    After a run on a device, `read` is called to read the result from the plan. The result of the serial
    reference is returned unchanged. If `flat` is false, vertices need not point directly to their roots at
    the end, so the run may end earlier.
    """
    session = wanted.session
    if session is None:
        run = Run(select(wanted.asked, input.facts(), None), (REFERENCE,))
        arguments = input.for_reference(run.seconds)
        run.seconds["transfer"] = 0.0
        with run.seconds.timed("compute"):
            return run.choice.algorithm.function()(*arguments, **run.choice.variant), run
    run = Run(select(wanted.asked, input.facts(), session.tuning), (session.device,))
    resident = input.placed(run.choice.form, session, run.seconds)
    with session.running():  # threads may share residents, and therefore plans and their buffers
        began = perf_counter()
        plan = input.planned(run.choice, resident)
        built = perf_counter()
        run.counted = plan.run(flat=flat)
        if not plan.one_launch:
            session.finish()
        computed = perf_counter()
        found = read(session, plan)
    run.seconds["build"], run.seconds["compute"] = built - began, computed - built
    run.seconds["transfer"] = run.seconds.get("transfer", 0.0) + perf_counter() - computed
    if plan.decided:
        run.choice = run.choice.with_decided(plan.decided)
    return found, run
