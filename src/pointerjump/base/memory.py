"""Checks whether arrays will fit into memory, before they are allocated.

Linux lets a process allocate more memory than there is, and later kills it without warning. The size of a
large allocation is therefore first compared with the free memory of the machine, the limits of control groups
(containers), the limits of the process and any bound that the user has set.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pointerjump.errors import MemoryLimitError, PointerjumpError

NOT_ASKED_ABOUT, NOT_ASKED_ABOUT_WITHIN_BOUNDS = 1 << 28, 1 << 20
"""Allocations of at most this many bytes are not checked, because a check would take longer than the work
itself. The second value applies while :func:`bounded` is in effect."""

LESS_AT_A_TIME = "give less at a time, or use a machine with more memory"
"""Advice in error messages about input that is itself too large."""

_NO_LIMIT = 1 << 60  # a control group without a limit may state "max" or a number near 2**63

_bounds: list[tuple[int, str]] = []  # the bounds in force: the arguments of `bounded`


def require(size: int, what: str, way_out: str = LESS_AT_A_TIME) -> None:
    """Raise a MemoryLimitError if there is not enough memory for `what`, which takes `size` bytes."""
    if size > (NOT_ASKED_ABOUT_WITHIN_BOUNDS if _bounds else NOT_ASKED_ABOUT):
        room, place = available()
        if size > room:
            raise MemoryLimitError(
                f"{what} would take {in_words(size)}, and only {in_words(room)} are free {place}: {way_out}"
            )


def fits(size: int) -> bool:
    """Return whether :func:`require` accepts a size."""
    try:
        require(size, "this")
    except MemoryLimitError:
        return False
    return True


def available(root: Path = Path("/")) -> tuple[int, str]:
    """Return how many bytes this process may still allocate, and a phrase for error messages.

    The phrase says where this limit applies, for example "in this container".
    """
    import psutil

    limits = [(int(psutil.virtual_memory().available), "on this machine")]
    limits += [(room, "in this container") for room in _room_of_groups(root)]
    if sys.platform != "win32":
        import resource

        used, place = psutil.Process().memory_info(), "under this process's resource limits"
        for kind, taken in ((resource.RLIMIT_AS, used.vms), (resource.RLIMIT_DATA, getattr(used, "data", 0))):
            if (limit := resource.getrlimit(kind)[0]) != resource.RLIM_INFINITY:
                limits.append((max(0, limit - taken), place))
    limits += [(max(0, bound - resident()), place) for bound, place in _bounds]
    return min(limits)


@contextmanager
def bounded(size: int, place: str) -> Iterator[None]:
    """Limit the memory of this process to `size` bytes, including the memory that it already uses.

    In error messages, `place` says where the limit applies, for example "within --memory 2.0 GiB".
    """
    _bounds.append((size, place))
    try:
        yield
    finally:
        _bounds.remove((size, place))


def resident() -> int:
    """Return the amount of memory that this process uses, in bytes."""
    import psutil

    return int(psutil.Process().memory_info().rss)


def as_bytes(size: Any, what: str, error: type[PointerjumpError]) -> int:
    """Parse a number of bytes, such as 512, "1MB" (10**6 bytes) or "2GiB" (2 * 2**30 bytes, also "2g")."""
    if isinstance(size, int) and not isinstance(size, bool) and size > 0:
        return size
    found = re.fullmatch(r"\s*([0-9]{1,15}(?:\.[0-9]{1,9})?)\s*([kmgt]?)(i?b)?\s*", str(size).lower())
    if not isinstance(size, str) or not found or float(found[1]) == 0:
        raise error(f'{what} is {size!r}: give a number of bytes above 0, or text such as "2GiB" or "500MB"')
    unit = (1000 if found[3] == "b" else 1024) ** ("kmgt".find(found[2]) + 1 if found[2] else 0)
    return max(1, int(float(found[1]) * unit))


def in_words(size: int) -> str:
    """Format a number of bytes with a suitable unit, for example "24.2 GiB"."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size} bytes"


def _room_of_groups(root: Path) -> Iterator[int]:
    """Yield how many bytes each control group (version 1 or 2) of this process may still allocate."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:  # not Linux
        return
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        top = root / ("sys/fs/cgroup/memory" if controllers else "sys/fs/cgroup")
        names = ("limit_in_bytes", "usage_in_bytes") if controllers else ("max", "current")
        # In a container, the path may be the host's, of which only the top folder exists here.
        folder = top / group.lstrip("/")
        for each in (folder, *folder.parents):
            if not each.is_relative_to(top):
                break
            try:
                limit, usage = (int((each / f"memory.{name}").read_text()) for name in names)
                statistics = dict(line.split() for line in (each / "memory.stat").read_text().splitlines())
            except (OSError, ValueError):  # no such group, or "max"
                continue
            if limit < _NO_LIMIT:
                # When memory is short, the kernel drops cached file pages that have not been used lately.
                idle = int(statistics.get("total_inactive_file", statistics.get("inactive_file", 0)))
                yield max(0, limit - usage + idle)
