"""Runs on graphs: the forest of parent pointers, and the edges of a spanning forest."""

from __future__ import annotations

from typing import Any

from pointerjump.drawing.frames import Frame
from pointerjump.drawing.recording import Arrays, Every, Recorder, View
from pointerjump.graph import Graph
from pointerjump.registry import Algorithm

FEW_PHASES, FEW_VERTICES = 2, 16
"""A run in so few frames, on so few vertices, is shown write by write, unless phases were asked for."""


def forest_frames(algorithm: Algorithm, graph: Graph, every: Every, choices: dict[str, Any]) -> list[Frame]:
    """Run an algorithm for components; return its parents, or labels, as they change."""
    parents = algorithm.parents_of(choices)
    if parents is None:
        return []
    frames, _ = _recorded(algorithm, parents.array, graph, every, choices)
    return frames


def spanning_frames(algorithm: Algorithm, graph: Graph, every: Every, choices: dict[str, Any]) -> list[Frame]:
    """Run an algorithm for spanning forests; the last frame shows the edges that it has chosen."""
    frames, chosen = _recorded(algorithm, "pi", graph, every, choices)
    edges = frozenset((int(u), int(v)) for u, v in chosen)
    last = frames[-1].pointers if frames else tuple(range(graph.vertices))
    about = "each edge that hooked a root is in the spanning forest"
    return [*frames, Frame("the edges that hooked", last, chosen=edges, about=about)]


def _recorded(
    algorithm: Algorithm, array: str, graph: Graph, every: Every, choices: dict[str, Any]
) -> tuple[list[Frame], Any]:
    """Return the frames of a run, and its answer."""
    if every != "write":
        recorder = Recorder(algorithm, parents_view(array, graph.vertices), "phase")
        answer = recorder.run(graph, **choices)
        if every == "phase" or len(recorder.frames) > FEW_PHASES or graph.vertices > FEW_VERTICES:
            return recorder.frames, answer
    recorder = Recorder(algorithm, parents_view(array, graph.vertices), "write")
    return recorder.frames, recorder.run(graph, **choices)


def parents_view(array: str, vertices: int) -> View:
    """Return a view of an array of parents. Arrays of that name for smaller graphs are not shown."""

    def view(phase: str, arrays: Arrays) -> Frame | None:
        parents = arrays.get(array, ())
        return Frame("", tuple(parents)) if len(parents) == vertices and vertices else None

    return view
