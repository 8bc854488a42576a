"""Edge lists: two ids on each line, as in files of SNAP, GAP and KONECT, and from spreadsheets.

Fields are separated by blanks, tabs or commas; those that do not hold ids are ignored. Lines that begin
with ``#`` or ``%`` are comments. `pointerjump.formats.first_line` says what the first line of data
decides. ``# vertices N edges M`` among the first comments states the number of vertices and of data
lines. SNAP's ``# Nodes: N Edges: M`` does not, because ids in such a file may be any numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, BinaryIO

import numpy as np

from pointerjump import numbering
from pointerjump.errors import FormatError
from pointerjump.formats import parsing, patterns
from pointerjump.formats.files import base_suffix
from pointerjump.formats.first_line import LOOKED_AT, FirstLines, Layout, Line, layout_of, names_pairs
from pointerjump.formats.pieces import Bounds, EdgeRecords
from pointerjump.formats.sources import Source
from pointerjump.formats.text import Block, Place, Text
from pointerjump.formats.text_pieces import Lines, text_records
from pointerjump.graph import Graph

LEADING = re.compile(
    rb"(?:[ \t]*(?:[#%][^\r\n]*)?[\r\n]++)*+"  # blank lines and comments
    rb"(?:[ \t]*(?:[#%][^\r\n]*)?\Z)?"  # the last of them may have no line break
)
MISCOUNTED = "states {stated} edges but has {found} lines of them: it is truncated, or its header is wrong"
COUNTS = re.compile(rb"^# vertices ([0-9]{1,18}) edges ([0-9]{1,18})\b", re.MULTILINE)


def read_edges(source: Source, first_choice: str = "\t") -> Graph:
    """Read an edge list with any delimiter.

    If the first line has several delimiters, `first_choice` is taken; a blank is taken last.
    """
    text = source.text
    beginning = _beginning(text, source, first_choice)
    if beginning.layout.integers:
        graph = _integer_graph(text, beginning, source)
    else:
        graph = _string_graph(text, beginning, source)
    if beginning.records not in (None, graph.records):
        raise FormatError(MISCOUNTED.format(stated=beginning.records, found=graph.records))
    return graph


def edge_records(source: Source, bounds: Bounds, first_choice: str = "\t") -> EdgeRecords:
    """Look at the beginning of an edge list with integer ids."""
    text = source.text
    beginning = _beginning(text, source, first_choice)
    if not beginning.layout.integers:
        raise FormatError(
            f"has string ids ({parsing.shown(parsing.first_line(text.head))}), but blocks need integers: "
            "read it whole, which numbers them"
        )
    parse = _integer_pairs(text, beginning.layout)
    lines = Lines(parse, beginning.place, beginning.vertices, beginning.records, MISCOUNTED)
    return text_records(source, lines, bounds)


def has_names_of_pairs(source: Source) -> bool:
    """Return whether text begins with a line that names columns of pairs, and so is a table."""
    return names_pairs(_first_lines(source.text, "\t" if base_suffix(source.path) == ".tsv" else ","))


read_csv = partial(read_edges, first_choice=",")
csv_records = partial(edge_records, first_choice=",")


@dataclass(frozen=True)
class _Beginning:
    """What an edge list says before its first edge, and where that is."""

    layout: Layout
    vertices: int | None
    records: int | None
    place: Place


def _beginning(text: Text, source: Source, first_choice: str) -> _Beginning:
    """Pass over all that comes before the first edge."""
    counts = COUNTS.search(text.skip(LEADING))
    place = text.place
    lines = _first_lines(text, first_choice)
    layout = layout_of(lines, source, counted=counts is not None)
    if layout.header:
        text.pass_over(len(lines.first.text))
        text.skip(LEADING)
        place = text.place
    if counts:
        return _Beginning(layout, int(counts[1]), int(counts[2]), place)
    return _Beginning(layout, source.vertices, None, place)


def _first_lines(text: Text, first_choice: str) -> FirstLines:
    """Return the first lines of data; comments after the first of them may be passed over."""
    first = Line(parsing.first_line(text.head), text.line)
    following, number = text.look_past(len(first.text), LEADING)
    lines = (match[0] for match in re.finditer(rb"[^\r\n]+", following))
    data = (line for line in lines if not re.match(rb"[ \t]*(?:[#%]|\Z)", line))
    below = list(islice(data, LOOKED_AT))
    return FirstLines(first, Line(parsing.first_line(following), number), below, first_choice)


def _integer_pairs(text: Text, layout: Layout) -> parsing.IntegerPairs:
    """Return what parses the edges of a text, at whose first edge the text is."""
    usual = layout.columns == (0, 1)
    return parsing.IntegerPairs(
        parsing.first_line(text.head),
        "the first edge has two 64-bit integer ids, so each line needs two: correct this one",
        layout.columns,
        None if usual else layout.delimiter,
    )


def _integer_graph(text: Text, beginning: _Beginning, source: Source) -> Graph:
    sources, targets = parsing.joined(text.parsed(_integer_pairs(text, beginning.layout)))
    return Graph.of_edges(sources, targets, beginning.vertices, ids=source.ids)


def _string_graph(text: Text, beginning: _Beginning, source: Source) -> Graph:
    import pyarrow as pa

    layout = beginning.layout
    line = parsing.first_line(text.head)
    if source.ids == "keep":
        raise FormatError(
            f'has string ids ({parsing.shown(line)}), but ids="keep" needs integers: ids="auto" numbers them'
        )
    fields = parsing.width(line, layout.delimiter)
    blocks = text.parsed(lambda block: _strings(block, layout, fields))
    sources, targets = (
        pa.chunked_array([c for column in part for c in column.chunks]) for part in zip(*blocks, strict=True)
    )
    return Graph.of_numbered(numbering.numbered_strings(sources, targets, beginning.vertices))


def _strings(block: Block, layout: Layout, fields: int) -> list[Any]:
    """Return the two columns of ids of a block, dictionary-encoded."""
    import pyarrow as pa

    found = None
    if _is_regular(block, layout):
        types = dict.fromkeys(layout.columns, pa.dictionary(pa.int32(), pa.large_string()))
        quoted = layout.delimiter != " "
        found = parsing.read_columns(block, layout.delimiter, fields, types, quoted=quoted)
    # An empty id may come from a run of blanks. If it does not, looking line by line finds the wrong one.
    if found is not None and not any(numbering.has_empty_id(ends) for ends in found):
        return found
    lines = parsing.matches(
        block,
        patterns.texts_at(layout.columns, layout.delimiter),
        skip=patterns.COMMENT_LINE,
        refuse=patterns.OPEN_QUOTE if layout.delimiter != " " else None,
        expected=f"each line needs two ids in UTF-8, with {layout.delimiter!r} between them",
        types=dict.fromkeys(patterns.ENDS, pa.large_string()),
    )
    return [_without_quotes(column).dictionary_encode() for column in lines]


def _is_regular(block: Block, layout: Layout) -> bool:
    """Whether pyarrow's parser, if it takes a block at all, finds the same ids in it as patterns do."""
    if layout.delimiter == " ":
        counted = layout.columns != (0, 1)  # a run of blanks is one delimiter
        return not (counted or block.has("\t") or _has_comments(block))
    return not (_has_odd_quotes(block, layout.delimiter) or _has_comments(block))


