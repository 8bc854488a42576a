"""Text to arrays and back at C speed: what the text formats share.

Regular text (the same delimiter and number of fields on every line) goes straight through pyarrow's
CSV parser, block by block. Only in blocks that it cannot take are lines looked at one by one, with a
regular expression, which also finds the line to name in an error.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from pointerjump.errors import FormatError
from pointerjump.formats import patterns
from pointerjump.formats.text import BLOCK, Block, Text

if TYPE_CHECKING:
    import pyarrow as pa

IntegerArray = npt.NDArray[Any]

TAB, LINE_FEED, BLANK = b"\t\n "

PATIENCE = 4
"""Blocks that are tried as they are, although it was no use in others."""

PIECE = 1 << 16
"""Bytes that are tidied at a time."""

_COMMENT = re.compile(rb"^[ \t]*[#%][^\n]*(?:\n|\Z)", re.MULTILINE)

_TO_LINES = bytes.maketrans(b" \t\r\v\f", b"\n\n\n\n\n")


def first_line(text: bytes, start: int = 0) -> bytes:
    """Return the line at `start`, without its end."""
    match = re.compile(rb"[^\r\n]*").match(text, start)
    return match[0] if match else b""


def fields_of(line: bytes, delimiter: str) -> list[str]:
    """Return the fields of a line, without blanks and quotes around them; runs of blanks are one.

    What a long line holds beyond its first 65,536 bytes is left out: Python's csv takes no longer fields.
    """
    decoded = line[: 1 << 16].decode("utf-8", "replace")
    if delimiter == " ":
        return decoded.split()
    return [field.strip() for field in next(csv.reader([decoded], delimiter=delimiter), [])]


def integer_pairs(
    text: Text, expected: str, columns: tuple[int, int] = (0, 1), delimiter: str | None = None
) -> tuple[IntegerArray, IntegerArray]:
    """Return two integers of each line that is left.

    Empty lines, comments and other fields do not matter.

    Parameters
    ----------
    columns : (int, int)
        Which fields they are, from 0.
    delimiter : str, optional
        What separates all fields. Default: blanks, tabs or a comma, whichever stands between the
        first two fields of each line.

    Raises
    ------
    FormatError
        Naming the first line that has no two integers; `expected` says what it should have.
    """
    if not text.head:
        return np.empty(0, np.int32), np.empty(0, np.int32)
    parse = _IntegerPairs(first_line(text.head), expected, columns, delimiter)
    first, second = joined(text.parsed(parse))
    return (first, second) if columns[0] < columns[1] else (second, first)


class _IntegerPairs:
    """From a block to the integers in two columns, which come in the order they have in a line."""

    def __init__(self, line: bytes, expected: str, columns: tuple[int, int], delimiter: str | None) -> None:
        import pyarrow as pa

        self.columns = sorted(columns)
        self.expected = expected
        self.pattern = patterns.integers_at(columns, delimiter) if delimiter else patterns.INTEGER_PAIR
        self.delimiter = delimiter or _delimiter_of_pair(line)
        self.width = width(line, self.delimiter)
        self.tidy_delimiter = self.delimiter.replace("\t", " ")
        self.tidy_width = width(_tidied(line), self.tidy_delimiter)
        self.integers = [pa.int32(), pa.int64()]
        self.untidy = 0
        # Where columns are counted, a run of blanks is one delimiter, and a run of tabs is not.
        self.may_be_regular = delimiter != " "
        self.may_be_tidied = delimiter != "\t"

    def __call__(self, block: Block) -> list[IntegerArray]:
        found = None if block.has_hexadecimal() else self._by_columns(block)
        if found is None:
            return [narrowed(to_numpy(column)) for column in self._by_lines(block)]
        if found[0].type == self.integers[-1]:  # then all of the array will be: no need to try int32
            self.integers = self.integers[-1:]
        return [to_numpy(column) for column in found]

    def _by_columns(self, block: Block) -> list[pa.ChunkedArray[Any]] | None:
        tidy = None
        for integer in self.integers:
            found = None
            if self.may_be_regular:
                found = self._columns(block.buffer, self.delimiter, self.width, integer)
            if found is None and self.may_be_tidied:
                tidy = tidy or _tidied_block(block)
                found = self._columns(tidy, self.tidy_delimiter, self.tidy_width, integer)
                self._note_untidy(found is not None)
            if found:
                return found
        return None

    def _note_untidy(self, helped: bool) -> None:
        """Stop trying blocks as they are, once some have turned out to need tidying."""
        self.untidy += helped
        if self.untidy >= PATIENCE:
            self.may_be_regular = False

    def _columns(
        self, text: pa.Buffer, delimiter: str, fields: int, integer: pa.DataType
    ) -> list[pa.ChunkedArray[Any]] | None:
        return columns(text, delimiter, fields, dict.fromkeys(self.columns, integer), quoted=delimiter != " ")

    def _by_lines(self, block: Block) -> list[pa.ChunkedArray[Any]]:
        import pyarrow as pa

        may_mislead = block.has('"') or block.has(",")
        return matches(
            block,
            self.pattern,
            skip=patterns.COMMENT_LINE,
            refuse=f"{patterns.NO_INTEGER_PAIR}|{patterns.OPEN_QUOTE}" if may_mislead else None,
            expected=self.expected,
            of_type=pa.int64(),
        )


def _delimiter_of_pair(line: bytes) -> str:
    """Return what separates the two integers that a line begins with."""
    pair = re.match(patterns.INTEGER_PAIR.encode(), line)
    between = line[pair.end("source") : pair.start("target")] if pair else b" "
    return "," if b"," in between else "\t" if b"\t" in between else " "


def width(line: bytes, delimiter: str) -> int:
    """Return how many fields pyarrow sees in a line."""
    if delimiter == " ":
        return line.count(b" ") + 1
    return len(fields_of(line, delimiter))


def _tidied_block(block: Block) -> pa.Buffer:
    """Return what `_tidied` makes of a block, in pieces that fit a core's cache: it takes half the time."""
    text, pieces, start = block.text, [], 0
    while start < len(text):
        end = text.find(b"\n", start + PIECE) + 1 or len(text)
        pieces.append(_tidied(text[start:end]))
        start = end
    return owned_by_arrow(b"".join(pieces))


