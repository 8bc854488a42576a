"""Ranks of linked lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Union

import numpy.typing as npt

from pointerjump.accel.residents.lists import ResidentLists, place_lists
from pointerjump.face.graphs import session_of
from pointerjump.face.running import Seconds, solve
from pointerjump.linked_lists import SuccessorArray, as_positions, as_successors, require_lists
from pointerjump.registry.facts import Form, InputFacts
from pointerjump.registry.selection import Choice

if TYPE_CHECKING:
    from pointerjump.accel.plan import Plan
    from pointerjump.accel.runtime.session import Session
    from pointerjump.face.device_list import DeviceList

ListInput = Union["HostLists", "DeviceList"]


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
    take, placed = partial(list_input, successors), session_of(successors)
    return solve("list-ranking", algorithm, device, variant, take, _read, input_session=placed)[0]


def list_input(successors: Any) -> ListInput:
    """Return lists, in whatever form the caller has them, as the input of a run."""
    if session_of(successors) is None:
        return HostLists(successors)
    placed: DeviceList = successors
    return placed


def rank_lists(
    algorithm: str,
    device: Any,
    choices: Mapping[str, object],
    take: Callable[[], ListInput],
    input_session: Session | None = None,
) -> tuple[SuccessorArray, dict[str, Any]]:
    """Rank the lists that `take` returns; return the ranks and facts about the run."""
    found, _, run = solve(
        "list-ranking", algorithm, device, choices, take, _read, input_session=input_session
    )
    return found, run.stats()


def _read(session: Session, plan: Plan, input: ListInput) -> SuccessorArray:
    return plan.answer(session, input.elements)


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
