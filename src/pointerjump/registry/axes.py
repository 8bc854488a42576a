"""Axes, which are what algorithms leave open, and variants, which have a value for every axis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from pointerjump.errors import AlgorithmError

if TYPE_CHECKING:
    from pointerjump.accel.tuning import Tuning
    from pointerjump.registry.facts import InputFacts

Side = Literal["reference", "kernels"]
Value = str | int | bool
Variant = dict[str, Value]


Default = Callable[["Tuning", "InputFacts"], Value | None]


@dataclass(frozen=True)
class Axis:
    """Something that an algorithm leaves open, and the values to choose from.

    Attributes
    ----------
    name : str
        The keyword, as in ``components(graph, init="own")``.
    values : tuple
        The values that are listed and tested, beginning with the default. If they are numbers, others are
        allowed, too.
    meaning : str
        One line for people.
    sides : tuple of {"reference", "kernels"}
        Which implementations have the axis.
    default : callable, optional
        Given the tuning and facts about the input, returns the kernels' default, or None if only the run can
        decide it. Without it, the default is the first value.
    least, most : int
        The range of a number, both ends included. By default these are the nonnegative numbers that fit into
        32 bits, signed, as in the kernels.
    """

    name: str
    values: tuple[Value, ...]
    meaning: str
    sides: tuple[Side, ...] = ("reference", "kernels")
    default: Default | None = None
    least: int = 0
    most: int = 2**31 - 1

    @property
    def by_device(self) -> bool:
        """Whether the kernels' default depends on the device or the input."""
        return self.default is not None

    @property
    def settled(self) -> tuple[Side, ...]:
        """The sides on which the first value is the default, whatever the device and the input."""
        return ("reference",) if self.by_device else ("reference", "kernels")

    @property
    def is_number(self) -> bool:
        """Whether it takes any number from `least` to `most`, beside the values that are listed."""
        return isinstance(self.values[0], int) and not isinstance(self.values[0], bool)

    def parse(self, value: object) -> Value:
        """Return the axis's value that `value` means, which may be text from the command line."""
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


def seed_axis(what: str) -> Axis:
    """Return an axis for the seed of something random."""
    return Axis("seed", (1, 2), f"the seed of {what}", most=2**63 - 1)


SPLITTERS = Axis(
    "splitters",
    (64, 1, 1024),
    "how many random splitters",
    default=lambda device, input: input.items // device.elements_per_splitter,
)
UPDATE = Axis(
    "update",
    (False, True),
    "whether each edge's ends are replaced by their components after every round",
)
READS = Axis(
    "reads",
    ("plain", "atomic"),
    "how shared words are read: plainly (benign races) or by relaxed atomics (race-free)",
    sides=("kernels",),
)
ACCESS = Axis(
    "access",
    ("striding", "partitioning"),
    "which items a work-item takes: every p-th, or one contiguous run",
    sides=("kernels",),
    default=lambda device, _: device.access,
)
BALANCE = Axis(
    "balance",
    ("degree", "none"),
    "whether the edges of a vertex of high degree are shared out among a tile or work-group",
    sides=("kernels",),
    default=lambda device, _: device.balance,
)
INPUT = Axis(
    "input",
    ("edges", "rows"),
    "what work-items share out: a list of edges (COO), or rows (CSR)",
    sides=("kernels",),
)
ROWS_INPUT = replace(INPUT, values=("rows", "edges"))
HOOK = Axis(
    "hook",
    ("plain", "min", "cas"),
    "how a root is put under another: by a store, without atomics; by atomic minimum; by compare-and-swap",
    sides=("kernels",),
)
HOOK_EITHER_WAY = replace(HOOK, values=("plain", "cas"))
ROUNDS_AHEAD = Axis(
    "rounds_ahead",
    (1, 4),
    "how many rounds are enqueued before the host asks whether another one is needed",
    sides=("kernels",),
    default=lambda device, _: device.rounds_ahead,
    least=1,
    most=1024,
)
NARROW = Axis(
    "narrow",
    (4096, 0),
    "the largest frontier, in vertices, with which one work-group goes on alone",
    sides=("kernels",),
    default=lambda device, _: device.narrow,
)
EDGE_ROUNDS = (INPUT, HOOK_EITHER_WAY, ACCESS, READS, ROUNDS_AHEAD)
SEARCH = (NARROW, ACCESS, READS, ROUNDS_AHEAD)


def format_variant(variant: Mapping[str, Value]) -> str:
    """Return a variant as text, such as ``init=first,jump=none``."""
    return ",".join([f"{name}={str(value).lower()}" for name, value in variant.items()])


def parse_variant(text: str) -> dict[str, str]:
    """Return the values that a text such as ``init=first,jump=none`` names.

    Raises
    ------
    AlgorithmError
        If a part is not ``name=value``.
    """
    choices: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = part.partition("=")
        if not (name and equals and value):
            raise AlgorithmError(f"variant {part!r} is not name=value, as in init=first,jump=none")
        choices[name.strip().replace("-", "_")] = value.strip()
    return choices
