"""Plots of dendrograms, drawn with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.base.integers import as_count
from pointerjump.errors import GraphError, PointerjumpError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Leaves that do not start at height 0 start beyond the first merge, by this fraction of the height range.
_MARGIN = 0.05

_MOST_UPRIGHT = 12  # if there are more leaves, their names are written vertically


def plot_merges(
    merges: npt.NDArray[np.float64],
    vertices: int,
    names: npt.NDArray[Any] | None,
    maximum: bool,
    last: int,
    axes: Axes | None,
) -> Axes:
    """Plot the last merges of a dendrogram; see :meth:`Dendrogram.plot`."""
    last = as_count(last, "merges", GraphError)
    if last < 1:
        raise GraphError(f"merges is {last}: draw at least 1")
    drawn = merges[-last:]
    heights, first = drawn[:, 2], vertices + len(merges) - len(drawn)
    if not np.isfinite(heights).all():
        raise GraphError(
            "a weight is infinite, and no axis reaches that far: leave out such edges, or draw fewer merges"
        )
    try:
        from matplotlib import pyplot
        from matplotlib.collections import LineCollection
    except ImportError:
        raise PointerjumpError(
            "plot draws with matplotlib, which is not installed: pip install 'pointerjump[plot]'"
        ) from None
    axes = pyplot.gca() if axes is None else axes

    # The leaves of each tree are placed side by side, with a gap before each tree.
    parts = drawn[:, :2].astype(np.int64).tolist()
    inside = {part for pair in parts for part in pair}
    x: dict[int, float] = {}
    place = -2.0
    for root in (c for c in range(first, first + len(parts)) if c not in inside):
        place += 1
        waiting = [root]
        while waiting:
            cluster = waiting.pop()
            if cluster < first:
                place += 1
                x[cluster] = place
            else:
                waiting += reversed(parts[cluster - first])
    leaves = list(x)

    least, most = heights.min(initial=0), heights.max(initial=0)
    margin = _MARGIN * (np.ptp(heights) if len(heights) else 0) or _MARGIN
    floor = most + margin if maximum else 0.0 if least >= 0 else least - margin
    y = dict.fromkeys(leaves, float(floor))
    lines = []
    for cluster, ((a, b), height) in enumerate(zip(parts, heights.tolist(), strict=True), first):
        lines.append([(x[a], y[a]), (x[a], height), (x[b], height), (x[b], y[b])])
        x[cluster], y[cluster] = (x[a] + x[b]) / 2, height
    axes.add_collection(LineCollection(lines))
    axes.autoscale()
    axes.set_ylim(floor, (min if maximum else max)(axes.get_ylim()))

    def called(leaf: int) -> str:
        if leaf >= vertices:
            return f"({int(merges[leaf - vertices, 3])})"
        return str(leaf if names is None else names[leaf])

    turned = 90 if len(leaves) > _MOST_UPRIGHT else 0
    axes.set_xticks([x[leaf] for leaf in leaves], [called(leaf) for leaf in leaves], rotation=turned)
    return axes
