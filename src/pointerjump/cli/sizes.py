"""The largest components, and how many there are of each size: what ``cc --top`` and ``--histogram`` show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.progress_bar import ProgressBar
from rich.table import Table

from pointerjump.cli.terminal import Lines, printable, table_with_headings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from pointerjump.result import Components

    Sizes = npt.NDArray[np.integer[Any]]

AT_ONCE = 1 << 20
"""So many sizes are looked at together: sorting copies, and there may be many."""

MEMBERS_SHOWN = 5

SIZES_SHOWN = 16
"""If there are more sizes than these, those of one power of two share a line."""

BAR_WIDTH = 30

LARGEST_SHOWN = 5


@dataclass(frozen=True)
class SizesAsked:
    """What a user wants to see of the components' sizes.

    Attributes
    ----------
    top : int or None
        How many of the largest components.
    histogram : bool
        Whether to count the components of each size.
    """

    top: int | None = None
    histogram: bool = False

    def told(
        self,
        labels: Sizes,
        sizes: Sizes | None,
        names: Any,
        ids: pa.Array[Any] | None = None,
        called: str = "vertices",
    ) -> tuple[dict[str, Any], list[Table]]:
        """Return what was asked for, to programs and to people.

        Parameters
        ----------
        labels : ndarray of int, shape (vertices,)
        sizes : ndarray of int, or None
            How many vertices have each label, if that has been counted. Some numbers may be no labels.
        names : sequence or None
            What the input calls each vertex, if not by its number.
        ids : pyarrow Array, optional
            The ids of a table, if a label stands for the component's smallest id, and not for itself.
        called : str
            What people call vertices.
        """
        facts: dict[str, Any] = {}
        tables: list[Table] = []
        if self.top is None and not self.histogram:
            return facts, tables
        sizes = _sizes(labels) if sizes is None else sizes
        if self.top is not None:
            facts["top"] = _top(labels, sizes, self.top, names, ids)
            tables.append(_table_of_top(facts["top"]))
        if self.histogram:
            facts["histogram"] = _histogram(sizes)
            tables.append(_table_of_histogram(facts["histogram"], called))
        return facts, tables


def facts_of_components(found: Components, sizes: Sizes, ids: bool = False) -> tuple[dict[str, Any], Lines]:
    """Return what is told of components and their sizes, to programs and to people.

    `ids` says that people call vertices ids.
    """
    isolated = int((sizes == 1).sum())
    facts = {"components": found.count, "largest": int(sizes.max(initial=0)), "isolated": isolated}
    one, several = ("id", "ids") if ids else ("vertex", "vertices")
    return facts, [
        ("components", f"{found.count:,}"),
        ("largest", _largest(sizes)),
        ("isolated", f"{isolated:,} {one if isolated == 1 else several}"),
    ]


def _largest(sizes: npt.NDArray[Any]) -> str:
    """Return the sizes of the largest few components, as people read them."""
    shown = [f"{size:,}" for size in sizes[positions_of_largest(sizes, LARGEST_SHOWN)]]
    return ", ".join([*shown, "..."] if len(sizes) > LARGEST_SHOWN else shown) or "none"


def positions_of_largest(sizes: Sizes, count: int) -> npt.NDArray[np.intp]:
    """Return where the largest few sizes are, largest first; of equal sizes, the first come first."""
    import numpy as np

    largest = np.empty(0, np.intp)
    for begin in range(0, len(sizes), AT_ONCE):
        there = np.append(largest, np.arange(begin, min(begin + AT_ONCE, len(sizes))))
        largest = there[np.argsort(-sizes[there], kind="stable")[:count]]
    return largest


def _sizes(labels: Sizes) -> Sizes:
    """Return how many vertices have each label; some numbers may be no labels."""
    from pointerjump import memory
    from pointerjump.result import sizes_of

    numbers = int(labels.max(initial=-1)) + 1
    memory.require(
        12 * numbers, f"counting the vertices of {numbers:,} labels", "leave out --top and --histogram"
    )
    return sizes_of(labels, numbers)


def _top(
    labels: Sizes, sizes: Sizes, count: int, names: Any, ids: pa.Array[Any] | None
) -> list[dict[str, Any]]:
    """Return name, size and some members of the largest components."""
    largest = positions_of_largest(sizes, count)
    if ids is not None:
        largest = _by_smallest_id(largest, sizes, ids, count)
    largest = largest[sizes[largest] > 0]
    return [
        {
            "component": int(label) if ids is None else _plain(ids[int(label)]),
            "size": int(sizes[label]),
            "members": [int(vertex) if names is None else _plain(names[int(vertex)]) for vertex in members],
        }
        for label, members in zip(largest, _some_members(labels, largest, names), strict=True)
    ]


def _by_smallest_id(
    largest: npt.NDArray[np.intp], sizes: Sizes, ids: pa.Array[Any], count: int
) -> npt.NDArray[np.intp]:
    """Return the largest components; of equal sizes, those of the smallest ids, whatever the rows' order."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if not len(largest):
        return largest
    at = np.flatnonzero(sizes >= max(1, sizes[largest[-1]]))
    columns: dict[str, Any] = {"size": sizes[at], "id": ids.take(at)}
    candidates: Any = pa.table(columns)
    order = pc.select_k_unstable(candidates, count, [("size", "descending"), ("id", "ascending")])
    by_size: npt.NDArray[np.intp] = at[order.to_numpy()]
    return by_size


