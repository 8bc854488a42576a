"""The table of properties: what each is measured by, on which graphs or lists, and how it is drawn.

To add one, write a function that takes a name and a graph (or list) and returns lines of a table, and add
an entry to :data:`PROPERTIES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pointerjump.errors import AlgorithmError
from pointerjump.limits import LOW_DEGREE, MIDDLE_DEGREE
from pointerjump.measure import accesses, convergence, lists, plots, structure
from pointerjump.measure.measurement import Column, Line, Measurement
from pointerjump.registry.table import AFFOREST, CONG, DEHNE, ECL_CC, THESIS


@dataclass(frozen=True)
class Property:
    """Something to measure: an entry of :data:`PROPERTIES`.

    Attributes
    ----------
    name, title : str
        What the command line calls it, and its heading.
    source : str
        The papers' tables, figures or theorems.
    of : {"graph", "list"}
        What it is a property of.
    inputs : tuple of str
        The specs that it is measured on unless others are given.
    small : tuple of str
        Smaller ones, for which the site has time while it is built; none if `inputs` are small enough.
    measured_by : callable
        Takes a name, and the graph or list that it names. Returns lines with the columns and what the figure
        needs besides.
    columns : tuple of Column
    draw : callable
        Draws a measurement into a matplotlib figure.
    about : str
        What is counted, and how to read it.
    shows : str
        What is to be seen in the figure of `small`, or of `inputs`.
    """

    name: str
    title: str
    _: KW_ONLY
    source: str
    of: str
    inputs: tuple[str, ...]
    measured_by: Callable[[str, Any], list[Line]]
    columns: tuple[Column, ...]
    draw: plots.Draw
    about: str
    shows: str
    small: tuple[str, ...] = ()


_GRAPH, _LIST, _ALGORITHM = Column("graph", "graph"), Column("list", "list"), Column("algorithm", "algorithm")

PROPERTIES = (
    Property(
        "sublists",
        "Lengths of sub-lists between random splitters",
        source=f"{DEHNE.authors}, table 3",
        of="list",
        inputs=tuple(f"list:length={1 << k},seed=1" for k in (16, 17, 18)),
        small=tuple(f"list:length={1 << k},seed=1" for k in (11, 12, 13)),
        measured_by=lists.sublists,
        columns=(
            _LIST,
            Column("n", "elements n"),
            Column("p", "splitters p"),
            Column("mean", "mean n/p", 1),
            Column("expected_low", "shortest, expected"),
            Column("low", "shortest"),
            Column("expected_high", "longest, expected", 1),
            Column("high", "longest"),
            Column("even_low", "even: shortest"),
            Column("even_high", "even: longest"),
        ),
        draw=plots.sublists,
        about="Elements in each splitter's sub-list. The j-th shortest is expected to have "
        "n/p ln((p + 1) / (p - j + 3/2)).",
        shows="Lengths follow the expected curve. The longest sub-list is six to eight times as long as the "
        "mean.",
    ),
    Property(
        "sv-accesses",
        "Reads and writes of Shiloach-Vishkin's kernels",
        source=f"{DEHNE.authors}, table 4",
        of="graph",
        inputs=("urand:scale=12,degree=8,seed=1", "kron:scale=12,degree=8,seed=1"),
        small=("urand:scale=10,degree=8,seed=1", "kron:scale=10,degree=8,seed=1"),
        measured_by=accesses.sv_accesses,
        columns=(
            _GRAPH,
            Column("kernel", "kernel"),
            Column("launches", "launches"),
            Column("formula_reads", "reads, paper"),
            Column("expected_reads", "as a number"),
            Column("reads", "reads a launch", 1),
            Column("formula_writes", "writes, paper"),
            Column("writes", "writes a launch", 1),
            Column("writes_per_n", "writes / n", 3),
            Column("cells_per_n", "cells / n, most", 3),
        ),
        draw=plots.sv_accesses,
        about="Accesses of D, Q and the edge list; m counts the entries of the edge list, two for each "
        "undirected edge. The last column counts the different cells that a launch writes, in the launch "
        "that writes the most. SV1b, SV2 and SV3 write only where they mark or hook. Their numbers in the "
        "paper, n, 2n and n, are the sizes of the arrays that they write, so they bound the cells. They do "
        "not bound how often SV2 and SV3 write, because these loop over edges: all edges that hook the same "
        "root write the same cell. SV5's p writes are one flag here, which is not counted.",
        shows="Reads are what the paper's formulas say. Nearly all of them are in SV2 and SV3, which look at "
        "every edge.",
    ),
    Property(
        "iterations",
        "Iterations and tree depth of Shiloach-Vishkin and Afforest",
        source=f"{AFFOREST.authors}, table II",
        of="graph",
        inputs=(
            "kron:scale=16,degree=16,seed=1",
            "urand:scale=16,degree=16,seed=1",
            "grid2d:rows=256,columns=256,keep=0.6,seed=1",
        ),
        small=(
            "kron:scale=12,degree=16,seed=1",
            "urand:scale=12,degree=16,seed=1",
            "grid2d:rows=64,columns=64,keep=0.6,seed=1",
        ),
        measured_by=convergence.iterations,
        columns=(
            _GRAPH,
            Column("sv_iterations", "SV: iterations"),
            Column("sv_depth", "SV: max. depth"),
            Column("links", "Afforest: links"),
            Column("average_iterations", "average iterations a link", 3),
            Column("most_iterations", "most"),
            Column("depth", "max. depth"),
        ),
        draw=plots.iterations,
        about="Afforest without skipping. A link whose two ends already have the same parent takes one "
        "iteration. Depth: the most pointers from a vertex to its root after a phase that hooks or links.",
        shows="A link of Afforest takes little more than one iteration on average, although its trees may be "
        "deeper than those of Shiloach-Vishkin.",
    ),
    Property(
        "convergence",
        "Linkage and coverage by share of edges processed",
        source=f"{AFFOREST.authors}, figures 6a and 6b",
        of="graph",
        inputs=("kron:scale=13,degree=16,seed=1",),
        small=("kron:scale=11,degree=16,seed=1",),
        measured_by=convergence.convergence,
        columns=(
            _GRAPH,
            Column("partition", "partition"),
            Column("batch", "subgraphs"),
            Column("processed", "edges processed, %", 1),
            Column("linkage", "linkage, %", 1),
            Column("coverage", "coverage, %", 1),
        ),
        draw=plots.convergence,
        about="Linkage: the share of all joins of trees that are done. Coverage: the share of the largest "
        "component that is in one tree. Neighbor sampling processes one neighbor of each vertex in each "
        "of its first subgraphs.",
        shows="Neighbor sampling is nearly as good as a spanning forest known in advance: after 7% of the "
        "edges, the largest component is one tree. With edges in the order of rows, it takes 40% of "
        "them to put nine tenths of it into one tree.",
    ),
    Property(
        "heat-map",
        "Accesses of the parent array by phase",
        source=f"{AFFOREST.authors}, figure 7",
        of="graph",
        inputs=("urand:scale=12,degree=16,seed=1",),
        small=("urand:scale=10,degree=16,seed=1",),
        measured_by=accesses.heat_map,
        columns=(
            _GRAPH,
            _ALGORITHM,
            Column("phase", "phase"),
            Column("launches", "launches"),
            Column("accesses", "accesses of pi"),
            Column("per_vertex", "a vertex", 1),
            Column("lowest", "in the first 1/16, %", 1),
            Column("next_to_last", "in the cache line of the worker's last, %", 1),
        ),
        draw=plots.heat_map,
        about="Eight workers move in step, each over a contiguous part of every loop. A cache line is 16 "
        "words. Roots gather at the beginning of pi.",
        shows="Shiloach-Vishkin's hooks go all over the array. More than half of what Afforest's first links "
        "touch is in the cache line that the worker has touched last. Skipping the largest component "
        "leaves a twentieth of the last phase's accesses.",
    ),
    Property(
        "paths",
        "Lengths of the paths to representatives",
        source=f"{ECL_CC.authors}, table 4",
        of="graph",
        inputs=(
            "kron:scale=12,degree=16,seed=1",
            "urand:scale=12,degree=4,seed=1",
            "grid2d:rows=64,columns=64,seed=1",
        ),
        small=(
            "kron:scale=10,degree=16,seed=1",
            "urand:scale=10,degree=4,seed=1",
            "grid2d:rows=32,columns=32,seed=1",
        ),
        measured_by=structure.paths,
        columns=(
            _GRAPH,
            Column("jump", "jump"),
            Column("finds", "finds"),
            Column("average", "average length"),
            Column("longest", "longest"),
        ),
        draw=plots.paths,
        about="Pointers from the vertex to its representative, at every find of ECL-CC's compute phase (and "
        "of its last pass, where that jumps the same way), in serial order.",
        shows="With any kind of jumping, a path has between one and two pointers on average. Without it, a "
        "path in the grid has 23 on average, and up to 62.",
    ),
    Property(
        "random-accesses",
        "Random look-ups of components, round by round",
        source=f"{CONG.authors}, theorems 1 and 2, lemma 1",
        of="graph",
        inputs=("urand:scale=12,degree=4,seed=1",),
        small=("urand:scale=10,degree=4,seed=1",),
        measured_by=accesses.random_accesses,
        columns=(
            _GRAPH,
            _ALGORITHM,
            Column("round", "round"),
            Column("look_ups", "look-ups in D"),
            Column("random", "random"),
            Column("fewer", "fewer than CC"),
            Column("half_n", "n/2", 0),
        ),
        draw=plots.random_accesses,
        about="A look-up is random unless it falls into the same block of 32 words as the one before it. A "
        "round of Stages is a group of n edges: its update and its rounds of CC. Sorting leaves few random "
        "look-ups and costs passes over all edges, which are not counted here (theorem 1).",
        shows="CC makes as many random look-ups in every round. CC-updt makes fewer from its second round "
        "on. Sorted edges make hardly any.",
    ),
    Property(
        "giant-component",
        "The giant component after each group of edges",
        source=f"{CONG.authors}, theorem 3",
        of="graph",
        inputs=("urand:scale=14,degree=6,seed=1",),
        small=("urand:scale=12,degree=6,seed=1",),
        measured_by=structure.giant_component,
        columns=(
            _GRAPH,
            Column("edges", "edges so far"),
            Column("c", "c = edges / n"),
            Column("expected", "f(c), %", 2),
            Column("measured", "largest component, %", 2),
        ),
        draw=plots.giant_component,
        about="Stages takes the edges in random order, n to a group. The theorem is about random graphs; "
        "other graphs may be given.",
        shows="What was counted lies on the theorem's curve. After n edges the largest component has four "
        "fifths of the vertices, and after 2n edges nearly all.",
    ),
    Property(
        "worklist",
        "Vertices and edges by ECL-CC's degree limits",
        source=f"{THESIS.authors}, figure 4.1",
        of="graph",
        inputs=(
            "kron:scale=14,degree=16,seed=1",
            "urand:scale=14,degree=16,seed=1",
            "grid2d:rows=128,columns=128,seed=1",
        ),
        measured_by=structure.worklist,
        columns=(
            _GRAPH,
            Column("vertices", "vertices"),
            Column("directed_edges", "directed edges"),
            Column("low", f"degree up to {LOW_DEGREE}"),
            Column("front", f"front: {LOW_DEGREE + 1} to {MIDDLE_DEGREE}"),
            Column("back", f"back: above {MIDDLE_DEGREE}"),
            Column("low_edges", "their edges, %", 1),
            Column("front_edges", "front's, %", 1),
            Column("back_edges", "back's, %", 1),
            Column("highest", "highest degree"),
        ),
        draw=plots.worklist,
        about=f"A work-item takes vertices of up to {LOW_DEGREE} edges itself and puts the others "
        "on one of the worklist's two ends.",
        shows="In the Kronecker graph, a fifth of the vertices has nine tenths of the edges. In each of the "
        "other graphs, nearly all vertices are of one class.",
    ),
    Property(
        "rounds",
        "Rounds until nothing changes",
        source=f"{DEHNE.authors}, figure 6; {AFFOREST.authors}, section II",
        of="graph",
        inputs=(
            "urand:scale=10,degree=8,seed=1",
            "grid2d:rows=32,columns=32,seed=1",
            "ring:vertices=1024,chords=0",
        ),
        small=(
            "urand:scale=8,degree=8,seed=1",
            "grid2d:rows=16,columns=16,seed=1",
            "ring:vertices=256,chords=0",
        ),
        measured_by=convergence.rounds,
        columns=(
            _GRAPH,
            _ALGORITHM,
            Column("in_order", "rounds in order"),
            Column("at_random", "rounds at random"),
        ),
        draw=plots.rounds,
        about="In order, every iteration sees what those before it wrote, so that labels can run far in one "
        "round. At random, iterations run in any order and may see what cells held before.",
        shows="Breadth-first search, and label propagation at random, need more rounds the longer the paths "
        "are: over a hundred on the ring. All the others need at most eight.",
    ),
    Property(
        "work",
        "Vertices and edges still looked at, round by round",
        source=f"{ECL_CC.authors}, section 2 (Gunrock's filters); {THESIS.authors}, algorithms 7 and 8",
        of="graph",
        inputs=("kron:scale=12,degree=8,seed=1",),
        small=("kron:scale=10,degree=8,seed=1",),
        measured_by=convergence.work,
        columns=(
            _GRAPH,
            _ALGORITHM,
            Column("phase", "phase"),
            Column("launch", "launch"),
            Column("items", "vertices or edges"),
        ),
        draw=plots.work,
        about="How many items the loop of each phase runs over, in random order and with stale reads.",
        shows="Soman's algorithm looks at all edges in every round. Gunrock's filters leave fewer than ten "
        "of them after the first one.",
    ),
    Property(
        "edges-read",
        "Edges read by searches from the top and in both directions",
        source=f"{AFFOREST.authors}, figures 6c and 8c",
        of="graph",
        inputs=tuple(f"kron:scale=12,degree={d},seed=1" for d in (4, 16, 64)),
        small=tuple(f"kron:scale=10,degree={d},seed=1" for d in (4, 16, 64)),
        measured_by=accesses.edges_read,
        columns=(
            _GRAPH,
            Column("direction", "direction"),
            Column("directed_edges", "directed edges"),
            Column("read", "read"),
            Column("share", "share, %", 1),
        ),
        draw=plots.edges_read,
        about="Entries of the rows that the search looks at. In a bottom-up step a vertex stops at the first "
        "parent that it finds.",
        shows="The more edges a vertex has, the smaller is the share of them that a search in both "
        "directions reads: 28% with 4 edges drawn for each vertex, and 2% with 64.",
    ),
    Property(
        "compression",
        "Bytes for an edge in Ligra+'s code",
        source=f"{THESIS.authors}, chapter 2 (Ligra+)",
        of="graph",
        inputs=(
            "grid2d:rows=64,columns=64,seed=1",
            "kron:scale=12,degree=16,seed=1",
            "urand:scale=14,degree=16,seed=1",
        ),
        measured_by=structure.compression,
        columns=(
            _GRAPH,
            Column("directed_edges", "directed edges"),
            Column("bytes", "bytes"),
            Column("bytes_per_edge", "bytes an edge"),
            Column("smaller", "times smaller than 4 bytes"),
        ),
        draw=plots.compression,
        about="The differences between neighbors in sorted rows, in blocks of 7 bits, without the offsets.",
        shows="An edge takes 1.2 to 1.8 bytes, where an array of 32-bit numbers takes 4.",
    ),
    Property(
        "list-accesses",
        "Accesses of shared arrays per list element",
        source=f"{DEHNE.authors}, section 3 and figure 3",
        of="list",
        inputs=tuple(f"list:length={1 << k},seed=1" for k in (10, 12, 14)),
        small=tuple(f"list:length={1 << k},seed=1" for k in (8, 10, 12)),
        measured_by=lists.list_accesses,
        columns=(
            _LIST,
            Column("n", "elements"),
            _ALGORITHM,
            Column("reads", "reads an element", 1),
            Column("writes", "writes an element", 1),
            Column("accesses", "accesses an element", 1),
        ),
        draw=plots.list_accesses,
        about="Wylie's number grows with log n. The others are constants; Cole and Vishkin's is the one that "
        "Dehne and Yogaratnam call too high.",
        shows="On the longest list, random splitters and Rehman's algorithm come close to the sequential "
        "walk.",
    ),
)


def find_property(name: str) -> Property:
    """Return the property called `name`.

    Raises
    ------
    AlgorithmError
        If there is none.
    """
    names = [property.name for property in PROPERTIES]
    if name in names:
        return PROPERTIES[names.index(name)]
    near = get_close_matches(name, names, 1)
    hint = f"did you mean {near[0]}?" if near else f"there is {', '.join(names)}"
    raise AlgorithmError(f"there is no property {name!r} to measure: {hint}")


def measure(name: str, inputs: Iterable[Any] | None = None) -> Measurement:
    """Measure one property.

    Parameters
    ----------
    name : str
        One of :data:`PROPERTIES`.
    inputs : iterable, optional
        Graphs, or successor arrays for a property of lists: anything that :func:`pointerjump.components`
        or :func:`pointerjump.list_rank` takes, paths and specs too. Default: the property's own specs.

    Returns
    -------
    Measurement

    Raises
    ------
    AlgorithmError
        If there is no such property.
    GraphError, ListError, FormatError, SpecError
        If an input is not a graph or list, or cannot be read.

    Examples
    --------
    >>> found = measure("giant-component", ["urand:scale=10,degree=2,seed=1"])
    >>> [line["edges"] for line in found.lines]
    [1024, 2042]
    """
    wanted = find_property(name)
    load = _list if wanted.of == "list" else _graph
    found: list[Line] = []
    for subject in wanted.inputs if inputs is None else inputs:
        found += wanted.measured_by(_name(subject), load(subject))
    names = [column.name for column in wanted.columns]
    lines = [{name: line[name] for name in names} for line in found]
    return Measurement(
        wanted.name, wanted.title, wanted.source, wanted.columns, lines, wanted.about, series=found
    )


def _graph(subject: Any) -> Any:
    from pointerjump.inputs import as_graph

    return as_graph(subject).symmetrized()


def _list(subject: Any) -> Any:
    from pointerjump.inputs import read_lists
    from pointerjump.linked_lists import as_successors, require_lists

    given = read_lists(subject) if isinstance(subject, str | Path) else subject
    successors = as_successors(given)
    require_lists(successors)
    return successors


def _name(subject: Any) -> str:
    """Return what to call an input: the name of its file, its spec, or its type."""
    if isinstance(subject, str | Path):
        return Path(subject).name
    return type(subject).__name__
