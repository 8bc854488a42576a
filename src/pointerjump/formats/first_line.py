"""What the first line of an edge list says about the others: header, delimiter, columns, kind of ids.

The first line is a header or an edge. The first of these rules that applies decides:

1. It is what the caller says, if the caller says so.
2. It is an edge if it holds two integers.
3. It is a header if it holds a pair of names that edge lists usually have for the ends of an edge
   (`NAMES`). The ids are in the columns of these names.
4. It is a header if its first field is empty and two or more follow: this is what pandas' ``to_csv``
   writes above its index. The ids are in the next two columns. If pandas has numbered these columns
   because they had no names, this rule goes before the second.
5. It is an edge if one of its two ids is a number, because a header holds no numbers.
6. It is a header if the next line has two integers, or if, in a column without ids, it has text and the
   next line a number. If there are more than two columns, a warning names the two that were taken.
7. It is an edge. But nobody can tell ``who,whom`` from ``ann,bob``, so a warning says how it was read.

The first edge then decides what ids are. If it has two integers, all ids are integers. If it has two
numbers that are not plain integers, such as ``1.0`` or ``+1``, that is an error: as text, ``1`` and
``1.0`` would be two vertices. All else is text, unless the next line has two integers: that is an error
too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations

from pointerjump.errors import FormatError, FormatWarning, warn_user
from pointerjump.formats.files import name_of
from pointerjump.formats.parsing import fields_of, shown
from pointerjump.formats.patterns import MOST_COLUMNS, NUMBER, begins_with_integers
from pointerjump.formats.sources import Source

NAMES = frozenset(
    frozenset(pair.split())
    for pair in (
        "source target",
        "src dst",
        "src dest",
        "from to",
        "head tail",
        "left right",
        "start end",
        "u v",
        "sourceid targetid",
        "srcid dstid",
        "fromid toid",
        "fromnode tonode",
        "fromnodeid tonodeid",
        "startid endid",
        "sourcenode targetnode",
        "id1 id2",
        "node1 node2",
        "vertex1 vertex2",
        "nodea nodeb",
        "ida idb",
        "idl idr",
        "idleft idright",
        "leftid rightid",
        "uniqueidl uniqueidr",
    )
)
"""Pairs of names for the ends of an edge, in either order; only letters, in lower case, and digits count."""

MISSING = frozenset(["", "-", "?", ".", "na", "n/a", "nan", "nil", "none", "null", "inf", "infinity", "-inf"])
"""Text that means a missing number and so is not the name of a column, in lower case."""


@dataclass(frozen=True)
class Layout:
    """How to read the lines of an edge list."""

    header: bool
    delimiter: str
    columns: tuple[int, int]
    integers: bool


@dataclass(frozen=True)
class Line:
    """A line of a file and its number; after the end of the file, its text is empty."""

    text: bytes
    number: int


def layout_of(first: Line, second: Line, source: Source, first_choice: str, *, counted: bool) -> Layout:
    """Return how to read a file that begins with these two lines.

    Parameters
    ----------
    first, second : Line
        The first two lines that are not comments.
    source : Source
        What the caller says: whether there is a header, and which columns hold the ids.
    first_choice : str
        The delimiter to take if a line holds several; a blank is taken last.
    counted : bool
        Whether the file states how many edges it has. If so, a header that is read as an edge does not
        go unnoticed.
    """
    _refuse_semicolons(first, first_choice)
    header, columns = _header_and_columns(first, second.text, source, first_choice)
    edge = second if header else first
    delimiter = delimiter_of(edge.text, first_choice)
    integers = not edge.text or _are_integers(edge.text, columns, delimiter)
    if not integers:
        ids = _at(fields_of(edge.text, delimiter), columns)
        _refuse_numbers(ids, edge, source)
        if not header and source.header is None:
            above_integers = _are_integers(second.text, columns, delimiter_of(second.text, first_choice))
            _refuse_half_a_number(ids, edge, above_integers)
            if not counted:
                _warn_of_text(ids, edge, source)
    return Layout(header, delimiter, columns, integers)


def delimiter_of(line: bytes, first_choice: str) -> str:
    """Return what separates the fields of a line."""
    return next((d for d in (first_choice, "\t", ",") if d.encode() in line), " ")


def _header_and_columns(
    line: Line, second: bytes, source: Source, first_choice: str
) -> tuple[bool, tuple[int, int]]:
    """Return whether the first line is a header, by the rules above, and which columns hold the ids."""
    first = line.text
    delimiter = delimiter_of(first, first_choice)
    names = fields_of(first, delimiter)
    header = _stated_header(source)
    stated = _looked_up(source.columns, names) if source.columns else None
    if header is False:
        return False, stated or (0, 1)
    # If pandas has numbered the columns, the header holds two integers as well.
    after_index = _columns_after_index(names, second, delimiter)
    if header is None and not after_index and _are_integers(first, stated or (0, 1), delimiter):
        return False, stated or (0, 1)
    usual = after_index or _columns_of_usual_names(names, delimiter)
    columns = stated or usual or (0, 1)
    if header or usual:
        return True, columns
    ids = _at(names, columns)
    if len(ids) < 2 or any(map(_is_number, ids)):
        return False, columns
    delimiter = delimiter_of(second, first_choice)
    header = _are_integers(second, columns, delimiter) or _text_above_number(
        names, fields_of(second, delimiter), columns
    )
    if header and len(names) > 2 and not stated:
        _warn_of_columns(line, ids, source)
    return header, columns


def _text_above_number(names: list[str], below: list[str], columns: tuple[int, int]) -> bool:
    """Whether a column that holds no ids has text in the first line and a number in the second."""
    return len(names) == len(below) and any(
        name.lower() not in MISSING and not _is_number(name) and _is_number(field)
        for column, (name, field) in enumerate(zip(names, below, strict=True))
        if column not in columns
    )


def _stated_header(source: Source) -> bool | None:
    """Return whether there is a header, if the caller says so: columns with names need one."""
    if not source.columns or all(isinstance(column, int) for column in source.columns):
        return source.header
    if source.header is False:
        raise FormatError("has no header with names of columns: give the numbers of the columns, from 0")
    return True


def _columns_of_usual_names(names: list[str], delimiter: str) -> tuple[int, int] | None:
    """Return the two columns whose names are a pair of `NAMES`, or None.

    Words between blanks may be a sentence, so only the first two of them count.
    """
    looked_at = names[:2] if delimiter == " " else names[:20]
    plain = [re.sub(r"[^a-z0-9]", "", name.lower()) for name in looked_at]
    pairs = combinations(range(len(plain)), 2)
    return next(((i, j) for i, j in pairs if {plain[i], plain[j]} in NAMES), None)


def _columns_after_index(names: list[str], second: bytes, delimiter: str) -> tuple[int, int] | None:
    """Return the two columns after an index of pandas, which has no name, or None if there is none."""
    below = fields_of(second, delimiter)
    if len(names) < 3 or names[0] or len(below) != len(names) or not below[0]:
        return None
    if names[1:] == [str(i) for i in range(len(names) - 1)]:  # what pandas calls columns without names
        return (1, 2) if below[0] == "0" else None
    return None if any(map(_is_number, names[1:3])) else (1, 2)


def _looked_up(columns: tuple[str | int, str | int], names: list[str]) -> tuple[int, int]:
    """Return the numbers of columns that the caller gives by name or by number."""
    return _number_of(columns[0], names), _number_of(columns[1], names)


def _number_of(column: str | int, names: list[str]) -> int:
    if isinstance(column, int):
        if column >= min(len(names), MOST_COLUMNS):
            raise FormatError(f"has no column {column}: its first line has {len(names)}, numbered from 0")
        return column
    if names.count(column) != 1:
        there = ", ".join(map(repr, names[:20])) + (", ..." if len(names) > 20 else "")
        fault = f"{names.count(column)} columns" if column in names else "no column"
        raise FormatError(f"has {fault} called {column!r}: its first line has {there}")
    return _number_of(names.index(column), names)


def _at(fields: list[str], columns: tuple[int, int]) -> list[str]:
    return [fields[column] for column in columns if column < len(fields)]


def _is_number(field: str) -> bool:
    return NUMBER.fullmatch(field) is not None


def _are_integers(line: bytes, columns: tuple[int, int], delimiter: str) -> bool:
    if columns == (0, 1):
        return begins_with_integers(line)
    ids = _at(fields_of(line, delimiter), columns)
    return len(ids) == 2 and all(re.fullmatch("-?[0-9]+", field) for field in ids)


def _refuse_numbers(ids: list[str], edge: Line, source: Source) -> None:
    """Refuse 1.0 and the like, unless the caller has asked for any ids to be renumbered."""
    if len(ids) == 2 and all(map(_is_number, ids)) and source.ids != "compact":
        raise FormatError(
            f"line {edge.number} is {shown(edge.text)}, whose ids are numbers but not plain integers: write "
            'them as integers, or take all ids as text with ids="compact"'
        )


def _refuse_half_a_number(ids: list[str], edge: Line, above_integers: bool) -> None:
    if above_integers and len(ids) == 2 and any(map(_is_number, ids)):
        raise FormatError(
            f"line {edge.number} is {shown(edge.text)}, which is neither two integers nor a header, but the "
            "next line holds two integers: correct it, or say header=True (--header) or header=False "
            "(--no-header)"
        )


def _refuse_semicolons(line: Line, first_choice: str) -> None:
    """Refuse a line whose fields are separated by semicolons."""
    unquoted = re.sub(r'"[^"]*"', "quoted", line.text[: 1 << 16].decode("utf-8", "replace"))
    if ";" in unquoted and _are_between_fields(
        unquoted, delimiter_of(unquoted.encode(), first_choice), first_choice
    ):
        raise FormatError(
            f"line {line.number} is {shown(line.text)}: separators are comma, tab and blank, but this file "
            "seems to use ';': replace it, or put ids that hold one in quotes"
        )


def _are_between_fields(line: str, delimiter: str, first_choice: str) -> bool:
    """Whether the semicolons of a line separate its fields, and are not part of ids."""
    if delimiter == " ":
        words = line.split()
        beside_blank = len(words) < 2 or words[0].endswith(";") or words[1].startswith(";")
        return beside_blank or first_choice == ","
    fields = line.split(";")
    return len(fields) > 2 and any(re.fullmatch("-?[0-9]+,[0-9]+", field.strip()) for field in fields)


def _warn_of_columns(line: Line, names: list[str], source: Source) -> None:
    left, right = (shown(name.encode()) for name in names)
    warn_user(
        f"{name_of(source.path)}: line {line.number}, {shown(line.text)}, is read as a header, and its "
        f"columns {left} and {right} as ids: say columns= (--columns) for others, header=False (--no-header) "
        "if it is an edge",
        FormatWarning,
    )


def _warn_of_text(ids: list[str], edge: Line, source: Source) -> None:
    if len(ids) == 2 and not any(map(_is_number, ids)):
        warn_user(
            f"{name_of(source.path)}: line {edge.number}, {shown(edge.text)}, is read as an edge: say "
            "header=True (--header) if it is a header, header=False (--no-header) if not",
            FormatWarning,
        )
