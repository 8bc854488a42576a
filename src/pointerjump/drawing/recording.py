"""Watches a run of a reference: what its shared arrays hold after each phase, or at each write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from pointerjump.drawing.frames import Frame
from pointerjump.errors import GraphError
from pointerjump.reference.machine import Cells, Machine
from pointerjump.registry import Algorithm

Every = Literal["auto", "phase", "write"]

Arrays = Mapping[str, "list[Any]"]
"""The shared arrays by name; of several that share a name, the one written last."""

View = Callable[[str, Arrays], "Frame | None"]
"""Returns what is to be seen at a moment, given its title; None if there is nothing to be seen yet."""

MOST_FRAMES = 2000
MOST_TO_DRAW = 100_000
"""Elements of all frames together."""


class Recorder:
    """Notes a frame whenever what `view` shows of a run has changed.

    Parameters
    ----------
    algorithm : Algorithm
    view : callable
        Makes a frame of the shared arrays.
    every : {"phase", "write"}
        Whether a frame is noted after each phase, or after each write of a shared array.
    """

    def __init__(self, algorithm: Algorithm, view: View, every: Literal["phase", "write"]) -> None:
        self.frames: list[Frame] = []
        self._algorithm = algorithm
        self._view = view
        self._every = every
        self._written: dict[str, Cells] = {}
        self._machine = Machine(on_write=self._on_write, after_phase=self._after_phase)

    def run(self, *arguments: Any, **choices: Any) -> Any:
        """Run the reference and return its answer."""
        with self._machine:
            return self._algorithm.function()(*arguments, **choices)

    def _on_write(self, cells: Cells, at: int, old: Any, new: Any) -> None:
        self._written[cells.name] = cells
        if self._every == "write" and old != new:
            phase = self._machine.phases[-1] if self._machine.phases else "at first"
            seen = list(cells)  # before the write, of which the machine tells us
            seen[at] = new
            arrays = {**self._machine.arrays, **self._written, cells.name: seen}
            self._note(f"{phase}: {cells.name}[{at}] = {_text(new)}", phase, arrays)

    def _after_phase(self, phase: str, arrays: dict[str, Any]) -> None:
        if self._every == "phase":
            self._note(f"after {phase}", phase, {**arrays, **self._written})

    def _note(self, title: str, phase: str, arrays: Arrays) -> None:
        seen = self._view(phase, arrays)
        if seen is None or (self.frames and _same(self.frames[-1], seen)):
            return
        about = self._algorithm.phases.get(phase, "")
        self.frames.append(Frame(title, seen.pointers, seen.notes, seen.marked, seen.chosen, about))
        if len(self.frames) > MOST_FRAMES or len(self.frames) * len(seen.pointers) > MOST_TO_DRAW:
            raise GraphError(
                f"this run has more than {len(self.frames) - 1} frames, which is too much for a picture: "
                "draw it phase by phase, or draw a smaller graph or list"
            )


def _same(one: Frame, other: Frame) -> bool:
    """Return whether two frames look alike."""
    return (one.pointers, one.notes, one.marked, one.chosen) == (
        other.pointers,
        other.notes,
        other.marked,
        other.chosen,
    )


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