def _tidied(lines: bytes) -> bytes:
    """Return lines without comments, and with one blank for every run of blanks and tabs.

    A regular expression does this too, at a tenth of the speed.
    """
    if b"#" in lines or b"%" in lines:
        lines = _COMMENT.sub(b"", lines)
    raw = np.frombuffer(lines, np.uint8).copy()
    raw[raw == TAB] = BLANK
    blank = raw == BLANK
    gap = blank | (raw == LINE_FEED)
    keep = ~blank
    keep[1:] |= ~gap[:-1]  # the first of a run, unless it begins a line
    return bytes(raw[keep])


def owned_by_arrow(text: bytes) -> pa.Buffer:
    """Return a copy of `text` that Arrow's threads may hold on to; see `pointerjump.formats.text`."""
    import pyarrow as pa

    buffer: pa.Buffer = pa.allocate_buffer(len(text))
    memoryview(cast(Any, buffer)).cast("B")[:] = text
    return buffer


def columns(
    text: pa.Buffer,
    delimiter: str,
    fields: int,
    types: Mapping[int, pa.DataType],
    *,
    quoted: bool = False,
) -> list[pa.ChunkedArray[Any]] | None:
    """Return the columns that `types` numbers, or None where the text is not regular.

    Every line of `text` has to have as many `fields`, and each wanted one to be of its type. Empty
    lines do not count.
    """
    import pyarrow as pa
    import pyarrow.csv

    if fields <= max(types) or (quoted and _quote_stays_open(text)):
        return None
    names = [str(i) for i in range(fields)]
    try:
        table = pyarrow.csv.read_csv(
            cast(Any, pa.BufferReader(text)),
            pyarrow.csv.ReadOptions(column_names=names, block_size=2 * BLOCK, use_threads=False),
            pyarrow.csv.ParseOptions(delimiter=delimiter, quote_char='"' if quoted else False),
            pyarrow.csv.ConvertOptions(
                column_types={str(i): of_type for i, of_type in types.items()},
                include_columns=[str(i) for i in types],
                null_values=[],  # an empty field is no number, not a missing one
            ),
        )
    except pa.ArrowInvalid:
        return None
    return table.columns


def _quote_stays_open(text: pa.Buffer) -> bool:
    """Whether a quote may be open at the end, which pyarrow does not mind."""
    quotes = np.count_nonzero(np.frombuffer(cast(Any, text), np.uint8) == ord('"'))
    return bool(quotes % 2)


