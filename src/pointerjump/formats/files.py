"""What reading and writing files share: their names in errors, their suffixes, and compression."""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from pointerjump.errors import FormatError, GraphError, MemoryLimitError
from pointerjump.formats.text import MORE_MEMORY

PathLike = str | os.PathLike[str]
Mode = Literal["rb", "wb"]
Codec = Callable[[Any, Mode], Any]
"""Makes a file of what a compressed file holds, or will hold."""

STANDARD_INPUT = Path("/dev/stdin")

_REASONS = {
    errno.ENOSPC: "the disk is full: make room, or write elsewhere",
    errno.EDQUOT: "your quota of the disk is used up: make room, or write elsewhere",
}


def name_of(path: Path) -> str:
    """Return what messages call a file."""
    return "standard input" if path == STANDARD_INPUT else str(path)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turn whatever is wrong with a file into an error of one line that names it.

    It is a FormatError, or a MemoryLimitError if memory is lacking.
    """
    name = name_of(path)
    try:
        yield
    except (FormatError, GraphError) as error:
        raise FormatError(f"{name}: {one_line(error)}") from error
    except MemoryLimitError as error:
        raise MemoryLimitError(f"{name}: {one_line(error)}") from error
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise FormatError(
            f"{name}: cannot be decompressed, it is damaged or cut short ({one_line(error)})"
        ) from error
    except OSError as error:
        reason = _REASONS.get(error.errno or 0) or error.strerror or one_line(error)
        raise FormatError(f"{name}: {reason}") from error
    except MemoryError as error:
        raise MemoryLimitError(f"{name}: needs more memory than there is: {MORE_MEMORY}") from error


def one_line(error: Exception) -> str:
    """Return an error's message without line breaks."""
    return " ".join(str(error).split())


def _gzip(raw: Any, mode: Mode) -> Any:
    # No name and no time: equal graphs make equal files.
    return gzip.GzipFile("", mode, compresslevel=6, fileobj=raw, mtime=0)


def _zstandard(raw: Any, mode: Mode) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(raw, "zstd") if mode == "rb" else pa.CompressedOutputStream(raw, "zstd")


COMPRESSIONS: dict[str, Codec] = {
    ".gz": _gzip,
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
    ".zst": _zstandard,
}
"""How files with these suffixes are compressed."""


def compression_of(path: Path) -> Codec | None:
    """Return how a file is compressed, by its suffix, if it is."""
    return COMPRESSIONS.get(path.suffix.lower())


def base_suffix(path: Path) -> str:
    """Return the suffix that says the format: ``.mtx`` for ``a.mtx`` and for ``a.mtx.gz``."""
    return Path(path.stem if compression_of(path) else path.name).suffix.lower()
