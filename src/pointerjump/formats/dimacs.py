"""DIMACS graphs: text files with a line ``p sp n m``, followed by a line ``a u v w`` for every arc.

Vertices are numbered from 1. The older form, with ``p edge n m`` and ``e u v``, is also supported.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any, BinaryIO

import numpy.typing as npt

from pointerjump.base.arrow import pa
from pointerjump.base.edges import from_one
from pointerjump.base.graph import Graph
from pointerjump.errors import FormatError
from pointerjump.formats import parsing, patterns
from pointerjump.formats.pieces import FileEdges, edges_in_lines
from pointerjump.formats.sources import Source
from pointerjump.formats.text import TextBlock, TextStart

COMMENTS = re.compile(rb"(?:[ \t]*(?:c(?:[ \t][^\r\n]*)?)?[\r\n])*+")
PROBLEM = re.compile(rb"p[ \t]+(?:sp|edge|col)[ \t]+([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]*(?:[\r\n]+|\Z)")
ARC = r"^[ae][ \t]+(?P<source>-?[0-9]+)[ \t]+(?P<target>-?[0-9]+)(?:[ \t]|$)"
WEIGHTED_ARC = ARC.removesuffix("(?:[ \\t]|$)") + rf"[ \t]+{patterns.WEIGHT}(?:[ \t]|$)"
MISCOUNTED = "states {stated} arcs but has {found}: it is truncated or miscounted"
COMMENT = r"^[ \t]*(?:c(?:[ \t].*)?)?$"


def dimacs_edges(source: Source, block: int) -> FileEdges:
    """Read the problem line, and return the arcs as edges, with their lengths as weights if requested."""
    text = TextStart(source)
    text.take(COMMENTS)
    problem = text.take(PROBLEM)
    if problem is None:
        raise FormatError("has no DIMACS problem line: 'p sp n m' must follow the comments (c ...)")
    n, m = int(problem[1]), int(problem[2])
    fields = parsing.width(text.line(), " ")
    parse = partial(_arcs_of_block, fields=fields, weighted=source.weighted)

    def ends(
        sources: npt.NDArray[Any], targets: npt.NDArray[Any], before: int
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        return (
            from_one(sources, n, "the source of arc", before),
            from_one(targets, n, "the target of arc", before),
        )

    return edges_in_lines(source, block, parse, text.place, n, m, MISCOUNTED, ends)


def _arcs_of_block(block: TextBlock, fields: int, weighted: bool) -> list[npt.NDArray[Any]]:
    types = {0: pa.dictionary(pa.int32(), pa.string()), 1: pa.int32(), 2: pa.int32()}
    kinds: list[Any] = [pa.int64(), pa.float64()] if weighted else [None]
    for weight in kinds:
        found = parsing.read_columns(block, " ", fields, types | ({3: weight} if weight else {}))
        if found is not None and {*found[0].unique().to_pylist()} <= {"a", "e"}:
            return [parsing.to_numpy(column) for column in found[1:]]
    ends: dict[str, Any] = dict.fromkeys(patterns.ENDS, pa.int64())
    found = parsing.matches(
        block,
        WEIGHTED_ARC if weighted else ARC,
        *(ends | ({"weight": weight} if weight else {}) for weight in kinds),
        skip=COMMENT,
        expected="after the problem line there may only be arcs, 'a u v w', and comments, 'c ...'",
    )
    sources, targets, *weights = map(parsing.to_numpy, found)
    return [parsing.narrowed(sources), parsing.narrowed(targets), *weights]


def write_dimacs(graph: Graph, file: BinaryIO) -> None:
    """Write each edge as two arcs of length 1, one in each direction."""
    m = graph.directed_edges
    file.write(f"p sp {graph.vertices} {m}\n".encode())
    parsing.write_columns(file, [pa.repeat("a", m), graph.sources + 1, graph.neighbors + 1, pa.repeat(1, m)])
