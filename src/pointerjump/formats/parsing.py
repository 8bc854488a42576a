"""Text to arrays and back at C speed: what the text formats share.

Regular text (the same delimiter and number of fields on every line) goes straight through pyarrow's
multi-threaded CSV parser. Only lines it cannot take are looked at one by one, with a regular
expression, which also finds the line to name in an error.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import numpy.typing as npt

from pointerjump.errors import FormatError
from pointerjump.formats.files import Content

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK = 1 << 22
"""Bytes that one thread parses at a time, and so the longest line that can be read."""

_TO_LINES = bytes.maketrans(b" \t\r\v\f", b"\n\n\n\n\n")


def columns(
    text: Content,
    start: int,
    delimiter: str,
    fields: int,
    types: dict[int, pa.DataType],
    *,
    quoted: bool = False,
) -> list[pa.ChunkedArray[Any]] | None:
    """Return the columns that `types` names, or None where the text is not regular.

    Every line after `start` has to have as many `fields`, and each wanted one to be of its type.
    Empty lines do not count.
    """
    import pyarrow as pa
    import pyarrow.csv

    names = [str(i) for i in range(fields)]
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(pa.py_buffer(text).slice(start)),
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
            passed = pc.match_substring_regex(lines.take(pa.array(unmatched)), skip)
            wrong = unmatched[~passed.to_numpy(zero_copy_only=False)]
            if len(wrong):
                raise _bad_line(first + int(wrong[0]), lines[wrong[0]].as_py(), expected)
        try:
            return [group.filter(found.is_valid()).cast(of_type) for group in found.flatten()]
        except pa.ArrowInvalid:
            for i in range(len(found)):
                if found[i].is_valid and not all(_converts(g, of_type) for g in found[i].values()):
                    raise _bad_line(first + i, lines[i].as_py(), expected) from None
            raise

    lines = _lines(text, start)
    first = 1 + len(text[:start].splitlines())
    firsts = [first + int(n) for n in np.cumsum([0, *(len(chunk) for chunk in lines.chunks)])]
    with ThreadPoolExecutor() as pool:
        blocks = list(pool.map(one_block, lines.chunks, firsts))
    return [pa.chunked_array(list(group), of_type) for group in zip(*blocks, strict=True)]


def integers(text: Content) -> npt.NDArray[np.int64]:
    """Return the integers of a text that holds nothing else, however they are set out.

    Raises
    ------
    FormatError
        Naming the first thing that is no integer of 64 bits.
    """
    import pyarrow as pa

    one_a_line = text[:].translate(_TO_LINES)
    if not one_a_line or one_a_line.isspace():
        return np.empty(0, np.int64)
    found = None if has_hexadecimal(text, 0) else columns(one_a_line, 0, " ", 1, {0: pa.int64()})
    if found is None:
        raise FormatError(_not_an_integer(text))
    return to_numpy(found[0]).astype(np.int64, copy=False)


def word_starts(text: Content) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return where each word begins, and how many words each line has.

    Lines end at ``\\n``; what follows the last one is a line if it is not empty.
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
    return text.find(b"0x", start) >= 0 or text.find(b"0X", start) >= 0


def to_numpy(column: pa.ChunkedArray[Any]) -> npt.NDArray[Any]:
    """Return an integer column as int32 where all of it fits, else as int64."""
    import pyarrow.compute as pc

    low, high = pc.min_max(column).as_py().values()
    limits = np.iinfo(np.int32)
    fits = len(column) == 0 or (low >= limits.min and high <= limits.max)
    array = np.empty(len(column), np.int32 if fits else np.int64)
    at = 0
    for chunk in column.chunks:
        array[at : at + len(chunk)] = chunk.to_numpy()
        at += len(chunk)
    return array


def write_columns(file: BinaryIO, arrays: list[Any], delimiter: str = " ") -> None:
    """Write one line for each row of `arrays`."""
    import pyarrow as pa
    import pyarrow.csv

    names = [str(i) for i in range(len(arrays))]
    options = pyarrow.csv.WriteOptions(
        include_header=False, delimiter=delimiter, quoting_style="none", batch_size=1 << 16
    )
    pyarrow.csv.write_csv(pa.Table.from_arrays(arrays, names=names), file, options)


def shown(text: bytes) -> str:
    """Return the beginning of `text` as an error message can hold it."""
    return repr(text[:60].decode("utf-8", "backslashreplace")) + ("..." if len(text) > 60 else "")


def _lines(text: Content, start: int) -> pa.ChunkedArray[Any]:
    import pyarrow as pa
    import pyarrow.csv

    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(pa.py_buffer(text).slice(start)),
            pyarrow.csv.ReadOptions(column_names=["line"], block_size=BLOCK),
            # NUL, which no text holds: whole lines are wanted.
            pyarrow.csv.ParseOptions(delimiter="\0", quote_char=False, ignore_empty_lines=False),
            pyarrow.csv.ConvertOptions(column_types={"line": pa.binary()}, null_values=[]),
        )
    except pa.ArrowInvalid as error:
        raise FormatError(f"has a line longer than {BLOCK} bytes: is it a text file?") from error
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


def _not_an_integer(text: Content) -> str:
    import pyarrow as pa

    for word in re.finditer(rb"\S+", text):
        decimal = re.fullmatch(rb"-?[0-9]+", word[0])
        if not (decimal and _converts(pa.scalar(word[0]), pa.int64())):
            number = 1 + text[: word.start()].count(b"\n")
            return f"line {number}: {shown(word[0])} is not a 64-bit integer"
    return "holds something that is not an integer"
