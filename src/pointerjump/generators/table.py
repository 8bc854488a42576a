"""The table of all generators and presets: what specs may say, and what help and docs print."""

from __future__ import annotations

from pointerjump.edges import MAX_VERTICES
from pointerjump.generators import lists, positions, random_graphs, shapes
from pointerjump.generators.spec import Generator, Parameter, Preset

_SEED = Parameter("seed", 1, "another seed makes another graph or list", most=2**64 - 1)
_VERTICES = Parameter("vertices", 65536, "how many vertices", most=MAX_VERTICES)
_SIZE = (_VERTICES, Parameter("scale", None, "instead of vertices: 2**scale of them", most=30))
_SCALE = Parameter("scale", 16, "2**scale vertices", most=30)
_DEGREE = Parameter("degree", 16, "edges drawn per vertex; duplicates are merged")
_LOOPS = Parameter(
    "loops", "keep", "what to do with an edge from a vertex to itself", choices=("keep", "drop")
)
_ROWS = Parameter("rows", 256, "rows of the grid", most=MAX_VERTICES)
_COLUMNS = Parameter("columns", 256, "columns of the grid", most=MAX_VERTICES)
_KEEP = Parameter("keep", 1.0, "probability of each edge", most=1)
_LENGTH = Parameter("length", 65536, "how many elements", most=MAX_VERTICES)
_LIST_ORDER = Parameter(
    "order",
    "random",
    "where in the array each next element lies",
    choices=("random", "natural", "sequential", "reverse", "bitreversed"),
)

