"""The selection of an algorithm, its variant and the form of its input, for one run.

Algorithms are chosen only here. :func:`select` does not look at graphs or devices, only at facts about them,
so a table of facts and choices is enough to test it. What it returns is what ``stats`` says about a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from pointerjump.errors import AlgorithmError
from pointerjump.registry.algorithm import Algorithm, Problem
from pointerjump.registry.axes import Value, Variant
from pointerjump.registry.facts import Form, InputFacts
from pointerjump.registry.table import ALGORITHMS

if TYPE_CHECKING:
    from pointerjump.accel.tuning import Tuning

AUTO: dict[Problem, str] = {
    "components": "afforest",
    "spanning-forest": "spanning-forest",
    "list-ranking": "random-splitter",
    "list-scan": "list-scan",
}
"""What ``algorithm="auto"`` runs, except for components on a device."""

Named = tuple[str, Mapping[str, Value]]
"""An algorithm's name, and values for some of its axes."""

# Afforest as in the paper, except that a vertex's first parent is its first neighbor, if smaller. This
# replaces the round that links first neighbors.
AFFOREST: Named = ("afforest", {"init": "first"})

# If there are many edges, looking at a sixteenth of the vertices is enough to find the largest component, and
# every other vertex is linked only until it joins that component.
SAMPLED_AFFOREST: Named = ("afforest", {"init": "first", "one_in": 16, "rest": "until-joined"})

# Linking every stored edge is right even if edges are stored in only one direction, but skipping a component
# is not. Finding out whether they are stored so takes longer than linking them all.
AFFOREST_OF_ALL: Named = ("afforest", {"skip_largest": False})

SPARSE: dict[str, Named] = {"cpu": ("ecl-cc", {"init": "own"}), "gpu": AFFOREST}
"""What ``auto`` runs on the rows of a sparse graph, by kind of device."""

DENSE: Named = SAMPLED_AFFOREST
"""What ``auto`` runs on the rows of all other graphs."""


class Asked(NamedTuple):
    """What a caller asked for, checked: an algorithm, or None for ``"auto"``, and values for some axes."""

    problem: Problem
    algorithm: Algorithm | None
    choices: Mapping[str, object]


class Choice(NamedTuple):
    """What a run will do.

    Attributes
    ----------
    algorithm : Algorithm
    variant : dict
        A value for every axis except those that only the run can decide.
    form : {"edges", "stored rows", "rows"}
        The form in which the input goes to the device. References read rows.
    """

    algorithm: Algorithm
    variant: Variant
    form: Form


def select(asked: Asked, input: InputFacts, device: Tuning | None) -> Choice:
    """Choose what to run.

    The result depends only on the arguments. Asking for its algorithm and variant gives the same result.

    Parameters
    ----------
    asked : Asked
    input : InputFacts
    device : Tuning or None
        What suits the device, or None for the serial reference.

    Raises
    ------
    AlgorithmError
        If `asked` names an axis that the algorithm does not have, or a value that the axis does not have.
    """
    algorithm, choices = asked.algorithm, asked.choices
    if algorithm is None:
        if device is None or asked.problem != "components":
            name, found = AUTO[asked.problem], {}
        else:
            name, found = _for_components(input, device, free=not choices)
        algorithm, choices = ALGORITHMS[name], {**found, **choices}
    if device is None:
        return Choice(algorithm, algorithm.variant("reference", choices), "rows")
    variant = algorithm.variant("kernels", choices, device, input)
    return Choice(algorithm, variant, algorithm.form(variant, input.form))


def _for_components(input: InputFacts, device: Tuning, free: bool) -> Named:
    """Return what ``auto`` runs. Only if no axis values were asked for is it `free` to run any algorithm."""
    if free and not input.on_device:
        if input.items + input.stored <= device.small:
            return "one-group", {}
        if input.form == "edges":
            return "afforest-edges", {}
        if input.form == "stored rows":
            return AFFOREST_OF_ALL
    return SPARSE[device.kind] if device.sparse(input.items, input.directed_edges) else DENSE


def ask(problem: Problem, algorithm: str, choices: Mapping[str, object], *, on_device: bool) -> Asked:
    """Return what a caller asks for, checking all that can be checked without the input.

    Raises
    ------
    AlgorithmError
        If the algorithm does not exist, solves another problem, does not run there, or has no such variant.
    """
    found = None if is_auto(algorithm) else find_algorithm(algorithm, problem)
    side = "kernels" if on_device else "reference"
    if found is not None:
        found.load(side)
        found.variant(side, choices)
    elif choices:
        names = [AUTO[problem]]
        if on_device and problem == "components":  # which of them runs depends on the graph
            names = [DENSE[0], *(name for name, _ in SPARSE.values() if name != DENSE[0])]
        candidates = [ALGORITHMS[name] for name in names]
        known = {axis.name for candidate in candidates for axis in candidate.axes_of(side)}
        if not known.issuperset(choices):
            candidates[0].variant(side, choices)
    return Asked(problem, found, choices)


def is_auto(algorithm: object) -> bool:
    """Return whether the caller leaves the choice of an algorithm to us."""
    return isinstance(algorithm, str) and algorithm == "auto"


def find_algorithm(name: str, problem: Problem) -> Algorithm:
    """Return the algorithm called `name`; for ``"auto"``, the one that runs as a reference.

    Raises
    ------
    AlgorithmError
        If there is no such algorithm, or it solves another problem.
    """
    if not isinstance(name, str):
        raise AlgorithmError(f'algorithm is {name!r}: give a name, or "auto"')
    key = AUTO[problem] if is_auto(name) else name.lower().replace("_", "-")
    names = [algorithm.name for algorithm in ALGORITHMS.values() if algorithm.problem == problem]
    if key in names:
        return ALGORITHMS[key]
    if key in ALGORITHMS:
        raise AlgorithmError(
            f"{key} is for {ALGORITHMS[key].problem}: for {problem} choose from {', '.join(names)}"
        )
    near = get_close_matches(key, names, 1)
    hint = f"did you mean {near[0]}?" if near else f"choose from {', '.join(names)}"
    raise AlgorithmError(f"there is no algorithm {name!r}: {hint}")