def matches(
    block: Block,
    pattern: str,
    *,
    skip: str,
    expected: str,
    of_type: pa.DataType,
    refuse: str | None = None,
) -> list[pa.ChunkedArray[Any]]:
    """Return what the named groups of `pattern` match on each line.

    Parameters
    ----------
    pattern, skip, refuse : str
        RE2 patterns: of the lines to take, of those to pass over, and of those not to take although
        they match. Any other line is an error.
    expected : str
        What the error says a line should be.
    of_type : DataType
        What to convert the groups to.

    Returns
    -------
    list of ChunkedArray
        One for each group of `pattern`.

    Raises
    ------
    FormatError
        Naming the number and the text of the first line that is neither, or of the first number
        that does not fit.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    lines = _lines(block)
    found: Any = pc.extract_regex(lines, pattern)
    taken = found.is_valid()
    wrong = pc.invert(pc.or_(taken, pc.match_substring_regex(lines, skip)))
    if refuse:
        wrong = pc.or_(wrong, pc.and_(taken, pc.match_substring_regex(lines, refuse)))
    at = pc.index(wrong, True).as_py()
    if at >= 0:
        raise _bad_line(block.line + at, lines[at].as_py(), expected)
    try:
        return [pa.chunked_array([group.filter(taken).cast(of_type)]) for group in found.flatten()]
    except pa.ArrowInvalid:
        groups = ((i, found[i].values()) for i in range(len(found)) if found[i].is_valid)
        at = next(i for i, values in groups if not all(_converts(v, of_type) for v in values))
        raise _bad_line(block.line + at, lines[at].as_py(), expected) from None


def integers(block: Block, comment: re.Pattern[bytes] | None = None) -> IntegerArray:
    """Return the integers of a block, where there is nothing else but comments.

    Raises
    ------
    FormatError
        Naming the first thing that is no integer of 64 bits.
    """
    import pyarrow as pa

    text = comment.sub(b"", block.text) if comment else block.text
    one_a_line = Block(owned_by_arrow(text.translate(_TO_LINES)), block.line)
    if not text or text.isspace():
        return np.empty(0, np.int32)
    found = None
    if not one_a_line.has_hexadecimal():
        for integer in (pa.int32(), pa.int64()):
            found = found or columns(one_a_line.buffer, " ", 1, {0: integer})
    if found is None:
        raise FormatError(_not_an_integer(block, comment))
    return to_numpy(found[0])


def word_starts(text: bytes) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    r"""Return where each word begins, and how many words each line has.

    Lines end at ``\n``; what follows the last one is a line if it is not empty.
    """
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


def to_numpy(column: pa.ChunkedArray[Any]) -> IntegerArray:
    """Return an integer column as an array, which may be read-only."""
    return np.from_dlpack(cast(Any, column.combine_chunks()))  # to_numpy() would import pandas


def narrowed(numbers: IntegerArray) -> IntegerArray:
    """Return integers as int32, if they fit."""
    limits = np.iinfo(np.int32)
    if len(numbers) and (numbers.min() < limits.min or numbers.max() > limits.max):
        return numbers
    return numbers.astype(np.int32)


def joined(blocks: Sequence[Sequence[IntegerArray]]) -> list[IntegerArray]:
    """Return the columns of all blocks, each in one array, and all of one type."""
    of_type = np.result_type(*(column for block in blocks for column in block))
    return [np.concatenate(parts, dtype=of_type) for parts in zip(*blocks, strict=True)]


def write_columns(file: BinaryIO, arrays: list[Any], delimiter: str = " ") -> None:
    """Write one line for each row of `arrays`; strings are quoted where one needs it."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv

    table = pa.Table.from_arrays([pa.array(a) for a in arrays], names=[*map(str, range(len(arrays)))])
    quoted = any(
        pa.types.is_string(column.type)
        and pc.any(pc.match_substring_regex(column, f'["\r\n{delimiter}]')).as_py()
        for column in table.columns
    )
    options = pyarrow.csv.WriteOptions(
        include_header=False,
        delimiter=delimiter,
        quoting_style="needed" if quoted else "none",
        batch_size=1 << 16,
    )
    pyarrow.csv.write_csv(table, file, options)


def shown(text: bytes) -> str:
    """Return the beginning of `text` as an error message can hold it."""
    return repr(text[:60].decode("utf-8", "backslashreplace")) + ("..." if len(text) > 60 else "")


def _lines(block: Block) -> pa.BinaryArray:
    import pyarrow as pa
    import pyarrow.csv

    try:
        table = pyarrow.csv.read_csv(
            cast(Any, pa.BufferReader(block.buffer)),
            pyarrow.csv.ReadOptions(column_names=["line"], block_size=2 * BLOCK, use_threads=False),
            # A delimiter that no text holds, for whole lines; pyarrow does not take NUL.
            pyarrow.csv.ParseOptions(delimiter="\1", quote_char=False, ignore_empty_lines=False),
            pyarrow.csv.ConvertOptions(column_types={"line": pa.binary()}, null_values=[]),
        )
    except pa.ArrowInvalid as error:
        raise FormatError("is no text file: it has a byte 1") from error
    return cast("pa.BinaryArray", table["line"].combine_chunks())


def _bad_line(number: int, line: bytes, expected: str) -> FormatError:
    return FormatError(f"line {number} is {shown(line)}: {expected}")


def _converts(value: pa.Scalar[Any], of_type: pa.DataType) -> bool:
    import pyarrow as pa

    try:
        value.cast(of_type)
    except pa.ArrowInvalid:
        return False
    return True


def _not_an_integer(block: Block, comment: re.Pattern[bytes] | None) -> str:
    """Say which is the first word, outside comments, that pyarrow could not convert; there is one."""
    import pyarrow as pa

    def wrong(word: bytes) -> bool:
        decimal = re.fullmatch(rb"-?[0-9]+", word) is not None
        return not (decimal and _converts(pa.scalar(word), pa.int64()))

    lines = enumerate(block.text.split(b"\n"), block.line)
    words = (
        (number, word)
        for number, line in lines
        if not (comment and comment.match(line))
        for word in line.split()
    )
    number, word = next((number, word) for number, word in words if wrong(word))
    return f"line {number} has {shown(word)}, which is no 64-bit integer"
