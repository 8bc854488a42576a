"""Draws README's picture of a run: ``python docs/picture_of_a_run.py`` writes ``docs/run.svg``."""

from __future__ import annotations

import re
from pathlib import Path

from pointerjump.draw import draw

PICTURE = Path(__file__).with_name("run.svg")
ALGORITHM, GRAPH = "afforest", "grid2d:rows=3,columns=6,keep=0.8,seed=4"


def picture() -> str:
    """Return a run, phase by phase."""
    return on_white(draw(ALGORITHM, GRAPH, every="phase").svg(columns=2))


def on_white(drawn: str) -> str:
    """Return a picture on white, since one in an ``<img>`` does not know the colors of its page."""
    width, height = re.findall(r'viewBox="0 0 (\S+) (\S+)"', drawn)[0]
    paper = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    return drawn.replace("<svg ", '<svg color="#1a1a1a" ', 1).replace(">", f">{paper}", 1) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture())
