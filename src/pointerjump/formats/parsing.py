"""Fast conversion of text to arrays and back, for all text formats.

Text is parsed in blocks. pyarrow's CSV parser reads regular text, which has the same delimiter and the same
number of fields on every line. If the parser rejects a block, its lines are matched one by one against a
regular expression. If a line does not match, the error message names it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from csv import reader
from itertools import product
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from pointerjump.base.arrow import csv, pa, pc
from pointerjump.errors import FormatError
from pointerjump.formats import patterns
from pointerjump.formats.text import TextBlock, block_of

TAB, LINE_FEED, BLANK = b"\t\n "

PATIENCE = 4  # once this many blocks have needed tidying, all later blocks are tidied first
TIDIED_AT_A_TIME = 1 << 16  # bytes that are tidied at a time, chosen to fit into a core's cache

_COMMENT = re.compile(rb"^[ \t]*[#%][^\n]*(?:\n|\Z)", re.MULTILINE)

_TO_LINES = bytes.maketrans(b" \t\r\v\f", b"\n\n\n\n\n")

_INT32_MAX = 2**31 - 1


def fields_of(line: bytes, delimiter: str) -> list[str]:
    """Return the fields of a line, without surrounding blanks.

    If the delimiter is a blank, a run of blanks counts as one. With any other delimiter, quotes around fields
    are also removed. Only the first 65,536 bytes are read: Python's csv module rejects very long fields.
    """
    decoded = line[: 1 << 16].decode("utf-8", "replace")
    if delimiter == " ":
        return decoded.split()
    return [field.strip() for field in next(reader([decoded], delimiter=delimiter), [])]


class IntegerPairs:
    """A parser for blocks of text with two integers on each line.

    The integers are in the given `columns`. Empty lines, comments and all other fields are ignored. If
    `weighted` is set, the integers must be in the first two columns and be followed by a number. If
    `delimiter` is None, it is whatever separates the first two fields of `line`, the first line of data:
    blanks, tabs or a comma. A line without two integers raises an error whose message ends with `expected`.

    Several threads can use the same parser. They share what the parser learns about the layout of the text,
    which saves time but does not change the results.
    """

    def __init__(
        self,
        line: bytes,
        expected: str,
        columns: tuple[int, int] = (0, 1),
        delimiter: str | None = None,
        *,
        weighted: bool = False,
    ) -> None:
        self.columns = columns
        self.weights: list[Any] = [pa.int64(), pa.float64()] if weighted else [None]
        self.expected = expected
        self.pattern = patterns.integers_at(columns, delimiter) if delimiter else patterns.INTEGER_PAIR
        self.pattern = patterns.WEIGHTED_PAIR if weighted else self.pattern
        pair = re.match(patterns.INTEGER_PAIR.encode(), line)
        between = line[pair.end("source") : pair.start("target")] if pair else b" "
        usual = delimiter or ("," if b"," in between else "\t" if b"\t" in between else " ")
        # If columns are counted, blocks with blanks have to be tidied, because a run of blanks is one
        # delimiter; blocks with tabs must not be, because a run of tabs is several delimiters.
        self.ways: list[tuple[bool, str, int]] = []
        if delimiter != " ":
            self.ways.append((False, usual, width(line, usual)))
        if delimiter != "\t":
            tidy = usual.replace("\t", " ")
            self.ways.append((True, tidy, width(_tidied(line), tidy)))
        self.tidied = 0
        self.types = [pa.int32(), pa.int64(), pa.uint64()]

    def __call__(self, block: TextBlock) -> list[npt.NDArray[Any]]:
        found = self._by_columns(block)
        if found is None:
            sources, targets, *weights = map(to_numpy, self._by_lines(block))
            return [narrowed(sources), narrowed(targets), *weights]
        return [to_numpy(column) for column in found]

    def _by_columns(self, block: TextBlock) -> list[pa.ChunkedArray[Any]] | None:
        tidy = None
        for integer, weight, (tidied, delimiter, fields) in product(self.types, self.weights, self.ways):
            if tidied:
                tidy = tidy or _tidied_block(block)
            types: dict[int, Any] = dict.fromkeys(self.columns, integer) | ({2: weight} if weight else {})
            found = read_columns(
                tidy if tidied and tidy else block, delimiter, fields, types, quoted=delimiter != " "
            )
            if found:
                self.tidied += tidied
                if self.tidied == PATIENCE:
                    self.ways = self.ways[-1:]
                if weight == pa.float64():  # then the joined weights will be float64
                    self.weights = [weight]
                if integer != pa.int32():  # the joined integers will not be int32, so skip that type
                    self.types = sorted([pa.int64(), pa.uint64()], key=lambda each: each != integer)
                return found
        return None

    def _by_lines(self, block: TextBlock) -> list[pa.ChunkedArray[Any]]:
        may_mislead = block.has('"') or block.has(",")
        return matches(
            block,
            self.pattern,
            *(
                dict.fromkeys(patterns.ENDS, integer) | ({"weight": weight} if weight else {})
                for integer, weight in product([pa.int64(), pa.uint64()], self.weights)
            ),
            skip=patterns.COMMENT_LINE,
            refuse=f"{patterns.NO_INTEGER_PAIR}|{patterns.OPEN_QUOTE}" if may_mislead else None,
            expected=self.expected,
        )


def width(line: bytes, delimiter: str) -> int:
    """Return the number of fields that pyarrow finds in a line."""
    if delimiter == " ":
        return line.count(b" ") + 1
    return len(fields_of(line, delimiter))


def _tidied_block(block: TextBlock) -> TextBlock:
    text, pieces, start = block.content, [], 0
    while start < len(text):
        end = text.find(b"\n", start + TIDIED_AT_A_TIME) + 1 or len(text)
        pieces.append(_tidied(text[start:end]))
        start = end
    return block_of(b"".join(pieces), block.place)


def _tidied(lines: bytes) -> bytes:
    """Remove comments, and replace each run of blanks and tabs with a single blank.

    Blanks at the beginning of a line are removed. NumPy replaces blanks ten times as fast as a regular
    expression would.
    """
    if b"#" in lines or b"%" in lines:
        lines = _COMMENT.sub(b"", lines)
    raw = np.frombuffer(lines, np.uint8).copy()
    raw[raw == TAB] = BLANK
    blank = raw == BLANK
    gap = blank | (raw == LINE_FEED)
    keep = ~blank
    keep[1:] |= ~gap[:-1]  # the first blank of a run, unless it begins a line
    return bytes(raw[keep])


def read_columns(
    block: TextBlock,
    delimiter: str,
    fields: int,
    types: Mapping[int, pa.DataType],
    *,
    quoted: bool = False,
) -> list[pa.ChunkedArray[Any]] | None:
    """Parse the columns whose indices are the keys of `types`. Return None if the text is not regular.

    Regular text has the given number of `fields` on every line and fits the types. Empty lines are ignored.
    """
    # pyarrow would accept a quote that is still open at the end of a block.
    if fields <= max(types) or (quoted and np.count_nonzero(block.codes == ord('"')) % 2):
        return None
    if block.has_hexadecimal and any(map(pa.types.is_integer, types.values())):
        return None
    named = {str(i): of_type for i, of_type in types.items()}
    try:
        return _table(
            block, [str(i) for i in range(fields)], named, delimiter=delimiter, quote_char=quoted and '"'
        ).columns
    except pa.ArrowInvalid:
        return None


def _table(block: TextBlock, names: list[str], types: Mapping[str, pa.DataType], **options: Any) -> pa.Table:
    """Parse the columns in `names` that are keys of `types`. Raise ArrowInvalid if the text does not fit."""
    size = block.buffer.size
    if not size:  # pyarrow refuses empty text
        return pa.schema(list(types.items())).empty_table()
    return csv.read_csv(
        cast(Any, pa.BufferReader(block.buffer)),
        # The text is one block if 32 bits can hold its size.
        csv.ReadOptions(column_names=names, block_size=min(size, _INT32_MAX), use_threads=False),
        csv.ParseOptions(**options),
        csv.ConvertOptions(
            column_types=dict(types),
            include_columns=list(types),
            null_values=[],  # an empty field is not a missing number
        ),
    )


def matches(
    block: TextBlock,
    pattern: str,
    *possible: Mapping[str, Any],
    skip: str,
    expected: str,
    refuse: str | None = None,
) -> list[pa.ChunkedArray[Any]]:
    """Match each line against `pattern`, and return the named groups as columns.

    Each mapping in `possible` maps the names of groups to types. The first mapping that fits all lines is
    used. Lines that match `skip` are skipped. Any other line that does not match `pattern` raises an error,
    and so does a line that matches both `pattern` and `refuse`. If no mapping fits all lines, an error is
    raised for the line at which the last remaining mapping fails. Each error message names the line and
    usually ends with `expected`. Patterns are written in RE2 syntax.
    """
    try:
        # To get whole lines, the delimiter is a character that no text contains. It cannot be NUL, which
        # pyarrow refuses.
        table = _table(
            block, ["line"], {"line": pa.binary()}, delimiter="\1", quote_char=False, ignore_empty_lines=False
        )
    except pa.ArrowInvalid as error:
        raise FormatError("is not a text file: it has a byte 1; save it as plain text") from error
    lines: Any = table["line"].combine_chunks()
    found: Any = pc.extract_regex(lines, pattern)
    taken = found.is_valid()
    wrong = pc.invert(pc.or_(taken, pc.match_substring_regex(lines, skip)))
    if refuse:
        wrong = pc.or_(wrong, pc.and_(taken, pc.match_substring_regex(lines, refuse)))
    at = pc.index(wrong, True).as_py()
    if at < 0:
        for types in possible:
            with suppress(pa.ArrowInvalid):
                return [pa.chunked_array([found.field(g).filter(taken).cast(types[g])]) for g in types]
        left: Sequence[Mapping[str, Any]] = possible
        while left:
            at += 1
            if found[at].is_valid:
                left = [types for types in left if _fit(found[at], types)]
        if any(_fit(found[at], types) for types in possible):
            expected = "no integer type holds its ids and those of the lines before it: renumber the ids"
    raise FormatError(f"line {block.place.line + at} is {shown(lines[at].as_py())}: {expected}")


def integers(block: TextBlock, comment: re.Pattern[bytes] | None = None) -> npt.NDArray[Any]:
    """Return the integers in a block. Raise an error for any other word outside comments."""
    text = comment.sub(b"", block.content) if comment else block.content
    one_a_line = block_of(text.translate(_TO_LINES))
    found = read_columns(one_a_line, " ", 1, {0: pa.int64()})
    if found is not None:
        return narrowed(to_numpy(found[0]))
    for number, line in enumerate(block.content.split(b"\n"), block.place.line):
        for word in () if comment and comment.match(line) else line.split():
            if not (re.fullmatch(rb"-?[0-9]+", word) and _converts(pa.scalar(word), pa.int64())):
                raise FormatError(f"line {number} has {shown(word)}, which is not a 64-bit integer")
    raise AssertionError("pyarrow could not convert words that are all integers")


def word_starts(text: bytes) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    r"""Return the start of each word and the number of words per line. The last line may lack a ``\n``."""
    raw = np.frombuffer(text, np.uint8)
    begins = raw > 32
    begins[1:] &= raw[:-1] <= 32
    marks = np.flatnonzero(begins | (raw == 10))
    is_end = raw[marks] == 10
    ends = np.flatnonzero(is_end)
    words_before = ends - np.arange(len(ends))
    starts = marks[~is_end]
    if len(text) and text[-1:] != b"\n":
        words_before = np.append(words_before, len(starts))
    return starts, np.diff(words_before, prepend=0)


def to_numpy(column: pa.ChunkedArray[Any]) -> npt.NDArray[Any]:
    """Convert a column of numbers to an array, which may be read-only."""
    return np.from_dlpack(cast(Any, column.combine_chunks()))  # to_numpy() would import pandas


def narrowed(numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Convert integers to int32 if all of them fit."""
    limits = np.iinfo(np.int32)
    if len(numbers) and (numbers.min() < limits.min or numbers.max() > limits.max):
        return numbers
    return numbers.astype(np.int32)


def write_columns(file: BinaryIO, arrays: list[Any], delimiter: str = " ") -> None:
    """Write `arrays` as columns of text. Strings are quoted if necessary."""
    table = pa.Table.from_arrays([pa.array(a) for a in arrays], names=[*map(str, range(len(arrays)))])
    quoted = any(
        (pa.types.is_string(column.type) or pa.types.is_large_string(column.type))
        and pc.any(pc.match_substring_regex(column, f'["\r\n{delimiter}]')).as_py()
        for column in table.columns
    )
    options = csv.WriteOptions(
        include_header=False,
        delimiter=delimiter,
        quoting_style="needed" if quoted else "none",
        batch_size=1 << 16,
    )
    csv.write_csv(table, file, options)


def shown(text: bytes) -> str:
    """Format the beginning of `text` for an error message."""
    return repr(text[:60].decode("utf-8", "backslashreplace")) + ("..." if len(text) > 60 else "")


def _fit(match: Any, types: Mapping[str, Any]) -> bool:
    return all(_converts(match[group], of_type) for group, of_type in types.items())


def _converts(value: pa.Scalar[Any], of_type: pa.DataType) -> bool:
    try:
        value.cast(of_type)
    except pa.ArrowInvalid:
        return False
    return True
