"""What there is to know about one algorithm."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from difflib import get_close_matches
from functools import cached_property
from importlib import import_module
from itertools import product
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from pointerjump.errors import AlgorithmError
from pointerjump.registry.axes import Axis, Side, Value, Variant

if TYPE_CHECKING:
    from pointerjump.accel.tuning import Tuning
    from pointerjump.registry.facts import Form, InputFacts

Problem = Literal["components", "spanning-forest", "list-ranking", "list-scan"]

ARGUMENTS = ("algorithm", "device", "labels", "vertices", "ids")
"""What the public functions take besides variants. One of these misspelt is taken for a variant."""


@dataclass(frozen=True)
class Parents:
    """The array in which a reference keeps each vertex's parent or label, and what it promises of it.

    Tests hold the reference to the promises at every write, in every order of its parallel loops.

    Attributes
    ----------
    array : str
        The name the reference gives the array by ``shared(name, ...)``.
    downwards : bool
        No cell ever holds more than its own index.
    atomic : bool
        Only roots are hooked, by compare-and-swap, so that no tree is ever split.
    once : bool
        No cell is written twice, as when a search labels what it reaches.
    forest : bool
        At the end of every phase, following the cells from any vertex ends at a root.
    contracted : bool
        The reference also makes arrays of this name for contracted graphs, of which nothing is promised.
    """

    array: str
    _: KW_ONLY
    downwards: bool = True
    atomic: bool = False
    once: bool = False
    forest: bool = True
    contracted: bool = False


@dataclass(frozen=True)
class Algorithm:
    """All that is said about one algorithm: an entry of the registry.

    Attributes
    ----------
    name, title : str
        What the command line calls it, and what people call it.
    paper : str
        The citation.
    problem : {"components", "spanning-forest", "list-ranking", "list-scan"}
    summary : str
        What it is, in one line, for the table in README.
    axes : tuple of Axis
        Its variants: every combination of the axes' values.
    reference, kernels : bool
        Which of the two exist.
    needs : tuple of str
        What a device must have to run the kernels.
    takes_edges : bool
        Whether the kernels take edges as they were read, in any order, beside rows.
    one_direction : bool or mapping from axis to value
        Whether the kernels are right if each edge is stored in one direction only, whichever that is: with
        any choices, or with these.
    borrows : tuple of str
        What the kernels leave to pyopencl: a ``"scan"`` or a ``"sort"``.
    serial : bool
        Whether it is serial by design: a yardstick, with no parallel loops in its reference.
    parents : Parents, optional
        The reference's parents or labels. Every parallel algorithm for components has them: runs are
        drawn from them.
    parents_where : mapping from (axis, value) to Parents
        Choices with which the reference keeps or promises something else.
    round_phase : str, optional
        The phase that the reference runs once a round (with every axis at its default), if it goes in
        rounds.
    """

    name: str
    title: str
    _: KW_ONLY
    paper: str
    problem: Problem
    summary: str
    axes: tuple[Axis, ...] = ()
    reference: bool = True
    kernels: bool = True
    needs: tuple[str, ...] = ()
    takes_edges: bool = False
    one_direction: bool | Mapping[str, Value] = field(default=False, hash=False)
    borrows: tuple[str, ...] = ()
    serial: bool = False
    parents: Parents | None = None
    parents_where: Mapping[tuple[str, Value], Parents] = field(default_factory=dict, hash=False)
    round_phase: str | None = None

    @property
    def module(self) -> str:
        """The file stem in all three folders, and the reference's function: the name as an identifier."""
        return self.name.replace("-", "_")

    def require(self, side: Side) -> None:
        """Refuse to run where there is nothing to run.

        Raises
        ------
        AlgorithmError
            If there is no reference, or there are no kernels.
        """
        if not getattr(self, side):
            way_out = (
                'run its reference (device="reference")' if self.reference else "run its kernels on a device"
            )
            raise AlgorithmError(f"{self.name} has no {side}: {way_out}, or choose another algorithm")

    def load(self, side: Side) -> ModuleType:
        """Import and return the reference's module, or that of the kernels' host code."""
        self.require(side)
        package = "reference" if side == "reference" else "accel"
        return import_module(f"pointerjump.{package}.{self.module}")

    def function(self) -> Callable[..., Any]:
        """Import and return the reference: the function named like its module."""
        function: Callable[..., Any] = getattr(self.load("reference"), self.module)
        return function

    @cached_property
    def prepare(self) -> Callable[..., Any]:
        """What makes a run of the kernels ready: their module's ``prepare``."""
        prepare: Callable[..., Any] = self.load("kernels").prepare
        return prepare

    def axes_of(self, side: Side) -> tuple[Axis, ...]:
        """Return the axes that the reference, or the kernels, have."""
        return self._axes[side]

    @cached_property
    def _axes(self) -> dict[Side, tuple[Axis, ...]]:
        sides: tuple[Side, ...] = ("reference", "kernels")
        return {side: tuple(axis for axis in self.axes if side in axis.sides) for side in sides}

    def parents_of(self, variant: Mapping[str, Value]) -> Parents | None:
        """Return the parents or labels that the reference keeps in this variant."""
        for choice in variant.items():
            if choice in self.parents_where:
                return self.parents_where[choice]
        return self.parents

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
        """Return `choices` checked, and the defaults of all other axes that have one everywhere."""
        chosen = self.parse(side, choices)
        defaults = {axis.name: axis.values[0] for axis in self.axes_of(side) if side in axis.settled}
        return {**defaults, **chosen}

    def parse(self, side: Side, choices: Mapping[str, object]) -> Variant:
        """Return `choices` as values of axes.

        Raises
        ------
        AlgorithmError
            If a choice names no axis of this side, or a value the axis does not have.
        """
        if not choices:
            return {}
        axes = {axis.name: axis for axis in self.axes_of(side)}
        for name in choices:
            if name not in axes:
                near = get_close_matches(name, [*axes, *ARGUMENTS], 1)
                hint = f"did you mean {near[0]}? " if near else ""
                known = ", ".join(axes) or "no variants"
                raise AlgorithmError(f"{self.name} ({side}) has no variant {name!r}: {hint}it has {known}")
        return {name: axes[name].parse(value) for name, value in choices.items()}

    def complete(self, chosen: Variant, device: Tuning, input: InputFacts) -> Variant:
        """Return the kernels' variant: what was chosen, and else what suits the device and the input."""
        variant: Variant = {}
        for axis in self.axes_of("kernels"):
            value = chosen.get(axis.name)
            if value is None:
                value = axis.default(device, input) if axis.default else axis.values[0]
            if value is not None:
                variant[axis.name] = value
        return variant

    def has(self, side: Side, choices: Iterable[str]) -> bool:
        """Whether there is an axis for each choice."""
        return {axis.name for axis in self.axes_of(side)}.issuperset(choices)

    def form(self, variant: Variant, given: Form) -> Form:
        """Return the form in which the kernels take an input that is given in another, or in the same."""
        if isinstance(self.one_direction, bool):
            one_direction = self.one_direction
        else:
            one_direction = self.one_direction.items() <= variant.items()
        if given == "lists":
            return given
        if given == "rows" or not one_direction:
            return "rows"
        if given == "stored rows":
            return given
        return "edges" if self.takes_edges and variant.get("input", "edges") == "edges" else "rows"

    def as_dict(self) -> dict[str, Any]:
        """Return what `pointerjump algorithms --json` says of it."""
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
