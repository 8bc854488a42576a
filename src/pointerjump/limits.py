"""Limits that a reference and its kernels share: what is refused, before anything is allocated."""

from __future__ import annotations

from pointerjump.errors import AlgorithmError

MOST_PLACES = 1 << 27
"""Of CRONO's padded rows, in each of two arrays: of 4-byte words, 1 GiB for both."""


def require_room_for_padding(n: int, d_max: int) -> None:
    """Refuse a graph whose padded rows would be too large.

    Raises
    ------
    AlgorithmError
        Naming the size and the limit.
    """
    if n * d_max > MOST_PLACES:
        raise AlgorithmError(
            f"crono pads {n} vertices to the highest degree, {d_max}: twice {n * d_max} places, and at most "
            f"{MOST_PLACES} are allowed; choose an algorithm over rows, such as shiloach-vishkin-csr"
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
            f"{algorithm} counts edges by 32-bit atomics, and there are {directed_edges} directed edges: "
            "choose another algorithm, such as afforest"
        )
