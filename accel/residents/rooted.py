"""Rooted forests on devices."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.runtime.session import Buffer, Session
from pointerjump.base.rooted import Rooted


class ResidentRooted:
    """A rooted forest's arrays on a device. A device that shares the host's memory needs no copies.

    `prepared` maps an algorithm's name to what it has prepared for later runs.
    """

    def __init__(self, rooted: Rooted, session: Session) -> None:
        self.session, self.rooted = session, rooted
        self.vertices = len(rooted.parent)
        self.prepared: dict[str, tuple[Buffer, ...]] = {}
        self._arrays: dict[str, Buffer] = {}

    @property
    def n(self) -> np.uint32:
        return np.uint32(self.vertices)

    def array(self, name: str) -> Buffer:
        """Return one of the forest's arrays, after putting it on the device if necessary."""
        if name not in self._arrays:
            self._arrays[name] = self.session.put(getattr(self.rooted, name), f"the forest's {name}")
        return self._arrays[name]
