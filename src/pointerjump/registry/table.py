"""The table of all algorithms. The command line, tests, benchmarks, docs and README are based on it.

To add an algorithm, add ``reference/x.py``, ``kernels_cl/x.cl``, ``accel/x.py`` and an `Algorithm` here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pointerjump.base.limits import ONE_GROUP_RANKS
from pointerjump.registry.algorithm import Algorithm, Axis

if TYPE_CHECKING:
    from pointerjump.accel.tuning import Tuning
    from pointerjump.registry.algorithm import InputFacts


class Paper(NamedTuple):
    """A paper whose results are reproduced in this project. ``str(paper)`` is the full citation.

    A paper is cited by its letter or its authors: "E 5.1" is section 5.1 of paper E. Each paper has a page in
    ``docs/papers/``, which lists the commands that reproduce its tables, figures and theorems.
    """

    letter: str
    authors: str
    citation: str
    page: str

    def __str__(self) -> str:
        return self.citation


AFFOREST = Paper(
    "A",
    "Sutton et al.",
    "Sutton, Ben-Nun, Barak, Optimizing parallel graph connectivity computation via subgraph sampling, "
    "IPDPS 2018",
    "afforest",
)
CONG = Paper(
    "C",
    "Cong and Muzio",
    "Cong, Muzio, Fast parallel connected components algorithms on GPUs, Euro-Par 2014 workshops",
    "cong",
)
DEHNE = Paper(
    "D",
    "Dehne and Yogaratnam",
    "Dehne, Yogaratnam, Exploring the limits of GPUs with parallel graph algorithms, 2010",
    "dehne",
)
ECL_CC = Paper(
    "E",
    "Jaiganesh and Burtscher",
    "Jaiganesh, Burtscher, A high-performance connected components implementation for GPUs, HPDC 2018",
    "ecl-cc",
)
THESIS = Paper("T", "Jaiganesh's thesis", "Jaiganesh, thesis, Texas State University, 2017", "thesis")

LIGRA = "Shun, Blelloch, Ligra: a lightweight graph processing framework for shared memory, PPoPP 2013"
ECL_MST = "Fallin, Gonzalez, Seo, Burtscher, A high-performance MST implementation for GPUs, SC 2023"

PAPERS = (AFFOREST, CONG, DEHNE, ECL_CC, THESIS)


def seed_axis(what: str) -> Axis:
    return Axis("seed", (1, 2), f"the seed of {what}", most=2**63 - 1)


SPLITTERS = Axis(
    "splitters",
    (64, 1, 1024),
    "how many random splitters",
    default=lambda device, input: input.items // device.elements_per_splitter,
)
UPDATE = Axis(
    "update", (False, True), "whether each edge's ends are replaced by their components after every round"
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
    "the largest frontier, in vertices, that one work-group processes alone",
    sides=("kernels",),
    default=lambda device, _: device.narrow,
)
ATOMICS = Axis(
    "atomics",
    ("64-bit", "32-bit"),
    "which atomics find each tree's lightest edge: on weight and place in one word, or on the place alone",
    sides=("kernels",),
    default=lambda *_: None,
)
EDGE_ROUNDS = (INPUT, HOOK_EITHER_WAY, ACCESS, READS, ROUNDS_AHEAD)
SEARCH = (NARROW, ACCESS, READS, ROUNDS_AHEAD)


CACHED_PARENTS = 1 << 20  # the parents of this many vertices, 4 MiB, fit into a cache of most CPUs
HARDLY_MORE = 1.1  # with at most this many edges per vertex, a graph has hardly more edges than vertices
FEWEST_PER_VERTEX = 1.4  # with fewer edges, storing first parents costs a CPU more than long walks


def _first_parents(device: Tuning, input: InputFacts) -> str:
    """Return the default of `init`.

    On a GPU, hooking without looking up parents saves time, unless many edges would hook the same vertex, or
    edges are in order, so that long chains would form.

    On a CPU, storing a smaller neighbor as the parent is cheaper than linking. This saves time if there are
    few edges per vertex. But if long walks are cheap, it saves time only if there are not too few edges, and
    larger ends are spread. Long walks are cheap if the cache holds all parents, unless many edges
    join vertices whose ids are close to each other.
    """
    if device.kind == "gpu":
        return "first" if input.spread and not input.in_order else "own"
    long_walks_are_cheap = input.items <= CACHED_PARENTS and not input.local
    pays = not long_walks_are_cheap or (input.spread and input.stored >= FEWEST_PER_VERTEX * input.items)
    return "smaller" if input.few_edges and pays else "own"


def _batches(device: Tuning, input: InputFacts) -> str:
    """Return "one" if compressing between batches would cost more than it saves, and "growing" otherwise.

    On GPUs, compressing is not worthwhile if there are hardly more edges than vertices. Nor is it worthwhile
    if edges are in order, because their distribution among work-items then keeps most walks short. On CPUs,
    batches always grow: the first one has as many edges as there are vertices, so small graphs have only one.
    """
    one = input.in_order or input.stored <= HARDLY_MORE * input.items
    return "one" if one and device.kind == "gpu" else "growing"


def _find_in_one_group(device: Tuning, input: InputFacts) -> str:
    if device.small_group > 1:
        return "splitting"
    # For edges in order, both paths are climbed together, because most branches are then predicted correctly.
    return "together" if input.in_order else "halving"


ALGORITHMS: dict[str, Algorithm] = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm(
            "dfs",
            "Depth-first search",
            paper=f"Hopcroft, Tarjan, CACM 16(6), 1973; {THESIS}, section 1.2.2",
            kernels=False,
            serial=True,
            parents="representative",
        ),
        Algorithm(
            "union-find",
            "Union-find",
            paper=f"Tarjan, JACM 22(2), 1975; {THESIS}, section 1.2.1",
            axes=(
                Axis("union", ("size", "index"), "which of two roots stays a root", ("reference",)),
                Axis(
                    "find",
                    ("halving", "splitting", "compression", "none"),
                    "how finding a root shortens the path",
                    ("reference",),
                ),
            ),
            kernels=False,
            serial=True,
            parents="parent",
        ),
        Algorithm(
            "one-group",
            "Union-find in one launch",
            paper=f"Tarjan, JACM 22(2), 1975; {ECL_CC}, 3",
            axes=(
                Axis(
                    "find",
                    ("splitting", "halving", "none", "together"),
                    "how finding a root shortens the path; or whether both ends' paths are climbed together",
                    default=_find_in_one_group,
                ),
                replace(INPUT, default=lambda _, input: "edges" if input.form == "edges" else "rows"),
                Axis(
                    "work_items",
                    (1, 8),
                    "how many work-items the work-group has, if the device allows; one runs serially",
                    ("kernels",),
                    default=lambda device, _: device.small_group,
                    least=1,
                    most=1 << 16,
                ),
                READS,
            ),
            needs=("int32 atomics",),
            takes="edges",
            parents="parent",
        ),
        Algorithm(
            "shiloach-vishkin",
            "Shiloach-Vishkin, GPU form",
            paper=f"Shiloach, Vishkin, J. Algorithms 3, 1982; {DEHNE}, algorithm 4",
            axes=(UPDATE, ACCESS, READS, ROUNDS_AHEAD),
            parents="D",
            round_phase="SV1a",
        ),
        Algorithm(
            "shiloach-vishkin-csr",
            "Shiloach-Vishkin, CSR form of the GAP benchmark suite",
            paper=f"Shiloach, Vishkin, J. Algorithms 3, 1982; {AFFOREST}, figure 1",
            takes="edges",
            axes=(ROWS_INPUT, HOOK, ACCESS, READS, ROUNDS_AHEAD),
            parents="pi",
            round_phase="hook",
        ),
        Algorithm(
            "fast-sv",
            "FastSV: hooks that need no roots",
            paper="Zhang, Azad, Hu, FastSV: a distributed-memory connected component algorithm with fast "
            "convergence, SIAM PP 2020",
            takes="edges",
            axes=(INPUT, replace(HOOK, values=("min", "plain")), ACCESS, READS, ROUNDS_AHEAD),
            parents="f_next",
            round_phase="hook",
        ),
        Algorithm(
            "graft-shortcut",
            "CC, CC-updt: graft and shortcut",
            paper=f"{CONG}, algorithms 1 and 2",
            takes="stored rows",
            axes=(
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
            borrows=("sort",),
            parents="D",
            round_phase="graft",
        ),
        Algorithm(
            "stages",
            "Stages: components group of edges by group",
            paper=f"{CONG}, algorithm 3",
            axes=(
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
                Axis("q", (1, 2), "edges in a group, in multiples of the number of vertices", least=1),
                seed_axis("the random order of the edges"),
                ACCESS,
                READS,
                ROUNDS_AHEAD,
            ),
            parents="D",
        ),
        Algorithm(
            "rem",
            "Rem's algorithm, in parallel",
            paper=f"Dijkstra, A discipline of programming, 1976; Patwary, Refsnes, Manne, IPDPS 2012; "
            f"{CONG}, section 6",
            takes="stored rows",
            axes=(
                Axis("splicing", (True, False), "whether both paths are compressed while they are climbed"),
                *EDGE_ROUNDS,
            ),
            parents="p",
        ),
        Algorithm(
            "rem-cas",
            "Rem-CAS: Rem's union by compare-and-swap, with fused sampling",
            paper="Hong, Dhulipala, Shun, Exploring the design space of static and incremental graph "
            "connectivity algorithms on GPUs, PACT 2020, section 3",
            axes=(
                Axis(
                    "compression",
                    ("halving", "splitting", "splicing", "none"),
                    "how both paths are shortened while they are climbed",
                ),
                Axis(
                    "sampling",
                    ("none", "fused"),
                    "whether each vertex is first united with two neighbors, to skip most other edges",
                ),
                INPUT,
                ACCESS,
                READS,
            ),
            needs=("int32 atomics",),
            takes="edges",
            takes_if={"sampling": "none"},
            parents="p",
        ),
        Algorithm(
            "soman",
            "Soman's algorithm (also LonestarGPU's and IrGL's)",
            paper=f"Soman, Kothapalli, Narayanan, IPDPSW 2010; {THESIS}, algorithms 3 to 5",
            takes="edges",
            axes=EDGE_ROUNDS,
            parents="Label",
            round_phase="hook",
        ),
        Algorithm(
            "groute",
            "Groute: atomic hooks, segment by segment",
            paper=f"Ben-Nun, Sutton, Pai, Pingali, PPoPP 2017; {THESIS}, algorithm 6",
            takes="stored rows",
            axes=(INPUT, ACCESS, READS),
            needs=("int32 atomics",),
            parents="Label",
        ),
        Algorithm(
            "gunrock",
            "Gunrock: hook and jump with filters",
            paper=f"Wang et al., PPoPP 2016; {ECL_CC}, section 2",
            axes=(HOOK_EITHER_WAY, ACCESS, READS, ROUNDS_AHEAD),
            needs=("int32 atomics",),
            parents="Label",
            round_phase="hook",
        ),
        Algorithm(
            "galois",
            "Galois, asynchronous",
            paper=f"Kulkarni et al., PLDI 2007; {ECL_CC}, section 2",
            takes="edges",
            axes=(INPUT, ACCESS, READS),
            needs=("int32 atomics",),
            parents="parent",
        ),
        Algorithm(
            "crono",
            "CRONO: Shiloach-Vishkin over a padded 2-D adjacency",
            paper=f"Ahmad et al., IISWC 2015; {ECL_CC}, section 2",
            axes=(HOOK, ACCESS, READS, ROUNDS_AHEAD),
            parents="pi",
            round_phase="hook",
        ),
        Algorithm(
            "bfs",
            "Breadth-first search: Ligra's BFSCC, and DOBFS-CC",
            paper=f"{LIGRA}; Beamer, Asanovic, Patterson, SC 2012; {THESIS}, algorithm 8; "
            f"{AFFOREST}, section II",
            axes=(
                Axis(
                    "direction",
                    ("top-down", "optimizing"),
                    "whether unvisited vertices look for a parent in a large frontier",
                ),
                *SEARCH,
            ),
            needs=("int32 atomics",),
            parents="Parent",
            round_phase="top-down",
        ),
        Algorithm(
            "label-propagation",
            "Minimum-label propagation, and Ligra's Components",
            paper=f"{LIGRA}; {THESIS}, algorithm 7; {AFFOREST}, section II",
            axes=(
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
            parents="ID",
            round_phase="propagate",
        ),
        Algorithm(
            "multistep",
            "Multistep: search, propagate, finish serially",
            paper=f"Slota, Rajamanickam, Madduri, IPDPS 2014; {ECL_CC}, section 2",
            axes=(Axis("few", (64, 0), "how few active vertices are finished serially"), *SEARCH),
            needs=("int32 atomics",),
            parents="ID",
        ),
        Algorithm(
            "nd-hybrid",
            "ndHybrid: low-diameter decomposition and contraction",
            paper=f"Shun, Dhulipala, Blelloch, SPAA 2014; {ECL_CC}, section 2",
            axes=(seed_axis("the order in which searches start"), ACCESS, READS),
            needs=("int32 atomics",),
            borrows=("scan",),
            parents="center",
            contracts=True,
        ),
        Algorithm(
            "ligra-plus",
            "Ligra+: compressed adjacency",
            paper=f"Shun, Dhulipala, Blelloch, DCC 2015; {THESIS}, chapter 2",
            axes=(
                Axis("over", ("bfs", "label-propagation"), "the algorithm that reads the compressed rows"),
                *SEARCH,
            ),
            needs=("int32 atomics",),
            parents="Parent",
            parents_where={("over", "label-propagation"): "ID"},
        ),
        Algorithm(
            "ecl-cc",
            "ECL-CC",
            paper=f"{ECL_CC}, sections 3 and 5.1",
            axes=(
                Axis("init", ("first", "own", "smallest"), "the first parents: Init3, Init1, Init2"),
                Axis(
                    "jump",
                    ("intermediate", "multiple", "single", "none"),
                    "how finding a representative shortens the path: Jump4, Jump1, Jump2, Jump3",
                ),
                Axis("fini", ("single", "intermediate", "multiple"), "the last pass: Fini3, Fini1, Fini2"),
                BALANCE,
                ACCESS,
                READS,
            ),
            needs=("int32 atomics",),
            parents="parent",
        ),
        Algorithm(
            "eclaf",
            "ECLaf, atomic-free ECL-CC",
            paper=f"{THESIS}, section 4.5",
            axes=(BALANCE, ACCESS, READS, ROUNDS_AHEAD),
            parents="parent",
            round_phase="compute",
        ),
        Algorithm(
            "afforest",
            "Afforest",
            paper=f"{AFFOREST}, figures 3 and 5",
            takes="stored rows",
            takes_if={"skip_largest": False, "rest": "all"},
            axes=(
                Axis(
                    "neighbor_rounds", (2, 0, 3), "how many neighbors are linked before sampling", most=1024
                ),
                Axis(
                    "skip_largest", (True, False), "whether the largest component's other edges are skipped"
                ),
                Axis(
                    "init",
                    ("own", "first"),
                    "the first parents: v itself, or its first neighbor if smaller (which saves a round)",
                ),
                Axis("one_in", (1, 16), "the rounds look at one in this many 64-vertex blocks", least=1),
                Axis(
                    "rest",
                    ("all", "until-joined", "adaptive"),
                    "which edges outside the largest component are linked: all; a vertex's until it joins; "
                    "or every edge once, if no component is a giant",
                ),
                BALANCE,
                ACCESS,
                READS,
            ),
            needs=("int32 atomics",),
            parents="pi",
        ),
        Algorithm(
            "afforest-edges",
            "Afforest over an edge list",
            paper=f"{AFFOREST}, theorem 1",
            axes=(
                Axis(
                    "init",
                    ("own", "smaller", "first"),
                    "the first parents: v itself; a smaller neighbor (of several, the one written last); or "
                    "a smaller neighbor, hooked in the first batch without looking up parents",
                    default=_first_parents,
                ),
                Axis(
                    "batches",
                    ("growing", "one"),
                    "how edges are linked: in batches, with all trees flattened in between, or in one",
                    default=_batches,
                ),
                ACCESS,
                READS,
            ),
            needs=("int32 atomics",),
            takes="edges",
            parents="pi",
        ),
        Algorithm(
            "disjoint-set",
            "Disjoint-set forest",
            paper=f"Dhulipala, Hong, Shun, VLDB 2021; {AFFOREST}, theorem 1",
            axes=(Axis("block", (65536, 1000), "how many edges a block has", least=1), ACCESS, READS),
            needs=("int32 atomics",),
            takes="edges",
            parents="pi",
        ),
        Algorithm(
            "afforest-subgraphs",
            "Afforest over other subgraphs",
            paper=f"{AFFOREST}, sections III-B, IV and V-B",
            axes=(
                Axis(
                    "partition",
                    ("neighbor", "row", "edge", "forest"),
                    "how the edges are split into the subgraphs that are linked one after the other",
                ),
                seed_axis("the random edges"),
                ACCESS,
                READS,
            ),
            needs=("int32 atomics",),
            parents="pi",
        ),
        Algorithm(
            "spanning-forest",
            "Spanning forest from the hooks",
            paper=f"{AFFOREST}, section IV-A",
            problem="spanning-forest",
            takes="edges",
            axes=(INPUT, ACCESS, READS),
            needs=("int32 atomics",),
            parents="pi",
        ),
        Algorithm(
            "kruskal",
            "Kruskal's algorithm",
            paper="Kruskal, Proc. AMS 7(1), 1956",
            problem="minimum-spanning-forest",
            kernels=False,
            serial=True,
        ),
        Algorithm(
            "prim",
            "Prim's algorithm",
            paper="Jarník, 1930; Prim, Bell System Technical Journal 36, 1957",
            problem="minimum-spanning-forest",
            kernels=False,
            serial=True,
        ),
        Algorithm(
            "boruvka",
            "Borůvka's algorithm",
            paper=f"Borůvka, 1926; {ECL_MST}",
            problem="minimum-spanning-forest",
            takes="edges",
            axes=(ATOMICS, ACCESS, ROUNDS_AHEAD),
            needs=("int32 atomics",),
        ),
        Algorithm(
            "filter-boruvka",
            "Filter-Borůvka",
            paper=f"{ECL_MST}; Osipov, Sanders, Singler, ALENEX 2009",
            problem="minimum-spanning-forest",
            takes="edges",
            axes=(ATOMICS, ACCESS, ROUNDS_AHEAD),
            needs=("int32 atomics",),
        ),
        Algorithm(
            "single-linkage",
            "Union-find over sorted edges",
            paper="Gower, Ross, Applied Statistics 18(1), 1969",
            problem="dendrograms",
            kernels=False,
            serial=True,
        ),
        Algorithm(
            "pandora",
            "PANDORA",
            paper="Sao, Prokopenko, Lebrun-Grandié, PANDORA: a parallel dendrogram construction algorithm "
            "for single linkage clustering on GPU, ICPP 2024",
            problem="dendrograms",
            axes=(ACCESS,),
            needs=("int32 atomics",),
        ),
        Algorithm(
            "sequential",
            "Sequential walk",
            paper=f"{DEHNE}, section 3",
            problem="list-ranking",
            axes=(
                replace(SPLITTERS, sides=("kernels",)),
                replace(seed_axis("the random splitters"), sides=("kernels",)),
            ),
            serial=True,
        ),
        Algorithm(
            "wylie",
            "Wylie's pointer jumping",
            paper=f"Wylie, PhD thesis, Cornell, 1979; {DEHNE}, algorithm 2",
            problem="list-ranking",
            axes=(
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
            paper=f"Reid-Miller, JCSS 53, 1996; {DEHNE}, algorithm 3",
            problem="list-ranking",
            axes=(
                Axis("splitters", (64, 1, 1024), "how many random splitters", default=lambda *_: None),
                seed_axis("the random splitters"),
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
            paper=f"Rehman, Kothapalli, Narayanan, ICS 2009; {DEHNE}, section 3.3",
            problem="list-ranking",
            axes=(
                seed_axis("the random splitters"),
                ACCESS,
                Axis(
                    "one_group",
                    (ONE_GROUP_RANKS, 4),
                    "how many elements one work-group ranks by itself",
                    ("reference",),
                    least=1,
                ),
            ),
        ),
        Algorithm(
            "cole-vishkin",
            "Deterministic coin tossing",
            paper=f"Cole, Vishkin, Information and Control 70, 1986; {DEHNE}, section 3",
            problem="list-ranking",
            kernels=False,
        ),
        Algorithm(
            "list-scan",
            "List scan with random splitters",
            paper="Reid-Miller, JCSS 53, 1996",
            problem="list-scan",
            axes=(SPLITTERS, seed_axis("the random splitters"), ACCESS),
        ),
        Algorithm(
            "euler-tour",
            "Euler tour",
            paper="Tarjan, Vishkin, SIAM J. Comput. 14(4), 1985; Polak, Siwiec, Stobierski, IPDPS 2021",
            problem="trees",
            axes=(ACCESS,),
            needs=("int32 atomics",),
        ),
        Algorithm(
            "level-by-level",
            "Level by level",
            paper="Moore, Theory of Switching, 1959; Tarjan, Vishkin, SIAM J. Comput. 14(4), 1985",
            problem="trees",
            axes=(ACCESS,),
            needs=("int32 atomics",),
        ),
        Algorithm(
            "inlabel",
            "Inlabels",
            paper="Schieber, Vishkin, SIAM J. Comput. 17(6), 1988; Polak, Siwiec, Stobierski, IPDPS 2021",
            problem="common-ancestors",
            axes=(ACCESS,),
        ),
        Algorithm(
            "range-minimum",
            "Range minimum in preorder",
            paper="Berkman, Vishkin, SIAM J. Comput. 22(2), 1993; Bender, Farach-Colton, LATIN 2000",
            problem="common-ancestors",
            axes=(ACCESS,),
        ),
        Algorithm(
            "hopcroft-tarjan",
            "Hopcroft and Tarjan's blocks",
            paper="Hopcroft, Tarjan, CACM 16(6), 1973; Tarjan, SIAM J. Comput. 1(2), 1972",
            problem="biconnectivity",
            kernels=False,
            serial=True,
        ),
        Algorithm(
            "tarjan-vishkin",
            "Tarjan and Vishkin's blocks",
            paper="Tarjan, Vishkin, SIAM J. Comput. 14(4), 1985",
            problem="biconnectivity",
            axes=(ACCESS, READS),
            needs=("int32 atomics",),
        ),
        Algorithm(
            "fast-bcc",
            "FAST-BCC",
            paper="Dong, Wang, Gu, Sun, Provably fast and space-efficient parallel biconnectivity, PPoPP "
            "2023",
            problem="biconnectivity",
            axes=(ACCESS, READS),
            needs=("int32 atomics",),
        ),
        Algorithm(
            "chain",
            "Chain decomposition",
            paper="Schmidt, Information Processing Letters 113(7), 2013",
            problem="bridges",
            kernels=False,
            serial=True,
        ),
        Algorithm(
            "marking",
            "Bridges by marking",
            paper="Chaitanya, Kothapalli, IJNC 6(1), 2016; Polak, Siwiec, Stobierski, IPDPS 2021",
            problem="bridges",
            axes=(ACCESS, READS),
            needs=("int32 atomics",),
        ),
        Algorithm(
            "pointer-doubling",
            "Pointer doubling",
            paper="Wylie, PhD thesis, Cornell, 1979; JaJa, An introduction to parallel algorithms, 1992",
            problem="functional-graphs",
            axes=(ACCESS,),
        ),
        Algorithm(
            "interning",
            "Interning",
            paper="Peterson, IBM J. 1, 1957; Gao, Groote, Hesselink, Distributed Computing 18, 2005",
            problem="id-numbering",
            axes=(
                Axis(
                    "block",
                    (65536, 1000),
                    "how many ids are interned at a time",
                    default=lambda device, _: device.ids_at_once,
                    least=1,
                ),
                ACCESS,
                READS,
                replace(seed_axis("the hash; random by default"), default=lambda *_: None),
            ),
            needs=("int64 atomics",),
        ),
        Algorithm(
            "two-pass",
            "Two-pass labelling of runs",
            paper="Rosenfeld, Pfaltz, J. ACM 13(4), 1966; He, Chao, Suzuki, IEEE Trans. Image Processing "
            "17(5), 2008; Hennequin, Lacassagne, Cabaret, Meunier, DASIP 2018",
            problem="image-labelling",
            axes=(ACCESS, READS),
            needs=("int32 atomics",),
            parents="parent",
        ),
    )
}


def algorithms() -> list[Algorithm]:
    """List all algorithms, with their names, citations, axes and required device features.

    Examples
    --------
    >>> import pointerjump as pj
    >>> [a.name for a in pj.algorithms() if a.problem == "list-ranking"]
    ['sequential', 'wylie', 'random-splitter', 'rehman', 'cole-vishkin']
    """
    return list(ALGORITHMS.values())
