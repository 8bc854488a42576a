"""Device implementation of Wylie's pointer jumping."""

from __future__ import annotations

import numpy as np

from pointerjump.accel.plan import Plan, PlanStep
from pointerjump.accel.residents.lists import ResidentLists
from pointerjump.accel.runtime.icd import opencl
from pointerjump.accel.runtime.session import Buffer
from pointerjump.accel.successors import LostFlag, find_ends

MOST_HELD = 4  # the maximum number of pairs per work-item while its work-group jumps in local memory


def prepare(lists: ResidentLists, packing: str, launch: str, access: str) -> Plan:
    n, over_elements = lists.n, lists.session.shapes.over(lists.elements)
    find_ends(lists, access)  # raises an error if two elements have the same successor
    kernel = lists.kernels("wylie.cl", access, APART=packing == "none")
    pairs = lists.scratch("pairs", lists.elements, np.int64)
    ranks = lists.scratch("ranks", lists.elements)
    lost = LostFlag(lists)
    jumps, jumped = jump(lists, lists.elements, pairs, access, packing, launch)
    steps: list[PlanStep] = [
        lost.clear,
        kernel("PJ1", over_elements, n, lists.successors, pairs),
        *jumps,
        kernel("done", over_elements, n, lists.successors, jumped, ranks, lost.buffer),
    ]
    return Plan(ranks, steps, end=[lost.check])


def jump(
    lists: ResidentLists,
    elements: int,
    pairs: Buffer,
    access: str,
    packing: str = "64-bit",
    launch: str = "many",
) -> tuple[list[PlanStep], Buffer]:
    """Return the steps for all rounds of the kernel PJ2, and the buffer to which the last round writes.

    After the last round, the pair of each element contains its rank and a pointer to the end of its list.
    """
    shapes, n = lists.session.shapes, np.uint32(elements)
    kernel = lists.kernels("wylie.cl", access, APART=packing == "none")
    count = rounds(elements)
    if launch == "one":
        group = shapes.one_group()
        held, room = -(-elements // group.local_size[0]), 8 * max(1, elements)
        if packing != "none" and held <= MOST_HELD and room <= lists.session.device.local_memory:
            kernel = lists.kernels("wylie.cl", access, HELD=MOST_HELD)
            near = opencl().LocalMemory(room)
            return [kernel("PJ2_held", group, n, np.uint32(count), pairs, near)], pairs
    after = lists.scratch("pairs after a jump", elements, np.int64)
    jumped = after if count % 2 else pairs
    if launch == "one":
        return [kernel("PJ2_all", group, n, np.uint32(count), pairs, after)], jumped
    over = shapes.over(elements)
    there = kernel("PJ2", over, n, pairs, after)
    back = kernel("PJ2", over, n, after, pairs)
    return [(there, back)[i % 2] for i in range(count)], jumped


def rounds(elements: int) -> int:
    return (elements - 1).bit_length() if elements > 1 else 0
