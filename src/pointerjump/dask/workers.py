"""Queries the resources of Dask's workers, logs information and chooses a device for a task."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psutil
from dask.system import CPU_COUNT

from pointerjump.accel.runtime.own_device import own_device
from pointerjump.errors import DeviceError, MemoryLimitError

log = logging.getLogger("pointerjump.dask")

TOPIC = "pointerjump"  # the topic of our events, which `client.get_events("pointerjump")` returns


def workers() -> tuple[int, int]:
    """Return the total number of threads, and the smallest amount of memory per thread, in bytes.

    The workers are those of the current client. Without a client, the local machine counts as a single
    worker. Workers without a memory limit share the memory of their machine.
    """
    client = _current("default_client")
    if client is None:
        return CPU_COUNT, _memory_of_this_machine() // CPU_COUNT
    all_workers = client.scheduler_info(n_workers=-1)["workers"]
    if not all_workers:
        return 1, _memory_of_this_machine()
    unlimited = [address for address, one in all_workers.items() if not one["memory_limit"]]
    if unlimited and not client.asynchronous:  # `run` would return a coroutine
        total = client.run(_memory_of_this_machine, workers=unlimited)
    else:
        total = dict.fromkeys(unlimited, _memory_of_this_machine())
    threads_of_host = Counter[str]()
    for address in unlimited:
        threads_of_host[all_workers[address]["host"]] += all_workers[address]["nthreads"]
    memory = [
        one["memory_limit"] // one["nthreads"]
        if one["memory_limit"]
        else total[address] // threads_of_host[one["host"]]
        for address, one in all_workers.items()
    ]
    return sum(one["nthreads"] for one in all_workers.values()), min(memory)


def _memory_of_this_machine() -> int:
    return int(psutil.virtual_memory().total)


def _current(what: str) -> Any:
    with suppress(ImportError, ValueError):
        import distributed

        return getattr(distributed, what)()


def tell(**what: Any) -> None:
    """Log information about the computation. On a cluster, also publish it as a Dask event."""
    log.info(", ".join(f"{name.replace('_', ' ')}: {value}" for name, value in what.items()))
    if (member := _current("get_worker") or _current("default_client")) is not None:
        member.log_event(TOPIC, what)


def on_worker(work: Callable[..., Any], device: Any, *given: Any) -> Any:
    """Call `work` with `device`, or with this process's own device if `device` is None.

    Error messages name the worker and the device.
    """
    try:
        device = own_device() if device is None else device
        return work(*given, device=device)
    except (DeviceError, MemoryLimitError) as error:
        where = f"device {device}" if device is not None else "the default device"
        if (worker := _current("get_worker")) is not None:
            where = f"worker {worker.name} at {worker.address}, {where}"
        raise type(error)(f"on {where}: {error}") from error
