"""Files as all formats see them: opened, decompressed, replaced whole, and named in every error."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import mmap
import os
import secrets
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

import numpy as np
import numpy.typing as npt

from pointerjump.errors import FormatError, GraphError

Content = bytes | mmap.mmap
Ids = Literal["auto", "keep", "compact"]
PathLike = str | os.PathLike[str]

COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")


@dataclass(frozen=True)
class Source:
    """A file to read, and what the caller says of it."""

    path: Path
    ids: Ids = "auto"
    vertices: int | None = None

    @cached_property
    def content(self) -> Content:
        """The whole file, decompressed; mapped, not loaded, where it is a plain file."""
        with _opened(self.path) as file:
            if _is_plain(file):
                return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            content = file.read()
        if not content:
            raise FormatError("is empty")
        return content

    def open(self) -> BinaryIO:
        """Open the content as a file that can seek, for libraries that read files themselves."""
        content = self.content
        return io.BytesIO(content) if isinstance(content, bytes) else self.path.open("rb")

    @cached_property
    def text(self) -> Content:
        """The content, if it can be text: no NUL bytes, and without a byte order mark."""
        content = self.content
        if content[:3] == b"\xef\xbb\xbf":
            content = content[3:]
        at = content.find(b"\0")
        if at >= 0:
            raise FormatError(f"is no text file: byte {at} is NUL (UTF-16 text must become UTF-8)")
        return content


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
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise FormatError(
            f"{path}: cannot be decompressed, it is damaged or cut short ({one_line(error)})"
        ) from error
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror or one_line(error)}") from error
    except MemoryError as error:
        raise FormatError(f"{path}: needs more memory than there is") from error


def one_line(error: Exception) -> str:
    """Return an error's message without line breaks."""
    return " ".join(str(error).split())


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a new file that takes the place of `path` once it is written whole.

    It is compressed as the suffix of `path` says. If the block fails, `path` stays as it was.
    """
    path = path.resolve()  # a link stays a link
    if path.exists() and not path.is_file():
        raise FormatError("is not a regular file, so it cannot be replaced")
    aside = path.with_name(f".{path.name[:200]}.{secrets.token_hex(4)}.part")
    try:
        with aside.open("xb") as raw, _compressed(raw, _compression(path)) as file:
            yield file
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def base_suffix(path: Path) -> str:
    """Return the suffix that says the format: ``.mtx`` for ``a.mtx`` and for ``a.mtx.gz``."""
    return Path(path.stem if _compression(path) else path.name).suffix.lower()


def _compression(path: Path) -> str | None:
    suffix = path.suffix.lower()
    return suffix if suffix in COMPRESSIONS else None


def _is_plain(file: BinaryIO) -> bool:
    """Whether a file can be mapped: neither compressed nor a pipe, and not empty."""
    if not isinstance(file, io.BufferedReader):
        return False
    status = os.fstat(file.fileno())
    return stat.S_ISREG(status.st_mode) and status.st_size > 0


def _opened(path: Path) -> BinaryIO:
    compression = _compression(path)
    if compression is None:
        return path.open("rb")
    if compression == ".gz":
        return cast(BinaryIO, gzip.open(path, "rb"))
    if compression == ".bz2":
        return cast(BinaryIO, bz2.open(path, "rb"))
    if compression == ".xz":
        return cast(BinaryIO, lzma.open(path, "rb"))
    import pyarrow as pa

    return cast(BinaryIO, pa.input_stream(str(path), compression="zstd"))


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
