"""Solves every problem in the same way: check the request, then select, place, plan, run and read.

First, :func:`order` checks everything that does not depend on the input. Then the caller reads the input,
which may take long, and :func:`solve` solves the problem.
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
        """Return a context manager that adds the duration of its block to a phase."""
        return _Timed(self, phase)


class _Timed:
    """Adds a block's duration to a phase. A generator would take as long as a small graph's phases."""

    __slots__ = ("_began", "_phase", "_seconds")

    def __init__(self, seconds: Seconds, phase: str) -> None:
        self._seconds, self._phase = seconds, phase

    def __enter__(self) -> None:
        self._began = perf_counter()

    def __exit__(self, *_: object) -> None:
        spent = perf_counter() - self._began
        self._seconds[self._phase] = self._seconds.get(self._phase, 0.0) + spent


class Instance:
    """The input of a problem: a graph, lists or an image, on the host or on a device."""

    more: tuple[Any, ...] = ()  # arguments of plans, besides the input on the device

    def facts(self) -> InputFacts:
        """Return the facts from which `auto` selects an algorithm."""
        raise NotImplementedError

    def for_reference(self, seconds: Seconds) -> tuple[Any, ...]:
        """Return the arguments of the reference's function."""
        raise NotImplementedError

    def placed(self, form: Form, session: Session, seconds: Seconds) -> Any:
        """Return the input in this form on the device, after putting it there if necessary."""
        raise NotImplementedError

    def planned(self, choice: Choice, resident: Any) -> Plan:
        plan: Plan = choice.algorithm.prepare(resident, *self.more, **choice.variant)
        return plan


@dataclass
class Run:
    """Facts about a finished run: what ran, and where."""

    choice: Choice
    devices: tuple[Device | str, ...]
    counted: Mapping[str, int] = field(default_factory=dict)  # counts, such as the number of rounds
    seconds: Seconds = field(default_factory=Seconds)

    def stats(self) -> dict[str, Any]:
        """Return the facts in the form in which users get them."""
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
    """The caller's checked request, and the session to run it in."""

    asked: Asked
    session: Session | None  # None for the serial reference


def order(
    problem: Problem,
    algorithm: str,
    device: Any,
    choices: Mapping[str, object],
    input_session: Session | None = None,
) -> Order:
    """Check a caller's request, which is given as to the public functions.

    If the input is already on a device, `input_session` is its session. `device` must then be the same
    device, None or ``"reference"``.
    """
    session = None if is_reference(device) else session_for(device, input_session)
    return Order(ask(problem, algorithm, choices, session.tuning if session else None), session)


def choice_for_blocks(algorithm: str, device: Any, choices: Mapping[str, object]) -> Choice:
    """Return the choice for edges in blocks; errors are as for :func:`components`."""
    return select(order("components", algorithm, device, choices).asked, InputFacts(0, form="blocks"), None)


def solve(
    wanted: Order, input: Instance, read: Callable[[Session, Plan], Any], *, flat: bool = True
) -> tuple[Any, Run]:
    """Solve a problem; return the answer and facts about the run.

    After a run on a device, `read` returns the plan's answer; the reference's answer is returned as it is. If
    `read` does not need every vertex to point to its root, `flat` may be false, and the run may end earlier.
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
