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
COUNTS = re.compile(rb"^# vertices ([0-9]{1,18}) edges ([0-9]{1,18})\b", re.MULTILINE)

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
    start = start_of_data(text)
    counts = COUNTS.search(text[:start])
    vertices = int(counts[1]) if counts else source.vertices

    first = parsing.first_line(text, start)
    second_start = start_of_data(text, start + len(first))
    second = parsing.first_line(text, second_start)
    if start == len(text):
        graph = Graph.from_edges([], [], vertices=vertices or 0)
    elif parsing.begins_with_integers(first):
        graph = _integer_graph(text, start, source, vertices)
    elif parsing.begins_with_integers(second) and re.search(rb"\S[\s,]+\S", first):
        graph = _integer_graph(text, second_start, source, vertices)
    else:
        graph = _string_graph(text, start, first, first_choice, source, vertices)

    if counts and int(counts[2]) != graph.records:
        raise FormatError(
            f"states {int(counts[2])} edges and has {graph.records} lines of them: "
            "it is truncated, or its header is wrong"
        )
    return graph


read_csv = partial(read_edges, first_choice=",")


def _integer_graph(text: Content, start: int, source: Source, vertices: int | None) -> Graph:
    sources, targets = parsing.integer_pairs(
        text, start, "the file began with two 64-bit integer ids a line, and so must go on"
    )
    return numbering.graph_of_integers(sources, targets, source, vertices)


def _string_graph(
    text: Content, start: int, line: bytes, first_choice: str, source: Source, vertices: int | None
) -> Graph:
    import pyarrow as pa

    if source.ids == "keep":
        raise FormatError(
            f'has string ids ({parsing.shown(line)}), and ids="keep" needs integers: ids="auto" numbers them'
        )
    delimiter = next((d for d in (first_choice, "\t", ",") if d.encode() in line), " ")
    found = None
    if not _has_comments(text, start):
        fields = len(next(csv.reader([line.decode("utf-8", "replace")], delimiter=delimiter)))
        of_type = pa.dictionary(pa.int32(), pa.large_string())
        found = parsing.columns(
            parsing.after(text, start),
            delimiter,
            fields,
            {0: of_type, 1: of_type},
            quoted=delimiter != " ",
        )
    # An empty id may be a run of blanks; if it is none, there is a line to name.
    if found is None or any(numbering.has_empty_id(ends) for ends in found):
        found = parsing.matches(
            text,
            start,
            STRING_PAIR[delimiter],
            skip=parsing.COMMENT_LINE,
            expected=f"a line holds two ids, in UTF-8, with {delimiter!r} between them",
            of_type=pa.large_string(),
        )
    return numbering.graph_of_strings(found[0], found[1], vertices)


def _has_comments(text: Content, start: int) -> bool:
    if text.find(b"#", start) < 0 and text.find(b"%", start) < 0:  # fast, and usual
        return False
    return re.compile(rb"[\r\n][ \t]*[#%]").search(text, start) is not None


def start_of_data(text: Content, start: int = 0) -> int:
    """Return where the first line after `start` begins that is neither blank nor a comment."""
    leading = LEADING.match(text, start)
    assert leading is not None, "the pattern matches the empty string, too"
    return leading.end()


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
