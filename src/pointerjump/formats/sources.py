"""Files to read: opened once, decompressed, and read as text, as bytes, or as arrays of a dump."""

from __future__ import annotations

import io
import mmap
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from pointerjump import memory
from pointerjump.edges import Ids
from pointerjump.errors import FormatError
from pointerjump.formats.files import PathLike, as_path, compression_of, compression_within, naming
from pointerjump.formats.text import BLOCK, MORE_MEMORY, Text
from pointerjump.progress import Progress

Content = bytes | mmap.mmap

LOOKED_AT = 1 << 20
"""How many bytes at the beginning of a file are looked at to tell its format."""


@dataclass
class Source:
    """A file that is read once, and what the caller says about it. It has to be closed."""

    path: Path
    ids: Ids = "auto"
    vertices: int | None = None
    header: bool | None = None
    columns: tuple[str | int, str | int] | None = None
    progress: Progress | None = None

    @cached_property
    def _stream(self) -> Stream:
        return Stream(self.path, self.progress)

    @property
    def compressed(self) -> bool:
        """Whether the suffix says that the file is compressed."""
        return compression_of(self.path) is not None

    @cached_property
    def size(self) -> int:
        """The bytes that the file takes on disk."""
        return self.path.stat().st_size

    @property
    def is_open(self) -> bool:
        """Whether the file has been opened."""
        return "_stream" in self.__dict__

    def close(self) -> None:
        """Close the file, if it was opened."""
        if self.is_open:
            self._stream.close()

    @property
    def beginning(self) -> bytes:
        """The first bytes, decompressed, which tell formats apart."""
        return self._stream.beginning

    @cached_property
    def content(self) -> Content:
        """The whole file, decompressed; mapped, not loaded, where it is a plain file."""
        return self._stream.mapped() or self._loaded()

    def _loaded(self) -> bytes:
        if not self.beginning:
            raise FormatError("is empty")
        blocks, held = [], 0
        while block := self._stream.read(BLOCK):
            blocks.append(block)
            held += len(block)
            memory.require(held, f"joining the first {held} bytes of its content", MORE_MEMORY)
        return b"".join(blocks)

    def open(self) -> BinaryIO:
        """Return the content as a file that can seek, for libraries that read files themselves."""
        content = self.content
        return io.BytesIO(content) if isinstance(content, bytes) else self.path.open("rb")

    @cached_property
    def text(self) -> Text:
        """The content as text, block by block."""
        return self._as_text(long_lines=False)

    @cached_property
    def text_of_long_lines(self) -> Text:
        """The content as text, block by block, with lines of any length."""
        return self._as_text(long_lines=True)

    def _as_text(self, *, long_lines: bool) -> Text:
        if not self.beginning:
            raise FormatError("is empty")
        self.require_decompressed()
        return Text(self._stream, long_lines=long_lines)

    def require_decompressed(self) -> None:
        """Refuse content that is still compressed."""
        suffix = compression_within(self.beginning)
        if suffix:
            raise FormatError(
                f"looks like a compressed {suffix} file: give it that suffix, or decompress it first"
            )


def require_function(progress: Progress | None) -> None:
    """Refuse anything but a function to report progress to, or None."""
    if not (progress is None or callable(progress)):
        raise FormatError(f"progress={progress!r}: give a function of one number, or None")


@contextmanager
def opened(path: PathLike, **options: Any) -> Iterator[Source]:
    """Yield a file to read. Every error names it, and in the end it is closed.

    `options` are the other fields of `Source`.
    """
    source = Source(as_path(path), **options)
    with naming(source.path), closing(source):
        require_function(source.progress)
        try:
            yield source
        except FormatError:
            # Only of a bad file: a good binary one may begin with the same bytes as a compressed one.
            if source.is_open:
                source.require_decompressed()
            raise
        if source.progress:
            source.progress(1.0)


class Stream:
    """The bytes of a file from first to last, decompressed; it reports how much has been read."""

    def __init__(self, path: Path, progress: Progress | None) -> None:
        if path.is_dir():
            raise FormatError("is a folder: name a file in it")
        decompress = compression_of(path)
        self._raw: Any = path.open("rb", buffering=-1 if decompress else 0)
        self._file: Any = decompress(self._raw, "rb") if decompress else self._raw
        self._size = path.stat().st_size
        self._progress = progress if path.is_file() else None
        self._plain = decompress is None and path.is_file()
        self._ahead = b""

    @classmethod
    def starting_at(cls, path: Path, byte: int) -> Stream:
        """Return the content of a file from a byte on; the caller has to close it."""
        stream = cls(path, None)
        try:
            stream.skip(byte)
        except BaseException:
            stream.close()
            raise
        return stream

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        self._raw.close()

    @cached_property
    def beginning(self) -> bytes:
        """The first bytes, which the next reads return again."""
        self._ahead = self.read(LOOKED_AT)
        return self._ahead

    def mapped(self) -> mmap.mmap | None:
        """Return the file mapped into memory, or None if it cannot be mapped."""
        if not self._plain or self._size == 0:
            return None
        return mmap.mmap(self._raw.fileno(), 0, access=mmap.ACCESS_READ)

    @property
    def bytes_read(self) -> int:
        """How many bytes of the file, as it is on disk, have been read or passed over."""
        return int(self._raw.tell())

    def skip(self, count: int) -> None:
        """Pass over the first `count` bytes of the content, before anything else is read."""
        if self._plain:
            self._raw.seek(count)
            return
        unwanted = memoryview(bytearray(min(count, BLOCK)))
        while count:
            passed = self.readinto(unwanted[:count])
            if not passed:
                raise FormatError(f"ends {count} bytes before the place to go on from: it is truncated")
            count -= passed

    def fill(self, view: memoryview) -> int:
        """Fill `view`; return the number of bytes, which is smaller than its size only at the end."""
        filled = 0
        while filled < len(view):
            count = self.readinto(view[filled:])
            if not count:
                break
            filled += count
        return filled

    def readinto(self, view: memoryview) -> int:
        """Fill the beginning of `view`; return the number of bytes, which is 0 only at the end."""
        count = min(len(self._ahead), len(view))
        if count:
            view[:count] = self._ahead[:count]
            self._ahead = self._ahead[count:]
            return count
        count = self._file.readinto(view) or 0
        if self._progress and self._size:
            self._progress(min(1.0, self._raw.tell() / self._size))
        return count

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes; fewer only at the end."""
        block = memoryview(bytearray(size))
        return bytes(block[: self.fill(block)])


class Dump:
    """A dump of binary arrays, which are taken one after the other."""

    def __init__(self, content: Content) -> None:
        self.content = content
        self.at = 0

    def take(self, dtype: str, count: int) -> npt.NDArray[Any]:
        """Return the next `count` numbers in an array of their own, which the file does not share."""
        array = np.frombuffer(self.content, dtype, count, self.at).copy()
        self.at += array.nbytes
        return array

    def header(self, dtype: str, count: int, what: str) -> list[int]:
        """Return the next `count` numbers as Python integers, which cannot overflow."""
        needed = self.at + count * np.dtype(dtype).itemsize
        if len(self.content) < needed:
            raise FormatError(f"has {len(self.content)} bytes: too short for the {needed} bytes of {what}")
        return cast(list[int], self.take(dtype, count).tolist())

    def require_size(self, size: int, what: str) -> None:
        """Refuse a file that is not exactly `size` bytes, before anything is allocated."""
        if len(self.content) != size:
            fault = "truncated" if len(self.content) < size else "longer than its header says"
            raise FormatError(f"is {fault}: {what} takes {size} bytes, but the file has {len(self.content)}")
