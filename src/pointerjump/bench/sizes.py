"""How much is measured: which graphs and lists in which set, and how much time may go into each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pointerjump.bench.measurements import Place

SEED = 1
"""The seed of every generated graph and list, and of the order in edge arrays."""

MOST_ROUNDS = 50
"""The most samples that are taken, however little time they take; see :class:`Effort`."""


@dataclass(frozen=True)
class Effort:
    """How much time measuring may take.

    Attributes
    ----------
    rounds : int
        Samples of each time, at least.
    seconds : float
        More samples are taken until a comparison has taken this long, because short runs are disturbed
        more by whatever else the machine does.
    patience : float
        A program that takes more seconds than this to get ready and run once is left out.
    slow_peers_up_to : int
        Programs known to be slow are not even tried on graphs with more edges than this.
    """

    rounds: int
    seconds: float
    patience: float
    slow_peers_up_to: int


@dataclass(frozen=True)
class Size:
    """A set of measurements: for each axis the places on it, and the graph or list in each."""

    effort: Effort
    axes: Mapping[str, Mapping[Place, str]]


def _size(
    effort: Effort, graphs: Mapping[Place, str], scale: int, lists: range, groups_scale: int, list_scale: int
) -> Size:
    fractions = (0.0001, 0.001, 0.01, 0.1, 0.2, 0.5, 1.0)
    degrees = (2, 4, 8, 16, 32, 64)
    return Size(
        effort,
        {
            "graphs": graphs,
            "fractions": {f: f"union:scale={scale},degree=16,fraction={f},seed={SEED}" for f in fractions},
            "degrees": {d: f"kron:scale={scale},degree={d},seed={SEED}" for d in degrees},
            "lists": {1 << k: f"list:length={1 << k},seed={SEED}" for k in lists},
            "groups": {"graph": f"urand:scale={groups_scale},degree=16,seed={SEED}"},
            "list-groups": {"list": f"list:length={1 << list_scale},seed={SEED}"},
        },
    )


SIZES = {
    "quick": _size(
        Effort(rounds=5, seconds=0.2, patience=5.0, slow_peers_up_to=100_000),
        {
            "urand16": f"urand:scale=16,degree=8,seed={SEED}",
            "kron16": f"kron:scale=16,degree=8,seed={SEED}",
            "road16": f"grid2d:rows=256,columns=256,keep=0.62,seed={SEED}",
            "delaunay_n16": "delaunay_n16",
        },
        scale=15,
        lists=range(10, 21, 2),
        groups_scale=16,
        list_scale=18,
    ),
    "standard": _size(
        Effort(rounds=5, seconds=0.5, patience=10.0, slow_peers_up_to=1 << 20),
        {
            "urand18": f"urand:scale=18,degree=16,seed={SEED}",
            "kron18": f"kron:scale=18,degree=16,seed={SEED}",
            "road20": f"grid2d:rows=1024,columns=1024,keep=0.62,seed={SEED}",
            "2d-2e20.sym": "2d-2e20.sym",
            "rmat16.sym": "rmat16.sym",
            "delaunay_n17": "delaunay_n17",
        },
        scale=18,
        lists=range(10, 25, 2),
        groups_scale=18,
        list_scale=22,
    ),
    "full": _size(
        Effort(rounds=9, seconds=0.5, patience=60.0, slow_peers_up_to=1 << 20),
        {
            "g24": f"kron:scale=24,degree=16,seed={SEED}",
            "g22": f"kron:scale=22,degree=16,seed={SEED}",
            "u23": f"urand:scale=23,degree=8,seed={SEED}",
            "kron_g500-logn21": "kron_g500-logn21",
            "rmat22.sym": "rmat22.sym",
            "r4-2e23.sym": "r4-2e23.sym",
            "road24": f"grid2d:rows=4096,columns=4096,keep=0.62,seed={SEED}",
            "grid22": "grid2d:rows=2048,columns=2048",
            "delaunay_n20": "delaunay_n20",
            "2d-2e20.sym": "2d-2e20.sym",
            "u18": f"urand:scale=18,degree=8,seed={SEED}",
        },
        scale=21,
        lists=range(10, 29, 2),
        groups_scale=20,
        list_scale=24,
    ),
}
