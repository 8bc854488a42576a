"""Edge lists: text files with two ids on each line, such as those from SNAP, GAP, KONECT and spreadsheets.

Fields are separated by blanks, tabs or commas. All fields except ids and requested weights are ignored. Lines
that begin with ``#`` or ``%`` are comments. A comment ``# vertices N edges M`` before the first line of data
states the number of vertices and the number of data lines. SNAP's ``# Nodes: N Edges: M`` is ignored, because
the ids in SNAP files may be arbitrary numbers. :func:`pointerjump.read` explains headers, columns and types
of ids.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from pointerjump.base.arrow import pa, pc
from pointerjump.base.edges import has_empty_id, numbered_strings
from pointerjump.base.graph import Graph
from pointerjump.errors import FormatError, FormatWarning, warn_user
from pointerjump.formats import parsing, patterns
from pointerjump.formats.files import name_of
from pointerjump.formats.outputs import undirected_edges
from pointerjump.formats.parsing import fields_of, shown
from pointerjump.formats.pieces import FileEdges, edges_in_lines, joined_pieces, numbers_of
from pointerjump.formats.sources import Source
from pointerjump.formats.text import BYTE_ORDER_MARK, TextBlock, TextPlace, TextStart, blocks, parsed

LEADING = re.compile(
    rb"(?:[ \t]*(?:[#%][^\r\n]*)?[\r\n]++)*+"  # blank lines and comments
    rb"(?:[ \t]*(?:[#%][^\r\n]*)?\Z)?"  # the last one may lack a line break
)
LINE = re.compile(rb"[^\r\n]*")
MISCOUNTED = "states {stated} edges but has {found} lines of them: it is truncated, or its header is wrong"
COUNTS = re.compile(rb"^# vertices ([0-9]{1,18}) edges ([0-9]{1,18})\b", re.MULTILINE)

_NUMBER = re.compile(
    r"[-+\u2212]?(?:[\d_.,' ]*(?:e[-+]?[0-9]+)?|0x[0-9a-f]+|nan|na|n/a|nil|none|null|inf(?:inity)?)|\?",
    re.IGNORECASE,
)
"""Matches a number in any form, such as +7, 7., 7e3, 0x7 or 7,000, or a missing value: NaN, - or nothing."""


@dataclass(frozen=True)
class EdgeLayout:
    """The layout of an edge list, as determined from its first lines.

    `first` is the first line that contains an edge, and `place` is its position. `columns` are the two
    id columns. `vertices` and `records` are the numbers of vertices and edges, or None if unknown.
    """

    first: bytes
    place: TextPlace
    delimiter: str
    columns: tuple[int, int]
    integers: bool
    vertices: int | None
    records: int | None


def list_edges(source: Source, block: int, usual: str = "\t") -> FileEdges:
    """Return the edges of an edge list with integer ids. Only the first lines are read at this point.

    The delimiter is `usual` if the first line contains it. Otherwise, it is tab, comma or blank, in this
    order of preference.
    """
    return _integer_edges(_layout(source, usual), source, block)


def read_list(source: Source, usual: str = "\t") -> tuple[Graph, npt.NDArray[Any] | None]:
    """Read a whole edge list. Ids may be integers or text, but must be integers if weights are requested."""
    layout = _layout(source, usual)
    if layout.integers or source.weighted:
        return joined_pieces(partial(_integer_edges, layout), source)
    if source.ids == "keep":
        raise FormatError(
            f'has string ids ({shown(layout.first)}), but ids="keep" needs integers: ids="auto" numbers them'
        )
    return _string_graph(source, layout), None


csv_edges = partial(list_edges, usual=",")
read_csv = partial(read_list, usual=",")


def fields_of_lines(source: Source, usual: str, count: int) -> list[list[str]]:
    """Split the first `count` lines of a text into fields.

    The result is empty if the first line is a comment or contains no delimiter (`usual`, tab or comma).
    """
    text = source.beginning.removeprefix(BYTE_ORDER_MARK)
    lines = [line for line in re.findall(rb"[^\r\n]+", text) if line.strip()][:count]
    if not lines or lines[0].lstrip()[:1] in b"#%" or _delimiter(lines[0], usual) == " ":
        return []
    return [fields_of(line, _delimiter(line, usual)) for line in lines]


# -- first lines ---------------------------------------------------------------------------------------


def _layout(source: Source, usual: str) -> EdgeLayout:
    text = TextStart(source)
    leading = text.take(LEADING)
    counts = COUNTS.search(leading[0]) if leading else None
    place, line = text.place, text.line()
    text.take(LINE)
    text.take(LEADING)
    below = text.line()
    _refuse_semicolons(line, place.line, usual)
    header, columns = _header_and_columns(line, below, place.line, source, usual)
    if header:
        line, place = below, text.place
    delimiter = _delimiter(line, usual)
    ids = _at(columns, fields_of(line, delimiter))
    integers = not line or _are_integers(line, columns, delimiter)
    if not integers and source.ids != "compact" and len(ids) == 2 and all(map(_NUMBER.fullmatch, ids)):
        raise FormatError(
            f"line {place.line} is {shown(line)}, whose ids are numbers but not plain integers: write "
            'them as integers, or take all ids as text with ids="compact"'
        )
    vertices, records = map(int, counts.groups()) if counts else (source.vertices, None)
    return EdgeLayout(line, place, delimiter, columns, integers, vertices, records)


def _header_and_columns(
    line: bytes, below: bytes, number: int, source: Source, usual: str
) -> tuple[bool, tuple[int, int]]:
    """Return whether the first line is a header, and which columns contain the ids, as `read` explains."""
    delimiter = _delimiter(line, usual)
    names, values = fields_of(line, delimiter), fields_of(below, delimiter)
    named = any(isinstance(column, str) for column in source.columns or ())
    if named and source.header is False:
        raise FormatError("has no header with names of columns: give the numbers of the columns, from 0")
    index = source.header is not False and _is_index(names, values)
    columns = (1, 2) if index else (0, 1)
    if source.columns:
        left, right = numbers_of(source.columns, names, "its first line")
        if max(left, right) >= patterns.MOST_COLUMNS:
            raise FormatError(f"ids are read from its first {patterns.MOST_COLUMNS} columns: move them there")
        columns = left, right
    if named or index or source.header is not None:
        return named or index or bool(source.header), columns
    ids = _at(columns, names)
    if not line or _are_integers(line, columns, delimiter) or all(map(_NUMBER.fullmatch, ids)):
        return False, columns
    may_be_names = len(ids) == 2 and not any(_NUMBER.fullmatch(id) or id[0].isdigit() for id in ids)
    if not (may_be_names and _are_integers(below, columns, _delimiter(below, usual))):
        raise FormatError(
            f"line {number} is {shown(line)}, which is neither an edge of two integers nor a header above "
            "one: say header=True (--header) if it names columns, header=False (--no-header) if it is an "
            "edge, and columns= (--columns) if the ids are not in the first two; of a table of ids, name the "
            "columns by source= and target= (--source, --target)"
        )
    if len(names) > 2 and not source.columns:
        warn_user(
            f"{name_of(source.path)}: line {number}, {shown(line)}, is read as a header, and its columns "
            f"{' and '.join(shown(id.encode()) for id in ids)} as ids: say columns= (--columns) for others",
            FormatWarning,
        )
    return True, columns


def _is_index(names: list[str], values: list[str]) -> bool:
    """Return whether the first column is an unnamed index written by pandas."""
    if len(names) < 3 or names[0] or len(values) != len(names) or not values[0]:
        return False
    if names[1:] == [str(i) for i in range(len(names) - 1)]:  # pandas' names for unnamed columns
        return values[0] == "0"
    return not any(map(_NUMBER.fullmatch, names[1:3]))


def _delimiter(line: bytes, usual: str) -> str:
    return next((d for d in (usual, "\t", ",") if d.encode() in line), " ")


def _at(columns: tuple[int, int], fields: list[str]) -> list[str]:
    return [fields[column] for column in columns if column < len(fields)]


def _are_integers(line: bytes, columns: tuple[int, int], delimiter: str) -> bool:
    if columns == (0, 1):
        return patterns.begins_with_integers(line)
    ids = _at(columns, fields_of(line, delimiter))
    return len(ids) == 2 and all(re.fullmatch("-?[0-9]+", field) for field in ids)


def _refuse_semicolons(line: bytes, number: int, usual: str) -> None:
    """Raise an error if semicolons in the first line seem to separate fields and not to be parts of ids."""
    unquoted = re.sub(r'"[^"]*"', "quoted", line[: 1 << 16].decode("utf-8", "replace"))
    if ";" not in unquoted:
        return
    if _delimiter(unquoted.encode(), usual) == " ":
        words = unquoted.split()
        between = usual == "," or len(words) < 2 or words[0].endswith(";") or words[1].startswith(";")
    else:
        fields = unquoted.split(";")
        between = len(fields) > 2 and any(re.fullmatch("-?[0-9]+,[0-9]+", field.strip()) for field in fields)
    if between:
        raise FormatError(
            f"line {number} is {shown(line)}: separators are comma, tab and blank, but this file "
            "seems to use ';': replace it, or put ids that hold one in quotes"
        )


# -- ids -----------------------------------------------------------------------------------------------


def _integer_edges(layout: EdgeLayout, source: Source, block: int) -> FileEdges:
    if not layout.integers:
        way_out = "blocks need integers: read it whole, which numbers them"
        if source.weighted:
            way_out = "weights are read beside integers: name the columns, as of a table"
        raise FormatError(f"has string ids ({shown(layout.first)}), but {way_out}")
    expected = "the first edge has two 64-bit integer ids, so each line needs two: correct this one"
    if source.weighted:
        expected = "each line needs two integer ids and then a number, the weight"
        if layout.columns != (0, 1):
            raise FormatError("has ids in other columns than the first two: name the columns, as of a table")
    parse = parsing.IntegerPairs(
        layout.first,
        expected,
        layout.columns,
        None if layout.columns == (0, 1) else layout.delimiter,
        weighted=source.weighted,
    )
    return edges_in_lines(source, block, parse, layout.place, layout.vertices, layout.records, MISCOUNTED)


def _string_graph(source: Source, layout: EdgeLayout) -> Graph:
    fields = parsing.width(layout.first, layout.delimiter)
    found = parsed(lambda block: _strings(block, layout, fields), source, blocks(source, layout.place))
    sources, targets = (
        pa.chunked_array([c for column in part for c in column.chunks]) for part in zip(*found, strict=True)
    )
    if layout.records not in (None, len(sources)):
        raise FormatError(MISCOUNTED.format(stated=layout.records, found=len(sources)))
    return Graph.of_checked(numbered_strings(sources, targets, layout.vertices))


def _strings(block: TextBlock, layout: EdgeLayout, fields: int) -> list[Any]:
    delimiter, found = layout.delimiter, None
    if _is_regular(block, layout):
        types = dict.fromkeys(layout.columns, pa.dictionary(pa.int32(), pa.large_string()))
        found = parsing.read_columns(block, delimiter, fields, types, quoted=delimiter != " ")
    # An empty id may be due to a run of blanks. If not, matching line by line finds the faulty line.
    if found is not None and not any(has_empty_id(ends) for ends in found):
        return found
    lines = parsing.matches(
        block,
        patterns.texts_at(layout.columns, delimiter),
        dict.fromkeys(patterns.ENDS, pa.large_string()),
        skip=patterns.COMMENT_LINE,
        refuse=patterns.OPEN_QUOTE if delimiter != " " else None,
        expected=f"each line needs two ids in UTF-8, with {delimiter!r} between them",
    )

    def without_quotes(ids: Any) -> Any:
        quoted = pc.starts_with(ids, '"')
        inner = pc.replace_substring(pc.utf8_slice_codeunits(ids, 1, -1), '""', '"')
        return pc.if_else(quoted, inner, ids) if pc.any(quoted).as_py() else ids

    return [without_quotes(column).dictionary_encode() for column in lines]


def _is_regular(block: TextBlock, layout: EdgeLayout) -> bool:
    """Return whether pyarrow, if it accepts the block, finds the same ids as the patterns in patterns.py."""
    if (block.has("#") or block.has("%")) and re.search(rb"(?:\A|[\r\n])[ \t]*[#%]", block.content):
        return False
    if layout.delimiter == " ":  # a run of blanks is one delimiter
        return layout.columns == (0, 1) and not block.has("\t")
    # After a blank or within a field, pyarrow treats a quote as text.
    codes = block.codes
    at = np.flatnonzero(codes == ord('"'))
    before, after = codes.take(at - 1, mode="wrap"), codes.take(at + 1, mode="wrap")
    border = list(f'{layout.delimiter}\r\n"'.encode())
    blank = list(b" " if layout.delimiter == "\t" else b" \t")
    within = ~np.isin(before, border) & ~np.isin(after, border + blank)
    return not (within | np.isin(before, blank)).any()


# -- writing -------------------------------------------------------------------------------------------


def write_edges(graph: Graph, file: BinaryIO, delimiter: str = " ") -> None:
    """Write a comment ``# vertices N edges M``, followed by each undirected edge once."""
    sources, targets = undirected_edges(graph)
    file.write(f"# vertices {graph.vertices} edges {len(sources)}\n".encode())
    parsing.write_columns(file, [sources, targets], delimiter)


write_csv = partial(write_edges, delimiter=",")
write_tsv = partial(write_edges, delimiter="\t")
