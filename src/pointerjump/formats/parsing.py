"""Text to arrays and back at C speed: what the text formats share.

Regular text (the same delimiter and number of fields on every line) goes straight through pyarrow's
multi-threaded CSV parser. Only lines it cannot take are looked at one by one, with a regular
expression, which also finds the line to name in an error.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from pointerjump.errors import FormatError
from pointerjump.formats.files import Content

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK = 1 << 20
"""Bytes that one thread parses at a time, and so the longest line that can be read."""

TAB, LINE_FEED, BLANK = b"\t\n "

COMMENT_LINE = r"^[ \t]*(?:[#%].*)?$"
INTEGER_PAIR = r'^[ \t]*"?(?P<source>-?[0-9]+)"?(?:[ \t]*,[ \t]*|[ \t]+)"?(?P<target>-?[0-9]+)"?(?:[ \t,]|$)'
"""Two integers, and what follows them; Python's re and pyarrow's RE2 read it alike."""

_COMMENT = re.compile(rb"^[ \t]*[#%][^\n]*(?:\n|\Z)", re.MULTILINE)

_TO_LINES = bytes.maketrans(b" \t\r\v\f", b"\n\n\n\n\n")


def after(text: Content, start: int) -> Any:
    """Return what follows `start` as a file for pyarrow, without a copy."""
    import pyarrow as pa

    return pa.BufferReader(pa.py_buffer(text).slice(start))


def first_line(text: Content, start: int) -> bytes:
    """Return the line at `start`, or the part of it that is enough to know its shape."""
    return bytes(text[start : start + 65536]).splitlines()[0] if start < len(text) else b""


def begins_with_integers(line: bytes) -> bool:
    """Whether the first two fields of a line are integers."""
    return re.match(INTEGER_PAIR.encode(), line) is not None


def integer_pairs(text: Content, start: int, expected: str) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the first two integers of each line after `start`.

    Blanks, tabs or commas separate them; empty lines, comments and further fields do not matter.

    Raises
    ------
    FormatError
        Naming the first line that has no two integers; `expected` says what it should have.
    """
    import pyarrow as pa

    if start == len(text):
        return np.empty(0, np.int32), np.empty(0, np.int32)
    line = first_line(text, start)
    pair = re.match(INTEGER_PAIR.encode(), line)
    found = None
    if pair and not has_hexadecimal(text, start):
        between = line[pair.end("source") : pair.start("target")]
        delimiter = "," if b"," in between else "\t" if b"\t" in between else " "
        fields = len(line.split(delimiter.encode()))
        tidy_delimiter = delimiter.replace("\t", " ")
        tidy_fields = len(_tidied(line).split(tidy_delimiter.encode()))
        for integer in (pa.int32(), pa.int64()):
            types = {0: integer, 1: integer}
            found = (
                found
                or columns(after(text, start), delimiter, fields, types, quoted=delimiter != " ")
                or columns(Tidied(text, start), tidy_delimiter, tidy_fields, types)
            )
    if found is None:
        found = matches(text, start, INTEGER_PAIR, skip=COMMENT_LINE, expected=expected, of_type=pa.int64())
    return to_numpy(found[0]), to_numpy(found[1])


class Tidied(io.RawIOBase):
    """What follows `start`, without comments, and with one blank for every run of them.

    A regular expression does this too, at a tenth of the speed.
    """

    def __init__(self, text: Content, start: int) -> None:
        self.text = text
        self.at = start

    def readable(self) -> bool:
        """Whether this can be read: yes."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Return whole lines of `size` bytes at most, tidied; nothing at the end only."""
        tidy = b""
        while not tidy and self.at < len(self.text):
            block = self.text[self.at : self.at + size]
            lines = block[: block.rfind(b"\n") + 1] if len(block) == size else block
            self.at += len(lines) or size
            tidy = _tidied(lines) if lines else block  # what has no line end, pyarrow refuses
        return tidy


def _tidied(lines: bytes) -> bytes:
    if b"#" in lines or b"%" in lines:
        lines = _COMMENT.sub(b"", lines)
    raw = np.frombuffer(lines, np.uint8).copy()
    raw[raw == TAB] = BLANK
    blank = raw == BLANK
    gap = blank | (raw == LINE_FEED)
    keep = ~blank
    keep[1:] |= ~gap[:-1]  # the first of a run, unless it begins a line
    return bytes(raw[keep])


