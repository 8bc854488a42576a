"""Ranks of linked lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from pointerjump.face.running import Request, Seconds, request, solve
from pointerjump.linked_lists import SuccessorArray, as_successors, require_lists
from pointerjump.registry.facts import InputFacts
from pointerjump.registry.selection import Choice

if TYPE_CHECKING:
    from pointerjump.accel.plan import Plan
    from pointerjump.accel.runtime.session import Session
    from pointerjump.face.device_list import DeviceList


def list_rank(
    successors: npt.ArrayLike, algorithm: str = "auto", device: Any = None, **variant: object
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
    asked, input = list_request(successors, algorithm, device, variant)
    return rank_lists(asked, input)[0]


def list_request(
    successors: Any, algorithm: str, device: Any, choices: Mapping[str, object]
) -> tuple[Request, HostLists | DeviceList]:
    """Return the request, and the lists as the input of a run."""
    on_device = getattr(successors, "as_input_on", None)
    if on_device is not None:  # a DeviceList
        placed: DeviceList = on_device(device)
        return request("list-ranking", algorithm, device, choices, placed.session), placed
    return request("list-ranking", algorithm, device, choices), HostLists(successors)


def rank_lists(request: Request, input: HostLists | DeviceList) -> tuple[SuccessorArray, dict[str, Any]]:
    """Rank lists as requested; return the ranks and facts about the run."""

    def read(plan: Plan) -> SuccessorArray:
        assert request.session is not None
        return request.session.get(plan.result, input.elements)

    found, run = solve(request, input, read, lambda ranks: ranks)
    return found, run.stats()


class HostLists:
    """Lists on the host, for one run."""

    def __init__(self, successors: npt.ArrayLike) -> None:
        self.successors = as_successors(successors)
        self.elements = len(self.successors)

    def facts(self) -> InputFacts:
        """Return the facts that selection uses."""
        return InputFacts(self.elements)

    def for_reference(self, seconds: Seconds) -> tuple[SuccessorArray]:
        """Return the successors; raise a ListError unless they form lists."""
        require_lists(self.successors)
        return (self.successors,)

    def prepared(self, choice: Choice, session: Session, seconds: Seconds) -> Plan:
        """Put the lists on the device; return the plan of a run. The kernels check that they are lists."""
        from pointerjump.accel.residents.lists import ResidentLists

        with seconds.timed("transfer"):
            resident = ResidentLists(self.successors, session)
            session.finish()
        with seconds.timed("compute"):
            plan: Plan = choice.algorithm.prepare(resident, **choice.variant)
        return plan
