"""What the first line of an edge list says about the others: header, delimiter, columns, kind of ids.

The first line is a header or an edge. The first of these rules that applies decides:

1. It is what the caller says, if the caller says so.
2. It is an edge if it holds two integers.
3. It is a header if it holds a pair of names that columns with the ends of edges usually have; see
   `pointerjump.formats.end_names`. The ids are in the columns of these names. But the rule is passed over
   if an id below looks like one of these names: above ``node3,node4``, ``node1,node2`` is an edge.
4. It is a header if its first field is empty and two or more follow: this is what pandas' ``to_csv``
   writes above its index. The ids are in the next two columns. If pandas has numbered these columns
   because they had no names, this rule goes before the second.
5. It is an edge if one of its two ids is a number, because a header holds no numbers.
6. It is a header if the next line has two integers, or if, in a column without ids, it has text and the
   next line a number. If there are more than two columns, a warning names the two that were taken.
   Above two integers, something that cannot be the name of a column is an error.
7. It is a header if all ids below have a digit and its own two have none, as ``buyer,seller`` above UUIDs.
   It may be an edge all the same, so a warning says how it was read.
8. It is an edge. But nobody can tell ``who,whom`` from ``ann,bob``, so a warning says how it was read.

Rules 3 and 7 look at `LOOKED_AT` lines.

The first edge then decides what ids are. If it has two integers, all ids are integers. If it has two
numbers that are not plain integers, such as ``1.0`` or ``+1``, that is an error: as text, ``1`` and
``1.0`` would be two vertices. All else is text, unless the next line has two integers: if there is no
header, or an id is some kind of number, that is an error too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pointerjump.errors import FormatError, FormatWarning, warn_user
from pointerjump.formats.end_names import EndNames, columns_of_ends, looks_like
from pointerjump.formats.files import name_of
from pointerjump.formats.parsing import fields_of, shown
from pointerjump.formats.patterns import MOST_COLUMNS, NUMBER, begins_with_integers
from pointerjump.formats.sources import Source

MISSING = frozenset(["", "-", "?", ".", "na", "n/a", "nan", "nil", "none", "null", "inf", "infinity", "-inf"])
"""Text that means a missing number and so is not the name of a column, in lower case."""


Columns = tuple[int, int]

LOOKED_AT = 100
"""How many lines below the first are looked at."""


@dataclass(frozen=True)
class Layout:
    """How to read the lines of an edge list."""

    header: bool
    delimiter: str
    columns: Columns
    integers: bool


@dataclass(frozen=True)
class Line:
    """A line of a file and its number; after the end of the file, its text is empty."""

    text: bytes
    number: int


@dataclass(frozen=True)
class FirstLines:
    """The lines that a file begins with, apart from comments.

    Parameters
    ----------
    first, second : Line
        The first two.
    below : sequence of bytes
        The second and some of those after it; none if the file ends before.
    first_choice : str
        The delimiter to take if a line holds several; a blank is taken last.
    """

    first: Line
    second: Line
    below: Sequence[bytes]
    first_choice: str

    def delimiter_of(self, line: bytes) -> str:
        """Return what separates the fields of a line."""
        return next((d for d in (self.first_choice, "\t", ",") if d.encode() in line), " ")

    def fields_of(self, line: bytes) -> list[str]:
        """Return the fields of a line."""
        return fields_of(line, self.delimiter_of(line))

    def ids_below(self, columns: Columns) -> list[list[str]]:
        """Return the ids of each line below the first, if they are in these columns."""
        return [_integers_of(line, columns) or _at(self.fields_of(line), columns) for line in self.below]


def layout_of(lines: FirstLines, source: Source, *, counted: bool) -> Layout:
    """Return how to read a file that begins with these lines.

    Parameters
    ----------
    lines : FirstLines
        Its first lines.
    source : Source
        What the caller says: whether there is a header, and which columns hold the ids.
    counted : bool
        Whether the file states how many edges it has. If so, a line that is taken for what it is not does
        not go unnoticed.
    """
    _refuse_semicolons(lines)
    header, columns = _header_and_columns(lines, source, counted=counted)
    edge = lines.second if header else lines.first
    delimiter = lines.delimiter_of(edge.text)
    integers = not edge.text or _are_integers(edge.text, columns, delimiter)
    if not integers:
        ids, others = _at(lines.fields_of(edge.text), columns), lines.ids_below(columns)[header:]
        _refuse_numbers(ids, others, edge, source)
        if not header and source.header is None:
            _refuse_half_a_number(ids, edge, above_integers=bool(others) and _are_plain(others[0]))
            if not counted:
                _warn_of_text(ids, edge, source)
    return Layout(header, delimiter, columns, integers)


def names_pairs(lines: FirstLines) -> bool:
    """Return whether the first line names columns of pairs beyond doubt: by rule 3, between delimiters."""
    line = lines.first.text
    ends = _columns_of_usual_names(lines)
    if ends is None or not ends.sure or lines.delimiter_of(line) == " " or line.startswith((b"#", b"%")):
        return False
    return not _may_be_ids(_at(lines.fields_of(line), ends.columns), ends, lines)


def _header_and_columns(lines: FirstLines, source: Source, *, counted: bool) -> tuple[bool, Columns]:
    """Return whether the first line is a header, by the rules above, and which columns hold the ids."""
    line = lines.first
    names = lines.fields_of(line.text)
    header = _stated_header(source)
    stated = _looked_up(source.columns, names) if source.columns else None
    if header is False:
        return False, stated or (0, 1)
    # If pandas has numbered the columns, the header holds two integers as well.
    after_index = _columns_after_index(lines)
    if after_index:
        return True, stated or after_index
    if header is None and _are_integers(line.text, stated or (0, 1), lines.delimiter_of(line.text)):
        return False, stated or (0, 1)
    ends = _columns_of_usual_names(lines)
    columns = stated or (ends.columns if ends else (0, 1))
    if header:
        return True, columns
    if ends and (ends.sure or not counted) and not _may_be_ids(_at(names, ends.columns), ends, lines):
        if not ends.sure:
            _warn_of_header(line, _at(names, columns), source, len(names))
        return True, columns
    columns = stated or (0, 1)
    return _is_header_by_what_follows(lines, columns, source, counted=counted), columns


def _is_header_by_what_follows(lines: FirstLines, columns: Columns, source: Source, *, counted: bool) -> bool:
    """Whether a first line without names that are known is a header, by rules 5 to 8."""
    names, others = lines.fields_of(lines.first.text), lines.ids_below(columns)
    ids = _at(names, columns)
    if len(ids) < 2 or any(map(_is_number, ids)) or not others:
        return False
    if _are_plain(others[0]):
        header = certain = _may_be_names(ids)
    else:
        certain = False
        header = _text_above_number(names, lines.fields_of(lines.below[0]), columns) or (
            not counted and _may_be_names(ids) and _only_others_have_digits(ids, others)
        )
    if header and not (certain and (len(names) == 2 or source.columns)):
        _warn_of_header(lines.first, ids, source, len(names))
    return header


def _may_be_names(ids: list[str]) -> bool:
    """Whether two fields may be the names of columns, of which an index may have none."""
    return any(ids) and not any(id_ and (_is_some_number(id_) or id_[0].isdigit()) for id_ in ids)


def _only_others_have_digits(ids: list[str], others: list[list[str]]) -> bool:
    """Whether all of several lines have a digit in each id, and the first line has none."""
    all_others = all(_has_digit(field) for fields in others for field in fields)
    return len(others) > 1 and all_others and not any(map(_has_digit, ids))


def _has_digit(field: str) -> bool:
    return any(map(str.isdigit, field))


def _may_be_ids(pair: list[str], ends: EndNames, lines: FirstLines) -> bool:
    """Whether an id below looks so much like two names that they may be ids themselves."""
    return any(looks_like(field, pair) for fields in lines.ids_below(ends.columns) for field in fields)


def _text_above_number(names: list[str], below: list[str], columns: Columns) -> bool:
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


def _columns_of_usual_names(lines: FirstLines) -> EndNames | None:
    """Return the two columns that name the ends of an edge, or None.

    Words between blanks may be a sentence, so only the first two of them count.
    """
    names, below = lines.fields_of(lines.first.text), lines.fields_of(lines.second.text)
    fractions = {i for i, field in enumerate(below) if _is_number(field) and not _is_integer(field)}
    looked_at = names[:2] if lines.delimiter_of(lines.first.text) == " " else names
    return columns_of_ends(looked_at, [i for i in range(len(looked_at)) if i not in fractions])


def _columns_after_index(lines: FirstLines) -> Columns | None:
    """Return the two columns after an index of pandas, which has no name, or None if there is none."""
    delimiter = lines.delimiter_of(lines.first.text)
    names, below = (fields_of(line.text, delimiter) for line in (lines.first, lines.second))
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


def _at(fields: list[str], columns: Columns) -> list[str]:
    return [fields[column] for column in columns if column < len(fields)]


def _integers_of(line: bytes, columns: Columns) -> list[str]:
    """Return the two integers that a line begins with, whatever separates them; none if it does not."""
    if columns != (0, 1) or not begins_with_integers(line):
        return []
    return re.findall("-?[0-9]+", line[: 1 << 16].decode("utf-8", "replace"))[:2]


def _is_number(field: str) -> bool:
    return NUMBER.fullmatch(field) is not None


def _is_integer(field: str) -> bool:
    return re.fullmatch("-?[0-9]+", field) is not None


def _is_some_number(field: str) -> bool:
    """Whether a field is a number in any writing, or stands for one that is missing."""
    only_digits = re.fullmatch(r"[-+\u2212]?[\d_.,' ]*", field) is not None
    return only_digits or _is_number(field) or field.lower().lstrip("+-") in MISSING


def _are_plain(ids: list[str]) -> bool:
    return len(ids) == 2 and all(map(_is_integer, ids))


def _are_integers(line: bytes, columns: Columns, delimiter: str) -> bool:
    if columns == (0, 1):
        return begins_with_integers(line)
    return _are_plain(_at(fields_of(line, delimiter), columns))


def _refuse_numbers(ids: list[str], others: list[list[str]], edge: Line, source: Source) -> None:
    """Refuse 1.0 and the like, unless the caller has asked for any ids to be renumbered.

    ``NaN``, ``1_000`` and ``0b1`` may be text. They are not if all ids below are numbers, and some of them
    plain integers.
    """
    if len(ids) < 2 or source.ids == "compact":
        return
    above_numbers = any(map(_are_plain, others)) and all(
        _is_some_number(field) for fields in others for field in fields
    )
    like_numbers = all(_is_some_number(field) or re.fullmatch(r"[-+]?\d\w*", field) for field in ids)
    if (above_numbers and like_numbers) or all(map(_is_number, ids)):
        raise FormatError(
            f"line {edge.number} is {shown(edge.text)}, whose ids are numbers but not plain integers: write "
            'them as integers, or take all ids as text with ids="compact"'
        )


def _refuse_half_a_number(ids: list[str], edge: Line, *, above_integers: bool) -> None:
    if above_integers and len(ids) == 2:
        raise FormatError(
            f"line {edge.number} is {shown(edge.text)}, which is neither two integers nor a header, but the "
            "next line holds two integers: correct it, or say header=True (--header) or header=False "
            "(--no-header)"
        )


def _refuse_semicolons(lines: FirstLines) -> None:
    """Refuse a first line whose fields are separated by semicolons."""
    line = lines.first
    unquoted = re.sub(r'"[^"]*"', "quoted", line.text[: 1 << 16].decode("utf-8", "replace"))
    if ";" in unquoted and _are_between_fields(
        unquoted, lines.delimiter_of(unquoted.encode()), lines.first_choice
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


def _warn_of_header(line: Line, names: list[str], source: Source, fields: int) -> None:
    left, right = (shown(name.encode()) for name in names)
    columns = f", and its columns {left} and {right} as ids: say columns= (--columns) for others, "
    warn_user(
        f"{name_of(source.path)}: line {line.number}, {shown(line.text)}, is read as a header"
        f"{columns if fields > 2 else ': say header=True (--header) if it is, '}header=False (--no-header) "
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
