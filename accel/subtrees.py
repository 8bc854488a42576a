"""Combines values over each subtree of a rooted forest on a device."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.residents.arrays import DeviceArray
from pointerjump.accel.residents.rooted import ResidentRooted

VALUE = {"int64": "long", "float64": "double", "float32": "float"}
"""The OpenCL C type of the values, by dtype."""


def fold_subtrees(rooted: ResidentRooted, values: npt.NDArray[Any], combine: str) -> npt.NDArray[Any]:
    """Combine the values in each vertex's subtree. `combine` is "add", "minimum" or "maximum"."""
    macros: dict[str, Any] = {
        "VALUE": VALUE[values.dtype.name],
        "DOUBLES": values.dtype == np.float64,
        f"COMBINE_{combine.upper()}": True,
    }
    session, vertices, n = rooted.session, rooted.vertices, rooted.n
    kernel, over = session.kernels("subtrees.cl", **macros), session.shapes.over
    preorder, size = rooted.array("preorder"), rooted.array("size")
    levels = [vertices]
    while levels[-1] > 1:
        levels.append((levels[-1] + 1) // 2)
    block = session.empty(sum(levels), values.dtype, "the blocks' values")
    folded = DeviceArray(session, vertices, values.dtype, "the subtrees' values")
    kernel("place_values", over(vertices), n, preorder, session.put(values, "the values"), block)()
    begin = 0
    for blocks in levels[:-1]:
        kernel("fold_pairs", over((blocks + 1) // 2), np.uint32(begin), np.uint32(blocks), block)()
        begin += blocks
    kernel("fold_subtrees", over(vertices), n, preorder, size, block, folded.buffer)()
    return folded.take(vertices)
