"""Tests devices: compiles and runs a few tiny kernels, and checks their results.

A driver may list a device and then fail to compile, compute wrong results, crash or hang. For example,
llvmpipe in Mesa 22.3 silently ends every loop after 65,535 iterations, so its results are correct only for
small graphs. Each device is therefore tested in a separate process, which can crash or hang without doing
harm. The verdict is stored on disk: permanently if the device works, but for only an hour if it does not.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pointerjump.accel.runtime.icd import all_handles, cache_folder, opencl, write_whole
from pointerjump.accel.runtime.programs import build_quietly, telling_line

if TYPE_CHECKING:
    import pyopencl as cl

TIMEOUT = 60.0
"""The number of seconds after which a probe is considered hung."""
FAILURE_KEPT = 3600.0
"""The number of seconds after which a device that failed is tested again."""
REFUSED = {
    ("Portable Computing Language", "3.0-rc2"): "PoCL 3.0-rc2, which pip's pocl-binary-distribution brings, "
    "crashes and loses kernels: install 'pointerjump[cpu]' instead",
}
"""Drivers that pass the probe but fail later, with advice for the user."""
NOT_LISTED = 3
"""The exit code of a probe that does not find its device."""

VERTICES = 1024
RINGS = 4
ITERATIONS = 100_000
"""The number of iterations of a loop that a device must be able to run."""

# Compare-and-swap links the rings 0-4-8-...-0, 1-5-9-...-1, ..., as it links components.
SOURCE = f"""
__kernel void link_rings(__global int *parent, __global int *lowest)
{{
    const int v = get_global_id(0), w = (v + {RINGS}) % {VERTICES};
    atomic_min(&lowest[v % {RINGS}], v);
    int high = max(v, w), low = min(v, w);
    while (high != low) {{
        const int seen = atomic_cmpxchg(&parent[high], high, low);
        if (seen == high || seen == low)
            break;
        high = max(seen, low);
        low = min(seen, low);
    }}
}}

__kernel void sum_roots(__global const int *parent, __global int *sums, __local int *scratch)
{{
    int root = get_global_id(0);
    while (parent[root] != root)
        root = parent[root];
    const int l = get_local_id(0);
    scratch[l] = root;
    for (int width = get_local_size(0) / 2; width > 0; width /= 2) {{
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < width)
            scratch[l] += scratch[l + width];
    }}
    if (l == 0)
        sums[get_group_id(0)] = scratch[0];
}}

