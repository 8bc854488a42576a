"""Forests of ids on a device, which accept pairs of ids and return the component of each id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.disjoint_set import DeviceDisjointSet, DeviceEdges
from pointerjump.accel.interning import DeviceInterner, Growing
from pointerjump.accel.runtime.session import Buffer, Session
from pointerjump.base.id_bytes import IdBytes, IdKind

PAIRS = {"WIDE_IDS": False, "EDGE_PAIRS": True}
"""The macros that tell ``edges.h`` how to read the numbers of two columns of ids."""

NOBODY = -1

NEEDED_PER_ID = 36  # approximate bytes per id besides the id itself: slots in a table, a parent and names


class IdForest:
    """The components of all ids added so far.

    Ids are numbered in order of first appearance, and their numbers are the vertices of the forest. The
    forest must be used inside ``with session.running()``. It can also join all members of a group. The names
    of groups come in columns, and `groups` contains the :class:`IdKind` of each column.
    """

    def __init__(
        self,
        session: Session,
        kind: IdKind,
        groups: Sequence[IdKind] = (),
        *,
        access: str | None = None,
        reads: str = "plain",
    ) -> None:
        self.session = session
        self._ids = DeviceInterner(session, kind, access=access, reads=reads)
        self._forest = DeviceDisjointSet(session, access=access, reads=reads)
        self._access, self._reads = access, reads
        self._groups = [_Groups(DeviceInterner(session, each, access=access, reads=reads)) for each in groups]

    @property
    def nbytes(self) -> int:
        """The approximate size in bytes. Ids count twice, because an array is copied when it grows."""
        return 2 * self._ids.nbytes + NEEDED_PER_ID * self._ids.known

    def expect(self, ids: int) -> None:
        """Prepare for approximately `ids` more ids, including repeated ones."""
        self._ids.expect(ids)

    def add(self, ids: IdBytes) -> None:
        for block in self._ids.blocks([ids]):
            self._intern(block)

    def merge(self, sources: IdBytes, targets: IdBytes) -> None:
        for block in self._ids.blocks([sources, targets]):
            numbers = self._intern(block)
            self._forest.link(DeviceEdges(numbers, numbers, len(block[0]), PAIRS))

    def merge_coded(self, ids: IdBytes, places: npt.NDArray[Any]) -> None:
        """Join the components of pairs of ids. Each row of `places` contains a pair's positions in `ids`."""
        of_blocks = [
            self.session.get(self._intern(block), len(block[0])) for block in self._ids.blocks([ids])
        ]
        if of_blocks:
            ends = np.concatenate(of_blocks)[places].reshape(-1)
            given = self.session.put_writable(ends, "the numbers of pairs")
            self._forest.link(DeviceEdges(given, given, len(places), PAIRS))

    def join(self, groups: IdBytes, members: IdBytes, key: int = 0) -> None:
        by_key = self._groups[key]
        for block in self._ids.blocks([groups, members]):
            group = by_key.numbers(block[:1])
            member = self._intern(block[1:])
            self._forest.link_members(len(block[0]), group, member, by_key.first_member.array.buffer)

    def _intern(self, block: Sequence[IdBytes]) -> Buffer:
        """Return the numbers assigned to a block's ids, and make each number a vertex."""
        numbers = self._ids.intern(block)
        self._forest.add(self._ids.known)
        return numbers

    def take(self) -> tuple[IdBytes, npt.NDArray[np.int32]]:
        """Return all ids and, for each id, the number of the smallest id in its component.

        The forest cannot be used afterwards.
        """
        if not self._ids.known:
            return self._ids.ids(), np.empty(0, np.int32)
        return self._ids.ids(), self._forest.take_named(self._named)

    def _named(self, roots: Buffer, smallest: Buffer) -> None:
        session, n, kind = self.session, np.uint32(self._ids.known), self._ids.kind
        kernel = session.kernels(
            "smallest_ids.cl",
            self._access,
            WIDTH=kind.width,
            SIGNED=kind.order == "signed",
            UNSIGNED=kind.order == "unsigned",
            READS_ATOMIC=self._reads == "atomic",
        )
        over, ids = session.shapes.over(int(n)), (self._ids.text.array.buffer, self._ids.begin.array.buffer)
        kernel("lower_all", over, n, roots, *ids, smallest)()
        kernel("name_all", over, n, smallest, roots)()


class _Groups:
    """The distinct groups in one column, and the first member of each group."""

    def __init__(self, names: DeviceInterner) -> None:
        self._names, self._known = names, 0
        self.first_member = Growing(names.session, np.int32, "the first members of groups")

    def numbers(self, block: Sequence[IdBytes]) -> Buffer:
        """Return the numbers assigned to a block's groups, and make room for new groups' first members."""
        session, m = self._names.session, len(block[0])
        numbers = self._names.intern(block)
        kept = session.scratch("the groups' numbers", m)
        session.copy(kept, numbers, m)  # the numbers of members will go into the same buffer
        known = self._names.known
        if known > self._known:
            self.first_member.make_room(known, self._known)
            self.first_member.write(np.full(known - self._known, NOBODY), self._known)
            self._known = known
        return kept
