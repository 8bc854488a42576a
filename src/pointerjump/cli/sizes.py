"""Reports on components: their number, the largest ones and a histogram of their sizes."""

from __future__ import annotations

from collections import Counter
from math import isfinite
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table

from pointerjump.base import memory
from pointerjump.base.arrow import pa, pc
from pointerjump.cli.tasks import Facts
from pointerjump.cli.terminal import Lines, printable, table_with_headings
from pointerjump.solving.result import sizes_of

Sizes = npt.NDArray[np.integer[Any]]

AT_ONCE = 1 << 20  # sizes are sorted this many at a time, because sorting makes copies

LARGEST_SHOWN = MEMBERS_SHOWN = 5
SIZES_SHOWN = 16  # with more distinct sizes than this, a histogram has a line per power of two
BAR_WIDTH = 30


def told_of_components(
    asked: SimpleNamespace,
    found: Any,
    sizes: Sizes,
    by_label: Sizes | None,
    *,
    names: Any = None,
    ids: pa.Array[Any] | None = None,
    called: str = "vertices",
) -> tuple[Facts, Lines, list[Table]]:
    """Return a report on components: data for programs, and lines and tables for people.

    `by_label` holds the number of vertices with each label, or 0 for integers that are not labels. It is None
    if vertices have not been counted yet. `names` holds the vertices' names in the input, unless they are
    just numbers. `ids` holds the ids of a table if each component is named after its smallest id; a label is
    then an index into `ids`. `called` is the word for vertices in the report.
    """
    isolated = int((sizes == 1).sum())
    facts: Facts = {"components": found.count, "largest": int(sizes.max(initial=0)), "isolated": isolated}
    largest = [f"{size:,}" for size in sizes[positions_of_largest(sizes, LARGEST_SHOWN)]]
    more = ["..."] if len(sizes) > LARGEST_SHOWN else []
    one = {"vertices": "vertex", "ids": "id"}[called]
    lines = [
        ("components", f"{found.count:,}"),
        ("largest", ", ".join([*largest, *more]) or "none"),
        ("isolated", f"{isolated:,} {one if isolated == 1 else called}"),
    ]
    tables: list[Table] = []
    if (asked.top is not None or asked.histogram) and by_label is None:
        numbers = int(found.labels.max(initial=-1)) + 1
        what = f"counting the vertices of {numbers:,} labels"
        memory.require(12 * numbers, what, "leave out --top and --histogram")
        by_label = sizes_of(found.labels, numbers)  # 0 for numbers that are not labels
    if asked.top is not None:
        facts["top"] = _top(found.labels, by_label, asked.top, names, ids)
        members = [[*map(str, each["members"])] for each in facts["top"]]
        rows: list[tuple[RenderableType, ...]] = [
            (
                printable(str(each["component"])),
                f"{each['size']:,}",
                printable(", ".join(shown + ["..."] * (each["size"] > len(shown)))),
            )
            for each, shown in zip(facts["top"], members, strict=True)
        ]
        tables.append(table_with_headings("Largest components", ("component", "size", "members"), rows))
    if asked.histogram:
        facts["histogram"] = histogram_of(by_label)
        headings = ("size", "components", called, f"share of all {called}")
        vertices = sum(line["vertices"] for line in facts["histogram"])
        rows = [
            (
                f"{line['from']:,}" + (f" to {line['to']:,}" if line["to"] > line["from"] else ""),
                f"{line['components']:,}",
                f"{line['vertices']:,}",
                ProgressBar(vertices, line["vertices"], BAR_WIDTH),
            )
            for line in facts["histogram"]
        ]
        tables.append(table_with_headings("Component sizes", headings, rows))
    return facts, lines, tables


def positions_of_largest(sizes: Sizes, count: int) -> npt.NDArray[np.intp]:
    """Return the indices of the `count` largest sizes, largest first. Equal sizes stay in order."""
    largest = np.empty(0, np.intp)
    for begin in range(0, len(sizes), AT_ONCE):
        there = np.append(largest, np.arange(begin, min(begin + AT_ONCE, len(sizes))))
        largest = there[np.argsort(-sizes[there], kind="stable")[:count]]
    return largest


def _top(labels: Sizes, sizes: Any, count: int, names: Any, ids: pa.Array[Any] | None) -> list[Facts]:
    largest = positions_of_largest(sizes, count)
    if ids is not None and len(largest):
        # Among equal sizes, the smallest ids come first, whatever the order of rows.
        at = np.flatnonzero(sizes >= max(1, sizes[largest[-1]]))
        columns: dict[str, Any] = {"size": sizes[at], "id": ids.take(at)}
        candidates: Any = pa.table(columns)
        order = pc.select_k_unstable(candidates, count, [("size", "descending"), ("id", "ascending")])
        largest = at[order.to_numpy()]
    largest = largest[sizes[largest] > 0]
    return [
        {
            "component": int(label) if ids is None else plain(ids[int(label)]),
            "size": int(sizes[label]),
            "members": [int(vertex) if names is None else plain(names[int(vertex)]) for vertex in members],
        }
        for label, members in zip(largest, _some_members(labels, largest, names), strict=True)
    ]


def _some_members(labels: Sizes, wanted: npt.NDArray[np.intp], names: Any) -> list[npt.NDArray[np.intp]]:
    """Return the first few members of each wanted component.

    These have the smallest ids if `names` is an Arrow array, otherwise the smallest vertex numbers.
    """
    members = [np.empty(0, np.intp) for _ in wanted]
    for begin in range(0, len(labels), AT_ONCE):
        some = labels[begin : begin + AT_ONCE]
        at = np.flatnonzero(np.isin(some, wanted))
        for number, label in enumerate(wanted):
            found = np.append(members[number], begin + at[some[at] == label])
            if isinstance(names, pa.Array):
                smallest = pc.select_k_unstable(names.take(found), MEMBERS_SHOWN, [("id", "ascending")])
                found = found[smallest.to_numpy()]
            members[number] = found[:MEMBERS_SHOWN]
    return members


def plain(name: Any) -> Any:
    """Convert a name, or another value from a table, to a type that JSON supports."""
    value = name.as_py() if hasattr(name, "as_py") else name.item() if hasattr(name, "item") else name
    if isinstance(value, bytes):
        return value.hex()
    fits = value is None or isinstance(value, int | str) or (isinstance(value, float) and isfinite(value))
    return value if fits else str(value)


def histogram_of(sizes: Any) -> list[dict[str, int]]:
    """Count the components, and the vertices in them, for each size or range of sizes."""
    counted: Counter[int] = Counter()
    for begin in range(0, len(sizes), AT_ONCE):
        found = np.unique(sizes[begin : begin + AT_ONCE], return_counts=True)
        counted.update(dict(zip(found[0].tolist(), found[1].tolist(), strict=True)))
    del counted[0]
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
