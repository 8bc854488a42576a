"""Each process of a machine with several GPUs claims one of its own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pointerjump.accel.runtime import own_device


def gpu(slot: int) -> Any:
    handle = SimpleNamespace(pci_bus_id_nv=slot, pci_slot_id_nv=0)
    return SimpleNamespace(works=True, type="gpu", device=f"GPU {slot}", handle=handle)


CLAIM = """
    import sys, tempfile
    from types import SimpleNamespace
    from pointerjump.accel.runtime import own_device
    tempfile.tempdir = sys.argv[1]
    def gpu(slot):
        handle = SimpleNamespace(pci_bus_id_nv=slot, pci_slot_id_nv=0)
        return SimpleNamespace(works=True, type="gpu", device=f"GPU {slot}", handle=handle)
    own_device.devices = lambda: [gpu(slot) for slot in map(int, sys.argv[2:])]
    print(own_device.own_device().device, flush=True)
    sys.stdin.read()
"""


def test_each_process_of_a_machine_has_a_gpu_of_its_own(tmp_path: Path) -> None:
    """Even if processes see different ones; and a process that was killed has none."""

    def claim(*slots: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(CLAIM), str(tmp_path), *slots],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def told(process: subprocess.Popen[str]) -> str:
        assert process.stdout
        return process.stdout.readline().strip()

    one, other = claim("7", "8"), None
    try:
        assert told(one) == "GPU 7"
        other = claim("7", "8")
        assert told(other) == "GPU 8"
        one.kill()
        one.wait()
        third = claim("9", "7")
        assert told(third) == "GPU 9"
        fourth = claim("9", "7")
        assert told(fourth) == "GPU 7"
        fifth, alike = claim("9", "7"), claim("6", "6")
        assert told(alike) == "GPU 6"
        assert told(fifth) in ("GPU 9", "GPU 7"), "more processes than devices share them"
    finally:
        for process in (one, other, third, fourth, fifth, alike):
            if process is not None:
                process.kill()
                process.communicate()


@pytest.mark.parametrize("devices", [[], [gpu(1)]])
def test_a_process_with_at_most_one_gpu_uses_the_default_device(
    devices: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_device, "devices", lambda: devices)
    monkeypatch.setattr(own_device, "_own", {})
    assert own_device.own_device() is None


def test_threads_of_a_process_have_one_gpu_together(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(own_device, "devices", lambda: (time.sleep(0.05), [gpu(1), gpu(2)])[1])
    monkeypatch.setattr(own_device, "_own", {})
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with ThreadPoolExecutor(8) as threads:
        claimed = {each.device for each in threads.map(lambda _: own_device.own_device(), range(8))}
    assert claimed == {"GPU 1"}
    assert len(list(tmp_path.iterdir())) == 1


def test_who_chooses_a_device_by_the_environment_gets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYOPENCL_CTX", "0")
    monkeypatch.setattr(own_device, "devices", lambda: pytest.fail("nobody claims"))
    monkeypatch.setattr(own_device, "_own", {})
    assert own_device.own_device() is None
