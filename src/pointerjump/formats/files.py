"""Utilities for input and output files: error messages, suffixes and compression."""

from __future__ import annotations

import bz2
import errno
import glob
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeGuard

from pointerjump.base.arrow import pa
from pointerjump.errors import FormatError, GraphError, ImageError, MemoryLimitError, PointerjumpError

DELIMITERS = {".csv": ",", ".tsv": "\t"}
MORE_MEMORY = "use a machine with more memory, or read part of the file"
"""The advice in error messages about files that are too large."""

PathLike = str | os.PathLike[str]
_PATHS = (str, os.PathLike)
Mode = Literal["rb", "wb"]
Codec = Callable[[Any, Mode], Any]  # wraps an open compressed file, to read or write its content
_AT_A_TIME = 1 << 17  # the number of compressed bytes that are read at a time
_MOST_OF_A_REASON = 200  # the most characters that are shown of a library's message about a damaged file

STANDARD_INPUT = Path("/dev/stdin")

_REASONS = {
    errno.ENOSPC: "the disk is full: make room, or write elsewhere",
    errno.EDQUOT: "your quota of the disk is used up: make room, or write elsewhere",
}


def name_of(path: Path) -> str:
    """Return the name of a file for use in messages, as a single line of printable characters."""
    if path == STANDARD_INPUT:
        return "standard input"
    name = str(path)
    return name if name.isprintable() else repr(name)


def as_path(path: object) -> Path:
    """Convert an argument to a path. Raise a FormatError if it is not a path."""
    if not isinstance(path, str | os.PathLike) or isinstance(os.fspath(path), bytes):
        raise FormatError(f"path is {path!r}: give a path, such as 'graph.mtx'")
    if not os.fspath(path):
        raise FormatError("the path is empty: name a file")
    return Path(path)


def are_paths(given: object) -> TypeGuard[list[PathLike] | tuple[PathLike, ...]]:
    """Return whether `given` is a non-empty list or tuple of paths, which together form one input."""
    return isinstance(given, list | tuple) and bool(given) and all(isinstance(each, _PATHS) for each in given)


def files_named(path: Path) -> list[Path]:
    """Return the path if it exists or is not a pattern, and otherwise the matching files, sorted by name."""
    if os.path.exists(path) or not glob.has_magic(str(path)):  # noqa: PTH110 - a long name is no error here
        return [path]
    found = sorted(file for file in map(Path, glob.glob(str(path), recursive=True)) if file.is_file())  # noqa: PTH207
    if not found:
        raise FormatError("no file has a name of this pattern")
    return found


def name_of_all(paths: Sequence[Path]) -> str:
    return name_of(paths[0]) + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")


@contextmanager
def naming(*given: PathLike) -> Iterator[Path]:
    """Convert errors in the ``with`` block to one-line errors that name the files. Yield the first path.

    A lack of memory raises a MemoryLimitError. Operating system errors and faulty files raise a FormatError.
    """
    paths = [as_path(path) for path in given]
    name = " and ".join(map(name_of, paths))
    try:
        for path in paths:
            _require_possible(path)
        yield paths[0]
    except (FormatError, GraphError, ImageError) as error:
        raise FormatError(f"{name}: {one_line(error)}") from error
    except MemoryLimitError as error:
        raise MemoryLimitError(f"{name}: {one_line(error)}") from error
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise FormatError(
            f"{name}: cannot be decompressed: it is damaged or cut short ({one_line(error)})"
        ) from error
    except OSError as error:
        reason = _REASONS.get(error.errno or 0) or error.strerror or one_line(error)
        raise FormatError(f"{name}: {reason}") from error
    except MemoryError as error:
        raise MemoryLimitError(f"{name}: needs more memory than there is: {MORE_MEMORY}") from error


def _require_possible(path: Path) -> None:
    """Raise a FormatError for a name that no file can have, instead of the errors that Python would raise."""
    try:
        possible = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise FormatError("no file can have this name: it holds a NUL or an incomplete character")


