"""The table of all algorithms, and the selection of an algorithm for each run."""

from pointerjump.registry.algorithm import (
    Algorithm,
    Axis,
    Form,
    InputFacts,
    Problem,
    Side,
    Value,
    Variant,
    format_variant,
    parse_variant,
)
from pointerjump.registry.selection import AUTO, Asked, Choice, ask, find_algorithm, select
from pointerjump.registry.table import ALGORITHMS, algorithms

__all__ = ["ALGORITHMS", "AUTO", "Algorithm", "Asked", "Axis", "Choice", "Form", "InputFacts", "Problem"]
__all__ += ["Side", "Value", "Variant", "algorithms", "ask", "find_algorithm", "format_variant"]
__all__ += ["parse_variant", "select"]
