"""The page of the shapes of graph that ``benches/zoo.py`` measures, with a picture of each."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path
from typing import Any

from pages.markdown import table
from pointerjump import Graph
from pointerjump.draw import picture
from pointerjump.errors import SpecError

BENCHES = Path(__file__).resolve().parents[2] / "benches"

VERTICES, EDGES = 20, 48
"""The most that a picture shows."""
FEWEST = 6
"""A shape that has fewer vertices at this size cannot be recognized."""


def shapes_page() -> str:
    """Return the shapes of graph that ``benches/zoo.py`` measures."""
    zoo = run_path(str(BENCHES / "zoo_shapes.py"))
    size = zoo["Size"](VERTICES, EDGES)
    rows = [(f"`{name}`", each.description, small(each, size)) for name, each in zoo["SHAPES"].items()]
    return "\n".join(
        [
            "# Shapes of graph",
            "",
            "This page is for those who read the zoo's results: [the zoo](zoo.md) measures these "
            "graphs, each with up to "
            "millions of edges. "
            "`benches/zoo_shapes.py` makes them; random ones have a fixed seed. "
            "[Generators and presets](generators.md) are for graphs of your own.",
            "",
            f"The pictures show shapes with at most {VERTICES} vertices and {EDGES} edges, so numbers in "
            "their names do not hold there. Shapes that cannot be recognized at this size have no picture.",
            "",
            *table(("shape", "what it is", "small"), rows),
            "",
            "Next: [the zoo](zoo.md), or [generators](generators.md).",
        ]
    )


def small(shape: Any, size: Any) -> str:
    """Return a picture of a shape, or nothing if it takes more vertices to be recognized."""
    try:
        edges = shape.build(size)
    except SpecError:
        return ""
    if not FEWEST <= edges.vertices <= 2 * VERTICES:
        return ""
    graph = Graph.from_edges(edges.sources, edges.targets, vertices=edges.vertices)
    return f'<div class="instance">{picture(graph)}</div>'
