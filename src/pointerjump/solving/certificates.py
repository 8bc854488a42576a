"""Few edges with the bridges of many: what is kept of edges that come in blocks.

H. Nagamochi and T. Ibaraki, "A linear-time algorithm for finding a sparse k-connected spanning subgraph of a
k-connected graph", Algorithmica 7, 1992: take a spanning forest, and another one of the edges that the first
leaves. Both together have the two-edge-connected components of all edges, whatever edges come later. So the
certificate of the certificate so far and a block is that of all edges up to there, and that of two
certificates is that of both parts.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base.edges import EdgeList
from pointerjump.formats.blocks import Blocks
from pointerjump.formats.files import naming
from pointerjump.formats.pieces import Piece
from pointerjump.solving.checkpoints import Checkpoint
from pointerjump.solving.minimum_forest import KeptEdges, MinimumForest, joined_edges
from pointerjump.solving.run import Seconds
from pointerjump.solving.shared_blocks import devices_of, kept_of_blocks, of_caller


class Certificate(MinimumForest):
    """Fewer than 2n edges with the bridges of edges that keep coming.

    Edges are kept as in a minimum spanning forest, where all of them weigh the same; and besides those of a
    forest of what this leaves. If two vertices have one edge at most, as in files, it counts `once`.
    """

    def __init__(self, vertices: int | None = None, *, once: bool = False, device: Any = None) -> None:
        super().__init__(vertices, device=device)
        self._once = once

    def _merge_block(self, sources: Any, targets: Any, weights: Any = None, **more: Any) -> None:
        super()._merge_block(sources, targets, np.zeros(len(sources), np.int32), **more)

    def _keep(self, edges: KeptEdges) -> KeptEdges:
        if self._once:
            keys = np.minimum(*edges[:2]).astype(np.int64) << 32 | np.maximum(*edges[:2])
            edges = edges.take(np.sort(np.unique(keys, return_index=True)[1]))
        forest = super()._keep(edges)
        left = np.ones(len(edges.places), bool)
        left[np.searchsorted(edges.places, forest.places)] = False
        return joined_edges([forest, super()._keep(edges.take(left))])

    def places(self) -> npt.NDArray[np.int64]:
        """Return the places of the edges, ascending."""
        self._settle()
        return self._kept.places

    def edges(self) -> EdgeList:
        """Return the edges, in the order in which they came."""
        self._settle()
        return EdgeList(*self._kept[:2], self.vertices)


def certificate_of_blocks(
    blocks: Any,
    devices: Any,
    vertices: int | None = None,
    *,
    checkpoint: Checkpoint | None = None,
    watch: Callable[[Piece], None] = lambda piece: None,
) -> tuple[EdgeList, int]:
    """Return fewer than 2n edges with the bridges of edges that come in blocks; and how many came.

    Of a file's blocks, two vertices have one edge at most, as in the file. Of other blocks, each edge counts.
    """
    of_file, where = isinstance(blocks, Blocks), devices_of(devices)
    named = partial(naming, *blocks.called) if of_file else nullcontext
    stated = blocks.vertices if of_file and vertices is None else vertices
    with named():
        sets = [Certificate(stated, once=of_file, device=device) for device in where]
    pieces = None if of_file else of_caller(blocks, None, lasting=len(sets) == 1)
    joined, end = kept_of_blocks(blocks, pieces, named, sets, Seconds(), checkpoint, watch)
    return joined.edges(), end["record"]