@contextmanager
def damage_named(otherwise: str, *also: type[Exception]) -> Iterator[None]:
    """Convert a library's error about a damaged file to a FormatError.

    The message begins with "is damaged", followed by `otherwise`, such as "or not a picture". Memory errors
    and operating system errors are not converted, unless their types are listed in `also`. List a type there
    if the library raises it for damaged files.
    """
    try:
        yield
    except PointerjumpError:
        raise
    # Depending on the content of a file, libraries may raise nearly any exception.
    except Exception as error:
        of_system = isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno)
        if of_system and not isinstance(error, also):
            raise
        raise FormatError(f"is damaged, {otherwise}: {one_line(error)[:_MOST_OF_A_REASON]}") from error


def one_line(error: Exception) -> str:
    return " ".join(str(error).split())


class _Streams(io.RawIOBase):
    """A reader that decompresses consecutive compressed streams.

    Python's BZ2File and LZMAFile treat a later stream with a damaged first byte as the end of the file. This
    class raises an error unless the last stream is followed only by zeros.
    """

    def __init__(self, raw: Any, decompressor: Callable[[], Any]) -> None:
        self._raw = raw
        self._decompressor = decompressor
        self._stream = decompressor()
        self._ahead = b""  # compressed bytes that were read but not decompressed

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = b""
        while len(buffer) and not content:
            if self._stream.eof and not self._next_stream():
                break
            content = self._stream.decompress(self._compressed(), len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def _compressed(self) -> bytes:
        if not self._stream.needs_input:
            return b""
        compressed, self._ahead = self._ahead or self._raw.read(_AT_A_TIME), b""
        if not compressed:
            raise EOFError("its last stream has no end")
        return bytes(compressed)

    def _next_stream(self) -> bool:
        """Skip any zeros after the current stream, and return whether another stream follows."""
        self._ahead = self._stream.unused_data.lstrip(b"\0")
        while not self._ahead:
            block = self._raw.read(_AT_A_TIME)
            if not block:
                return False
            self._ahead = block.lstrip(b"\0")
        self._stream = self._decompressor()
        return True


def _codec(write: Callable[[Any, Literal["wb"]], Any], decompressor: Callable[[], Any]) -> Codec:
    def codec(raw: Any, mode: Mode) -> Any:
        return write(raw, "wb") if mode == "wb" else io.BufferedReader(_Streams(raw, decompressor))

    return codec


COMPRESSIONS: dict[str, Codec] = {
    # The name and the time are left out, so that equal graphs produce identical files.
    ".gz": lambda raw, mode: gzip.GzipFile("", mode, compresslevel=6, fileobj=raw, mtime=0),
    ".bz2": _codec(bz2.BZ2File, bz2.BZ2Decompressor),
    ".xz": _codec(lzma.LZMAFile, lzma.LZMADecompressor),
    ".zst": lambda raw, mode: (
        pa.CompressedOutputStream(raw, "zstd") if mode == "wb" else pa.CompressedInputStream(raw, "zstd")
    ),
}

# The first bytes of compressed files.
_MAGIC = {b"\x1f\x8b\x08": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\0": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}

_BZIP2_BLOCK = b"1AY&SY"


def compression_within(beginning: bytes) -> str | None:
    """Detect compression from the first bytes of a file. Return the matching suffix, or None."""
    suffix = next((suffix for magic, suffix in _MAGIC.items() if beginning.startswith(magic)), None)
    if suffix == ".bz2" and beginning[4:10] != _BZIP2_BLOCK:  # text may begin with BZh too
        return None
    return suffix


PARQUET, ARROW = (".parquet", ".pq"), (".arrow", ".arrows", ".feather", ".ipc")  # suffixes of tables
ARROW_STREAM = ".arrows"  # the other suffixes are for files with a footer

_TABLES = {b"PAR1": ".parquet", b"ARROW1": ".arrow", b"\xff\xff\xff\xff": ARROW_STREAM}  # by first bytes


def table_within(beginning: bytes) -> str | None:
    """Detect a Parquet or Arrow table from its first bytes. Return the matching suffix, or None."""
    return next((suffix for magic, suffix in _TABLES.items() if beginning.startswith(magic)), None)


def compression_of(path: Path) -> Codec | None:
    return COMPRESSIONS.get(path.suffix.lower())


def base_suffix(path: Path) -> str:
    """Return the suffix that determines the format. For both ``a.mtx`` and ``a.mtx.gz``, it is ``.mtx``."""
    return Path(path.stem if compression_of(path) else path.name).suffix.lower()
