"""Lowest common ancestors in rooted forests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.residents.rooted import ResidentRooted
from pointerjump.base.edges import VertexArray, check_ids
from pointerjump.base.integers import as_count, as_integers, converted, is_one, paired
from pointerjump.base.rooted import Rooted
from pointerjump.errors import GraphError
from pointerjump.registry.algorithm import Form, InputFacts
from pointerjump.solving.run import Instance, Order, Seconds, order, solve

if TYPE_CHECKING:
    from pointerjump.accel.runtime.session import Session

MOST_PAIRS = 2**31 - 1  # the maximum number of pairs per run

ResidentForests = dict["Session", ResidentRooted]
"""A cache that maps a session to a rooted forest on its device, together with the tables that algorithms have
prepared from the forest."""


def common_ancestors(
    rooted: Rooted,
    us: npt.ArrayLike,
    vs: npt.ArrayLike,
    *,
    algorithm: str = "auto",
    device: Any = None,
    residents: ResidentForests | None = None,
    choices: Mapping[str, object] | None = None,
) -> Any:
    """Return the lowest common ancestor of each pair of vertices.

    See :meth:`RootedForest.lowest_common_ancestor` for the parameters and errors. `choices` contains that
    method's ``**variant``. `residents` caches forests on devices, so that later calls can reuse them.
    """
    wanted = order("common-ancestors", algorithm, device, choices or {})
    first, second = pairs_of(rooted, us, vs)
    found = find_ancestors(wanted, rooted, first, second, {} if residents is None else residents)
    return one_or_all(found, us, vs)


def find_ancestors(
    wanted: Order, rooted: Rooted, us: VertexArray, vs: VertexArray, residents: ResidentForests
) -> VertexArray:
    """Return the lowest common ancestor of each pair of vertices, which must already have been validated."""
    if len(us) > MOST_PAIRS:
        raise GraphError(f"there are {len(us)} pairs, and at most {MOST_PAIRS} at a time: give them in parts")
    found: VertexArray
    pairs = AncestorPairs(rooted, residents, (us, vs))
    found, _ = solve(wanted, pairs, lambda session, plan: plan.answer(session, len(us)))
    return found


@dataclass(frozen=True)
class AncestorPairs(Instance):
    """A rooted forest and pairs of its vertices, as the input of a run."""

    rooted: Rooted
    residents: ResidentForests
    more: tuple[VertexArray, VertexArray]

    def facts(self) -> InputFacts:
        return InputFacts(len(self.rooted.parent), len(self.more[0]), "rooted")

    def for_reference(self, seconds: Seconds) -> tuple[Rooted, list[int], list[int]]:
        us, vs = self.more
        return self.rooted, us.tolist(), vs.tolist()

    def placed(self, form: Form, session: Session, seconds: Seconds) -> ResidentRooted:
        return resident_of(self.rooted, session, self.residents)


def resident_of(rooted: Rooted, session: Session, residents: ResidentForests) -> ResidentRooted:
    return residents.setdefault(session, ResidentRooted(rooted, session))


def pairs_of(rooted: Rooted, us: npt.ArrayLike, vs: npt.ArrayLike) -> tuple[VertexArray, VertexArray]:
    """Validate pairs of vertices, and return their first and second vertices as two arrays."""
    return paired(_vertices(rooted, us, "us"), _vertices(rooted, vs, "vs"), us, vs, GraphError)


def _vertices(rooted: Rooted, given: Any, what: str) -> VertexArray:
    if is_one(given):
        return np.array([vertex_of(rooted, given, what)], np.int32)
    ids = as_integers(given, what, GraphError)
    check_ids(ids, len(rooted.parent), what)
    return converted(ids, np.int32, what)


def vertex_of(rooted: Rooted, given: Any, what: str) -> int:
    """Validate a single vertex, and return it as an int."""
    v = as_count(
        given.item() if isinstance(given, np.ndarray) and not given.ndim else given, what, GraphError
    )
    n = len(rooted.parent)
    if not 0 <= v < n:
        fact = "negative" if v < 0 else f"not below the number of vertices, {n}"
        raise GraphError(f"{what} is {v}, which is {fact}: ids run from 0 to vertices - 1")
    return v


def one_or_all(found: npt.NDArray[Any], us: npt.ArrayLike, vs: npt.ArrayLike) -> Any:
    """Return the array `found`, or its only element if `us` and `vs` are both single vertices."""
    return found[0].item() if is_one(us) and is_one(vs) else found
