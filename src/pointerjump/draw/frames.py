"""What a picture shows: a scene, which stays, and frames, one for each moment of a run."""

from __future__ import annotations

import operator
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from pointerjump.errors import GraphError

NOWHERE = -1
"""What an element points to that does not point anywhere yet."""

PictureLayout = Literal["plane", "line"]
"""Whether elements stand anywhere in the plane, or in a row with arcs for edges and pointers."""


@dataclass(frozen=True)
class Frame:
    """Where every element points at one moment of a run.

    Attributes
    ----------
    title : str
        What has just happened, as "after hook".
    pointers : sequence of int
        The element that each element points to; -1 if it points nowhere yet.
    notes : sequence of str
        What is written below each element, such as its rank so far.
    marked : collection of int
        Elements that are drawn as squares, such as splitters.
    chosen : collection of (int, int)
        Edges that are drawn thick, such as those of a spanning forest.
    about : str
        What happens in this phase, in a sentence.
    """

    title: str
    pointers: Sequence[int]
    notes: Sequence[str] = ()
    marked: Collection[int] = ()
    chosen: Collection[tuple[int, int]] = ()
    about: str = ""

    def __post_init__(self) -> None:
        """Take any sequences and collections, and keep what cannot be changed.

        Raises
        ------
        GraphError
            If pointers are no integers, or edges no pairs.
        """
        try:
            object.__setattr__(self, "pointers", tuple(operator.index(p) for p in self.pointers))
            object.__setattr__(self, "notes", tuple(str(note) for note in self.notes))
            object.__setattr__(self, "marked", frozenset(self.marked))
            object.__setattr__(self, "chosen", frozenset((min(u, v), max(u, v)) for u, v in self.chosen))
        except (TypeError, ValueError) as error:
            raise GraphError(f"the frame {self.title!r} cannot be drawn: {error}") from None
        object.__setattr__(self, "title", str(self.title))

    def roots(self) -> tuple[int, ...]:
        """Return where the pointers lead from each element in the end, or -1 if that is nowhere."""
        root = list(self.pointers)
        for _ in range(max(1, len(root).bit_length())):
            root = [up if up == NOWHERE else root[up] for up in root]
        return tuple(root)


@dataclass(frozen=True)
class Scene:
    """What all frames of a picture have in common.

    Attributes
    ----------
    layout : {"plane", "line"}
        Whether the elements stand anywhere in the plane, or in a row, with arcs for edges and pointers.
    positions : tuple of (float, float)
        Where each element is. Elements that are next to each other are about 1 apart.
    edges : tuple of (int, int)
        What is drawn between elements, below or behind the pointers.
    names : tuple of str
        What is written in each element.
    cells : tuple of (float, float, int)
        Pixels, which are drawn behind everything else: the upper left corner, and the element that the pixel
        belongs to, or -1 for background.
    directed : bool
        Whether the edges are arrows, as those of a list are.
    element : str
        What an element is called: a vertex, an element of a list, an id.
    key : str
        What the lines, shapes and colors mean, in sentences.
    sizes : tuple of (str, int)
        How large what is drawn is: how many of what.
    """

    layout: PictureLayout
    positions: tuple[tuple[float, float], ...]
    edges: tuple[tuple[int, int], ...]
    names: tuple[str, ...]
    cells: tuple[tuple[float, float, int], ...] = ()
    directed: bool = False
    element: str = "element"
    key: str = ""
    sizes: tuple[tuple[str, int], ...] = ()
