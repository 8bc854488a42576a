"""Limits that a reference and its kernels share; they are checked before anything is allocated."""

from __future__ import annotations

from pointerjump.errors import AlgorithmError

LOW_DEGREE, MIDDLE_DEGREE = 16, 352
"""Where vertices are shared by degree: up to the first a work-item takes one, up to the second a tile of
work-items, beyond it a work-group (Jaiganesh's thesis, section 4.2)."""

MOST_PLACES = 1 << 27
"""How many 4-byte words each of the two arrays of CRONO's padded rows may hold: 1 GiB for both."""


def require_room_for_padding(n: int, d_max: int) -> None:
    """Refuse a graph whose padded rows would be too large.

    Raises
    ------
    AlgorithmError
        Naming the size and the limit.
    """
    if n * d_max > MOST_PLACES:
        raise AlgorithmError(
            f"crono pads {n} vertices to the highest degree, {d_max}, which makes "
            f"{n * d_max} places, and at most {MOST_PLACES} are allowed: choose an algorithm that does not "
            "pad, such as shiloach-vishkin-csr"
        )


def require_32_bit_edges(algorithm: str, directed_edges: int) -> None:
    """Refuse a graph whose directed edges a 32-bit counter cannot count.

    Raises
    ------
    AlgorithmError
        Naming the size and the limit.
    """
    if directed_edges >= 2**31:
        raise AlgorithmError(
            f"{algorithm} counts edges with 32-bit atomics, but there are {directed_edges} directed edges: "
            "choose another algorithm, such as afforest"
        )
