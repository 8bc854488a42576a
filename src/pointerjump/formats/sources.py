"""Files to read: opened once, decompressed, and read as text or as bytes."""

from __future__ import annotations

import io
import mmap
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, cast

from pointerjump.base import memory
from pointerjump.base.edges import Ids
from pointerjump.base.progress import Progress
from pointerjump.errors import FormatError
from pointerjump.formats import text
from pointerjump.formats.files import (
    MORE_MEMORY,
    PathLike,
    as_path,
    compression_of,
    compression_within,
    naming,
)

Content = bytes | mmap.mmap


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
    def _stream(self) -> FileStream:
        return FileStream(self.path, self.progress)

    @property
    def compressed(self) -> bool:
        """Whether the suffix says that the file is compressed."""
        return compression_of(self.path) is not None

    @cached_property
    def size(self) -> int:
        """The bytes that the file takes on disk."""
        return self.path.stat().st_size

    def close(self) -> None:
        """Close the file, if it was opened, and let go of its content."""
        self.__dict__.pop("content", None)
        if "_stream" in self.__dict__:
            self.__dict__.pop("_stream").close()

    @cached_property
    def beginning(self) -> bytes:
        """The first bytes, decompressed, which tell formats apart."""
        return self._stream.ahead(text.LOOKED_AT)

    @cached_property
    def content(self) -> Content:
        """The whole file, decompressed; mapped, not loaded, where it is a plain file."""
        return self._stream.mapped() or self._loaded()

    def _loaded(self) -> bytes:
        if not self.beginning:
            raise FormatError("is empty")
        blocks, held = [], 0
        while block := self._stream.read(text.BLOCK):
            blocks.append(block)
            held += len(block)
            memory.require(held, f"joining the first {held} bytes of its content", MORE_MEMORY)
        return b"".join(blocks)

    def open(self) -> BinaryIO:
        """Return the content as a file that can seek, for libraries that read files themselves."""
        content = self.content
        return io.BytesIO(content) if isinstance(content, bytes) else self.path.open("rb")

    def beginning_of_text(self) -> text.TextStart:
        """Return the beginning of a text."""
        if not self.beginning:
            raise FormatError("is empty")
        _require_decompressed(self.beginning)
        return text.TextStart(self._stream)

    def blocks(
        self, place: text.TextPlace, *, long_lines: bool = False
    ) -> Generator[tuple[text.TextBlock, text.TextPlace], None, None]:
        """Yield the blocks of the text from a place on, and the place after each."""
        with closing(self.stream_at(place.byte)) as stream:
            yield from text.blocks_of(stream, place, long_lines=long_lines)

    def stream_at(self, byte: int) -> FileStream:
        """Return the content from a byte on, which the caller closes. If the file is open, it is read on."""
        stream = self.__dict__.pop("_stream", None) or FileStream(self.path)
        try:
            stream.skip(byte)
        except BaseException:
            stream.close()
            raise
        return cast(FileStream, stream)


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
            if source.path.is_file() and not source.compressed:
                with source.path.open("rb") as file:
                    _require_decompressed(file.read(16))
            raise
        if source.progress:
            source.progress(1.0)


def _require_decompressed(beginning: bytes) -> None:
    suffix = compression_within(beginning)
    if suffix:
        raise FormatError(
            f"looks like a compressed {suffix} file: give it that suffix, or decompress it first"
        )


class FileStream:
    """The bytes of a file from first to last, decompressed; it reports how much has been read."""

    def __init__(self, path: Path, progress: Progress | None = None) -> None:
        if path.is_dir():
            raise FormatError("is a folder: name a file in it")
        decompress = compression_of(path)
        self._raw: Any = path.open("rb", buffering=-1 if decompress else 0)
        self._file: Any = decompress(self._raw, "rb") if decompress else self._raw
        self._size = path.stat().st_size
        self._progress = progress if path.is_file() else None
        self._plain = decompress is None and path.is_file()
        self._ahead = b""

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        self._raw.close()

    def ahead(self, size: int) -> bytes:
        """Return the next `size` bytes, which the next reads return again; fewer only at the end."""
        if len(self._ahead) < size:
            known, self._ahead = self._ahead, b""
            self._ahead = known + self.read(size - len(known))
        return self._ahead

    def mapped(self) -> mmap.mmap | None:
        """Return the file mapped into memory, or None if it cannot be mapped."""
        if not self._plain or self._size == 0:
            return None
        return mmap.mmap(self._raw.fileno(), 0, access=mmap.ACCESS_READ)

    @property
    def bytes_read(self) -> int:
        """How many bytes of the file, as it is on disk, have been read or passed over."""
        return int(self._raw.tell()) if self._raw.seekable() else 0

    def skip(self, count: int) -> None:
        """Pass over the first `count` bytes of the content, before anything else is read."""
        if self._plain:
            self._raw.seek(count)
            self._ahead = b""
            return
        unwanted = memoryview(bytearray(min(count, text.BLOCK)))
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
