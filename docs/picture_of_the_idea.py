"""Draws the home page's picture: ``python docs/picture_of_the_idea.py`` writes ``docs/idea.svg``."""

from __future__ import annotations

from pathlib import Path

from picture_of_a_run import on_white

from pointerjump import Graph
from pointerjump.draw import Drawing, Frame

PICTURE = Path(__file__).with_name("idea.svg")
EDGES = ((0, 1), (1, 2), (2, 3), (3, 4), (5, 6), (6, 7))
PLACES = (
    (-1.09, -0.36),
    (-0.68, 0.93),
    (0.68, 0.93),
    (1.09, -0.36),
    (0.0, -1.15),
    (2.1, -0.75),
    (2.85, 0.55),
    (3.6, -0.75),
)
FRAMES = (
    ("edges", (0, 1, 2, 3, 4, 5, 6, 7)),
    ("each vertex points to a neighbor", (0, 0, 1, 2, 3, 5, 5, 6)),
    ("it takes the pointer of that one", (0, 0, 0, 1, 2, 5, 5, 5)),
    ("again: one root for each component", (0, 0, 0, 0, 0, 5, 5, 5)),
)


def picture() -> str:
    """Return pointer jumping on two paths."""
    graph = Graph.from_edges([u for u, _ in EDGES], [v for _, v in EDGES])
    frames = [Frame(title, pointers) for title, pointers in FRAMES]
    return on_white(Drawing(frames, graph=graph, positions=PLACES, title="pointer jumping").svg(columns=2))


if __name__ == "__main__":
    PICTURE.write_text(picture())
