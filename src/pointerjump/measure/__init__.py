"""Measures hardware-independent properties from the papers' tables, figures and theorems.

The work of the reference implementations is counted, not timed. To add a property, write a function that
yields a table's rows for a graph or a list, decorate it with ``counted``, and add it to :data:`PROPERTIES`.

    properties   classes for properties    accesses   properties based on counts of reads and writes
    plots        figures                   trees      properties that show how trees grow
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pointerjump.errors import AlgorithmError
from pointerjump.measure import accesses, trees
from pointerjump.measure.plots import require_plots, save
from pointerjump.measure.properties import Column, Counted, Measurement, Property

__all__ = [
    "PROPERTIES",
    "Column",
    "Measurement",
    "Property",
    "find_property",
    "measure",
    "require_plots",
    "save",
]

PROPERTIES = (
    *(accesses.sublists, accesses.sv_accesses, trees.iterations, trees.convergence, accesses.heat_map),
    *(trees.paths, accesses.random_accesses, trees.giant_component, accesses.worklist, trees.rounds),
    *(trees.work, accesses.edges_read, accesses.compression, accesses.list_accesses),
)


def find_property(name: str) -> Property:
    """Return the property with the given name. Raise an AlgorithmError if there is none."""
    properties = {each.name: each for each in PROPERTIES}
    if name in properties:
        return properties[name]
    near = get_close_matches(name, properties, 1)
    hint = f"did you mean {near[0]}?" if near else f"there is {', '.join(properties)}"
    raise AlgorithmError(f"there is no property {name!r} to measure: {hint}")


def measure(name: str, inputs: Iterable[Any] | None = None) -> Measurement:
    """Measure a property on the given inputs or, by default, on the inputs that the property specifies.

    An input is a path, a spec such as ``urand:scale=10,degree=2,seed=1`` or any other graph that
    :func:`pointerjump.components` accepts. For properties of lists, it is a path, a spec or any list that
    :func:`pointerjump.list_rank` accepts. An AlgorithmError is raised if there is no such property.

    Examples
    --------
    >>> found = measure("giant-component", ["urand:scale=10,degree=2,seed=1"])
    >>> [line["edges"] for line in found.lines]
    [1024, 2042]
    """
    from pointerjump.base.linked_lists import as_successors, require_lists
    from pointerjump.solving.inputs import as_graph, read_lists

    wanted = find_property(name)
    found: list[Counted] = []
    for subject in wanted.inputs if inputs is None else inputs:
        called = Path(subject).name if isinstance(subject, str | Path) else type(subject).__name__
        loaded: Any
        if wanted.of == "graph":
            loaded = as_graph(subject).symmetrized()
        else:
            loaded = as_successors(read_lists(subject) if isinstance(subject, str | Path) else subject)
            require_lists(loaded)
        found += [{wanted.of: called, **line} for line in wanted.count(loaded)]
    return Measurement(wanted, found)
