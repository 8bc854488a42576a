"""The rows in which an image's pixels have neighbors, and which of them cover which.

A row is a line of pixels along the last axis. A pixel's neighbors are in its own row, and in rows that
differ from it by at most 1 along each of the other axes.

Where all foreground belongs together, most contacts need not be looked at. Say two neighbors, in rows A and
K, are both neighbors of a pixel of the foreground in a row H. Then the contacts of A with H, and of H with
K, join them anyway: H *covers* the contact. Contacts must not cover one another in a circle. So only two
rows cover, and only if they come before A:

- The *hub* of A is one step back along the image's first axis. A contact with the hub is never covered. If K
  is in A's plane, what is left is the contact of K with A's hub, which K's own hub covers at most. If K is in
  the hub's plane, as then, what is left is a contact in that plane, one step back. The first plane has no
  hub.
- If S is a row in A's plane, before A, then S is the *side* of its own hub K. S touches K as a row touches
  its hub. What is left is the contact of A with S in A's plane, which A's hub covers at most, as above.

In an image that wraps, a row across a border may come after A. It covers nothing then.
"""

from __future__ import annotations

from typing import NamedTuple

from pointerjump.images import MOST_AXES, earlier_offsets

Way = tuple[int, int, int]
"""The way from a row to a neighboring one, in rows along the first three of four axes."""


class NeighborRow(NamedTuple):
    """A row with neighbors of a row's pixels, as contacts.h takes it.

    Attributes
    ----------
    way : Way
    diagonal : bool
        Whether pixels have neighbors there that are not side by side, too.
    hub, side : int
        Which of the rows cover contacts with it, or -1.
    hub_diagonal : bool
        Whether the hub covers diagonal contacts, too.
    """

    way: Way
    diagonal: bool
    hub: int
    side: int
    hub_diagonal: bool

    def initializer(self) -> str:
        """Return the row in OpenCL C, without spaces, as a build option may contain it."""
        way = ",".join(str(step) for step in self.way)
        return f"{{{{{way}}},{int(self.diagonal)},{self.hub},{self.side},{int(self.hub_diagonal)}}}"


def neighbor_rows(ndim: int, connectivity: int) -> list[NeighborRow]:
    """Return the rows before a row in which its pixels have neighbors: the hub, its plane, then others."""
    if ndim == 1:
        return []
    missing = MOST_AXES - ndim
    hub = _padded((-1,) + (0,) * (ndim - 2), missing)
    diagonal: dict[Way, bool] = {}
    for offset in earlier_offsets(ndim, connectivity):
        row = _padded(offset[:-1], missing)
        if any(row):
            diagonal[row] = diagonal.get(row, False) or offset[-1] != 0
    ways = sorted(diagonal, key=lambda way: (way != hub, way[missing] != 0, way))
    place = {way: i for i, way in enumerate(ways)}
    rows = []
    for way in ways:
        apart = [abs(one - other) for one, other in zip(hub, way, strict=True)]
        near = way != hub and max(apart) <= 1 and sum(apart) <= connectivity
        side = (way[0] - hub[0], way[1] - hub[1], way[2] - hub[2])
        rows.append(
            NeighborRow(
                way,
                diagonal[way],
                hub=place[hub] if near else -1,
                side=place.get(side, -1),
                hub_diagonal=near and sum(apart) < connectivity,
            )
        )
    return rows


def _padded(way: tuple[int, ...], missing: int) -> Way:
    """Return a way in an image of fewer than four axes as one in an image of four."""
    first, second, third = (0,) * missing + way
    return first, second, third
