"""Draws a run of an algorithm on its input, which may be a graph, lists, an image or ids."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from pointerjump.base.edges import EdgeList
from pointerjump.base.graph import Graph
from pointerjump.base.images import image_of
from pointerjump.base.integers import as_count
from pointerjump.base.limits import MOST_DRAWN
from pointerjump.base.linked_lists import SuccessorArray, as_successors, require_lists
from pointerjump.draw.drawing import Drawing, Panels
from pointerjump.draw.recording import (
    LIST_VIEWS,
    Every,
    map_view,
    parents_view,
    record,
    runs_view,
    tour_view,
)
from pointerjump.draw.scenes import ARROWS, NOWHERE, Frame, PictureLayout, Scene, graph_scene, list_scene
from pointerjump.errors import AlgorithmError, GraphError, ImageError
from pointerjump.generators import generate_list, is_spec, positions_of
from pointerjump.registry import Algorithm, Problem, find_algorithm
from pointerjump.solving.biconnected import find_blocks, find_bridges
from pointerjump.solving.inputs import HostGraph, as_graph
from pointerjump.solving.result import find_components
from pointerjump.solving.run import REFERENCE, order
from pointerjump.solving.trees import host_forest, rows_of_forest

Choices = dict[str, Any]  # values for an algorithm's axes
DrawnRun = tuple[list[Frame], Scene]

_EDGES = "1-7 1-8 1-9 7-8 7-9 8-9 8-12 9-12 6-7 6-12 4-9 4-6 2-11 10-11 2-10 10-12 0-5 3-5"
EXAMPLE = Graph.from_edges([tuple(map(int, edge.split("-"))) for edge in _EDGES.split()], vertices=14)
"""Seven vertices with many edges, a triangle attached to one of the seven, a path and an isolated vertex.

