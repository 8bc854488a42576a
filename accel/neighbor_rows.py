"""The rows in which an image's pixels have neighbors, and the rows that cover contacts with these rows.

A row is a line of pixels along the last axis. A pixel's neighbors are in its own row, and in rows that
differ from it by at most 1 along each of the other axes.

If all foreground pixels belong together, most contacts can be skipped. Say a pixel of row A touches a pixel
of row K, and a pixel of a third row H touches both. Then the contacts of A with H and of H with K join A and
K anyway: H *covers* the contact of A with K, which then *rests on* the other two contacts. This is correct
only if no contact rests on itself through others. So only two rows may cover a contact of A, and only if they
come before A:

- A's *hub*: the row one step back along the first axis. The contact with the hub itself is never covered.
- The *side* of a contact with K, if K is one step back along the first axis. The side is the row S in A's own
  plane whose hub is K. It must be one of the rows in which A's pixels look for neighbors.

A covered contact rests on two others. One is a contact with a hub, and is never covered. The other one is:

1. If K is one step back, and S, the side, covers it: the contact of A with S, within A's plane.
2. If K is in A's plane, and H, the hub, covers it: the contact of K with H, which is one step back. The side
of that contact would be A, but K's pixels do not look there. So only K's hub can cover it.
3. If K is one step back, and H, the hub, covers it: the contact of H with K, within the plane one step back.

So 1 leads to 2, 2 to 3, and 3 to 2, one plane further back. Rows of the first plane have no hub, so the chain
ends there.

In an image that wraps, a row that is reached across a border may come after A. Such a row covers nothing. If
an axis that wraps has only one or two pixels, several offsets lead to the same row, and each is treated
separately.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from pointerjump.base.images import MOST_AXES, earlier_offsets

Way = tuple[int, int, int]
"""The offset of a neighboring row, in rows along each of the first three of four axes."""


class NeighborRow(NamedTuple):
    """A row with neighbors of a row's pixels, as contacts.h takes it.

    `diagonal` says whether pixels also have diagonal neighbors in this row. `hub` and `side` are the rows
    that cover contacts with it, or -1. `hub_diagonal` says whether the hub covers diagonal contacts, too.
    """

    way: Way
    diagonal: bool
    hub: int
    side: int
    hub_diagonal: bool


@cache
def rows_macros(ndim: int, connectivity: int) -> dict[str, Any]:
    """Return the rows in which a row's pixels look for neighbors, as contacts.h takes them."""
    rows = neighbor_rows(ndim, connectivity)
    in_c = []  # without spaces, because a build option may contain it
    for way, *numbers in rows:
        in_c.append(f"{{{{{','.join(map(str, way))}}},{','.join(str(int(n)) for n in numbers)}}}")
    return {"NEIGHBORS": len(rows), "ROWS": ",".join(in_c) or "{{0}}"}


def neighbor_rows(ndim: int, connectivity: int) -> list[NeighborRow]:
    """Return the rows in which a row's pixels look for neighbors: those before it in scan order.

    The hub comes first, then the rows in the same plane, then those one step back. So a row comes after the
    rows that cover contacts with it, as contacts.h expects.
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
    """Return an offset in an image of fewer than four axes as an offset along four axes."""
    first, second, third = (0,) * missing + way
    return first, second, third
