"""Files as all formats see them: opened, decompressed, replaced whole, and named in every error."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import mmap
import os
import secrets
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from pointerjump.errors import FormatError, GraphError, MemoryLimitError
from pointerjump.formats.text import BLOCK, MORE_MEMORY, Text
from pointerjump.graph import Ids
from pointerjump.memory import require

Content = bytes | mmap.mmap
PathLike = str | os.PathLike[str]

_REASONS = {
    errno.ENOSPC: "the disk is full: make room, or write elsewhere",
    errno.EDQUOT: "your quota of the disk is used up: make room, or write elsewhere",
}

COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")

LOOKED_AT = 1 << 20
"""Bytes of its beginning by which the format of a file is told."""


@dataclass(frozen=True)
class Source:
    """A file to read, once, and what the caller says of it; to be closed."""

    path: Path
    ids: Ids = "auto"
    vertices: int | None = None
    header: bool | None = None
    columns: tuple[str | int, str | int] | None = None
    progress: Callable[[float], None] | None = None

    @cached_property
    def _stream(self) -> _Stream:
        return _Stream(self.path, self.progress)

    def close(self) -> None:
        """Close the file, if it was opened."""
        if "_stream" in self.__dict__:
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
        blocks, held = [], 0
        while block := self._stream.read(BLOCK):
            blocks.append(block)
            held += len(block)
            require(held, f"joining the first {held} bytes of its content", MORE_MEMORY)
        if not blocks:
            raise FormatError("is empty")
        return b"".join(blocks)

    def open(self) -> BinaryIO:
        """Open the content as a file that can seek, for libraries that read files themselves."""
        content = self.content
        return io.BytesIO(content) if isinstance(content, bytes) else self.path.open("rb")

    @cached_property
    def text(self) -> Text:
        """The content as text, block by block."""
        return self._as_text(long_lines=False)

    @cached_property
    def text_of_long_lines(self) -> Text:
        """The content as text, whose lines may be as long as they like."""
        return self._as_text(long_lines=True)

    def _as_text(self, *, long_lines: bool) -> Text:
        if not self.beginning:
            raise FormatError("is empty")
        return Text(self._stream, long_lines=long_lines)


class _Stream:
    """The bytes of a file from first to last, decompressed, saying how far it is."""

    def __init__(self, path: Path, progress: Callable[[float], None] | None) -> None:
        if path.is_dir():
            raise FormatError("is a folder: name a file in it")
        self._raw, self._file = _opened(path)
        self._size = path.stat().st_size
        self._progress = progress if path.is_file() else None
        self._plain = self._raw is self._file and path.is_file()
        self._ahead = b""

    def close(self) -> None:
        self._file.close()
        self._raw.close()

    @cached_property
    def beginning(self) -> bytes:
        """The first bytes, which are read again."""
        self._ahead = self.read(LOOKED_AT)
        return self._ahead

    def mapped(self) -> mmap.mmap | None:
        """Return the file in memory without loading it, if it can be mapped."""
        if not self._plain or self._size == 0:
            return None
        return mmap.mmap(self._raw.fileno(), 0, access=mmap.ACCESS_READ)

    def readinto(self, view: memoryview) -> int:
        """Fill the beginning of `view`; return how many bytes that took, 0 at the end only."""
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
        """Return the next `size` bytes; fewer at the end only."""
        block = bytearray(size)
        filled = 0
        while count := self.readinto(memoryview(block)[filled:]) if filled < size else 0:
            filled += count
        return bytes(memoryview(block)[:filled])


class Dump:
    """The arrays of a native binary dump, taken one after the other."""

    def __init__(self, content: Content) -> None:
        self.content = content
        self.at = 0

    def take(self, dtype: str, count: int) -> npt.NDArray[Any]:
        """Return a copy of the next `count` numbers: aligned, and independent of the file."""
        array = np.frombuffer(self.content, dtype, count, self.at).copy()
        self.at += array.nbytes
        return array

    def header(self, dtype: str, count: int, what: str) -> list[int]:
        """Return the next `count` numbers as Python integers, which cannot overflow."""
        needed = self.at + count * np.dtype(dtype).itemsize
        if len(self.content) < needed:
            raise FormatError(f"is {len(self.content)} bytes: too short for the {needed} bytes of {what}")
        return cast(list[int], self.take(dtype, count).tolist())

    def require_size(self, size: int, what: str) -> None:
        """Refuse a file that is not exactly `size` bytes, before anything is allocated."""
        if len(self.content) != size:
            fault = "truncated" if len(self.content) < size else "longer than its header says"
            raise FormatError(f"is {fault}: {what} takes {size} bytes, and the file has {len(self.content)}")


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turn everything that is wrong with a file into one FormatError of one line with its name."""
    try:
        yield
    except (FormatError, GraphError) as error:
        raise FormatError(f"{path}: {one_line(error)}") from error
    except MemoryLimitError as error:
        raise MemoryLimitError(f"{path}: {one_line(error)}") from error
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise FormatError(
            f"{path}: cannot be decompressed, it is damaged or cut short ({one_line(error)})"
        ) from error
    except OSError as error:
        reason = _REASONS.get(error.errno or 0) or error.strerror or one_line(error)
        raise FormatError(f"{path}: {reason}") from error
    except MemoryError as error:
        raise MemoryLimitError(f"{path}: needs more memory than there is: {MORE_MEMORY}") from error


