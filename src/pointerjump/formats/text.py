"""Reads text in blocks of whole lines, once and in order, so that text may come from a pipe.

The memory of a block is owned by Arrow, because Arrow's threads may still use the block while Python is
shutting down. If a thread then returned the memory to Python, the process would crash.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.arrow import pa
from pointerjump.base.integers import concatenated
from pointerjump.errors import FormatError
from pointerjump.formats import sources
from pointerjump.formats.files import MORE_MEMORY
from pointerjump.formats.sources import Source

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

ColumnsT = TypeVar("ColumnsT", bound=Sequence[Any])


class TextPlace(NamedTuple):
    """A position between two lines of a text: how many bytes come before it, and the next line's number."""

    byte: int
    line: int


FIRST_LINE = TextPlace(0, 1)


@dataclass(frozen=True)
class TextBlock:
    """A block of whole lines, starting at `place` in a text. Arrow owns the memory.

    `bytes_read` is the number of bytes that have been read from the file, including this block.
    """

    buffer: pa.Buffer
    place: TextPlace = FIRST_LINE
    bytes_read: int = 0

    @cached_property
    def content(self) -> bytes:
        """A copy of the text, for regular expressions."""
        return self.buffer.to_pybytes()

    @property
    def codes(self) -> npt.NDArray[np.uint8]:
        """The bytes of the text as an array of integers, without a copy."""
        return np.frombuffer(cast(Any, self.buffer), np.uint8)

    @cached_property
    def end(self) -> TextPlace:
        return TextPlace(self.place.byte + self.buffer.size, self.place.line + line_ends(self.codes))

    def has(self, character: str) -> bool:
        return bool((self.codes == ord(character)).any())

    @cached_property
    def has_hexadecimal(self) -> bool:
        """Whether the text contains "0x" or "0X", which pyarrow would read as the beginning of a number."""
        if self.codes.max(initial=0) < ord("X"):  # a quick test: usually, all are digits and punctuation
            return False
        return re.search(rb"0[xX]", self.content) is not None


class TextStart:
    """The beginning of a text, up to the first edge. It is consumed by matching one pattern after another."""

    def __init__(self, source: Source) -> None:
        if not source.beginning:
            raise FormatError("is empty")
        sources.require_decompressed(source.beginning)
        _refuse_nul(np.frombuffer(source.beginning, np.uint8), 0)
        self._source = source
        self._size = sources.LOOKED_AT
        self._text = source.beginning
        self.at = len(BYTE_ORDER_MARK) if self._text.startswith(BYTE_ORDER_MARK) else 0

    @property
    def place(self) -> TextPlace:
        """The position up to which the text has been consumed."""
        return TextPlace(self.at, 1 + line_ends(np.frombuffer(self._text[: self.at], np.uint8)))

    def take(self, pattern: re.Pattern[bytes]) -> re.Match[bytes] | None:
        """Match `pattern` at the current position, and consume the match. Return the match or None."""
        while True:
            match = pattern.match(self._text, self.at)
            end = match.end() if match else self.at
            if len(self._text) < self._size or len(self._text) - end >= sources.LOOKED_AT // 2:
                self.at = end
                return match
            self._size *= 2  # a longer text might match more
            memory.require(2 * self._size, "what comes before its first edge", MORE_MEMORY)
            self._text = self._source.look(self._size)

    def line(self) -> bytes:
        """Return the next line, without its line ending. The line is not consumed."""
        at = self.at
        match = self.take(re.compile(rb"[^\r\n]*"))
        self.at = at
        return match[0] if match else b""


def line_ends(codes: npt.NDArray[np.uint8]) -> int:
    r"""Return the number of line endings in a text. They are ``\n``, or ``\r`` if there is no ``\n``."""
    feeds = int(np.count_nonzero(codes == ord("\n")))
    return feeds or int(np.count_nonzero(codes == ord("\r")))


