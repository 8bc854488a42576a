"""Watches a run of a reference: what its shared arrays hold after each phase, or at each write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

from pointerjump.drawing.frames import Frame
from pointerjump.errors import AlgorithmError, GraphError
from pointerjump.reference.machine import Cells, Machine
from pointerjump.registry import Algorithm

Every = Literal["auto", "phase", "write"]
"""How often there is a frame; "auto" is "phase", or "write" for small graphs and few phases."""

Arrays = Mapping[str, "list[Any]"]
"""The shared arrays by name; of several that share a name, the one written last."""

View = Callable[[str, Arrays], "Frame | None"]
"""Returns what is to be seen at a moment, given its title; None if there is nothing to be seen yet."""

Words = Callable[[str, int, Any, Any], str]
"""Says in words what a write does: given the array's name, the index, the old value and the new one."""

MOST_FRAMES = 2000
MOST_TO_DRAW = 200_000
"""Elements and edges of all frames together."""


def by_phase(every: Every) -> Literal["phase", "write"]:
    """Return how often there is a frame: after each phase, unless writes were asked for."""
    return "write" if every == "write" else "phase"


def parents_array(algorithm: Algorithm, choices: Mapping[str, Any]) -> str:
    """Return the name of the array in which a reference keeps its parents or labels.

    Raises
    ------
    AlgorithmError
        If its row in the registry does not say.
    """
    parents = algorithm.parents_of(choices)
    if parents is None:
        raise AlgorithmError(f"{algorithm.name} cannot be drawn: its row in the registry names no parents")
    return parents.array


def plainly(array: str, at: int, old: Any, new: Any) -> str:
    """Return a write as an assignment."""
    return f"{array}[{at}] = {', '.join(map(str, new)) if isinstance(new, tuple) else new}"


class Recorder:
    """Notes a frame whenever what `view` shows of a run has changed, and after the first run of each phase.

    Parameters
    ----------
    algorithm : Algorithm
    view : callable
        Makes a frame of the shared arrays.
    every : {"phase", "write"}
        Whether a frame is noted after each phase, or after each write of a shared array.
    words : callable
        Says what a write does.
    edges : int
        How many edges every frame shows besides.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        view: View,
        every: Literal["phase", "write"],
        words: Words = plainly,
        edges: int = 0,
    ) -> None:
        self.frames: list[Frame] = []
        self._algorithm = algorithm
        self._view = view
        self._every = every
        self._words = words
        self._edges = edges
        self._captions = algorithm.description().phases
        self._begun: set[str] = set()
        self._written: dict[str, Cells] = {}
        self._machine = Machine(on_write=self._on_write, after_phase=self._after_phase)

    def run(self, *arguments: Any, **choices: Any) -> Any:
        """Run the reference and return its answer."""
        with self._machine:
            return self._algorithm.function()(*arguments, **choices)

    def _on_write(self, cells: Cells, at: int, old: Any, new: Any) -> None:
        self._written[cells.name] = cells
        if self._every == "write" and old != new:
            machine = self._machine
            phase = machine.phases[-1] if machine.phases else "at first"
            arrays = {**machine.arrays, **self._written, cells.name: list(cells)}  # before the write
            if not self.frames:
                self._note("at first", phase, arrays, about=False)
            arrays[cells.name][at] = new
            where = "" if machine.item is None else f" at {_text(machine.item)}"
            self._note(f"{phase}{where}: {self._words(cells.name, at, old, new)}", phase, arrays)

    def _after_phase(self, phase: str, arrays: dict[str, Any]) -> None:
        first = phase not in self._begun
        self._begun.add(phase)
        if self._every == "phase":
            self._note(f"after {phase}", phase, {**arrays, **self._written}, even_if_same=first)
        elif self.frames:  # between writes, what is seen may change with the phase alone
            self._note(f"after {phase}", phase, {**arrays, **self._written})

    def _note(
        self, title: str, phase: str, arrays: Arrays, about: bool = True, even_if_same: bool = False
    ) -> None:
        seen = self._view(phase, arrays)
        if seen is None or (self.frames and _same(self.frames[-1], seen) and not even_if_same):
            return
        words = self._captions.get(phase, "") if about else ""
        self.frames.append(replace(seen, title=title, about=words))
        if (
            len(self.frames) > MOST_FRAMES
            or len(self.frames) * (len(seen.pointers) + self._edges) > MOST_TO_DRAW
        ):
            raise GraphError(
                f"this run has more than {len(self.frames) - 1} frames, which is too much for a picture: "
                "draw it phase by phase, or draw a smaller graph or list"
            )


def _same(one: Frame, other: Frame) -> bool:
    """Return whether two frames look alike."""
    return replace(one, title="", about="") == replace(other, title="", about="")


def _text(item: Any) -> str:
    """Return an item of a parallel loop: an edge, or a vertex or element."""
    return "-".join(map(str, item)) if isinstance(item, tuple) else str(item)
