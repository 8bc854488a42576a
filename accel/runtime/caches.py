"""Working without pyopencl's caches when they are damaged.

pyopencl caches built programs, and the Python code that calls kernels, in files. If these are damaged, locked
or not writable, pyopencl raises whatever error it ran into. It works without them, only more slowly.
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
"""pyopencl waits this many seconds for a lock on its cache; an older lock belongs to no live process."""

_leaving_out = Lock()


def despite_caches(make: Callable[..., Made], *arguments: Any, **options: Any) -> Made:
    """Call `make`, which uses pyopencl. If pyopencl's caches make it fail, call it again without them."""
    cl = opencl()
    _look_at_caches()
    with_caches = not cl._PYOPENCL_NO_CACHE  # read now: another thread may change it
    try:
        return make(*arguments, **options)
    except (cl.Error, PointerjumpError):
        raise
    except Exception as error:  # reading, writing and locking files raise many kinds
        if not with_caches:
            raise
        why = error.__context__ or error  # pyopencl may fail while it handles the real error
        _leave_caches_out(f"{type(why).__name__}: {why}")
    return make(*arguments, **options)


@cache
def _look_at_caches() -> None:
    """Turn pyopencl's caches off if it would fail with them, or wait long for a lock before it fails."""
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


def _folders() -> tuple[Path, Path]:
    """Return the folders of pyopencl's two caches: programs, and the code that calls kernels."""
    programs, calls = (platformdirs.user_cache_path(name, name) for name in ("pyopencl", "pytools"))
    return programs, calls


def _leave_caches_out(why: str) -> None:
    """Turn pyopencl's caches off, and warn about it once."""
    cl: Any = opencl()
    with _leaving_out:
        if cl._PYOPENCL_NO_CACHE:
            return
        # The environment variable PYOPENCL_NO_CACHE would do the same, but is only read at import.
        cl._PYOPENCL_NO_CACHE = True
    programs, calls = _folders()
    warn_user(
        f"pyopencl's caches cannot be used ({why}), so programs are built anew in each process: "
        f"clear {programs} and {calls}",
        CacheWarning,
    )
