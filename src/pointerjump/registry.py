"""The one table of algorithms: the command line, tests, benches and docs are made from it.

To add an algorithm, add its files (``reference/x.py``, ``kernels_cl/x.cl``, ``accel/x.py``) and one
row here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from importlib import import_module
from itertools import product
from types import ModuleType
from typing import Any, Literal

from pointerjump.errors import AlgorithmError

Problem = Literal["components", "spanning-forest", "list-ranking", "list-scan"]
Side = Literal["reference", "kernels"]
Value = str | int | bool
Variant = dict[str, Value]

ARGUMENTS = ("algorithm", "device", "labels", "vertices", "ids")
"""What the public functions take besides variants; one of them misspelt looks like a variant."""


LABELS = ("consecutive", "representative")
"""How labels may name components: 0, 1, ... in order, or each by its smallest vertex."""


@dataclass(frozen=True)
class Axis:
    """One choice that an algorithm leaves open.

    Attributes
    ----------
    name : str
        The keyword, as in ``components(graph, init="own")``.
    values : tuple
        The named values that are listed and tested, the default first; for a number, a few of the
        values it may take.
    meaning : str
        One line for people.
    sides : tuple of {"reference", "kernels"}
        Which implementations have the choice.
    by_device : bool
        Whether the kernels' default depends on the device (its launch table says which it is).
    least, most : int
        The range of a number, ends included. Kernels take numbers of 32 bits.
    """

    name: str
    values: tuple[Value, ...]
    meaning: str
    sides: tuple[Side, ...] = ("reference", "kernels")
    by_device: bool = False
    least: int = 0
    most: int = 2**31 - 1

    def parse(self, value: object) -> Value:
        """Return the value that `value`, perhaps text from a command line, stands for."""
        for known in self.values:
            if type(value) is type(known) and value == known:
                return known
            if isinstance(value, str) and value.lower() == str(known).lower():
                return known
        if isinstance(self.values[0], int) and not isinstance(self.values[0], bool):
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


def seed_axis(of: str) -> Axis:
    """Return the axis that seeds the random numbers of something."""
    return Axis("seed", (1, 2), of, most=2**63 - 1)


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
    by_device=True,
)
BALANCE = Axis(
    "balance",
    ("degree", "none"),
    "whether vertices of high degree are shared by a tile or work-group",
    sides=("kernels",),
    by_device=True,
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
    "how many rounds are enqueued before the host reads whether there is to be another one",
    sides=("kernels",),
    by_device=True,
    least=1,
    most=1024,
)
NARROW = Axis(
    "narrow",
    (4096, 0),
    "one work-group goes on alone while no frontier has more vertices than this",
    sides=("kernels",),
    by_device=True,
)
EDGE_ROUNDS = (INPUT, HOOK_EITHER_WAY, ACCESS, READS, ROUNDS_AHEAD)
SEARCH = (NARROW, ACCESS, READS, ROUNDS_AHEAD)


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


_DEHNE = "Dehne, Yogaratnam, Exploring the limits of GPUs with parallel graph algorithms, 2010"
_ECL = "Jaiganesh, Burtscher, A high-performance connected components implementation for GPUs, HPDC 2018"
_SUTTON = "Sutton, Ben-Nun, Barak, Optimizing parallel graph connectivity via subgraph sampling, IPDPS 2018"
_CONG = "Cong, Muzio, Fast parallel connected components algorithms on GPUs, Euro-Par workshops 2014"
_LIGRA = "Shun, Blelloch, Ligra, PPoPP 2013"
_JAIGANESH = "Jaiganesh, thesis, Texas State University, 2017"

ALGORITHMS: dict[str, Algorithm] = {
    row.name: row
    for row in (
        Algorithm(
            "dfs",
            "Depth-first search",
            f"Hopcroft, Tarjan, CACM 16(6), 1973; {_JAIGANESH}, 1.2.2",
            "components",
            kernels=False,
        ),
        Algorithm(
            "union-find",
            "Union-find",
            f"Tarjan, JACM 22(2), 1975; {_JAIGANESH}, 1.2.1",
            "components",
            (
                Axis("union", ("size", "index"), "which of two roots stays a root", ("reference",)),
                Axis(
                    "find",
                    ("halving", "splitting", "compression", "none"),
                    "how finding a root shortens the path",
                    ("reference",),
                ),
            ),
            kernels=False,
        ),
        Algorithm(
            "shiloach-vishkin",
            "Shiloach-Vishkin, GPU form",
            f"Shiloach, Vishkin, J. Algorithms 3, 1982; {_DEHNE}, algorithm 4",
            "components",
            (UPDATE, ACCESS, READS, ROUNDS_AHEAD),
        ),
        Algorithm(
            "shiloach-vishkin-csr",
            "Shiloach-Vishkin, CSR form of the GAP benchmark suite",
            f"Shiloach, Vishkin, J. Algorithms 3, 1982; {_SUTTON}, figure 1",
            "components",
            (ROWS_INPUT, HOOK, ACCESS, READS, ROUNDS_AHEAD),
        ),
        Algorithm(
            "fast-sv",
            "FastSV: hooks that need no roots",
            "Zhang, Azad, Hu, SIAM Conference on Parallel Processing (PP), 2020",
            "components",
            (INPUT, replace(HOOK, values=("min", "plain")), ACCESS, READS, ROUNDS_AHEAD),
        ),
        Algorithm(
            "graft-shortcut",
            "CC, CC-updt: graft and shortcut",
            f"{_CONG}, algorithms 1 and 2",
            "components",
            (
                UPDATE,
                Axis(
                    "graft",
                    ("direct", "sorted"),
                    "how an edge finds its ends' components: directly, or coalesced by sorting (section 3)",
                ),
                INPUT,
                HOOK,
                ACCESS,
                READS,
                ROUNDS_AHEAD,
            ),
        ),
        Algorithm(
            "stages",
            "Stages: components group of edges by group",
            f"{_CONG}, algorithm 3",
            "components",
            (
                Axis(
                    "inner",
                    (
                        "graft-shortcut",
                        "graft-shortcut-updt",
                        "shiloach-vishkin",
                        "shiloach-vishkin-updt",
                        "shiloach-vishkin-csr",
                    ),
                    "the algorithm that takes each group",
                ),
                Axis(
                    "q",
                    (1, 2),
                    "edges in a group, in multiples of the number of vertices",
                    least=1,
                ),
                seed_axis("of the edges' permutation"),
                ACCESS,
                READS,
                ROUNDS_AHEAD,
            ),
        ),
        Algorithm(
            "rem",
            "Rem's algorithm, in parallel",
            f"Dijkstra, A discipline of programming, 1976; Patwary, Refsnes, Manne, IPDPS 2012; {_CONG}, 6",
            "components",
            (
                Axis(
                    "splicing",
                    (True, False),
                    "whether both paths are compressed while they are climbed",
                ),
                *EDGE_ROUNDS,
            ),
        ),
        Algorithm(
            "soman",
            "Soman's algorithm (also LonestarGPU's and IrGL's)",
            f"Soman, Kothapalli, Narayanan, IPDPSW 2010; {_JAIGANESH}, algorithms 3 to 5",
            "components",
            (*EDGE_ROUNDS,),
        ),
        Algorithm(
            "groute",
            "Groute: atomic hooks, segment by segment",
            f"Ben-Nun, Sutton, Pai, Pingali, PPoPP 2017; {_JAIGANESH}, algorithm 6",
            "components",
            (INPUT, ACCESS, READS),
            needs=("int32 atomics",),
        ),
        Algorithm(
            "gunrock",
            "Gunrock: hook and jump with filters",
            f"Wang et al., PPoPP 2016; {_ECL}, 2",
            "components",
            (HOOK_EITHER_WAY, ACCESS, READS, ROUNDS_AHEAD),
            needs=("int32 atomics",),
        ),
        Algorithm(
            "galois",
            "Galois, asynchronous",
            f"Kulkarni et al., PLDI 2007; {_ECL}, 2",
            "components",
            (INPUT, ACCESS, READS),
            needs=("int32 atomics",),
        ),
        Algorithm(
            "crono",
            "CRONO: Shiloach-Vishkin over a padded 2-D adjacency",
            f"Ahmad et al., IISWC 2015; {_ECL}, 2",
            "components",
            (HOOK, ACCESS, READS, ROUNDS_AHEAD),
        ),
        Algorithm(
            "bfs",
            "Breadth-first search: Ligra's BFSCC, and DOBFS-CC",
            f"{_LIGRA}; Beamer, Asanovic, Patterson, SC 2012; {_JAIGANESH}, algorithm 8; {_SUTTON}, II",
            "components",
            (
                Axis(
                    "direction",
                    ("top-down", "optimizing"),
                    "whether large frontiers are searched for from the unvisited vertices",
                ),
                *SEARCH,
            ),
            needs=("int32 atomics",),
        ),
        Algorithm(
            "label-propagation",
            "Minimum-label propagation, and Ligra's Components",
            f"{_LIGRA}; {_JAIGANESH}, algorithm 7; {_SUTTON}, II",
            "components",
            (
                Axis(
                    "frontier",
                    ("changed", "all"),
                    "which vertices pass their labels on: those whose label changed (Ligra), or all",
                ),
                ACCESS,
                READS,
                ROUNDS_AHEAD,
            ),
            needs=("int32 atomics",),
        ),
        Algorithm(
            "multistep",
            "Multistep: search, propagate, finish serially",
            f"Slota, Rajamanickam, Madduri, IPDPS 2014; {_ECL}, 2",
            "components",
            (
                Axis("few", (64, 0), "how few active vertices are finished serially"),
                *SEARCH,
            ),
            needs=("int32 atomics",),
        ),
        Algorithm(
            "nd-hybrid",
            "ndHybrid: low-diameter decomposition and contraction",
            f"Shun, Dhulipala, Blelloch, SPAA 2014; {_ECL}, 2",
            "components",
            (
                seed_axis("of the order in which searches start"),
                ACCESS,
                READS,
            ),
            needs=("int32 atomics",),
        ),
        Algorithm(
            "ligra-plus",
            "Ligra+: compressed adjacency",
            f"Shun, Dhulipala, Blelloch, DCC 2015; {_JAIGANESH}, 2",
            "components",
            (
                Axis(
                    "over",
                    ("bfs", "label-propagation"),
                    "the algorithm that reads the compressed rows",
                ),
                *SEARCH,
            ),
            needs=("int32 atomics",),
        ),
        Algorithm(
            "ecl-cc",
            "ECL-CC",
            f"{_ECL}, 3 and 5.1",
            "components",
            (
                Axis("init", ("first", "own", "smallest"), "the first parents: Init3, Init1, Init2"),
                Axis(
                    "jump",
                    ("intermediate", "multiple", "single", "none"),
                    "how finding a representative shortens the path: Jump4, Jump1, Jump2, Jump3",
                ),
                Axis(
                    "fini",
                    ("single", "intermediate", "multiple"),
                    "the last pass: Fini3, Fini1, Fini2",
                ),
                BALANCE,
                ACCESS,
                READS,
            ),
            needs=("int32 atomics",),
        ),
        Algorithm(
            "eclaf",
            "ECLaf, atomic-free ECL-CC",
            f"{_JAIGANESH}, 4.5",
            "components",
            (BALANCE, ACCESS, READS, ROUNDS_AHEAD),
        ),
        Algorithm(
            "afforest",
            "Afforest",
            f"{_SUTTON}, figures 3 and 5",
            "components",
            (
                Axis(
                    "neighbor_rounds", (2, 0, 3), "how many neighbors are linked before sampling", most=1024
                ),
                Axis(
                    "skip_largest", (True, False), "whether the largest component's other edges are skipped"
                ),
                Axis(
                    "init",
                    ("own", "first"),
                    "the first parents: v itself, or its first neighbor if that is smaller (as round 0)",
                ),
                Axis("one_in", (1, 16), "rounds look at one block of 64 vertices in so many", least=1),
                Axis(
                    "rest",
                    ("all", "until-joined"),
                    "which edges outside the largest component are linked: all, or a vertex's until it joins",
                ),
                BALANCE,
                ACCESS,
                READS,
            ),
            needs=("int32 atomics",),
        ),
        Algorithm(
            "afforest-subgraphs",
            "Afforest over other subgraphs",
            f"{_SUTTON}, III-B, IV and V-B",
            "components",
            (
                Axis(
                    "partition",
                    ("neighbor", "row", "edge", "forest"),
                    "how the edges are split into the subgraphs that are linked one after the other",
                ),
                seed_axis("of the random edges"),
                ACCESS,
                READS,
            ),
            needs=("int32 atomics",),
        ),
        Algorithm(
            "spanning-forest",
            "Spanning forest from the hooks",
            f"{_SUTTON}, IV-A",
            "spanning-forest",
            (INPUT, ACCESS, READS),
            needs=("int32 atomics",),
        ),
        Algorithm(
            "sequential",
            "Sequential walk",
            f"{_DEHNE}, 3",
            "list-ranking",
            kernels=False,
        ),
        Algorithm(
            "wylie",
            "Wylie's pointer jumping",
            f"Wylie, PhD thesis, Cornell, 1979; {_DEHNE}, algorithm 2",
            "list-ranking",
            (
                Axis(
                    "packing",
                    ("64-bit", "none"),
                    "whether rank and pointer are one word, jumped in place by the reference, or two arrays",
                ),
                Axis(
                    "launch",
                    ("many", "one"),
                    "whether each round is a launch, or one work-group does them all",
                    ("kernels",),
                ),
                ACCESS,
            ),
        ),
        Algorithm(
            "random-splitter",
            "Random splitters",
            f"Reid-Miller, JCSS 53, 1996; {_DEHNE}, algorithm 3",
            "list-ranking",
            (
                Axis("splitters", (64, 1, 1024), "how many random splitters", by_device=True),
                seed_axis("of the splitters' draw"),
                Axis(
                    "choice",
                    ("random", "even"),
                    "where the splitters are: drawn, or evenly along each list (for comparison)",
                ),
                Axis(
                    "packing",
                    ("64-bit", "48-bit"),
                    "whether owner and rank are one word, or 16 and 32 bits apart",
                ),
                ACCESS,
            ),
        ),
        Algorithm(
            "rehman",
            "Recursive sub-list ranking",
            f"Rehman, Kothapalli, Narayanan, ICS 2009; {_DEHNE}, 3.3",
            "list-ranking",
            (seed_axis("of the splitters' draw"), ACCESS),
        ),
        Algorithm(
            "cole-vishkin",
            "Deterministic coin tossing",
            f"Cole, Vishkin, Information and Control 70, 1986; {_DEHNE}, 3",
            "list-ranking",
            kernels=False,
        ),
        Algorithm(
            "list-scan",
            "List scan with random splitters",
            "Reid-Miller, JCSS 53, 1996",
            "list-scan",
            (
                Axis("splitters", (64, 1, 1024), "how many random splitters", by_device=True),
                seed_axis("of the splitters' draw"),
                ACCESS,
            ),
        ),
    )
}

AUTO: dict[Problem, str] = {
    "components": "afforest",
    "spanning-forest": "spanning-forest",
    "list-ranking": "random-splitter",
    "list-scan": "list-scan",
}
"""What ``algorithm="auto"`` is where no device has a say: the reference."""


def algorithms() -> list[Algorithm]:
    """Return every algorithm there is, as rows of name, citation, variants and needs.

    Examples
    --------
    >>> import pointerjump as pj
    >>> [row.name for row in pj.algorithms() if row.problem == "list-ranking"]
    ['sequential', 'wylie', 'random-splitter', 'rehman', 'cole-vishkin']
    """
    return list(ALGORITHMS.values())


def check_labels(labels: object) -> None:
    """Refuse what is not one of `LABELS`."""
    if not (isinstance(labels, str) and labels in LABELS):
        raise AlgorithmError(f'labels={labels!r}: it must be "consecutive" or "representative"')


def find_algorithm(name: str, problem: Problem) -> Algorithm:
    """Return the row called `name`, or the default one for ``"auto"``.

    Raises
    ------
    AlgorithmError
        If there is none, or it solves another problem.
    """
    if not isinstance(name, str):
        raise AlgorithmError(f'algorithm is {name!r}: give a name, or "auto"')
    key = AUTO[problem] if name == "auto" else name.lower().replace("_", "-")
    names = [row.name for row in ALGORITHMS.values() if row.problem == problem]
    if key in names:
        return ALGORITHMS[key]
    if key in ALGORITHMS:
        raise AlgorithmError(
            f"{key} does {ALGORITHMS[key].problem}; for {problem} there is {', '.join(names)}"
        )
    near = get_close_matches(key, names, 1)
    hint = f"did you mean {near[0]}?" if near else f"there is {', '.join(names)}"
    raise AlgorithmError(f"there is no algorithm {name!r}: {hint}")


def format_variant(variant: Mapping[str, Value]) -> str:
    """Return a variant as text, ``init=first,jump=none``."""
    return ",".join(f"{name}={str(value).lower()}" for name, value in variant.items())


def parse_variant(text: str) -> dict[str, str]:
    """Return the choices that ``init=first,jump=none`` names.

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
