"""Compiling with pyopencl without its warnings.

OpenCL compilers are talkative, and pyopencl turns each of their remarks into a warning. Python's own way to
drop warnings, ``warnings.catch_warnings``, changes the whole process, so threads undo each other's settings.
Here each thread decides for itself whether it wants to see the remarks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

from pointerjump.accel.runtime.caches import despite_caches
from pointerjump.accel.runtime.icd import opencl

Built = TypeVar("Built")

_this_thread = threading.local()


def build_quietly(build: Callable[..., Built], *arguments: Any, **options: Any) -> Built:
    """Call `build`, which compiles with pyopencl: without remarks, and even if its caches are damaged."""
    with quiet_compiler():
        return despite_caches(build, *arguments, **options)


@contextmanager
def quiet_compiler() -> Iterator[None]:
    """Drop the compiler's remarks in this thread."""
    _ask_before_remarks()
    before = getattr(_this_thread, "quiet", False)
    _this_thread.quiet = True
    try:
        yield
    finally:
        _this_thread.quiet = before


@cache
def _ask_before_remarks() -> None:
    """Make pyopencl check whether this thread wants to see a remark before it warns about it.

    If two threads do this at the same time, pyopencl checks twice, which does no harm.
    """
    pyopencl: Any = opencl()
    warn = pyopencl.compiler_output

    def compiler_output(text: str) -> None:
        if not getattr(_this_thread, "quiet", False):
            warn(text)

    pyopencl.compiler_output = compiler_output
