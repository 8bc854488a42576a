"""Ranks of linked lists, on the host or already on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from pointerjump.accel.residents.lists import ResidentLists, place_lists
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.inputs import session_of
from pointerjump.linked_lists import SuccessorArray, as_positions, as_successors, require_lists
from pointerjump.registry.facts import Form, InputFacts
from pointerjump.run import Order, Seconds, order, solve

if TYPE_CHECKING:
    import pyopencl.array as cl_array

    from pointerjump.accel.plan import Plan
    from pointerjump.accel.runtime.session import Session
    from pointerjump.registry.selection import Choice


def list_rank(
    successors: npt.ArrayLike, *, algorithm: str = "auto", device: Any = None, **variant: object
) -> SuccessorArray:
    """Rank linked lists: find each element's distance to the last element of its list.

    Parameters
    ----------
    successors : array_like of int, shape (n,)
        The element after each element. A last element is its own successor. One array may hold several
        lists.
    algorithm : str
        A list-ranking name from :func:`pointerjump.algorithms`, or ``"auto"``.
    device : optional
        As for :func:`components`.
    **variant
        Choices on the algorithm's axes, such as ``splitters=1024``.

    Returns
    -------
    ndarray of int32, shape (n,)

    Raises
    ------
    ListError
        If the array does not hold linked lists: a successor is out of range, two elements have the same
        successor, or there is a cycle.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.list_rank([2, 1, 3, 3]).tolist()
    [2, 0, 1, 0]
    """
    wanted = order("list-ranking", algorithm, device, variant, session_of(successors))
    return rank_lists(wanted, list_input(successors))[0]


def list_input(successors: Any) -> HostLists:
    """Return lists, in whatever form the caller has them, as the input of a run."""
    return HostLists(successors) if session_of(successors) is None else successors


def rank_lists(wanted: Order, lists: HostLists) -> tuple[SuccessorArray, dict[str, Any]]:
    """Rank lists; return the ranks and facts about the run."""
    found, run = solve(wanted, lists, lambda session, plan: plan.answer(session, lists.elements))
    return found, run.stats()


class HostLists:
    """Lists on the host, for one run."""

    def __init__(self, successors: npt.ArrayLike) -> None:
        self.given = as_positions(successors)
        self.elements = len(self.given)

    def facts(self) -> InputFacts:
        """Return the facts that selection uses."""
        return InputFacts(self.elements, form="lists")

    def for_reference(self, seconds: Seconds) -> tuple[SuccessorArray]:
        """Return the successors; raise a ListError unless they form lists."""
        successors = as_successors(self.given)
        require_lists(successors)
        return (successors,)

    def placed(self, form: Form, session: Session, seconds: Seconds) -> ResidentLists:
        """Put the lists on the device; raise a ListError if a successor is out of range."""
        with seconds.timed("transfer"):
            return place_lists(self.given, session)

    def planned(self, choice: Choice, resident: ResidentLists) -> Plan:
        """Return the plan for a choice. The kernels check that the successors form lists."""
        plan: Plan = choice.algorithm.prepare(resident, **choice.variant)
        return plan


class DeviceList(HostLists):
    """Linked lists on an OpenCL device, in one successor array, for repeated runs.

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
        super().__init__(successors)
        self.resident = place_lists(self.given, self.session)
        self.given = self.resident.host

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

        def copied(session: Session, plan: Plan) -> cl_array.Array:
            if plan.read:
                plan.read()  # raises an error if the run has failed
            return session.array(session.copy_of(plan.result, self.elements, "the ranks"), self.elements)

        return solve(order("list-ranking", algorithm, None, variant, self.session), self, copied)[0]

    def placed(self, form: Form, session: Session, seconds: Seconds) -> ResidentLists:
        """Return the lists, which are on the device already."""
        seconds["transfer"] = 0.0
        return self.resident

    def __repr__(self) -> str:
        return f"DeviceList(elements={self.elements}, device={self.session.device.device!r})"
