"""Sparse certificates: fewer than 2n edges with the same bridges as all edges so far.

H. Nagamochi and T. Ibaraki, "A linear-time algorithm for finding a sparse k-connected spanning subgraph of a
k-connected graph", Algorithmica 7, 1992: take a spanning forest, and a spanning forest of the edges that it
leaves out. Both together have the two-edge-connected components of all edges, whatever edges come later. So a
certificate of the certificate so far and a block is one of all edges up to that block.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.edges import MAX_VERTICES, EdgeList, check_ends, check_vertex_count, largest_id
from pointerjump.base.limits import WAITING
from pointerjump.formats.blocks import Blocks
from pointerjump.formats.files import naming
from pointerjump.solving.inputs import edge_blocks
from pointerjump.solving.spanning_forests import earliest_forest

_BYTES_PER_EDGE = 64
"""Bytes of host memory per edge at the peak: the edge that waits, its copy beside the others, and its key."""


def certificate(blocks: Any, device: Any, vertices: int | None = None) -> EdgeList:
    """Return fewer than 2n edges with the bridges of the edges of `blocks`, in the order of those.

    In a file's blocks, two vertices have at most one edge, as in the file. In other blocks, each edge counts.
    """
    of_file = isinstance(blocks, Blocks)
    stated = blocks.vertices if of_file and vertices is None else vertices
    n, records, waiting = check_vertex_count(stated or 0), 0, 0
    nothing = np.empty(0, np.int32)
    kept = [(nothing, nothing)]
    with naming(*blocks.called) if of_file else nullcontext():
        for us, vs, at_least in edge_blocks(blocks, None):
            check_ends(us, vs, MAX_VERTICES if stated is None else n, records)
            n = check_vertex_count(
                max(n, at_least, largest_id(us, "sources") + 1, largest_id(vs, "targets") + 1)
            )
            kept.append((us.astype(np.int32), vs.astype(np.int32)))
            records += len(us)
            waiting += len(us)
            if waiting >= max(WAITING, len(kept[0][0])):
                kept, waiting = [_two_forests(kept, n, device, once=of_file)], 0
    return EdgeList(*_two_forests(kept, n, device, once=of_file), n)


def _two_forests(
    parts: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]], n: int, device: Any, *, once: bool
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    # Earlier edges come first, so those of a certificate stay, and it is known what edges come again.
    m = sum(len(us) for us, _ in parts)
    memory.require(_BYTES_PER_EDGE * m, f"two spanning forests of {m:,} edges")
    us, vs = (np.concatenate(ends) for ends in zip(*parts, strict=True))
    if once:
        keys = np.minimum(us, vs).astype(np.int64) << 32 | np.maximum(us, vs)
        first = np.sort(np.unique(keys, return_index=True)[1])
        us, vs = us[first], vs[first]
    joining = earliest_forest(EdgeList(us, vs, n), device)
    left = np.delete(np.arange(len(us)), joining)
    again = left[earliest_forest(EdgeList(us[left], vs[left], n), device)]
    stay = np.sort(np.concatenate([joining, again]))
    return us[stay], vs[stay]
