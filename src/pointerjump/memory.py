"""How much memory this process may still take, asked before anything large is allocated.

Linux hands out memory that it does not have, and ends the process without a word when that comes to
light. So what is large is compared beforehand with what the machine has free, with what the
container's control groups allow, and with the process's own resource limits.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from pointerjump.errors import MemoryLimitError

NOT_ASKED_ABOUT = 1 << 28
"""Bytes that may be allocated without asking: looking takes longer than small inputs do."""

_NO_LIMIT = 1 << 60  # control groups write "max", or a number near 2**63, where there is none


def require(size: int, what: str, way_out: str) -> None:
    """Refuse what needs more memory than there is.

    Parameters
    ----------
    size : int
        Bytes needed, at the most at one time.
    what : str
        What needs them: the beginning of the message, as in "labels of 2,000,000,001 vertices".
    way_out : str
        What would help: the end of the message.

    Raises
    ------
    MemoryLimitError
        Naming how much is needed, how much there is, and what would help.
    """
    if size <= NOT_ASKED_ABOUT:
        return
    there, why = available()
    if size > there:
        raise MemoryLimitError(f"{what} would take {_gib(size)}, and {why.format(_gib(there))}: {way_out}")


def available() -> tuple[int, str]:
    """Return how many bytes this process may still take, and what says so, with {} for the number."""
    import psutil

    limits = [(int(psutil.virtual_memory().available), "this machine has {} free")]
    limits += [(room, "this container may take another {}") for room in _room_of_groups(Path("/"))]
    limits += [(room, "this process's resource limit leaves {}") for room in _room_of_resources()]
    return min(limits)


def _room_of_groups(root: Path) -> Iterator[int]:
    """Yield what each control group that this process is in may still take, of either version."""
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
        # In a container the path may be that of the host: then only the top is there.
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
    # Pages of files that nobody has used lately make room by themselves.
    reclaimable = int(statistics.get("total_inactive_file", statistics.get("inactive_file", 0)))
    return max(0, limit - usage + reclaimable)


def _room_of_resources() -> Iterator[int]:
    """Yield what the process's limits on address space and on data leave."""
    if sys.platform == "win32":
        return
    import resource

    import psutil

    used = psutil.Process().memory_info()
    for kind, taken in ((resource.RLIMIT_AS, used.vms), (resource.RLIMIT_DATA, getattr(used, "data", 0))):
        limit = resource.getrlimit(kind)[0]
        if limit != resource.RLIM_INFINITY:
            yield max(0, limit - taken)


def _gib(size: int) -> str:
    return f"{size / 2**30:.1f} GiB"
