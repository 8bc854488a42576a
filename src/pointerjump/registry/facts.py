"""What the selection of an algorithm knows about the input. About the device, it knows the tuning."""

from __future__ import annotations

from typing import Literal, NamedTuple

Form = Literal["edges", "blocks", "stored rows", "rows", "lists", "ids", "image"]
"""Edges in any order and direction; such edges, block by block; rows as stored; rows with both directions of
every edge; lists; ids; an image."""

GRAPH_FORMS: tuple[Form, ...] = ("edges", "blocks", "stored rows", "rows")
"""The forms of graphs. Some algorithms take a graph in another form than the one it has."""


class InputFacts(NamedTuple):
    """What is known about an input without reading more than a few of its edges or elements.

    Attributes
    ----------
    items : int
        The number of vertices, of list elements, of ids, or of pixels.
    stored : int
        The number of stored edges: edges as read, or entries of rows.
    form : {"edges", "blocks", "stored rows", "rows", "lists", "ids", "image"}
        Edges as read, edges that come block by block, rows that may hold an edge in only one direction,
        rows that are known to hold both directions of every edge, lists, ids, or an image.
    on_device : bool
        Whether the input is on the device already, for repeated runs.
    in_order : bool
        Whether edges that follow each other often have ends near each other, as far as a few of them show.
        For few edges and for other forms it is unknown, and False.
    local : bool
        Whether edges often join ids that are near each other. Known on the same terms.
    """

    items: int
    stored: int = 0
    form: Form = "rows"
    on_device: bool = False
    in_order: bool = False
    local: bool = False

    @property
    def directed_edges(self) -> int:
        """The number of entries in rows with both directions of every edge, if there are no duplicates."""
        return self.stored if self.form == "rows" else 2 * self.stored
