"""Records the shared arrays of a reference implementation after each phase or at each write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from pointerjump.draw.scenes import NOWHERE, Frame
from pointerjump.errors import GraphError
from pointerjump.reference.machine import Cells, Machine
from pointerjump.registry import Algorithm

Every = Literal["auto", "phase", "write"]  # "auto": see `draw`
SharedArrays = Mapping[str, "list[Any]"]  # by name; if several share a name, the one written last
View = Callable[[str, SharedArrays], "Frame | None"]  # returns a frame of the arrays in a phase, or None

MOST_FRAMES = 2000
MOST_TO_DRAW = 200_000  # the maximum number of elements and edges in all frames together
UNOWNED = -1  # the owner of an element that no splitter has reached
DROPPED = -1  # the mark of an element that lies on no cycle


def record(
    algorithm: Algorithm,
    arguments: tuple[Any, ...],
    choices: dict[str, Any],
    view: View,
    every: Every,
    edges: int = 0,
) -> tuple[list[Frame], Any]:
    """Run a reference implementation, and return the recorded frames and the algorithm's result.

    `every` is as in `draw`. Each frame has `edges` edges, which count toward the limit on a picture's size.
    """
    captions = algorithm.description().phases
    frames: list[Frame] = []
    begun: set[str] = set()
    written: dict[str, Cells] = {}

    def note(title: str, phase: str, arrays: SharedArrays, even_if_same: bool = False) -> None:
        seen = view(phase, arrays)
        if seen is None or (frames and not even_if_same and _look(seen) == _look(frames[-1])):
            return
        about = captions.get(phase, "") if title != "at first" else ""
        frames.append(replace(seen, title=title, about=about))
        if len(frames) > MOST_FRAMES or len(frames) * (len(seen.pointers) + edges) > MOST_TO_DRAW:
            raise GraphError(
                f"this run has more than {len(frames) - 1} frames, which is too much for a picture: "
                "draw it phase by phase, or draw a smaller graph or list"
            )

    def on_write(cells: Cells, at: int, old: Any, new: Any) -> None:
        written[cells.name] = cells
        if every == "write" and old != new:
            phase = machine.phases[-1] if machine.phases else "at first"
            arrays = {**machine.arrays, **written, cells.name: list(cells)}  # the state before the write
            if not frames:
                note("at first", phase, arrays)
            arrays[cells.name][at] = new
            item = "-".join(map(str, machine.item)) if isinstance(machine.item, tuple) else machine.item
            where = "" if item is None else f" at {item}"
            note(f"{phase}{where}: {_words(algorithm, cells.name, at, old, new)}", phase, arrays)

    def after_phase(phase: str, arrays: dict[str, Any]) -> None:
        first = phase not in begun
        begun.add(phase)
        if every != "write" or frames:  # between writes, the view may change with the phase
            note(f"after {phase}", phase, {**arrays, **written}, first and every != "write")

    machine = Machine(on_write=on_write, after_phase=after_phase)
    with machine:
        answer = algorithm.function()(*arguments, **choices)
    return frames, answer


def _look(frame: Frame) -> Frame:
    return replace(frame, title="", about="")


def _words(algorithm: Algorithm, array: str, at: int, old: Any, new: Any) -> str:
    """Describe a write in words, for example "3 is hooked under 1"."""
    if algorithm.problem not in ("components", "spanning-forest"):
        return f"{array}[{at}] = {', '.join(map(str, new)) if isinstance(new, tuple) else new}"
    if old == at:
        return f"{at} is hooked under {new}"
    return f"{at} points to {new}" if old == NOWHERE else f"{at} skips to {new}"


def parents_view(array: str, vertices: int, phase: str, arrays: SharedArrays) -> Frame | None:
    """Return a frame that shows an array of parents.

    Return None if the length of the array is not `vertices`, as is the case for a contracted graph.
    """
    parents = arrays.get(array, ())
    return Frame("", tuple(parents)) if len(parents) == vertices and vertices else None


def runs_view(array: str, every: Every, runs: list[range], phase: str, arrays: SharedArrays) -> Frame | None:
    """Return a frame that shows the trees that connect runs of pixels, and store the runs in `runs`."""
    if phase == "find_runs" and every == "write":
        return None  # not all runs are known yet
    runs[:] = [run for in_row in arrays["runs"] for run in in_row]
    if phase == "find_runs":
        return Frame("", range(len(runs)))
    labels = [str(arrays["label"][run[0]]) for run in runs] if phase == "write_labels" else []
    return Frame("", arrays[array], labels)


def walk_view(succ: list[int], phase: str, arrays: SharedArrays) -> Frame | None:
    """Return a frame of a single processor's walk. Squares are heads of lists. Ranks appear one by one."""
    heads = [j for j, is_head in enumerate(arrays.get("is_head", ())) if is_head]
    return Frame("", succ, arrays["rank"] if phase == "walk" else (), heads)


def jump_view(succ: list[int], phase: str, arrays: SharedArrays) -> Frame | None:
    """Return a frame that shows each element's pointer, and how many steps along the list it spans."""
    ranks, lasts = _ranks_and_lasts(arrays)
    return Frame("", lasts, ranks) if len(lasts) == len(succ) else None


