"""What is known about Dask's workers, and what tasks do on them beside their work."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import psutil
from dask.system import CPU_COUNT

from pointerjump.accel.runtime.own_device import own_device
from pointerjump.errors import DeviceError, MemoryLimitError

log = logging.getLogger("pointerjump.dask")

TOPIC = "pointerjump"
"""The topic of our events: ``client.get_events("pointerjump")`` returns them."""


class Workers(NamedTuple):
    """The workers that a computation would use.

    Attributes
    ----------
    threads : int
        How many tasks they can do at the same time.
    memory : int
        The bytes that the worker with the least memory has for each of its threads.
    """

    threads: int
    memory: int


def workers() -> Workers:
    """Return facts about the workers of the current client or, without one, about this machine.

    Workers without a memory limit share the memory of the machine that they are on.
    """
    client = current_client()
    if client is None:
        return Workers(CPU_COUNT, _memory_of_this_machine() // CPU_COUNT)
    all_workers = client.scheduler_info(n_workers=-1)["workers"]
    if not all_workers:
        return Workers(1, _memory_of_this_machine())
    unlimited = {address: one for address, one in all_workers.items() if not one["memory_limit"]}
    threads_of_host = Counter[str]()
    for one in unlimited.values():
        threads_of_host[one["host"]] += one["nthreads"]
    memory = [one["memory_limit"] // one["nthreads"] for one in all_workers.values() if one["memory_limit"]]
    for address, total in _memory_of_machines(client, list(unlimited)).items():
        memory.append(total // threads_of_host[unlimited[address]["host"]])
    return Workers(sum(one["nthreads"] for one in all_workers.values()), min(memory))


def _memory_of_machines(client: Any, workers: list[str]) -> dict[str, int]:
    """Return the memory of the machine of each of some workers."""
    if not workers:
        return {}
    if client.asynchronous:  # it returns nothing at once
        return dict.fromkeys(workers, _memory_of_this_machine())
    found: dict[str, int] = client.run(_memory_of_this_machine, workers=workers)
    return found


def _memory_of_this_machine() -> int:
    return int(psutil.virtual_memory().total)


def current_client() -> Any:
    """Return the client that Dask would use, or None."""
    try:
        from distributed import default_client
    except ImportError:
        return None
    try:
        return default_client()
    except ValueError:
        return None


def tell(**what: Any) -> None:
    """Say something about the computation: in the log and, on a cluster, as an event."""
    log.info(", ".join(f"{name.replace('_', ' ')}: {value}" for name, value in what.items()))
    worker = this_worker()
    if worker is not None:
        worker.log_event(TOPIC, what)
    elif (client := current_client()) is not None:
        client.log_event(TOPIC, what)


class OnWorker:
    """Work of a task that uses a device: the process's own, unless one is named.

    Errors of devices and of memory then say on which worker they occurred, and on which device.

    Parameters
    ----------
    work : callable
        It is called with ``device=...``.
    device : str, optional
    """

    def __init__(self, work: Callable[..., Any], device: str | None, *first: Any) -> None:
        self._work, self._device, self._first = work, device, first

    def __call__(self, *given: Any) -> Any:
        """Do the work."""
        device: Any = self._device
        try:
            device = own_device() if device is None else device
            return self._work(*self._first, *given, device=device)
        except (DeviceError, MemoryLimitError) as error:
            where = f"device {device}" if device is not None else "the default device"
            worker = this_worker()
            if worker is not None:
                where = f"worker {worker.name} at {worker.address}, {where}"
            raise type(error)(f"on {where}: {error}") from error


def this_worker() -> Any:
    """Return the worker that does this task, or None."""
    try:
        from distributed import get_worker
    except ImportError:
        return None
    try:
        return get_worker()
    except ValueError:
        return None
