"""Constants shared by kernels and reference implementations, and limits that are checked before a run."""

from __future__ import annotations

from pointerjump.errors import AlgorithmError

BLOCK = 64  # Afforest: this many consecutive vertices are sampled together, to avoid cache misses
GIANT = 3  # Afforest: a tree is giant if it contains at least one in this many of the sampled edges

FIRST_BATCH, GROWTH = 1, 4
"""Afforest over edges, also in a disjoint-set forest, compresses trees when this many edges per vertex have
been linked, and again each time the number of linked edges has grown by this factor."""

GOLDEN = 0x9E3779B97F4A7C15  # 2^64 times the golden ratio's fractional part; its multiples are spread evenly


def spread(count: int, n: int) -> list[int]:
    """Return `count` integers that are spread evenly over 0 .. n - 1."""
    return [(i * GOLDEN % 2**64) * n >> 64 for i in range(count)]


WAITING = 1 << 22
"""How many edges from blocks are collected before the forest is updated. If the forest itself has more edges,
their number is used instead."""

FEW_EDGES, FEW_SPREAD = 4, 8  # up to so many edges per vertex are few; the second, if larger ends are spread
SUBGRAPHS = 32  # Afforest over other subgraphs: the number of subgraphs
W = 32  # Cong and Muzio: one memory access fetches a block of this many words
STARTS_GROW = 0.2  # ndHybrid's beta: by step t, searches have started from e^(beta t) vertices
ONE_GROUP_RANKS = 256  # Rehman: the number of elements that a single work-group ranks

ALPHA, BETA = 14, 24  # when breadth-first search switches to bottom-up and back (Beamer et al., SC 2012)

LOW_DEGREE, MIDDLE_DEGREE = 16, 352
"""Bounds that divide the vertices into three classes by degree. A vertex is processed by one work-item if its
degree is at most the first bound, by a tile of work-items if it is at most the second bound, and by a
work-group otherwise (Jaiganesh's thesis, section 4.2)."""

MOST_NARROW_VERTICES = 2**31 - 1  # the most vertices that 32-bit parents allow

MOST_PLACES = 1 << 27  # the most 4-byte words in each of CRONO's two arrays of padded rows (1 GiB together)


def require_room_for_padding(n: int, d_max: int) -> None:
    if n * d_max > MOST_PLACES:
        raise AlgorithmError(
            f"crono pads {n} vertices to the highest degree, {d_max}, which makes "
            f"{n * d_max} places, and at most {MOST_PLACES} are allowed: choose an algorithm that does not "
            "pad, such as shiloach-vishkin-csr"
        )


def require_32_bit_edges(
    algorithm: str, directed_edges: int, way_out: str = "choose another algorithm, such as afforest"
) -> None:
    """Raise an AlgorithmError if there are more stored edges than a 32-bit counter can count."""
    if directed_edges >= 2**31:
        raise AlgorithmError(
            f"{algorithm} counts edges with 32-bit atomics, but there are {directed_edges} stored edges: "
            f"{way_out}"
        )


MOST_DRAWN = 40  # by default, the most vertices, elements or pixels that are drawn
SAMPLED_WEIGHTS = 1 << 10  # Filter-Boruvka: this many weights are sampled to choose a threshold
LIGHT_EDGES = 1.2  # Filter-Boruvka: about this many edges per vertex are light