// step[] holds only ones, but the compiler cannot know that.
__kernel void count_iterations(const uint n, __global const int *step, __global int *counted)
{{
    int count = 0;
    for (uint i = 0; i < n; ++i)
        count += step[count % {VERTICES}];
    *counted = count;
}}
"""

RELAXED_SOURCE = """
__kernel void copy(__global int *from, __global int *to)
{
    const int v = get_global_id(0);
    const int value = atomic_load_explicit(
        (volatile __global atomic_int *)&from[v], memory_order_relaxed, memory_scope_device);
    atomic_store_explicit(
        (volatile __global atomic_int *)&to[v], value, memory_order_relaxed, memory_scope_device);
}
"""


@dataclass(frozen=True)
class Verdict:
    """The result of testing a device."""

    works: bool
    why_not: str | None = None
    relaxed_atomics: bool = False
    preferred_multiple: int = 1


def verdict(device: cl.Device) -> Verdict:
    """Return the verdict on a device. If there is no valid verdict on disk, the device is tested first."""
    if reason := REFUSED.get((device.platform.name, device.driver_version)):
        return Verdict(False, reason)
    file = cache_folder() / f"verdict-{_fingerprint(device)}.json"
    return _read(file) or _probe_apart(device, file)


def probe(device: cl.Device) -> Verdict:
    try:
        multiple = _run(device)
    except Exception as error:  # drivers fail in many ways
        return Verdict(works=False, why_not=telling_line(error))
    return Verdict(True, None, _has_relaxed_atomics(device), multiple)


def atomics_standard(device: cl.Device) -> str:
    """Return the build option for C11 atomics with device scope, or "" if the device does not report them."""
    versions = {v.version >> 22 for v in query(device, "opencl_c_all_versions", [])}
    features = {f.name for f in query(device, "opencl_c_features", [])}
    if max(versions, default=0) >= 3:
        return "-cl-std=CL3.0" if "__opencl_c_atomic_scope_device" in features else ""
    # In OpenCL C 2.0, these atomics are mandatory, and devices do not list their versions.
    return "-cl-std=CL2.0" if "OpenCL C 2." in query(device, "opencl_c_version", "") else ""


def query(device: cl.Device, name: str, unknown: Any) -> Any:
    """Return a property of a device, or `unknown` if its driver does not support the property."""
    try:
        return getattr(device, name)
    except (opencl().Error, AttributeError):
        return unknown


def _run(device: cl.Device) -> int:
    cl = opencl()
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    program = _build(context, SOURCE, "")
    link_rings, sum_roots = program.link_rings, program.sum_roots
    info = cl.kernel_work_group_info
    limit = sum_roots.get_work_group_info(info.WORK_GROUP_SIZE, device)
    multiple = sum_roots.get_work_group_info(info.PREFERRED_WORK_GROUP_SIZE_MULTIPLE, device)
    group = min(64, 1 << (int(limit).bit_length() - 1))

    parent = _buffer(context, np.arange(VERTICES, dtype=np.int32))
    lowest = _buffer(context, np.full(RINGS, VERTICES, np.int32))
    sums = _buffer(context, np.zeros(VERTICES // group, np.int32))
    link_rings(queue, (VERTICES,), (group,), parent, lowest)
    sum_roots(queue, (VERTICES,), (group,), parent, sums, cl.LocalMemory(4 * group))

    expected_sums = (np.arange(VERTICES) % RINGS).reshape(-1, group).sum(axis=1)
    for buffer, expected in ((sums, expected_sums), (lowest, np.arange(RINGS))):
        found = np.empty(len(expected), np.int32)
        cl.enqueue_copy(queue, found, buffer)
        if not np.array_equal(found, expected):
            raise ArithmeticError("a small kernel compiled and ran, but its result is wrong")

    step, counted = _buffer(context, np.ones(VERTICES, np.int32)), _buffer(context, np.zeros(1, np.int32))
    program.count_iterations(queue, (1,), (1,), np.uint32(ITERATIONS), step, counted)
    found = np.empty(1, np.int32)
    cl.enqueue_copy(queue, found, counted)
    if found[0] != ITERATIONS:
        raise ArithmeticError(
            f"it ends loops after {found[0]:,} iterations without an error, as llvmpipe in Mesa 22.3 does "
            "(25.0 is good): labels of larger graphs would be wrong; install a newer driver"
        )
    return int(multiple)


def _has_relaxed_atomics(device: cl.Device) -> bool:
    standard = atomics_standard(device)
    if not standard:
        return False
    cl = opencl()
    given = np.arange(VERTICES, dtype=np.int32)
    found = np.zeros_like(given)
    try:
        context = cl.Context([device])
        queue = cl.CommandQueue(context)
        copy = _build(context, RELAXED_SOURCE, standard).copy
        source, target = _buffer(context, given), _buffer(context, found)
        copy(queue, given.shape, None, source, target)
        cl.enqueue_copy(queue, found, target)
    except cl.Error:
        return False
    return np.array_equal(found, given)


def _buffer(context: cl.Context, array: np.ndarray[Any, Any]) -> cl.Buffer:
    flags = opencl().mem_flags
    return opencl().Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=array)


def _build(context: cl.Context, source: str, options: str) -> Any:
    return build_quietly(opencl().Program(context, source).build, options)


def _identity(device: cl.Device) -> list[str]:
    return [device.platform.name, device.platform.version, device.name, device.driver_version]


def _fingerprint(device: cl.Device) -> str:
    tried = [opencl().VERSION_TEXT, SOURCE, RELAXED_SOURCE, atomics_standard(device)]
    keys = [field.name for field in fields(Verdict)]
    return hashlib.sha256(json.dumps([_identity(device), tried, keys]).encode()).hexdigest()[:16]


def _read(file: Path) -> Verdict | None:
    try:
        kept = Verdict(**json.loads(file.read_text(encoding="utf-8")))
        age = time.time() - file.stat().st_mtime
    except (OSError, ValueError, TypeError):
        return None
    return kept if kept.works or age < FAILURE_KEPT else None


def _probe_apart(device: cl.Device, file: Path) -> Verdict:
    command = [sys.executable, "-P", "-W", "ignore", "-m", "pointerjump.accel.runtime.probe"]
    try:
        done = subprocess.run(
            [*command, str(file), *_identity(device)],
            # The new process must import the same modules as this one, and must not take programs from a
            # cache.
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                "PYOPENCL_NO_CACHE": "1",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        return _keep(Verdict(False, f"the probe hung for {TIMEOUT:.0f} s"), file)
    except OSError:  # for lack of permission or memory, no process can be started
        return _keep(probe(device), file)
    if done.returncode == 0 and (found := _read(file)):
        return found
    if done.returncode in (0, NOT_LISTED):  # a full disk, or a device that only this process has
        return _keep(probe(device), file)
    return _keep(Verdict(False, _how_it_died(done.returncode, done.stderr)), file)


def _how_it_died(code: int, stderr: str) -> str:
    if code < 0:
        return f"the probe crashed with signal {-code} ({signal.strsignal(-code)})"
    last_line = (stderr.strip().splitlines() or ["no message"])[-1]
    return f"the probe ended with exit code {code}: {last_line}"


def _keep(found: Verdict, file: Path) -> Verdict:
    with suppress(OSError):
        write_whole(file, json.dumps(asdict(found)))
    return found


def main(file: str, *identity: str) -> int:
    """Test the device with the given identity, and write the verdict to a file. Return the exit code."""
    for device in all_handles():
        if _identity(device) == [*identity]:
            _keep(probe(device), Path(file))
            return 0
    return NOT_LISTED


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
