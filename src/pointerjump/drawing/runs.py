"""Draws a run of any algorithm on whatever it takes: a graph, lists, an image or ids."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from pointerjump.drawing import svg
from pointerjump.drawing.frames import Frame
from pointerjump.drawing.graphs import forest_frames, spanning_frames
from pointerjump.drawing.ids import interning_drawn
from pointerjump.drawing.images import labelling_frames
from pointerjump.drawing.lists import ranking_frames, scan_frames
from pointerjump.drawing.panels import panels
from pointerjump.drawing.pictures import Drawing
from pointerjump.drawing.recording import Every
from pointerjump.drawing.scenes import (
    Layout,
    graph_scene,
    image_scene,
    list_scene,
    require_few,
    require_few_edges,
)
from pointerjump.errors import GraphError, ImageError
from pointerjump.generators import generate_list, is_spec, positions_of
from pointerjump.graph import Graph
from pointerjump.images import image_of
from pointerjump.inputs import as_graph
from pointerjump.integers import as_count
from pointerjump.limits import MOST_DRAWN
from pointerjump.linked_lists import as_successors, require_lists
from pointerjump.registry import Algorithm, find_algorithm

_EDGES = "1-7 1-8 1-9 7-8 7-9 8-9 8-12 9-12 6-7 6-12 4-9 4-6 2-11 10-11 2-10 10-12 0-5 3-5"
EXAMPLE = Graph.from_edges([tuple(map(int, edge.split("-"))) for edge in _EDGES.split()], vertices=14)
"""Seven vertices with many edges, a triangle that hangs on them, a path, and a vertex by itself.

Its numbers are such that trees grow deep, and that Afforest finds the triangle only after it has skipped the
largest component.
"""

EXAMPLE_LIST = np.minimum(np.arange(1, 13, dtype=np.int32), 11)
"""One list of twelve elements, each followed by the next."""

SMALL: dict[str, object] = {"splitters": 3, "block": 4, "one_group": 4}
"""Values of axes that suit the small inputs of pictures: with 64 splitters, each element would be one."""

EXAMPLE_MASK = ("..##..#.", "###.#.#.", "....###.", ".#......", "##..##.#")
EXAMPLE_IDS = ("dee", "bob", "eve", "bob", "ann", "dee", "cal")


def draw(
    algorithm: str,
    input: Any = None,
    *,
    layout: Layout | None = None,
    positions: npt.ArrayLike | None = None,
    every: Every = "auto",
    most: int = MOST_DRAWN,
    **variant: object,
) -> Drawing:
    """Run an algorithm's reference, and return the run as a picture: a frame for each phase.

    Parameters
    ----------
    algorithm : str
        The name of any algorithm that has a reference.
    input : object, optional
        What it runs on. A graph: anything that :func:`pointerjump.components` takes as one. For list ranking
        and list scan: a successor array, or a spec of a list. For labelling: a mask of two dimensions. For
        interning: a sequence of strings. Default: a small example.
    layout : {"plane", "line"}, optional
        Whether vertices stand in the plane, or in a row, in order. Only for graphs. Default: in the plane.
    positions : array-like of float, shape (vertices, 2), optional
        Where vertices are in the plane, with y upwards. Default: what the spec of a grid, ring or star says,
        or the attribute ``pos`` of a NetworkX graph's nodes, or else a spring layout.
    every : {"auto", "phase", "write"}
        Whether there is a frame for each phase that changed something, and for the first run of each phase;
        or for each write. "auto" is "phase", or "write" for runs on small graphs with hardly any phases.
    most : int
        How many vertices, elements, pixels or ids the input may have, at most 2000.
    **variant
        Values on the algorithm's axes. Unless you say, pictures have few splitters (3), small blocks (4) and
        small work-groups (4).

    Returns
    -------
    Drawing

    Raises
    ------
    AlgorithmError
        If there is no such algorithm or variant.
    GraphError, ListError, ImageError
        If the input is not what the algorithm takes, or is too large to be seen.

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
    most = _as_most(most)
    small = {name: value for name, value in SMALL.items() if found.has("reference", (name,))}
    choices = found.variant("reference", small | variant)
    _require_one_of("every", every, get_args(Every))
    if found.problem not in ("components", "spanning-forest") and not (layout is None and positions is None):
        raise GraphError(f"layout and positions are for graphs: leave them out for {found.name}")
    match found.problem:
        case "components" | "spanning-forest":
            return _of_graph(found, input, layout, positions, every, most, choices)
        case "list-ranking" | "list-scan":
            return _of_lists(found, input, every, most, choices)
        case "image-labelling":
            return _of_image(found, input, every, most, choices)
        case "id-numbering":
            return _of_ids(found, input, most, choices)


