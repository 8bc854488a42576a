"""What ``cc``, ``rank``, ``forest`` and ``label`` have in common: read, run, check, write, report."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from pointerjump.cli.reading import Source, title_of
from pointerjump.cli.report import report
from pointerjump.cli.steps import Steps, follow_steps
from pointerjump.cli.terminal import Lines, table_of_facts
from pointerjump.errors import MemoryLimitError

if TYPE_CHECKING:
    from rich.table import Table

    from pointerjump.cli.steps import Names
    from pointerjump.registry import Problem
    from pointerjump.run import Order

Input = TypeVar("Input")
Answer = TypeVar("Answer")
Facts = dict[str, Any]


@dataclass(frozen=True)
class Summary:
    """What is told of an answer.

    Attributes
    ----------
    facts, lines : dict, list
        What was found, for programs and for people.
    more, tables : dict, sequence
        What was asked for besides, for programs and for people.
    """

    facts: Facts
    lines: Lines
    more: Facts = field(default_factory=dict)
    tables: Sequence[Table] = ()


class Task(ABC, Generic[Input, Answer]):
    """A problem that a command solves: how its input is read, and its answer found and told.

    Attributes
    ----------
    problem : str
        What the registry calls it.
    doing : str
        What the bar says while the algorithm runs.
    result, right : str
        What the answer is called, and what is said of one that passed its check.
    """

    problem: ClassVar[Problem]
    doing: ClassVar[str]
    result: ClassVar[str]
    right: ClassVar[str]

    def __init__(self, source: Source, **reading: Any) -> None:
        self.source, self.reading = source, reading

    @abstractmethod
    def require_output(self, path: str) -> None:
        """Refuse a file that the answer could not be written to."""

    def order(self, algorithm: str, device: str | None, choices: Mapping[str, object]) -> Order:
        """Check what is asked for, and open the device."""
        from pointerjump.run import order

        return order(self.problem, algorithm, device, choices)

    @abstractmethod
    def read(self, steps: Steps) -> Input:
        """Return the input."""

    @abstractmethod
    def run(self, wanted: Order, given: Input, steps: Steps) -> tuple[Answer, Facts]:
        """Return the answer, and facts about the run as in ``Components.stats``."""

    @abstractmethod
    def verify(self, given: Input, answer: Answer, steps: Steps) -> None:
        """Raise a VerificationError if the answer is wrong."""

    @abstractmethod
    def write(self, path: str, given: Input, answer: Answer) -> None:
        """Write the answer to a file."""

    @abstractmethod
    def summary(self, given: Input, answer: Answer) -> Summary:
        """Return what to tell of the answer."""

    def names(self, given: Input, answer: Answer) -> Names:
        """Return what the input calls its vertices, or None if it calls them by their numbers."""
        return None

    def within_memory(self) -> AbstractContextManager[object]:
        """Refuse, within this context, what would exceed the memory that the run may take."""
        return nullcontext()

    def finish(self) -> None:
        """Tidy up when the answer has been written, unless it is wrong."""


def carry_out(
    task: Task[Input, Answer],
    *,
    algorithm: str = "auto",
    variant: str,
    device: str | None,
    output: str | None,
    check: bool,
    as_json: bool,
) -> None:
    """Read the input, run the algorithm, check and write the answer, and report it.

    What can be refused early is refused before the input, which may be large, is read. Apart from `task`, the
    parameters are the options of the same names.
    """
    from pointerjump.registry import parse_variant

    choices = parse_variant(variant)
    if output is not None:
        task.require_output(output)
    with follow_steps() as steps, task.within_memory():
        with steps.timed("opening the device", "device"):
            wanted = task.order(algorithm, device, choices)
        with steps.timed("reading", "read"):
            given = task.read(steps)
        steps.begin(task.doing)
        answer, told = task.run(wanted, given, steps)
        facts = {name: fact for name, fact in told.items() if name != "seconds"}
        steps.add(told["seconds"])
        if check:
            try:
                steps.check(lambda: task.verify(given, answer, steps), task.names(given, answer))
            except MemoryLimitError as error:
                if output is None:
                    raise
                steps.write(output, lambda path: task.write(path, given, answer))
                raise MemoryLimitError(f"{error}; {output} was written unchecked") from error
        steps.write(output, lambda path: task.write(path, given, answer))
        if steps.why_not is None:
            task.finish()
        with steps.timed("counting", "summary"):
            summary = task.summary(given, answer)
    source = task.source
    document = {"input": source, **summary.facts, **facts, "output": steps.written, "seconds": steps.seconds}
    table = table_of_facts(title_of(source), [*summary.lines, *_lines_of_run(task, facts, steps)])
    report(as_json, {**document, **summary.more, **steps.verdict}, table, *summary.tables, steps=steps)


def _lines_of_run(task: Task[Input, Answer], facts: Facts, steps: Steps) -> Lines:
    """Return what people read of a run: by which algorithm, where, how long, and whether it was checked."""
    lines = [
        ("algorithm", " ".join([facts["algorithm"], *facts["variant"].split(",")]).strip()),
        ("device", f"{facts['device']} ({facts['platform']})"),
        ("time", ", ".join(f"{step} {_time(spent)}" for step, spent in steps.seconds.items())),
        ("verified", f"yes: {task.right}" if steps.checked else "not asked for (--verify)"),
    ]
    if steps.written is not None:
        lines.append((task.result, f"written to {steps.written}"))
    return lines


def _time(spent: float) -> str:
    return f"{spent:.2f} s" if spent >= 1 else f"{spent * 1000:.1f} ms"
