"""The merges of clusters by the edges of a forest, from light to heavy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.weighted import Weighted, Weights
from pointerjump.registry.algorithm import Form, InputFacts
from pointerjump.solving.run import Order, Run, Seconds, solve
from pointerjump.solving.weighted_graphs import WeightedGraph

if TYPE_CHECKING:
    from pointerjump.accel.plan import Plan
    from pointerjump.accel.residents.weighted import ResidentWeighted
    from pointerjump.accel.runtime.session import Session

Merges = npt.NDArray[np.signedinteger[Any]]
"""For each edge of a forest, from light to heavy, two clusters, the smaller number first; the size of the new
cluster; and the edge's place. Vertices are the first clusters, and row i makes the cluster vertices + i."""

_BYTES_PER_EDGE = 48
"""Bytes of host memory per edge at the peak of reading merges, including scipy's form of them."""


def find_merges(wanted: Order, forest: Weighted) -> tuple[Merges, Run]:
    m = len(forest.weights)
    memory.require(_BYTES_PER_EDGE * m, f"the merges of {m:,} edges")

    def read(session: Session, plan: Plan) -> Merges:
        return plan.answer(session, 4 * m).reshape(m, 4)

    return solve(wanted, WeightedForest(forest), read)


def scipys_form(merges: Merges, weights: Weights) -> npt.NDArray[np.float64]:
    """Return merges as a linkage matrix: two clusters, the weight that merges them, and the size."""
    matrix = np.empty((len(merges), 4))
    matrix[:, :2], matrix[:, 3] = merges[:, :2], merges[:, 2]
    matrix[:, 2] = weights[merges[:, 3]]
    return matrix


class WeightedForest(WeightedGraph):
    """The edges of a forest with weights on the host, for one run."""

    def facts(self) -> InputFacts:
        return InputFacts(self.host.graph.vertices, len(self.host.weights), "forest")

    def placed(self, form: Form, session: Session, seconds: Seconds) -> ResidentWeighted:
        return super().placed("edges", session, seconds)
