"""What there is to know about one algorithm."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from itertools import product
from types import ModuleType
from typing import Any, Literal

from pointerjump.errors import AlgorithmError
from pointerjump.registry.axes import Axis, Side, Variant

Problem = Literal["components", "spanning-forest", "list-ranking", "list-scan"]

ARGUMENTS = ("algorithm", "device", "labels", "vertices", "ids")
"""What the public functions take besides variants; one of them misspelt looks like a variant."""


@dataclass(frozen=True)
class Algorithm:
    """A row of the registry.

    Attributes
    ----------
    name, title, paper : str
        What the command line calls it, what people call it, and the citation.
    problem : {"components", "spanning-forest", "list-ranking", "list-scan"}
    axes : tuple of Axis
        Its variants: every combination of the axes' values.
    module : str
        The file stem in ``reference/``, ``accel/`` and ``kernels_cl/``, and the function in it.
    reference, kernels : bool
        Which of the two exist.
    needs : tuple of str
        What a device must have to run the kernels.
    """

    name: str
    title: str
    paper: str
    problem: Problem
    axes: tuple[Axis, ...] = ()
    reference: bool = True
    kernels: bool = True
    needs: tuple[str, ...] = ()

    @property
    def module(self) -> str:
        """The file stem and function name: the name as an identifier."""
        return self.name.replace("-", "_")

    def load(self, side: Side) -> ModuleType:
        """Import and return the reference module, or the module that drives the kernels."""
        if not getattr(self, side):
            way_out = (
                'run its reference (device="reference")' if self.reference else "run its kernels on a device"
            )
            raise AlgorithmError(f"{self.name} has no {side}: {way_out}, or choose another algorithm")
        package = "reference" if side == "reference" else "accel"
        return import_module(f"pointerjump.{package}.{self.module}")

    def function(self) -> Callable[..., Any]:
        """Import and return the reference: the function named like its module."""
        function: Callable[..., Any] = getattr(self.load("reference"), self.module)
        return function

    def driver(self) -> Callable[..., Any]:
        """Import and return what makes the kernels ready for one input: its module's ``prepare``."""
        prepare: Callable[..., Any] = self.load("kernels").prepare
        return prepare

    def axes_of(self, side: Side) -> tuple[Axis, ...]:
        """Return the axes that the reference, or the kernels, have."""
        return tuple(axis for axis in self.axes if side in axis.sides)

    def variants(self, side: Side) -> Iterator[Variant]:
        """Yield every listed combination of the axes' values."""
        axes = self.axes_of(side)
        for values in product(*(axis.values for axis in axes)):
            yield dict(zip((axis.name for axis in axes), values, strict=True))

    def variants_one_by_one(self, side: Side) -> Iterator[Variant]:
        """Yield the defaults, as no choices at all, and then every other listed value of each axis alone."""
        yield {}
        for axis in self.axes_of(side):
            for value in axis.values if axis.by_device else axis.values[1:]:
                yield {axis.name: value}

    def variant(self, side: Side, choices: Mapping[str, object]) -> Variant:
        """Return `choices` checked, with the defaults that do not depend on the device.

        Raises
        ------
        AlgorithmError
            If a choice names no axis of this side, or a value the axis does not have.
        """
        axes = {axis.name: axis for axis in self.axes_of(side)}
        for name in choices:
            if name not in axes:
                near = get_close_matches(name, [*axes, *ARGUMENTS], 1)
                hint = f"did you mean {near[0]}? " if near else ""
                known = ", ".join(axes) or "no variants"
                raise AlgorithmError(f"{self.name} ({side}) has no variant {name!r}: {hint}it has {known}")
        chosen: Variant = {}
        for name, axis in axes.items():
            if name in choices:
                chosen[name] = axis.parse(choices[name])
            elif not (axis.by_device and side == "kernels"):
                chosen[name] = axis.values[0]
        return chosen

    def as_dict(self) -> dict[str, Any]:
        """Return the row as JSON-able data."""
        return {
            "name": self.name,
            "title": self.title,
            "paper": self.paper,
            "problem": self.problem,
            "variants": {axis.name: list(axis.values) for axis in self.axes},
            "reference": self.reference,
            "kernels": self.kernels,
            "needs": list(self.needs),
        }
