"""The table of properties: what each is measured by, on which graphs or lists, and how it is drawn.

To add one, write a function from a name and a graph (or list) to rows, and add a row to
:data:`PROPERTIES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pointerjump.errors import AlgorithmError
from pointerjump.measure import accesses, convergence, lists, plots, structure
from pointerjump.measure.table import Column, Measurement, Row


@dataclass(frozen=True)
class Property:
    """A row of the table.

    Attributes
    ----------
    name, title : str
        What the command line calls it, and its heading.
    source : str
        The papers' table, figure or theorem.
    of : {"graph", "list"}
        What it is a property of.
    inputs : tuple of str
        Specs that it is measured on if none are given.
    rows : callable
        Takes the name of a graph or list and itself; returns rows with the columns and what the figure needs.
    columns : tuple of Column
    draw : callable
        Draws a measurement into a matplotlib figure.
    about : str
        What is counted, and how to read it.
    """

    name: str
    title: str
    source: str
    of: str
    inputs: tuple[str, ...]
    rows: Callable[[str, Any], list[Row]]
    columns: tuple[Column, ...]
    draw: plots.Draw
    about: str


_GRAPH, _LIST, _ALGORITHM = Column("graph", "graph"), Column("list", "list"), Column("algorithm", "algorithm")

PROPERTIES = (
    Property(
        "sublists",
        "Lengths of sub-lists between random splitters",
        "D table 3",
        "list",
        tuple(f"list:length={1 << k},seed=1" for k in (16, 17, 18)),
        lists.sublists,
        (
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
        plots.sublists,
        "Elements in each splitter's sub-list. Expected of the j-th shortest: n/p ln((p + 1) / (p - j + "
        "3/2)).",
    ),
    Property(
        "sv-accesses",
        "Reads and writes of Shiloach-Vishkin's kernels",
        "D table 4",
        "graph",
        ("urand:scale=12,degree=8,seed=1", "kron:scale=12,degree=8,seed=1"),
        accesses.sv_accesses,
        (
            _GRAPH,
            Column("kernel", "kernel"),
            Column("launches", "launches"),
            Column("formula_reads", "reads, D"),
            Column("expected_reads", "in numbers"),
            Column("reads", "reads a launch", 1),
            Column("formula_writes", "writes, D"),
            Column("writes", "writes a launch", 1),
            Column("writes_per_n", "writes / n", 3),
        ),
        plots.sv_accesses,
        "Accesses of D, Q and the edge list; m counts the entries of the edge list, two for each "
        "undirected edge. SV1b, SV2 and SV3 write only where they mark or hook, so for them D's numbers "
        "of writes are bounds; SV5's p writes are one flag here, which is not counted.",
    ),
    Property(
        "iterations",
        "Iterations and tree depth of Shiloach-Vishkin and Afforest",
        "A table II",
        "graph",
        (
            "kron:scale=16,degree=16,seed=1",
            "urand:scale=16,degree=16,seed=1",
            "grid2d:rows=256,columns=256,keep=0.6,seed=1",
        ),
        convergence.iterations,
        (
            _GRAPH,
            Column("sv_iterations", "SV: iterations"),
            Column("sv_depth", "SV: max. depth"),
            Column("links", "Afforest: links"),
            Column("average_iterations", "average iterations a link", 3),
            Column("most_iterations", "most"),
            Column("depth", "max. depth"),
        ),
        plots.iterations,
        "Afforest without skipping; a link whose two ends already have one parent takes one iteration. "
        "Depth: the most pointers from a vertex to its root, after a hook or link phase.",
    ),
    Property(
        "convergence",
        "Linkage and coverage by share of edges processed",
        "A figures 6a and 6b",
        "graph",
        ("kron:scale=13,degree=16,seed=1",),
        convergence.convergence,
        (
            _GRAPH,
            Column("partition", "partition"),
            Column("batch", "subgraphs"),
            Column("processed", "edges processed, %", 1),
            Column("linkage", "linkage, %", 1),
            Column("coverage", "coverage, %", 1),
        ),
        plots.convergence,
        "Linkage: the share of all joins of trees that are done. Coverage: the share of the largest "
        "component that is in one tree. Neighbor sampling processes one neighbor of each vertex in each "
        "of its first subgraphs.",
    ),
    Property(
        "heat-map",
        "Accesses of the parent array by phase",
        "A figure 7",
        "graph",
        ("urand:scale=12,degree=16,seed=1",),
        accesses.heat_map,
        (
            _GRAPH,
            _ALGORITHM,
            Column("phase", "phase"),
            Column("launches", "launches"),
            Column("accesses", "accesses of pi"),
            Column("per_vertex", "a vertex", 1),
            Column("lowest", "in the first 1/16, %", 1),
            Column("next_to_last", "in the line of the worker's last, %", 1),
        ),
        plots.heat_map,
        "Eight workers, each with a contiguous run of every loop, moving in step; a line is 16 words. "
        "Roots gather at the beginning of pi.",
    ),
    Property(
        "paths",
        "Lengths of the paths to representatives",
        "E table 4",
        "graph",
        (
            "kron:scale=12,degree=16,seed=1",
            "urand:scale=12,degree=4,seed=1",
            "grid2d:rows=64,columns=64,seed=1",
        ),
        structure.paths,
        (
            _GRAPH,
            Column("jump", "jump"),
            Column("finds", "finds"),
            Column("average", "average length"),
            Column("longest", "longest"),
        ),
        plots.paths,
        "Pointers from the vertex to its representative, at every find of ECL-CC's compute phase (and, "
        "for the jump that it shares, of its last pass), in serial order.",
    ),
    Property(
        "random-accesses",
        "Random look-ups of components, round by round",
        "C theorems 1 and 2, lemma 1",
        "graph",
        ("urand:scale=12,degree=4,seed=1",),
        accesses.random_accesses,
        (
            _GRAPH,
            _ALGORITHM,
            Column("round", "round"),
            Column("look_ups", "look-ups in D"),
            Column("random", "random"),
            Column("fewer", "fewer than CC"),
            Column("half_n", "n/2", 0),
        ),
        plots.random_accesses,
        "A look-up is random unless it falls into the block of 32 words of the one before it. A round of "
        "Stages is a group of n edges: its update and its rounds of CC. Sorting leaves few random "
        "look-ups and costs passes over all edges, which are not counted here (theorem 1).",
    ),
    Property(
        "giant-component",
        "The giant component after each group of edges",
        "C theorem 3",
        "graph",
        ("urand:scale=14,degree=6,seed=1",),
        structure.giant_component,
        (
            _GRAPH,
            Column("edges", "edges so far"),
            Column("c", "c = edges / n"),
            Column("expected", "f(c), %", 2),
            Column("measured", "largest component, %", 2),
        ),
        plots.giant_component,
        "Stages takes n edges a group, in random order. The theorem holds for random graphs; others may "
        "be given.",
    ),
    Property(
        "worklist",
        "Vertices and edges by ECL-CC's degree limits",
        "T figure 4.1",
        "graph",
        (
            "kron:scale=14,degree=16,seed=1",
            "urand:scale=14,degree=16,seed=1",
            "grid2d:rows=128,columns=128,seed=1",
        ),
        structure.worklist,
        (
            _GRAPH,
            Column("vertices", "vertices"),
            Column("directed_edges", "directed edges"),
            Column("low", "degree up to 16"),
            Column("front", "front: 17 to 352"),
            Column("back", "back: above 352"),
            Column("low_edges", "their edges, %", 1),
            Column("front_edges", "front's, %", 1),
            Column("back_edges", "back's, %", 1),
            Column("highest", "highest degree"),
        ),
        plots.worklist,
        "A work-item takes vertices of up to 16 edges itself and puts the others on the worklist's two ends.",
    ),
    Property(
        "rounds",
        "Rounds until nothing changes",
        "D figure 6, A II",
        "graph",
        ("urand:scale=10,degree=8,seed=1", "grid2d:rows=32,columns=32,seed=1", "ring:vertices=1024,chords=0"),
        convergence.rounds,
        (_GRAPH, _ALGORITHM, Column("in_order", "rounds in order"), Column("at_random", "rounds at random")),
        plots.rounds,
        "In order every iteration sees what those before it wrote, which is kind to algorithms whose "
        "labels then run far in one round. At random, iterations run in any order and may see what cells "
        "held before.",
    ),
    Property(
        "work",
        "Vertices and edges still looked at, round by round",
        "E 2 (Gunrock's filters), T algorithms 7 and 8",
        "graph",
        ("kron:scale=12,degree=8,seed=1",),
        convergence.work,
        (
            _GRAPH,
            _ALGORITHM,
            Column("phase", "phase"),
            Column("launch", "launch"),
            Column("items", "vertices or edges"),
        ),
        plots.work,
        "How many items the loop of each phase runs over; in random order, with stale reads.",
    ),
    Property(
        "edges-read",
        "Edges read by searches from the top and in both directions",
        "A figures 6c and 8c",
        "graph",
        tuple(f"kron:scale=12,degree={d},seed=1" for d in (4, 16, 64)),
        accesses.edges_read,
        (
            _GRAPH,
            Column("direction", "direction"),
            Column("directed_edges", "directed edges"),
            Column("read", "read"),
            Column("share", "share, %", 1),
        ),
        plots.edges_read,
        "Entries of the rows that the search looks at. A bottom-up step stops at the first parent that it "
        "finds.",
    ),
    Property(
        "compression",
        "Bytes for an edge in Ligra+'s code",
        "T 2 (Ligra+)",
        "graph",
        (
            "grid2d:rows=64,columns=64,seed=1",
            "kron:scale=12,degree=16,seed=1",
            "urand:scale=14,degree=16,seed=1",
        ),
        structure.compression,
        (
            _GRAPH,
            Column("directed_edges", "directed edges"),
            Column("bytes", "bytes"),
            Column("bytes_per_edge", "bytes an edge"),
            Column("smaller", "times smaller than 4 bytes"),
        ),
        plots.compression,
        "Sorted rows as differences in blocks of 7 bits; offsets are not counted.",
    ),
    Property(
        "list-accesses",
        "Accesses of shared arrays per list element",
        "D 3 and figure 3",
        "list",
        tuple(f"list:length={1 << k},seed=1" for k in (10, 12, 14)),
        lists.list_accesses,
        (
            _LIST,
            Column("n", "elements"),
            _ALGORITHM,
            Column("reads", "reads an element", 1),
            Column("writes", "writes an element", 1),
            Column("accesses", "accesses an element", 1),
        ),
        plots.list_accesses,
        "Wylie's grows with log n; the others' are constants, Cole and Vishkin's the one that D calls too "
        "high.",
    ),
)


def find_property(name: str) -> Property:
    """Return the property called `name`.

    Raises
    ------
    AlgorithmError
        If there is none.
    """
    for row in PROPERTIES:
        if row.name == name:
            return row
    names = [row.name for row in PROPERTIES]
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
        Graphs, or for properties of lists successor arrays; anything :func:`pointerjump.components` or
        :func:`pointerjump.list_rank` takes, a path or a spec. Default: the property's own specs.

    Returns
    -------
    Measurement

    Raises
    ------
    AlgorithmError
        If there is no such property.
    GraphError, ListError, FormatError, SpecError
        If an input is none.

    Examples
    --------
    >>> found = measure("giant-component", ["urand:scale=10,degree=2,seed=1"])
    >>> [row["edges"] for row in found.rows]
    [1024, 2042]
    """
    row = find_property(name)
    load = _list if row.of == "list" else _graph
    found: list[Row] = []
    for subject in row.inputs if inputs is None else inputs:
        found += row.rows(_name(subject), load(subject))
    names = [column.name for column in row.columns]
    rows = [{name: given[name] for name in names} for given in found]
    return Measurement(row.name, row.title, row.source, row.columns, rows, row.about, found)


def _graph(subject: Any) -> Any:
    from pointerjump.inputs import as_graph

    return as_graph(subject).symmetrized()


def _list(subject: Any) -> Any:
    from pointerjump.inputs import read_or_generate_list
    from pointerjump.linked_lists import as_successors, require_lists

    given = read_or_generate_list(subject) if isinstance(subject, str | Path) else subject
    successors = as_successors(given)
    require_lists(successors)
    return successors


def _name(subject: Any) -> str:
    """Return what to call an input: a file's name, a spec as it stands, or what it is."""
    if isinstance(subject, str | Path):
        return Path(subject).name
    return type(subject).__name__
