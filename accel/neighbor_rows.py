"""The rows in which an image's pixels have neighbors, and which of them cover which.

A row is a line of pixels along the last axis. A pixel's neighbors are in its own row and in the rows that differ
by at most 1 along the other axes.

Where all foreground belongs together, most contacts need not be looked at. If two neighbors, in rows A and K,
are both neighbors of a pixel in a row H, then the contacts of A with H and of H with K join them, too: H
*covers* the contact. To be sure that contacts do not cover each other in a circle, only two rows cover, and only
if they come before A:

- The *hub* is one step back from A along the image's first axis. Its contacts with A are never covered. H and K
  touch within the plane of the hub, or K lies in A's plane. In that case, the later of H and K is K, whose own
  hub may cover the contact of H and K; then what is left is a contact within the hub's plane. So the contacts
  that are left are each time one plane further back, and in the first plane there is no hub.
- If K is one step back along the first axis from a row S in A's plane, and S comes before A, then S is the *side*
  of K. Its contact with K is one of a row with its hub; its contact with A is in A's plane, and may be covered by
  a hub only, as above.

With images that wrap, a row that is reached across a border may come after A. It covers nothing then.
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
    """Return the rows before a row in which its pixels have neighbors: the hub first, then those in its plane."""
    if ndim == 1:
        return []
    missing = MOST_AXES - ndim
    hub = _padded((-1,) + (0,) * (ndim - 2), missing)
    diagonal: dict[Way, bool] = {}
    for *way, step in earlier_offsets(ndim, connectivity):
        if any(way):
            row = _padded(tuple(way), missing)
            diagonal[row] = diagonal.get(row, False) or step != 0
    ways = sorted(diagonal, key=lambda way: (way != hub, way[missing] != 0, way))
    place = {way: i for i, way in enumerate(ways)}
    rows = []
    for way in ways:
        apart = [abs(one - other) for one, other in zip(hub, way, strict=True)]
        near = way != hub and max(apart) <= 1 and sum(apart) <= connectivity
        side = tuple(one - other for one, other in zip(way, hub, strict=True))
        rows.append(
            NeighborRow(
                way,
                diagonal[way],
                hub=place[hub] if near else -1,
                side=place.get(side, -1),  # type: ignore[arg-type]
                hub_diagonal=near and sum(apart) < connectivity,
            )
        )
    return rows


def _padded(way: tuple[int, ...], missing: int) -> Way:
    """Return a way in an image of fewer than four axes as one in an image of four."""
    first, second, third = (0,) * missing + way
    return first, second, third
