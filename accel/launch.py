"""Launch shapes: how many work-items, in groups of how many, for which device.

This is the one place that turns facts about a device into sizes. Drivers say what is launched over
what (all vertices, all edges, tiles of a list); the numbers come from the table below.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pointerjump.registry import Value

if TYPE_CHECKING:
    from pointerjump.accel.runtime.devices import Device


Choice = tuple[str, Mapping[str, Value]]
"""An algorithm's name and the variant to run."""

# Afforest as in the paper, but that it starts from a smaller neighbor in place of linking the first one: on
# an H200 that saved 5 to 15% on nine of eleven graphs.
AFFOREST: Choice = ("afforest", {"init": "first"})

# Where there are many edges a sixteenth of the vertices shows the largest component well enough, and any
# neighbor inside it will do for the rest. Against AFFOREST, ms: on an H200 1.0 -> 0.59 on kron24, 0.80 ->
# 0.44 on urand23, 0.33 -> 0.22 on r4-2e23, but 1.3 -> 5.2 on a road-like grid; on two CPU cores 21 -> 7
# on urand20, 24 -> 12 on kron20.
SAMPLED_AFFOREST: Choice = ("afforest", {"init": "first", "one_in": 16, "rest": "until-joined"})
CPU_ECL_CC: Choice = ("ecl-cc", {"init": "own"})


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
    resident_groups : int
        So many work-groups a compute unit run at once.
    tile : int
        Work-items that share a vertex of middling degree.
    elements_per_splitter : int
        List ranking: mean length of a sub-list.
    rounds_ahead : int
        How many rounds are enqueued before the host reads whether there is to be another one.
    walks : int
        List ranking: how many sub-lists a work-item walks at once.
    shorten_paths : bool
        Whether Afforest, where it is free to, shortens the paths it walks while it links.
    fewest_each : int
        ECL-CC on sparse graphs: at least so many vertices a work-item in compute1.
    narrow : int
        Searches: one work-group goes on alone while no frontier has more vertices.
    small : int
        Components of graphs of up to so many vertices and stored edges, together, are found by one launch
        of one work-group.
    small_group : int
        ... of so many work-items.
    auto_sparse, auto_dense : tuple of str and dict
        The algorithm and variant that ``auto`` runs on graphs of few and of many edges.
    sparse_degree : float
        Up to this mean degree a graph is sparse.
    """

    access: str
    balance: str
    group: int
    groups_per_unit: int
    resident_groups: int
    tile: int
    elements_per_splitter: int
    rounds_ahead: int
    walks: int
    shorten_paths: bool
    fewest_each: int
    narrow: int
    small: int
    small_group: int
    auto_sparse: Choice
    auto_dense: Choice
    sparse_degree: float

    def auto(self, vertices: int, directed_edges: int, as_stored: bool = False) -> Choice:
        """Return what ``algorithm="auto"`` runs on a graph of this size.

        With `as_stored` some edges may be stored in one direction only. Linking every stored entry
        is right all the same; skipping a component, or taking one direction alone, would not be.
        """
        if as_stored:
            return "afforest", {"skip_largest": False}
        return self.auto_sparse if self.sparse(vertices, directed_edges) else self.auto_dense

    def sparse(self, vertices: int, directed_edges: int) -> bool:
        """Whether a graph of this size counts as sparse."""
        return directed_edges <= self.sparse_degree * vertices


# On two CPU cores partitioning beat striding 2 to 6 times on every graph, on GPUs it is the other way
# round. A CPU work-group is one task of the runtime's thread pool: many more tasks than cores balance
# runs of unequal cost, one work-item a group spares the compiler's loop over the group.
TUNING = {
    "cpu": Tuning(
        access="partitioning",
        balance="none",
        group=1,
        groups_per_unit=64,
        resident_groups=64,
        tile=1,
        elements_per_splitter=1024,
        rounds_ahead=1,
        walks=32,  # 2^24 random elements: 1 at a time 2.5 s, 4 0.73, 8 0.43, 16 0.30, 32 0.22
        shorten_paths=True,  # 1024 x 1024 grid: 11 ms without, 1.5 with; no loss elsewhere
        fewest_each=1,
        narrow=4096,
        # By several launches all of five kinds of graph, as edges and as rows, took 1.2 to 3.8 times as long
        # as by one, on two cores; from 220,000 vertices and edges on the first of them took less.
        small=200_000,
        small_group=1,
        auto_sparse=CPU_ECL_CC,
        auto_dense=SAMPLED_AFFOREST,
        # ECL-CC took 0.8 of sampled Afforest's time on two road maps of degree 2.2, 1.25 on road22 of 2.5.
        sparse_degree=2.4,
    ),
    "gpu": Tuning(
        access="striding",
        balance="degree",
        group=256,
        groups_per_unit=64,
        resident_groups=8,
        tile=32,
        elements_per_splitter=64,
        rounds_ahead=4,
        walks=1,
        shorten_paths=False,  # twice the time on u18, 1.4 times on kron22: the writes contend
        # The more vertices are under way at once, the longer the chains they hook: 0.82 -> 0.43 ms on a
        # 2048 x 2048 grid, 0.16 -> 0.12 on one of 1024 x 1024. On dense graphs more under way is better.
        fewest_each=16,
        narrow=4096,
        # One group of 1024 / several launches, microseconds from edge arrays: 390 / 640 at 1,000 edges,
        # 470 / 780 at 10,000, 3,600 / 4,500 at 300,000 among as many vertices. Groups of 256 took up to twice
        # as long.
        small=300_000,
        small_group=1024,
        auto_sparse=AFFOREST,
        auto_dense=SAMPLED_AFFOREST,
        sparse_degree=7.0,
    ),
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

    def over(
        self, items: int, group: int | None = None, *, resident: bool = False, fewest_each: int = 1
    ) -> Shape:
        """Cover `items` with one work-item each, looping where that would be too many.

        With `resident`, no more work-items than the device holds at once; with `fewest_each`, no more than
        get so many items each.
        """
        size = min(group or self.tuning.group, self.device.work_group)
        a_unit = self.tuning.resident_groups if resident else self.tuning.groups_per_unit
        most = self.device.compute_units * a_unit
        groups = max(1, min(most, -(-items // (size * fewest_each))))
        return Shape((groups * size,), (size,))

    def partitioning(self, access: str | None = None) -> bool:
        """Whether work-items take contiguous runs, by the variant's choice or else the device's."""
        return (access or self.tuning.access) == "partitioning"

    def one_group(self, work_items: int) -> Shape:
        """Launch a single work-group."""
        return Shape((work_items,), (work_items,))

    def everywhere(self, group: int | None = None) -> Shape:
        """Fill the device, for kernels whose items are counted on the device."""
        size = min(group or self.tuning.group, self.device.work_group)
        return Shape((self.device.compute_units * self.tuning.groups_per_unit * size,), (size,))