def _some_members(labels: Sizes, wanted: npt.NDArray[np.intp], names: Any) -> list[npt.NDArray[np.intp]]:
    """Return a few vertices with each of some labels, for which all labels are read only once."""
    import numpy as np

    members = [np.empty(0, np.intp) for _ in wanted]
    for begin in range(0, len(labels), AT_ONCE):
        some = labels[begin : begin + AT_ONCE]
        at = np.flatnonzero(np.isin(some, wanted))
        for number, label in enumerate(wanted):
            more = begin + at[some[at] == label]
            members[number] = _first_few(np.append(members[number], more), names)
    return members


def _first_few(vertices: npt.NDArray[np.intp], names: Any) -> npt.NDArray[np.intp]:
    """Return a few of these vertices: those with the smallest ids, if they are named by ids in Arrow."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not isinstance(names, pa.Array):
        return vertices[:MEMBERS_SHOWN]
    smallest = pc.select_k_unstable(names.take(vertices), MEMBERS_SHOWN, [("id", "ascending")])
    few: npt.NDArray[np.intp] = vertices[smallest.to_numpy()]
    return few


def _plain(name: Any) -> Any:
    """Return a name as JSON can hold it."""
    value = name.as_py() if hasattr(name, "as_py") else name.item() if hasattr(name, "item") else name
    if isinstance(value, bytes):
        return value.hex()
    return value if isinstance(value, int | str) else str(value)


def _table_of_top(top: Sequence[dict[str, Any]]) -> Table:
    table = table_with_headings("Largest components", ("component", "size", "members"))
    for each in top:
        shown = [*map(str, each["members"]), *(["..."] if each["size"] > len(each["members"]) else [])]
        table.add_row(printable(str(each["component"])), f"{each['size']:,}", printable(", ".join(shown)))
    return table


def _histogram(sizes: Sizes) -> list[dict[str, int]]:
    """Return how many components, and how many vertices in all, there are of each size or range of sizes."""
    counted = _counted(sizes)
    lines: dict[tuple[int, int], list[int]] = {}
    for size, times in sorted(counted.items()):
        power = 1 << (size.bit_length() - 1)
        bounds = (size, size) if len(counted) <= SIZES_SHOWN else (power, 2 * power - 1)
        line = lines.setdefault(bounds, [0, 0])
        line[0] += times
        line[1] += times * size
    return [
        {"from": least, "to": most, "components": components, "vertices": vertices}
        for (least, most), (components, vertices) in lines.items()
    ]


def _counted(sizes: Sizes) -> Counter[int]:
    """Return how often each size but 0 occurs."""
    import numpy as np

    counted: Counter[int] = Counter()
    for begin in range(0, len(sizes), AT_ONCE):
        different, times = np.unique(sizes[begin : begin + AT_ONCE], return_counts=True)
        counted.update(dict(zip(different.tolist(), times.tolist(), strict=True)))
    del counted[0]
    return counted


def _table_of_histogram(lines: Sequence[dict[str, int]], called: str) -> Table:
    """Return a table with a bar for each line: the share of all vertices in components of that size."""
    headings = ("size", "components", called, f"share of all {called}")
    table = table_with_headings("Component sizes", headings)
    vertices = sum(line["vertices"] for line in lines)
    for line in lines:
        least, most = line["from"], line["to"]
        size = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        bar = ProgressBar(vertices, line["vertices"], BAR_WIDTH)
        table.add_row(size, f"{line['components']:,}", f"{line['vertices']:,}", bar)
    return table