The vertices are numbered so that trees grow deep, and so that Afforest finds the triangle only after it has
skipped the largest component.
"""

EXAMPLE_TREE = Graph.from_edges([(0, 3), (0, 5), (3, 1), (3, 4), (5, 2), (2, 6)])
"""A tree of seven vertices, two of which have smaller numbers than their parents."""

EXAMPLE_LIST = np.minimum(np.arange(1, 13, dtype=np.int32), 11)
NOT_DRAWN: tuple[Problem, ...] = ("common-ancestors", "dendrograms", "minimum-spanning-forest")
SMALL: dict[str, object] = {"splitters": 3, "block": 4, "one_group": 4}  # values of axes for small inputs

EXAMPLE_MAP = np.array([4, 0, 6, 8, 7, 2, 11, 1, 5, 0, 9, 3, 13, 12], np.int32)
"""Cycles of four, six and two elements, and a path that leads to one of them."""

EXAMPLE_MASK = [
    [pixel == "#" for pixel in row] for row in ("..##..#.", "###.#.#.", "....###.", ".#......", "##..##.#")
]
EXAMPLE_IDS = ("dee", "bob", "eve", "bob", "ann", "dee", "cal")

MOST_AT_ALL, MOST_EDGES = 2000, 20_000  # larger pictures are illegible and take too long to lay out
FEW_PHASES, FEW_VERTICES = 2, 16  # up to these limits, "auto" shows a run write by write

MOST_LETTERS = 7  # the maximum length of an id in a picture; longer ids are shortened

_KEY_TO_TOURS = (
    "Circles are edges, each once in each direction, and grey arrows lead along the Euler tour. "
    f"{ARROWS} Below an edge stands how many edges come after it. Squares lead down."
)

SLOT_APART = 1.6  # the vertical distance between ids and slots


def draw(
    algorithm: str,
    input: Any = None,
    *,
    layout: PictureLayout | None = None,
    positions: npt.ArrayLike | None = None,
    every: Every = "auto",
    most: int = MOST_DRAWN,
    **variant: object,
) -> Drawing:
    """Run an algorithm's reference implementation, and return a picture of the run.

    Parameters
    ----------
    algorithm : str
        The name of an algorithm that has a reference implementation. Algorithms for lowest common ancestors,
        minimum spanning forests and dendrograms cannot be drawn. For bridges and biconnected components, only
        the result is shown.
    input : object, optional
        The algorithm's input. For graph algorithms: anything that :func:`pointerjump.components` accepts as a
        graph. For algorithms that root trees, the graph must not have cycles. For list ranking, list scan and
        functional graphs: a successor array or the spec of a list. For labelling: a two-dimensional mask. For
        interning: strings. Defaults to a small example.
    layout : {"plane", "line"}, optional
        Whether vertices are placed in the plane, or in a row in ascending order. Only allowed for graphs.
        Defaults to "plane".
    positions : array-like of float, shape (vertices, 2), optional
        The positions of the vertices in the plane. The y-axis points up. By default, generated graphs such as
        grids, rings and stars are drawn in their natural shape. The nodes of NetworkX graphs are placed at
        their ``pos`` attributes, if every node has one. In all other cases, a spring layout is used.
    every : {"auto", "phase", "write"}
        "phase": draw a frame after a phase if the phase changed something or ran for the first time.
        "write": draw a frame for each write. "auto": "write" for runs with at most two phases on small
        graphs, otherwise "phase".
    most : int
        The maximum number of vertices, elements, pixels or ids in the input. Values above 2000 are
        treated as 2000.
    **variant
        Options of the algorithm. By default, pictures use 3 splitters, blocks of 4 edges or ids, and
        work-groups that each rank 4 elements.

    Returns
    -------
    Drawing

    Raises
    ------
    AlgorithmError
        If there is no such algorithm or variant, or if the algorithm cannot be drawn.
    GraphError, ListError, ImageError
        If the input is not suitable for the algorithm, or if it is too large.

    Examples
    --------
    >>> run = draw("ecl-cc", every="phase")
    >>> [frame.title for frame in run.frames]
    ['after init', 'after compute', 'after finalize']
    >>> draw("wylie", [1, 2, 3, 3]).frames[-1].notes
    ('3', '2', '1', '0')
    """
    found = find_algorithm(algorithm)
    found.require("reference")
    if found.problem in NOT_DRAWN:
        raise AlgorithmError(f"{found.name} cannot be drawn: its page on the site explains its phases")
    small = {name: value for name, value in SMALL.items() if found.has("reference", (name,))}
    choices = found.variant("reference", small | variant)
    most = _as_most(most) if input is not None else max(_as_most(most), MOST_DRAWN)  # the examples are small
    _require_one_of("every", every, get_args(Every))
    if found.problem in ("components", "spanning-forest"):
        graph, scene = _graph_and_scene(EXAMPLE if input is None else input, layout, positions, most)
        frames = _forest_frames(found, graph.symmetrized(), every, choices)
    elif found.problem in ("bridges", "biconnectivity"):
        graph, scene = _graph_and_scene(EXAMPLE if input is None else input, layout, positions, most)
        frames = _answer_frames(found, graph, choices)
    elif found.name == "level-by-level":
        forest, scene = _graph_and_scene(EXAMPLE_TREE if input is None else input, layout, positions, most)
        arguments = host_forest(rows_of_forest(forest))
        frames, _ = record(found, arguments, choices, partial(parents_view, "parent", forest.vertices), every)
    elif not (layout is None and positions is None):
        raise GraphError(f"layout and positions are for graphs: leave them out for {found.name}")
    elif found.problem in ("list-ranking", "list-scan"):
        frames, scene = _of_lists(found, EXAMPLE_LIST if input is None else input, every, most, choices)
    elif found.problem == "trees":
        frames, scene = _of_tours(found, EXAMPLE_TREE if input is None else input, every, most, choices)
    elif found.problem == "functional-graphs":
        frames, scene = _of_map(found, EXAMPLE_MAP if input is None else input, every, most, choices)
    elif found.problem == "image-labelling":
        frames, scene = _of_image(found, EXAMPLE_MASK if input is None else input, every, most, choices)
    else:
        frames, scene = _of_ids(found, EXAMPLE_IDS if input is None else input, most, choices)
    return Drawing(frames, scene=scene, title=f"{found.title}, a run of the reference")


def picture(
    graph: Any,
    *,
    layout: PictureLayout = "plane",
    positions: npt.ArrayLike | None = None,
    most: int = MOST_DRAWN,
) -> str:
    """Draw a graph without running an algorithm, and return the picture as SVG.

    The parameters are the same as for :func:`draw`.

    Examples
    --------
    >>> picture("grid2d:rows=3,columns=4").count("<circle")
    12
    """
    loaded, scene = _graph_and_scene(graph, layout, positions, _as_most(most))
    panels = Panels(scene, [Frame("", range(loaded.vertices))])
    return panels.svg(0, f"A graph of {loaded.vertices} vertices")


def _graph_and_scene(
    graph: Any, layout: PictureLayout | None, positions: npt.ArrayLike | None, most: int
) -> tuple[Graph, Scene]:
    _require_one_of("layout", layout, (None, *get_args(PictureLayout)))
    loaded = as_graph(graph)
    _require_few(loaded.vertices, most, "vertices")
    if loaded.edges > MOST_EDGES:
        raise GraphError(
            f"the graph has {loaded.edges} edges, and a picture shows up to {MOST_EDGES}: draw a sparser one"
        )
    if positions is None and isinstance(graph, str) and is_spec(graph):
        positions = positions_of(graph)
    elif positions is None and hasattr(graph, "adj") and hasattr(graph, "nodes"):
        positions = _positions_of_nodes(graph)
    return loaded, graph_scene(loaded, layout or "plane", positions)


def _positions_of_nodes(graph: Any) -> npt.ArrayLike | None:
    """Return the first two numbers of each node's ``pos`` attribute, or None if one is missing or invalid."""
    found = [attributes.get("pos") for _, attributes in graph.nodes(data=True)]
    if not all(isinstance(each, tuple | list | np.ndarray) and len(each) >= 2 for each in found):
        return None
    pairs = [tuple(each)[:2] for each in found]
    return pairs if all(isinstance(x, int | float | np.number) for pair in pairs for x in pair) else None


