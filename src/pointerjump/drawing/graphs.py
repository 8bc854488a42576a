"""Runs on graphs: the forest of parent pointers, and the edges of a spanning forest."""

from __future__ import annotations

from typing import Any

from pointerjump.drawing.frames import NOWHERE, Frame
from pointerjump.drawing.recording import Arrays, Every, Recorder, View, parents_array
from pointerjump.graph import Graph
from pointerjump.registry import Algorithm

FEW_PHASES, FEW_VERTICES = 2, 16
"""A run in so few frames, on so few vertices, is shown write by write, unless phases were asked for."""


def forest_frames(algorithm: Algorithm, graph: Graph, every: Every, choices: dict[str, Any]) -> list[Frame]:
    """Run an algorithm for components; return its parents, or labels, as they change."""
    frames, answer = _recorded(algorithm, graph, every, choices)
    parents = algorithm.parents_of(choices)
    if parents is not None and parents.contracted and graph.vertices:
        about = "what the contracted graphs have found goes back to all vertices"
        frames.append(Frame("the answer", answer.tolist(), about=about))
    return frames


def spanning_frames(algorithm: Algorithm, graph: Graph, every: Every, choices: dict[str, Any]) -> list[Frame]:
    """Run an algorithm for spanning forests; the last frame shows the edges that it has chosen."""
    frames, chosen = _recorded(algorithm, graph, every, choices)
    edges = frozenset((int(u), int(v)) for u, v in chosen)
    last = frames[-1].pointers if frames else tuple(range(graph.vertices))
    about = "each edge that hooked a root is in the spanning forest"
    return [*frames, Frame("the edges that hooked", last, chosen=edges, about=about)]


def _recorded(
    algorithm: Algorithm, graph: Graph, every: Every, choices: dict[str, Any]
) -> tuple[list[Frame], Any]:
    """Return the frames of a run, and its answer."""
    view = parents_view(parents_array(algorithm, choices), graph.vertices)
    by_phases: list[Frame] = []
    if every != "write":
        recorder = Recorder(algorithm, view, "phase", edges=graph.edges)
        answer = recorder.run(graph, **choices)
        few = len({frame.pointers for frame in recorder.frames}) <= FEW_PHASES
        if every == "phase" or not few or graph.vertices > FEW_VERTICES:
            return recorder.frames, answer
        by_phases = recorder.frames
    recorder = Recorder(algorithm, view, "write", hook_or_shortcut, edges=graph.edges)
    answer = recorder.run(graph, **choices)
    return recorder.frames or by_phases, answer


def hook_or_shortcut(array: str, at: int, old: Any, new: Any) -> str:
    """Say what a write of a parent does: a root is hooked, and any other vertex takes a shortcut."""
    if old == at:
        return f"{at} is hooked under {new}"
    return f"{at} points to {new}" if old == NOWHERE else f"{at} skips to {new}"


def parents_view(array: str, vertices: int) -> View:
    """Return a view of an array of parents. Arrays of that name for smaller graphs are not shown."""

    def view(phase: str, arrays: Arrays) -> Frame | None:
        parents = arrays.get(array, ())
        return Frame("", tuple(parents)) if len(parents) == vertices and vertices else None

    return view
