"""Linked lists on a device, for repeated runs and for results that stay there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy.typing as npt

from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.lists import ResidentLists, place_lists
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.face.running import Seconds, solve
from pointerjump.linked_lists import SuccessorArray, as_positions, as_successors, require_lists
from pointerjump.registry.facts import Form, InputFacts
from pointerjump.registry.selection import Choice

if TYPE_CHECKING:
    import pyopencl.array as cl_array


class DeviceList:
    """Linked lists on an OpenCL device, in one successor array.

    :func:`pointerjump.list_rank` takes it in place of an array. Each run checks that it holds lists.

    Parameters
    ----------
    successors : array_like of int, shape (n,)
        As for :func:`pointerjump.list_rank`. Do not change it: errors are explained from it, and devices that
        share the host's memory (CPUs) use an array of int32 in place.
    device : optional
        See :func:`pointerjump.to_device`.

    Examples
    --------
    >>> import pointerjump as pj
    >>> lists = pj.DeviceList([2, 1, 3, 3], device="cpu")
    >>> pj.list_rank(lists).tolist()
    [2, 0, 1, 0]
    """

    def __init__(self, successors: npt.ArrayLike, device: object = None) -> None:
        self.session: Session = session_for(device)
        self.resident = place_lists(as_positions(successors), self.session)
        self.elements = self.resident.elements

    def rank(self, algorithm: str = "auto", **variant: object) -> cl_array.Array:
        """Rank the lists and return the ranks as a pyopencl array on the device.

        Parameters
        ----------
        algorithm, **variant
            As for :func:`pointerjump.list_rank`.

        Returns
        -------
        pyopencl.array.Array of int32, shape (n,)
            It belongs to the caller: later runs do not overwrite it.

        Raises
        ------
        ListError
            If the array does not hold linked lists.

        Examples
        --------
        >>> import pointerjump as pj
        >>> pj.DeviceList([2, 1, 3, 3], device="cpu").rank().get().tolist()
        [2, 0, 1, 0]
        """
        found, _, _ = solve(
            "list-ranking", algorithm, None, variant, lambda: self, _copied, input_session=self.session
        )
        return found

    # -- as the input of a run ---------------------------------------------------------------------

    def facts(self) -> InputFacts:
        """Return the facts that selection uses."""
        return InputFacts(self.elements, form="lists")

    def for_reference(self, seconds: Seconds) -> tuple[SuccessorArray]:
        """Return the successors on the host, checked to form lists."""
        successors = as_successors(self.resident.host)
        require_lists(successors)
        return (successors,)

    def placed(self, form: Form, session: Session, seconds: Seconds) -> ResidentLists:
        """Return the lists, which are on the device already."""
        seconds["transfer"] = 0.0
        return self.resident

    def planned(self, choice: Choice, resident: ResidentLists) -> Plan:
        """Return the plan for a choice. The kernels check that the successors form lists."""
        plan: Plan = choice.algorithm.prepare(resident, **choice.variant)
        return plan

    def __repr__(self) -> str:
        return f"DeviceList(elements={self.elements}, device={self.session.device.device!r})"


def _copied(session: Session, plan: Plan, lists: DeviceList) -> cl_array.Array:
    """Return a copy of the ranks, which later runs do not overwrite."""
    if plan.read:
        plan.read()  # raises an error if the run has failed
    return session.array(session.copy_of(plan.result, lists.elements, "the ranks"), lists.elements)
