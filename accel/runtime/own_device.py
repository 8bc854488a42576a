"""Distributes the GPUs of a machine among cooperating processes, each of which claims its own GPU."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from pointerjump.accel.runtime.devices import Device, devices

_own: dict[int, Device | None] = {}
"""The device claimed by each process. The keys are process ids, because a forked process must not use its
parent's device."""

_claiming = Lock()

_locks: list[int] = []
"""Open files that hold locks. A lock is released when the process and its forks have ended, for whatever
reason."""


def own_device() -> Device | None:
    """Return the GPU that this process has claimed, or None if it should use the default device.

    If there are several GPUs, each process that calls this function claims a free one. Once all of them are
    claimed, processes share them. If the user has set ``PYOPENCL_CTX``, it takes precedence.
    """
    process = os.getpid()
    with _claiming:
        if process not in _own:
            _own[process] = None if os.environ.get("PYOPENCL_CTX") else _claimed()
        return _own[process]


def _claimed() -> Device | None:
    gpus = [device for device in devices() if device.works and device.type == "gpu"]
    if len(gpus) < 2:
        return None
    for gpu, file in zip(gpus, _files_of(gpus), strict=True):
        if _locked(file):
            return gpu
    return gpus[os.getpid() % len(gpus)]


def _files_of(gpus: Sequence[Device]) -> list[Path]:
    """Return a lock file for each GPU, named after its PCI slot: indices may differ between processes."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    slots = [_slot_of(gpu) for gpu in gpus]
    # Virtual GPUs may share a slot.
    names = [f"{slot}-{slots[:i].count(slot)}" for i, slot in enumerate(slots)]
    return [Path(tempfile.gettempdir()) / f"pointerjump-{user}-gpu-{name}" for name in names]


def _slot_of(gpu: Device) -> str:
    try:
        return f"{gpu.handle.pci_bus_id_nv}-{gpu.handle.pci_slot_id_nv}"
    except (AttributeError, RuntimeError):  # not an NVIDIA GPU
        return gpu.device.replace("/", "-")


def _locked(file: Path) -> bool:
    """Try to lock a file until this process ends. Return whether that succeeded."""
    try:
        import fcntl
    except ImportError:  # Windows
        return False
    try:
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    except OSError:
        return False
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return False
    _locks.append(handle)
    return True
