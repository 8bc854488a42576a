"""Reads the source files of kernel programs, and builds them with pyopencl.

This module resolves ``#include "..."`` itself. The ``.cl`` files can therefore contain ordinary includes,
which editors understand, and still be read from a zip file. This also avoids the need for a ``-I`` path, in
which PoCL does not allow spaces.

OpenCL compilers issue many remarks, which pyopencl turns into warnings. ``warnings.catch_warnings`` affects
the whole process, so threads would undo each other's settings. Here, each thread decides for itself whether
it sees remarks.

pyopencl has two caches on disk: one for programs, and one for the Python code that calls kernels. If their
files are damaged, locked or not writable, pyopencl raises errors of many kinds. Without its caches, pyopencl
still works, but more slowly.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import platformdirs

from pointerjump.accel.runtime.icd import opencl
from pointerjump.errors import CacheWarning, DeviceError, PointerjumpError, warn_user

if TYPE_CHECKING:
    import pyopencl as cl

Made = TypeVar("Made")

LOCK_KEPT = 60.0
"""The number of seconds that pyopencl waits for a lock on its cache. An older lock is not held by any live
process."""

_INCLUDE = re.compile(r'^#include "([^"]+)"$', re.MULTILINE)
_leaving_out = threading.Lock()
_this_thread = threading.local()


@cache
def source(name: str) -> str:
    """Return the source code of a file in ``kernels_cl/``. Each included header is inlined once."""
    included: set[str] = set()

    def inline(file: str) -> str:
        text = files("pointerjump.kernels_cl").joinpath(file).read_text("utf-8")

        def replace(match: re.Match[str]) -> str:
            header = match[1]
            if header in included:
                return ""
            included.add(header)
            after = text.count("\n", 0, match.start()) + 2  # the line after the include
            return f'#line 1 "{header}"\n{inline(header)}\n#line {after} "{file}"'

        return _INCLUDE.sub(replace, text)

    return inline(name)


def options(defines: Mapping[str, object]) -> list[str]:
    """Return options that define macros. True adds a macro without a value; False and None leave it out."""
    return [
        f"-D{name}" if value is True else f"-D{name}={value}"
        for name, value in sorted(defines.items())
        if value is not None and value is not False
    ]


def build(context: cl.Context, name: str, build_options: list[str]) -> Any:
    """Build a kernel file for the only device of `context`.

    If the driver cannot compile the file, a DeviceError quotes the line of the log that gives the reason.
    """
    cl = opencl()
    try:
        return build_quietly(cl.Program(context, source(name)).build, options=build_options)
    except cl.Error as error:
        device = context.devices[0]
        raise DeviceError(
            f"{device.platform.name.strip()} cannot build {name} for {device.name.strip()}: "
            f"{telling_line(error)}; choose another device (pointerjump devices lists them)"
        ) from None


def telling_line(error: Exception) -> str:
    """Return the line of an error message or build log that says what is wrong."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    named = [line for line in lines if "error:" in line.lower()]
    return (named or lines or [type(error).__name__])[0]


# -- without remarks -------------------------------------------------------------------------------


def build_quietly(build: Callable[..., Made], *arguments: Any, **options: Any) -> Made:
    """Call `build` with :func:`despite_caches`, and suppress the compiler's remarks."""
    with quiet_compiler():
        return despite_caches(build, *arguments, **options)


@contextmanager
def quiet_compiler() -> Iterator[None]:
    """Return a context manager that suppresses the compiler's remarks in the current thread."""
    _ask_before_remarks()
    before = getattr(_this_thread, "quiet", False)
    _this_thread.quiet = True
    try:
        yield
    finally:
        _this_thread.quiet = before


@cache
def _ask_before_remarks() -> None:
    """Patch pyopencl so that threads can suppress the compiler's remarks.

    If two threads apply the patch at the same time, it is applied twice, which does no harm.
    """
    pyopencl: Any = opencl()
    warn = pyopencl.compiler_output

    def compiler_output(text: str) -> None:
        if not getattr(_this_thread, "quiet", False):
            warn(text)

    pyopencl.compiler_output = compiler_output


# -- despite pyopencl's caches ---------------------------------------------------------------------


def despite_caches(make: Callable[..., Made], *arguments: Any, **options: Any) -> Made:
    """Call `make`, which uses pyopencl. If pyopencl's caches make it fail, call it again without them."""
    cl = opencl()
    _look_at_caches()
    with_caches = not cl._PYOPENCL_NO_CACHE  # read now, because another thread may change it
    try:
        return make(*arguments, **options)
    except (cl.Error, PointerjumpError):
        raise
    except Exception as error:  # reading, writing and locking files raises errors of many kinds
        if not with_caches:
            raise
        why = error.__context__ or error  # pyopencl may fail while it handles the real error
        _leave_caches_out(f"{type(why).__name__}: {why}")
    return make(*arguments, **options)


def _folders() -> list[Path]:
    # pyopencl caches programs in the first folder, and the code that calls kernels in the second.
    return [platformdirs.user_cache_path(name, name) for name in ("pyopencl", "pytools")]


@cache
def _look_at_caches() -> None:
    """Turn off pyopencl's caches if they cannot be accessed, or if a lock on them has been abandoned."""
    if opencl()._PYOPENCL_NO_CACHE:
        return
    programs, calls = _folders()
    try:
        for folder in (programs, calls):
            folder.mkdir(parents=True, exist_ok=True)
        for lock in programs.glob("*/lock"):
            if time.time() - lock.stat().st_mtime > LOCK_KEPT:
                _leave_caches_out(f"{lock} was left behind by a process that has ended")
    except FileNotFoundError:  # the lock was released meanwhile
        return
    except OSError as error:
        _leave_caches_out(f"{type(error).__name__}: {error}")


def _leave_caches_out(why: str) -> None:
    cl: Any = opencl()
    with _leaving_out:
        if cl._PYOPENCL_NO_CACHE:
            return
        # The environment variable PYOPENCL_NO_CACHE would do the same, but it is read only at import.
        cl._PYOPENCL_NO_CACHE = True
    programs, calls = _folders()
    warn_user(
        f"pyopencl's caches cannot be used ({why}), so programs are built anew in each process: "
        f"clear {programs} and {calls}",
        CacheWarning,
    )
