"""Lowest common ancestors in rooted forests, and what follows from them: distances and paths."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.residents.rooted import ResidentRooted
from pointerjump.base.edges import VertexArray, check_ids
from pointerjump.base.integers import as_count, as_integers, converted, is_one, paired
from pointerjump.base.rooted import Rooted
from pointerjump.errors import GraphError
from pointerjump.registry.algorithm import Form, InputFacts
from pointerjump.registry.selection import Choice
from pointerjump.solving.run import Instance, Seconds, order, solve

if TYPE_CHECKING:
    from pointerjump.accel.plan import Plan
    from pointerjump.accel.runtime.session import Session

MOST_PAIRS = 2**31 - 1
"""The most pairs in one run."""

ResidentForests = dict["Session", ResidentRooted]
"""A rooted forest by device, with what algorithms have prepared there."""


def common_ancestors(
    rooted: Rooted,
    us: npt.ArrayLike,
    vs: npt.ArrayLike,
    *,
    algorithm: str = "auto",
    device: Any = None,
    residents: ResidentForests | None = None,
    **variant: object,
) -> Any:
    """Return the lowest common ancestor of two vertices, or -1 if they are in different trees.

    Parameters
    ----------
    rooted : Rooted
    us, vs : int or array_like of int
        If one is a single vertex, it is paired with every vertex of the other.
    algorithm, device, **variant
        As for :func:`components`, with the algorithms for common ancestors.
    residents : dict, optional
        Filled by a call, and reused by later calls with the same dict: the forest is then on the device
        already.

    Returns
    -------
    ndarray of int32, or int
        A number for two single vertices.

    Raises
    ------
    GraphError
        If one of them is not a vertex of the forest, or `us` and `vs` differ in length.

    Examples
    --------
    >>> columns = ([0, 0, 0, 2], [0, 1, 1, 2], [0, 1, 2, 3], [4, 1, 2, 1], [0, 0, 0, 0], [0])
    >>> rooted = Rooted(*(np.array(each, np.int32) for each in columns))
    >>> common_ancestors(rooted, [1, 3, 2], 3).tolist()
    [0, 3, 2]
    """
    wanted = order("common-ancestors", algorithm, device, variant)
    first, second = _pairs(rooted, us, vs)
    if len(first) > MOST_PAIRS:
        raise GraphError(
            f"there are {len(first)} pairs, and at most {MOST_PAIRS} at a time: give them in parts"
        )
    input = AncestorPairs(rooted, first, second, {} if residents is None else residents)
    found = solve(wanted, input, lambda session, plan: plan.answer(session, len(first)))[0]
    return _like(found, us, vs)


def is_ancestor(rooted: Rooted, us: npt.ArrayLike, vs: npt.ArrayLike) -> Any:
    """Return whether us[i] is vs[i] or above it. Arguments and errors are as for :func:`common_ancestors`."""
    first, second = _pairs(rooted, us, vs)
    after = rooted.preorder[second] - rooted.preorder[first]
    return _like((after >= 0) & (after < rooted.size[first]), us, vs)


def distances(rooted: Rooted, us: npt.ArrayLike, vs: npt.ArrayLike, **asked: Any) -> Any:
    """Return the number of edges between two vertices, or -1 if they are in different trees.

    Arguments and errors are as for :func:`common_ancestors`.
    """
    first, second = _pairs(rooted, us, vs)
    above = np.atleast_1d(common_ancestors(rooted, us, vs, **asked))
    apart = rooted.depth[first] + rooted.depth[second] - 2 * rooted.depth[above]
    return _like(np.where(above < 0, np.int32(-1), apart), us, vs)


def path(rooted: Rooted, u: Any, v: Any) -> VertexArray:
    """Return the vertices from u to v, both included; none if they are in different trees."""
    first, second = _vertex(rooted, u, "u"), _vertex(rooted, v, "v")
    up, down = [first], [second]
    if rooted.tree[first] != rooted.tree[second]:
        return np.empty(0, np.int32)
    while first != second:
        if rooted.depth[first] >= rooted.depth[second]:
            first = int(rooted.parent[first])
            up.append(first)
        else:
            second = int(rooted.parent[second])
            down.append(second)
    return np.array(up + down[-2::-1], np.int32)


@dataclass(frozen=True)
class AncestorPairs(Instance):
    """A rooted forest and pairs of its vertices, for one run."""

    rooted: Rooted
    us: VertexArray
    vs: VertexArray
    residents: ResidentForests = field(default_factory=dict)

    def facts(self) -> InputFacts:
        return InputFacts(len(self.rooted.parent), len(self.us), "rooted")

    def for_reference(self, seconds: Seconds) -> tuple[Rooted, list[int], list[int]]:
        return self.rooted, self.us.tolist(), self.vs.tolist()

    def placed(self, form: Form, session: Session, seconds: Seconds) -> ResidentRooted:
        return resident_of(self.rooted, session, self.residents)

    def planned(self, choice: Choice, resident: ResidentRooted) -> Plan:
        plan: Plan = choice.algorithm.prepare(resident, self.us, self.vs, **choice.variant)
        return plan


def resident_of(rooted: Rooted, session: Session, residents: ResidentForests) -> ResidentRooted:
    """Return the forest on a device, which the first call puts there."""
    return residents.setdefault(session, ResidentRooted(rooted, session))


def _pairs(rooted: Rooted, us: npt.ArrayLike, vs: npt.ArrayLike) -> tuple[VertexArray, VertexArray]:
    return paired(_vertices(rooted, us, "us"), _vertices(rooted, vs, "vs"), us, vs, GraphError)


def _vertices(rooted: Rooted, given: Any, what: str) -> VertexArray:
    if is_one(given):
        return np.array([_vertex(rooted, given, what)], np.int32)
    ids = as_integers(given, what, GraphError)
    check_ids(ids, len(rooted.parent), what)
    return converted(ids, np.int32, what)


def _vertex(rooted: Rooted, given: Any, what: str) -> int:
    v = as_count(
        given.item() if isinstance(given, np.ndarray) and not given.ndim else given, what, GraphError
    )
    n = len(rooted.parent)
    if not 0 <= v < n:
        fact = "negative" if v < 0 else f"not below the number of vertices, {n}"
        raise GraphError(f"{what} is {v}, which is {fact}: ids run from 0 to vertices - 1")
    return v


def _like(found: npt.NDArray[Any], us: npt.ArrayLike, vs: npt.ArrayLike) -> Any:
    """Return an answer as an array, or as one value if the caller asked about two single vertices."""
    return found[0].item() if is_one(us) and is_one(vs) else found
