"""All formats of graph files, in one table, and which of them a file has.

The command line and the documentation are made from the table.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pointerjump.errors import FormatError
from pointerjump.formats import (
    arrays,
    arrow_ipc,
    dimacs,
    dups,
    ecl,
    edge_list,
    galois,
    gap,
    ligra,
    matrices,
    metis,
    parquet,
    raw,
)
from pointerjump.formats.files import COMPRESSIONS, base_suffix
from pointerjump.formats.pieces import Opener, whole
from pointerjump.formats.sources import Source
from pointerjump.graph import Graph


@dataclass(frozen=True)
class Format:
    """One file format.

    Parameters
    ----------
    name : str
        What ``format=`` and ``--format`` call it.
    title : str
        What it is.
    suffixes : tuple of str
        What its files end in, before ``.gz`` and the like. If formats share a suffix, it is the first
        of them in `FORMATS` that is written.
    binary : bool
        Whether it is a binary format rather than text.
    reader : callable
        Makes a `Graph` of a `Source`.
    writer : callable, optional
        Writes a `Graph`, whose rows hold both directions of every edge, to an open binary file. None if
        this format can only be read.
    any_ids : bool
        Whether ids may be any numbers (or strings), so that ``ids=`` and ``vertices=`` apply.
    columns : bool
        Whether it has columns to choose from, so that ``columns=`` applies.
    signature : bytes, optional
        A regular expression that matches the beginning of its files. It tells formats with the same
        suffix apart.
    edges : callable, optional
        Looks at the beginning of a `Source` and says how its edges are read piece by piece. None if it can
        only be read whole.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    binary: bool
    reader: Callable[[Source], Graph]
    writer: Callable[[Graph, BinaryIO], None] | None
    any_ids: bool = False
    columns: bool = False
    signature: bytes | None = None
    edges: Opener | None = None


def _in_pieces(
    name: str, title: str, suffixes: tuple[str, ...], edges: Opener, *, columns: bool = False
) -> Format:
    """Return a binary format that is only read piece by piece, also if all of it is wanted."""
    return Format(name, title, suffixes, True, whole(edges), None, any_ids=True, columns=columns, edges=edges)


FORMATS: tuple[Format, ...] = (
    Format("egr", "ECLgraph", (".egr",), True, ecl.read_egr, ecl.write_egr, edges=ecl.egr_records),
    Format("sg", "GAP serialized graph", (".sg",), True, gap.read_sg, gap.write_sg, edges=gap.sg_records),
    Format(
        "wsg", "GAP weighted serialized graph", (".wsg",), True, gap.read_wsg, None, edges=gap.wsg_records
    ),
    Format(
        "galois",
        "Galois binary graph",
        (".gr", ".galois"),
        True,
        galois.read_galois,
        galois.write_galois,
        signature=rb"[\x01\x02]\0{7}",
        edges=galois.galois_records,
    ),
    Format("npz", "scipy.sparse matrix", (".npz",), True, matrices.read_npz, matrices.write_npz),
    Format(
        "npy",
        "NumPy edge array",
        (".npy",),
        True,
        arrays.read_npy,
        arrays.write_npy,
        any_ids=True,
        columns=True,
        edges=arrays.npy_records,
    ),
    _in_pieces("parquet", "Parquet table", (".parquet", ".pq"), parquet.parquet_records, columns=True),
    _in_pieces("arrow", "Arrow table", (".arrow", ".feather", ".ipc"), arrow_ipc.arrow_records, columns=True),
    _in_pieces("raw32", "Raw pairs of int32", (".raw32",), raw.raw32_records),
    _in_pieces("raw64", "Raw pairs of int64", (".raw64",), raw.raw64_records),
    _in_pieces("dups", "List of duplicates of datatrove", (".dups",), dups.dups_records),
    Format(
        "edges",
        "Edge list",
        (".el", ".txt", ".edgelist", ".edges"),
        False,
        edge_list.read_edges,
        edge_list.write_edges,
        any_ids=True,
        columns=True,
        edges=edge_list.edge_records,
    ),
    Format(
        "csv",
        "Edge list with commas",
        (".csv",),
        False,
        edge_list.read_csv,
        edge_list.write_csv,
        any_ids=True,
        columns=True,
        edges=edge_list.csv_records,
    ),
    Format(
        "tsv",
        "Edge list with tabs",
        (".tsv",),
        False,
        edge_list.read_edges,
        edge_list.write_tsv,
        any_ids=True,
        columns=True,
        edges=edge_list.edge_records,
    ),
    Format(
        "mtx",
        "Matrix Market",
        (".mtx", ".txt"),
        False,
        matrices.read_mtx,
        matrices.write_mtx,
        signature=rb"%%MatrixMarket",
        edges=matrices.mtx_records,
    ),
    Format(
        "dimacs",
        "DIMACS graph",
        (".gr", ".dimacs", ".col", ".txt"),
        False,
        dimacs.read_dimacs,
        dimacs.write_dimacs,
        signature=dimacs.COMMENTS.pattern + dimacs.PROBLEM.pattern,
        edges=dimacs.dimacs_records,
    ),
    Format(
        "ligra",
        "Ligra adjacency graph",
        (".adj", ".ligra", ".adjacencygraph", ".txt"),
        False,
        ligra.read_ligra,
        ligra.write_ligra,
        signature=ligra.HEADER.pattern,
    ),
    Format("metis", "METIS graph", (".graph", ".metis"), False, metis.read_metis, metis.write_metis),
)


