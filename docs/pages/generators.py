"""The page of generators and presets: what each makes, its parameters, and a picture of a small instance."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from pages.markdown import code, limits, table
from pointerjump.base.graph import Graph
from pointerjump.draw import Drawing, Frame, picture
from pointerjump.generators import (
    GENERATORS,
    PRESETS,
    Generator,
    Parameter,
    Preset,
    generate_graph,
    generate_list,
)

MOST_DRAWN = 40
"""A graph of more vertices is shown as its matrix."""
SMALL = {
    "bipartite": "left=3,right=6",
    "cliques": "count=3,size=5",
    "delaunay": "vertices=20",
    "empty": "vertices=6",
    "grid2d": "rows=5,columns=8,keep=0.7",
    "kout": "vertices=20,k=1",
    "kron": "scale=7,degree=6",
    "list": "length=9",
    "lists": "length=12,count=3",
    "path": "vertices=12,order=bitreversed",
    "ring": "vertices=20,chords=1",
    "rmat": "scale=7,degree=6",
    "road": "rows=3,columns=4,chain=1",
    "star": "vertices=12",
    "torus": "rows=4,columns=6",
    "tree": "vertices=24",
    "union": "vertices=24,fraction=0.25,degree=2",
    "urand": "vertices=24,degree=1",
}
"""Settings of each generator for an instance that is small enough for a picture."""
SMALL_PRESETS = {
    "delaunay": "scale=5",
    "grid2d": "rows=5,columns=8",
    "kron": "scale=7",
    "ring": "scale=4",
    "rmat": "scale=7",
}
"""The same for presets, by their generator."""
INK = "var(--md-typeset-color, currentColor)"


def generators_page() -> str:
    """Return all generators and presets."""
    return "\n".join(
        [
            "# Generators and presets",
            "",
            "This page is for those who need a graph to try something on. A *spec* stands for a graph "
            "or a list. It "
            "names a generator, and those parameters that differ from their defaults: "
            "`kron:scale=20,degree=16,seed=1`. Commands and functions take it in place "
            "of a file. The same spec makes the same graph on every machine.",
            "",
            code("sh", "pointerjump cc kron:scale=12\npointerjump generate kron:scale=12 -o kron.mtx"),
            code("python", 'import pointerjump as pj\n\ngraph = pj.generate("kron:scale=12")'),
            f"Graphs of up to {MOST_DRAWN} vertices are drawn in the plane. Larger ones are shown as a "
            "matrix: the dot in row *u* and column *v* is the edge between *u* and *v*.",
            "",
            *_contents(),
            "## Graphs",
            "",
            *(line for each in GENERATORS if each.kind == "graph" for line in generator(each)),
            "## Linked lists { #linked-lists }",
            "",
            *(line for each in GENERATORS if each.kind == "list" for line in generator(each)),
            "## Presets",
            "",
            "A preset is short for a spec: a graph that a paper measured, by its name there. It takes that "
            "generator's parameters, too: `rmat22.sym:scale=18` is a smaller graph of the same kind. "
            "[How close](presets.md) says how much these graphs differ from those of the paper.",
            "",
            *presets(),
        ]
    )


def _contents() -> list[str]:
    rows = [[f"[`{each.name}`](#{each.name})", each.title] for each in GENERATORS]
    rows += [["[Presets](#presets)", "graphs that papers measured, by their names there"]]
    return [*table(["generator", "what it makes"], rows), ""]


def generator(which: Generator) -> list[str]:
    """Return a generator: what it makes, a picture, an example and its parameters."""
    small = f"{which.name}:{SMALL[which.name]}"
    rows = [
        [f"`{each.name}`", limits(each.meaning), limits(each.domain), _default(each)]
        for each in which.parameters
    ]
    return [
        f"### {which.name} {{ #{which.name} }}",
        "",
        f"{which.title}.",
        "",
        *instance(small, which.kind),
        f"A larger one: `{which.example}`.",
        "",
        *table(["parameter", "meaning", "values", "default"], rows),
        "",
    ]


def _default(parameter: Parameter) -> str:
    return "" if parameter.default is None else f"`{parameter.default}`"


def presets() -> list[str]:
    """Return the presets, those of one kind and title together, with a picture of each kind."""
    kinds: dict[str, list[str]] = {}
    for each in PRESETS:
        kinds.setdefault(re.sub(r"[\d*]+", "", f"{each.title} {each.spec}"), []).append(each.name)
    by_name = {each.name: each for each in PRESETS}
    parts: list[str] = []
    for names in kinds.values():
        first = by_name[names[0]]
        rows = [[f"`{name}`", limits(by_name[name].title), f"`{by_name[name].spec}`"] for name in names]
        parts += [*instance(f"{first.name}:{small_preset(first)}", "graph")]
        parts += [*table(["preset", "what it is", "stands for"], rows), ""]
    return parts


def small_preset(preset: Preset) -> str:
    """Return settings that make a preset small enough for a picture."""
    return SMALL_PRESETS[preset.spec.partition(":")[0]]


def instance(spec: str, kind: str) -> list[str]:
    """Return the picture of a small graph or list, and its spec."""
    drawn = picture_of_list(spec) if kind == "list" else picture_of_graph(spec)
    return [f'<div class="instance">{drawn}</div>', "", f"`{spec}`", ""]


def picture_of_graph(spec: str) -> str:
    """Return a graph as SVG, drawn in the plane if it is small and as a matrix if it is not."""
    graph = generate_graph(spec)
    return picture(spec) if graph.vertices <= MOST_DRAWN else matrix(graph)


def picture_of_list(spec: str) -> str:
    """Return linked lists as SVG, each element with an arrow to the next."""
    successors = generate_list(spec)
    still = Frame("", tuple(range(len(successors))))
    return Drawing([still], successors=successors, title="Linked lists").svg()


def matrix(graph: Graph) -> str:
    """Return a graph's adjacency matrix as SVG."""
    return pixels(graph.to_scipy().toarray(), 2.5, "An adjacency matrix")


def pixels(values: npt.NDArray[Any], size: float, what: str) -> str:
    """Return an array of two dimensions as SVG: the larger a value is, the darker its pixel."""
    rows, columns = values.shape
    most = max(float(values.max(initial=0)), 1.0)
    squares: dict[float, list[str]] = {}
    for y, x in zip(*np.nonzero(values), strict=True):
        squares.setdefault(round(float(values[y, x]) / most, 2), []).append(f"M{x} {y}h1v1h-1z")
    paths = "".join(f'<path fill-opacity="{dark}" d="{"".join(d)}"/>' for dark, d in squares.items())
    frame = f'<rect width="{columns}" height="{rows}" fill="none" stroke="{INK}" stroke-width="0.2"/>'
    return (
        f'<svg role="img" aria-label="{what}" viewBox="-0.2 -0.2 {columns + 0.4} {rows + 0.4}" '
        f'width="{columns * size:g}" height="{rows * size:g}" fill="{INK}">{paths}{frame}</svg>'
    )
