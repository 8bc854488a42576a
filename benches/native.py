"""Serial peers in C++: adapters to them, built on this machine and called with NumPy arrays.

Each adapter is one C++ file with the same four functions on top of a library's headers. It is compiled when
it is first wanted and kept in the user's cache folder.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import weakref
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

from pointerjump.accel.runtime.icd import USER_CACHE
from pointerjump.base.edges import VertexArray

FOLDER = Path(__file__).parent
"""Where the adapters are."""

OPTIONS = ("-O3", "-march=native", "-std=c++17", "-shared", "-fPIC", "-x", "c++", "-")

_EdgeEnds = np.ctypeslib.ndpointer(np.int64, ndim=1, flags="C_CONTIGUOUS")
_Labels = np.ctypeslib.ndpointer(np.int32, ndim=1, flags="C_CONTIGUOUS")


class NativeError(Exception):
    """A C++ adapter that cannot be built here."""


class Adapter:
    """An adapter that has been built; make one with :func:`adapter`.

    Edges are int64 arrays with each edge in one direction. Ids must be below `vertices`: nothing checks that.
    """

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))
        edges = (ctypes.c_int64, ctypes.c_int64, _EdgeEnds, _EdgeEnds)
        for name, arguments, returned in (
            ("build", edges, ctypes.c_void_p),
            ("find", (ctypes.c_void_p, _Labels), None),
            ("release", (ctypes.c_void_p,), None),
            ("unite", (*edges, _Labels), None),
        ):
            function = getattr(self._library, name)
            function.argtypes, function.restype = arguments, returned

    def build(self, sources: npt.NDArray[np.int64], targets: npt.NDArray[np.int64], vertices: int) -> Handle:
        """Return the library's own graph of these edges."""
        handle = Handle(self._library.build(vertices, len(sources), sources, targets), vertices)
        weakref.finalize(handle, self._library.release, handle.address)
        return handle

    def find(self, graph: Handle) -> VertexArray:
        """Return each vertex's label, found by searching `graph`."""
        labels = np.empty(graph.vertices, np.int32)
        self._library.find(graph.address, labels)
        return labels

    def unite(
        self, sources: npt.NDArray[np.int64], targets: npt.NDArray[np.int64], vertices: int
    ) -> VertexArray:
        """Return each vertex's label, found by union-find over the edges as they come."""
        labels = np.empty(vertices, np.int32)
        self._library.unite(vertices, len(sources), sources, targets, labels)
        return labels


@dataclass(frozen=True)
class Handle:
    """A graph in C++, released once nothing refers to it."""

    address: int
    vertices: int


def why_not(source: str, package: str) -> str | None:
    """Say why an adapter cannot be built here; None if it can."""
    try:
        adapter(source, package)
    except NativeError as error:
        return str(error)
    return None


@cache
def adapter(source: str, package: str) -> Adapter:
    """Return the adapter in a C++ file of this folder, built first if that has not been done.

    `package` is the Debian package with the headers it includes, for the error that says how to get them.
    """
    code = (FOLDER / source).read_bytes()
    command = [*_compiler(), *OPTIONS]
    # The machine's name is part of the key: machines with different processors may share a home folder.
    key = hashlib.sha256(repr((code, command, platform.node())).encode()).hexdigest()[:16]
    library = USER_CACHE / "peers" / f"{Path(source).stem}-{key}.so"
    if not library.exists():
        _compile(code, command, library, source, package)
    return Adapter(library)


def _compiler() -> list[str]:
    """Return the command of the C++ compiler to use: ``$CXX``, ``g++`` or ``clang++``."""
    for command in (shlex.split(os.environ.get("CXX", "")), ["g++"], ["clang++"]):
        if command and shutil.which(command[0]):
            return command
    raise NativeError("there is no C++ compiler: apt-get install g++, or name yours in $CXX")


def _compile(code: bytes, command: list[str], library: Path, source: str, package: str) -> None:
    """Compile `code` aside, and put it in its place once it is whole."""
    try:
        library.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=library.parent) as folder:
            aside = Path(folder) / library.name
            done = subprocess.run([*command, "-o", str(aside)], input=code, capture_output=True, check=False)
            if done.returncode == 0:
                aside.replace(library)
                return
    except OSError as error:
        raise NativeError(f"{source} cannot be built in {library.parent}: {error.strerror}") from error
    complaints = [line for line in done.stderr.decode(errors="replace").splitlines() if "error" in line]
    raise NativeError(
        f"{source} does not compile with {command[0]} ({(complaints or ['no reason given'])[0]}): "
        f"apt-get install {package}"
    )
