"""Runs commands such as ``cc``, ``rank`` and ``forest``, which solve a problem and report the result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

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
    from pointerjump.solving.checkpoints import Checkpoint
    from pointerjump.solving.run import Order

Facts = dict[str, Any]

# -- the input -------------------------------------------------------------------------------------


def load_graph(source: str | list[str], progress: Progress, reading: dict[str, Any]) -> Graph:
    from pointerjump.solving.inputs import as_graph

    source, reading = input_and_reading(source, reading)
    return as_graph(source, progress=progress, **reading)


def input_and_reading(
    source: str | list[str], reading: dict[str, Any]
) -> tuple[str | list[str], dict[str, Any]]:
    """Return the path or spec of the input, and the options for reading it.

    ``-`` is replaced by the path of standard input. Specs are rejected if options for files are given.
    """
    from pointerjump.generators import is_spec

    if isinstance(source, str) and is_spec(source):
        require_unused(reading, source, but="vertices")
    if source == "-":
        return standard_input(), {**reading, "format": reading["format"] or "edges"}
    return source, reading


def load_list(source: str, progress: Progress) -> SuccessorArray:
    from pointerjump.solving.inputs import read_lists

    return read_lists(standard_input() if source == "-" else source, progress=progress)


def standard_input() -> str:
    from pointerjump.formats.files import STANDARD_INPUT

    if not STANDARD_INPUT.exists():
        raise FormatError(
            f"-: standard input cannot be read here, as there is no {STANDARD_INPUT}: name a file"
        )
    return str(STANDARD_INPUT)


# -- memory and checkpoints ------------------------------------------------------------------------

RESERVE = 16 << 20  # bytes kept free for Python's and the drivers' own allocations, which are not checked


def bounded(size: int | None, kept_free: int = 0) -> Any:
    """Return a context manager that limits memory to `size` bytes, less `kept_free` and `RESERVE`."""
    if size is None:
        return nullcontext()
    return memory.bounded(size - kept_free - RESERVE, f"within --memory {memory.in_words(size)}")


def require_more_than_the_program(size: int | None) -> None:
    """Raise a MemoryLimitError if the limit `size` leaves no room for vertices.

    Call this function after all modules and drivers have been loaded.
    """
    from pointerjump.formats.pieces import LEAST_MEMORY

    taken = memory.resident() + LEAST_MEMORY + RESERVE
    if size is not None and size <= taken:
        raise MemoryLimitError(
            f"--memory is {memory.in_words(size)}, but the program and one block already take "
            f"{memory.in_words(taken)}: allow more"
        )


@contextmanager
def going_on(checkpoint: str | None) -> Iterator[None]:
    """If the ``with`` block is interrupted and a checkpoint exists, tell the user how to resume."""
    try:
        yield
    except KeyboardInterrupt:
        if checkpoint is not None and Path(checkpoint).exists():
            complain(f"interrupted: {checkpoint} holds what is done so far; run the same command to go on")
        raise


# -- tasks -----------------------------------------------------------------------------------------


class Told(NamedTuple):
    """Information that a command reports about its result."""

    result: str  # the word for the result
    right: str  # says that the result passed its check; "" if there is no check
    facts: Facts  # for programs
    lines: Lines  # for people: the lines of the first table
    tables: Sequence[Table] = ()  # for people: more tables


class Task:
    """A problem that a command solves.

    `asked` holds the options of the command under their Python names, and `steps` shows progress. `source` is
    the input: a file, a pattern, a folder, a spec, ``-`` or several files. `until_told` is an ``ExitStack``
    that is closed when the problem has been solved.
    """

    def __init__(self, options: dict[str, Any], steps: Steps, until_told: ExitStack) -> None:
        from pointerjump.registry import parse_variant

        devices = options.get("devices")
        if devices is not None and options["device"] is not None:
            raise click.UsageError("--device and --devices are both given: leave one out")
        self.asked, self.steps, self.until_told = SimpleNamespace(**options), steps, until_told
        only = devices[0] if isinstance(devices, list) and len(devices) == 1 else None
        self.device: str | None = only or self.asked.device
        self.devices: str | list[str] | None = None if only else devices  # if several share the edges
        self.source: str | list[str] = self.asked.input
        self.choices: dict[str, Any] = parse_variant(self.asked.variant)
        self.streamed: str | None = None  # why the input is read block by block, if it is
        self.checkpoint: Checkpoint | None = None
        self.of_run: Facts = {}
        self.written: str | None = None

    @property
    def reading(self) -> dict[str, Any]:
        return {name: getattr(self.asked, name) for name in OF_GRAPHS}

    @property
    def title(self) -> str:
        from pointerjump.formats.files import name_of_all

        return self.source if isinstance(self.source, str) else name_of_all([*map(Path, self.source)])

    def require_output(self, require: Callable[[str], object]) -> None:
        """If there is an output file, call `require` to check in advance that it can be written."""
        if self.asked.output is not None:
            require(self.asked.output)

    def open(self, problem: Problem) -> Order:
        """Check the request, and open the single device that solves the problem."""
        from pointerjump.solving.run import order

        if self.devices is not None:
            raise click.UsageError(
                f"{self.title} is not read block by block, so one device takes all edges: leave out --devices"
            )
        with self.steps.timed("opening the device", "device"):
            return order(problem, self.asked.algorithm, self.device, self.choices)

    def bound_memory(self, kept_free: int = 0) -> None:
        """Limit the memory until the problem is solved. Call this after loading all modules and drivers."""
        require_more_than_the_program(self.asked.memory)
        self.until_told.enter_context(bounded(self.asked.memory, kept_free))

    def load_graph(self) -> Graph:
        with self.steps.timed("reading", "read"):
            return load_graph(self.source, self.steps.show, self.reading)

    def finish(
        self, of_run: Facts, verify: Callable[[], None], write: Callable[[str], object], names: Any = None
    ) -> None:
        """Check the result and write it to the output file, if the options request this.

        `of_run` holds statistics of the run, as in ``Components.stats``. `names` holds the vertices' names in
        the input, unless they are just numbers.
        """
        self.of_run, steps, output = of_run, self.steps, self.asked.output
        steps.add(of_run["seconds"])
        unchecked = None
        if self.asked.check:
            try:
                steps.check(verify, names)
            except MemoryLimitError as error:
                unchecked = error
                if output is None:
                    raise
        if output is not None and steps.why_not is None:
            with steps.timed("writing", "write"):
                write(output)
            self.written = output
        if unchecked is not None:
            raise MemoryLimitError(f"{unchecked}; {output} was written unchecked") from unchecked


def carry_out(solve: Callable[[Task], Told], **options: Any) -> None:
    """Solve a problem and report the result. `solve` must check all it can before it reads the input."""
    with follow_steps() as steps, ExitStack() as until_told:
        task = Task(options, steps, until_told)
        told = solve(task)
        if task.checkpoint is not None and steps.why_not is None:
            task.checkpoint.remove()
    of_run, written = task.of_run, task.written
    resumed_after = None if task.checkpoint is None else task.checkpoint.resumed_after
    verdict = f"yes: {told.right}" if steps.checked else "not asked for (--verify)"
    time = (f"{k} {s:.2f} s" if s >= 1 else f"{k} {s * 1000:.1f} ms" for k, s in steps.seconds.items())
    lines = [
        *told.lines,
        *([("streamed", task.streamed)] if task.streamed is not None else []),
        *([("resumed", f"after {resumed_after:,} records")] if resumed_after is not None else []),
        ("algorithm", " ".join([of_run["algorithm"], *of_run["variant"].split(",")]).strip()),
        ("device", f"{of_run['device']} ({of_run['platform']})"),
        ("time", ", ".join(time)),
        *([("verified", verdict)] if told.right else []),
        *([(told.result, f"written to {written}")] if written is not None else []),
    ]
    document = {"input": task.source, **told.facts, **of_run, "output": written, "seconds": steps.seconds}
    document |= {"resumed_after": resumed_after} if resumed_after is not None else {}
    shown = table_of_facts(task.title, lines), *told.tables
    report(task.asked.as_json, {**document, **steps.verdict}, *shown, steps=steps)