def _forest_frames(algorithm: Algorithm, graph: Graph, every: Every, choices: Choices) -> list[Frame]:
    parents = _parents_of(algorithm, choices)
    run = algorithm, (graph,), choices, partial(parents_view, parents, graph.vertices)
    frames, answer = record(*run, every, graph.edges)
    few = len({frame.pointers for frame in frames}) <= FEW_PHASES and graph.vertices <= FEW_VERTICES
    if every == "auto" and few:
        frames = record(*run, "write", graph.edges)[0] or frames
    if algorithm.problem == "spanning-forest":
        last = frames[-1].pointers if frames else range(graph.vertices)
        about = "each edge that hooked a root is in the spanning forest"
        frames.append(Frame("the edges that hooked", last, chosen=answer.tolist(), about=about))
    elif algorithm.contracts and graph.vertices:
        about = "what the contracted graphs have found goes back to all vertices"
        frames.append(Frame("the answer", answer.tolist(), about=about))
    return frames


def _answer_frames(algorithm: Algorithm, graph: Graph, choices: Choices) -> list[Frame]:
    """Return frames that show only the result: components, bridges and, for biconnectivity, blocks."""
    rows, n = graph.symmetrized(), graph.vertices
    up = rows.sources < rows.neighbors
    us, vs = rows.sources[up], rows.neighbors[up]
    edges, wanted = EdgeList(us, vs, n), order(algorithm.problem, algorithm.name, REFERENCE, choices)
    if algorithm.problem == "bridges":
        is_bridge = np.isin(np.arange(len(us)), find_bridges(wanted, edges)[0])
    else:
        found = find_blocks(wanted, edges)
        is_bridge = np.bincount(found.labels)[found.labels] == 1
    chosen = list(zip(us[is_bridge].tolist(), vs[is_bridge].tolist(), strict=True))

    def smallest(left: npt.NDArray[np.bool_]) -> list[int]:
        some = HostGraph(Graph.of_checked(EdgeList(us[left], vs[left], n)))
        plain = order("components", "auto", REFERENCE, {})
        of_each: list[int] = find_components(plain, some, "representative").labels.tolist()
        return of_each

    about = "each vertex points to the smallest one of its component"
    frames = [Frame("components", smallest(np.ones(len(us), bool)), about=about)]
    pointers, about = smallest(~is_bridge), "thick edges are bridges; without them, colors come apart"
    frames.append(Frame("bridges", pointers, chosen=chosen, about=about))
    if algorithm.problem == "biconnectivity":
        ends = np.concatenate([us, vs]), np.concatenate([found.labels] * 2)
        notes = [",".join(map(str, np.unique(ends[1][ends[0] == v]))) for v in range(n)]
        about = "squares are articulation points; below a vertex stand the numbers of its blocks"
        marked = found.articulation_points.tolist()
        frames.append(Frame("blocks", pointers, notes, marked, chosen, about))
    return frames


