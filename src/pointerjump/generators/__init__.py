"""Generators that build graphs and linked lists from a line of text, with the same result on every machine.

A *spec* names one of :data:`GENERATORS` and the parameters whose values differ from the defaults, as in
``kron:scale=20,degree=16,seed=1``. :data:`PRESETS` lists synthetic graphs from papers. A preset also accepts
the parameters of its generator, as in ``rmat16.sym:seed=2``.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from pointerjump.base.graph import Graph
from pointerjump.base.linked_lists import SuccessorArray
from pointerjump.errors import MemoryLimitError, SpecError
from pointerjump.generators import random_graphs, shapes
from pointerjump.generators.spec import Generator as Generator
from pointerjump.generators.spec import Parameter as Parameter

GENERATORS: tuple[Generator, ...] = (  # in the order in which help and docs list them
    *(random_graphs.kron, random_graphs.rmat, random_graphs.urand, random_graphs.ring, random_graphs.kout),
    *(random_graphs.union, shapes.grid2d, shapes.torus, shapes.road, random_graphs.delaunay),
    *(shapes.star, shapes.path, shapes.tree, shapes.cliques, shapes.bipartite, shapes.empty),
    *(shapes.one_list, shapes.lists),
)


class Preset(NamedTuple):
    """A synthetic graph from a paper. Specs refer to it by its name in the paper."""

    name: str
    title: str
    spec: str


_KRON, _RMAT = "degree=48,loops=drop", "degree=8,a=0.55,b=0.1,c=0.1,noise=0.05,loops=drop"
PRESETS = (  # synthetic graphs that papers use, under the names in the papers
    Preset("2d-2e20.sym", "grid of 2**20 vertices", "grid2d:rows=1024,columns=1024"),
    Preset(
        "r4-2e23.sym", "random graph, four edges per vertex, from a ring", "ring:scale=23,chords=3,loops=drop"
    ),
    Preset("rmat16.sym", "R-MAT graph of 2**16 vertices", f"rmat:scale=16,{_RMAT}"),
    Preset("rmat22.sym", "R-MAT graph of 2**22 vertices", f"rmat:scale=22,{_RMAT}"),
    *(
        Preset(
            f"kron_g500-logn{k}", f"Graph500 Kronecker graph of 2**{k} vertices", f"kron:scale={k},{_KRON}"
        )
        for k in range(16, 22)
    ),
    *(
        Preset(f"delaunay_n{k}", f"Delaunay triangulation of 2**{k} random points", f"delaunay:scale={k}")
        for k in range(10, 25)
    ),
)

_GENERATORS = {generator.name: generator for generator in GENERATORS}
_PRESETS = {preset.name: preset for preset in PRESETS}


def generate(spec: str) -> Graph | SuccessorArray:
    """Generate the graph or the linked lists that a spec describes.

    Parameters
    ----------
    spec : str
        ``name`` or ``name:key=value,key=value``, with a name from :data:`GENERATORS` or :data:`PRESETS`.

    Returns
    -------
    Graph or numpy.ndarray of int32, shape (length,)
        A graph whose rows contain both directions of every edge. If the generator is of kind "list", the
        result is a successor array instead, in which the last element of each list is its own successor. The
        same spec yields the same arrays on every machine and with every version of NumPy.

    Raises
    ------
    SpecError
        If the generator, preset or parameter is unknown, if a value is not allowed, or if there would be more
        than 2**31 - 1 vertices.
    MemoryLimitError
        If the graph or list would not fit into memory.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.generate("urand:vertices=1000,degree=4,seed=1").directed_edges
    7964
    >>> pj.generate("list:length=6,order=reverse")
    array([0, 0, 1, 2, 3, 4], dtype=int32)
    """
    return _generate(spec, ("graph", "list"))


def generate_graph(spec: str) -> Graph:
    """Like :func:`generate`, but raise a SpecError if the spec describes a list."""
    return cast(Graph, _generate(spec, ("graph",)))


def generate_list(spec: str) -> SuccessorArray:
    """Like :func:`generate`, but raise a SpecError if the spec describes a graph."""
    return cast(SuccessorArray, _generate(spec, ("list",)))


def is_spec(text: str) -> bool:
    """Return whether a string is a spec and not a path.

    A spec begins with the name of a generator or preset. If any other name is followed by settings, the
    string also counts as a spec, because the name may be misspelled. The path of an existing file is never
    a spec.
    """
    name = text.partition(":")[0]
    if name not in _GENERATORS and name not in _PRESETS and not re.match(r"[\w.-]+:\s*\w+\s*=", text):
        return False
    try:
        return not Path(text).exists()
    except OSError:  # too long for a file's name
        return True


def makes_graph(spec: str) -> bool:
    """Return whether a spec describes a graph and not a list, without generating either."""
    return _understood(spec)[0].kind == "graph"


def positions_of(spec: str) -> npt.NDArray[np.float64] | None:
    """Return each vertex's position in the plane, or None if the generator does not define positions."""
    generator, *settings = _understood(spec)
    return generator.positions(**generator.arguments(*settings)) if generator.positions else None


def _understood(spec: str) -> tuple[Generator, str, str]:
    """Parse a spec. Return its generator, the settings of its preset (if any) and its own settings."""
    name, _, own = spec.partition(":")
    meant, _, settings = (_PRESETS[name].spec if name in _PRESETS else name).partition(":")
    if meant in _GENERATORS:
        return _GENERATORS[meant], settings, own
    known = [*_GENERATORS, *_PRESETS]
    nearest = [longer for longer in known if name and longer.startswith(name)] or get_close_matches(
        name, known, n=1
    )
    way_out = f": choose one of {', '.join(_GENERATORS)}"
    if nearest:
        way_out = f", did you mean {nearest[0]!r}? {_understood(nearest[0])[0].usage}"
    raise SpecError(f"{spec!r}: there is no generator {name!r}{way_out}")


def _generate(spec: str, kinds: tuple[str, ...]) -> Graph | SuccessorArray:
    generator, *settings = _understood(spec)
    if generator.kind not in kinds:
        fit = ", ".join(known.name for known in GENERATORS if known.kind in kinds)
        raise SpecError(f"{spec!r} makes a {generator.kind}, not a {kinds[0]}: choose one of {fit}")
    try:
        return generator.build(**generator.arguments(*settings))
    except SpecError as error:
        raise SpecError(f"{spec!r}: {error}; {generator.usage}") from None
    except MemoryLimitError as error:
        raise MemoryLimitError(f"{spec!r}: {error}") from None
    except MemoryError:
        raise MemoryLimitError(f"{spec!r}: it does not fit into memory: ask for a smaller one") from None