def by_name(name: str) -> Format:
    """Return the format of that name."""
    for known in FORMATS:
        if known.name == name:
            return known
    raise FormatError(
        f"there is no format {name!r}: choose one of {', '.join(known.name for known in FORMATS)}"
    )


def to_write(path: Path) -> Format:
    """Return the format to write at `path`: the suffix decides."""
    return _with_suffix(path)[0]


def to_read(source: Source) -> Format:
    """Return the format of a file: its suffix decides and, if several formats share that, its content."""
    source.path.stat()  # raises the error for a missing file, before any about its suffix
    if source.path.is_dir():
        raise FormatError("is a folder: name a file in it")
    candidates = _with_suffix(source.path)
    if len(candidates) == 1:
        return candidates[0]
    for known in candidates:
        if known.signature and re.match(known.signature, source.beginning):
            return known
    return next((known for known in candidates if known.signature is None), candidates[-1])


def _with_suffix(path: Path) -> list[Format]:
    suffix = base_suffix(path)
    candidates = [known for known in FORMATS if suffix in known.suffixes]
    if not candidates:
        suffixes = dict.fromkeys(s for known in FORMATS for s in known.suffixes)
        raise FormatError(
            f"has the suffix {suffix!r}, which belongs to no known format: name one with format= "
            f"(--format; for convert, --from or --to), or use {' '.join(suffixes)} "
            f"(and {' '.join(COMPRESSIONS)} after it)"
        )
    return candidates


def require_applicable(source: Source, chosen: Format) -> None:
    """Refuse arguments that do not apply to a format, or that make no sense."""
    if source.ids == "compact" and not chosen.any_ids:
        raise FormatError(f'is {chosen.title}, whose vertices are numbered: leave out ids="compact"')
    if source.header is not None and (chosen.binary or not chosen.any_ids):
        raise FormatError(f"is {chosen.title}, which has no header line: leave out header=")
    if source.columns is None:
        return
    if not chosen.columns:
        raise FormatError(f"is {chosen.title}, which has no columns to choose from: leave out columns=")
    if not _are_two_columns(source.columns):
        raise FormatError(f"columns={source.columns!r}: give two different ones, names or numbers from 0")


def _are_two_columns(columns: object) -> bool:
    if not isinstance(columns, tuple | list) or len(columns) != 2 or columns[0] == columns[1]:
        return False
    return all(
        isinstance(column, str) or (isinstance(column, int) and not isinstance(column, bool) and column >= 0)
        for column in columns
    )
