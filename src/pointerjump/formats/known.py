"""The table of all formats of graph files, and how a file's format is found.

The command line and the documentation are made from the table. To add a format, write a module with its
reader, and a row here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy.typing as npt

from pointerjump.base.graph import Graph
from pointerjump.errors import FormatError
from pointerjump.formats import adjacency, arrow, dimacs, dups, edge_list, matrices, records
from pointerjump.formats.files import COMPRESSIONS, base_suffix
from pointerjump.formats.pieces import FileEdges, joined_pieces, joined_with_weights
from pointerjump.formats.sources import Source
from pointerjump.formats.stored_rows import (
    edges_of,
    egr,
    galois,
    graph_of,
    sg,
    weighted_graph_of,
    write_egr,
    write_galois,
    write_sg,
    wsg,
)


@dataclass(frozen=True)
class Format:
    """One file format.

    Parameters
    ----------
    name : str
        Its name for ``format=`` and ``--format``.
    title : str
        A description.
    suffixes : tuple of str
        The suffixes of its files, before ``.gz`` and the like. If formats share one, the first in `FORMATS`
        is written.
    binary : bool
        Whether it is a binary format rather than text.
    edges : callable, optional
        Reads the beginning of a `Source`, and returns how its edges are read piece by piece. None if it can
        only be read whole.
    writer : callable, optional
        Writes a `Graph`, whose rows hold both directions of every edge, to an open binary file. None if
        this format can only be read.
    whole : callable, optional
        Makes a `Graph` from a `Source`. Default: joins all pieces.
    any_ids : bool
        Whether ids may be any numbers (or strings), so that ``ids=`` and ``vertices=`` apply.
    columns : bool
        Whether it has columns to choose from, so that ``columns=`` applies.
    signature : bytes, optional
        A regular expression for the beginning of its files, which tells formats with the same suffix apart.
    weighted : callable, optional
        Makes a `Graph` and an array of the weights of its stored edges. None if weights are not read from
        this format.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    binary: bool
    edges: Callable[[Source, int], FileEdges] | None
    writer: Callable[[Graph, BinaryIO], None] | None = None
    whole: Callable[[Source], Graph] | None = None
    any_ids: bool = False
    columns: bool = False
    signature: bytes | None = None
    weighted: Callable[[Source], tuple[Graph, npt.NDArray[Any]]] | None = None

    def read(self, source: Source) -> Graph:
        """Return the graph of a whole file."""
        if self.whole:
            return self.whole(source)
        assert self.edges is not None, "a format is read whole or in pieces"
        return joined_pieces(self.edges, source)


