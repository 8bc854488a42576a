"""pyopencl's compiler: silent where we ask for that, and without its caches where those are spoilt.

Compilers are talkative, and pyopencl turns each remark into a warning. Python's own way to drop warnings
(``warnings.catch_warnings``) changes the whole process, so that threads undo each other's settings. Here a
thread says for itself that it does not want to hear them.

pyopencl keeps built programs in files. Where these are damaged, locked or cannot be written, it raises
whatever it met there. Programs can be built without them.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import platformdirs

from pointerjump.accel.drivers import opencl
from pointerjump.errors import PointerjumpError

Made = TypeVar("Made")

LOCK_KEPT = 60.0
"""Seconds for which pyopencl waits for a lock on its cache; one that is older belongs to nobody."""

_this_thread = threading.local()
_setting = threading.Lock()


class CacheWarning(UserWarning):
    """pyopencl's caches cannot be used, so programs are built anew in each process."""


@contextmanager
def quiet_compiler() -> Iterator[None]:
    """Drop the compiler's remarks to this thread."""
    _hear_of_remarks(opencl())
    before = getattr(_this_thread, "quiet", False)
    _this_thread.quiet = True
    try:
        yield
    finally:
        _this_thread.quiet = before


def _hear_of_remarks(pyopencl: Any) -> None:
    """Have pyopencl ask, before it warns of a remark, whether this thread wants to hear it."""
    with _setting:
        if hasattr(pyopencl.compiler_output, "asks"):
            return
        warn = pyopencl.compiler_output

        def compiler_output(text: str) -> None:
            if not getattr(_this_thread, "quiet", False):
                warn(text)

        compiler_output.asks = True  # type: ignore[attr-defined]
        pyopencl.compiler_output = compiler_output


def despite_caches(make: Callable[[], Made]) -> Made:
    """Return what `make` makes by means of pyopencl; without pyopencl's caches, if they are in the way."""
    cl = opencl()
    _look_at_caches()
    with_caches = not cl._PYOPENCL_NO_CACHE  # another thread may change it meanwhile
    try:
        return make()
    except (cl.Error, PointerjumpError):
        raise
    except Exception as error:  # whatever reading, writing and locking files may raise
        if not with_caches:
            raise
        why = error.__context__ or error  # pyopencl trips over the error that it handles
        _leave_caches_out(f"{type(why).__name__}: {why}")
    return make()


@cache
def _look_at_caches() -> None:
    """Leave pyopencl's caches out where it would stumble, or wait, before it fails."""
    if opencl()._PYOPENCL_NO_CACHE:
        return
    programs, calls = _folders()
    try:
        for folder in (programs, calls):
            folder.mkdir(parents=True, exist_ok=True)
        for lock in programs.glob("*/lock"):
            if time.time() - lock.stat().st_mtime > LOCK_KEPT:
                _leave_caches_out(f"{lock} was left behind by a process that is gone")
    except FileNotFoundError:  # a lock that is gone by now
        return
    except OSError as error:
        _leave_caches_out(f"{type(error).__name__}: {error}")


def _folders() -> tuple[Path, Path]:
    """Return where pyopencl keeps programs, and how kernels are called."""
    programs, calls = (platformdirs.user_cache_path(name, name) for name in ("pyopencl", "pytools"))
    return programs, calls


def _leave_caches_out(why: str) -> None:
    # What the environment variable of that name sets, which pyopencl reads only when it is imported.
    cl: Any = opencl()
    cl._PYOPENCL_NO_CACHE = True
    programs, calls = _folders()
    warnings.warn(
        f"pyopencl's caches cannot be used ({why}), so programs are built anew in each process: "
        f"clear {programs} and {calls}",
        CacheWarning,
        stacklevel=2,
    )
