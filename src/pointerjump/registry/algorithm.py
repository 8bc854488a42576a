"""All that is known about one algorithm."""

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
from pointerjump.registry.facts import GRAPH_FORMS

if TYPE_CHECKING:
    from pointerjump.accel.runtime.devices import Device
    from pointerjump.accel.tuning import Tuning
    from pointerjump.registry.facts import Form, InputFacts

Problem = Literal[
    "components", "spanning-forest", "list-ranking", "list-scan", "id-numbering", "image-labelling"
]


@dataclass(frozen=True)
class Parents:
    """The array in which a reference keeps each vertex's parent or label, and the promises about it.

    Tests check the promises at every write, in every order of the reference's parallel loops.

    Attributes
    ----------
    array : str
        The array's name: the reference calls ``shared(name, ...)``.
    downwards : bool
        No element ever holds more than its own index.
    atomic : bool
        Only roots are hooked, by compare-and-swap, so no tree is ever split.
    once : bool
        No element is written twice, as in a search, which labels each vertex once.
    forest : bool
        At the end of every phase, following the parents from any vertex leads to a root.
    contracted : bool
        The reference uses the same name for arrays of contracted graphs, for which there are no promises.
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
    """An algorithm, and all that is said about it: one item of the registry.

    Attributes
    ----------
    name, title : str
        Its name on the command line, and its name for people.
    paper : str
        The citation.
    problem : Problem
    summary : str
        One line about it, for the table in README.
    definition : str
        What it is, in a sentence or two, for somebody who has not met it.
    when : str
        What completes the sentence "choose it ...".
    work, depth : str
        How many steps all work-items take together, and how many follow one another, in the default variant.
        The reference's docstring says more.
    see_also : mapping from str to str
        Related algorithms by name, each with a few words about how it differs.
    axes : tuple of Axis
        What it leaves open. Every combination of values on the axes is a variant.
    reference, kernels : bool
        Whether it has a reference, and whether it has kernels.
    needs : tuple of str
        The features that a device must have to run the kernels.
    takes_edges : bool
        Whether the kernels take edges as they were read, beside rows: they are right, and no slower, in any
        order of the edges.
    one_direction : bool or mapping from axis to value
        Whether the kernels are right if edges are stored in only one direction, no matter which: in all
        variants, or only in those with these values.
    borrows : tuple of str
        What pyopencl does for the kernels: a ``"scan"`` or a ``"sort"``.
    serial : bool
        Whether it is serial by design, as a yardstick, without parallel loops in its reference.
    parents : Parents, optional
        The reference's parents or labels. Every algorithm for components of graphs or images has them;
        ``pointerjump draw`` shows them.
    parents_where : mapping from (axis, value) to Parents
        Values with which the reference has other parents or labels, or other promises.
    round_phase : str, optional
        The phase that the reference runs once in each round (in the default variant), if it has rounds.
    phases : mapping from str to str
        What each phase of the reference does, in any variant: a few words that can stand below a picture.
    """

    name: str
    title: str
    _: KW_ONLY
    paper: str
    problem: Problem
    summary: str
    definition: str = ""
    when: str = ""
    work: str = ""
    depth: str = ""
    see_also: Mapping[str, str] = field(default_factory=dict, hash=False)
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
    phases: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def module(self) -> str:
        """The name as an identifier: the file stem in all three folders, and the reference's function."""
        return self.name.replace("-", "_")

    def require(self, side: Side) -> None:
        """Raise an error if this side does not exist.

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

    def runs_on(self, device: Device) -> bool:
        """Return whether a device has what the kernels need beside atomics of 32 bits, which all have."""
        return "int64 atomics" not in self.needs or device.int64_atomics

    def load(self, side: Side) -> ModuleType:
        """Import and return the module of the reference, or of the kernels' host code."""
        self.require(side)
        package = "reference" if side == "reference" else "accel"
        return import_module(f"pointerjump.{package}.{self.module}")

    def function(self) -> Callable[..., Any]:
        """Import and return the reference, a function with the same name as its module."""
        function: Callable[..., Any] = getattr(self.load("reference"), self.module)
        return function

    @cached_property
    def prepare(self) -> Callable[..., Any]:
        """The function that plans a run of the kernels."""
        prepare: Callable[..., Any] = self.load("kernels").prepare
        return prepare

    def axes_of(self, side: Side) -> tuple[Axis, ...]:
        """Return the axes of the reference, or of the kernels."""
        return self._axes[side]

    @cached_property
    def _axes(self) -> dict[Side, tuple[Axis, ...]]:
        sides: tuple[Side, ...] = ("reference", "kernels")
        return {side: tuple(axis for axis in self.axes if side in axis.sides) for side in sides}

    def parents_of(self, variant: Mapping[str, Value]) -> Parents | None:
        """Return what is known about the reference's parents or labels in this variant."""
        for choice in variant.items():
            if choice in self.parents_where:
                return self.parents_where[choice]
        return self.parents

    def variants(self, side: Side) -> Iterator[Variant]:
        """Yield every combination of the values that the axes list."""
        axes = self.axes_of(side)
        for values in product(*(axis.values for axis in axes)):
            yield dict(zip((axis.name for axis in axes), values, strict=True))

    def variants_one_by_one(self, side: Side) -> Iterator[Variant]:
        """Yield {}, which stands for the defaults, and then every other listed value of each axis alone."""
        yield {}
        for axis in self.axes_of(side):
            for value in axis.values if axis.by_device else axis.values[1:]:
                yield {axis.name: value}

    def variant(self, side: Side, choices: Mapping[str, object]) -> Variant:
        """Return `choices`, checked, and the other axes' defaults that do not depend on device or input."""
        chosen = self.parse(side, choices)
        defaults = {axis.name: axis.values[0] for axis in self.axes_of(side) if side in axis.settled}
        return {**defaults, **chosen}

    def parse(self, side: Side, choices: Mapping[str, object]) -> Variant:
        """Return `choices`, which may be text, as values of the axes.

        Raises
        ------
        AlgorithmError
            If `choices` names an axis that this side does not have, or a value that the axis does not have.
        """
        if not choices:
            return {}
        axes = {axis.name: axis for axis in self.axes_of(side)}
        for name in choices:
            if name not in axes:
                near = get_close_matches(name, axes, 1)
                hint = f"did you mean {near[0]}? " if near else ""
                known = ", ".join(axes) or "no variants"
                raise AlgorithmError(f"{self.name} ({side}) has no variant {name!r}: {hint}it has {known}")
        return {name: axes[name].parse(value) for name, value in choices.items()}

    def complete(self, chosen: Variant, device: Tuning, input: InputFacts) -> Variant:
        """Return the kernels' variant: the values in `chosen`, and defaults for the other axes."""
        variant: Variant = {}
        for axis in self.axes_of("kernels"):
            value = chosen.get(axis.name)
            if value is None:
                value = axis.default(device, input) if axis.default else axis.values[0]
            if value is not None:
                variant[axis.name] = value
        return variant

    def has(self, side: Side, choices: Iterable[str]) -> bool:
        """Return whether there is an axis for each of `choices`."""
        return {axis.name for axis in self.axes_of(side)}.issuperset(choices)

    def form(self, variant: Variant, given: Form) -> Form:
        """Return the form in which the kernels take an input, given the form it has."""
        if isinstance(self.one_direction, bool):
            one_direction = self.one_direction
        else:
            one_direction = self.one_direction.items() <= variant.items()
        if given not in GRAPH_FORMS:
            return given
        if given == "rows" or not one_direction:
            return "rows"
        if given == "stored rows":
            return given
        return "edges" if self.takes_edges and variant.get("input", "edges") == "edges" else "rows"

    def as_dict(self) -> dict[str, Any]:
        """Return what ``pointerjump algorithms --json`` prints about it."""
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
