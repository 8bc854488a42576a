"""Numbers that a reference and its kernels share, and limits that are checked before work starts."""

from __future__ import annotations

from pointerjump.errors import AlgorithmError

BLOCK = 64  # Afforest: the number of adjacent vertices that are sampled together, to save cache misses
GIANT = 3  # Afforest: a giant is a tree that holds one in this many of the sampled edges

FIRST_BATCH = 0.5  # Afforest over edges: edges per vertex that are linked before trees are first compressed

GOLDEN = 0x9E3779B97F4A7C15  # 2^64 times the golden ratio's fractional part: its multiples spread evenly


def spread(count: int, n: int) -> list[int]:
    """Return numbers that are spread evenly over 0 .. n - 1."""
    return [(i * GOLDEN % 2**64) * n >> 64 for i in range(count)]


WAITING = 1 << 22
"""Edges in blocks: at most this number of edges may wait, or as many as the forest has, whichever is more."""

FEW_EDGES = 4  # stored edges per vertex up to which a graph counts as sparse
SUBGRAPHS = 32  # Afforest over other subgraphs: the number of subgraphs
W = 32  # CC: words that one memory access fetches as a block; look-ups within a block count as one
STARTS_GROW = 0.2  # ndHybrid's beta: by step t, searches have started from e^(beta t) vertices
ONE_GROUP_RANKS = 256  # Rehman: the number of elements that one work-group ranks by itself

ALPHA, BETA = 14, 24  # when breadth-first search switches to bottom-up and back (Beamer et al., SC 2012)

LOW_DEGREE, MIDDLE_DEGREE = 16, 352
"""Vertices are divided by degree: those up to the first bound get one work-item each, those up to the second
a tile of work-items, and all others a work-group (Jaiganesh's thesis, section 4.2)."""

MOST_NARROW_VERTICES = 2**31 - 1  # the most vertices with 32-bit parents; larger forests use 64 bits

MOST_PLACES = 1 << 27  # the most 4-byte words in each of CRONO's two arrays of padded rows: 1 GiB for both


def require_room_for_padding(n: int, d_max: int) -> None:
    """Refuse a graph whose padded rows would be too large."""
    if n * d_max > MOST_PLACES:
        raise AlgorithmError(
            f"crono pads {n} vertices to the highest degree, {d_max}, which makes "
            f"{n * d_max} places, and at most {MOST_PLACES} are allowed: choose an algorithm that does not "
            "pad, such as shiloach-vishkin-csr"
        )


def require_32_bit_edges(
    algorithm: str, directed_edges: int, way_out: str = "choose another algorithm, such as afforest"
) -> None:
    """Refuse a graph whose stored edges a 32-bit counter cannot count."""
    if directed_edges >= 2**31:
        raise AlgorithmError(
            f"{algorithm} counts edges with 32-bit atomics, but there are {directed_edges} stored edges: "
            f"{way_out}"
        )


MOST_DRAWN = 40  # the most vertices, elements or pixels drawn, unless the caller asks for more
SAMPLED_WEIGHTS = 1 << 10  # Filter-Boruvka: the number of weights sampled to choose a threshold
LIGHT_EDGES = 1.2  # Filter-Boruvka: about this number of edges per vertex counts as light
