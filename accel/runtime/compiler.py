"""pyopencl's compiler, silent where we ask for that.

Compilers are talkative, and pyopencl turns each remark into a warning. Python's own way to drop warnings
(``warnings.catch_warnings``) changes the whole process, so that threads undo each other's settings. Here a
thread says for itself that it does not want to hear them.
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
    """Call `build`, which has pyopencl build programs: without remarks, and despite spoilt caches."""
    with quiet_compiler():
        return despite_caches(build, *arguments, **options)


@contextmanager
def quiet_compiler() -> Iterator[None]:
    """Drop the compiler's remarks to this thread."""
    _ask_before_remarks()
    before = getattr(_this_thread, "quiet", False)
    _this_thread.quiet = True
    try:
        yield
    finally:
        _this_thread.quiet = before


@cache
def _ask_before_remarks() -> None:
    """Have pyopencl ask, before it warns of a remark, whether this thread wants to hear it.

    Two threads may both do this when both are the first. Then pyopencl asks twice, and hears the same.
    """
    pyopencl: Any = opencl()
    warn = pyopencl.compiler_output

    def compiler_output(text: str) -> None:
        if not getattr(_this_thread, "quiet", False):
            warn(text)

    pyopencl.compiler_output = compiler_output
