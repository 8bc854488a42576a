"""What ``cc``, ``rank`` and ``forest`` have in common: read, run, check, write, report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pointerjump.cli.reading import Source, title_of
from pointerjump.cli.report import report
from pointerjump.cli.steps import Steps, follow_steps
from pointerjump.cli.terminal import Lines, table_of_facts
from pointerjump.errors import MemoryLimitError
from pointerjump.progress import Progress

if TYPE_CHECKING:
    from rich.table import Table

    from pointerjump.cli.steps import Names
    from pointerjump.registry import Problem

Input = TypeVar("Input")
Answer = TypeVar("Answer")
Facts = dict[str, Any]
Choices = Mapping[str, object]


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


@dataclass(frozen=True)
class Task(Generic[Input, Answer]):
    """A problem that the command line solves: how its input is read, and its answer found and told.

    Attributes
    ----------
    problem : str
        What the registry calls it.
    doing : str
        What the bar says while the algorithm runs.
    result, right : str
        What the answer is called, and what is said of one that passed its check.
    require_output : callable
        Refuses a file that the answer could not be written to.
    read : callable
        Returns the input, given its name, whom to tell of progress, and the options for reading.
    run : callable
        Given algorithm, device, choices, a function that reads the input, and the steps to show, it returns
        the answer, and facts about the run as in ``Components.stats``. It reads the input when all else has
        been checked.
    verify : callable
        Raises a VerificationError if the answer is wrong.
    write : callable
        Writes the answer to a file.
    summarize : callable
        Returns what to tell of the answer.
    names : callable
        Returns what the input calls its vertices, or None if it calls them by their numbers.
    devices : list of str or "all", optional
        Several devices, in place of one.
    finish : callable
        Tidies up when the answer has been written, unless it is wrong.
    """

    problem: Problem
    doing: str
    result: str
    right: str
    require_output: Callable[[str], None]
    read: Callable[[Any, Progress, dict[str, Any]], Input]
    run: Callable[[str, str | None, Choices, Callable[[], Input], Steps], tuple[Answer, Facts]]
    verify: Callable[[Input, Answer, Progress], None]
    write: Callable[[str, Input, Answer], None]
    summarize: Callable[[Input, Answer], Summary]
    names: Callable[[Input, Answer], Names] = lambda given, answer: None
    devices: list[str] | str | None = None
    finish: Callable[[], None] = lambda: None


def carry_out(
    task: Task[Input, Answer],
    source: Source,
    *,
    algorithm: str = "auto",
    variant: str,
    device: str | None,
    output: str | None,
    check: bool,
    as_json: bool,
    **reading: Any,
) -> None:
    """Read the input, run the algorithm, check and write the answer, and report it.

    What can be refused early is refused before the input, which may be large, is read. Apart from `task`
    and `source`, the parameters are the options of the same names.
    """
    from pointerjump.accel.runtime.sessions import session_for
    from pointerjump.registry import parse_variant
    from pointerjump.run import is_reference

    choices = parse_variant(variant)
    if output is not None:
        task.require_output(output)
    with follow_steps() as steps:
        with steps.timed("opening the device", "device"):
            if task.devices is not None:
                from pointerjump.streams import devices_of

                devices_of(task.devices)
            elif not is_reference(device):
                session_for(device)

        @cache
        def taken() -> Input:
            with steps.timed("reading", "read"):
                given = task.read(source, steps.show, reading)
            steps.begin(task.doing)
            return given

        answer, told = task.run(algorithm, device, choices, taken, steps)
        given = taken()
        facts = {name: fact for name, fact in told.items() if name != "seconds"}
        steps.add(told["seconds"])
        if check:
            try:
                steps.check(lambda: task.verify(given, answer, steps.show), task.names(given, answer))
            except MemoryLimitError as error:
                if output is None:
                    raise
                steps.write(output, lambda path: task.write(path, given, answer))
                raise MemoryLimitError(f"{error}; {output} was written unchecked") from error
        steps.write(output, lambda path: task.write(path, given, answer))
        if steps.why_not is None:
            task.finish()
        with steps.timed("counting", "summary"):
            summary = task.summarize(given, answer)
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
