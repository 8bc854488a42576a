"""Launch shapes: the number of work-items, and the size of their groups.

Algorithms say what a kernel is launched over, such as all vertices; this module decides the sizes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pointerjump.accel.runtime.devices import Device
    from pointerjump.accel.tuning import Tuning


SIDE_BY_SIDE = 32
"""The adjacent items that ``FOR_EACH_DEALT`` takes together, with striding (``common.h``)."""


class Shape(NamedTuple):
    """The work-items of a one-dimensional launch, and the size of its groups."""

    global_size: tuple[int]
    local_size: tuple[int]

    @property
    def groups(self) -> int:
        return self.global_size[0] // self.local_size[0]


class Shapes:
    """Launch shapes for one device.

    A compute unit has at most `items_per_unit` work-items. Groups whose size must be a power of two have
    `power_of_two` work-items.
    """

    def __init__(self, device: Device, tuning: Tuning) -> None:
        self.device = device
        self.tuning = tuning
        self._group = min(tuning.group, device.work_group)
        self.items_per_unit = tuning.groups_per_unit * self._group
        self.power_of_two = 1 << (self._group.bit_length() - 1)

    def over(
        self, items: int, group: int | None = None, *, at_once: bool = False, fewest_each: int = 1
    ) -> Shape:
        """Return a launch with one work-item for each item; if there are too many items, work-items loop.

        If `at_once` is true, there are at most as many work-items as the device runs at once. Each work-item
        gets at least `fewest_each` items.
        """
        size = min(group, self.device.work_group) if group else self._group
        a_unit = self.tuning.groups_at_once if at_once else self.tuning.groups_per_unit
        most = self.device.compute_units * a_unit
        groups = max(1, min(most, -(-items // (size * fewest_each))))
        return Shape((groups * size,), (size,))

    def one_group(self, work_items: int | None = None) -> Shape:
        """Return a launch of a single work-group, by default as large as suits the device."""
        size = min(work_items or self.tuning.small_group, self.device.work_group)
        return Shape((size,), (size,))

    def everywhere(self) -> Shape:
        """Return a launch that fills the device, for kernels whose number of items only the device knows."""
        return Shape((self.device.compute_units * self.items_per_unit,), (self._group,))

    @staticmethod
    def turns(items: int) -> int:
        """Return the number of turns of ``FOR_EACH_DEALT`` for `items` items, with striding."""
        blocks = max(1, -(-items // SIDE_BY_SIDE))
        return SIDE_BY_SIDE << (blocks - 1).bit_length()
