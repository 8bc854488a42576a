"""The choice of an algorithm by name or, for ``"auto"``, by what there is to do."""

from __future__ import annotations

from difflib import get_close_matches

from pointerjump.errors import AlgorithmError
from pointerjump.registry.algorithm import Algorithm, Problem
from pointerjump.registry.table import ALGORITHMS

LABELS = ("consecutive", "representative")
"""How labels may name components: 0, 1, ... in order, or each by its smallest vertex."""

AUTO: dict[Problem, str] = {
    "components": "afforest",
    "spanning-forest": "spanning-forest",
    "list-ranking": "random-splitter",
    "list-scan": "list-scan",
}
"""What ``algorithm="auto"`` is where no device has a say: the reference."""


def check_labels(labels: object) -> None:
    """Refuse what is not one of `LABELS`."""
    if not (isinstance(labels, str) and labels in LABELS):
        raise AlgorithmError(f'labels={labels!r}: it must be "consecutive" or "representative"')


def find_algorithm(name: str, problem: Problem) -> Algorithm:
    """Return the row called `name`, or the default one for ``"auto"``.

    Raises
    ------
    AlgorithmError
        If there is none, or it solves another problem.
    """
    if not isinstance(name, str):
        raise AlgorithmError(f'algorithm is {name!r}: give a name, or "auto"')
    key = AUTO[problem] if name == "auto" else name.lower().replace("_", "-")
    names = [row.name for row in ALGORITHMS.values() if row.problem == problem]
    if key in names:
        return ALGORITHMS[key]
    if key in ALGORITHMS:
        raise AlgorithmError(
            f"{key} does {ALGORITHMS[key].problem}; for {problem} there is {', '.join(names)}"
        )
    near = get_close_matches(key, names, 1)
    hint = f"did you mean {near[0]}?" if near else f"there is {', '.join(names)}"
    raise AlgorithmError(f"there is no algorithm {name!r}: {hint}")
