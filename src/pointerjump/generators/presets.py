"""The papers' synthetic graphs, by their names there."""

from __future__ import annotations

from typing import NamedTuple


class Preset(NamedTuple):
    """A graph that a paper measured: what the paper and specs call it, what it is, and its spec."""

    name: str
    title: str
    spec: str


_RMAT = "degree=8,a=0.55,b=0.1,c=0.1,noise=0.05,loops=drop"

PRESETS = (
    Preset("2d-2e20.sym", "grid of 2**20 vertices", "grid2d:rows=1024,columns=1024"),
    Preset(
        "r4-2e23.sym", "random graph, four edges per vertex, from a ring", "ring:scale=23,chords=3,loops=drop"
    ),
    Preset("rmat16.sym", "R-MAT graph of 2**16 vertices", f"rmat:scale=16,{_RMAT}"),
    Preset("rmat22.sym", "R-MAT graph of 2**22 vertices", f"rmat:scale=22,{_RMAT}"),
    *(
        Preset(
            f"kron_g500-logn{scale}",
            f"Graph500 Kronecker graph of 2**{scale} vertices",
            f"kron:scale={scale},degree=48,loops=drop",
        )
        for scale in range(16, 22)
    ),
    *(
        Preset(
            f"delaunay_n{scale}",
            f"Delaunay triangulation of 2**{scale} random points",
            f"delaunay:scale={scale}",
        )
        for scale in range(10, 25)
    ),
)
