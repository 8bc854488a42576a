"""Runs on linked lists: where elements point, and what they know so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pointerjump.drawing.frames import NOWHERE, Frame
from pointerjump.drawing.recording import Arrays, Every, Recorder, View, by_phase
from pointerjump.linked_lists import SuccessorArray
from pointerjump.registry import Algorithm

UNOWNED = -1


def ranking_frames(
    algorithm: Algorithm, successors: SuccessorArray, every: Every, choices: dict[str, Any]
) -> list[Frame]:
    """Run an algorithm for ranks; return its pointers and ranks as they change."""
    recorder = Recorder(algorithm, VIEWS[algorithm.name](successors.tolist()), by_phase(every))
    recorder.run(successors, **choices)
    return recorder.frames


def scan_frames(
    algorithm: Algorithm, successors: SuccessorArray, every: Every, choices: dict[str, Any]
) -> list[Frame]:
    """Run a scan that adds ones, so that it counts the elements up to each one."""
    recorder = Recorder(algorithm, VIEWS[algorithm.name](successors.tolist()), by_phase(every))
    recorder.run(successors, [1] * len(successors), lambda x, y: x + y, **choices)
    return recorder.frames


def walk_view(succ: list[int]) -> View:
    """Show the walk of one processor: the heads as squares, and ranks as they are dealt out."""
    n = len(succ)

    def view(phase: str, arrays: Arrays) -> Frame | None:
        is_head = arrays.get("is_head", [False] * n)
        ranks = [str(rank) for rank in arrays["rank"]] if phase == "walk" else []
        heads = frozenset(j for j in range(n) if is_head[j])
        return Frame("", tuple(succ), tuple(ranks), heads)

    return view


def jump_view(succ: list[int]) -> View:
    """Show where each element's pointer has jumped to, and how far that is."""
    n = len(succ)

    def view(phase: str, arrays: Arrays) -> Frame | None:
        if "pair" in arrays:
            ranks, lasts = [rank for rank, _ in arrays["pair"]], [last for _, last in arrays["pair"]]
        else:
            ranks, lasts = arrays["rank"], arrays["last"]
        return Frame("", tuple(lasts), tuple(map(str, ranks))) if len(lasts) == n else None

    return view


def splitter_view(succ: list[int]) -> View:
    """Show splitters as squares, elements that point to the splitter they belong to, and distances.

    Splitters point to the splitter after them, once they have walked, and then farther and farther.
    """
    n = len(succ)
    splitter: list[int] = []
    mark: list[tuple[int, Any]] = []  # settled after RS3; later phases use some of the names again

    def view(phase: str, arrays: Arrays) -> Frame | None:
        if phase in ("RS1", "RS2", "RS3"):
            apart = zip(arrays["owner"], arrays["rank"], strict=True) if "owner" in arrays else arrays["mark"]
            mark[:] = apart
        if len(mark) != n:
            return None
        if phase == "RS2":
            splitter[:] = sorted(j for j in range(n) if mark[j][0] != UNOWNED)
        pointers = [splitter[owner] if owner != UNOWNED and splitter else NOWHERE for owner, _ in mark]
        notes = ["" if owner == UNOWNED or from_it is None else f"+{from_it}" for owner, from_it in mark]
        for i in splitter:
            notes[i] = ""
        after: list[int] = []
        length: list[int] = []
        if phase == "RS3":
            after, length = arrays["spsucc"], arrays["sprank"]
        elif phase in ("PJ1", "RS4") and "pair" not in arrays:
            after, length = arrays["last"], arrays["rank"]
        elif phase.startswith("RS4"):
            after, length = [to for _, to in arrays["pair"]], [sum(so_far) for so_far, _ in arrays["pair"]]
        for i, (to, so_long) in enumerate(zip(after, length, strict=True)):
            pointers[splitter[i]] = splitter[to]
            notes[splitter[i]] = str(so_long)
        if phase == "RS5":
            notes = [str(rank) for rank in arrays.get("result", arrays.get("rank", ()))]
        return Frame("", tuple(pointers), tuple(notes), frozenset(splitter))

    return view


def level_view(succ: list[int]) -> View:
    """Show the first level of recursive sub-lists by its splitters, or a short list by its jumps.

    The shorter lists of the levels between have elements with other numbers, and are not shown.
    """
    jumps, level = jump_view(succ), splitter_view(succ)

    def view(phase: str, arrays: Arrays) -> Frame | None:
        if phase in ("RS1", "RS2", "RS3"):
            return level(phase, arrays) if len(arrays["mark"]) == len(succ) else None
        if phase == "expand":
            last = level("RS5", arrays)
            return last if last and len(last.notes) == len(succ) else None
        return jumps(phase, arrays) if "pair" in arrays else None

    return view


def coin_view(succ: list[int]) -> View:
    """Show colors below the elements, the chosen ones as squares, and pointers past those spliced out."""
    n = len(succ)

    def view(phase: str, arrays: Arrays) -> Frame | None:
        if phase in ("PJ1", "PJ2"):
            return None  # these rank a shorter list, whose elements have other numbers
        chosen = frozenset(j for j, is_chosen in enumerate(arrays.get("is_chosen", ())) if is_chosen)
        notes: list[str] = []
        if phase == "put back":
            notes = [str(rank) for rank in arrays["rank"]]
        elif phase in ("toss coins", "choose"):
            notes = [str(color) for color in arrays["color"]]
        return Frame("", tuple(arrays["succ"]), tuple(notes), chosen) if len(arrays["succ"]) == n else None

    return view


VIEWS: dict[str, Callable[[list[int]], View]] = {
    "sequential": walk_view,
    "wylie": jump_view,
    "random-splitter": splitter_view,
    "list-scan": splitter_view,
    "rehman": level_view,
    "cole-vishkin": coin_view,
}
"""What is shown of each algorithm: no two keep the same things about an element."""
