"""What the selection of an algorithm knows of its input. What it knows of a device is the tuning for it."""

from __future__ import annotations

from typing import Literal, NamedTuple

Form = Literal["edges", "stored rows", "rows", "lists"]
"""Edges in any order and direction; rows as stored; rows with both directions of every edge; lists."""


class InputFacts(NamedTuple):
    """What is known of an input before anything is done with it.

    Attributes
    ----------
    items : int
        How many vertices, or list elements.
    stored : int
        How many edges are stored: as read, or as entries of rows.
    form : {"edges", "stored rows", "rows", "lists"}
        What the input is: edges as read, rows that may hold an edge in one direction only, rows known to hold
        both directions of every edge, or lists.
    on_device : bool
        Whether it lies on the device already, for several runs.
    """

    items: int
    stored: int = 0
    form: Form = "rows"
    on_device: bool = False

    @property
    def directed_edges(self) -> int:
        """How many entries rows with both directions would hold, duplicates apart."""
        return self.stored if self.form == "rows" else 2 * self.stored
