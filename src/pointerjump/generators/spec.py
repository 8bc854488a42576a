"""Specs: text that names a generator and its parameters, and the descriptions that it is checked against."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from pointerjump.base.graph import Graph
from pointerjump.base.linked_lists import SuccessorArray
from pointerjump.errors import SpecError

Setting = int | float | str
Kind = Literal["graph", "list"]
Build = Callable[..., Graph | SuccessorArray]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a generator.

    Attributes
    ----------
    name : str
        What specs and the generator's signature call it.
    default : int, float, str or None
        Its value if the spec does not give one. Its type is the type of all values; None stands for an
        optional whole number.
    meaning : str
        One line for help and docs.
    least, most : float
        The range of a number, ends included.
    choices : tuple of str
        The words it takes, if it takes words.
    """

    name: str
    default: Setting | None
    meaning: str
    least: float = 0
    most: float = math.inf
    choices: tuple[str, ...] = ()

    @property
    def domain(self) -> str:
        """The values it takes, in words."""
        if self.choices:
            return " or ".join(self.choices)
        kind = "a number" if isinstance(self.default, float) else "a whole number"
        end = f"to {self.most}" if self.most < math.inf else "up"
        return f"{kind} from {self.least:.3g} {end}"

    def read(self, text: str) -> Setting:
        """Return the value that `text` stands for.

        Raises
        ------
        SpecError
            If the parameter does not take that value.
        """
        if self.choices:
            if text in self.choices:
                return text
        else:
            try:
                value = float(text) if isinstance(self.default, float) else int(text)
            except ValueError:
                value = math.nan
            if self.least <= value <= self.most:
                return value
        raise SpecError(f"{self.name} is {text!r}: it must be {self.domain}")


@dataclass(frozen=True)
class Generator:
    """A generator of graphs or lists, with everything that help and docs say about it.

    Attributes
    ----------
    example : str
        A typical spec.
    parameters : tuple of Parameter
        In the order in which help lists them.
    kind : {"graph", "list"}
        Whether it makes a Graph or a successor array.
    build : callable
        Takes the parameters by keyword and makes the graph or list. Its docstring says what it makes.
    positions : callable, optional
        Takes the same parameters and returns where the vertices are in the plane, if the graph has a shape.
    """

    example: str
    parameters: tuple[Parameter, ...]
    kind: Kind
    build: Build
    positions: Callable[..., npt.NDArray[np.float64]] | None

    @property
    def name(self) -> str:
        """What specs call it."""
        return self.example.partition(":")[0]

    @property
    def title(self) -> str:
        """What it makes, in one line."""
        return (self.build.__doc__ or self.name).splitlines()[0].removesuffix(".")

    @property
    def usage(self) -> str:
        """The names of its parameters, in words."""
        return f"{self.name} takes {', '.join(p.name for p in self.parameters)}"

    def arguments(self, settings: dict[str, str]) -> dict[str, Any]:
        """Return the arguments for `build`: the settings, and defaults for all other parameters.

        Raises
        ------
        SpecError
            If a setting is for an unknown parameter, or its parameter does not take the value.
        """
        parameters = {p.name: p for p in self.parameters}
        for name in settings:
            if name not in parameters:
                raise SpecError(f"{self.name} has no parameter {name!r}")
        values = {p.name: p.default for p in self.parameters}
        values |= {name: parameters[name].read(text) for name, text in settings.items()}
        if "vertices" in parameters and "scale" in parameters:
            if "vertices" in settings and "scale" in settings:
                raise SpecError("vertices and scale say the same thing twice: give one of them")
            scale = values.pop("scale")
            if isinstance(scale, int):
                values["vertices"] = 1 << scale
        return values


def generator(
    example: str,
    *parameters: Parameter,
    kind: Kind = "graph",
    positions: Callable[..., npt.NDArray[np.float64]] | None = None,
) -> Callable[[Build], Generator]:
    """Make a generator of the function that follows; the arguments are those of `Generator`."""
    return lambda build: Generator(example, parameters, kind, build, positions)


def read_settings(text: str) -> dict[str, str]:
    """Return the settings of ``key=value,key=value``, as text.

    Raises
    ------
    SpecError
        If a setting has no value, or is given twice.

    Examples
    --------
    >>> read_settings("scale=20, degree=16")
    {'scale': '20', 'degree': '16'}
    """
    settings: dict[str, str] = {}
    for item in text.split(",") if text else []:
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals:
            raise SpecError(f"{item!r} has no value: write name=value")
        if name in settings:
            raise SpecError(f"{name} is given twice")
        settings[name] = value
    return settings
