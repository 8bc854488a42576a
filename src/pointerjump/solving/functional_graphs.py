"""K-th successors and cycles of functional graphs, in which every element has exactly one successor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.base.edges import VertexArray
from pointerjump.base.functional_graphs import Walks
from pointerjump.base.integers import as_array, as_integers, converted, first_outside
from pointerjump.base.linked_lists import SuccessorArray, as_successors
from pointerjump.errors import ListError, PointerjumpError
from pointerjump.registry.algorithm import Form, InputFacts
from pointerjump.solving.inputs import session_of
from pointerjump.solving.lists import HostLists, list_input
from pointerjump.solving.run import Instance, Order, Seconds, order, solve

if TYPE_CHECKING:
    from pointerjump.accel.residents.lists import ResidentLists
    from pointerjump.accel.runtime.session import Session


@dataclass(frozen=True, eq=False)
class Cycles:
    """The cycles of a functional graph, and which cycle each element leads to. Returned by :func:`cycles`.

    Attributes
    ----------
    on_cycle : ndarray of bool, shape (n,)
        Whether each element lies on a cycle.
    steps : ndarray of int32, shape (n,)
        The number of steps from each element to the first element on a cycle. For an element on a cycle, the
        number is 0.
    length : ndarray of int32, shape (n,)
        The length of the cycle that each element leads to.
    smallest : ndarray of int32, shape (n,)
        The smallest element of the cycle that each element leads to. It identifies the cycle.
    count : int
        The number of cycles.
    stats : dict
        Statistics of the run, as in :class:`Components`.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.cycles([1, 2, 1, 3]).smallest.tolist()
    [1, 1, 1, 3]
    """

    on_cycle: npt.NDArray[np.bool_]
    steps: VertexArray
    length: VertexArray
    smallest: VertexArray
    count: int
    stats: dict[str, Any] = field(repr=False)


def kth_successor(
    successors: npt.ArrayLike,
    k: int | npt.ArrayLike,
    starts: npt.ArrayLike | None = None,
    *,
    algorithm: str = "auto",
    device: Any = None,
    **variant: object,
) -> VertexArray:
    """Find the k-th successor of each starting element: the element reached from it in k steps.

    If `k` is small and there are few starts, the steps are taken one by one. Otherwise, jumps of 1, 2, 4, ...
    steps are computed for all elements, in about log2(k) rounds.

    Parameters
    ----------
    successors : array_like of int, shape (n,)
        The successor of each element. Cycles are allowed. A :class:`DeviceList` is also accepted.
    k : int, or array_like of int
        The number of steps, 0 or more: a single integer of any size, or an array with one integer per start.
    starts : array_like of int, optional
        The elements to start from. The result has the same shape. Defaults to all elements, in order.
    algorithm, device, **variant
        See :func:`components`. Only algorithms for functional graphs are accepted.

    Raises
    ------
    ListError
        If a successor or a start is out of range, or if `k` is negative, not an integer or of the wrong
        shape.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.kth_successor([1, 2, 0, 0], 10**100).tolist()
    [1, 2, 0, 0]
    >>> pj.kth_successor([1, 2, 0, 0], [0, 1, 2], starts=[3, 3, 3]).tolist()
    [3, 0, 1]
    """
    wanted = order("functional-graphs", algorithm, device, variant, session_of(successors))
    lists = list_input(successors)
    begin, shape = _starts(starts, lists.elements)
    return walked(wanted, lists, begin, checked_steps(k, shape)).reshape(shape)


def cycles(
    successors: npt.ArrayLike, *, algorithm: str = "auto", device: Any = None, **variant: object
) -> Cycles:
    """Find all cycles of a functional graph, and the number of steps from each element to a cycle.

    See :func:`kth_successor` for the parameters and errors. An element that is its own successor is a cycle
    of length 1.

    Examples
    --------
    >>> import pointerjump as pj
    >>> found = pj.cycles([1, 2, 1, 3, 0])
    >>> found.count, found.on_cycle.tolist()
    (2, [False, True, True, True, False])
    >>> found.steps.tolist(), found.length.tolist(), found.smallest.tolist()
    ([1, 0, 0, 0, 2], [2, 2, 2, 1, 2], [1, 1, 1, 3, 1])
    """
    wanted = order("functional-graphs", algorithm, device, variant, session_of(successors))
    lists = list_input(successors)
    found, run = solve(
        wanted, _Question(lists, (None,)), lambda session, plan: plan.answer(session, 3 * lists.elements)
    )
    steps, length, smallest = np.reshape(found, (3, -1))
    names = int(np.count_nonzero(smallest == np.arange(len(smallest), dtype=np.int32)))
    return Cycles(steps == 0, steps, length, smallest, names, run.stats())


# -- the request -------------------------------------------------------------------------------------


def _starts(starts: npt.ArrayLike | None, elements: int) -> tuple[VertexArray, tuple[int, ...]]:
    if starts is None:
        return np.arange(elements, dtype=np.int32), (elements,)
    array = as_array(starts, "starts", ListError)
    given = as_integers(array.ravel(), "starts", ListError)
    at = first_outside(given, elements)
    if at is not None:
        inside = f"outside 0 .. {elements - 1}" if elements else "and there are no elements"
        raise ListError(f"starts[{at}] is {given[at]}, {inside}: give positions in successors")
    return converted(given, np.int32, "starts"), array.shape


def checked_steps(
    k: int | npt.ArrayLike,
    shape: tuple[int, ...],
    starts: str = "starts",
    error: type[PointerjumpError] = ListError,
) -> npt.NDArray[Any]:
    """Validate numbers of steps, and return them as an array (zero-dimensional if `k` is a single number)."""
    array = as_array(k, "k", error)
    if array.dtype.kind == "f" and isinstance(k, list | tuple):  # NumPy's dtype for [2**63, 1], for example
        array = np.asarray(k, object)
    if array.dtype.kind == "O":
        if not all(isinstance(each, int | np.integer) and not isinstance(each, bool) for each in array.flat):
            raise error(
                f"k holds something that is not a whole number: give one, or one for each of {starts}"
            )
        array = np.array([int(each) for each in array.flat], object).reshape(array.shape)
    if array.dtype.kind not in "iuO" and (array.size or array.dtype.kind != "f"):
        raise error(f"k has dtype {array.dtype}: give one whole number, or one for each of {starts}")
    if array.ndim and array.shape != shape:
        raise error(f"k has shape {array.shape}, and {starts} has {shape}: give one k for each, or one")
    steps = array.ravel() if array.ndim else array
    negative = np.flatnonzero(steps < 0)
    if len(negative):
        at = f"k[{negative[0]}]" if steps.ndim else "k"
        raise error(f"{at} is {steps.flat[negative[0]]}: steps only go forwards, so give 0 or more")
    return steps


def _words(steps: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    row = np.atleast_1d(steps)
    if row.dtype.kind == "O":
        largest = max(row.tolist(), default=0)
        words = [(row >> 32 * i) & 0xFFFFFFFF for i in range(max(1, -(-largest.bit_length() // 32)))]
        return np.array(words, np.uint32)
    wide = row.astype(np.uint64)
    words = [wide.astype(np.uint32), (wide >> np.uint64(32)).astype(np.uint32)]
    return np.array(words[: 1 + bool(words[1].any())])


# -- the run -----------------------------------------------------------------------------------------


def walked(wanted: Order, lists: HostLists, starts: VertexArray, steps: npt.NDArray[Any]) -> VertexArray:
    """Return the elements reached from `starts` in `steps` steps. Both must already have been validated."""
    question = _Question(lists, (Walks(starts, _words(steps)),))
    found: VertexArray
    found, _ = solve(wanted, question, lambda session, plan: plan.answer(session, len(starts)))
    return found


@dataclass(frozen=True)
class _Question(Instance):
    """A functional graph and the walks to take in it. If there are no walks, a run finds the cycles."""

    lists: HostLists
    more: tuple[Walks | None]

    def facts(self) -> InputFacts:
        return self.lists.facts()

    def for_reference(self, seconds: Seconds) -> tuple[SuccessorArray, Walks | None]:
        return as_successors(self.lists.given), *self.more

    def placed(self, form: Form, session: Session, seconds: Seconds) -> ResidentLists:
        return self.lists.placed(form, session, seconds)
