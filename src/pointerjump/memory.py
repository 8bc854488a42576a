"""How much memory this process may still take: checked before anything large is allocated.

Linux promises more memory than it has, and kills the process without a word when the promise cannot be
kept. So before anything large is allocated, its size is compared with what the machine has free, with
what the container's control groups allow, with the process's own resource limits, and with the bound that a
user may have set.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pointerjump.errors import MemoryLimitError, PointerjumpError

NOT_ASKED_ABOUT = 1 << 28
"""Allocations up to this size are not checked: checking takes longer than the work on a small input."""

NOT_ASKED_ABOUT_WITHIN_BOUNDS = 1 << 20
"""The same where :func:`bounded` is in force."""

LESS_AT_A_TIME = "give less at a time, or use a machine with more memory"
"""The way out if it is the input itself that is large."""

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_DECIMAL_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}

_NO_LIMIT = 1 << 60  # a control group without a limit says "max", or a number near 2**63

_bounds: list[tuple[int, str]] = []
"""The bounds in force, as :func:`bounded` takes them."""


def require(size: int, what: str, way_out: str) -> None:
    """Refuse work that needs more memory than there is.

    Parameters
    ----------
    size : int
        Bytes needed at the peak.
    what : str
        What needs them, such as "labels of 2,000,000,001 vertices": the message begins with it.
    way_out : str
        What would help: the message ends with it.

    Raises
    ------
    MemoryLimitError
        Naming how much is needed, how much there is, and what would help.
    """
    if size <= (NOT_ASKED_ABOUT_WITHIN_BOUNDS if _bounds else NOT_ASKED_ABOUT):
        return
    room, place = available()
    if size > room:
        raise MemoryLimitError(
            f"{what} would take {in_words(size)}, and only {in_words(room)} are free {place}: {way_out}"
        )


def available(root: Path = Path("/")) -> tuple[int, str]:
    """Return how many bytes this process may still take, and what sets that limit.

    `root` is the folder with the system's files, which tests replace with others.
    """
    import psutil

    limits = [(int(psutil.virtual_memory().available), "on this machine")]
    limits += [(room, "in this container") for room in _room_of_groups(root)]
    limits += [(room, "under this process's resource limits") for room in _room_of_resources()]
    limits += [(max(0, bound - resident()), place) for bound, place in _bounds]
    return min(limits)


@contextmanager
def bounded(size: int, place: str) -> Iterator[None]:
    """Let this process have at most so many bytes in memory, with all that it has there already.

    The bound is for the whole process, and nothing larger than what is left of it passes :func:`require`,
    however small that is.

    Parameters
    ----------
    size : int
    place : str
        What sets the bound, as messages put it: "within --memory 2.0 GiB".
    """
    _bounds.append((size, place))
    try:
        yield
    finally:
        _bounds.remove((size, place))


def resident() -> int:
    """Return how many bytes of memory this process has now."""
    import psutil

    return int(psutil.Process().memory_info().rss)


def as_bytes(size: Any, what: str, error: type[PointerjumpError]) -> int:
    """Return an amount of memory as a number of bytes.

    Parameters
    ----------
    size : int or str
        A number of bytes, or a number with a unit: ``"2GiB"`` and ``"2g"`` are 2 * 2**30 bytes,
        ``"500MB"`` is 500 * 10**6.
    what : str
        What the error calls it, such as "memory".
    error : type
        The error to raise if it is not an amount of memory, or none at all.

    Examples
    --------
    >>> from pointerjump.errors import FormatError
    >>> as_bytes("1.5 KiB", "memory", FormatError), as_bytes("2kB", "memory", FormatError)
    (1536, 2000)
    """
    if isinstance(size, int) and not isinstance(size, bool) and size > 0:
        return size
    found = re.fullmatch(r"\s*([0-9]{1,15}(?:\.[0-9]{1,9})?)\s*([kmgt]?)(i?b)?\s*", str(size).lower())
    if not isinstance(size, str) or not found or float(found[1]) == 0:
        raise error(f'{what} is {size!r}: give a number of bytes above 0, or text such as "2GiB" or "500MB"')
    units = _DECIMAL_UNITS if found[3] == "b" else _UNITS
    return max(1, int(float(found[1]) * units[found[2]]))


def in_words(size: int) -> str:
    """Return a number of bytes the way people write it, such as "24.2 GiB"."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size} bytes"


def _room_of_groups(root: Path) -> Iterator[int]:
    """Yield what each of this process's control groups, of version 1 or 2, may still take."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:  # another system than Linux
        return
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        top = root / ("sys/fs/cgroup/memory" if controllers else "sys/fs/cgroup")
        names = ("limit_in_bytes", "usage_in_bytes") if controllers else ("max", "current")
        # In a container the path may be the host's. Then no folder on it exists but the top.
        folder = top / group.lstrip("/")
        while folder.is_relative_to(top):
            room = _room_of_group(folder, *names)
            if room is not None:
                yield room
            folder = folder.parent


def _room_of_group(folder: Path, limit_name: str, usage_name: str) -> int | None:
    try:
        limit = int((folder / f"memory.{limit_name}").read_text())
        usage = int((folder / f"memory.{usage_name}").read_text())
        statistics = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
    except (OSError, ValueError):  # no such group, or "max"
        return None
    if limit >= _NO_LIMIT:
        return None
    # The kernel drops cached pages of files that nobody has used lately when memory is short.
    reclaimable = int(statistics.get("total_inactive_file", statistics.get("inactive_file", 0)))
    return max(0, limit - usage + reclaimable)


def _room_of_resources() -> Iterator[int]:
    """Yield what the process's limits on address space and on data still allow."""
    if sys.platform == "win32":
        return
    import resource

    import psutil

    used = psutil.Process().memory_info()
    for kind, taken in ((resource.RLIMIT_AS, used.vms), (resource.RLIMIT_DATA, getattr(used, "data", 0))):
        limit = resource.getrlimit(kind)[0]
        if limit != resource.RLIM_INFINITY:
            yield max(0, limit - taken)
