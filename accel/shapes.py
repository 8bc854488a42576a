"""Launch shapes: the number of work-items, and the size of their work-groups.

Algorithms specify what a kernel is launched over, for example all vertices. This module decides the sizes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pointerjump.accel.runtime.devices import Device
    from pointerjump.accel.tuning import Tuning


SIDE_BY_SIDE = 32
"""With striding, the number of adjacent items that ``FOR_EACH_DEALT`` processes together (see
``common.h``)."""


class Shape(NamedTuple):
    """The number of work-items in a one-dimensional launch, and the size of a work-group."""

    global_size: tuple[int]
    local_size: tuple[int]

    @property
    def groups(self) -> int:
        return self.global_size[0] // self.local_size[0]


class Shapes:
    """Launch shapes for one device.

    By default, a launch has at most `items_per_unit` work-items per compute unit. Work-groups whose size must
    be a power of two have `power_of_two` work-items.
    """

    def __init__(self, device: Device, tuning: Tuning) -> None:
        self.device = device
        self.tuning = tuning
        self._group = min(tuning.group, device.work_group)
        self.items_per_unit = tuning.groups_per_unit * self._group
        self.power_of_two = 1 << (self._group.bit_length() - 1)

    def over(
        self,
        items: int,
        group: int | None = None,
        *,
        at_once: bool = False,
        uneven: bool = False,
        fewest_each: int = 1,
    ) -> Shape:
        """Return a launch shape with one work-item per item, or with fewer work-items that loop over items.

        If `at_once` is true, there are at most as many work-items as the device can run at the same time.
        Otherwise, if `uneven` is true, some items take far longer than others, and GPUs may get more
        work-groups, to balance the load. If possible, each work-item processes at least `fewest_each` items.
        """
        size = min(group, self.device.work_group) if group else self._group
        tuning = self.tuning
        many = tuning.groups_per_unit * (tuning.more_if_uneven if uneven else 1)
        a_unit = tuning.groups_at_once if at_once else many
        most = self.device.compute_units * a_unit
        groups = max(1, min(most, -(-items // (size * fewest_each))))
        return Shape((groups * size,), (size,))

    def one_group(self, work_items: int | None = None) -> Shape:
        """Return the shape of a launch with a single work-group, whose default size depends on the device."""
        size = min(work_items or self.tuning.small_group, self.device.work_group)
        return Shape((size,), (size,))

    def everywhere(self) -> Shape:
        """Return a launch shape that fills the device, for use if the host does not know the item count."""
        return Shape((self.device.compute_units * self.items_per_unit,), (self._group,))

    def with_tables(self) -> Shape:
        """Return a launch shape with two large work-groups per compute unit.

        It is meant for kernels in which each work-group copies a table to its local memory. More groups would
        copy it more often, and leave less memory for caches.
        """
        (size,) = self.one_group().local_size
        return Shape((2 * self.device.compute_units * size,), (size,))

    @staticmethod
    def turns(items: int) -> int:
        """Return the number of turns that the macro ``FOR_EACH_DEALT`` takes with striding.

        Each turn processes at most one item. Some process none, because the number of turns is `SIDE_BY_SIDE`
        times a power of two.
        """
        blocks = max(1, -(-items // SIDE_BY_SIDE))
        return SIDE_BY_SIDE << (blocks - 1).bit_length()
