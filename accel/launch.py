"""Launch shapes: how many work-items, in groups of how many, for which device.

This is the one place that turns facts about a device into sizes. Drivers say what is launched over
what (all vertices, all edges, tiles of a list); the numbers come from the table below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pointerjump.accel.devices import Device


@dataclass(frozen=True)
class Tuning:
    """What one class of devices likes.

    Attributes
    ----------
    access : {"striding", "partitioning"}
        Which items a work-item takes (Dehne and Yogaratnam, section 2.5).
    balance : {"degree", "none"}
        Whether vertices of high degree are shared by several work-items.
    group : int
        Work-items a work-group.
    groups_per_unit : int
        At most so many work-groups a compute unit; beyond, work-items loop.
    tile : int
        Work-items that share a vertex of middling degree.
    elements_per_splitter : int
        List ranking: mean length of a sub-list.
    walks : int
        List ranking: how many sub-lists a work-item walks at once.
    """

    access: str
    balance: str
    group: int
    groups_per_unit: int
    tile: int
    elements_per_splitter: int
    walks: int


# On two CPU cores partitioning beat striding 2 to 6 times on every graph, on GPUs it is the other way
# round. A CPU work-group is one task of the runtime's thread pool: many more tasks than cores balance
# runs of unequal cost, one work-item a group spares the compiler's loop over the group.
TUNING = {
    "cpu": Tuning("partitioning", "none", 1, 64, 1, 1024, 32),
    "gpu": Tuning("striding", "degree", 256, 64, 32, 64, 1),
}


@dataclass(frozen=True)
class Shape:
    """A one-dimensional launch."""

    global_size: tuple[int]
    local_size: tuple[int]

    @property
    def groups(self) -> int:
        """How many work-groups are launched."""
        return self.global_size[0] // self.local_size[0]


class Launcher:
    """Launch shapes for one device."""

    def __init__(self, device: Device) -> None:
        self.tuning = TUNING["cpu" if device.type == "cpu" else "gpu"]
        self.device = device

    def over(self, items: int, group: int | None = None) -> Shape:
        """Cover `items` with one work-item each, looping where that would be too many."""
        size = min(group or self.tuning.group, self.device.work_group)
        most = self.device.compute_units * self.tuning.groups_per_unit
        groups = max(1, min(most, -(-items // size)))
        return Shape((groups * size,), (size,))

    def one_group(self, work_items: int) -> Shape:
        """Launch a single work-group."""
        return Shape((work_items,), (work_items,))

    def everywhere(self, group: int | None = None) -> Shape:
        """Fill the device, for kernels whose items are counted on the device."""
        size = min(group or self.tuning.group, self.device.work_group)
        return Shape((self.device.compute_units * self.tuning.groups_per_unit * size,), (size,))