def _ranks_and_lasts(arrays: SharedArrays) -> tuple[list[Any], list[int]]:
    if "pair" in arrays:
        return [rank for rank, _ in arrays["pair"]], [last for _, last in arrays["pair"]]
    return arrays["rank"], arrays["last"]


def splitter_view(succ: list[int]) -> View:
    """Return a view that shows splitters as squares, and all other elements pointing to their splitters.

    The number below an element is its distance from its splitter. A splitter points to the next splitter and,
    in later frames, to splitters that are farther away.
    """
    splitter: list[int] = []
    mark: list[tuple[int, Any]] = []  # final after RS3; later phases reuse some names

    def view(phase: str, arrays: SharedArrays) -> Frame | None:
        if phase in ("RS1", "RS2", "RS3"):
            apart = zip(arrays["owner"], arrays["rank"], strict=True) if "owner" in arrays else arrays["mark"]
            mark[:] = apart
        if len(mark) != len(succ):
            return None
        if phase == "RS2":
            splitter[:] = [j for j, (owner, _) in enumerate(mark) if owner != UNOWNED]
        pointers = [splitter[owner] if owner != UNOWNED and splitter else NOWHERE for owner, _ in mark]
        notes = ["" if owner == UNOWNED or from_it is None else f"+{from_it}" for owner, from_it in mark]
        for i in splitter:
            notes[i] = ""
        length, after = list[Any](), list[int]()
        if phase == "RS3":
            length, after = arrays["sprank"], arrays["spsucc"]
        elif phase == "PJ1" or phase.startswith("RS4"):
            length, after = _ranks_and_lasts(arrays)
        for i, (so_long, to) in enumerate(zip(length, after, strict=True)):
            pointers[splitter[i]] = splitter[to]
            notes[splitter[i]] = str(sum(so_long) if isinstance(so_long, list) else so_long)
        if phase == "RS5":
            notes = arrays.get("result", arrays.get("rank", []))
        return Frame("", pointers, notes, splitter)

    return view


def level_view(succ: list[int]) -> View:
    """Return a view that shows the first level of the recursive sub-list algorithm, including the splitters.

    If the list is too short for sub-lists, the view shows how each element's pointer jumps along the list.
    Later levels are not shown, because they number the elements differently.
    """
    level = splitter_view(succ)

    def view(phase: str, arrays: SharedArrays) -> Frame | None:
        if phase in ("RS1", "RS2", "RS3"):
            return level(phase, arrays) if len(arrays["mark"]) == len(succ) else None
        if phase == "expand":
            last = level("RS5", arrays)
            return last if last and len(last.notes) == len(succ) else None
        return jump_view(succ, phase, arrays) if "pair" in arrays else None

    return view


def coin_view(succ: list[int], phase: str, arrays: SharedArrays) -> Frame | None:
    """Return a frame that shows elements chosen for removal as squares. Pointers skip the removed ones."""
    noted = {"put back": "rank", "toss coins": "color", "choose": "color"}

    if phase in ("PJ1", "PJ2") or len(arrays["succ"]) != len(succ):
        return None  # these rank a shorter list, which numbers its elements differently
    chosen = [j for j, is_chosen in enumerate(arrays.get("is_chosen", ())) if is_chosen]
    return Frame("", arrays["succ"], arrays[noted[phase]] if phase in noted else (), chosen)


def tour_view(tour: list[int], phase: str, arrays: SharedArrays) -> Frame | None:
    """Return a frame of Euler tours as lists of edges. After ranking, edges that lead down are squares."""
    if phase in ("tour", "cut"):
        tour[:] = arrays["successor"]
        return Frame("", tour)
    if phase.startswith("PJ"):
        ranks, lasts = _ranks_and_lasts(arrays)
        return Frame("", lasts, ranks)
    rank, twin = arrays["rank"], arrays["twin"]
    return Frame("", tour, rank, [e for e, back in enumerate(twin) if rank[e] > rank[back]])


def map_view(phase: str, arrays: SharedArrays) -> Frame | None:
    """Return a frame of a functional graph's jumps. Elements that may still lie on a cycle are squares."""
    if "jump" not in arrays:
        return None
    on_cycles = [j for j, mark in enumerate(arrays["mark"]) if mark != DROPPED]
    if phase not in ("enter", "climb", "finish"):
        return Frame("", arrays["jump"], arrays["smallest"] if phase == "label" else (), on_cycles)
    pairs = arrays["pair"]
    return Frame("", [entry for _, entry in pairs], [steps for steps, _ in pairs], on_cycles)


LIST_VIEWS: dict[str, Callable[[list[int]], View]] = {
    "sequential": lambda succ: partial(walk_view, succ),
    "wylie": lambda succ: partial(jump_view, succ),
    "random-splitter": splitter_view,
    "list-scan": splitter_view,
    "rehman": level_view,
    "cole-vishkin": lambda succ: partial(coin_view, succ),
}
"""The view for each list algorithm. Views differ because algorithms store different data per element."""