def columns(
    file: Any,
    delimiter: str,
    fields: int,
    types: Mapping[int, pa.DataType],
    *,
    quoted: bool = False,
) -> list[pa.ChunkedArray[Any]] | None:
    """Return the columns that `types` numbers, or None where the text is not regular.

    Every line of `file` has to have as many `fields`, and each wanted one to be of its type. Empty
    lines do not count.
    """
    import pyarrow as pa
    import pyarrow.csv

    if fields <= max(types):
        return None
    names = [str(i) for i in range(fields)]
    try:
        table = pyarrow.csv.read_csv(
            file,
            pyarrow.csv.ReadOptions(column_names=names, block_size=BLOCK),
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


def matches(
    text: Content,
    start: int,
    pattern: str,
    *,
    skip: str,
    expected: str,
    of_type: pa.DataType,
) -> list[pa.ChunkedArray[Any]]:
    """Return what the named groups of `pattern` match on each line after `start`.

    Parameters
    ----------
    pattern, skip : str
        RE2 patterns: of the lines to take, and of those to pass over. Any other line is an error.
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

    def one_block(lines: pa.BinaryArray, first: int) -> list[pa.Array[Any]]:
        found: Any = pc.extract_regex(lines, pattern)
        unmatched = np.flatnonzero(found.is_null().to_numpy(zero_copy_only=False))
        if len(unmatched):
            passed = pc.match_substring_regex(lines.take(unmatched), skip)
            wrong = unmatched[~passed.to_numpy(zero_copy_only=False)]
            if len(wrong):
                raise _bad_line(first + int(wrong[0]), lines[wrong[0]].as_py(), expected)
        try:
            return [group.filter(found.is_valid()).cast(of_type) for group in found.flatten()]
        except pa.ArrowInvalid:
            groups = ((i, found[i].values()) for i in range(len(found)) if found[i].is_valid)
            i = next(i for i, values in groups if not all(_converts(v, of_type) for v in values))
            raise _bad_line(first + i, lines[i].as_py(), expected) from None

    lines = _lines(text, start)
    first = 1 + len(text[:start].splitlines())
    firsts = [first + int(n) for n in np.cumsum([0, *(len(chunk) for chunk in lines.chunks)])]
    with ThreadPoolExecutor() as pool:
        blocks: Any = list(pool.map(one_block, lines.chunks, firsts))
    return [pa.chunked_array(list(group)) for group in zip(*blocks, strict=True)]


def integers(text: Content, start: int) -> npt.NDArray[np.int64]:
    """Return the integers after `start`, where there is nothing else, however they are set out.

    Raises
    ------
    FormatError
        Naming the first thing that is no integer of 64 bits.
    """
    import pyarrow as pa

    one_a_line = text[start:].translate(_TO_LINES)
    if not one_a_line or one_a_line.isspace():
        return np.empty(0, np.int64)
    found = None if has_hexadecimal(text, start) else columns(after(one_a_line, 0), " ", 1, {0: pa.int64()})
    if found is None:
        raise FormatError(_not_an_integer(text, start))
    return to_numpy(found[0])


def word_starts(text: Content) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
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


def has_hexadecimal(text: Content, start: int) -> bool:
    """Whether there is a 0x, which pyarrow would read as a number."""
    # Looking for one byte costs a hundredth of the parsing; for two, of which one is 0, much more.
    return any(text.find(x, start) >= 0 and text.find(b"0" + x, start) >= 0 for x in (b"x", b"X"))


def to_numpy(column: pa.ChunkedArray[Any]) -> npt.NDArray[Any]:
    """Return an integer column as an array, which may be read-only."""
    return np.from_dlpack(cast(Any, column.combine_chunks()))  # to_numpy() would import pandas


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


def _lines(text: Content, start: int) -> pa.ChunkedArray[Any]:
    import pyarrow as pa
    import pyarrow.csv

    try:
        table = pyarrow.csv.read_csv(
            after(text, start),
            pyarrow.csv.ReadOptions(column_names=["line"], block_size=BLOCK),
            # A delimiter that no text holds, for whole lines; pyarrow does not take NUL.
            pyarrow.csv.ParseOptions(delimiter="\1", quote_char=False, ignore_empty_lines=False),
            pyarrow.csv.ConvertOptions(column_types={"line": pa.binary()}, null_values=[]),
        )
    except pa.ArrowInvalid as error:
        raise FormatError(f"is no text file: it has a byte 1, or a line longer than {BLOCK} bytes") from error
    return table["line"]


def _bad_line(number: int, line: bytes, expected: str) -> FormatError:
    return FormatError(f"line {number} is {shown(line)}: {expected}")


def _converts(value: pa.Scalar[Any], of_type: pa.DataType) -> bool:
    import pyarrow as pa

    try:
        value.cast(of_type)
    except pa.ArrowInvalid:
        return False
    return True


def _not_an_integer(text: Content, start: int) -> str:
    """Say which is the first word after `start` that pyarrow could not convert; there is one."""
    import pyarrow as pa

    def wrong(word: bytes) -> bool:
        decimal = re.fullmatch(rb"-?[0-9]+", word) is not None
        return not (decimal and _converts(pa.scalar(word), pa.int64()))

    words = re.compile(rb"\S+").finditer(text, start)
    word = next(word for word in words if wrong(word[0]))
    number = 1 + text[: word.start()].count(b"\n")
    return f"line {number} (comments not counted) has {shown(word[0])}, which is no 64-bit integer"
