"""Finds the ends of lists on a device, or the reason why successors do not form lists.

A single streaming pass counts the lists. If there is only one list, the pass also finds its head: the sum of
all positions minus the sum of all successors, not counting the successor of the last element. Elements
with predecessors are marked only if there are several lists, because marking requires a random scatter.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pointerjump.accel.residents.lists import ResidentLists
from pointerjump.accel.runtime.icd import opencl
from pointerjump.accel.runtime.session import Buffer, Session
from pointerjump.base.linked_lists import SuccessorArray, require_lists
from pointerjump.errors import DeviceError, ListError

_SUMMING_GROUP = 64  # the maximum number of work-items that add up together; a power of two
_MASK = 2**64 - 1


def find_ends(
    lists: ResidentLists, access: str | None = None, summed: tuple[Buffer, int] | None = None
) -> npt.NDArray[np.int32]:
    """Return the first and last elements of all lists, without duplicates and in any order.

    If a kernel has already computed the sums that ``sum_up`` would compute, `summed` contains their buffer
    and the number of work-groups. A ListError is raised if two elements have the same successor.
    """
    session, n = lists.session, lists.elements
    if lists.ends is not None or n == 0:
        return np.empty(0, np.int32) if lists.ends is None else lists.ends
    kernel = lists.kernels("successors.cl", access)
    group = min(_SUMMING_GROUP, 1 << (session.device.work_group.bit_length() - 1))
    shape = session.shapes.over(n, group)
    local = opencl().LocalMemory(2 * group * np.dtype(np.uint64).itemsize)
    sums = lists.scratch("sums by group", 4 * shape.groups, np.uint64)
    if summed is None:
        kernel("sum_up", shape, lists.n, lists.successors, sums, local)()
        summed = sums, shape.groups
    lasts, last_sum, head_sum, head_print = _total(_by_group(session, *summed))

    if lasts == 1:
        if head_sum < n and fingerprint(head_sum) == head_print:
            return np.unique(np.array([head_sum, last_sum], np.int32))
        raise not_lists(session, lists.host)
    # Several lists: mark the elements that have a predecessor, and collect the others.
    has_predecessor = session.empty(n, np.int32, "the marks")
    elements = session.shapes.over(n)
    kernel("clear", elements, lists.n, has_predecessor)()
    kernel("mark", elements, lists.n, lists.successors, has_predecessor)()
    ends_of = session.empty(shape.global_size[0], np.uint32, "the numbers of ends")
    collected = lists.n, lists.successors, has_predecessor, ends_of, sums, local
    kernel("collect", shape, *collected)()
    by_group = _by_group(session, sums, shape.groups)
    found, _, heads, heads_print = _total(by_group)
    if heads != lasts or heads_print != head_print:
        raise not_lists(session, lists.host)
    before = np.cumsum(by_group[:, 0]) - by_group[:, 0]
    first = session.put_writable(before.astype(np.uint32), "the first end of each work-group")
    ends = session.empty(found, np.int32, "the lists' ends")
    kernel("close_up", shape, lists.n, has_predecessor, ends_of, first, ends)()
    return session.get(ends, found)


def _by_group(session: Session, sums: Buffer, groups: int) -> npt.NDArray[np.uint64]:
    return session.get(sums, 4 * groups, np.uint64).reshape(groups, 4)


def _total(by_group: npt.NDArray[np.uint64]) -> list[int]:
    return [int(total) for total in by_group.sum(axis=0, dtype=np.uint64)]


class LostFlag:
    """A flag that kernels set if they get lost, that is, if they encounter a cycle.

    Each run must clear the flag first, with `clear` or in a kernel, and read it last, usually with `check`.
    """

    def __init__(self, lists: ResidentLists) -> None:
        self._session, self._host = lists.session, lists.host
        self.buffer = lists.scratch("lost", 1)

    def clear(self) -> None:
        self._session.fill(self.buffer, 0)

    def read(self) -> int:
        return int(self._session.get(self.buffer, 1)[0])

    def check(self) -> None:
        if self.read():
            raise not_lists(self._session, self._host)


def not_lists(session: Session, host: SuccessorArray | None) -> Exception:
    """Return the error for successors that do not form lists.

    The host searches for an example of what is wrong. If it finds none, the device must be at fault, and a
    DeviceError is returned.
    """
    try:
        if host is not None:
            require_lists(host)
    except ListError as error:
        return error
    return DeviceError(
        f"{session.device.device} read the successors wrongly: choose another device "
        "(pointerjump devices lists them)"
    )


def fingerprint(j: int) -> int:
    """Return the hash of `j` that ``kernels_cl/successors.h`` computes."""
    j = (j + 1) * 0x9E3779B97F4A7C15 & _MASK
    j = (j ^ (j >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    j = (j ^ (j >> 27)) * 0x94D049BB133111EB & _MASK
    return j ^ (j >> 31)
