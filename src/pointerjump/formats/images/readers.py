"""What readers of images have in common: what they return, and how they tell what their libraries say."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from pointerjump.errors import FormatError, FormatWarning, PointerjumpError, warn_user
from pointerjump.formats.files import name_of, one_line


@dataclass(frozen=True, eq=False)
class ImageFile:
    """An image in a file.

    Attributes
    ----------
    pixels : ndarray, or array that is read when it is sliced
    nifti, zarr : tuple or None
        What a file in one of these formats has besides pixels: a file with its labels gets it too.
    """

    pixels: Any
    nifti: tuple[Any, ...] | None = None
    zarr: tuple[Any, ...] | None = None


def require_library(name: str, extra: str) -> None:
    """Refuse a format whose library is not installed."""
    try:
        import_module(name)
    except ImportError:
        raise FormatError(
            f"needs {name}, which is not installed: pip install 'pointerjump[{extra}]'"
        ) from None


@contextmanager
def damage_named(kind: str) -> Iterator[None]:
    """Turn whatever a library makes of a damaged file into a FormatError that says what it should be."""
    try:
        yield
    except (MemoryError, PointerjumpError):
        raise
    # The content decides what a library stumbles over, and that can raise nearly anything.
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:  # the system's own, not of the content
            raise
        raise FormatError(f"is damaged, or not {kind}: {one_line(error)}") from error


@contextmanager
def remarks_told(path: Path, logger: str) -> Iterator[None]:
    """Tell in one line what a library logs about a file: an error ends the reading, the rest is a warning.

    Libraries log an error and go on with what they have read, such as the first of many pages.
    """
    log, remarks = logging.getLogger(logger), _Remarks(logging.WARNING)
    handlers, propagate = log.handlers, log.propagate
    log.handlers, log.propagate = [remarks], False
    try:
        yield
    finally:
        log.handlers, log.propagate = handlers, propagate
    for level, told in remarks.told:
        if level >= logging.ERROR:
            raise FormatError(f"is damaged: {told}")
    if remarks.told:
        warn_user(f"{name_of(path)}: {remarks.told[0][1]}", FormatWarning)


class _Remarks(logging.Handler):
    """Keeps the level and the text of what is logged, each text in one line."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.told: list[tuple[int, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a message."""
        self.told.append((record.levelno, " ".join(record.getMessage().split())))