def blocks(source: Source, place: TextPlace, *, long_lines: bool = False) -> Generator[TextBlock, None, None]:
    """Yield the blocks of a text from `place` on. Lines may exceed a block only if `long_lines` is set."""
    rest, size, ended = b"", sources.BLOCK, False
    with closing(source.stream_at(place.byte)) as stream:
        while not ended:
            buffer: pa.Buffer = pa.allocate_buffer(max(size, len(rest)))
            view = memoryview(cast(Any, buffer)).cast("B")
            view[: len(rest)] = rest
            filled = len(rest) + stream.fill(view[len(rest) :])
            ended = filled < len(view)
            end = filled if ended else _end_of_lines(view[:filled], b"\n" if long_lines else b"\n\r")
            rest = bytes(view[end:filled])
            if end:
                block, size = TextBlock(buffer.slice(0, end), place, stream.bytes_read), sources.BLOCK
                _refuse_nul(block.codes, place.byte)
                place = block.end
                yield block
            elif rest:
                if not long_lines:
                    raise FormatError(f"is not a text file: it has a line longer than {sources.BLOCK} bytes")
                size = 2 * len(rest)
                memory.require(3 * size, f"line {place.line}, of more than {filled} bytes,", MORE_MEMORY)


def parsed(
    parse: Callable[[TextBlock], ColumnsT], source: Source, found: Generator[TextBlock, None, None]
) -> list[ColumnsT]:
    """Parse several blocks at a time, and return the columns of all blocks in order.

    If there are no blocks, parse an empty one. Raise an error if there is too little memory to join columns.
    """
    results, held = [], 0
    with closing(parsed_in_order(parse, found)) as all_parsed:
        for columns, end, bytes_read in all_parsed:
            results.append(columns)
            held += sum(column.nbytes for column in columns)
            memory.require(held, f"joining the numbers in its first {end.line - 1} lines", MORE_MEMORY)
            source.report(bytes_read)
    return results or [parse(block_of(b""))]


def joined(parts: Sequence[Sequence[npt.NDArray[Any]]]) -> list[npt.NDArray[Any]]:
    """Concatenate each column across all blocks.

    If int64 and uint64 are mixed, each column gets a type that fits its values. Otherwise, all columns get
    the same type.
    """
    of_type = np.result_type(*(column for part in parts for column in part))
    if of_type.kind == "f":  # NumPy's common type for int64 and uint64
        return [concatenated(list(column), FormatError) for column in zip(*parts, strict=True)]
    return [np.concatenate(column, dtype=of_type) for column in zip(*parts, strict=True)]


def parsed_in_order(
    parse: Callable[[TextBlock], ColumnsT],
    found: Generator[TextBlock, None, None],
    most_threads: int | None = None,
) -> Generator[tuple[ColumnsT, TextPlace, int], None, None]:
    """Parse blocks in several threads, and yield the results in order.

    Each item consists of a result, the position where its block ends and the number of bytes read by then.
    This function uses as many threads as Arrow would, up to `most_threads`. The number of blocks in memory
    exceeds the number of threads by at most two. The generator `found`, which yields the blocks, is closed at
    the end.
    """
    threads = min(pa.cpu_count(), most_threads or pa.cpu_count())
    waiting: deque[Future[tuple[ColumnsT, TextPlace, int]]] = deque()

    def of_block(block: TextBlock) -> tuple[ColumnsT, TextPlace, int]:
        return parse(block), block.end, block.bytes_read

    with closing(found):
        first = list(islice(found, 2))
        if len(first) < 2:  # a single block is not worth a thread
            yield from map(of_block, first)
            return
        with ThreadPoolExecutor(threads) as pool:
            for block in chain(first, found):
                waiting.append(pool.submit(of_block, block))
                if len(waiting) > threads + 1:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()


def block_of(text: bytes, place: TextPlace = FIRST_LINE) -> TextBlock:
    buffer: pa.Buffer = pa.allocate_buffer(len(text))
    memoryview(cast(Any, buffer)).cast("B")[:] = text
    return TextBlock(buffer, place)


def _end_of_lines(view: memoryview, characters: bytes) -> int:
    """Return where the last whole line ends, or 0 if there is no whole line.

    Lines end with the first of `characters` that occurs.
    """
    nearly_all = view[:-1]  # a final \r may be the first half of \r\n
    for line_end in characters:
        for part in (nearly_all[-(1 << 16) :], nearly_all):  # usually, the last bytes are enough
            at = bytes(part).rfind(line_end)
            if at >= 0:
                return len(nearly_all) - len(part) + at + 1
    return 0


def _refuse_nul(codes: npt.NDArray[np.uint8], offset: int) -> None:
    if codes.min(initial=1) == 0:
        at = offset + int(np.argmin(codes))
        raise FormatError(f"is not a text file: byte {at} is NUL (convert UTF-16 to UTF-8)")
