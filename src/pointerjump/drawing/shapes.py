"""The shapes that pictures are made of, before they become SVG or PNG. Lengths are in pixels, y downwards."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

INK = "ink"
"""The color of text: black, or white on a dark page."""

EDGE, KEPT, CHANGED = "#8a8f98", "#2E86C1", "#E06C00"
"""Colors that can be seen on light pages and on dark ones."""

TREES = (
    *("#9DC3E6", "#F6C28B", "#A5D6A7", "#E6B8D7", "#F2E58B"),
    *("#8FD3D1", "#D7BFA6", "#B9B5E8", "#F4A6A0", "#C3CBD3"),
)
"""Fills that black text can be read on. The elements of a tree have one of them."""

DARK = "#1a1a1a"
"""Text on a fill."""


@dataclass(frozen=True)
class Curve:
    """A cubic Bezier curve, with an arrowhead at its end if it is a pointer."""

    begin: tuple[float, float]
    first: tuple[float, float]
    second: tuple[float, float]
    end: tuple[float, float]
    color: str
    thickness: float
    arrow: bool = False


@dataclass(frozen=True)
class Outline:
    """A circle or a square around a point; without a border if its thickness is 0."""

    kind: Literal["circle", "square"]
    x: float
    y: float
    radius: float
    fill: str
    thickness: float
    dashed: bool = False


@dataclass(frozen=True)
class Text:
    """Text that begins at a point, or stands with its middle on it."""

    x: float
    y: float
    text: str
    color: str
    size: float
    middle: bool = True
    bold: bool = False

    @property
    def shown(self) -> str:
        """The text, with a sign in place of each character that no picture can show, and shortened."""
        text = printable(self.text)
        return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"


Shape = Curve | Outline | Text


@dataclass(frozen=True)
class Panel:
    """The picture of one frame."""

    width: float
    height: float
    shapes: tuple[Shape, ...]


UNPRINTABLE = re.compile("[^ -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Control characters, and what XML forbids."""

MOST_CHARACTERS = 100

WIDEST = 820.0
"""So wide a picture may become by panels that stand side by side."""


def printable(text: str) -> str:
    """Return a text with a sign in place of each character that no picture can show."""
    return UNPRINTABLE.sub("\ufffd", text)


def grid(panels: Sequence[Panel], columns: int | None) -> tuple[int, int, float, float]:
    """Return how many panels stand in a row, how many rows there are, and a panel's width and height."""
    width, height = (panels[0].width, panels[0].height) if panels else (1.0, 1.0)
    across = columns or max(1, min(len(panels), int(WIDEST // width)))
    return across, max(1, -(-len(panels) // across)), width, height


def arrowhead(curve: Curve) -> tuple[tuple[float, float], tuple[float, float], tuple[float, float]]:
    """Return the corners of a curve's arrowhead, the tip first."""
    dx, dy = curve.end[0] - curve.second[0], curve.end[1] - curve.second[1]
    length = (dx * dx + dy * dy) ** 0.5 or 1.0
    dx, dy = dx / length, dy / length
    x, y = curve.end
    return (
        (x, y),
        (x - 7 * dx + 3.2 * dy, y - 7 * dy - 3.2 * dx),
        (x - 7 * dx - 3.2 * dy, y - 7 * dy + 3.2 * dx),
    )
