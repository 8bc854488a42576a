"""The table of algorithms: the command line, tests, benches and docs are made from it.

To add an algorithm, add its files (``reference/x.py``, ``kernels_cl/x.cl``, ``accel/x.py``) and one
row here.
"""

from __future__ import annotations

from dataclasses import replace

from pointerjump.registry.algorithm import Algorithm
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
    UPDATE,
    Axis,
    seed_axis,
)

_DEHNE = "Dehne, Yogaratnam, Exploring the limits of GPUs with parallel graph algorithms, 2010"
_ECL = "Jaiganesh, Burtscher, A high-performance connected components implementation for GPUs, HPDC 2018"
_SUTTON = "Sutton, Ben-Nun, Barak, Optimizing parallel graph connectivity via subgraph sampling, IPDPS 2018"
_CONG = "Cong, Muzio, Fast parallel connected components algorithms on GPUs, Euro-Par workshops 2014"
_LIGRA = "Shun, Blelloch, Ligra, PPoPP 2013"
_HONG = "Hong, Dhulipala, Shun, Design space of connectivity algorithms on GPUs, PACT 2020"
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
            "rem-cas",
            "Rem-CAS: Rem's union by compare-and-swap, with fused sampling",
            f"{_HONG}, 3",
            "components",
            (
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


def algorithms() -> list[Algorithm]:
    """Return every algorithm there is, as rows of name, citation, variants and needs.

    Examples
    --------
    >>> import pointerjump as pj
    >>> [row.name for row in pj.algorithms() if row.problem == "list-ranking"]
    ['sequential', 'wylie', 'random-splitter', 'rehman', 'cole-vishkin']
    """
    return list(ALGORITHMS.values())
