"""Describes algorithms: their names, their options (axes) and the location of their code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from difflib import get_close_matches
from functools import cached_property
from importlib import import_module
from itertools import product
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pointerjump.base.limits import FEW_EDGES, FEW_SPREAD
from pointerjump.errors import AlgorithmError
from pointerjump.reference.description import Description, described

if TYPE_CHECKING:
    from pointerjump.accel.runtime.devices import Device
    from pointerjump.accel.tuning import Tuning

Problem = Literal[
    "components",
    "spanning-forest",
    "minimum-spanning-forest",
    "dendrograms",
    "list-ranking",
    "list-scan",
    "trees",
    "common-ancestors",
    "biconnectivity",
    "bridges",
    "functional-graphs",
    "id-numbering",
    "image-labelling",
]
Form = Literal[
    "edges", "blocks", "stored rows", "rows", "forest", "lists", "rooted", "spanned", "ids", "image"
]
"""The form of an input:

- ``"edges"``: edges in any order and direction
- ``"blocks"``: blocks of such edges
- ``"stored rows"``: rows as they are stored
- ``"rows"``: rows with both directions of every edge
- ``"forest"``: the edges and weights of a forest
- ``"lists"``: linked lists
- ``"rooted"``: a rooted forest
- ``"spanned"``: edges and a rooted spanning forest
- ``"ids"``: ids to be numbered
- ``"image"``: an image
"""

GRAPH_FORMS: tuple[Form, ...] = ("edges", "blocks", "stored rows", "rows")
"""The forms that a graph can have. If an algorithm needs another form, the graph is converted."""

Side = Literal["reference", "kernels"]
Value = str | int | bool
Variant = dict[str, Value]


class InputFacts(NamedTuple):
    """Facts about an input, determined by reading at most a sample of its edges or elements.

    `items` is the number of vertices, list elements, ids or pixels. `stored` is the number of edges or, for a
    graph in rows, the number of entries. For a rooted forest, it is the number of vertex pairs whose common
    ancestors are to be found. `on_device` is True if the input is already on a device. Such an input is
    assumed to be used in several runs. The other five facts are guessed from a sample, as described in
    `EdgeOrder` (for edges) and `Numbering` (for rows). They are False for small graphs, and for inputs other
    than edges and rows.
    """

    items: int
    stored: int = 0
    form: Form = "rows"
    on_device: bool = False
    in_order: bool = False
    local: bool = False
    hubs: bool = False
    spread: bool = False
    grown: bool = False

    @property
    def directed_edges(self) -> int:
        """The number of entries if rows store both directions of every edge, assuming no repeated edges."""
        return self.stored if self.form == "rows" else 2 * self.stored

    @property
    def few_edges(self) -> bool:
        """Whether the graph has few stored edges per vertex. The limit is higher if they are `spread`."""
        return self.stored <= (FEW_SPREAD if self.spread else FEW_EDGES) * self.items


Default = Callable[["Tuning", InputFacts], Value | None]


@dataclass(frozen=True)
class Axis:
    """An option of an algorithm, and its possible values.

    `name` is the keyword argument, as in ``components(graph, init="own")``. `default` returns the default
    value for the kernels, or None if the value is only decided during the run. If there is no `default`, the
    first item of `values` is the default value.
    """

    name: str
    values: tuple[Value, ...]  # listed and tested; an axis of numbers also accepts others
    meaning: str  # a short description for display
    sides: tuple[Side, ...] = ("reference", "kernels")  # the implementations with this axis
    default: Default | None = None
    least: int = 0  # the inclusive range of a number; by default, the range of the kernels' int
    most: int = 2**31 - 1

    @property
    def by_device(self) -> bool:
        """Whether the kernels' default depends on the device or the input."""
        return self.default is not None

    @property
    def is_number(self) -> bool:
        """Whether the axis accepts all integers from `least` to `most`, not only the listed values."""
        return isinstance(self.values[0], int) and not isinstance(self.values[0], bool)

    def parse(self, value: object) -> Value:
        """Validate and return a value of this axis. The value may be text, as typed on the command line."""
        for known in self.values:
            if type(value) is type(known) and value == known:
                return known
            if isinstance(value, str) and value.lower() == str(known).lower():
                return known
        if self.is_number:
            try:
                number = int(str(value))
            except ValueError:
                number = self.least - 1
            if self.least <= number <= self.most:
                return number
            raise AlgorithmError(
                f"{self.name}={value}: it must be a whole number from {self.least} to {self.most}"
            )
        raise AlgorithmError(
            f"{self.name}={value}: it must be one of {', '.join(str(v).lower() for v in self.values)}"
        )


def format_variant(variant: Mapping[str, Value]) -> str:
    """Format a variant as text, for example ``init=first,jump=none``."""
    return ",".join([f"{name}={str(value).lower()}" for name, value in variant.items()])


def parse_variant(text: str) -> dict[str, str]:
    """Parse a variant from text, for example ``init=first,jump=none``. Values remain strings."""
    choices: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = part.partition("=")
        if not (name and equals and value):
            raise AlgorithmError(f"variant {part!r} is not name=value, as in init=first,jump=none")
        choices[name.strip().replace("-", "_")] = value.strip()
    return choices


