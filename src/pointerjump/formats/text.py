"""Text in blocks of whole lines, read once from the first to the last, so that it may come from a pipe.

Only a few blocks of a text are held at a time, so memory grows with its numbers and not with its length.
A block lies in memory that Arrow owns: Arrow's threads may keep it while Python is shutting down, and a
thread that gave memory back to Python at that time would end the process.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, cast

import numpy as np
import numpy.typing as npt

from pointerjump import memory
from pointerjump.errors import FormatError

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK = 1 << 20
"""Bytes that one thread parses at a time, and so the longest line of most formats."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MORE_MEMORY = "use a machine with more memory, or read part of the file"

Columns = TypeVar("Columns", bound=Sequence[Any])
Item = TypeVar("Item")
Result = TypeVar("Result")


class Readable(Protocol):
    """The part of a file's interface that text needs."""

    def readinto(self, buffer: memoryview, /) -> int | None:
        """Fill the beginning of `buffer`; return the number of bytes, which is 0 only at the end."""


@dataclass(frozen=True)
class Block:
    """Whole lines of a text, in memory that Arrow owns; `line` is the number of the first."""

    buffer: pa.Buffer
    line: int

    @cached_property
    def content(self) -> bytes:
        """A copy, for regular expressions."""
        return self.buffer.to_pybytes()

    @property
    def codes(self) -> npt.NDArray[np.uint8]:
        """The bytes as numbers, without a copy."""
        return np.frombuffer(cast(Any, self.buffer), np.uint8)

    def has(self, character: str) -> bool:
        """Whether an ASCII character occurs."""
        return bool((self.codes == ord(character)).any())

    @cached_property
    def has_hexadecimal(self) -> bool:
        """Whether there is a 0x, which pyarrow would read as a number."""
        if self.codes.max(initial=0) < ord("X"):  # only digits and punctuation: usual, and fast to find
            return False
        return re.search(rb"0[xX]", self.content) is not None


def line_ends(codes: npt.NDArray[np.uint8]) -> int:
    r"""Return how many lines end in a text: at ``\n``, or at ``\r`` if there is no ``\n``."""
    feeds = int(np.count_nonzero(codes == ord("\n")))
    return feeds or int(np.count_nonzero(codes == ord("\r")))


class Place(NamedTuple):
    """A place between two lines of a text: the bytes before it, and the number of the line after it."""

    byte: int
    line: int


START = Place(0, 1)


