"""The page of measured properties: each as a figure, and as a table below it."""

from __future__ import annotations

import sys
from pathlib import Path

from pages.markdown import code, folded, table
from pointerjump.measure import PROPERTIES, Measurement, Property, measure

sys.path.append(str(Path(__file__).resolve().parents[2] / "benches"))

from page_figures import svg

SHOWN: dict[str, tuple[tuple[str, ...], str]] = {
    "sublists": (
        tuple(f"list:length={1 << k},seed=1" for k in (11, 12, 13)),
        "Lengths follow the expected curve. The longest sub-list is six to eight times as long as the mean.",
    ),
    "sv-accesses": (
        ("urand:scale=10,degree=8,seed=1", "kron:scale=10,degree=8,seed=1"),
        "Reads are what the paper's formulas say. Nearly all of them are in SV2 and SV3, which look at "
        "every edge.",
    ),
    "iterations": (
        (
            "kron:scale=12,degree=16,seed=1",
            "urand:scale=12,degree=16,seed=1",
            "grid2d:rows=64,columns=64,keep=0.6,seed=1",
        ),
        "A link of Afforest takes little more than one iteration on average, although its trees may be "
        "deeper than those of Shiloach-Vishkin.",
    ),
    "convergence": (
        ("kron:scale=11,degree=16,seed=1",),
        "Neighbor sampling is nearly as good as a spanning forest known in advance: after 7% of the "
        "edges, the largest component is one tree. With edges in the order of rows, it takes 40% of them "
        "to put nine tenths of it into one tree.",
    ),
    "heat-map": (
        ("urand:scale=10,degree=16,seed=1",),
        "Shiloach-Vishkin's hooks go all over the array. More than half of what Afforest's first links "
        "touch is in the cache line that the worker has touched last. Skipping the largest component "
        "leaves a twentieth of the last phase's accesses.",
    ),
    "paths": (
        (
            "kron:scale=10,degree=16,seed=1",
            "urand:scale=10,degree=4,seed=1",
            "grid2d:rows=32,columns=32,seed=1",
        ),
        "With any kind of jumping, a path has between one and two pointers on average. Without it, a path "
        "in the grid has 23 on average, and up to 62.",
    ),
    "random-accesses": (
        ("urand:scale=10,degree=4,seed=1",),
        "CC makes as many random look-ups in every round. CC-updt makes fewer from its second round on. "
        "Sorted edges make hardly any.",
    ),
    "giant-component": (
        ("urand:scale=12,degree=6,seed=1",),
        "What was counted lies on the theorem's curve. After n edges the largest component has four "
        "fifths of the vertices, and after 2n edges nearly all.",
    ),
    "worklist": (
        (),
        "In the Kronecker graph, a fifth of the vertices has nine tenths of the edges. In each of the "
        "other graphs, nearly all vertices are of one class.",
    ),
    "rounds": (
        (
            "urand:scale=8,degree=8,seed=1",
            "grid2d:rows=16,columns=16,seed=1",
            "ring:vertices=256,chords=0",
        ),
        "Breadth-first search, and label propagation at random, need more rounds the longer the paths "
        "are: over a hundred on the ring. All the others need at most eight.",
    ),
    "work": (
        ("kron:scale=10,degree=8,seed=1",),
        "Soman's algorithm looks at all edges in every round. Gunrock's filters leave fewer than ten of "
        "them after the first one.",
    ),
    "edges-read": (
        tuple(f"kron:scale=10,degree={d},seed=1" for d in (4, 16, 64)),
        "The more edges a vertex has, the smaller is the share of them that a search in both directions "
        "reads: 28% with 4 edges drawn for each vertex, and 2% with 64.",
    ),
    "compression": (
        (),
        "An edge takes 1.2 to 1.8 bytes, where an array of 32-bit numbers takes 4.",
    ),
    "list-accesses": (
        tuple(f"list:length={1 << k},seed=1" for k in (8, 10, 12)),
        "On the longest list, random splitters and Rehman's algorithm come close to the sequential walk.",
    ),
}
"""Of each property: smaller inputs, for which the site has time while it is built, unless its own are small
enough; and what is to be seen in the figure of these."""


def properties_page() -> str:
    """Return all properties, each with a figure and a table."""
    parts = [
        "# Measured properties",
        "",
        "This page is for those who check the papers: what these measured, as far as it does not "
        "depend on hardware, "
        "counted on the references. Each figure "
        "was made while this page was built, by the command above it. Where the command names graphs or "
        "lists, they are smaller than those that `pointerjump measure` takes by itself, so that the page is "
        "built in seconds.",
        "",
        *table(
            ("property", "what is measured", "in the papers"),
            [(f"[`{each.name}`](#{each.name})", each.title, each.source) for each in PROPERTIES],
        ),
        "",
    ]
    for each in PROPERTIES:
        parts += described(each)
    return "\n".join([*parts, "", "Next: [how to read these charts](papers/reading.md)."])


def described(which: Property) -> list[str]:
    """Return a property: the command that measures it, the figure, how to read it, and the table."""
    small, shows = SHOWN[which.name]
    found = measure(which.name, small or None)
    command = " \\\n    ".join([f"pointerjump measure {which.name}", *small])
    lines = "\n".join(table_of(found))
    return [
        f"## {which.title} {{ #{which.name} }}",
        "",
        f"{which.source}.",
        "",
        code("sh", command),
        f'<figure class="chart"><div>{svg(found)}</div></figure>',
        "",
        f"**What it shows.** {shows}",
        "",
        f"**What was counted.** {which.about}",
        "",
        folded(f"The table: {len(found.lines)} lines", lines, "note"),
        "",
    ]


def table_of(found: Measurement) -> list[str]:
    """Return a measurement's table."""
    rows = [[column.text(line[column.name]) for column in found.of.columns] for line in found.lines]
    return table([column.heading for column in found.of.columns], rows)
