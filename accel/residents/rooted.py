"""Rooted forests on devices."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.runtime.session import Buffer, Session
from pointerjump.base.rooted import Rooted


class ResidentRooted:
    """The arrays of a rooted forest on a device.

    If the device shares the host's memory, the arrays are not copied. `prepared` maps the names of algorithms
    to the buffers that they have prepared for later runs.
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
        """Return one of the forest's arrays. It is put on the device when it is first requested."""
        if name not in self._arrays:
            self._arrays[name] = self.session.put(getattr(self.rooted, name), f"the forest's {name}")
        return self._arrays[name]
