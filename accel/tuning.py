"""The tuning parameters of each class of device.

They decide which algorithm runs and how it is launched. The measurements behind the values are in
docs/tried.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pointerjump.accel.runtime.devices import Device


SMALL_ON_ONE_UNIT = 1_000_000
"""For a CPU, `Tuning.small` is this number of vertices and edges divided by the number of compute units, if
the result is greater than the value in the table."""

SMALL_ON_INTEL = 100_000, 600_000
"""With Intel's runtime, these values replace `Tuning.small` in the table and `SMALL_ON_ONE_UNIT`, because a
launch takes less time than with PoCL."""

SHORT_LIST_ON_ONE_UNIT = 1 << 21
"""For a CPU, `Tuning.short_list` is this number of elements divided by the number of compute units, if the
result is greater than the value in the table."""

QUICK_ON_ONE_UNIT = 1 << 16
"""For a CPU with at least `MANY_UNITS` compute units, `Tuning.quick` is this value times the number of
compute units."""

SMALL_ON_MANY, SMALL_WITH_HUBS_ON_MANY = 75_000, 500_000
"""`Tuning.small` and `Tuning.small_with_hubs` for a CPU with at least `MANY_UNITS` compute units."""

MANY_UNITS = 16  # compute units; with this many, a launch takes as long as linking many thousands of edges


@dataclass(frozen=True)
class Tuning:
    """The tuning parameters of one class of device."""

    kind: str  # "cpu" or "gpu"
    access: str  # "striding" or "partitioning": how work-items share the items (Dehne, section 2.5)
    balance: str  # "degree" if several work-items share the neighbors of a vertex of high degree, or "none"
    group: int  # work-items per work-group
    groups_per_unit: int  # the maximum number of work-groups per compute unit; work-items loop over the rest
    more_if_uneven: int  # how many times as many, if some items take far longer than others
    groups_at_once: int  # work-groups that a compute unit runs at the same time
    tile: int  # work-items that share a vertex of medium degree

    # List ranking and scans
    elements_per_splitter: int  # the mean length of a sub-list
    shortest_sublists: int  # the minimum mean length of a sub-list, for ranks
    short_sublists: int  # the maximum number of splitters with such short sub-lists
    splitters_per_taken: int  # the ratio of the number of splitters at a level to that at the next level
    few_splitters: int  # the number of splitters at the highest level
    one_group_splitters: int  # the maximum number of splitters that one work-group ranks

    rounds_ahead: int  # rounds that are enqueued before the host reads whether another one is needed
    walks: int  # list ranking and scans: sub-lists that a work-item walks at a time
    ids_ahead: int  # interning: ids that a work-item looks up at a time
    ids_at_once: int  # interning: ids per block
    word_bits: int  # images: pixels whose bits are in one word (32 or 64)
    strip: int  # images: pixels of a row that a work-item processes at a time, a multiple of `word_bits`
    label_strip: int  # images: labels of a row that a work-item writes at a time

    # Afforest, except in its published form
    shorten_paths: bool  # whether each find shortens its path as it walks
    patience: int  # steps that a walk takes before it shortens its path

    # Afforest with rest="adaptive"
    shallow: int  # the maximum length of a short path, in steps
    parents_ahead: int  # neighbors whose parents a work-item reads at a time
    fewest_sampled: int  # the minimum number of vertices to sample, if the graph has that many
    late_giant_degree: float  # up to this mean degree, giants form late, so any tree counts as a giant

    narrow: int  # searches: a single work-group continues alone on frontiers of up to this many vertices
    small: int  # up to this many vertices and stored edges together, one launch of one work-group is fastest
    small_with_hubs: int  # the same, for edges in random order if there are hubs
    small_group: int  # work-items in that work-group
    quick: int  # up to this many row entries, linking all of them is faster than launches that skip some
    short_list: int  # the maximum number of elements of a list for which a single work-item is fastest
    sparse_degree: float  # the largest mean degree of a sparse graph

    def sparse(self, vertices: int, directed_edges: int) -> bool:
        return directed_edges <= self.sparse_degree * vertices

    def splitters(self, elements: int) -> int:
        """Return the number of random splitters to draw, in addition to the ends of the lists."""
        few = min(elements // self.shortest_sublists, self.short_sublists)
        return max(few, elements // self.elements_per_splitter)

    def levels(self, splitters: int) -> list[int]:
        """Return the number of random splitters at each level, starting with the lowest level."""
        levels = [splitters]
        while levels[-1] > self.few_splitters:
            levels.append(max(self.few_splitters, levels[-1] // self.splitters_per_taken))
        return levels


# On CPUs, partitioning is several times as fast as striding; on GPUs, the reverse is true. On a CPU, a
# work-group is one task of the runtime's thread pool: many more tasks than cores balance the load, and with
# one work-item per group, the compiler needs no loop over the group.
TUNING = {
    "cpu": Tuning(
        kind="cpu",
        access="partitioning",
        balance="none",
        group=1,
        groups_per_unit=64,
        more_if_uneven=1,
        groups_at_once=64,
        tile=1,
        elements_per_splitter=1024,
        shortest_sublists=64,
        short_sublists=1 << 14,
        splitters_per_taken=16,
        few_splitters=1 << 12,
        one_group_splitters=1 << 14,
        rounds_ahead=1,
        walks=32,  # this many cache misses overlap
        ids_ahead=64,
        ids_at_once=1 << 18,
        word_bits=64,
        strip=4096,
        label_strip=4096,
        shorten_paths=True,
        patience=0,
        shallow=2,
        parents_ahead=1,
        fewest_sampled=1 << 12,
        late_giant_degree=8.0,
        narrow=4096,
        small=200_000,
        small_with_hubs=0,
        small_group=1,
        quick=0,
        short_list=1 << 18,
        sparse_degree=3.0,
    ),
    "gpu": Tuning(
        kind="gpu",
        access="striding",
        balance="degree",
        group=256,
        groups_per_unit=64,
        more_if_uneven=4,
        groups_at_once=8,
        tile=32,
        elements_per_splitter=64,
        shortest_sublists=16,
        short_sublists=1 << 20,
        splitters_per_taken=8,
        few_splitters=1 << 11,
        one_group_splitters=1 << 14,
        rounds_ahead=4,
        walks=1,
        ids_ahead=1,
        ids_at_once=1 << 23,
        word_bits=32,
        strip=32,
        label_strip=4,
        shorten_paths=False,  # the extra writes would contend
        patience=8,
        shallow=12,
        parents_ahead=4,
        fewest_sampled=1 << 19,
        late_giant_degree=0.0,
        narrow=4096,
        small=300_000,
        small_with_hubs=0,
        small_group=1024,
        quick=0,
        short_list=0,
        sparse_degree=3.0,
    ),
}


def tuning_for(device: Device) -> Tuning:
    """Return tuning parameters that suit a device's type, driver, compute units and largest work-group."""
    tuning = TUNING["cpu" if device.type == "cpu" else "gpu"]
    most = device.work_group
    sizes = {name: min(getattr(tuning, name), most) for name in ("group", "small_group", "tile")}
    tuning = replace(tuning, **sizes)
    if device.type != "cpu":
        return tuning
    # One work-item competes with all compute units: the fewer there are, the less parallelism gains.
    intel = device.platform.startswith("Intel")
    many = device.compute_units >= MANY_UNITS
    least, on_one_unit = SMALL_ON_INTEL if intel else (tuning.small, SMALL_ON_ONE_UNIT)
    return replace(
        tuning,
        small=SMALL_ON_MANY if many else max(least, on_one_unit // device.compute_units),
        small_with_hubs=SMALL_WITH_HUBS_ON_MANY if many else 0,
        quick=QUICK_ON_ONE_UNIT * device.compute_units if many else 0,
        short_list=max(tuning.short_list, SHORT_LIST_ON_ONE_UNIT // device.compute_units),
    )
