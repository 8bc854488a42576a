"""Caches that are damaged, locked, full or cannot be written: pyopencl's, and our own."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pointerjump.accel.runtime import icd
from pointerjump.accel.runtime.devices import Device
from pointerjump.errors import DeviceError

RUN = """
import sys
import pointerjump as pj
d = pj.to_device(([0, 1, 3], [1, 2, 4]), sys.argv[1])
assert pj.components(d, algorithm="soman").count == 2
assert d.label().get().tolist() == [0, 0, 0, 1, 1]
print("right")
"""


def run(cache: Path, device: Device, code: str = RUN) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, device.platform],
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        capture_output=True,
        text=True,
        timeout=120,
    )


def spoil_everything(kind: str, files: list[Path]) -> None:
    for file in files:
        content = file.read_bytes()
        file.write_bytes({"garbage": os.urandom(500), "cut": content[: len(content) // 2]}[kind])


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Device], Path]:
    """A function that returns a cache as good runs on a device leave it."""
    caches: dict[Device, Path] = {}

    def fill(device: Device) -> Path:
        if device not in caches:
            caches[device] = tmp_path_factory.mktemp("good")
            assert run(caches[device], device).stdout == "right\n"
        return caches[device]

    return fill


def copy(cache: Path, to: Path) -> Path:
    subprocess.run(["cp", "-a", f"{cache}/.", to], check=True)
    return to


def right(done: subprocess.CompletedProcess[str]) -> None:
    assert done.stdout == "right\n", done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["garbage", "cut"])
@pytest.mark.parametrize(
    "pattern", ["pyopencl/*/*/info", "pyopencl/*/*/binary", "pytools/*.sqlite", "pointerjump/**/*"]
)
def test_damaged_files(
    pattern: str, kind: str, filled: Callable[[Device], Path], device: Device, tmp_path: Path
) -> None:
    cache = copy(filled(device), tmp_path)
    spoil_everything(kind, [file for file in cache.glob(pattern) if file.is_file()])
    right(run(cache, device))


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["pyopencl", "pytools", "pointerjump"])
def test_a_file_where_a_folder_should_be(name: str, device: Device, tmp_path: Path) -> None:
    (tmp_path / name).write_text("in the way")
    right(run(tmp_path, device))


def test_a_lock_that_a_killed_process_left(
    filled: Callable[[Device], Path], device: Device, tmp_path: Path
) -> None:
    """pyopencl would wait for it for a minute."""
    cache = copy(filled(device), tmp_path)
    folders = list(cache.glob("pyopencl/*"))
    if not folders:
        pytest.skip("the driver keeps its programs itself")
    folders.append(cache / "pyopencl" / "of another version")
    folders[-1].mkdir()
    an_hour_ago = time.time() - 3600
    for folder in folders:
        (folder / "lock").touch()
        os.utime(folder / "lock", (an_hour_ago, an_hour_ago))
    began = time.monotonic()
    done = run(cache, device)
    right(done)
    assert done.stderr.count("/lock was left behind by") == 1  # however many there are
    assert time.monotonic() - began < 55  # not a measurement: the wait is 60 s


ONE_CALL = """
import sys
import pointerjump as pj
assert pj.components(([0, 1, 3], [1, 2, 4]), device=sys.argv[1]).count == 2
print("right")
"""


def test_one_warning_says_what_to_clear(device: Device, tmp_path: Path) -> None:
    (tmp_path / "pytools").write_text("in the way")
    done = run(tmp_path, device, ONE_CALL)
    right(done)
    assert done.stderr.count("CacheWarning: pyopencl's caches cannot be used (") == 1
    assert "<string>:4: CacheWarning: " in done.stderr  # the caller's line
    assert f"clear {tmp_path / 'pyopencl'} and {tmp_path / 'pytools'}" in done.stderr


THREADS = """
import sys, warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
import pointerjump as pj
warnings.simplefilter("always")
start = Barrier(16)

def work(thread):
    start.wait()
    assert pj.components(([0, 1, 3], [1, 2, 4]), algorithm="soman", device=sys.argv[1]).count == 2

with ThreadPoolExecutor(16) as pool:
    list(pool.map(work, range(16)))
print("right")
"""


def test_threads_that_meet_a_damaged_cache(
    filled: Callable[[Device], Path], device: Device, tmp_path: Path
) -> None:
    cache = copy(filled(device), tmp_path)
    spoil_everything("garbage", list(cache.glob("pytools/*.sqlite")))
    done = run(cache, device, THREADS)
    right(done)
    assert done.stderr.count("CacheWarning: ") == 1


# -- our own files --------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="the loader's folder is Linux's")
def test_damaged_lists_of_drivers_are_repaired(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(icd, "cache_folder", lambda: tmp_path)
    libraries = ["libone.so", "/elsewhere/libtwo.so"]
    folder = icd._vendors_folder(libraries)
    for content in (b"", b"libone", os.urandom(50)):
        for file in folder.iterdir():
            file.write_bytes(content)
        assert icd._vendors_folder(libraries) == folder
        assert [file.read_text() for file in sorted(folder.iterdir())] == [f"{name}\n" for name in libraries]


def _full(*_: Any, **__: Any) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_drivers_are_listed_elsewhere_where_the_cache_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "full").mkdir()
    monkeypatch.setattr(icd, "cache_folder", lambda: tmp_path / "full")
    write = icd.write_whole
    monkeypatch.setattr(
        icd, "write_whole", lambda path, text: (_full if "full" in path.parts else write)(path, text)
    )
    folder = icd._vendors_folder(["libone.so"])
    assert tmp_path not in folder.parents
    assert icd.list_libraries(folder) == ["libone.so"]


def test_no_folder_at_all_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(icd, "USER_CACHE", tmp_path / "file" / "cannot be made")
    monkeypatch.setattr("tempfile.mkdtemp", _full)
    with pytest.raises(DeviceError, match=r"No space left on device.*: set TMPDIR to a writable folder$"):
        icd.cache_folder.__wrapped__()


def test_a_file_that_cannot_be_written_is_not_left_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    icd.write_whole(tmp_path / "file", "before")
    monkeypatch.setattr(Path, "replace", _full)
    with pytest.raises(OSError, match="No space left"):
        icd.write_whole(tmp_path / "file", "after")
    assert [file.name for file in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "before"
