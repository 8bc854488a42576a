"""Lists OpenCL devices and their features, and chooses one of them.

A driver may list a device that does not work. Each device is therefore tested with a small kernel first
(:mod:`pointerjump.accel.runtime.probe`). Importing this module does not search for devices.
"""

from __future__ import annotations

import dataclasses
import os
import re
from dataclasses import dataclass, field
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from pointerjump.accel.runtime.icd import all_handles, how_to_install, opencl
from pointerjump.accel.runtime.probe import atomics_standard, query, verdict
from pointerjump.errors import DeviceError, DeviceWarning, warn_user

if TYPE_CHECKING:
    import pyopencl as cl

TYPES = ("gpu", "accelerator", "cpu")
"""The types of device, in the order in which they are tried."""

_trying = Lock()  # so that each device is tried only once, even if several threads ask


@dataclass(frozen=True)
class Device:
    """An OpenCL device and its features.

    Attributes
    ----------
    platform, device, driver : str
        The names of the platform and the device, and the version of the driver.
    type : {"gpu", "accelerator", "cpu"}
        The type of device.
    version : str
        The highest version of OpenCL C that the device supports, such as ``"OpenCL C 3.0"``.
    works : bool
        Whether a small kernel compiled, ran and returned the correct result.
    why_not : str or None
        The reason why the device does not work, or None if it works.
    compute_units, work_group, preferred_multiple : int
        The number of compute units, the maximum size of a work-group, and the number that should divide the
        size of every work-group.
    memory, max_allocation, local_memory : int
        The size of global memory, the maximum size of a buffer and the size of a work-group's local memory,
        in bytes.
    int64_atomics : bool
        Whether the device has atomic operations on 64-bit integers, including minimum and maximum, and 64-bit
        addresses. Without 64-bit addresses, a plain read of such an integer might be torn.
    relaxed_atomics : bool
        Whether C11 relaxed atomic loads and stores with device scope compile and run.
    subgroups : bool
        Whether work-groups have sub-groups.
    host_memory : bool
        Whether the device shares the host's memory, so that buffers can use host arrays in place.
    handle : pyopencl.Device
        The device itself. This is the only attribute that distinguishes two GPUs of the same model.
    """

    platform: str
    device: str
    type: str
    version: str
    driver: str
    works: bool
    why_not: str | None
    compute_units: int
    memory: int
    max_allocation: int
    work_group: int
    preferred_multiple: int
    local_memory: int
    int64_atomics: bool
    relaxed_atomics: bool
    subgroups: bool
    host_memory: bool
    handle: cl.Device = field(repr=False)

    def __str__(self) -> str:
        return f"{self.device} ({self.platform})"

    def as_dict(self) -> dict[str, Any]:
        """Return all attributes except the handle, in a form that can be serialized as JSON."""
        return {
            entry.name: getattr(self, entry.name)
            for entry in dataclasses.fields(self)
            if entry.name != "handle"
        }


def devices() -> list[Device]:
    """List all devices of all OpenCL platforms, and check whether they work.

    Each device is tested with a small kernel. The first time, this takes a second or two. The results are
    cached on disk.

    Returns
    -------
    list of Device
        Working devices come first. GPUs come before accelerators, and accelerators before CPUs. Devices of
        the same type are sorted by name. The list is empty if there is no OpenCL driver.

    Raises
    ------
    DeviceError
        If pyopencl cannot be imported.

    Examples
    --------
    >>> import pointerjump as pj
    >>> for device in pj.devices():
    ...     assert device.works or device.why_not
    """
    found = [_describe(handle) for handle in all_handles()]
    return sorted(found, key=lambda d: (not d.works, TYPES.index(d.type), d.device, d.platform))


def choose(
    wanted: str | Device | cl.Device | cl.Context | cl.CommandQueue | None = None,
) -> Device:
    """Choose the fastest working device among those that match `wanted`.

    Parameters
    ----------
    wanted : str, Device, pyopencl.Device, pyopencl.Context or pyopencl.CommandQueue, optional
        ``"gpu"``, ``"cpu"`` or ``"accelerator"``; part of the name of a device or platform; a value in the
        format of pyopencl's ``PYOPENCL_CTX``, such as ``"0:1"`` or ``"intel:"``; or the device itself.
        Defaults to the value of ``PYOPENCL_TEST`` or ``PYOPENCL_CTX`` if one of them is set, and otherwise to
        the fastest working device. GPUs are assumed to be faster than CPUs, and devices with more compute
        units and memory to be faster than others.

    Raises
    ------
    DeviceError
        If no device matches, or if no matching device works. If a slower device replaces one that does not
        work, a DeviceWarning is issued instead.
    """
    if isinstance(wanted, Device):
        return _only(wanted)
    if wanted is None:
        set_by = [name for name in ("PYOPENCL_TEST", "PYOPENCL_CTX") if os.environ.get(name)]
        if set_by:
            return _pyopencls_choice(f"{set_by[0]}={os.environ[set_by[0]]}", answers=None)
        return _fastest(_listed(), "OpenCL device")
    if isinstance(wanted, str):
        return _named(wanted.strip())
    return _only(_describe(_handle_of(wanted)))


def relaxed_options(device: Device) -> list[str]:
    """Return the build options for programs whose LOAD and STORE are relaxed atomics (see ``common.h``).

    If the device supports C11 atomics, the options define a macro for them and select a language standard
    that includes them. For other NVIDIA GPUs of compute capability 7.0 or higher, they define a macro for PTX
    instructions. Other devices need no options: on them, a load is a read-modify-write operation that changes
    nothing.
    """
    if device.relaxed_atomics:
        return ["-DHAS_C11_ATOMICS", atomics_standard(device.handle)]
    capability = query(device.handle, "compute_capability_major_nv", 0)
    return ["-DHAS_PTX_RELAXED"] if capability >= 7 else []


