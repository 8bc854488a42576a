"""A successor array on a device, and the ends of its lists: drives ``kernels_cl/successors.cl``.

One streaming pass tells how many lists there are and, where there is one, its head: what the sum of
all positions has over the sum of all successors. Only several lists need marks, a random scatter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.runtime.session import Session, require_same_device, session_for
from pointerjump.errors import DeviceError, ListError
from pointerjump.linked_lists import as_successors, require_lists
from pointerjump.registry import find_algorithm

if TYPE_CHECKING:
    import pyopencl as cl
    import pyopencl.array as cl_array

_SUMMING_GROUP = 64  # work-items that add up together; a power of two
_MASK = 2**64 - 1


class DeviceList:
    """A successor array on a device, checked to hold lists (cycles apart, which the rankings find)."""

    def __init__(self, successors: npt.ArrayLike, device: object = None) -> None:
        self.session: Session = session_for(device)
        self.host = as_successors(successors)
        self.elements = len(self.host)
        self.successors = self.session.put(self.host, "the successors")
        self._rooms: dict[str, tuple[int, cl.Buffer]] = {}

    def room(self, items: int, dtype: npt.DTypeLike, what: str) -> cl.Buffer:
        """Return a buffer for one purpose, the same one in each run: a GPU takes long to make large ones."""
        size = items * np.dtype(dtype).itemsize
        if what not in self._rooms or self._rooms[what][0] < size:
            self._rooms[what] = size, self.session.empty(items, dtype, what)
        return self._rooms[what][1]

    def flag(self) -> cl.Buffer:
        """Return the flag that kernels set where they are lost, reset."""
        lost = self.room(1, np.int32, "the flag")
        self.session.fill(lost, 0)
        return lost

    @property
    def n(self) -> np.uint32:
        """The number of elements, as the kernels take it."""
        return np.uint32(self.elements)

    def defines(self, access: str | None) -> dict[str, object]:
        """Return the macros of ``common.h`` for the chosen variant."""
        return {"PARTITIONING": self.session.launcher.partitioning(access)}

    def rank(self, algorithm: str = "auto", **variant: object) -> cl_array.Array:
        """Rank the lists; return the ranks as a pyopencl array, still on the device.

        Parameters
        ----------
        algorithm, **variant
            As for :func:`pointerjump.list_rank`.

        Returns
        -------
        pyopencl.array.Array of int32, shape (n,)
            The caller's own: no later run writes to it.

        Raises
        ------
        ListError
            If it is not a set of lists.

        Examples
        --------
        >>> DeviceList([2, 1, 3, 3], device="cpu").rank().get().tolist()
        [2, 0, 1, 0]
        """
        row, session = find_algorithm(algorithm, "list-ranking"), self.session
        with session.running():
            ranks, _ = row.driver()(self, **session.variant(row, variant))
            own = session.copy_of(ranks, self.elements, "the ranks")
            session.finish()
        return session.array(own, self.elements)

    def ends(self, access: str | None = None) -> npt.NDArray[np.int32]:
        """Return the first and last element of every list, each once, in no order that means anything.

        Raises
        ------
        ListError
            If two elements have one successor.
        """
        session, n = self.session, self.elements
        if n == 0:
            return np.empty(0, np.int32)
        program = session.program("successors.cl", **self.defines(access))
        group = min(_SUMMING_GROUP, 1 << (session.device.work_group.bit_length() - 1))
        shape = session.launcher.over(n, group)
        scratch = self._scratch(2 * group)
        sums = self.room(4 * shape.groups, np.uint64, "the sums")
        session.launch(program, "sum_up", shape, self.n, self.successors, sums, scratch)()
        lasts, last_sum, head_sum, head_print = self._total(self._by_group(sums, shape.groups))

        if lasts == 1:
            if head_sum < n and fingerprint(head_sum) == head_print:
                return np.unique(np.array([head_sum, last_sum], np.int32))
            raise self._not_lists()
        # Several lists: mark what has a predecessor, and collect the rest.
        has_predecessor = session.empty(n, np.int32, "the marks")
        elements = session.launcher.over(n)
        session.launch(program, "clear", elements, self.n, has_predecessor)()
        session.launch(program, "mark", elements, self.n, self.successors, has_predecessor)()
        ends_of = session.empty(shape.global_size[0], np.uint32, "the numbers of ends")
        collected = self.n, self.successors, has_predecessor, ends_of, sums, scratch
        session.launch(program, "collect", shape, *collected)()
        by_group = self._by_group(sums, shape.groups)
        found, _, heads, heads_print = self._total(by_group)
        if heads != lasts or heads_print != head_print:
            raise self._not_lists()
        before = np.cumsum(by_group[:, 0]) - by_group[:, 0]
        first = session.put_writable(before.astype(np.uint32), "the first end of each work-group")
        ends = session.empty(found, np.int32, "the lists' ends")
        session.launch(program, "close_up", shape, self.n, has_predecessor, ends_of, first, ends)()
        return session.get(ends, found)

    def check_lost(self, lost: cl.Buffer) -> None:
        """Refuse a cycle, which the kernels report through the flag `lost`."""
        if self.session.get(lost, 1)[0]:
            raise self._not_lists()

    def _by_group(self, sums: cl.Buffer, groups: int) -> npt.NDArray[np.uint64]:
        return self.session.get(sums, 4 * groups, np.uint64).reshape(groups, 4)

    def _total(self, by_group: npt.NDArray[np.uint64]) -> list[int]:
        return [int(total) for total in by_group.sum(axis=0, dtype=np.uint64)]

    def _scratch(self, items: int) -> Any:
        from pointerjump.accel.runtime.icd import opencl

        return opencl().LocalMemory(items * 8)

    def _not_lists(self) -> Exception:
        """Return the error that names a witness, found on the host."""
        try:
            require_lists(self.host)
        except ListError as error:
            return error
        return DeviceError(
            f"{self.session.device.device} read the successors wrongly: choose another device "
            "(pointerjump devices lists them)"
        )


def lists_on(device: object, successors: npt.ArrayLike | DeviceList) -> DeviceList:
    """Return successors on the device that is wanted.

    Raises
    ------
    DeviceError
        If they lie on another one.
    """
    if not isinstance(successors, DeviceList):
        return DeviceList(successors, device)
    require_same_device(successors.session, device, "the lists are")
    return successors


def fingerprint(j: int) -> int:
    """Return the mixing function of ``kernels_cl/successors.h`` on the host."""
    j = (j + 1) * 0x9E3779B97F4A7C15 & _MASK
    j = (j ^ (j >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    j = (j ^ (j >> 27)) * 0x94D049BB133111EB & _MASK
    return j ^ (j >> 31)
