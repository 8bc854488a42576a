"""Disjoint-set forests on a device."""

from __future__ import annotations

from typing import Any

import numpy as np

from pointerjump.accel.residents.arrays import DeviceArray
from pointerjump.accel.runtime.session import Buffer, Kernels, Session
from pointerjump.base import limits
from pointerjump.base.edges import FEWER
from pointerjump.errors import DeviceError

SLACK, GROWTH = 1 / 16, 1 / 4
"""The extra room for a growing forest and the minimum growth, as fractions of the forest's size."""


class ResidentForest:
    """The parents of a forest on a device, in an array that can grow.

    At first, there is room for exactly `vertices` vertices. No parent is larger than its child, and a root
    is its own parent. Beyond the last vertex, each position is its own parent, too. `hooks` counts the roots
    that have been hooked. `wide` says whether parents are int64: they are if there is room for 2**31 vertices
    or more.
    """

    def __init__(
        self, session: Session, vertices: int = 0, access: str | None = None, reads: str = "plain"
    ) -> None:
        self.session, self._access, self._reads = session, access, reads
        self.room, self.wide = 0, False
        self.hooks = self._counter(0, np.int32)
        self.parents = self._array(0, np.int32, "the parents")
        if vertices:
            self._make(vertices)

    def count(self, vertices: int) -> np.uint32 | np.uint64:
        """Convert a vertex count to the type that kernels expect."""
        return np.uint64(vertices) if self.wide else np.uint32(vertices)

    def kernels(self, **macros: object) -> Kernels:
        """Return the kernels of ``disjoint_set.cl``, built for the type of the parents."""
        given = {"SHORTEN_PATHS": True, "WIDE_VERTICES": self.wide, "READS_ATOMIC": self._reads == "atomic"}
        return self.session.kernels("disjoint_set.cl", self._access, **{**given, **macros})

    def make_room(self, vertices: int) -> None:
        """Make room for `vertices` vertices and some more, so that a growing forest is rarely copied."""
        if vertices <= self.room:
            return
        more = max(vertices + int(SLACK * vertices), self.room + int(GROWTH * self.room))
        if vertices <= limits.MOST_NARROW_VERTICES:
            more = min(more, limits.MOST_NARROW_VERTICES)
        most = self.session.device.max_allocation // (8 if more > limits.MOST_NARROW_VERTICES else 4)
        self._make(max(vertices, min(more, most)))

    def copied(self, vertices: int, what: str) -> DeviceArray:
        copy = self._array(vertices, self.parents.dtype, what)
        copy.copy_from(self.parents.buffer, vertices)
        return copy

    def _make(self, room: int) -> None:
        """Move the parents to a new array with room for `room` vertices."""
        session, was, was_wide, old = self.session, self.room, self.wide, self.parents
        wide = room > limits.MOST_NARROW_VERTICES
        if wide and not session.device.int64_atomics:
            raise DeviceError(
                f"{room:,} vertices need 64-bit parents, and {session.device.device} has no 64-bit atomics: "
                "choose another device (pointerjump devices)"
            )
        parents = self._array(room, np.int64 if wide else np.int32, "the parents")
        kernel, over = self.kernels(WIDE_VERTICES=wide, READS_ATOMIC=False), session.shapes.over
        count, hooks = (np.uint64 if wide else np.uint32), self.hooks
        if wide and not was_wide:
            hooks = self._counter(int(session.get(self.hooks, 1)[0]), np.int64)
            kernel("widen", over(was), count(was), old.buffer, parents.buffer)()
        else:
            parents.copy_from(old.buffer, was)
        kernel("add_vertices", over(room - was), count(was), count(room), parents.buffer)()
        if was and session.device.host_memory:
            session.finish()  # the old parents are in a host array that is about to be freed
        # In one statement, so that an interrupt leaves either the old forest or the new one.
        self.room, self.wide, self.parents, self.hooks = room, wide, parents, hooks

    def _array(self, vertices: int, dtype: Any, what: str) -> DeviceArray:
        return DeviceArray(self.session, vertices, dtype, f"{what} of {vertices:,} vertices", FEWER)

    def _counter(self, hooks: int, dtype: type[np.signedinteger[Any]]) -> Buffer:
        if hooks:
            return self.session.put_writable(np.array([hooks], dtype), "the number of hooks")
        counter = self.session.empty(1, dtype, "the number of hooks")
        self.session.fill(counter, 0, np.dtype(dtype).itemsize // 4)
        return counter