def _parents_of(algorithm: Algorithm, choices: Choices) -> str:
    parents = algorithm.parents_of(choices)
    if parents is None:
        raise AlgorithmError(f"{algorithm.name} cannot be drawn: its row in the registry names no parents")
    return parents


def _successors(input: Any, most: int) -> SuccessorArray:
    successors = as_successors(generate_list(input) if isinstance(input, str) else input)
    _require_few(len(successors), most, "elements")
    return successors


def _of_lists(algorithm: Algorithm, input: Any, every: Every, most: int, choices: Choices) -> DrawnRun:
    """Draw list ranking, or a list scan that adds ones and thereby counts elements."""
    successors = _successors(input, most)
    require_lists(successors)
    scanned = () if algorithm.problem == "list-ranking" else ([1] * len(successors), operator.add)
    view = LIST_VIEWS[algorithm.name](successors.tolist())
    frames, _ = record(algorithm, (successors, *scanned), choices, view, every)
    return frames, list_scene(successors)


def _of_tours(algorithm: Algorithm, input: Any, every: Every, most: int, choices: Choices) -> DrawnRun:
    rows = rows_of_forest(as_graph(input))
    _require_few(rows.directed_edges, most, "edges, each in both directions")
    tour: list[int] = []
    frames, _ = record(algorithm, host_forest(rows), choices, partial(tour_view, tour), every)
    names = [f"{u}-{v}" for u, v in zip(rows.sources.tolist(), rows.neighbors.tolist(), strict=True)]
    scene = replace(
        list_scene(np.array(tour, np.int32)), names=tuple(names), element="edge", key=_KEY_TO_TOURS
    )
    return frames, scene


def _of_map(algorithm: Algorithm, input: Any, every: Every, most: int, choices: Choices) -> DrawnRun:
    successors = _successors(input, most)
    n = len(successors)
    frames, _ = record(algorithm, (successors, None), choices, map_view, every)
    scene = graph_scene(Graph.from_edges(np.arange(n), successors, vertices=n))
    key = f"Lines join elements and their successors. {ARROWS} Squares lie on cycles, as far as is known. In "
    key += "the end, each element points to a cycle, and its number says how many steps lead there."
    return frames, replace(scene, element="element", key=key, sizes=(("elements", n),))