class Text:
    """A text file from its current place on. The text at that place can be looked at before it is passed.

    Parameters
    ----------
    file : readable
        The file, at `place`.
    long_lines : bool
        Whether a line may be longer than a block; such a line is held whole.
    place : Place
        Where in the text the file stands.
    """

    def __init__(self, file: Readable, *, long_lines: bool = False, place: Place = START) -> None:
        self.line = place.line
        self._file = file
        self._long_lines = long_lines
        self._rest = b""  # bytes that were read after the end of the block
        self._offset = place.byte  # of the end of the block
        self._ended = False
        self._aside: Block | None = None  # lines that come before the block
        self._block = self._next()

    @property
    def head(self) -> bytes:
        """The text at the current place, at most a block; empty only at the end."""
        return (self._aside or self._block).content

    @property
    def place(self) -> Place:
        """The current place. Lines that were looked past do not count: it is the place after them."""
        return Place(self._offset - self._block.buffer.size, self.line)

    def skip(self, pattern: re.Pattern[bytes]) -> bytes:
        """Pass over all that `pattern`, which takes whole lines, matches; return the first match."""
        first = b""
        while match := pattern.match(self.head):
            if not match[0]:
                break
            first = first or match[0]
            self.pass_over(match.end())
        return first

    def look_past(self, count: int, pattern: re.Pattern[bytes]) -> tuple[bytes, int]:
        """Return the text after `count` bytes and then all that `pattern` matches, and its line number.

        The pattern takes whole lines that mean nothing: if they fill the block, they are passed over.
        """
        end = _end_of_match(pattern, self.head, count)
        if end < len(self.head):
            return self.head[end:], self.line + line_ends(self._block.codes[:end])
        aside = Block(self._block.buffer.slice(0, count), self.line)
        self._pass(end)
        self.skip(pattern)
        following = self.head, self.line
        self._aside = aside
        return following

    def pass_over(self, count: int) -> None:
        """Pass over the next `count` bytes."""
        if self._aside is None:
            self._pass(count)
            return
        left = self._aside.buffer.slice(count)
        self._aside = Block(left, self._aside.line) if left.size else None

    def take(self, pattern: re.Pattern[bytes]) -> re.Match[bytes] | None:
        """Pass over what `pattern` matches at the current place, and return the match."""
        match = pattern.match(self.head)
        if match:
            self.pass_over(match.end())
        return match

    def blocks(self) -> Iterator[Block]:
        """Yield all remaining blocks."""
        return (block for block, _ in self.placed_blocks())

    def placed_blocks(self) -> Iterator[tuple[Block, Place]]:
        """Yield all remaining blocks, and the place after each."""
        if self._aside:
            yield self._aside, self.place
        while self._block.buffer.size:
            block = self._block
            self.line += line_ends(block.codes)
            after = Place(self._offset, self.line)
            self._block = self._next()
            yield block, after

    def parsed(
        self, parse: Callable[[Block], Columns], blocks: Iterable[Block] | None = None
    ) -> list[Columns]:
        """Return the columns that `parse` makes of each block, in order; several are parsed at a time.

        If there is no block, `parse` is given an empty one. The caller joins the columns, which takes as
        much memory again, so that is checked here.
        """
        results, held = [], 0
        with closing(in_order(parse, self.blocks() if blocks is None else blocks)) as parsed:
            for columns in parsed:
                results.append(columns)
                held += sum(column.nbytes for column in columns)
                memory.require(held, f"joining the numbers in its first {self.line - 1} lines", MORE_MEMORY)
        return results or [parse(self._block)]  # at the end of a text, this block is empty

    def _pass(self, count: int) -> None:
        """Move the current place forward by `count` bytes, and fill the block up again."""
        left = self.head[count:]
        self.line += line_ends(self._block.codes[:count])
        self._offset -= len(left)
        self._rest = left + self._rest
        self._block = self._next()

    def _next(self) -> Block:
        """Read the next block: up to the last line end in it, or to the end of the file."""
        size = BLOCK
        while True:
            buffer, filled = self._filled(size)
            view = memoryview(cast(Any, buffer)).cast("B")[:filled]
            end = filled if self._ended else _end_of_lines(view, b"\n" if self._long_lines else b"\n\r")
            if end or not filled:
                break
            if not self._long_lines:
                raise FormatError(f"is not a text file: it has a line longer than {BLOCK} bytes")
            self._rest, size = bytes(view), 2 * size
            memory.require(3 * size, f"line {self.line}, of more than {filled} bytes,", MORE_MEMORY)
        self._rest = bytes(view[end:])
        at_start = self._offset == 0 and self.line == 1
        mark = len(BYTE_ORDER_MARK) if at_start and view[:3] == BYTE_ORDER_MARK else 0
        block = Block(buffer.slice(mark, end - mark), self.line)
        self._refuse_nul(block, mark)
        self._offset += end
        return block

    def _filled(self, size: int) -> tuple[pa.Buffer, int]:
        """Return a new buffer, and how many bytes of it were filled."""
        import pyarrow as pa

        size = max(size, len(self._rest))
        buffer: pa.Buffer = pa.allocate_buffer(size)
        view = memoryview(cast(Any, buffer)).cast("B")
        filled = len(self._rest)
        view[:filled] = self._rest
        while filled < size and not self._ended:
            count = self._file.readinto(view[filled:])
            self._ended = not count
            filled += count or 0
        return buffer, filled

    def _refuse_nul(self, block: Block, mark: int) -> None:
        raw = block.codes
        if raw.min(initial=1) == 0:
            at = self._offset + mark + int(np.argmin(raw))
            raise FormatError(f"is not a text file: byte {at} is NUL (convert UTF-16 to UTF-8)")


def _end_of_match(pattern: re.Pattern[bytes], text: bytes, start: int) -> int:
    """Return where a match that begins at `start` ends, or `start` if there is none."""
    match = pattern.match(text, start)
    return match.end() if match else start


def _end_of_lines(view: memoryview, characters: bytes) -> int:
    """Return where the last whole line ends, or 0. The first of `characters` that occurs ends lines."""
    nearly_all = view[:-1]  # because a last \r may be the first half of \r\n
    for line_end in characters:
        for part in (nearly_all[-(1 << 16) :], nearly_all):  # nearly always, the last bytes are enough
            at = bytes(part).rfind(line_end)
            if at >= 0:
                return len(nearly_all) - len(part) + at + 1
    return 0


def in_order(
    function: Callable[[Item], Result], items: Iterable[Item], most_threads: int | None = None
) -> Generator[Result, None, None]:
    """Yield what `function` makes of each item, in order; several items are worked on at a time.

    There are as many threads as Arrow would use, but at most `most_threads`. At most two items more than
    threads are held at a time.
    """
    import pyarrow as pa

    ahead = iter(items)
    first, second = next(ahead, None), next(ahead, None)
    if first is None:
        return
    if second is None:  # a small file is not worth a thread
        yield function(first)
        return
    threads = min(pa.cpu_count(), most_threads or pa.cpu_count())
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        waiting.extend(pool.submit(function, item) for item in (first, second))
        for item in ahead:
            waiting.append(pool.submit(function, item))
            if len(waiting) > threads + 1:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
