"""The algorithms: a table of them, their axes, and the selection of one for a run."""

from pointerjump.registry.algorithm import ARGUMENTS, Algorithm, Problem
from pointerjump.registry.axes import Axis, Side, Value, Variant, format_variant, parse_variant
from pointerjump.registry.selection import AUTO, LABELS, check_labels, find_algorithm
from pointerjump.registry.table import ALGORITHMS, algorithms

__all__ = [
    "ALGORITHMS",
    "ARGUMENTS",
    "AUTO",
    "LABELS",
    "Algorithm",
    "Axis",
    "Problem",
    "Side",
    "Value",
    "Variant",
    "algorithms",
    "check_labels",
    "find_algorithm",
    "format_variant",
    "parse_variant",
]