def picture(
    graph: Any, *, layout: Layout = "plane", positions: npt.ArrayLike | None = None, most: int = MOST_DRAWN
) -> str:
    """Return a graph alone as SVG.

    Parameters
    ----------
    graph : object
        Anything that :func:`pointerjump.components` takes as a graph.
    layout, positions, most
        As in :func:`draw`.

    Examples
    --------
    >>> picture("grid2d:rows=3,columns=4").count("<circle")
    12
    """
    _require_one_of("layout", layout, get_args(Layout))
    loaded, known = _graph_and_positions(graph, _as_most(most))
    scene = graph_scene(loaded, layout, known if positions is None else positions)
    still = Frame("", tuple(range(loaded.vertices)))
    return svg.element(panels(scene, [still])[0], f"A graph of {loaded.vertices} vertices")


def _of_graph(
    algorithm: Algorithm,
    input: Any,
    layout: Layout | None,
    positions: npt.ArrayLike | None,
    every: Every,
    most: int,
    choices: dict[str, Any],
) -> Drawing:
    _require_one_of("layout", layout, (None, *get_args(Layout)))
    graph, known = (EXAMPLE, None) if input is None else _graph_and_positions(input, most)
    scene = graph_scene(graph, layout or "plane", known if positions is None else positions)
    record = forest_frames if algorithm.problem == "components" else spanning_frames
    frames = record(algorithm, graph.symmetrized(), every, choices)
    return Drawing(frames, scene=scene, title=_title(algorithm))


def _graph_and_positions(graph: Any, most: int) -> tuple[Graph, npt.ArrayLike | None]:
    """Return a graph, and where its vertices are, if that is known."""
    loaded = as_graph(graph)
    require_few(loaded.vertices, most, "vertices")
    require_few_edges(loaded)
    if isinstance(graph, str) and is_spec(graph):
        return loaded, positions_of(graph)
    if hasattr(graph, "adj") and hasattr(graph, "nodes"):
        return loaded, _positions_of_nodes(graph)
    return loaded, None


def _positions_of_nodes(graph: Any) -> npt.ArrayLike | None:
    """Return the attribute ``pos`` of a NetworkX graph's nodes, if all have two numbers or more there."""
    found = [attributes.get("pos") for _, attributes in graph.nodes(data=True)]
    if not all(isinstance(each, tuple | list | np.ndarray) and len(each) >= 2 for each in found):
        return None
    pairs = [tuple(each)[:2] for each in found]
    return pairs if all(isinstance(x, int | float | np.number) for pair in pairs for x in pair) else None


def _of_lists(algorithm: Algorithm, input: Any, every: Every, most: int, choices: dict[str, Any]) -> Drawing:
    given = EXAMPLE_LIST if input is None else generate_list(input) if isinstance(input, str) else input
    successors = as_successors(given)
    require_lists(successors)
    if input is not None:
        require_few(len(successors), most, "elements")
    record = ranking_frames if algorithm.problem == "list-ranking" else scan_frames
    return Drawing(
        record(algorithm, successors, every, choices), scene=list_scene(successors), title=_title(algorithm)
    )


def _of_image(algorithm: Algorithm, input: Any, every: Every, most: int, choices: dict[str, Any]) -> Drawing:
    mask = [[pixel == "#" for pixel in row] for row in EXAMPLE_MASK] if input is None else input
    image = image_of(mask)
    if len(image.shape) != 2:
        raise ImageError(f"the image has {len(image.shape)} dimensions: a picture shows two")
    if input is not None:
        require_few(image.size, most, "pixels")
    frames, runs = labelling_frames(algorithm, image, every, choices)
    return Drawing(frames, scene=image_scene((image.shape[0], image.shape[1]), runs), title=_title(algorithm))


def _of_ids(algorithm: Algorithm, input: Any, most: int, choices: dict[str, Any]) -> Drawing:
    if isinstance(input, str) or not (input is None or isinstance(input, Iterable)):
        raise GraphError(f"the ids are {input!r}: give a list of them")
    ids = EXAMPLE_IDS if input is None else [str(each) for each in input]
    if input is not None:
        require_few(len(ids), most, "ids")
    frames, scene = interning_drawn(algorithm, ids, choices)
    return Drawing(frames, scene=scene, title=_title(algorithm))


def _as_most(most: object) -> int:
    """Return how much may be drawn, checked."""
    number = as_count(most, "most", GraphError)
    if number < 1:
        raise GraphError(f"most is {number}: a picture shows at least one vertex or element")
    return number


def _require_one_of(name: str, value: object, known: tuple[str | None, ...]) -> None:
    if not (value is None or isinstance(value, str)) or value not in known:
        raise GraphError(f"{name} is {value!r}: choose one of {', '.join(filter(None, known))}")


def _title(algorithm: Algorithm) -> str:
    return f"{algorithm.title}, a run of the reference"