def one_line(error: Exception) -> str:
    """Return an error's message without line breaks."""
    return " ".join(str(error).split())


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a new file that takes the place of `path` once it is written whole.

    It is compressed as the suffix of `path` says, and gets the mode and, where permitted, the owner of the
    file it replaces. If the block fails, `path` stays as it was. Only a process that is killed with no
    chance to tidy up leaves the unfinished file behind, named ``.<path>.<random>.part``.
    """
    target, replaced = _target(path)
    aside = target.with_name(f".{target.name[:40]}.{secrets.token_hex(4)}.part")
    try:
        with aside.open("xb") as raw:
            if replaced:
                _take_after(replaced, raw.fileno())
            with _telling_why(raw), _compressed(raw, _compression(path)) as file:
                yield file
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)


def write_text(path: PathLike, text: str) -> None:
    """Write a text file in UTF-8, whole or not at all.

    Raises
    ------
    FormatError
        If it cannot be written.
    """
    with naming(Path(path)), replacing(Path(path)) as file:
        file.write(text.encode(errors="backslashreplace"))


def require_writable(path: PathLike) -> None:
    """Refuse a path at which no file could be written, before any work is done for it.

    Raises
    ------
    FormatError
        If it is empty, a folder or write-protected, or in a folder that is none or is write-protected.
    """
    name = os.fspath(path)
    if not name:
        raise FormatError("the name of the file to write is empty: give it one")
    with naming(Path(name)):
        if name.endswith(os.sep):
            raise FormatError("is the name of a folder: name a file")
        target, _ = _target(Path(name))
        if not target.parent.is_dir():
            raise FormatError("there is no such folder: make it, or name another one")
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise FormatError("its folder is write-protected: name another one")


def _target(path: Path) -> tuple[Path, os.stat_result | None]:
    """Return the file to replace, which is where a link leads, and its status if it is there."""
    target = Path(os.path.realpath(path))  # a link stays a link
    try:
        status = target.stat()
    except FileNotFoundError:
        return target, None
    if stat.S_ISDIR(status.st_mode):
        raise FormatError("is a folder: name a file in it")
    if not stat.S_ISREG(status.st_mode):
        raise FormatError("is not a regular file, so it cannot be replaced")
    if not os.access(target, os.W_OK):
        raise FormatError("is write-protected: name another file, or remove it")
    return target, status


def _take_after(replaced: os.stat_result, descriptor: int) -> None:
    """Give a file the owner, where that is permitted, and the mode of the one that it replaces."""
    if hasattr(os, "fchown"):
        with suppress(PermissionError):
            os.fchown(descriptor, replaced.st_uid, replaced.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(replaced.st_mode))


@contextmanager
def _telling_why(raw: BinaryIO) -> Iterator[None]:
    """Have the system name the reason why NumPy could not write, of which NumPy says nothing."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            os.write(raw.fileno(), b"\0")
        raise


def base_suffix(path: Path) -> str:
    """Return the suffix that says the format: ``.mtx`` for ``a.mtx`` and for ``a.mtx.gz``."""
    return Path(path.stem if _compression(path) else path.name).suffix.lower()


def _compression(path: Path) -> str | None:
    suffix = path.suffix.lower()
    return suffix if suffix in COMPRESSIONS else None


def _opened(path: Path) -> tuple[Any, Any]:
    """Return the file as it lies there, and the file to read from; without compression they are one."""
    compression = _compression(path)
    if compression == ".zst":
        import pyarrow as pa

        packed = pa.OSFile(str(path), "rb")
        return packed, pa.CompressedInputStream(packed, "zstd")
    raw = path.open("rb") if compression else path.open("rb", buffering=0)
    if compression == ".gz":
        return raw, gzip.GzipFile(fileobj=raw)
    if compression == ".bz2":
        return raw, bz2.BZ2File(raw)
    if compression == ".xz":
        return raw, lzma.LZMAFile(raw)
    return raw, raw


@contextmanager
def _compressed(raw: BinaryIO, compression: str | None) -> Iterator[BinaryIO]:
    if compression is None:
        yield raw
        return
    with _compressor(raw, compression) as file:
        yield file


def _compressor(raw: Any, compression: str) -> Any:
    if compression == ".gz":
        # No name and no time: equal graphs make equal files.
        return gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0)
    if compression == ".bz2":
        return bz2.BZ2File(raw, "wb")
    if compression == ".xz":
        return lzma.LZMAFile(raw, "wb")
    import pyarrow as pa

    return pa.CompressedOutputStream(raw, "zstd")