@dataclass(frozen=True)
class Algorithm:
    """An algorithm, as listed in the registry.

    All kernels accept rows with both directions of every edge. If `takes` is ``"stored rows"``, they also
    accept rows that store edges in only one direction. `parents` is the name of the ``shared`` array in which
    the reference stores the parent or the label of each vertex, and which ``pointerjump draw`` shows. Every
    algorithm for components of graphs or images has such an array.
    """

    name: str  # on the command line
    title: str  # for display
    _: KW_ONLY
    paper: str
    problem: Problem = "components"
    axes: tuple[Axis, ...] = ()  # each combination of their values is a variant
    reference: bool = True  # whether it has a reference implementation
    kernels: bool = True
    needs: tuple[str, ...] = ()  # features that a device must have to run the kernels
    takes: Form = "rows"  # the kernels' input: "rows", "stored rows" or "edges"
    takes_if: Mapping[str, Value] = field(default_factory=dict, hash=False)  # with other axis values, "rows"
    borrows: tuple[str, ...] = ()  # what it uses from pyopencl: "scan" or "sort"
    serial: bool = False  # serial by design, for comparison: its reference has no parallel loops
    parents: str | None = None
    parents_where: Mapping[tuple[str, Value], str] = field(default_factory=dict, hash=False)
    contracts: bool = False  # whether contracted graphs' arrays have the same name as `parents`
    round_phase: str | None = None  # the phase that the reference's default variant runs once in each round

    @property
    def module(self) -> str:
        """The name as a Python identifier, which the three source files and the reference function share."""
        return self.name.replace("-", "_")

    def require(self, side: Side) -> None:
        if not getattr(self, side):
            way_out = (
                'run its reference (device="reference")' if self.reference else "run its kernels on a device"
            )
            raise AlgorithmError(f"{self.name} has no {side}: {way_out}, or choose another algorithm")

    def runs_on(self, device: Device) -> bool:
        return "int64 atomics" not in self.needs or device.int64_atomics

    def load(self, side: Side) -> ModuleType:
        self.require(side)
        package = "reference" if side == "reference" else "accel"
        return import_module(f"pointerjump.{package}.{self.module}")

    def function(self) -> Callable[..., Any]:
        """Import the reference implementation, and return its function."""
        function: Callable[..., Any] = getattr(self.load("reference"), self.module)
        return function

    def description(self) -> Description:
        """Parse the reference's docstring. The algorithm's page and the README's table are made from it."""
        return described(self.load("reference").__doc__ or "")

    @cached_property
    def prepare(self) -> Callable[..., Any]:
        prepare: Callable[..., Any] = self.load("kernels").prepare
        return prepare

    def axes_of(self, side: Side) -> tuple[Axis, ...]:
        return self._axes[side]

    @cached_property
    def _axes(self) -> dict[Side, tuple[Axis, ...]]:
        sides: tuple[Side, ...] = ("reference", "kernels")
        return {side: tuple(axis for axis in self.axes if side in axis.sides) for side in sides}

    def parents_of(self, variant: Mapping[str, Value]) -> str | None:
        """For a variant, return the name of the array that stores parents or labels in the reference."""
        named = (self.parents_where[choice] for choice in variant.items() if choice in self.parents_where)
        return next(named, self.parents)

    def variants(self, side: Side) -> Iterator[Variant]:
        """Yield every combination of the values listed for the axes."""
        axes = self.axes_of(side)
        for values in product(*(axis.values for axis in axes)):
            yield dict(zip((axis.name for axis in axes), values, strict=True))

    def variants_one_by_one(self, side: Side) -> Iterator[Variant]:
        """Yield an empty variant, then one for each value of each axis. Fixed default values are skipped."""
        yield {}
        for axis in self.axes_of(side):
            for value in axis.values if axis.by_device else axis.values[1:]:
                yield {axis.name: value}

    def variant(self, side: Side, choices: Mapping[str, object]) -> Variant:
        """Validate `choices`, and add the defaults that do not depend on the device or the input."""
        chosen = self.parse(side, choices)
        settled = (a for a in self.axes_of(side) if side == "reference" or not a.by_device)
        return {**{axis.name: axis.values[0] for axis in settled}, **chosen}

    def parse(self, side: Side, choices: Mapping[str, object]) -> Variant:
        """Validate `choices`, and return them as a variant. Values may be text."""
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
        """Return a complete variant for the kernels: `chosen`, plus defaults for the other axes."""
        variant: Variant = {}
        for axis in self.axes_of("kernels"):
            value = chosen.get(axis.name)
            if value is None:
                value = axis.default(device, input) if axis.default else axis.values[0]
            if value is not None:
                variant[axis.name] = value
        return variant

    def has(self, side: Side, choices: Iterable[str]) -> bool:
        return {axis.name for axis in self.axes_of(side)}.issuperset(choices)

    def form(self, variant: Variant, given: Form) -> Form:
        """Return the form to which an input in the form `given` must be converted for the kernels."""
        if given not in GRAPH_FORMS:
            return given
        if given == "rows" or self.takes == "rows" or not self.takes_if.items() <= variant.items():
            return "rows"
        if given == "stored rows":
            return given
        return "edges" if self.takes == "edges" and variant.get("input", "edges") == "edges" else "rows"

    def as_dict(self) -> dict[str, Any]:
        """Return the data that ``pointerjump algorithms --json`` prints for this algorithm."""
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
