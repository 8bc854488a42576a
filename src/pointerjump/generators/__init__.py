"""Graphs and linked lists from a line of text, the same on every machine.

A *spec* names a generator and what differs from its defaults: ``kron:scale=20,degree=16,seed=1``.
:data:`GENERATORS` lists them with their parameters. :data:`PRESETS` are the synthetic graphs of the
papers by name (``rmat16.sym``); a preset takes its generator's parameters too (``rmat16.sym:seed=2``).
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import cast

from pointerjump.errors import SpecError
from pointerjump.generators.spec import Generator, Parameter, Preset, read_settings
from pointerjump.generators.table import GENERATORS, PRESETS
from pointerjump.graph import Graph
from pointerjump.linked_lists import SuccessorArray

__all__ = [
    "GENERATORS",
    "PRESETS",
    "Generator",
    "Parameter",
    "Preset",
    "generate",
    "generate_graph",
    "generate_list",
    "is_spec",
]

_GENERATORS = {generator.name: generator for generator in GENERATORS}
_PRESETS = {preset.name: preset for preset in PRESETS}


def generate(spec: str) -> Graph | SuccessorArray:
    """Generate the graph, or the linked lists, that a spec names.

    Parameters
    ----------
    spec : str
        ``name`` or ``name:key=value,key=value``, where name is one of :data:`GENERATORS` or
        :data:`PRESETS`.

    Returns
    -------
    Graph or numpy.ndarray of int32, shape (length,)
        A graph with both directions of every edge; or, of generators of kind "list", a successor
        array in which each list's last element is its own successor. The same spec gives the same
        arrays on every machine and with every version of NumPy.

    Raises
    ------
    SpecError
        If the spec names no generator or preset, gives it a parameter it does not have or a value
        it cannot use, or asks for more than 2**31 - 1 vertices or than fits into memory.

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
    """Generate the graph that a spec names, as :func:`generate` does.

    Raises
    ------
    SpecError
        Also if the spec makes a list.

    Examples
    --------
    >>> generate_graph("star:vertices=5").edges
    4
    """
    return cast(Graph, _generate(spec, ("graph",)))


def generate_list(spec: str) -> SuccessorArray:
    """Generate the successor array that a spec names, as :func:`generate` does.

    Raises
    ------
    SpecError
        Also if the spec makes a graph.

    Examples
    --------
    >>> generate_list("list:length=4,order=sequential").tolist()
    [1, 2, 3, 3]
    """
    return cast(SuccessorArray, _generate(spec, ("list",)))


def is_spec(text: str) -> bool:
    """Tell whether a text begins with the name of a generator or preset, and so is no path.

    Examples
    --------
    >>> is_spec("kron:scale=20"), is_spec("rmat16.sym"), is_spec("data/kron.mtx")
    (True, True, False)
    """
    name = text.partition(":")[0]
    return name in _GENERATORS or name in _PRESETS


def _generate(spec: str, kinds: tuple[str, ...]) -> Graph | SuccessorArray:
    name, _, text = spec.partition(":")
    meant = _PRESETS[name].spec if name in _PRESETS else name
    name, _, preset_text = meant.partition(":")
    if name not in _GENERATORS:
        raise SpecError(f"{spec!r}: there is no generator {name!r}{_suggestion(name)}")
    generator = _GENERATORS[name]
    if generator.kind not in kinds:
        fit = ", ".join(row.name for row in GENERATORS if row.kind in kinds)
        raise SpecError(f"{spec!r} makes a {generator.kind}, not a {kinds[0]}: choose one of {fit}")
    try:
        # What the spec says itself overrules what the preset says.
        settings = read_settings(preset_text) | read_settings(text)
        return generator.build(**generator.arguments(settings))
    except SpecError as error:
        raise SpecError(f"{spec!r}: {error}; {generator.usage}") from None
    except MemoryError:
        raise SpecError(f"{spec!r}: it does not fit into memory; ask for fewer edges") from None


def _suggestion(name: str) -> str:
    """Return the end of a sentence that says which generator `name` was perhaps meant to be."""
    known = [*_GENERATORS, *_PRESETS]
    begun = [longer for longer in known if name and longer.startswith(name)]
    nearest = begun or get_close_matches(name, known, n=1)
    if not nearest:
        return f": choose one of {', '.join(_GENERATORS)}"
    meant = _PRESETS[nearest[0]].spec if nearest[0] in _PRESETS else nearest[0]
    return f", did you mean {nearest[0]!r}? {_GENERATORS[meant.partition(':')[0]].usage}"
