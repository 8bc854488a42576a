"""Finds the OpenCL drivers: those of the system, and those installed by pip or conda.

pyopencl finds drivers through a loader that reads a folder of ``.icd`` files, each of which names a library.
Three kinds of driver are missing from that folder: Intel's CPU runtime, if it was installed with ``pip
install 'pointerjump[cpu]'``; the drivers of a conda environment; and NVIDIA's driver, in containers that
include only the library. :func:`opencl` creates a folder that lists these drivers as well, and points the
loader to it. If the user has set ``OCL_ICD_VENDORS`` or ``OCL_ICD_FILENAMES``, nothing is changed.
"""

from __future__ import annotations

import atexit
import ctypes
import hashlib
import importlib.metadata
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING

import platformdirs

from pointerjump.errors import DeviceError

if TYPE_CHECKING:
    import pyopencl as cl

SYSTEM_VENDORS = Path("/etc/OpenCL/vendors")
USER_CACHE = platformdirs.user_cache_path("pointerjump")
USERS_CHOICE = ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES")


_pyopencl: ModuleType | None = None
_first_use = Lock()
_forked = False


def opencl() -> ModuleType:
    """Return the pyopencl module, set up so that it also finds drivers installed by pip or conda.

    All of :mod:`pointerjump.accel` obtains pyopencl from this function. A DeviceError is raised if pyopencl
    cannot be imported, or if this process was forked from one that had already imported it.
    """
    global _pyopencl
    if _pyopencl is None or _forked:
        require_own_process()
        with _first_use:  # two threads would restore each other's environment variables
            _pyopencl = _pyopencl or _load()
    return _pyopencl


def require_own_process() -> None:
    """Raise a DeviceError in a child process that was forked after its parent began to use OpenCL.

    No driver supports this: the driver's threads do not exist in the child, and locks that they held stay
    locked.
    """
    if _forked:
        raise DeviceError(
            "OpenCL does not survive a fork, and this process was forked from one that uses it: start it "
            'with multiprocessing.get_context("spawn") or "forkserver"'
        )


def _remember_the_fork() -> None:
    global _forked
    _forked = True


def _load() -> ModuleType:
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_remember_the_fork)
    with _environment(_settings()):
        try:
            pyopencl = import_module("pyopencl")
        except (ImportError, OSError) as error:
            raise DeviceError(f"pyopencl cannot be imported ({error}): run {_pip('pyopencl')}") from error
        # The loader reads the variables only on its first call.
        _platforms(pyopencl)
    return pyopencl


def all_handles() -> list[cl.Device]:
    """Return all devices of all platforms, in the loader's order, which may differ between runs."""
    pyopencl = opencl()
    handles: list[cl.Device] = []
    for driver in _platforms(pyopencl):
        try:
            handles += driver.get_devices()
        except pyopencl.Error:
            continue  # CL_DEVICE_NOT_FOUND: the machine lacks the driver's hardware, which is normal
    return handles


def context_of(queue: cl.CommandQueue) -> cl.Context:
    """Return a queue's context. Raise a DeviceError if Intel's driver has freed the context too early."""
    try:
        return queue.context
    except opencl().Error:
        raise DeviceError(
            "the Context of the command queue is gone (INVALID_CONTEXT): keep a reference to it as long as "
            "you use the queue, because this driver's queues do not keep it"
        ) from None


def how_to_install() -> str:
    """Return advice on installing a driver, for a machine without OpenCL devices."""
    machine = platform.machine().lower()
    if sys.platform == "darwin":
        command = "conda install -c conda-forge pocl"
    elif machine in ("x86_64", "amd64"):
        command = _pip("pointerjump[cpu]")
    elif sys.platform == "win32":
        return "install the graphics driver of the machine's maker, which comes with OpenCL"
    else:
        command = "sudo apt install pocl-opencl-icd"
    for name in USERS_CHOICE:
        if value := os.environ.get(name):
            return f"run {command}, and unset {name} ({value}), which hides all other drivers"
    return f"run {command}"


@cache
def cache_folder() -> Path:
    """Return the folder for cached driver information, or a temporary folder if that one is read-only."""
    folder = USER_CACHE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        folder = _folder_for_this_run()
    return folder