def _of_image(algorithm: Algorithm, input: Any, every: Every, most: int, choices: Choices) -> DrawnRun:
    """Draw the steps of labelling an image. Each run of pixels is an element, drawn at its first pixel."""
    image = image_of(input)
    if len(image.shape) != 2:
        raise ImageError(f"the image has {len(image.shape)} dimensions: a picture shows two")
    _require_few(image.size, most, "pixels")
    runs: list[range] = []
    view = partial(runs_view, _parents_of(algorithm, choices), every, runs)
    frames, _ = record(algorithm, (image,), choices, view, every)
    height, width = image.shape
    run_of = {p: r for r, run in enumerate(runs) for p in run}
    scene = Scene(
        "plane",
        positions=tuple((run[0] % width + 0.5, run[0] // width + 0.5) for run in runs),
        edges=(),
        names=tuple(map(str, range(len(runs)))),
        cells=tuple((p % width, p // width, run_of.get(p, NOWHERE)) for p in range(height * width)),
        key=f"Each stretch of pixels with a number is a run. {ARROWS} "
        "Runs of one tree have one color. In the end, the number is the label.",
        sizes=(("pixels", height * width), ("runs", len(runs))),
    )
    return frames, scene


def _of_ids(algorithm: Algorithm, input: Any, most: int, choices: Choices) -> DrawnRun:
    """Draw the steps of interning ids: one frame per block, with the hash table's slots below the ids."""
    if isinstance(input, str) or not isinstance(input, Iterable):
        raise GraphError(f"the ids are {input!r}: give a list of them")
    ids = [str(each) for each in input]
    n = len(ids)
    _require_few(n, most, "ids")
    interner = algorithm.load("reference").Interner(choices.get("seed", 1))
    encoded = [each.encode(errors="surrogatepass") for each in ids]
    states: list[tuple[list[int], list[int | None]]] = []  # the number of each id and slot so far
    numbers: list[int] = []
    for begin in range(0, n, int(choices["block"])):
        numbers = numbers + interner.intern(encoded[begin : begin + int(choices["block"])])
        states.append((numbers, interner.slots()))
    slots = max((len(in_slot) for _, in_slot in states), default=0)
    frames = []
    for block, (numbers, in_slot) in enumerate(states, 1):
        slot_of = {number: n + at for at, number in enumerate(in_slot) if number is not None}
        unseen, unused = [None] * (n - len(numbers)), [None] * (slots - len(in_slot))
        known = [*numbers, *unseen, *in_slot, *unused]  # the number of each id and slot
        frames.append(
            Frame(
                f"after block {block}",
                [NOWHERE if number is None else slot_of[number] for number in known],
                ["" if number is None else str(number) for number in known],
                marked=range(n, n + slots),
                about="each id has found its slot; below both stands the id's number",
            )
        )
    wide = 0.8 * max(n, slots)
    scene = Scene(
        "plane",
        positions=(
            *((i * wide / max(n, 1), 0.0) for i in range(n)),
            *((i * wide / max(slots, 1), SLOT_APART) for i in range(slots)),
        ),
        edges=(),
        names=(
            *(each if len(each) <= MOST_LETTERS else f"{each[: MOST_LETTERS - 1]}…" for each in ids),
            *map(str, range(slots)),
        ),
        element="id or slot",
        key=f"Circles are ids, squares are slots of the hash table. {ARROWS} "
        "Below an id, and below its slot, stands the number of the id. A dashed circle has not been looked "
        "at yet, and a dashed square is empty.",
        sizes=(("ids", n), ("slots", slots)),
    )
    return frames, scene


def _as_most(most: object) -> int:
    number = as_count(most, "most", GraphError)
    if number < 1:
        raise GraphError(f"most is {number}: a picture shows at least one vertex or element")
    return number


def _require_few(count: int, most: int, what: str) -> None:
    allowed = min(most, MOST_AT_ALL)
    if count > allowed:
        more = f"allow for more (most={count}, or --most {count})"
        way_out = more if count <= MOST_AT_ALL else "draw fewer"
        raise GraphError(f"there are {count} {what}, and a picture shows up to {allowed}: {way_out}")


def _require_one_of(name: str, value: object, known: tuple[str | None, ...]) -> None:
    if not (value is None or isinstance(value, str)) or value not in known:
        raise GraphError(f"{name} is {value!r}: choose one of {', '.join(filter(None, known))}")
