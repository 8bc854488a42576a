"""Keeps standard output and standard error from failing with a traceback.

Characters that the encoding does not support are escaped. It is not an error if a reader such as ``head``
exits early. Any other failure of standard output, such as a full disk, is reported once. Failures of standard
error are ignored.
"""

from __future__ import annotations

import io
import os
import select
import sys
from typing import TextIO

from pointerjump.errors import PointerjumpError


class StandardOutputError(PointerjumpError):
    """Raised if standard output cannot be written to."""


def guard() -> None:
    """Permanently replace ``sys.stdout`` and ``sys.stderr`` with streams that never fail with a traceback."""
    # Closed streams are opened, so that no other file is assigned their numbers. Input is opened for writing
    # and output for reading, so that using them still fails.
    for number, mode in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)
    sys.stdout, sys.stderr = _guarded(sys.stdout, 1), _guarded(sys.stderr, 2)


def _guarded(stream: TextIO | None, number: int) -> TextIO:
    raw = _Guarded(number)
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=stream.encoding if stream else "utf-8",
        errors="backslashreplace",
        # Terminals and error messages are read while they are written, so each line is written at once.
        line_buffering=number == 2 or raw.isatty(),
    )


class _Guarded(io.RawIOBase):
    """A raw standard stream that reports its first failure, and discards anything written after it."""

    def __init__(self, number: int) -> None:
        self._file = open(number, "wb", buffering=0, closefd=False)  # noqa: SIM115
        self._is_output, self._failed = number == 1, False

    def write(self, data: object) -> int:
        content = memoryview(data)  # type: ignore[arg-type]
        if not self._failed:
            try:
                while (written := self._file.write(content)) is None:
                    select.select([], [self._file], [])  # other code has made the stream non-blocking
                return written
            except OSError as error:
                self._failed = True
                if self._is_output and not isinstance(error, ConnectionError):  # the pipe's reader has left
                    raise StandardOutputError(f"cannot write to standard output: {error.strerror}") from error
        return content.nbytes

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._file.isatty()

    def fileno(self) -> int:
        return self._file.fileno()