def _folder_for_this_run() -> Path:
    try:
        folder = Path(tempfile.mkdtemp(prefix="pointerjump-"))
    except OSError as error:
        raise DeviceError(
            f"neither {USER_CACHE} nor a temporary folder can be written to ({error}): "
            "set TMPDIR to a writable folder"
        ) from error
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def write_whole(path: Path, text: str) -> None:
    """Write a file so that other processes never see an incomplete one, even if writing fails."""
    descriptor, aside = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        Path(aside).replace(path)
    except BaseException:
        Path(aside).unlink()
        raise


def _pip(requirement: str) -> str:
    quote = '"' if sys.platform == "win32" else "'"
    return f"pip install {quote}{requirement}{quote}"


def _platforms(pyopencl: ModuleType) -> list[cl.Platform]:
    try:
        return list(pyopencl.get_platforms())
    except pyopencl.Error:  # this is how the loader reports that there are none
        return []


@contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _settings() -> dict[str, str]:
    """Return the environment variables that make the loader list all drivers."""
    settings = {}
    if cache_folder() != USER_CACHE:  # pyopencl fails if it cannot write the programs it builds
        settings["PYOPENCL_NO_CACHE"] = "1"
    if any(os.environ.get(name) for name in USERS_CHOICE):
        return settings
    if sys.platform == "win32":
        # The loader reads this and the Windows registry; a library in both is loaded once. This is untested.
        if runtime := pip_runtime():
            settings["OCL_ICD_FILENAMES"] = str(runtime)
        return settings
    system = list_libraries(SYSTEM_VENDORS)
    families = {_family(library) for library in system}
    added = []
    for library in _libraries_elsewhere():
        if _family(library) not in families:
            families.add(_family(library))
            added.append(library)
    if added:
        settings["OCL_ICD_VENDORS"] = str(_vendors_folder(system + added))
    return settings


def list_libraries(vendors: Path) -> list[str]:
    """Return the existing libraries that are named by the ``.icd`` files in a folder, without duplicates."""
    libraries: list[str] = []
    for file in sorted(vendors.glob("*.icd")):
        try:
            library = file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            continue
        missing = Path(library).is_absolute() and not Path(library).exists()
        if library and not missing and library not in libraries:
            libraries.append(library)
    return libraries


def pip_runtime() -> Path | None:
    """Return the path of Intel's CPU runtime, or None if ``intel-opencl-rt`` is not installed."""
    name = "intelocl64.dll" if sys.platform == "win32" else "libintelocl.so"
    try:
        files = importlib.metadata.files("intel-opencl-rt") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    folder = Path(sys.prefix, "Library/bin" if sys.platform == "win32" else "lib")
    places = [Path(str(file.locate())).resolve() for file in files if file.name == name]
    return next((place for place in [folder / name, *places] if place.exists()), None)


def _libraries_elsewhere() -> list[str]:
    libraries = list_libraries(Path(sys.prefix, "etc/OpenCL/vendors"))  # conda's
    if runtime := pip_runtime():
        libraries.append(str(runtime))
    if sys.platform == "linux":
        with suppress(OSError):  # the folder does not exist
            ctypes.CDLL("libnvidia-opencl.so.1")
            libraries.append("libnvidia-opencl.so.1")
    return libraries


def _family(library: str) -> str:
    # Without the folder, because two copies of a driver would list each device twice.
    return Path(library).name.partition(".")[0]


def _vendors_folder(libraries: list[str]) -> Path:
    # The name depends on the contents, so processes with different drivers use different folders.
    content = hashlib.sha256("\n".join(libraries).encode()).hexdigest()[:16]
    name = f"vendors-{content}"
    try:
        return _list_drivers(libraries, cache_folder() / name)
    except OSError:  # a full disk, for example, or a file of that name
        return _list_drivers(libraries, _folder_for_this_run() / name)


def _list_drivers(libraries: list[str], folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for i, library in enumerate(libraries):
        file, line = folder / f"{i}-{_family(library)}.icd", f"{library}\n"
        if not file.exists() or file.read_bytes() != line.encode():
            write_whole(file, line)
    return folder
