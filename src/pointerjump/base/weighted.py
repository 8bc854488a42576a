"""Weighted edges, and their order from light to heavy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pointerjump.base.graph import Graph
from pointerjump.base.limits import LIGHT_EDGES

Weights = npt.NDArray[Any]
"""One weight per edge, as a contiguous array in native byte order. Its dtype is one of `WEIGHT_TYPES`."""

_LOOKED_AT = 256  # about this many weights are sampled

WEIGHT_TYPES = ("int32", "int64", "float32", "float64")

EXACT = 2.0**53  # integers below this are exact as 64-bit floating-point numbers


def keys_of(weights: Weights, maximum: bool) -> npt.NDArray[Any]:
    """Return unsigned integers that sort like the weights, or in reverse order if `maximum` is True."""
    signed, unsigned = f"i{weights.itemsize}", f"u{weights.itemsize}"
    sign = np.array(1 << 8 * weights.itemsize - 1, unsigned)
    if weights.dtype.kind == "f":
        bits = (weights + weights.dtype.type(0)).view(unsigned)  # -0.0 + 0.0 is 0.0
        keys: npt.NDArray[Any] = np.where(bits.view(signed) < 0, ~bits, bits | sign)
    else:
        keys = weights.view(unsigned) ^ sign
    return ~keys if maximum else keys


class Weighted(NamedTuple):
    """A graph with a weight for each stored edge. Weights are never NaN.

    Of two equal weights, the earlier one counts as lighter, so there is only one minimum spanning forest.
    """

    graph: Graph  # edges as they were read, or rows with each edge in at least one direction
    weights: Weights  # the weight of each stored edge
    maximum: bool = False  # whether heavy edges count as light

    @property
    def ends(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        edges = self.graph.edges_as_read
        return (edges.sources, edges.targets) if edges else (self.graph.sources, self.graph.neighbors)

    def keys(self) -> npt.NDArray[Any]:
        return keys_of(self.weights, self.maximum)

    def keys_about(self) -> tuple[int, int]:
        """Return the smallest and the largest sort key (see :func:`keys_of`) in a sample of the weights."""
        some = keys_of(self.weights[:: len(self.weights) // _LOOKED_AT + 1], self.maximum)
        return (int(some.min()), int(some.max())) if len(some) else (0, 0)


def light_samples(graph: Graph, m: int, samples: int) -> int:
    """Return how many weights in a sample of the graph's `m` weights count as light.

    `samples` is the size of the sample. The result is at least 1.
    """
    light = LIGHT_EDGES * graph.vertices * (2 if graph.seems_symmetric else 1)
    return max(1, min(samples, int(samples * light / max(m, 1))))
