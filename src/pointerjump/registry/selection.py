"""Selects the algorithm, its variant and the form of its input for a run.

:func:`select` depends only on facts about the input and the device. The ``stats`` of a run contain the
selection.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from pointerjump.errors import AlgorithmError
from pointerjump.registry.algorithm import (
    GRAPH_FORMS,
    Algorithm,
    Form,
    InputFacts,
    Problem,
    Side,
    Variant,
    format_variant,
)
from pointerjump.registry.table import ALGORITHMS

if TYPE_CHECKING:
    from pointerjump.accel.tuning import Tuning

Named = tuple[str, Variant]  # an algorithm's name, and values for some of its axes

AUTO: dict[Problem, Named] = {
    "components": ("afforest", {}),
    "spanning-forest": ("spanning-forest", {}),
    "minimum-spanning-forest": ("filter-boruvka", {}),
    "dendrograms": ("pandora", {}),
    "list-ranking": ("random-splitter", {}),
    "list-scan": ("list-scan", {}),
    "trees": ("euler-tour", {}),
    "common-ancestors": ("inlabel", {}),
    "biconnectivity": ("fast-bcc", {}),
    "bridges": ("marking", {}),
    "functional-graphs": ("pointer-doubling", {}),
    "id-numbering": ("interning", {}),
    "image-labelling": ("two-pass", {}),
}
"""The algorithm that ``algorithm="auto"`` runs for each problem. There are exceptions: other algorithms may
be selected for components on devices and, on CPUs, for short lists and for few vertex pairs in a forest."""

# The height of a forest is not known before it is rooted. An Euler tour takes about the same time on every
# tree. Going level by level is faster only up to a height of 7 or so: on stars, it saves a quarter of the
# whole call. On a path, it needs a launch for each vertex (docs/measurements.md).

# If a giant component is found in a sample, the other vertices are linked only until they join it.
# Otherwise, every edge is linked once. Which is better depends on the device.
DENSE: Variant = {"init": "first", "one_in": 16, "rest": "adaptive"}
"""The variant of Afforest that ``auto`` runs on rows, unless the graph is sparse."""

# In a sparse graph, the sample costs at least as much as skipping edges saves.
SPARSE: Variant = {"neighbor_rounds": 0, "skip_largest": False, "rest": "adaptive"}
"""The variant of Afforest that ``auto`` runs on sparse graphs. On CPUs, ``auto`` runs it only if the caller
specified values for some axes, and runs `EASY_EDGES` otherwise."""

# If nearly every vertex has a smaller neighbor, as in a tree that grew, first parents already join most
# vertices.
GROWN: Variant = {"init": "first", "neighbor_rounds": 1, "rest": "adaptive"}  # `SPARSE`, but for grown graphs

# If edges are stored in only one direction, linking every stored edge is still correct, but skipping a
# component is not. Finding out whether both directions are stored takes longer than linking all edges.
AFFOREST_OF_ALL: Variant = {"skip_largest": False}

# If edges are in order, as in rows, their vertices are in the cache, and paths stay short. With many edges
# per vertex, most climbs end immediately, because both ends already have the same parent. In both cases, it
# is fastest to look at each edge once, without preparation.
EASY_EDGES: Named = ("rem-cas", {})
"""The algorithm that ``auto`` runs on CPUs in three cases: for edges in order, for many edges per vertex and
for rows of sparse graphs."""

EDGES: Named = ("afforest-edges", {})  # what `auto` runs on all other edges
FEW_PAIRS: Named = ("range-minimum", {})  # on CPUs, for few pairs, as it needs less preparation than inlabels

CACHED = 1 << 15  # number of vertices whose parents (128 KiB) stay in a core's own cache
FEW = 2  # fewer pairs than this per vertex of the forest count as few (docs/measurements.md)
COPIED_EDGES = 1 << 20  # with at least this many edges, some are linked while others are being copied

# The problems for which `auto` selects an algorithm based on facts about the input.
FREE: tuple[Problem, ...] = ("components", "list-ranking", "common-ancestors")
RUN_BY_AUTO = frozenset(
    (
        *(name for name, _ in AUTO.values()),
        *(name for name, _ in (EASY_EDGES, EDGES, FEW_PAIRS)),
        *("one-group", "disjoint-set", "sequential"),
    )
)
"""All algorithms that ``auto`` may run."""

OPTIONS = (
    *("source", "target", "group", "groups", "member", "where", "nodes", "score", "max_size"),
    *("algorithm", "device", "devices", "labels", "vertices", "ids", "executor"),
    *("connectivity", "multilabel", "background", "delta", "wrap_axes", "out", "return_num"),
    *("weight", "weights", "maximum", "roots", "starts", "operator"),
)
"""Keyword arguments of the public functions that also accept variants. If one of them is misspelled, it looks
like a variant."""

ALSO_CALLED = {"src": "source", "dst": "target"}  # some keywords' names in other libraries


class Asked(NamedTuple):
    """A caller's validated request.

    `dense` and `sparse` are the (possibly incomplete) variants to run on the rows of dense and sparse graphs.
    `grown` is the variant for sparse graphs in which nearly every vertex has a smaller neighbor. The three
    differ only for ``"auto"``. If `free` is True, any algorithm may be selected, because the caller specified
    neither an algorithm nor a variant.
    """

    algorithm: Algorithm
    dense: Variant
    sparse: Variant
    grown: Variant
    free: bool


class Choice(NamedTuple):
    """The algorithm, variant and form that were selected for a run.

    `variant` has a value for each axis, except for axes that are decided during the run. `form` is the form
    of the input on the device.
    """

    algorithm: Algorithm
    variant: Variant
    form: Form

    def with_decided(self, decided: Variant) -> Choice:
        """Return the choice with the values that were decided during the run, in the order of the axes."""
        variant = {**self.variant, **decided}
        names = [axis.name for axis in self.algorithm.axes_of("kernels")]
        return self._replace(variant={name: variant[name] for name in names})


def ask(problem: Problem, algorithm: str, choices: Mapping[str, object], device: Tuning | None) -> Asked:
    """Validate everything in a caller's request that does not depend on the input.

    `device` is None for the serial reference. An AlgorithmError is raised if the algorithm does not exist,
    solves a different problem, does not run on the device or has no such variant.
    """
    if choices:
        refuse_misspelt(choices)
    side: Side = "kernels" if device else "reference"
    if not (isinstance(algorithm, str) and algorithm == "auto"):
        found = find_algorithm(algorithm, problem)
        found.require(side)
        chosen = found.parse(side, choices)
        return Asked(found, chosen, chosen, chosen, free=False)
    auto = _auto(problem, side)
    if not choices:
        return auto
    runs = auto.algorithm
    try:
        chosen = runs.parse(side, choices)
    except AlgorithmError as error:
        if runs.has(side, choices) or not any(
            ALGORITHMS[name].has(side, choices) for name in of_problem(problem)
        ):
            raise
        raise AlgorithmError(
            f"{error}; auto runs {runs.name}, so name an algorithm for other variants"
        ) from None
    dense, sparse, grown = ({**each, **chosen} for each in (auto.dense, auto.sparse, auto.grown))
    return Asked(runs, dense, sparse, grown, free=False)


def refuse_misspelt(choices: Iterable[str]) -> None:
    """Raise an error for a keyword that is not an axis but resembles an option of the public functions."""
    axes = {axis.name for algorithm in ALGORITHMS.values() for axis in algorithm.axes}
    for name in (each for each in choices if each not in axes):
        near = get_close_matches(name, [*axes, *OPTIONS, *ALSO_CALLED], 1)
        if near and near[0] not in axes:
            meant = ALSO_CALLED.get(near[0], near[0])
            if meant == name:
                raise AlgorithmError(f"this function has no option {name}=, and no algorithm such a variant")
            raise AlgorithmError(f"no algorithm has a variant {name!r}: did you mean the option {meant}=?")


@cache
def _auto(problem: Problem, side: Side) -> Asked:
    if problem == "components" and side == "kernels":
        return Asked(ALGORITHMS["afforest"], DENSE, SPARSE, GROWN, free=True)
    name, variant = AUTO[problem]
    return Asked(ALGORITHMS[name], variant, variant, variant, free=problem in FREE)


def select(asked: Asked, input: InputFacts, device: Tuning | None) -> Choice:
    """Select the algorithm, variant and form for a run. `device` is None for the serial reference.

    Requesting the selected algorithm and variant explicitly leads to the same selection.
    """
    if input.form == "blocks":
        return _of_blocks(asked)
    if device is None:
        form: Form = "rows" if input.form in GRAPH_FORMS else input.form
        return Choice(asked.algorithm, asked.algorithm.variant("reference", asked.dense), form)
    algorithm, chosen = asked.algorithm, asked.dense
    fastest = _fastest(input, device) if asked.free else None
    if fastest:
        algorithm, chosen = ALGORITHMS[fastest[0]], fastest[1]
    elif asked.sparse != asked.dense and device.sparse(input.items, input.directed_edges):
        chosen = asked.grown if input.grown else asked.sparse
    variant = algorithm.complete(chosen, device, input)
    return Choice(algorithm, variant, algorithm.form(variant, input.form))


def takes_blocks(asked: Asked) -> bool:
    """Return whether the request allows a run that reads edges in blocks and keeps only a forest."""
    return asked.free or (asked.algorithm.name == "disjoint-set" and "block" not in asked.dense)


def _of_blocks(asked: Asked) -> Choice:
    """Return the choice for edges in blocks. Its variant has no defaults: they depend on the device."""
    algorithm = ALGORITHMS["disjoint-set"] if asked.free else asked.algorithm
    chosen: Variant = {} if asked.free else asked.dense
    if algorithm.name != "disjoint-set":
        raise AlgorithmError(
            f"{algorithm.name} {format_variant(chosen)}".strip()
            + " needs the whole graph, but edges come in blocks: leave algorithm and variant out, or give "
            "the graph whole"
        )
    if "block" in chosen:
        raise AlgorithmError(
            f"block={chosen['block']}: the edges come in blocks already: leave block out, or give the graph "
            "whole"
        )
    return Choice(algorithm, chosen, "blocks")


def _fastest(input: InputFacts, device: Tuning) -> Named | None:
    """Return the fastest algorithm and variant for an input, or None for the defaults of ``auto``."""
    once = not input.on_device  # an input on a device is assumed to be run repeatedly
    few_launches = once or device.quick  # several launches take longer than one work-group
    if input.form == "lists":
        return ("sequential", {}) if once and input.items <= device.short_list else None
    if input.form == "rooted":
        return FEW_PAIRS if device.kind == "cpu" and input.stored < FEW * input.items else None
    if few_launches and input.items + input.stored <= device.small:
        return "one-group", {}
    if input.form == "edges":
        if device.kind == "cpu" and (input.in_order or not input.few_edges):
            return EASY_EDGES
        small = input.items + input.stored <= device.small_with_hubs
        return ("one-group", {}) if input.hubs and small else EDGES
    few = input.few_edges
    stored = input.form == "stored rows"
    if not stored:
        few = device.sparse(input.items, input.directed_edges)
        cached = input.local or input.items <= CACHED
        few = few or (cached and input.stored <= device.quick)
    if few and input.stored and device.kind == "cpu":
        name, variant = EASY_EDGES
        return name, {**variant, "input": "rows"}
    return ("afforest", AFFOREST_OF_ALL) if stored else None


def find_algorithm(name: str, problem: Problem | None = None) -> Algorithm:
    if not isinstance(name, str):
        raise AlgorithmError(f'algorithm is {name!r}: give a name, or "auto"')
    key = name.lower().replace("_", "-")
    names = of_problem(problem) if problem else list(ALGORITHMS)
    if key in names:
        return ALGORITHMS[key]
    if key in ALGORITHMS:
        raise AlgorithmError(
            f"{key} is for {ALGORITHMS[key].problem}: for {problem} choose from {', '.join(names)}"
        )
    near = get_close_matches(key, names, 1)
    hint = f"did you mean {near[0]}?" if near else f"choose from {', '.join(names)}"
    raise AlgorithmError(f"there is no algorithm {name!r}: {hint}")


def of_problem(problem: Problem) -> list[str]:
    return [algorithm.name for algorithm in ALGORITHMS.values() if algorithm.problem == problem]
