"""The table of algorithms. The command line, tests, benches, docs and README's table are made from it.

To add an algorithm, add its files (``reference/x.py``, ``kernels_cl/x.cl``, ``accel/x.py``) and one
`Algorithm` here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pointerjump.limits import ONE_GROUP_RANKS
from pointerjump.registry.algorithm import Algorithm, Parents
from pointerjump.registry.axes import (
    ACCESS,
    BALANCE,
    EDGE_ROUNDS,
    HOOK,
    HOOK_EITHER_WAY,
    INPUT,
    READS,
    ROUNDS_AHEAD,
    ROWS_INPUT,
    SEARCH,
    SPLITTERS,
    UPDATE,
    Axis,
    seed_axis,
)
from pointerjump.registry.papers import AFFOREST, CONG, DEHNE, ECL_CC, THESIS
from pointerjump.registry.phases import (
    BEFORE_JUMPS,
    BEFORE_SPLITTERS_JUMP,
    BOTTOM_UP,
    GRAFT_AND_SHORTCUT,
    HOOK_AND_SHORTCUT,
    LARGEST,
    LIST_JUMP,
    PROPAGATE,
    SHILOACH_VISHKIN,
    SPLITTERS_JUMP,
    TO_ROOTS,
    TOP_DOWN,
    WALK_SUBLISTS,
)

if TYPE_CHECKING:
    from pointerjump.accel.tuning import Tuning
    from pointerjump.registry.facts import InputFacts

CACHED_PARENTS = 1 << 20
"""The parents of so many vertices, 4 MiB, fit into a cache of most CPUs."""

_LIGRA = "Shun, Blelloch, Ligra: a lightweight graph processing framework for shared memory, PPoPP 2013"


HARDLY_MORE = 1.1
"""Up to so many edges for each vertex, there are hardly more edges than vertices."""


def _long_walks_are_cheap(input: InputFacts) -> bool:
    """Return whether a CPU walks long paths in less time than it takes to go over all vertices.

    That is so if all parents stay in its cache. But where ids are near each other, going over all vertices is
    cheaper still.
    """
    return input.items <= CACHED_PARENTS and not input.local


def _first_parents(device: Tuning, input: InputFacts) -> str:
    """Let few edges compete for the first parents on CPUs, as a store costs less than a link."""
    few_on_cpu = device.kind == "cpu" and input.few_edges
    return "smaller" if few_on_cpu and not _long_walks_are_cheap(input) else "own"


def _batches(device: Tuning, input: InputFacts) -> str:
    """Link all edges in one batch where compressing between batches would cost more than it saves.

    On GPUs that is so for edges in order, which are dealt out so that few walks are long, and where there are
    hardly more edges than vertices.
    """
    if device.kind == "cpu":
        one = input.few_edges and _long_walks_are_cheap(input)
    else:
        one = input.in_order or input.stored <= HARDLY_MORE * input.items
    return "one" if one else "doubling"


def _find_in_one_group(device: Tuning, input: InputFacts) -> str:
    """Climb both paths together where processors mostly predict which one goes on: on edges in order."""
    if device.small_group > 1:
        return "splitting"
    return "together" if input.in_order else "halving"


ALGORITHMS: dict[str, Algorithm] = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm(
            "dfs",
            "Depth-first search",
            paper=f"Hopcroft, Tarjan, CACM 16(6), 1973; {THESIS}, section 1.2.2",
            problem="components",
            summary="depth-first search (Hopcroft, Tarjan)",
            definition="Depth-first search visits all that it can reach from one vertex, then starts again "
            "from the next unvisited vertex.",
            when="as the simplest serial program to compare with",
            work="O(n + m)",
            depth="O(n + m): serial",
            see_also={
                "bfs": "searches too, but takes many vertices at a time",
                "union-find": "the other serial yardstick",
            },
            phases={"search": "each search gives its own vertex to all that it reaches"},
            kernels=False,
            serial=True,
            parents=Parents("representative", once=True, forest=False),
        ),
        Algorithm(
            "union-find",
            "Union-find",
            paper=f"Tarjan, JACM 22(2), 1975; {THESIS}, section 1.2.1",
            problem="components",
            summary="serial union-find: 2 union rules x 4 find rules (Tarjan; Patwary et al.)",
            definition="Union-find keeps each component as a tree of parent pointers. Each edge joins the "
            "trees of its two ends.",
            when="to learn what parents, roots and short paths are: all tree-hooking algorithms build on it",
            work="O(n + m alpha(n))",
            depth="O(n + m alpha(n)): serial",
            see_also={
                "one-group": "the same by several work-items at once",
                "galois": "the same by all threads of a device",
                "disjoint-set": "the same, for edges that keep coming",
            },
            phases={"unite": "each edge puts the root of one end under that of the other"},
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
            parents=Parents("parent", downwards=False),
        ),
        Algorithm(
            "one-group",
            "Union-find in one launch",
            paper=f"Tarjan, JACM 22(2), 1975; {ECL_CC}, 3",
            problem="components",
            summary="union-find by one work-group, or serially by one work-item, for small graphs",
            definition="One work-group runs union-find in a single launch: each edge hooks the larger root "
            "under the smaller.",
            when="on small graphs, where starting several launches takes longer than the work itself; "
            "`auto` does",
            work="O(n + m log n)",
            depth="that of the longest path",
            see_also={
                "union-find": "the serial original",
                "rem-cas": "climbs both paths together, as `find=together` does here",
            },
            axes=(
                Axis(
                    "find",
                    ("splitting", "halving", "none", "together"),
                    "how finding a root shortens the path; or whether both ends' paths are climbed together",
                    default=_find_in_one_group,
                ),
                Axis(
                    "input",
                    ("edges", "rows"),
                    "what work-items share out: a list of edges (COO), or rows (CSR)",
                    ("kernels",),
                    default=lambda _, input: "edges" if input.form == "edges" else "rows",
                ),
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
            takes_edges=True,
            one_direction=True,
            parents=Parents("parent"),
            phases={
                "unite": "each edge puts the larger of its roots under a smaller vertex",
                "finish": TO_ROOTS,
            },
        ),
        Algorithm(
            "shiloach-vishkin",
            "Shiloach-Vishkin, GPU form",
            paper=f"Shiloach, Vishkin, J. Algorithms 3, 1982; {DEHNE}, algorithm 4",
            problem="components",
            summary="Shiloach-Vishkin in the GPU form of Dehne and Yogaratnam; SV-updt",
            definition="Shiloach-Vishkin alternates between hooking roots onto neighbors and short-cutting, "
            "which halves the height of all trees.",
            when="to study: it is the root of most algorithms here, and its number of rounds is proven",
            work="O((n + m) log n)",
            depth="O(log n) rounds of O(1)",
            see_also={
                "shiloach-vishkin-csr": "a simpler form over rows",
                "fast-sv": "hooks more eagerly",
                "soman": "an early form for GPUs",
                "stages": "runs it on one group of edges after the other",
            },
            axes=(UPDATE, ACCESS, READS, ROUNDS_AHEAD),
            parents=Parents("D", downwards=False),
            round_phase="SV1a",
            phases=SHILOACH_VISHKIN,
        ),
        Algorithm(
            "shiloach-vishkin-csr",
            "Shiloach-Vishkin, CSR form of the GAP benchmark suite",
            paper=f"Shiloach, Vishkin, J. Algorithms 3, 1982; {AFFOREST}, figure 1",
            problem="components",
            summary="Shiloach-Vishkin over rows, as in the GAP benchmark suite",
            definition="This form of Shiloach-Vishkin goes over the rows of the graph: hook roots under "
            "smaller parents, then flatten all trees, until no edge hooks.",
            when="to compare with the GAP benchmark suite",
            work="O(n + m) a round",
            depth="about log n rounds in practice, n at worst",
            see_also={
                "shiloach-vishkin": "with a proven number of rounds",
                "crono": "the same over padded rows",
                "afforest": "hooks by compare-and-swap, and so needs no rounds",
            },
            takes_edges=True,
            one_direction=True,
            axes=(ROWS_INPUT, HOOK, ACCESS, READS, ROUNDS_AHEAD),
            parents=Parents("pi"),
            round_phase="hook",
            phases=HOOK_AND_SHORTCUT,
        ),
        Algorithm(
            "fast-sv",
            "FastSV: hooks that need no roots",
            paper="Zhang, Azad, Hu, FastSV: a distributed-memory connected component algorithm with fast "
            "convergence, SIAM PP 2020",
            problem="components",
            summary="FastSV (Zhang, Azad, Hu): Shiloach-Vishkin with hooks that need no roots",
            definition="FastSV offers the grandparent of each vertex to its neighbors and to their parents; "
            "everybody takes the smallest offer.",
            when="to compare with: it needs few rounds, and the same number in every run",
            work="O(n + m) a round",
            depth="few rounds in practice; no bound is proven",
            see_also={
                "shiloach-vishkin": "hooks roots only",
                "label-propagation": "offers labels to neighbors only",
            },
            takes_edges=True,
            one_direction=True,
            axes=(INPUT, replace(HOOK, values=("min", "plain")), ACCESS, READS, ROUNDS_AHEAD),
            parents=Parents("f_next"),
            round_phase="hook",
            phases={
                "hook": "each edge offers one end's grandparent to the other and its parent",
                "shortcut": "each vertex is offered its own grandparent",
                "grandparents": "each vertex takes the smallest offer, and looks up its new grandparent",
            },
        ),
        Algorithm(
            "graft-shortcut",
            "CC, CC-updt: graft and shortcut",
            paper=f"{CONG}, algorithms 1 and 2",
            problem="components",
            summary="CC and CC-updt of Cong and Muzio, grafting directly or coalesced by sorting",
            definition="CC grafts the component of each edge's larger end under that of the smaller end, "
            "then flattens all trees, until no edge grafts. CC-updt also rewrites the edges after every "
            "round.",
            when="to see how much fewer random look-ups cost",
            work="O(n + m) a round",
            depth="about log n rounds in practice, n at worst",
            see_also={
                "stages": "runs it on one group of edges after the other",
                "shiloach-vishkin-csr": "hooks in a similar way, over rows",
                "rem": "the rival that its authors measured",
            },
            one_direction=True,
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
            parents=Parents("D"),
            round_phase="graft",
            phases=GRAFT_AND_SHORTCUT,
        ),
        Algorithm(
            "stages",
            "Stages: components group of edges by group",
            paper=f"{CONG}, algorithm 3",
            problem="components",
            summary="Stages of Cong and Muzio: one group of edges at a time, by CC or Shiloach-Vishkin",
            definition="Stages shuffles the edges and takes them in groups. Each group sees the components "
            "that the groups before it left.",
            when="to see a giant component form early, so that most of the later edges cost nothing",
            work="O((m + g n) log n) for g groups",
            depth="g times O(log n) rounds in practice",
            see_also={
                "graft-shortcut": "takes each group, unless told otherwise",
                "afforest": "uses the giant component to skip edges",
                "afforest-edges": "takes edges in growing batches",
            },
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
                Axis(
                    "q",
                    (1, 2),
                    "edges in a group, in multiples of the number of vertices",
                    least=1,
                ),
                seed_axis("the random order of the edges"),
                ACCESS,
                READS,
                ROUNDS_AHEAD,
            ),
            parents=Parents("D"),
            parents_where={
                ("inner", "shiloach-vishkin"): Parents("D", downwards=False),
                ("inner", "shiloach-vishkin-updt"): Parents("D", downwards=False),
            },
            phases={
                "next group": "the ends of each edge of a group are replaced by their components",
                **GRAFT_AND_SHORTCUT,
                **SHILOACH_VISHKIN,
                **HOOK_AND_SHORTCUT,
            },
        ),
        Algorithm(
            "rem",
            "Rem's algorithm, in parallel",
            paper=f"Dijkstra, A discipline of programming, 1976; Patwary, Refsnes, Manne, IPDPS 2012; "
            f"{CONG}, section 6",
            problem="components",
            summary="Rem's algorithm in parallel (Patwary, Refsnes, Manne), with or without splicing",
            definition="Rem's algorithm climbs from both ends of an edge at the same time, and stops as "
            "soon as both have one parent. Hooks are plain stores, so lost ones are found and repeated.",
            when="to compare with, as Cong and Muzio did",
            work="O(n + m log n) in practice",
            depth="that of the longest path, in each round",
            see_also={
                "rem-cas": "hooks by compare-and-swap, and needs no second look",
                "eclaf": "repairs lost hooks, too",
            },
            one_direction=True,
            axes=(
                Axis(
                    "splicing",
                    (True, False),
                    "whether both paths are compressed while they are climbed",
                ),
                *EDGE_ROUNDS,
            ),
            parents=Parents("p"),
            phases={
                "unite": "each edge climbs from both ends, and hooks the first root it meets",
                "verify": "each edge whose ends still have different roots is kept for another round",
                "flatten": TO_ROOTS,
            },
        ),
        Algorithm(
            "rem-cas",
            "Rem-CAS: Rem's union by compare-and-swap, with fused sampling",
            paper="Hong, Dhulipala, Shun, Exploring the design space of static and incremental graph "
            "connectivity algorithms on GPUs, PACT 2020, section 3",
            problem="components",
            summary="Rem-CAS of Hong, Dhulipala and Shun (gconn), over edges and rows, with fused sampling",
            definition="Rem-CAS climbs from both ends of an edge at the same time, and hooks the first root "
            "it meets by compare-and-swap. Each edge is looked at once.",
            when="on CPUs, for sparse rows such as road maps, and for most edge lists; `auto` does",
            work="O(n + m) in practice, O(n m) at worst",
            depth="that of the longest path",
            see_also={
                "rem": "with plain stores",
                "afforest": "links in a similar way, and skips edges",
                "afforest-edges": "the other algorithm that `auto` runs on edges",
            },
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
            takes_edges=True,
            one_direction={"sampling": "none"},
            parents=Parents("p", atomic=True),
            parents_where={("compression", "splicing"): Parents("p")},
            phases={
                "unite sample": "each vertex is united with its first two neighbors",
                "find largest": LARGEST,
                "unite": "each edge climbs from both ends, and hooks the first root it meets",
                "compress": TO_ROOTS,
            },
        ),
        Algorithm(
            "soman",
            "Soman's algorithm (also LonestarGPU's and IrGL's)",
            paper=f"Soman, Kothapalli, Narayanan, IPDPSW 2010; {THESIS}, algorithms 3 to 5",
            problem="components",
            summary="Soman's algorithm (Soman, Kothapalli, Narayanan), which LonestarGPU and IrGL run too",
            definition="Soman's algorithm hooks roots in alternating directions: the larger under the "
            "smaller, then the smaller under the larger. Edges whose ends agree are never looked at again.",
            when="to compare with LonestarGPU and IrGL, which run it",
            work="O(n + m) a round",
            depth="about log n rounds in practice, n at worst",
            see_also={
                "gunrock": "takes settled edges out of its lists",
                "shiloach-vishkin": "its model",
            },
            takes_edges=True,
            one_direction=True,
            axes=EDGE_ROUNDS,
            parents=Parents("Label", downwards=False),
            round_phase="hook",
            phases={
                "hook": "each edge puts one of its ends' roots under the other",
                "jump": TO_ROOTS,
            },
        ),
        Algorithm(
            "groute",
            "Groute: atomic hooks, segment by segment",
            paper=f"Ben-Nun, Sutton, Pai, Pingali, PPoPP 2017; {THESIS}, algorithm 6",
            problem="components",
            summary="Groute: atomic hooks, segment by segment",
            definition="Groute hooks the larger of each edge's two labels under the smaller by "
            "compare-and-swap, one segment of edges after the other. Trees are flattened after each "
            "segment.",
            when="to compare with: like ECL-CC, it looks at each edge once",
            work="O(n + m) in practice",
            depth="2m/n segments, each that of the longest path",
            see_also={
                "ecl-cc": "hooks in the same way, without segments",
                "afforest-edges": "flattens trees less often",
            },
            one_direction=True,
            axes=(INPUT, ACCESS, READS),
            needs=("int32 atomics",),
            parents=Parents("Label", atomic=True),
            phases={
                "hook": "each edge of a segment hooks the larger root under the smaller",
                "multi-jump": TO_ROOTS,
            },
        ),
        Algorithm(
            "gunrock",
            "Gunrock: hook and jump with filters",
            paper=f"Wang et al., PPoPP 2016; {ECL_CC}, section 2",
            problem="components",
            summary="Gunrock: hook and jump with filters",
            definition="Gunrock hooks and jumps as Soman does, and keeps only the vertices and edges that "
            "are not settled yet.",
            when="to see how much filters save, and what they cost",
            work="O(n + m) a round, less in later ones",
            depth="about log n rounds in practice, n at worst",
            see_also={
                "soman": "the same hooks, with marks in place of filters",
                "label-propagation": "has a frontier of vertices",
            },
            axes=(HOOK_EITHER_WAY, ACCESS, READS, ROUNDS_AHEAD),
            needs=("int32 atomics",),
            parents=Parents("Label", downwards=False),
            round_phase="hook",
            phases={
                "hook": "each edge puts one of its ends' roots under the other",
                "vertex filter": "vertices that point to a root are taken out",
                "jump": "each vertex that is left points to its grandparent",
                "edge filter": "edges whose ends have one root are taken out",
            },
        ),
        Algorithm(
            "galois",
            "Galois, asynchronous",
            paper=f"Kulkarni et al., PLDI 2007; {ECL_CC}, section 2",
            problem="components",
            summary="Galois' asynchronous union-find",
            definition="Galois' algorithm puts every edge once into a union-find that many threads share.",
            when="to compare with: among the published algorithms it comes right after Afforest and ECL-CC",
            work="O(n + m log n) at worst",
            depth="that of the longest path",
            see_also={
                "union-find": "the serial original",
                "ecl-cc": "starts from better parents",
                "one-group": "for small graphs",
            },
            takes_edges=True,
            one_direction=True,
            axes=(INPUT, ACCESS, READS),
            needs=("int32 atomics",),
            parents=Parents("parent", atomic=True),
            phases={
                "merge": "each edge finds both roots and puts the larger under the smaller",
                "finalize": TO_ROOTS,
            },
        ),
        Algorithm(
            "crono",
            "CRONO: Shiloach-Vishkin over a padded 2-D adjacency",
            paper=f"Ahmad et al., IISWC 2015; {ECL_CC}, section 2",
            problem="components",
            summary="CRONO: Shiloach-Vishkin over a padded 2-D adjacency",
            definition="CRONO runs Shiloach-Vishkin over rows that are all as long as the longest one.",
            when="to see what padding costs: one hub is enough to run out of memory",
            work="O(n d_max) a round",
            depth="about log n rounds in practice, n at worst",
            see_also={
                "shiloach-vishkin-csr": "the same without padding",
            },
            axes=(HOOK, ACCESS, READS, ROUNDS_AHEAD),
            parents=Parents("pi"),
            round_phase="hook",
            phases=HOOK_AND_SHORTCUT,
        ),
        Algorithm(
            "bfs",
            "Breadth-first search: Ligra's BFSCC, and DOBFS-CC",
            paper=f"{_LIGRA}; Beamer, Asanovic, Patterson, SC 2012; {THESIS}, algorithm 8; "
            f"{AFFOREST}, section II",
            problem="components",
            summary="breadth-first search: Ligra's BFSCC, and DOBFS-CC from both directions",
            definition="Breadth-first search goes outwards from one vertex, level by level, and starts "
            "again from the next unvisited vertex.",
            when="on graphs with few components and a small diameter; never on road maps",
            work="O(n + m)",
            depth="the diameters of all components together",
            see_also={
                "multistep": "searches only the largest component",
                "ligra-plus": "searches compressed rows",
                "dfs": "the serial form",
            },
            axes=(
                Axis(
                    "direction",
                    ("top-down", "optimizing"),
                    "whether unvisited vertices look for a parent in a large frontier",
                ),
                *SEARCH,
            ),
            needs=("int32 atomics",),
            parents=Parents("Parent", once=True, forest=False),
            round_phase="top-down",
            phases={**TOP_DOWN, **BOTTOM_UP},
        ),
        Algorithm(
            "label-propagation",
            "Minimum-label propagation, and Ligra's Components",
            paper=f"{_LIGRA}; {THESIS}, algorithm 7; {AFFOREST}, section II",
            problem="components",
            summary="minimum-label propagation, and Ligra's Components",
            definition="In label propagation every vertex takes the smallest label among its neighbors, "
            "until no label changes.",
            when="on graphs with a small diameter; never on road maps",
            work="O(n + m) a round",
            depth="as many rounds as the diameter at worst",
            see_also={
                "fast-sv": "labels jump, too",
                "multistep": "searches the largest component first",
                "ligra-plus": "the same over compressed rows",
            },
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
            parents=Parents("ID"),
            round_phase="propagate",
            phases=PROPAGATE,
        ),
        Algorithm(
            "multistep",
            "Multistep: search, propagate, finish serially",
            paper=f"Slota, Rajamanickam, Madduri, IPDPS 2014; {ECL_CC}, section 2",
            problem="components",
            summary="Multistep: search from the highest degree, propagate, finish serially",
            definition="Multistep searches the component of the vertex of highest degree, propagates labels "
            "in the rest, and finishes with one thread.",
            when="to compare with, on graphs with one giant component and a small diameter",
            work="O(n + m) for the search, O(m') a round for the rest",
            depth="the diameters of the largest component and of the longest other one",
            see_also={
                "bfs": "the first step",
                "label-propagation": "the second step",
                "afforest": "treats a giant component otherwise: it skips its edges",
            },
            axes=(
                Axis("few", (64, 0), "how few active vertices are finished serially"),
                *SEARCH,
            ),
            needs=("int32 atomics",),
            parents=Parents("ID", downwards=False, forest=False),
            phases={
                **TOP_DOWN,
                **PROPAGATE,
                "finish": "one thread passes the last labels on",
            },
        ),
        Algorithm(
            "nd-hybrid",
            "ndHybrid: low-diameter decomposition and contraction",
            paper=f"Shun, Dhulipala, Blelloch, SPAA 2014; {ECL_CC}, section 2",
            problem="components",
            summary="ndHybrid: low-diameter decomposition and contraction",
            definition="ndHybrid cuts the graph into parts of low diameter by many searches side by side, "
            "makes each part one vertex, and begins again.",
            when="to study: its expected work is linear on every graph",
            work="O(n + m) expected",
            depth="O(log n) levels of O(log n) steps each",
            see_also={
                "bfs": "the searches",
                "graft-shortcut": "CC-updt contracts components, too",
            },
            axes=(
                seed_axis("the order in which searches start"),
                ACCESS,
                READS,
            ),
            needs=("int32 atomics",),
            borrows=("scan",),
            parents=Parents("center", downwards=False, forest=False, contracted=True),
            phases={
                "start searches": "more vertices that nobody has reached start searches of their own",
                **TOP_DOWN,
                **BOTTOM_UP,
                "contract": "each part becomes one vertex, and edges within parts are dropped",
            },
        ),
        Algorithm(
            "ligra-plus",
            "Ligra+: compressed adjacency",
            paper=f"Shun, Dhulipala, Blelloch, DCC 2015; {THESIS}, chapter 2",
            problem="components",
            summary="Ligra+: search or propagation over compressed rows",
            definition="Ligra+ stores the rows of the graph as differences of neighbors, in bytes, and "
            "decodes them while it searches.",
            when="to see what compressed rows cost and save",
            work="O(n + m)",
            depth="the diameters of all components together",
            see_also={
                "bfs": "over plain rows",
                "label-propagation": "over plain rows",
            },
            axes=(
                Axis(
                    "over",
                    ("bfs", "label-propagation"),
                    "the algorithm that reads the compressed rows",
                ),
                *SEARCH,
            ),
            needs=("int32 atomics",),
            parents=Parents("Parent", once=True, forest=False),
            parents_where={("over", "label-propagation"): Parents("ID")},
            phases={**TOP_DOWN, **PROPAGATE},
        ),
        Algorithm(
            "ecl-cc",
            "ECL-CC",
            paper=f"{ECL_CC}, sections 3 and 5.1",
            problem="components",
            summary="ECL-CC (Jaiganesh, Burtscher): Init1-3 x Jump1-4 x Fini1-3",
            definition="ECL-CC looks at each edge once, finds the representatives of its two ends, and "
            "hooks the larger under the smaller by compare-and-swap.",
            when="to compare with: with Afforest, the fastest of the published forms here",
            work="O(n + m log n) at worst",
            depth="that of the longest path",
            see_also={
                "eclaf": "the same without atomics",
                "galois": "starts with each vertex alone",
                "afforest": "also skips most edges",
            },
            axes=(
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
            parents=Parents("parent", atomic=True),
            phases={
                "init": "each vertex points to a smaller neighbor, if it has one",
                "compute": "each edge finds both representatives and hooks the larger under the smaller",
                "finalize": TO_ROOTS,
            },
        ),
        Algorithm(
            "eclaf",
            "ECLaf, atomic-free ECL-CC",
            paper=f"{THESIS}, section 4.5",
            problem="components",
            summary="ECLaf: ECL-CC without a single atomic",
            definition="ECLaf is ECL-CC with plain stores in place of compare-and-swap. It repeats until no "
            "edge joins two different components.",
            when="on devices without atomics",
            work="O(n + m) a round",
            depth="two or three rounds in practice, n at worst",
            see_also={
                "ecl-cc": "with atomics, in one round",
                "rem": "repairs lost hooks, too",
            },
            axes=(BALANCE, ACCESS, READS, ROUNDS_AHEAD),
            parents=Parents("parent"),
            round_phase="compute",
            phases={
                "init": "each vertex points to its first smaller neighbor, if it has one",
                "compute": "each edge stores the smaller representative as the larger one's parent",
                "finalize": TO_ROOTS,
            },
        ),
        Algorithm(
            "afforest",
            "Afforest",
            paper=f"{AFFOREST}, figures 3 and 5",
            problem="components",
            summary="Afforest (Sutton, Ben-Nun, Barak); what `auto` runs on rows, except sparse ones on CPUs",
            definition="Afforest links two neighbors of every vertex, guesses the largest component from a "
            "sample, and skips all edges of its vertices that are left.",
            when="on rows: `auto` does so, except on sparse graphs on CPUs",
            work="O(n) with a giant component, O(n + m) in practice",
            depth="that of the longest path",
            see_also={
                "afforest-edges": "needs no rows",
                "afforest-subgraphs": "other orders of the same links",
                "ecl-cc": "looks at every edge",
                "rem-cas": "can sample, too",
            },
            one_direction={"skip_largest": False, "rest": "all"},
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
                Axis("one_in", (1, 16), "of how many blocks of 64 vertices the rounds look at one", least=1),
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
            parents=Parents("pi", atomic=True),
            phases={
                "init": "each vertex gets its first parent",
                "link": "each vertex is linked with one more of its neighbors",
                "find largest": LARGEST,
                "link the rest": "the remaining edges outside the largest tree are linked",
                "compress": TO_ROOTS,
            },
        ),
        Algorithm(
            "afforest-edges",
            "Afforest over an edge list",
            paper=f"{AFFOREST}, theorem 1",
            problem="components",
            summary="Afforest's link over an edge list as it comes, with no rows",
            definition="Afforest's link takes edges from a list as they come, with no rows. Trees are "
            "flattened whenever the number of linked edges has doubled.",
            when="on edges in arrays; `auto` mostly does so on GPUs, and on CPUs where edges are few and in "
            "no order",
            work="O(m + n log(m / n)) in practice",
            depth="log(m / n) batches, each that of the longest path",
            see_also={
                "afforest": "skips edges, and needs rows",
                "disjoint-set": "for edges that keep coming",
                "rem-cas": "climbs both paths together",
            },
            axes=(
                Axis(
                    "init",
                    ("own", "smaller"),
                    "the first parents: v itself, or a smaller neighbor, whichever edge writes it last",
                    default=_first_parents,
                ),
                Axis(
                    "batches",
                    ("doubling", "one"),
                    "how edges are linked: in batches, with all trees flattened in between, or in one",
                    default=_batches,
                ),
                ACCESS,
                READS,
            ),
            needs=("int32 atomics",),
            takes_edges=True,
            one_direction=True,
            parents=Parents("pi", atomic=True),
            parents_where={("init", "smaller"): Parents("pi")},
            phases={
                "init": "each vertex gets its first parent",
                "link": "the edges of one batch are linked",
                "compress": TO_ROOTS,
            },
        ),
        Algorithm(
            "disjoint-set",
            "Disjoint-set forest",
            paper=f"Dhulipala, Hong, Shun, VLDB 2021; {AFFOREST}, theorem 1",
            problem="components",
            summary="a disjoint-set forest that takes edges in blocks; what `DisjointSet` and streams run",
            definition="A disjoint-set forest keeps one parent for each vertex. It takes edges in blocks, "
            "forgets them, and answers in between.",
            when="on edges in blocks, or edges that keep coming; `auto` does",
            work="O(m + n log(m / n)) in practice",
            depth="that of the longest path, in each block",
            see_also={
                "afforest-edges": "for edges that are all there",
                "union-find": "the serial original",
                "interning": "numbers ids that are no integers",
            },
            axes=(
                Axis("block", (65536, 1000), "how many edges a block has", least=1),
                ACCESS,
                READS,
            ),
            needs=("int32 atomics",),
            takes_edges=True,
            one_direction=True,
            parents=Parents("pi", atomic=True),
            phases={
                "init": "each vertex is a tree of its own",
                "link": "the edges of one block are linked",
                "compress": TO_ROOTS,
            },
        ),
        Algorithm(
            "afforest-subgraphs",
            "Afforest over other subgraphs",
            paper=f"{AFFOREST}, sections III-B, IV and V-B",
            problem="components",
            summary="Afforest over rows, random edges, neighbors, or a spanning forest first",
            definition="Afforest links the edges in other orders: they are split in one of four ways, and "
            "linked one part after the other.",
            when="to see why Afforest takes the first neighbors of all vertices first",
            work="O(m + s n) in practice for s subgraphs",
            depth="s subgraphs, each that of the longest path",
            see_also={
                "afforest": "the form to use",
                "spanning-forest": "the best subgraph there is",
            },
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
            parents=Parents("pi", atomic=True),
            phases={
                "link": "the edges of one subgraph are linked",
                "compress": TO_ROOTS,
            },
        ),
        Algorithm(
            "spanning-forest",
            "Spanning forest from the hooks",
            paper=f"{AFFOREST}, section IV-A",
            problem="spanning-forest",
            summary="spanning forest: the edges that hooked a root",
            definition="A spanning forest is a set of edges that connects what the graph connects, and has "
            "no cycle. It consists of the edges that hooked a root.",
            when="when you want the fewest edges that hold each component together",
            work="O(n + m) in practice",
            depth="that of the longest path",
            see_also={
                "afforest": "the same link, for components",
            },
            takes_edges=True,
            one_direction=True,
            axes=(INPUT, ACCESS, READS),
            needs=("int32 atomics",),
            phases={"link": "each edge that joins two trees goes into the forest"},
            parents=Parents("pi", atomic=True),
        ),
        Algorithm(
            "sequential",
            "Sequential walk",
            paper=f"{DEHNE}, section 3",
            problem="list-ranking",
            summary="list ranking by walking; on CPUs, what `auto` runs on short lists",
            definition="One walk along each list writes its elements down; ranks are then dealt out from "
            "the end.",
            when="on short lists on CPUs; `auto` does",
            work="O(n)",
            depth="O(n): serial",
            see_also={
                "random-splitter": "many walks at once",
                "wylie": "no walk at all",
            },
            axes=(
                replace(SPLITTERS, sides=("kernels",)),
                replace(seed_axis("the random splitters"), sides=("kernels",)),
            ),
            serial=True,
            phases={
                "find heads": "elements that no other element points to are the heads of lists",
                "walk": "each list is walked to its end, and ranked from there backwards",
            },
        ),
        Algorithm(
            "wylie",
            "Wylie's pointer jumping",
            paper=f"Wylie, PhD thesis, Cornell, 1979; {DEHNE}, algorithm 2",
            problem="list-ranking",
            summary="list ranking by pointer jumping",
            definition="In Wylie's algorithm every element points down its list. In each round it jumps to "
            "where the element it points to points, which doubles the distance.",
            when="to learn pointer jumping; other list rankings run it on their splitters",
            work="O(n log n)",
            depth="ceil(log2 n) rounds of O(1)",
            see_also={
                "random-splitter": "jumps over splitters only, so its work is linear",
                "shiloach-vishkin": "jumps in trees in place of lists",
            },
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
            phases={**BEFORE_JUMPS, "PJ2": LIST_JUMP},
        ),
        Algorithm(
            "random-splitter",
            "Random splitters",
            paper=f"Reid-Miller, JCSS 53, 1996; {DEHNE}, algorithm 3",
            problem="list-ranking",
            summary="list ranking with random splitters (Reid-Miller; Dehne); what `auto` runs, "
            "except for short lists on CPUs",
            definition="Random elements cut the lists into sub-lists. All of these are walked at the same "
            "time, and pointer jumping ranks the few splitters.",
            when="on long lists; `auto` does",
            work="O(n + p log p) for p splitters",
            depth="O(n / p log p + log p) expected",
            see_also={
                "wylie": "ranks the splitters",
                "rehman": "reduces the list again and again",
                "list-scan": "combines values where this counts",
            },
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
            phases={
                **WALK_SUBLISTS,
                **BEFORE_SPLITTERS_JUMP,
                "RS4": SPLITTERS_JUMP,
                "RS5": "each element's rank is its splitter's, less the way from the splitter",
            },
        ),
        Algorithm(
            "rehman",
            "Recursive sub-list ranking",
            paper=f"Rehman, Kothapalli, Narayanan, ICS 2009; {DEHNE}, section 3.3",
            problem="list-ranking",
            summary="list ranking by recursive sub-lists (Rehman, Kothapalli, Narayanan)",
            definition="Recursive sub-list ranking reduces a list to its splitters, again and again, until "
            "pointer jumping can rank what is left.",
            when="to compare with random splitters, which need one level",
            work="O(n + e log n) for e ends of lists",
            depth="O(log n / log log n) levels, each that of its longest sub-list",
            see_also={
                "random-splitter": "the same with one level only",
                "wylie": "ranks the shortest list",
            },
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
            phases={
                **WALK_SUBLISTS,
                **BEFORE_JUMPS,
                "rank the shortest": LIST_JUMP,
                "expand": "each element's rank is its splitter's, less the way from the splitter",
            },
        ),
        Algorithm(
            "cole-vishkin",
            "Deterministic coin tossing",
            paper=f"Cole, Vishkin, Information and Control 70, 1986; {DEHNE}, section 3",
            problem="list-ranking",
            summary="list ranking by deterministic coin tossing",
            definition="Deterministic coin tossing finds many elements of a list of which no two are "
            "neighbors, takes them out, ranks the rest, and puts them back.",
            when="to study: it needs no random numbers, but makes twelve times as many accesses as random "
            "splitters",
            work="O(n log* n)",
            depth="O(log log n) levels of O(log* n) rounds, then O(log n) rounds",
            see_also={
                "random-splitter": "draws random numbers instead",
                "wylie": "ranks the rest",
            },
            kernels=False,
            phases={
                "predecessors": "each element tells its successor who comes before it",
                "pack": "elements that are chosen, or alone in their lists, are left out",
                "toss coins": "each element's color becomes the lowest bit that differs from its successor's",
                "choose": "elements of one color with no chosen neighbor are chosen",
                "splice out": "the neighbors of each chosen element point past it",
                **BEFORE_JUMPS,
                "PJ2": LIST_JUMP,
                "put back": "elements that were left out get their ranks from those after them",
            },
        ),
        Algorithm(
            "list-scan",
            "List scan with random splitters",
            paper="Reid-Miller, JCSS 53, 1996",
            problem="list-scan",
            summary="list scan with any associative operator (Reid-Miller)",
            definition="A list scan gives each element what the values from the head of its list up to it "
            "combine to, by any associative operator.",
            when="when ranks are not enough: sums along lists, or depths in a tree",
            work="O(n + p log p) for p splitters",
            depth="O(n / p log p + log p) expected",
            see_also={
                "random-splitter": "the same for ranks",
                "wylie": "jumps over the splitters",
            },
            axes=(
                SPLITTERS,
                seed_axis("the random splitters"),
                ACCESS,
            ),
            phases={
                **WALK_SUBLISTS,
                "RS4: predecessors": "each splitter tells the next one what its sub-list came to",
                "RS4": "each splitter combines what lies before it, and jumps back twice as far",
                "RS5": "each element combines what came before its sub-list, within it, and itself",
            },
        ),
        Algorithm(
            "interning",
            "Interning",
            paper="Peterson, IBM J. 1, 1957; Gao, Groote, Hesselink, Distributed Computing 18, 2005",
            problem="id-numbering",
            summary="numbers for ids of any kind; what tables of ids run",
            definition="Interning gives equal ids the same number, and different ids different ones, in "
            "order of first appearance.",
            when="when vertices have names in place of numbers; tables do",
            work="O(n) look-ups",
            depth="n / block blocks, each that of its longest look-up",
            see_also={
                "disjoint-set": "takes the numbers",
            },
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
            phases={
                "refill": "all ids that are kept go into a new, larger table",
                "look_up": "each id of the block finds its slot, and fills it if empty",
                "keep_new": "each new id gets the next number and is kept",
                "tell": "each id reads its number from its slot",
            },
        ),
        Algorithm(
            "two-pass",
            "Two-pass labelling of runs",
            paper="Rosenfeld, Pfaltz, J. ACM 13(4), 1966; He, Chao, Suzuki, IEEE Trans. Image Processing "
            "17(5), 2008; Hennequin, Lacassagne, Cabaret, Meunier, DASIP 2018",
            problem="image-labelling",
            summary="labels for images and volumes (Rosenfeld, Pfaltz), by runs of pixels; what `label` runs",
            definition="Two-pass labelling cuts the rows of an image into runs, joins the runs that touch, "
            "and then gives every pixel the number of its component.",
            when="on images and volumes; `label` does",
            work="O(n) in practice",
            depth="that of the longest path",
            see_also={
                "afforest": "the same link, over the edges of a graph",
                "disjoint-set": "joins chunks of an image",
            },
            axes=(ACCESS, READS),
            needs=("int32 atomics",),
            parents=Parents("parent", atomic=True),
            phases={
                "find_runs": "each row of pixels is cut into runs, numbered in scan order",
                "hook_first": "each run goes under the first earlier run that it touches",
                "compress": TO_ROOTS,
                "link_rest": "each run is linked with all others that it touches",
                "write_labels": "each pixel gets the number of its run's component",
            },
        ),
    )
}


def algorithms() -> list[Algorithm]:
    """List all algorithms, with their names, citations, axes and needs.

    Examples
    --------
    >>> import pointerjump as pj
    >>> [a.name for a in pj.algorithms() if a.problem == "list-ranking"]
    ['sequential', 'wylie', 'random-splitter', 'rehman', 'cole-vishkin']
    """
    return list(ALGORITHMS.values())
