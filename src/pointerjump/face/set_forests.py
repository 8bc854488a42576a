"""What a :class:`DisjointSet` is made of: a forest that takes edges, on a device or in plain Python."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from threading import RLock
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from pointerjump.accel.runtime.sessions import session_for
from pointerjump.face.result import number_components
from pointerjump.face.running import REFERENCE, is_reference
from pointerjump.graph import check_ends, largest_id
from pointerjump.integers import largest_of
from pointerjump.reference.disjoint_set import DisjointSet as Reference
from pointerjump.registry.facts import InputFacts
from pointerjump.registry.selection import ask, select

if TYPE_CHECKING:
    from pointerjump.accel.runtime.devices import Device
    from pointerjump.accel.runtime.session import Session
    from pointerjump.registry.selection import Choice

Ids = npt.NDArray[Any]
Bools = npt.NDArray[np.bool_]


class SetForest(Protocol):
    """A disjoint-set forest. A thread must hold :meth:`running` while it uses any other method.

    Ids of edges are checked here; those of questions are checked before.
    """

    @property
    def session(self) -> Session | None:
        """The session of the device that it is on; None for the reference."""

    @property
    def device(self) -> Device | str:
        """The device that it is on, or ``"reference"``."""

    @property
    def vertices(self) -> int:
        """The number of vertices."""

    @property
    def n_subsets(self) -> int:
        """The number of subsets."""

    def running(self) -> AbstractContextManager[Any]:
        """Reserve the forest, and its device, for one thread."""

    def add(self, vertices: int) -> None:
        """Let there be at least so many vertices."""

    def merge(self, sources: Any, targets: Any, first: int | None = None) -> None:
        """Merge the subsets of each edge's two ends.

        If the edges are part of a block, `first` is the number of their first edge, for errors. Ids may be
        checked as late as in :meth:`settle`, and until then the arrays must not change.
        """

    def settle(self) -> None:
        """Wait until all edges so far have been checked."""

    def update(self, parents: Ids) -> None:
        """Join another forest, given the parent of each of its vertices."""

    def update_from(self, other: Any) -> None:
        """Join another forest, which the thread holds as well."""

    def find(self, vs: Ids) -> Ids:
        """Return the representative of each of these vertices."""

    def connected(self, us: Ids, vs: Ids) -> Bools:
        """Return for each pair whether both are in one subset."""

    def representatives(self) -> Ids:
        """Return the representative of every vertex."""

    def labels(self) -> Ids:
        """Return the number of every vertex's subset."""

    def take(self, *, numbered: bool) -> Ids:
        """Return labels, or else representatives, in the forest's own memory if possible: use it no more."""


def forest_on(device: Any, vertices: int, choices: Mapping[str, object], *, grows: bool) -> SetForest:
    """Return a new forest.

    Parameters
    ----------
    device : object
        As for :func:`components`.
    vertices : int
        The number of vertices at first.
    choices : mapping
        Values of the axes ``access`` and ``reads``.
    grows : bool
        Whether larger ids in edges are new vertices, rather than errors.

    Raises
    ------
    AlgorithmError
        If there is no such variant.
    DeviceError, MemoryLimitError
        If there is no such device, or no room for the parents.
    """
    variant: dict[str, Any] = choose("disjoint-set", choices, device).variant if choices else {}
    if is_reference(device):
        return InPython(vertices, grows=grows)
    from pointerjump.accel.disjoint_set import DeviceDisjointSet

    session = session_for(device)
    with session.running():
        return DeviceDisjointSet(session, vertices, grows=grows, **variant)


def choose(algorithm: str, choices: Mapping[str, object], device: Any) -> Choice:
    """Return what to run on edges that come in blocks; errors as for :func:`components`."""
    tuning = None if is_reference(device) else session_for(device).tuning
    return select(ask("components", algorithm, choices, tuning), InputFacts(0, 0, "blocks"), tuning)


class InPython(Reference):
    """The reference's forest, with ids of edges checked."""

    session = None
    device = REFERENCE

    def __init__(self, vertices: int, *, grows: bool) -> None:
        super().__init__(vertices)
        self._grows = grows
        self._turn: Any = RLock()

    def running(self) -> AbstractContextManager[Any]:
        """Reserve the forest for one thread."""
        return self._turn  # type: ignore[no-any-return]

    def merge(self, sources: Ids, targets: Ids, first: int | None = None) -> None:
        """Check the edges, and merge the subsets of their ends."""
        below = largest_of(np.dtype(np.int64)) if self._grows else self.vertices
        check_ends(sources, targets, below, first)
        self.add(max(largest_id(sources, "sources"), largest_id(targets, "targets")) + 1)
        super().merge(sources, targets)

    def settle(self) -> None:
        """Return at once: edges are checked before they are merged."""

    def update_from(self, other: SetForest) -> None:
        """Join another forest."""
        self.update(other.representatives())

    def labels(self) -> Ids:
        """Return the number of every vertex's subset."""
        return number_components(self.representatives())

    def take(self, *, numbered: bool) -> Ids:
        """Return labels, or else representatives."""
        return self.labels() if numbered else self.representatives()
