"""The table of all graph file formats, and functions that determine the format of a file.

The command line's help and the documentation are generated from the table.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from pointerjump.base.graph import Graph
from pointerjump.errors import FormatError
from pointerjump.formats.adjacency import LIGRA_HEADER, read_ligra, read_metis, write_ligra, write_metis
from pointerjump.formats.arrow import table_edges
from pointerjump.formats.dimacs import COMMENTS, PROBLEM, dimacs_edges, write_dimacs
from pointerjump.formats.dups import dups_edges
from pointerjump.formats.edge_list import (
    csv_edges,
    list_edges,
    read_csv,
    read_list,
    write_csv,
    write_edges,
    write_tsv,
)
from pointerjump.formats.files import ARROW, COMPRESSIONS, PARQUET, base_suffix
from pointerjump.formats.matrices import mtx_edges, read_npz, write_mtx, write_npz
from pointerjump.formats.pieces import FileEdges, joined_pieces
from pointerjump.formats.records import npy_edges, raw32_edges, raw64_edges, read_npy, write_npy
from pointerjump.formats.sources import Source
from pointerjump.formats.stored_rows import (
    egr,
    galois,
    readers_of,
    sg,
    write_egr,
    write_galois,
    write_sg,
    wsg,
)

if TYPE_CHECKING:
    from pointerjump.base.weighted import Weights


@dataclass(frozen=True)
class Format:
    """A graph file format.

    `facts` is a string of keywords, separated by blanks. "binary" means that files are not text, and
    "weighted" means that weights can be read. "any-ids" means that the options ``ids=`` and ``vertices=``
    apply, because ids may be arbitrary numbers or strings. "columns" means that the option ``columns=``
    applies, and "weight-column" means that this option also specifies the column of weights.
    """

    name: str  # for format= and --format
    title: str
    suffixes: tuple[str, ...]  # without .gz and the like
    facts: str
    edges: Callable[[Source, int], FileEdges] | None = None  # reads edges piece by piece
    whole: Callable[[Source], tuple[Graph, Weights | None]] | None = None  # by default, joins all pieces
    writer: Callable[[Graph, BinaryIO], None] | None = None  # takes rows with both directions of every edge
    signature: bytes | None = None  # a pattern for the first bytes, if formats share a suffix

    def has(self, fact: str) -> bool:
        return fact in self.facts.split()

    def read(self, source: Source) -> tuple[Graph, Weights | None]:
        """Read a whole file, and return its graph and, if requested, the weights of its edges."""
        if self.whole:
            return self.whole(source)
        assert self.edges is not None, "a format is read whole or in pieces"
        return joined_pieces(self.edges, source)


_LIST, _TABLE = "weighted any-ids columns", "binary weighted any-ids columns weight-column"

# If several formats share a suffix, files with that suffix are written in the first of these formats.
FORMATS = (
    Format("egr", "ECLgraph", (".egr",), "binary weighted", *readers_of(egr), write_egr),
    Format("sg", "GAP serialized graph", (".sg",), "binary", *readers_of(sg), write_sg),
    Format("wsg", "GAP weighted serialized graph", (".wsg",), "binary weighted", *readers_of(wsg)),
    Format(
        "galois",
        "Galois binary graph",
        (".gr", ".galois"),
        "binary",
        *readers_of(galois),
        write_galois,
        rb"[\x01\x02]\0{7}",
    ),
    Format("npz", "scipy.sparse matrix", (".npz",), "binary weighted", None, read_npz, write_npz),
    Format("npy", "NumPy edge array", (".npy",), "binary any-ids columns", npy_edges, read_npy, write_npy),
    Format("parquet", "Parquet table", PARQUET, _TABLE, table_edges),
    Format("arrow", "Arrow table", ARROW, _TABLE, table_edges),
    Format("raw32", "Raw pairs of int32", (".raw32",), "binary any-ids", raw32_edges),
    Format("raw64", "Raw pairs of int64", (".raw64",), "binary any-ids", raw64_edges),
    Format("dups", "List of duplicates of datatrove", (".dups",), "binary any-ids", dups_edges),
    Format(
        "edges",
        "Edge list",
        (".el", ".txt", ".edgelist", ".edges"),
        _LIST,
        list_edges,
        read_list,
        write_edges,
    ),
    Format("csv", "Edge list with commas", (".csv",), _LIST, csv_edges, read_csv, write_csv),
    Format("tsv", "Edge list with tabs", (".tsv",), _LIST, list_edges, read_list, write_tsv),
    Format(
        "mtx", "Matrix Market", (".mtx", ".txt"), "weighted", mtx_edges, None, write_mtx, b"%%MatrixMarket"
    ),
    Format(
        "dimacs",
        "DIMACS graph",
        (".gr", ".dimacs", ".col", ".txt"),
        "weighted",
        dimacs_edges,
        None,
        write_dimacs,
        COMMENTS.pattern + PROBLEM.pattern,
    ),
    Format(
        "ligra",
        "Ligra adjacency graph",
        (".adj", ".ligra", ".adjacencygraph", ".txt"),
        "",
        None,
        read_ligra,
        write_ligra,
        LIGRA_HEADER.pattern,
    ),
    Format("metis", "METIS graph", (".graph", ".metis"), "weighted", None, read_metis, write_metis),
)

NO_WEIGHTS = "is {}, of which no weights are read: give weights beside it, or name the column of a table"
"""The error message for a file whose format has no weights."""


def to_write(path: Path, name: str | None) -> Callable[[Graph, BinaryIO], None]:
    """Return the writer for the named format. If `name` is None, the suffix determines the format."""
    chosen = _named(name) if name is not None else _with_suffix(path)[0]
    if chosen.writer is None:
        raise FormatError(f"is {chosen.title}, which can only be read: choose another format")
    return chosen.writer


def to_read(source: Source, name: str | None) -> Format:
    """Return the named format. If `name` is None, detect the format from the file's suffix and first bytes.

    Options that do not apply to the format raise a FormatError.
    """
    chosen = _of_content(source) if name is None else _named(name)
    if source.weighted and not chosen.has("weighted"):
        raise FormatError(NO_WEIGHTS.format(chosen.title))
    if source.ids == "compact" and not chosen.has("any-ids"):
        raise FormatError(f'is {chosen.title}, whose vertices are numbered: leave out ids="compact"')
    if not (source.header is None or isinstance(source.header, bool)):
        raise FormatError(f"header={source.header!r}: it must be True, False or None")
    if source.header is not None and (chosen.has("binary") or not chosen.has("any-ids")):
        raise FormatError(f"is {chosen.title}, which has no header line: leave out header=")
    if source.columns is not None and not chosen.has("columns"):
        raise FormatError(f"is {chosen.title}, which has no columns to choose from: leave out columns=")
    count = 3 if source.weighted and chosen.has("weight-column") else 2
    if source.columns is not None and not _are_columns(source.columns, count):
        number, weight = ("three", ", of the ids and the weights") if count == 3 else ("two", "")
        raise FormatError(
            f"columns={source.columns!r}: give {number} different ones, names or numbers from 0{weight}"
        )
    return chosen


def _named(name: str) -> Format:
    for known in FORMATS:
        if known.name == name:
            return known
    raise FormatError(f"there is no format {name!r}: choose one of {', '.join(f.name for f in FORMATS)}")


def _of_content(source: Source) -> Format:
    candidates = _with_suffix(source.path)
    if len(candidates) > 1:
        for known in candidates:
            if known.signature and re.match(known.signature, source.beginning):
                return known
    return next((known for known in candidates if known.signature is None), candidates[-1])


def _with_suffix(path: Path) -> list[Format]:
    found = [known for known in FORMATS if base_suffix(path) in known.suffixes]
    if found:
        return found
    suffixes = dict.fromkeys(s for known in FORMATS for s in known.suffixes)
    raise FormatError(
        f"has the suffix {base_suffix(path)!r}, which belongs to no known format: name one with format= "
        f"(--format; for convert, --from or --to), or use {' '.join(suffixes)} "
        f"(and {' '.join(COMPRESSIONS)} after it)"
    )


def _are_columns(columns: object, count: int) -> bool:
    if not isinstance(columns, tuple | list) or len(columns) != count:
        return False
    return all(
        isinstance(column, str) or (isinstance(column, int) and not isinstance(column, bool) and column >= 0)
        for column in columns
    )