def _has_odd_quotes(block: Block, delimiter: str) -> bool:
    """Whether a quote may stand after a blank or within a field, where pyarrow takes it as text."""
    codes = block.codes
    at = np.flatnonzero(codes == ord('"'))
    before, after = codes.take(at - 1, mode="wrap"), codes.take(at + 1, mode="wrap")
    border = list(f'{delimiter}\r\n"'.encode())
    blank = list(b" " if delimiter == "\t" else b" \t")
    within = ~np.isin(before, border) & ~np.isin(after, border + blank)
    return bool((within | np.isin(before, blank)).any())


def _without_quotes(ids: Any) -> Any:
    """Return ids without the quotes around them; two quotes within stand for one."""
    import pyarrow.compute as pc

    quoted = pc.starts_with(ids, '"')
    if not pc.any(quoted).as_py():
        return ids
    inner = pc.replace_substring(pc.utf8_slice_codeunits(ids, 1, -1), '""', '"')
    return pc.if_else(quoted, inner, ids)


def _has_comments(block: Block) -> bool:
    if not block.has("#") and not block.has("%"):  # fast, and usual
        return False
    return re.search(rb"(?:\A|[\r\n])[ \t]*[#%]", block.content) is not None


def write_edges(graph: Graph, file: BinaryIO, delimiter: str = " ") -> None:
    """Write each undirected edge once, after ``# vertices N edges M``."""
    sources, targets = undirected_edges(graph)
    file.write(f"# vertices {graph.vertices} edges {len(sources)}\n".encode())
    parsing.write_columns(file, [sources, targets], delimiter)


write_csv = partial(write_edges, delimiter=",")
write_tsv = partial(write_edges, delimiter="\t")


def undirected_edges(graph: Graph) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the two ends of each edge of a symmetric graph, the lower id first; self-loops are included."""
    sources = graph.sources
    once = sources <= graph.neighbors
    return sources[once], graph.neighbors[once]
