"""A successor array on a device, and the ends of its lists.

One streaming pass counts the lists. If there is only one, the pass also finds its head, from the sum of all
positions minus the sum of all successors. Only several lists need marks, which take a random scatter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pointerjump.accel.runtime.icd import opencl
from pointerjump.accel.runtime.session import Kernels, Session
from pointerjump.accel.runtime.transfer import Scratch
from pointerjump.errors import DeviceError, ListError
from pointerjump.linked_lists import SuccessorArray, require_lists

if TYPE_CHECKING:
    import pyopencl as cl

_SUMMING_GROUP = 64  # work-items that add up together; a power of two
_MASK = 2**64 - 1


class ResidentLists:
    """A successor array on a device; not copied if the device shares the host's memory.

    Parameters
    ----------
    host : ndarray of int32, shape (elements,)
        Successors, each a position in the array. Each run checks whether they form lists.
    session : Session
    """

    def __init__(self, host: SuccessorArray, session: Session) -> None:
        self.session, self.host = session, host
        self.elements = len(host)
        self.successors = session.put(host, "the successors")
        self._scratch = Scratch()

    @property
    def n(self) -> np.uint32:
        """The number of elements, as kernels take it."""
        return np.uint32(self.elements)

    def kernels(self, file: str, access: str | None = None, **macros: object) -> Kernels:
        """Return the kernels of a file; the default for `access` is what suits the device."""
        partitioning = (access or self.session.tuning.access) == "partitioning"
        return Kernels(self.session, file, {"PARTITIONING": partitioning, **macros})

    def scratch(self, purpose: str, items: int, dtype: npt.DTypeLike = np.int32) -> cl.Buffer:
        """Return the buffer for a purpose. Runs share it, so its contents last until the next run."""
        return self._scratch.buffer(self.session, purpose, items, dtype)

    def flag(self) -> cl.Buffer:
        """Return the flag, cleared, that kernels set if they get lost: the successors do not form lists."""
        lost = self.scratch("lost", 1)
        self.session.fill(lost, 0)
        return lost

    def ends(self, access: str | None = None) -> npt.NDArray[np.int32]:
        """Return the first and last elements of all lists, each once, in an arbitrary order.

        Raises
        ------
        ListError
            If two elements have the same successor.
        """
        session, n = self.session, self.elements
        if n == 0:
            return np.empty(0, np.int32)
        kernel = self.kernels("successors.cl", access)
        group = min(_SUMMING_GROUP, 1 << (session.device.work_group.bit_length() - 1))
        shape = session.shapes.over(n, group)
        local = opencl().LocalMemory(2 * group * np.dtype(np.uint64).itemsize)
        sums = self.scratch("sums", 4 * shape.groups, np.uint64)
        kernel("sum_up", shape, self.n, self.successors, sums, local)()
        lasts, last_sum, head_sum, head_print = self._total(self._by_group(sums, shape.groups))

        if lasts == 1:
            if head_sum < n and fingerprint(head_sum) == head_print:
                return np.unique(np.array([head_sum, last_sum], np.int32))
            raise self._not_lists()
        # Several lists: mark the elements that have a predecessor, and collect the others.
        has_predecessor = session.empty(n, np.int32, "the marks")
        elements = session.shapes.over(n)
        kernel("clear", elements, self.n, has_predecessor)()
        kernel("mark", elements, self.n, self.successors, has_predecessor)()
        ends_of = session.empty(shape.global_size[0], np.uint32, "the numbers of ends")
        collected = self.n, self.successors, has_predecessor, ends_of, sums, local
        kernel("collect", shape, *collected)()
        by_group = self._by_group(sums, shape.groups)
        found, _, heads, heads_print = self._total(by_group)
        if heads != lasts or heads_print != head_print:
            raise self._not_lists()
        before = np.cumsum(by_group[:, 0]) - by_group[:, 0]
        first = session.put_writable(before.astype(np.uint32), "the first end of each work-group")
        ends = session.empty(found, np.int32, "the lists' ends")
        kernel("close_up", shape, self.n, has_predecessor, ends_of, first, ends)()
        return session.get(ends, found)

    def check_lost(self, lost: cl.Buffer) -> None:
        """Raise an error if the kernels have set the flag `lost`, which means that they met a cycle."""
        if self.session.get(lost, 1)[0]:
            raise self._not_lists()

    def _by_group(self, sums: cl.Buffer, groups: int) -> npt.NDArray[np.uint64]:
        return self.session.get(sums, 4 * groups, np.uint64).reshape(groups, 4)

    def _total(self, by_group: npt.NDArray[np.uint64]) -> list[int]:
        return [int(total) for total in by_group.sum(axis=0, dtype=np.uint64)]

    def _not_lists(self) -> Exception:
        """Return the error for successors that do not form lists; the host finds a witness."""
        try:
            require_lists(self.host)
        except ListError as error:
            return error
        return DeviceError(
            f"{self.session.device.device} read the successors wrongly: choose another device "
            "(pointerjump devices lists them)"
        )


def fingerprint(j: int) -> int:
    """Return a hash of `j`, the same as in ``kernels_cl/successors.h``."""
    j = (j + 1) * 0x9E3779B97F4A7C15 & _MASK
    j = (j ^ (j >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    j = (j ^ (j >> 27)) * 0x94D049BB133111EB & _MASK
    return j ^ (j >> 31)
