"""Input files, which are decompressed and read either sequentially or as a whole."""

from __future__ import annotations

import io
import mmap
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from pointerjump.base import memory
from pointerjump.base.progress import Progress
from pointerjump.errors import FormatError
from pointerjump.formats.files import (
    MORE_MEMORY,
    PathLike,
    as_path,
    compression_of,
    compression_within,
    naming,
)

if TYPE_CHECKING:
    from pointerjump.base.edges import Ids

BLOCK = 1 << 20  # bytes that a thread reads and parses at a time; in most formats, no line may be longer
LOOKED_AT = 1 << 20  # bytes at the beginning of a file that determine its format


class FileStream:
    """The decompressed content of a file, read from beginning to end."""

    def __init__(self, path: Path) -> None:
        decompress = compression_of(path)
        self._raw: Any = path.open("rb", buffering=-1 if decompress else 0)
        self._file: Any = decompress(self._raw, "rb") if decompress else self._raw
        self._seekable = decompress is None and path.is_file()
        self._ahead = b""

    def close(self) -> None:
        self._file.close()
        self._raw.close()

    @property
    def bytes_read(self) -> int:
        """The number of bytes of the file on disk that have been read or skipped so far."""
        return int(self._raw.tell()) if self._raw.seekable() else 0

    def ahead(self, size: int) -> bytes:
        """Return at least the next `size` bytes, or all bytes that are left, without consuming them."""
        if len(self._ahead) < size:
            known, self._ahead = self._ahead, b""
            self._ahead = known + self.read(size - len(known))
        return self._ahead

    def skip(self, count: int) -> None:
        """Skip the first `count` bytes of the content. Must be called before any bytes are consumed."""
        if self._seekable:
            self._raw.seek(count)
            self._ahead = b""
            return
        while count:
            passed = len(self.read(min(count, BLOCK)))
            if not passed:
                raise FormatError(f"ends {count} bytes before the place to go on from: it is truncated")
            count -= passed

    def read(self, size: int) -> bytes:
        block = memoryview(bytearray(size))
        return bytes(block[: self.fill(block)])

    def fill(self, view: memoryview) -> int:
        """Read bytes until `view` is full or the file ends, and return the number of bytes read."""
        filled = min(len(self._ahead), len(view))
        view[:filled] = self._ahead[:filled]
        self._ahead = self._ahead[filled:]
        while filled < len(view) and (count := self._file.readinto(view[filled:])):
            filled += count
        return filled


@dataclass
class Source:
    """An input file and the caller's options for reading it. The file must be closed after use."""

    path: Path
    ids: Ids = "auto"
    vertices: int | None = None
    header: bool | None = None
    columns: tuple[str | int, ...] | None = None
    progress: Progress | None = None
    weighted: bool = False

    def require_file(self, *, plain: bool = False) -> None:
        """Raise an error for a missing file, a folder or, if `plain` is set, a pipe or similar file."""
        self.path.stat()
        if self.path.is_dir():
            raise FormatError("is a folder: name a file in it")
        if plain and not self.path.is_file():
            raise FormatError(
                "is not a plain file, and blocks may be read more than once: save it to a file first"
            )

    @cached_property
    def _stream(self) -> FileStream:
        return FileStream(self.path)

    @property
    def compressed(self) -> bool:
        """Whether the file is compressed, according to its suffix."""
        return compression_of(self.path) is not None

    @cached_property
    def size(self) -> int:
        return self.path.stat().st_size

    def report(self, bytes_read: int) -> None:
        if self.progress and self.size and self.path.is_file():
            self.progress(min(1.0, bytes_read / self.size))

    def close(self) -> None:
        """Close the file if it is open, and release its content."""
        self.__dict__.pop("content", None)
        if "_stream" in self.__dict__:
            self.__dict__.pop("_stream").close()

    @cached_property
    def beginning(self) -> bytes:
        """The first bytes of the decompressed content, which are used to detect the format."""
        return self.look(LOOKED_AT)

    def look(self, size: int) -> bytes:
        """Return at least the first `size` bytes of the content, or all bytes if there are fewer."""
        return self._stream.ahead(size)

    @cached_property
    def content(self) -> bytes | mmap.mmap:
        """The whole decompressed content. If the file is not compressed, it is memory-mapped."""
        if not self.beginning:
            raise FormatError("is empty")
        if not self.compressed and self.path.is_file():
            with self.path.open("rb") as file:
                return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        blocks, held = [], 0
        while block := self._stream.read(BLOCK):
            blocks.append(block)
            held += len(block)
            self.report(self._stream.bytes_read)
            memory.require(held, f"joining the first {held} bytes of its content", MORE_MEMORY)
        return b"".join(blocks)

    def open(self) -> BinaryIO:
        """Return the content as a file that supports seeking, for libraries that read files themselves."""
        content = self.content
        return io.BytesIO(content) if isinstance(content, bytes) else self.path.open("rb")

    def stream_at(self, byte: int) -> FileStream:
        """Return a stream of the content, starting at the given byte. The caller must close it."""
        stream = self.__dict__.pop("_stream", None) or FileStream(self.path)
        try:
            stream.skip(byte)
        except BaseException:
            stream.close()
            raise
        return cast(FileStream, stream)


def require_function(progress: Progress | None) -> None:
    if not (progress is None or callable(progress)):
        raise FormatError(f"progress={progress!r}: give a function of one number, or None")


@contextmanager
def opened(path: PathLike, *, or_folder: bool = False, **options: Any) -> Iterator[Source]:
    """Yield the `Source` for a file, and close it at the end. Error messages name the file."""
    source = Source(as_path(path), **options)
    with naming(source.path), closing(source):
        require_function(source.progress)
        if not or_folder:
            source.require_file()
        try:
            yield source
        except FormatError:
            # This is checked only after an error, because a valid binary file may begin like a compressed
            # one.
            if source.path.is_file() and not source.compressed:
                with source.path.open("rb") as file:
                    require_decompressed(file.read(16))
            raise
        if source.progress:
            source.progress(1.0)


def require_decompressed(beginning: bytes) -> None:
    """Raise an error if content that was read as uncompressed begins like a compressed file."""
    suffix = compression_within(beginning)
    if suffix:
        raise FormatError(
            f"looks like a compressed {suffix} file: give it that suffix, or decompress it first"
        )
