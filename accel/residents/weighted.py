"""Weighted graphs on a device."""

from __future__ import annotations

from typing import Any

import numpy as np

from pointerjump.accel.residents.graphs import Entries, ResidentGraph
from pointerjump.accel.runtime.session import Buffer, Kernels


class ResidentWeighted:
    """A graph on a device with a weight for each stored edge.

    Kernels convert weights to unsigned keys, and compare the keys. To shorten 64-bit keys, they use
    `shortening`, which contains the start and the size of the range in which most keys lie (see
    ``weights.h``).
    """

    def __init__(
        self,
        graph: ResidentGraph,
        weights: Buffer,
        dtype: Any,
        *,
        maximum: bool = False,
        keys: tuple[int, int] = (0, 2**64 - 1),
    ) -> None:
        self.graph, self.session, self.weights = graph, graph.session, weights
        dtype, (least, greatest) = np.dtype(dtype), keys
        self.shortening = np.uint64(least), np.uint64(greatest - least)
        self.wide = dtype.itemsize == 8
        self._defines: dict[str, Any] = {
            "WIDE_WEIGHTS": self.wide,
            "WEIGHTS_FLOAT": dtype.kind == "f",
            "MAXIMUM": maximum,
        }

    @property
    def entries(self) -> Entries:
        return self.graph.entries("edges")

    def kernels(self, file: str, access: str, **macros: Any) -> Kernels:
        return self.graph.kernels(file, access, entries=self.entries, **self._defines, **macros)
