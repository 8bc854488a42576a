"""Launch shapes: how many work-items, in groups of how many.

Algorithms say what is launched over what: all vertices, all edges, tiles of a list. Sizes are decided here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pointerjump.accel.runtime.devices import Device
    from pointerjump.accel.tuning import Tuning


@dataclass(frozen=True)
class Shape:
    """A one-dimensional launch."""

    global_size: tuple[int]
    local_size: tuple[int]

    @property
    def groups(self) -> int:
        """How many work-groups are launched."""
        return self.global_size[0] // self.local_size[0]


class Shapes:
    """Launch shapes for one device."""

    def __init__(self, device: Device, tuning: Tuning) -> None:
        self.device = device
        self.tuning = tuning

    def over(
        self, items: int, group: int | None = None, *, resident: bool = False, fewest_each: int = 1
    ) -> Shape:
        """Cover `items` with one work-item each. Where that would be too many, work-items loop.

        With `resident`, there are no more work-items than the device runs at once. With `fewest_each`,
        there are no more than get so many items each.
        """
        size = self._group(group)
        a_unit = self.tuning.resident_groups if resident else self.tuning.groups_per_unit
        most = self.device.compute_units * a_unit
        groups = max(1, min(most, -(-items // (size * fewest_each))))
        return Shape((groups * size,), (size,))

    def one_group(self, work_items: int | None = None) -> Shape:
        """Launch a single work-group, by default as large as suits the device."""
        size = work_items or self.tuning.small_group
        return Shape((size,), (size,))

    def everywhere(self, group: int | None = None) -> Shape:
        """Fill the device, for kernels whose items are counted on the device."""
        size = self._group(group)
        return Shape((self.device.compute_units * self.tuning.groups_per_unit * size,), (size,))

    def _group(self, group: int | None) -> int:
        return min(group or self.tuning.group, self.device.work_group)
