"""pyopencl's caches: left out where they are spoilt.

pyopencl keeps built programs, and how kernels are called, in files. Where these are damaged, locked or cannot
be written, it raises whatever it met there. It can do without them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import platformdirs

from pointerjump.accel.runtime.icd import opencl
from pointerjump.errors import CacheWarning, PointerjumpError, warn_user

Made = TypeVar("Made")

LOCK_KEPT = 60.0
"""Seconds for which pyopencl waits for a lock on its cache; one that is older belongs to nobody."""

_leaving_out = Lock()


def despite_caches(make: Callable[..., Made], *arguments: Any, **options: Any) -> Made:
    """Call `make`, which uses pyopencl; if pyopencl's caches get in the way, once more without them."""
    cl = opencl()
    _look_at_caches()
    with_caches = not cl._PYOPENCL_NO_CACHE  # another thread may change it meanwhile
    try:
        return make(*arguments, **options)
    except (cl.Error, PointerjumpError):
        raise
    except Exception as error:  # whatever reading, writing and locking files may raise
        if not with_caches:
            raise
        why = error.__context__ or error  # pyopencl trips over the error that it handles
        _leave_caches_out(f"{type(why).__name__}: {why}")
    return make(*arguments, **options)


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
    """Have pyopencl do without its caches, and say so once."""
    cl: Any = opencl()
    with _leaving_out:
        if cl._PYOPENCL_NO_CACHE:
            return
        # What the environment variable of that name sets, which pyopencl reads only when it is imported.
        cl._PYOPENCL_NO_CACHE = True
    programs, calls = _folders()
    warn_user(
        f"pyopencl's caches cannot be used ({why}), so programs are built anew in each process: "
        f"clear {programs} and {calls}",
        CacheWarning,
    )