def _named(name: str) -> Device:
    handles = _listed()
    if name.lower() in TYPES:
        return _fastest([h for h in handles if _type(h) == name.lower()], f"{name.upper()} device")
    # pyopencl interprets a bare number; as part of a name, "0" would match every "H100".
    numbers = re.fullmatch(r"\d+(,\d+)*", name) is not None
    matching = [h for h in handles if name.lower() in f"{h.platform.name}\n{h.name}".lower()]
    if numbers or (":" in name and not matching):
        return _pyopencls_choice(f"device {name!r}", answers=name.split(":"))
    return _fastest(matching, f"device {name!r}")


def _fastest(handles: list[cl.Device], what: str) -> Device:
    """Return the fastest working device, and warn about faster ones that do not work."""
    if not handles:
        raise DeviceError(f"no {what}: {_what_there_is()}")
    broken: list[Device] = []
    for handle in sorted(handles, key=_slowness):
        device = _describe(handle)
        if device.works:
            for other in broken:
                warn_user(
                    f"{other} was passed over for {device}, because it does not work: {other.why_not}",
                    DeviceWarning,
                )
            return device
        broken.append(device)
    reasons = "; ".join(f"{device}: {device.why_not}" for device in broken)
    remedy = f"; {how_to_install()}" if len(handles) == len(all_handles()) else ""
    raise DeviceError(f"no {what} works: {reasons}{remedy}")


def _pyopencls_choice(asked: str, answers: list[str] | None) -> Device:
    try:
        handles = opencl().choose_devices(interactive=False, answers=answers)
    except Exception as error:  # pyopencl raises errors of several kinds, such as RuntimeError and ValueError
        raise DeviceError(f"no {asked} ({error}): {_what_there_is()}") from error
    return _only(_describe(handles[0]))


def _handle_of(given: cl.Device | cl.Context | cl.CommandQueue) -> cl.Device:
    cl = opencl()
    if isinstance(given, cl.Device):
        return given
    if isinstance(given, cl.CommandQueue):
        return given.device
    if not isinstance(given, cl.Context):
        raise DeviceError(
            f"{type(given).__name__} is not a device: give a name, a pointerjump Device or a pyopencl "
            "Device, Context or CommandQueue"
        )
    if len(given.devices) > 1:
        raise DeviceError(
            f"the context has {len(given.devices)} devices: give one of them, or a command queue"
        )
    return given.devices[0]


def _only(device: Device) -> Device:
    if not device.works:
        raise DeviceError(f"{device} does not work: {device.why_not}")
    return device


def _listed() -> list[cl.Device]:
    handles = all_handles()
    if not handles:
        raise DeviceError(f"no OpenCL device: {how_to_install()}")
    return handles


def _what_there_is() -> str:
    names = sorted(f"{handle.name.strip()} ({handle.platform.name})" for handle in all_handles())
    return f"there is {', '.join(names)}" if names else how_to_install()


def _slowness(handle: cl.Device) -> tuple[int, bool, int, int, str]:
    kind = _type(handle)
    # All CPU drivers run on the same cores, whatever number each of them reports.
    compute_units = 0 if kind == "cpu" else query(handle, "max_compute_units", 0)
    return (
        TYPES.index(kind),
        _shares_memory(handle),  # a GPU with its own memory comes before an integrated one
        -compute_units,
        -query(handle, "global_mem_size", 0),
        f"{handle.platform.name} {handle.name}",
    )


def _type(handle: cl.Device) -> str:
    kinds = opencl().device_type
    # Simulators such as Oclgrind claim to be of every type. They run on the CPU, so they count as CPUs.
    if handle.type & kinds.CPU:
        return "cpu"
    return "gpu" if handle.type & kinds.GPU else "accelerator"


def _shares_memory(handle: cl.Device) -> bool:
    return _type(handle) == "cpu" or bool(query(handle, "host_unified_memory", False))


def _describe(handle: cl.Device) -> Device:
    with _trying:
        return _described(handle)


@cache
def _described(handle: cl.Device) -> Device:
    tried = verdict(handle)
    extensions = query(handle, "extensions", "").split()
    memory = query(handle, "global_mem_size", 0)
    listed = [v.version for v in query(handle, "opencl_c_all_versions", [])]
    told = " ".join(query(handle, "opencl_c_version", "unknown").split()[:3])
    return Device(
        platform=handle.platform.name.strip(),
        device=handle.name.strip(),
        type=_type(handle),
        version=f"OpenCL C {max(listed) >> 22}.{max(listed) >> 12 & 0x3FF}" if listed else told,
        driver=handle.driver_version.strip(),
        works=tried.works,
        why_not=tried.why_not,
        compute_units=max(1, query(handle, "max_compute_units", 1)),
        memory=memory,
        max_allocation=query(handle, "max_mem_alloc_size", 0) or memory,  # some drivers report 0
        work_group=max(1, query(handle, "max_work_group_size", 1)),
        preferred_multiple=tried.preferred_multiple,
        local_memory=query(handle, "local_mem_size", 0),
        int64_atomics={"cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"} <= set(extensions)
        and query(handle, "address_bits", 64) == 64,
        relaxed_atomics=tried.relaxed_atomics,
        subgroups=query(handle, "max_num_sub_groups", 0) > 0
        or not {"cl_khr_subgroups", "cl_intel_subgroups"}.isdisjoint(extensions),
        host_memory=_shares_memory(handle),
        handle=handle,
    )
