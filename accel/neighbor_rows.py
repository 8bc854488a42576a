"""Decides in which rows an image's pixels have neighbors, and which contacts between rows can be skipped.

A row is a line of pixels along the last axis. A pixel's neighbors are in its own row, and in rows whose
positions along each of the other axes differ from its own by at most 1.

If adjacent foreground pixels always belong together, most contacts between rows can be skipped. Suppose that
a pixel of row A touches a pixel of row K, and that a pixel of a third row H touches both. Then A and K are
joined anyway, by the contacts of A with H and of H with K. We say that H *covers* the contact of A with K,
which *rests on* the other two contacts. Skipping is correct only if no contact rests on itself, directly or
through others. So only two rows may cover a contact of A, and only if they precede A in scan order:

- The *hub* of A, which is the row one step back along the first axis. The contact with the hub itself is
  never covered.
- The *side* of a contact with K, if K is one step back along the first axis. The side is the row S whose
  hub is K. S lies in A's *plane*, whose rows have the same position along the first axis. S must be one of
  the rows in which A's pixels look for neighbors.

A covered contact of A with K rests on two others. One of them is a contact with a hub, which is never
covered. The other one depends on the case:

1. K is one step back, and the side S covers the contact. The other contact is that of A with S, within A's
   plane.
2. K is in A's plane, and the hub H covers the contact. The other contact is that of K with H, which is one
   step back. The side of that contact would be A, but K's pixels do not look for neighbors there. So only K's
   hub can cover it.
3. K is one step back, and the hub H covers the contact. The other contact is that of H with K, within the
   plane one step back.

So case 1 leads to case 2, case 2 leads to case 3, and case 3 leads to case 2 again, one plane further back.
The chain ends in the first plane, whose rows have no hub.

In an image that wraps around, a row across a border may come after A. Such a row covers nothing. If an axis
that wraps around has only one or two pixels, several offsets lead to the same row, and each offset is treated
separately.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from pointerjump.base.images import MOST_AXES, earlier_offsets

Way = tuple[int, int, int]
"""The offset of a neighboring row along the first three of four axes, in rows."""


class NeighborRow(NamedTuple):
    """A row that contains neighbors of a given row's pixels, in the form that contacts.h expects.

    `diagonal` says whether pixels also have diagonal neighbors in this row. `hub` and `side` are the indices
    of the rows that may cover contacts with this row (see the module's docstring), or -1 if there is no such
    row. `hub_diagonal` says whether the hub also covers diagonal contacts.
    """

    way: Way
    diagonal: bool
    hub: int
    side: int
    hub_diagonal: bool


@cache
def rows_macros(ndim: int, connectivity: int) -> dict[str, Any]:
    """Return the macros that tell contacts.h in which rows a row's pixels look for neighbors."""
    rows = neighbor_rows(ndim, connectivity)
    in_c = []  # without spaces, because a build option may contain it
    for way, *numbers in rows:
        in_c.append(f"{{{{{','.join(map(str, way))}}},{','.join(str(int(n)) for n in numbers)}}}")
    return {"NEIGHBORS": len(rows), "ROWS": ",".join(in_c) or "{{0}}"}


def neighbor_rows(ndim: int, connectivity: int) -> list[NeighborRow]:
    """Return the rows in which a row's pixels look for neighbors.

    All of them precede the row in scan order. The hub, which is the row one step back along the first axis,
    comes first. It is followed by the rows in the same plane, and then by the other rows one step back. A row
    therefore comes after the rows that cover contacts with it, as contacts.h requires.
    """
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
    """Prepend `missing` zeros to a row's offset, as if the image had four axes."""
    first, second, third = (0,) * missing + way
    return first, second, third
