"""The page of the shapes of graph that ``benches/zoo.py`` measures."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path

BENCHES = Path(__file__).resolve().parents[2] / "benches"


def shapes_page() -> str:
    """Return the shapes of graph that ``benches/zoo.py`` measures."""
    shapes = run_path(str(BENCHES / "zoo_shapes.py"))["SHAPES"]
    lines = [f"| `{name}` | {shape.description} |" for name, shape in shapes.items()]
    about = (
        "What [the zoo](zoo.md) measures; `benches/zoo_shapes.py` makes them. Random ones have a fixed seed."
    )
    return "\n".join(["# Shapes of graph", "", about, "", "| shape | what it is |", "| --- | --- |", *lines])
