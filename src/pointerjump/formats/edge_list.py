"""Edge lists: two ids a line, as SNAP, GAP, KONECT, SuiteSparse's copies and spreadsheets have them.

Fields are separated by blanks, tabs or commas; a third and later ones are ignored. Lines that begin
with ``#`` or ``%`` are comments. What the ids are, the first two lines of data decide: two integers
on the first make an integer file, two integers on the second make the first a header, and otherwise
ids are strings. ``# vertices N edges M`` among the first comments states the number of vertices and
of data lines. SNAP's ``# Nodes: N Edges: M`` does not: there, ids may be any numbers.
"""

from __future__ import annotations

import csv
import re
from functools import partial
from typing import Any, BinaryIO

import numpy as np

from pointerjump.errors import FormatError
from pointerjump.formats import numbering, parsing
from pointerjump.formats.files import Content, Source
from pointerjump.graph import Graph

LEADING = re.compile(
    rb"(?:[ \t]*(?:[#%][^\r\n]*)?[\r\n]+)*"  # blank lines and comments
    rb"(?:[ \t]*(?:[#%][^\r\n]*)?\Z)?"  # the last of them may lack its line break
)
COUNTS = re.compile(rb"^# vertices ([0-9]+) edges ([0-9]+)\b", re.MULTILINE)
SKIPPED = r"^[ \t]*(?:[#%].*)?$"

# Python's re and pyarrow's RE2 read this alike.
INTEGER_PAIR = (
    r'^[ \t]*"?(?P<source>-?[0-9]+)"?(?:[ \t]*,[ \t]*|[ \t]+)"?(?P<target>-?[0-9]+)"?(?:[ \t,]|$)'
)
STRING_PAIR = {
    " ": r"^[ \t]*(?P<source>[^#%\s]\S*)[ \t]+(?P<target>\S+)",
    "\t": r'^ *(?P<source>[^#%"\s][^\t]*)\t *(?P<target>[^"\s][^\t]*)',
    ",": r'^[ \t]*(?P<source>[^#%",\s][^,]*),[ \t]*(?P<target>[^",\s][^,]*)',
}


def read_edges(source: Source, first_choice: str = "\t") -> Graph:
    """Read an edge list in any shape.

    `first_choice` is the delimiter of string ids where a line holds several; blanks come last.
    """
    text = source.text
    start = _match(LEADING, text, 0).end()
    counts = COUNTS.search(text[:start])
    vertices = int(counts[1]) if counts else source.vertices

    first = _line(text, start)
    second_start = _match(LEADING, text, start + len(first)).end()
    second = _line(text, second_start)
    if start == len(text):
        graph = Graph([0] * ((vertices or 0) + 1), [])
    elif re.match(INTEGER_PAIR.encode(), first):
        graph = _integer_graph(text, start, first, source, vertices)
    elif re.match(INTEGER_PAIR.encode(), second) and re.search(rb"\S[\s,]+\S", first):
        graph = _integer_graph(text, second_start, second, source, vertices)
    else:
        graph = _string_graph(text, start, first, first_choice, source, vertices)

    if counts and int(counts[2]) != graph.records:
        raise FormatError(
            f"states {int(counts[2])} edges and has {graph.records} lines of them: "
            "it is truncated, or its header is wrong"
        )
    return graph


read_csv = partial(read_edges, first_choice=",")


def _integer_graph(
    text: Content, start: int, line: bytes, source: Source, vertices: int | None
) -> Graph:
    import pyarrow as pa

    types = {0: pa.int64(), 1: pa.int64()}
    pair = _match(re.compile(INTEGER_PAIR.encode()), line, 0)
    between = line[pair.end("source") : pair.start("target")]
    delimiter = "," if b"," in between else "\t" if b"\t" in between else " "
    found = None
    if not parsing.has_hexadecimal(text, start):
        fields = len(line.split(delimiter.encode()))
        found = parsing.columns(text, start, delimiter, fields, types, quoted=delimiter != " ")
        if found is None and delimiter != ",":
            tidy = _single_blanks(text[start:])
            fields = len(_line(tidy, 0).split(b" "))
            found = parsing.columns(tidy, 0, " ", fields, types)
    if found is None:
        found = parsing.matches(
            text,
            start,
            INTEGER_PAIR,
            skip=SKIPPED,
            expected="the file began with two 64-bit integer ids a line, and so must go on",
            of_type=pa.int64(),
        )
    sources, targets = map(parsing.to_numpy, found)
    return numbering.graph_of_integers(sources, targets, source, vertices)


def _string_graph(
    text: Content, start: int, line: bytes, first_choice: str, source: Source, vertices: int | None
) -> Graph:
    import pyarrow as pa
    import pyarrow.compute as pc

    if source.ids == "keep":
        raise FormatError(
            f'has string ids ({parsing.shown(line)}), and ids="keep" needs integers: '
            'ids="auto" numbers them'
        )
    delimiter = next((d for d in (first_choice, "\t", ",") if d.encode() in line), " ")
    found = None
    if not re.compile(rb"[\r\n][ \t]*[#%]").search(text, start):
        sample = [line.decode("utf-8", "replace")]
        fields = len(next(csv.reader(sample, delimiter=delimiter)))
        of_type = pa.dictionary(pa.int32(), pa.large_string())
        if fields >= 2:
            found = parsing.columns(
                text, start, delimiter, fields, {0: of_type, 1: of_type}, quoted=delimiter != " "
            )
    if found:
        codes, ids = numbering.encode(pa.chunked_array([*found[0].chunks, *found[1].chunks]))
    if not found or pc.index(ids, pa.scalar("", ids.type)).as_py() >= 0:
        found = parsing.matches(
            text,
            start,
            STRING_PAIR[delimiter],
            skip=SKIPPED,
            expected=f"a line holds two ids, in UTF-8, with {delimiter!r} between them",
            of_type=pa.large_string(),
        )
        codes, ids = numbering.encode(pa.chunked_array([*found[0].chunks, *found[1].chunks]))
    return numbering.graph_of_strings(codes, ids, vertices)


def _line(text: Content, start: int) -> bytes:
    """Return the line at `start`, or the part of it that is enough to know its shape."""
    return _match(re.compile(rb"[^\r\n]{0,65536}"), text, start)[0]


def _match(pattern: re.Pattern[bytes], text: Content, start: int) -> re.Match[bytes]:
    match = pattern.match(text, start)
    assert match is not None, "these patterns match the empty string, or have matched before"
    return match


def _single_blanks(text: bytes) -> bytes:
    """Return `text` with one blank between words and none before them."""
    text = text.replace(b"\t", b" ")
    while b"  " in text:
        text = text.replace(b"  ", b" ")
    return text.replace(b"\n ", b"\n").lstrip(b" ")


def write_edges(graph: Graph, file: BinaryIO, delimiter: str = " ") -> None:
    """Write each undirected edge once, after ``# vertices N edges M``."""
    sources, targets = undirected_edges(graph)
    file.write(f"# vertices {graph.vertices} edges {len(sources)}\n".encode())
    parsing.write_columns(file, [sources, targets], delimiter)


write_csv = partial(write_edges, delimiter=",")
write_tsv = partial(write_edges, delimiter="\t")


def undirected_edges(graph: Graph) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the two ends of each edge, the lower id first; self-loops are edges here."""
    graph = graph.symmetrized()
    sources = graph.sources
    once = sources <= graph.neighbors
    return sources[once], graph.neighbors[once]
