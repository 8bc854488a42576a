"""Device implementation of list ranking with random splitters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pointerjump.accel import wylie
from pointerjump.accel.plan import Plan, PlanStep
from pointerjump.accel.residents.lists import ResidentLists
from pointerjump.accel.runtime.icd import opencl
from pointerjump.accel.successors import LostFlag, find_ends, not_lists
from pointerjump.base.linked_lists import MOST_MARKS, SuccessorArray, require_marks

_NOT_ONE = 2  # the value of the kernels' flag if there are several lists


def prepare(
    lists: ResidentLists,
    *,
    splitters: int | None = None,
    seed: int,
    choice: str,
    packing: str,
    access: str,
) -> Plan:
    """Plan a run on linked lists.

    By default, the number of splitters depends on the device. With 48-bit packing, this default is limited so
    that every splitter has a 16-bit number. If the ends of the lists are not known, a run assumes that there
    is a single list, and its kernels find the ends. If there turn out to be several lists, other kernels find
    their ends, and the run continues from there.
    """
    session, n, over = lists.session, lists.n, lists.session.shapes.over
    narrow = packing == "48-bit"
    decided: dict[str, int] = {}
    kernel = lists.kernels("random_splitter.cl", access, WALKS=session.tuning.walks, NARROW_OWNERS=narrow)
    mark, flag = lists.scratch("mark", lists.elements, np.int64), LostFlag(lists)
    lost = flag.buffer
    ranks, read = lists.ranks()
    summing = over(lists.elements, session.shapes.power_of_two, at_once=True)
    sums = lists.scratch("sums", 4 * summing.groups, np.uint64)
    room = opencl().LocalMemory(2 * summing.local_size[0] * np.dtype(np.uint64).itemsize)

    def from_splitters(ends: SuccessorArray | None) -> list[PlanStep]:
        """Return the steps that follow the kernel RS1. If `ends` is None, they assume a single list."""
        e = 2 if ends is None else len(ends)
        p = session.tuning.splitters(lists.elements) if splitters is None else splitters
        p = drawn = min(p, max(0, MOST_MARKS - e) if narrow and splitters is None else p, lists.elements)
        if choice == "even":
            assert ends is not None
            ends, drawn = np.union1d(ends, evenly(lists, p, access)), 0
            e = len(ends)
        decided["splitters"] = p
        if narrow:
            require_marks(e + drawn)
        r, given, seeded = np.uint32(e + drawn), np.uint32(e), np.uint32(seed % 2**32)
        splitter = lists.scratch("splitter", int(r))
        over_splitters = over(int(r))
        draw = n, r, given, seeded, np.uint32(ends is None), splitter, mark, lost
        steps: list[PlanStep] = [kernel("RS2", over_splitters, *draw)]
        if ends is None:
            groups = np.uint32(summing.groups)
            one_group = session.shapes.one_group(summing.local_size[0])
            steps = [kernel("RS1_ends", one_group, n, groups, sums, splitter, lost, room), *steps]
        else:
            steps.append(lambda: session.copy_into(splitter, ends))
            steps.append(kernel("RS2_given", over(e), n, given, splitter, mark))

        sizes = [e + taken for taken in session.tuning.levels(drawn)]
        top = len(sizes) - 1
        above = [np.uint32(size) for size in (*sizes[1:], 0)]
        sublist = [lists.scratch(f"sublist {i}", size, np.int64) for i, size in enumerate(sizes)]
        # The highest level is ranked only by jumps. Kernels take its sub-lists as ranks, but write none.
        ranked = [lists.scratch(f"ranked {i}", size, np.int64) for i, size in enumerate(sizes[:-1])]
        ranked.append(sublist[top])
        take = [(np.uint32(sizes[i]), above[i], given, np.uint32((seed + i) % 2**32)) for i in range(top + 1)]
        walk = lists.successors, splitter, mark, sublist[0], ranked[0]
        steps.append(kernel("RS3", over_splitters, n, *take[0], *walk))
        for i in range(top):
            arrays = sublist[i], ranked[i], sublist[i + 1], ranked[i + 1]
            steps.append(kernel("RS4_walk", over(sizes[i + 1]), *take[i], above[i + 1], *arrays))
        launch = "one" if sizes[top] <= session.tuning.one_group_splitters else "many"
        jumps, ranked[top] = wylie.jump(lists, sizes[top], sublist[top], access, launch=launch)
        steps += jumps
        for i in reversed(range(top)):
            steps.append(kernel("RS4_rank", over(sizes[i]), *take[i], ranked[i + 1], ranked[i]))
        of_splitters = lists.successors, splitter, ranked[0]
        steps.append(kernel("RS4_check", over_splitters, r, *of_splitters, lost))
        steps.append(kernel("RS5", over(lists.elements), n, mark, ranked[0], ranks, lost))
        return steps

    def check() -> None:
        found = flag.read()
        if found == _NOT_ONE:
            # This raises an error if two elements have the same successor.
            ends = find_ends(lists, access, (sums, summing.groups))
            flag.clear()
            for step in from_splitters(ends):
                step()
            found = flag.read()
        if found:
            raise not_lists(session, lists.host)

    known = lists.ends
    if known is None and (choice == "even" or lists.elements == 0):
        known = find_ends(lists, access)
    rest = from_splitters(known)
    begin = kernel("RS1", over(lists.elements), n, lists.successors, mark, lost)
    if known is None:
        begin = kernel("RS1_sum", summing, n, lists.successors, mark, lost, sums, room)
    return Plan(ranks, [begin, *rest], end=[check], read=read, decided=decided, kept=read is None)


def evenly(lists: ResidentLists, splitters: int, access: str) -> npt.NDArray[np.int32]:
    """Rank the lists, and return elements that are evenly spaced along every list."""
    plan = wylie.prepare(lists, "64-bit", "many", access)
    plan.run()
    ranks = lists.session.get(plan.result, lists.elements).astype(np.int64)
    return np.flatnonzero(ranks * splitters % lists.elements < splitters).astype(np.int32)
