"""What ``cc``, ``rank``, ``forest`` and ``label`` have in common: read, run, check, write, report."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

from pointerjump.base import memory
from pointerjump.base.progress import Progress
from pointerjump.cli.commands import OF_GRAPHS, require_unused
from pointerjump.cli.steps import Steps, follow_steps, report
from pointerjump.cli.terminal import Lines, complain, table_of_facts
from pointerjump.errors import FormatError, MemoryLimitError

if TYPE_CHECKING:
    from rich.table import Table

    from pointerjump.base.graph import Graph
    from pointerjump.base.linked_lists import SuccessorArray
    from pointerjump.registry import Problem
    from pointerjump.solving.run import Order

Facts = dict[str, Any]

# -- the input -------------------------------------------------------------------------------------


def load_graph(source: str | list[str], progress: Progress, reading: dict[str, Any]) -> Graph:
    """Return the graph in a file, on standard input or of a generator spec, read as the options say."""
    from pointerjump.generators import is_spec
    from pointerjump.solving.inputs import as_graph

    if isinstance(source, str) and is_spec(source):
        require_unused(reading, source, but="vertices")
    if source == "-":
        source, reading = standard_input(), {**reading, "format": reading["format"] or "edges"}
    return as_graph(source, progress=progress, **reading)


def load_list(source: str, progress: Progress) -> SuccessorArray:
    """Return the linked lists in a file, on standard input or of a generator spec."""
    from pointerjump.solving.inputs import read_lists

    return read_lists(standard_input() if source == "-" else source, progress=progress)


def standard_input() -> str:
    """Return the name of a file that is standard input."""
    from pointerjump.formats.files import STANDARD_INPUT

    if not STANDARD_INPUT.exists():
        raise FormatError(
            f"-: standard input cannot be read here, as there is no {STANDARD_INPUT}: name a file"
        )
    return str(STANDARD_INPUT)


# -- memory and checkpoints ------------------------------------------------------------------------

RESERVE = 16 << 20
"""Bytes for what Python and the drivers take besides, which is not asked for."""


def bounded(size: int | None, kept_free: int = 0) -> Any:
    """Return a context that refuses what would exceed the memory of the whole run, with a part kept free."""
    if size is None:
        return nullcontext()
    return memory.bounded(size - kept_free - RESERVE, f"within --memory {memory.in_words(size)}")


def require_more_than_the_program(size: int | None) -> None:
    """Refuse a bound that leaves no room for any vertices, now that all modules and drivers are loaded."""
    from pointerjump.formats.pieces import LEAST_MEMORY

    taken = memory.resident() + LEAST_MEMORY + RESERVE
    if size is not None and size <= taken:
        raise MemoryLimitError(
            f"--memory is {memory.in_words(size)}, but the program and one block already take "
            f"{memory.in_words(taken)}: allow more"
        )


@contextmanager
def going_on(checkpoint: str | None) -> Iterator[None]:
    """Tell a user who interrupts the run that it need not begin anew, if there is a checkpoint by then."""
    try:
        yield
    except KeyboardInterrupt:
        if checkpoint is not None and Path(checkpoint).exists():
            complain(f"interrupted: {checkpoint} holds what is done so far; run the same command to go on")
        raise


# -- tasks -----------------------------------------------------------------------------------------


class Task(ABC):
    """A problem that a command solves. It holds its input from `read` on, and its answer from `run` on.

    Attributes
    ----------
    problem : str
        What the registry calls it.
    doing : str
        What the bar says while the algorithm runs.
    result, right : str
        What the answer is called, and what is said of one that passed its check.
    asked : namespace
        What the user asks for: the command's options, by their names in Python.
    source : str or list of str
        What is read: a file, a pattern, a folder, a spec, ``-`` or several files.
    names : sequence or None
        What the input calls its vertices, if not by their numbers; known from `read` or from `run` on.
    """

    problem: ClassVar[Problem]
    doing: ClassVar[str]
    result: ClassVar[str]
    right: ClassVar[str]

    def __init__(self, **options: Any) -> None:
        self.asked = SimpleNamespace(**options)
        self.source: str | list[str] = self.asked.input
        self.names: Any = None

    @property
    def reading(self) -> dict[str, Any]:
        """The options that say how the file of a graph is read."""
        return {name: getattr(self.asked, name) for name in OF_GRAPHS}

    @property
    def title(self) -> str:
        """What people call the input."""
        from pointerjump.formats.files import name_of_all

        return self.source if isinstance(self.source, str) else name_of_all([*map(Path, self.source)])

    def context(self, steps: Steps) -> AbstractContextManager[object]:
        """Return a context for all steps: it may bound memory, and tidy up."""
        return nullcontext()

    @abstractmethod
    def require_output(self, path: str) -> None:
        """Refuse a file that the answer could not be written to."""

    def order(self, choices: Mapping[str, object]) -> Order:
        """Check what is asked for, and open the device."""
        from pointerjump.solving.run import order

        return order(self.problem, self.asked.algorithm, self.asked.device, choices)

    @abstractmethod
    def read(self, steps: Steps) -> None:
        """Read the input."""

    @abstractmethod
    def run(self, wanted: Order, steps: Steps) -> Facts:
        """Find the answer; return facts about the run as in ``Components.stats``."""

    @abstractmethod
    def verify(self, steps: Steps) -> None:
        """Raise a VerificationError if the answer is wrong."""

    @abstractmethod
    def write(self, path: str) -> None:
        """Write the answer to a file."""

    @abstractmethod
    def summary(self) -> tuple[Facts, Lines, list[Table]]:
        """Return what was found: for programs, for people, and more tables for people."""

    def carry_out(self) -> None:
        """Read the input, run the algorithm, check and write the answer, and report it.

        What can be refused early is refused before the input, which may be large, is read.
        """
        from pointerjump.registry import parse_variant

        asked, output = self.asked, self.asked.output
        choices = parse_variant(asked.variant)
        if output is not None:
            self.require_output(output)
        with follow_steps() as steps, self.context(steps):
            with steps.timed("opening the device", "device"):
                wanted = self.order(choices)
            with steps.timed("reading", "read"):
                self.read(steps)
            steps.begin(self.doing)
            of_run = self.run(wanted, steps)
            steps.add(of_run["seconds"])
            unchecked = None
            if asked.check:
                try:
                    steps.check(lambda: self.verify(steps), self.names)
                except MemoryLimitError as error:
                    unchecked = error
                    if output is None:
                        raise
            written = output if steps.why_not is None else None
            if written is not None:
                with steps.timed("writing", "write"):
                    self.write(written)
            if unchecked is not None:
                raise MemoryLimitError(f"{unchecked}; {output} was written unchecked") from unchecked
            with steps.timed("counting", "summary"):
                facts, lines, tables = self.summary()
        lines = [
            *lines,
            ("algorithm", " ".join([of_run["algorithm"], *of_run["variant"].split(",")]).strip()),
            ("device", f"{of_run['device']} ({of_run['platform']})"),
            ("time", ", ".join(f"{step} {_time(spent)}" for step, spent in steps.seconds.items())),
            ("verified", f"yes: {self.right}" if steps.checked else "not asked for (--verify)"),
            *([(self.result, f"written to {written}")] if written is not None else []),
        ]
        document = {"input": self.source, **facts, **of_run, "output": written, "seconds": steps.seconds}
        shown = table_of_facts(self.title, lines), *tables
        report(asked.as_json, {**document, **steps.verdict}, *shown, steps=steps)


def _time(spent: float) -> str:
    return f"{spent:.2f} s" if spent >= 1 else f"{spent * 1000:.1f} ms"