FORMATS: tuple[Format, ...] = (
    Format(
        "egr",
        "ECLgraph",
        (".egr",),
        True,
        edges_of(egr),
        write_egr,
        graph_of(egr),
        weighted=weighted_graph_of(egr),
    ),
    Format("sg", "GAP serialized graph", (".sg",), True, edges_of(sg), write_sg, graph_of(sg)),
    Format(
        "wsg",
        "GAP weighted serialized graph",
        (".wsg",),
        True,
        edges_of(wsg),
        None,
        graph_of(wsg),
        weighted=weighted_graph_of(wsg),
    ),
    Format(
        "galois",
        "Galois binary graph",
        (".gr", ".galois"),
        True,
        edges_of(galois),
        write_galois,
        graph_of(galois),
        signature=rb"[\x01\x02]\0{7}",
    ),
    Format(
        "npz",
        "scipy.sparse matrix",
        (".npz",),
        True,
        None,
        matrices.write_npz,
        matrices.read_npz,
        weighted=matrices.read_npz_with_weights,
    ),
    Format(
        "npy",
        "NumPy edge array",
        (".npy",),
        True,
        records.npy_edges,
        records.write_npy,
        records.read_npy,
        any_ids=True,
        columns=True,
    ),
    Format(
        "parquet",
        "Parquet table",
        (".parquet", ".pq"),
        True,
        arrow.table_edges,
        any_ids=True,
        columns=True,
        weighted=partial(joined_with_weights, arrow.table_edges),
    ),
    Format(
        "arrow",
        "Arrow table",
        (".arrow", ".feather", ".ipc"),
        True,
        arrow.table_edges,
        any_ids=True,
        columns=True,
        weighted=partial(joined_with_weights, arrow.table_edges),
    ),
    Format("raw32", "Raw pairs of int32", (".raw32",), True, records.raw32_edges, any_ids=True),
    Format("raw64", "Raw pairs of int64", (".raw64",), True, records.raw64_edges, any_ids=True),
    Format("dups", "List of duplicates of datatrove", (".dups",), True, dups.dups_edges, any_ids=True),
    Format(
        "edges",
        "Edge list",
        (".el", ".txt", ".edgelist", ".edges"),
        False,
        edge_list.list_edges,
        edge_list.write_edges,
        edge_list.read_list,
        any_ids=True,
        columns=True,
        weighted=partial(joined_with_weights, edge_list.list_edges),
    ),
    Format(
        "csv",
        "Edge list with commas",
        (".csv",),
        False,
        edge_list.csv_edges,
        edge_list.write_csv,
        edge_list.read_csv,
        any_ids=True,
        columns=True,
        weighted=partial(joined_with_weights, edge_list.csv_edges),
    ),
    Format(
        "tsv",
        "Edge list with tabs",
        (".tsv",),
        False,
        edge_list.list_edges,
        edge_list.write_tsv,
        edge_list.read_list,
        any_ids=True,
        columns=True,
        weighted=partial(joined_with_weights, edge_list.list_edges),
    ),
    Format(
        "mtx",
        "Matrix Market",
        (".mtx", ".txt"),
        False,
        matrices.mtx_edges,
        matrices.write_mtx,
        signature=rb"%%MatrixMarket",
        weighted=partial(joined_with_weights, matrices.mtx_edges),
    ),
    Format(
        "dimacs",
        "DIMACS graph",
        (".gr", ".dimacs", ".col", ".txt"),
        False,
        dimacs.dimacs_edges,
        dimacs.write_dimacs,
        signature=dimacs.COMMENTS.pattern + dimacs.PROBLEM.pattern,
        weighted=partial(joined_with_weights, dimacs.dimacs_edges),
    ),
    Format(
        "ligra",
        "Ligra adjacency graph",
        (".adj", ".ligra", ".adjacencygraph", ".txt"),
        False,
        None,
        adjacency.write_ligra,
        adjacency.read_ligra,
        signature=adjacency.LIGRA_HEADER.pattern,
    ),
    Format(
        "metis",
        "METIS graph",
        (".graph", ".metis"),
        False,
        None,
        adjacency.write_metis,
        adjacency.read_metis,
        weighted=adjacency.read_metis_with_weights,
    ),
)


NO_WEIGHTS = "is {}, of which no weights are read: give weights beside it, or name the column of a table"
"""The error for a file whose format has no weights."""


def format_of(source: Source) -> Format | None:
    """Return the format of a file, or None if its suffix means none.

    Where formats share a suffix, the beginning of the file decides. The same `source` can then be read.
    """
    candidates = _with_suffix(source.path)
    if len(candidates) > 1:
        for known in candidates:
            if known.signature and re.match(known.signature, source.beginning):
                return known
    unsigned = [known for known in candidates if known.signature is None]
    return next(iter([*unsigned, *candidates[::-1]]), None)


def to_write(path: Path, name: str | None) -> Callable[[Graph, BinaryIO], None]:
    """Return the writer of a named format, or else of the suffix's."""
    chosen = _named(name) if name is not None else (_with_suffix(path) or [_unknown(path)])[0]
    if chosen.writer is None:
        raise FormatError(f"is {chosen.title}, which can only be read: choose another format")
    return chosen.writer


def to_read(source: Source, name: str | None) -> Format:
    """Return the named format, or else that of a file's suffix or, if formats share it, of its content.

    The caller's options have to suit the format.
    """
    if name is None:
        source.path.stat()  # raises the error for a missing file, before any about its suffix
        if source.path.is_dir():
            raise FormatError("is a folder: name a file in it")
    chosen = (format_of(source) or _unknown(source.path)) if name is None else _named(name)
    if source.ids == "compact" and not chosen.any_ids:
        raise FormatError(f'is {chosen.title}, whose vertices are numbered: leave out ids="compact"')
    if not (source.header is None or isinstance(source.header, bool)):
        raise FormatError(f"header={source.header!r}: it must be True, False or None")
    if source.header is not None and (chosen.binary or not chosen.any_ids):
        raise FormatError(f"is {chosen.title}, which has no header line: leave out header=")
    if source.columns is not None and not chosen.columns:
        raise FormatError(f"is {chosen.title}, which has no columns to choose from: leave out columns=")
    count = 3 if source.weighted and chosen.edges is arrow.table_edges else 2
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


def _with_suffix(path: Path) -> list[Format]:
    return [known for known in FORMATS if base_suffix(path) in known.suffixes]


def _unknown(path: Path) -> NoReturn:
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