GENERATORS: tuple[Generator, ...] = (
    Generator(
        "kron",
        "graph",
        "Kronecker graph with Graph500's parameters (.57, .19, .19), vertices numbered at random",
        "kron:scale=20,degree=16,seed=1",
        "scale=7,degree=6",
        (_SCALE, _DEGREE, _LOOPS, _SEED),
        random_graphs.kron,
    ),
    Generator(
        "rmat",
        "graph",
        "recursive-matrix graph (R-MAT) with given probabilities of the quarters",
        "rmat:scale=16,degree=8,a=0.45,b=0.22,c=0.22",
        "scale=7,degree=6",
        (
            _SCALE,
            Parameter("degree", 8, _DEGREE.meaning),
            Parameter("a", 0.45, "probability of the upper left quarter", most=1),
            Parameter("b", 0.15, "probability of the upper right quarter", most=1),
            Parameter("c", 0.15, "probability of the lower left quarter", most=1),
            Parameter("noise", 0.0, "how far the probabilities move from level to level", most=1),
            _LOOPS,
            _SEED,
        ),
        random_graphs.rmat,
    ),
    Generator(
        "urand",
        "graph",
        "uniform random graph, both ends of every edge drawn, as in the GAP Benchmark Suite",
        "urand:scale=20,degree=16,seed=1",
        "vertices=24,degree=1",
        (*_SIZE, _DEGREE, _LOOPS, _SEED),
        random_graphs.urand,
    ),
    Generator(
        "ring",
        "graph",
        "ring through all vertices, and random edges across it",
        "ring:vertices=1000,chords=3",
        "vertices=20,chords=1",
        (*_SIZE, Parameter("chords", 3, "random edges drawn per vertex"), _LOOPS, _SEED),
        random_graphs.ring,
        positions.in_a_circle,
    ),
    Generator(
        "kout",
        "graph",
        "random k-out graph: each vertex picks k others",
        "kout:vertices=1000,k=4",
        "vertices=20,k=1",
        (*_SIZE, Parameter("k", 4, "picks per vertex; one may be picked twice"), _SEED),
        random_graphs.kout,
    ),
    Generator(
        "union",
        "graph",
        "many urand graphs of one size, and one of the remaining vertices",
        "union:scale=16,fraction=0.1",
        "vertices=24,fraction=0.25,degree=2",
        (
            *_SIZE,
            _DEGREE,
            Parameter("fraction", 0.1, "part of the vertices in each component", 2.0**-31, 1),
            _SEED,
        ),
        random_graphs.union,
    ),
    Generator(
        "grid2d",
        "graph",
        "grid, each cell joined to the four around it",
        "grid2d:rows=1024,columns=1024,keep=0.62",
        "rows=5,columns=8,keep=0.7",
        (_ROWS, _COLUMNS, _KEEP, _SEED),
        shapes.grid2d,
        positions.in_a_grid,
    ),
    Generator(
        "torus",
        "graph",
        "grid whose last row and column join the first",
        "torus:rows=100,columns=100",
        "rows=4,columns=6",
        (_ROWS, _COLUMNS, _KEEP, _SEED),
        shapes.torus,
        positions.in_a_bent_grid,
    ),
    Generator(
        "road",
        "graph",
        "road-like: thinned-out grid, a few diagonals, roads bent into chains of degree 2",
        "road:rows=256,columns=256",
        "rows=3,columns=4,chain=1",
        (
            _ROWS,
            _COLUMNS,
            Parameter("keep", 0.62, _KEEP.meaning, most=1),
            Parameter("diagonals", 0.02, "probability of a diagonal road across each cell", most=1),
            Parameter("chain", 4, "vertices on a road between crossings: 0 to chain", most=10**6),
            _SEED,
        ),
        shapes.road,
    ),
    Generator(
        "delaunay",
        "graph",
        "Delaunay triangulation of random points in the unit square",
        "delaunay:scale=16",
        "vertices=20",
        (*_SIZE, _SEED),
        random_graphs.delaunay,
        positions.where_drawn,
    ),
    Generator(
        "star",
        "graph",
        "vertex 0 joined to all others",
        "star:vertices=100000",
        "vertices=12",
        _SIZE,
        shapes.star,
        positions.around_the_first,
    ),
    Generator(
        "path",
        "graph",
        "one long path, its vertices numbered along it or in an order hostile to pointer jumping",
        "path:vertices=100000,order=bitreversed",
        "vertices=12,order=bitreversed",
        (
            *_SIZE,
            Parameter(
                "order",
                "natural",
                "how the vertices are numbered along the path",
                choices=("natural", "reverse", "random", "bitreversed"),
            ),
            _SEED,
        ),
        shapes.path,
        positions.along_a_path,
    ),
    Generator(
        "tree",
        "graph",
        "binary tree, all levels full but the last",
        "tree:vertices=100000",
        "vertices=24",
        _SIZE,
        shapes.tree,
        positions.level_by_level,
    ),
    Generator(
        "cliques",
        "graph",
        "complete graphs side by side",
        "cliques:count=1000,size=10",
        "count=3,size=5",
        (
            Parameter("count", 8192, "how many complete graphs", most=MAX_VERTICES),
            Parameter("size", 8, "vertices of each", most=MAX_VERTICES),
        ),
        shapes.cliques,
    ),
    Generator(
        "bipartite",
        "graph",
        "complete bipartite graph",
        "bipartite:left=10,right=1000",
        "left=3,right=6",
        (
            Parameter("left", 256, "vertices on one side", most=MAX_VERTICES),
            Parameter("right", 256, "vertices on the other", most=MAX_VERTICES),
        ),
        shapes.bipartite,
        positions.side_by_side,
    ),
    Generator(
        "empty",
        "graph",
        "vertices without an edge",
        "empty:vertices=1000",
        "vertices=6",
        _SIZE,
        shapes.empty,
    ),
    Generator(
        "list",
        "list",
        "one linked list",
        "list:length=1000000,order=random,seed=1",
        "length=9",
        (_LENGTH, _LIST_ORDER, _SEED),
        lists.linked_list,
    ),
    Generator(
        "lists",
        "list",
        "several linked lists of random lengths in one array",
        "lists:length=1000000,count=100",
        "length=12,count=3",
        (
            Parameter("length", 65536, "how many elements in all", most=MAX_VERTICES),
            Parameter("count", 64, "how many lists", least=1, most=MAX_VERTICES),
            _LIST_ORDER,
            _SEED,
        ),
        lists.linked_lists,
    ),
)

_RMAT = "degree=8,a=0.55,b=0.1,c=0.1,noise=0.05,loops=drop"

PRESETS: tuple[Preset, ...] = (
    Preset("2d-2e20.sym", "grid of 2**20 vertices", "grid2d:rows=1024,columns=1024", "rows=5,columns=8"),
    Preset(
        "r4-2e23.sym",
        "random graph, four edges per vertex, from a ring",
        "ring:scale=23,chords=3,loops=drop",
        "scale=4",
    ),
    Preset("rmat16.sym", "R-MAT graph of 2**16 vertices", f"rmat:scale=16,{_RMAT}", "scale=7"),
    Preset("rmat22.sym", "R-MAT graph of 2**22 vertices", f"rmat:scale=22,{_RMAT}", "scale=7"),
    *(
        Preset(
            f"kron_g500-logn{scale}",
            f"Graph500 Kronecker graph of 2**{scale} vertices",
            f"kron:scale={scale},degree=48,loops=drop",
            "scale=7",
        )
        for scale in range(16, 22)
    ),
    *(
        Preset(
            f"delaunay_n{scale}",
            f"Delaunay triangulation of 2**{scale} random points",
            f"delaunay:scale={scale}",
            "scale=5",
        )
        for scale in range(10, 25)
    ),
)
