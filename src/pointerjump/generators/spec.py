"""Parses and validates specs, each of which names a generator and its parameters."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any, Literal, get_type_hints

import numpy as np
import numpy.typing as npt

from pointerjump.base.graph import Graph
from pointerjump.base.linked_lists import SuccessorArray
from pointerjump.errors import SpecError

Setting = int | float | str
Kind = Literal["graph", "list"]
Build = Callable[..., Graph | SuccessorArray]
Positions = Callable[..., npt.NDArray[np.float64]]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a generator. It annotates a function's argument and has the same name and default."""

    meaning: str  # one line for the help and the documentation
    least: float = 0  # the range of a number, including both ends
    most: float = math.inf
    choices: tuple[str, ...] = ()  # the words that the parameter takes, if any
    name: str = ""  # in specs and in the generator's signature
    default: Setting | None = None  # determines the type of values; None stands for an optional integer

    @property
    def domain(self) -> str:
        """A description of the values that are allowed for the parameter."""
        if self.choices:
            return " or ".join(self.choices)
        kind = "a number" if isinstance(self.default, float) else "a whole number"
        end = f"to {self.most}" if self.most < math.inf else "up"
        return f"{kind} from {self.least:.3g} {end}"

    def read(self, text: str) -> Setting:
        """Parse a value of the parameter. Raise a SpecError if the value is not allowed."""
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
    """A generator of graphs or lists, with its description for the help and the documentation."""

    example: str  # a typical spec
    parameters: tuple[Parameter, ...]  # in the order in which help lists them
    kind: Kind
    build: Build  # makes the graph or list; its docstring describes the result
    positions: Positions | None  # returns the positions of the vertices for the same parameters

    @property
    def name(self) -> str:
        return self.example.partition(":")[0]

    @property
    def title(self) -> str:
        """A description of the generated graph or list, in one line."""
        return (self.build.__doc__ or self.name).splitlines()[0].removesuffix(".")

    @property
    def usage(self) -> str:
        return f"{self.name} takes {', '.join(p.name for p in self.parameters)}"

    def arguments(self, *texts: str) -> dict[str, Any]:
        """Parse strings ``key=value,...`` into the arguments for `build`. Later strings take precedence."""
        parameters = {p.name: p for p in self.parameters}
        given: dict[str, str] = {}
        for text in texts:
            settings: dict[str, str] = {}
            for item in text.split(",") if text else []:
                name, equals, value = (part.strip() for part in item.partition("="))
                if not equals:
                    raise SpecError(f"{item!r} has no value: write name=value")
                if name in settings:
                    raise SpecError(f"{name} is given twice")
                if name not in parameters:
                    raise SpecError(f"{self.name} has no parameter {name!r}")
                settings[name] = value
            given |= settings
        values = {p.name: p.read(given[p.name]) if p.name in given else p.default for p in self.parameters}
        if "vertices" in parameters and "scale" in parameters:
            if {"vertices", "scale"} <= given.keys():
                raise SpecError("vertices and scale say the same thing twice: give one of them")
            scale = values.pop("scale")
            if isinstance(scale, int):
                values["vertices"] = 1 << scale
        return values


# Every generator that takes `vertices` takes this parameter too.
SCALE = Parameter("instead of vertices: 2**scale of them", most=30, name="scale")


def generator(example: str, positions: Positions | None = None) -> Callable[[Build], Generator]:
    """Return a decorator that turns a function into a generator with the parameters of its signature."""

    def made(build: Build) -> Generator:
        hints = get_type_hints(build, include_extras=True)
        parameters: list[Parameter] = []
        for name, argument in signature(build).parameters.items():
            described: Parameter = hints[name].__metadata__[0]
            parameters.append(replace(described, name=name, default=argument.default))
            if name == "vertices":
                parameters.append(SCALE)
        kind: Kind = "graph" if hints["return"] is Graph else "list"
        return Generator(example, tuple(parameters), kind, build, positions)

    return made
