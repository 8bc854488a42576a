"""The candidates of the zoo (benches/zoo.py): what is timed beside ``auto``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pointerjump.registry import ALGORITHMS, Algorithm, Choice, format_variant, parse_variant

AUTO = "auto"
FAST = ("afforest", "afforest-edges", "ecl-cc", "eclaf", "rem-cas", "galois", "one-group", "fast-sv")
"""The algorithms of which each value of each axis is a candidate; of the others only the defaults are."""

COMBINED = ("afforest:init=first,one_in=16,rest=until-joined", "afforest:init=first,rest=until-joined")
"""Candidates that differ from the defaults on several axes."""

NOT_VARIED = ("reads", "access")
"""Axes that are left alone: how memory is read, and what suits the class of device."""

UNTOLD = (*NOT_VARIED, "balance", "rounds_ahead", "work_items")
"""Axes whose values depend on the class of device alone, and are not printed."""


class Candidate(NamedTuple):
    """An algorithm, and values for some of its axes, by the text that names them."""

    text: str

    @property
    def algorithm(self) -> str:
        """The algorithm's name, or ``auto``."""
        return self.text.partition(":")[0]

    @property
    def values(self) -> dict[str, str]:
        """The values as text."""
        return parse_variant(self.text.partition(":")[2])


def components_algorithms() -> list[Algorithm]:
    """Return the algorithms with kernels for components."""
    return [each for each in ALGORITHMS.values() if each.problem == "components" and each.kernels]


def all_candidates(every_variant: bool = False) -> list[str]:
    """Return ``auto``, all defaults, all published forms, and variants: of the fast algorithms, or of all."""
    names = [AUTO]
    for algorithm in components_algorithms():
        names += [algorithm.name, published(algorithm.name)]
        if every_variant or algorithm.name in FAST:
            names += variants_of(algorithm)
    return list(dict.fromkeys([*names, *COMBINED]))


def variants_of(algorithm: Algorithm) -> Iterator[str]:
    """Yield the variants that differ from the default on one axis."""
    for variant in algorithm.variants_one_by_one("kernels"):
        if variant and not variant.keys() & set(NOT_VARIED):
            yield f"{algorithm.name}:{format_variant(variant)}"


def published(name: str) -> str:
    """Return an algorithm's published form: the reference's defaults, even if the kernels' are others."""
    axes = [axis for axis in ALGORITHMS[name].axes_of("kernels") if "reference" in axis.sides]
    values = {axis.name: axis.values[0] for axis in axes if axis.by_device}
    return f"{name}:{format_variant(values)}" if values else name


def parse_candidates(text: str) -> list[str]:
    """Return candidates from a list such as ``auto,afforest:init=first,one_in=16,galois``."""
    names: list[str] = []
    for part in text.split(","):
        if "=" in part and ":" not in part and names:
            names[-1] += f",{part}"
        else:
            names.append(part)
    return names


def in_words(choice: Choice) -> str:
    """Return what a choice runs: the algorithm, and those values that are not the first of their axis."""
    first = {axis.name: axis.values[0] for axis in choice.algorithm.axes}
    differ = {name: value for name, value in choice.variant.items() if value != first[name]}
    told = {name: value for name, value in differ.items() if name not in UNTOLD}
    return f"{choice.algorithm.name}:{format_variant(told)}" if told else choice.algorithm.name
