"""Writes files either completely or not at all, and checks in advance that they can be written."""

from __future__ import annotations

import glob
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy.typing as npt

from pointerjump.base.graph import Graph
from pointerjump.errors import FormatError, FormatWarning, warn_user
from pointerjump.formats.files import PathLike, compression_of, naming

_NAME_KEPT = 40  # characters of a file's name in its temporary file's name: the whole name might be too long


def undirected_edges(graph: Graph) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the smaller and the larger endpoint of each edge in a symmetric graph, including self-loops."""
    sources = graph.sources
    once = sources <= graph.neighbors
    return sources[once], graph.neighbors[once]


def warn_of_lost_names(path: Path) -> None:
    warn_user(
        f"{path}: its vertices are written as 0 .. n - 1, not by their ids: labels in .csv keep them",
        FormatWarning,
    )


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a new file that replaces `path` once it is complete.

    The suffix of `path` determines the compression. The new file has the same mode and, if permitted, the
    same owner as the file that it replaces. If the ``with`` block fails, the file at `path` is left
    unchanged. An unfinished file is left behind only if the process is killed.
    """
    target, replaced = _target(path)
    aside = unfinished(target)
    compress = compression_of(path)
    try:
        with aside.open("xb") as raw:
            if replaced:
                _take_after(replaced, raw.fileno())
            try:
                with compress(raw, "wb") if compress else nullcontext(raw) as file:
                    yield file
            except OSError as error:
                if error.errno is None:  # NumPy's error gives no reason; this raises the system's own error
                    os.write(raw.fileno(), b"\0")
                raise
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)


def unfinished(path: Path, continued: bool = False) -> Path:
    """Return a name for a temporary file or folder that will replace `path` once it is complete.

    The name is random or, if `continued` is set, always the same, so that the next run can find the file.
    """
    target = Path(os.path.realpath(path))
    which = "continued" if continued else secrets.token_hex(4)
    return target.with_name(f".{target.name[:_NAME_KEPT]}.{which}.part")


def put_in_place(finished: Path, path: Path) -> None:
    """Replace `path` with a finished file or folder. If this fails, `path` is left unchanged."""
    if not finished.is_dir():
        target, replaced = _target(path)
        if replaced:
            with finished.open("rb") as file:
                _take_after(replaced, file.fileno())
        finished.replace(target)
        return
    # No portable system call exchanges two folders.
    target = Path(os.path.realpath(path))
    older = unfinished(target)
    try:
        if target.exists():
            target.rename(older)
        finished.rename(target)
    except BaseException:
        if older.exists() and not target.exists():
            older.rename(target)
        raise
    remove(older)


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def remove_unfinished(path: Path) -> None:
    """Remove unfinished files for `path` that were left behind by killed processes."""
    target, _ = _target(path)
    if len(target.name) > _NAME_KEPT:  # another file's name may have the same beginning
        return
    for left in target.parent.glob(f".{glob.escape(target.name)}.????????.part"):
        left.unlink(missing_ok=True)


def write_text(path: PathLike, text: str) -> None:
    """Write a UTF-8 text file, either completely or not at all."""
    with naming(path) as target, replacing(target) as file:
        file.write(text.encode(errors="backslashreplace"))


def require_writable(path: PathLike, *, folder: bool = False) -> None:
    """Check in advance that a file, or a folder if `folder` is set, can be written to a path."""
    with naming(path) as named:
        if os.fspath(path).endswith(os.sep) and not folder:
            raise FormatError("is the name of a folder: name a file")
        target = _folder(named) if folder else _target(named)[0]
        if not target.parent.is_dir():
            raise FormatError("there is no such folder: make it, or name another one")
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise FormatError("its folder is write-protected: name another one")
        attempt = unfinished(target)
        try:  # file systems refuse files for more reasons than can be checked
            attempt.touch(exist_ok=False)
            attempt.unlink()
        except OSError as error:
            raise FormatError(
                f"no file can be made in its folder ({error.strerror}): name another one"
            ) from None


def _folder(path: Path) -> Path:
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_dir():
        raise FormatError("is a file, and a folder is to be written: name another one")
    if target.exists() and not os.access(target, os.W_OK | os.X_OK):
        raise FormatError("is write-protected: name another folder, or remove it")
    return target


def _target(path: Path) -> tuple[Path, os.stat_result | None]:
    """Follow links to the file to be replaced. Return its path and status (None if there is no such file)."""
    target = Path(os.path.realpath(path))  # so that a link stays a link
    try:
        status = target.stat()
    except FileNotFoundError:
        return target, None
    if stat.S_ISDIR(status.st_mode):
        raise FormatError("is a folder: name a file in it")
    if not stat.S_ISREG(status.st_mode):
        raise FormatError("is not a regular file, so it cannot be replaced: name another one")
    if not os.access(target, os.W_OK):
        raise FormatError("is write-protected: name another file, or remove it")
    return target, status


def _take_after(replaced: os.stat_result, descriptor: int) -> None:
    """Set the mode and, if permitted, the owner of a file to those of the file that it replaces."""
    if hasattr(os, "fchown"):
        with suppress(PermissionError):
            os.fchown(descriptor, replaced.st_uid, replaced.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(replaced.st_mode))
