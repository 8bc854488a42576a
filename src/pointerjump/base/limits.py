"""Numbers that a reference and its kernels share, and limits that are checked before anything is done."""

from __future__ import annotations

from pointerjump.errors import AlgorithmError

BLOCK = 64
"""Afforest: how many vertices that lie side by side are sampled together, for the cache's sake."""

GIANT = 3
"""Afforest: a tree is a giant if at least one in this number of sampled vertices with edges is in it."""

FIRST_BATCH = 0.5
"""Afforest over an edge list: how many edges for each vertex are linked before trees are first compressed."""

GOLDEN = 0x9E3779B97F4A7C15
"""2^64 times the golden section, whose multiples are spread evenly."""

WAITING = 1 << 22
"""Edges in blocks: this number waits beside those that are kept, or as many as are kept if that is more."""

FEW_EDGES = 4
"""Stored edges for each vertex: up to this number, a graph has few."""

SUBGRAPHS = 32
"""Afforest over other subgraphs: into how many the edges are split."""

W = 32
"""CC: how many words one access to memory fetches. Look-ups in one such block are one access."""

STARTS_GROW = 0.2
"""ndHybrid's beta: by step t, searches have started from e^(beta t) vertices."""

ONE_GROUP_RANKS = 256
"""Rehman: the number of elements that one work-group ranks by itself."""

ALPHA, BETA = 14, 24
"""Breadth-first search: when it turns bottom-up, and back (Beamer, Asanovic and Patterson, SC 2012)."""

LOW_DEGREE, MIDDLE_DEGREE = 16, 352
"""Where vertices are shared by degree: up to the first a work-item takes one, up to the second a tile of
work-items, beyond it a work-group (Jaiganesh's thesis, section 4.2)."""

MOST_NARROW_VERTICES = 2**31 - 1
"""How many vertices 32-bit parents can count. A disjoint-set forest of more has 64-bit parents."""

MOST_PLACES = 1 << 27
"""How many 4-byte words each of the two arrays of CRONO's padded rows may hold: 1 GiB for both."""


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


MOST_DRAWN = 40
"""Vertices, elements or pixels: a picture shows at most this number, unless more are asked for."""

SAMPLED_WEIGHTS = 1 << 10
"""Filter-Boruvka: how many weights are sampled to choose a threshold."""

LIGHT_EDGES = 1.5
"""Filter-Boruvka: about how many edges for each vertex are light."""


def light_samples(n: int, m: int, samples: int) -> int:
    """Return how many of the samples are light: at least one, and all if there are few edges."""
    return max(1, min(samples, int(samples * LIGHT_EDGES * n / max(m, 1))))
