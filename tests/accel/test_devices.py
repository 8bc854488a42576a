"""Finding, trying and choosing OpenCL devices, on made-up platforms and on those there are."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyopencl as cl
import pytest

from pointerjump.accel.runtime import devices as chooser
from pointerjump.accel.runtime import icd
from pointerjump.accel.runtime import probe as prober
from pointerjump.accel.runtime.devices import choose, devices, relaxed_options
from pointerjump.accel.runtime.probe import Verdict
from pointerjump.errors import DeviceError, DeviceWarning

linux = pytest.mark.skipif(sys.platform != "linux", reason="the loader's folder is Linux's")
GPU, CPU, ACCELERATOR = cl.device_type.GPU, cl.device_type.CPU, cl.device_type.ACCELERATOR


# -- made-up platforms ---------------------------------------------------------------------------


@dataclass(eq=False)
class FakeDevice:
    name: str
    type: int
    max_compute_units: int = 1
    global_mem_size: int = 2**30
    works: bool = True
    host_unified_memory: bool = False
    driver_version: str = "1.0"
    platform: Any = None


@dataclass(eq=False)
class FakePlatform:
    name: str
    devices: list[FakeDevice] = field(default_factory=list)
    version: str = "OpenCL 3.0"

    def __post_init__(self) -> None:
        for device in self.devices:
            device.platform = self

    def get_devices(self) -> list[FakeDevice]:
        if not self.devices:
            raise cl.RuntimeError("clGetDeviceIDs failed: DEVICE_NOT_FOUND")
        return self.devices


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that gives the machine other platforms than it has."""
    for name in ("PYOPENCL_CTX", "PYOPENCL_TEST"):
        monkeypatch.delenv(name, raising=False)
    icd.opencl()  # before the platforms are replaced: the loader reads its settings once

    def verdict(device: FakeDevice) -> Verdict:
        return Verdict(device.works, None if device.works else "it is broken")

    def platforms(*there_are: FakePlatform) -> None:
        monkeypatch.setattr(cl, "get_platforms", lambda: list(there_are))
        monkeypatch.setattr(chooser, "verdict", verdict)

    return platforms


def intel(**changes: Any) -> FakePlatform:
    return FakePlatform("Intel(R) OpenCL", [FakeDevice("AMD EPYC", CPU, 64, **changes)])


def nvidia(*gpus: FakeDevice) -> FakePlatform:
    return FakePlatform("NVIDIA CUDA", list(gpus) or [FakeDevice("NVIDIA H200", GPU, 132)])


def test_the_list_has_what_works_first_then_gpus_then_names(machine: Any) -> None:
    machine(
        intel(),
        FakePlatform("empty"),
        FakePlatform("FPGA", [FakeDevice("board", ACCELERATOR)]),
        nvidia(FakeDevice("B", GPU), FakeDevice("A", GPU), FakeDevice("0", GPU, works=False)),
    )
    assert [d.device for d in devices()] == ["A", "B", "board", "AMD EPYC", "0"]
    assert [d.type for d in devices()] == ["gpu", "gpu", "accelerator", "cpu", "gpu"]


def test_the_fastest_is_a_gpu_with_its_own_memory_and_many_compute_units(machine: Any) -> None:
    machine(
        intel(),
        FakePlatform("Intel(R) Graphics", [FakeDevice("iGPU", GPU, 512, host_unified_memory=True)]),
        nvidia(FakeDevice("small", GPU, 20), FakeDevice("large", GPU, 132)),
    )
    assert choose().device == "large"
    assert choose("intel").device == "iGPU"


def test_cpu_drivers_are_not_ranked_by_the_compute_units_they_claim(machine: Any) -> None:
    machine(FakePlatform("rusticl", [FakeDevice("llvmpipe", CPU, 500, 2**20)]), intel())
    assert choose().platform == "Intel(R) OpenCL"


def test_a_simulator_that_claims_to_be_everything_is_a_cpu(machine: Any) -> None:
    machine(FakePlatform("Oclgrind", [FakeDevice("Simulator", GPU | CPU | ACCELERATOR)]), nvidia())
    assert choose().platform == "NVIDIA CUDA"
    assert choose("cpu").platform == "Oclgrind"


def test_a_broken_device_is_passed_over_with_a_warning(machine: Any) -> None:
    machine(intel(), nvidia(FakeDevice("H200", GPU, 132, works=False)))
    with pytest.warns(
        DeviceWarning, match=r"^H200 \(NVIDIA CUDA\) was passed over .* it is broken$"
    ) as heard:
        chosen = choose()
    assert chosen.device == "AMD EPYC"
    assert [warning.filename for warning in heard] == [__file__]  # the caller's


def test_a_broken_device_that_would_not_be_chosen_is_not_spoken_of(machine: Any) -> None:
    machine(intel(works=False), nvidia())
    assert choose().device == "NVIDIA H200"  # and warnings are errors


def test_a_driver_that_passes_and_fails_later_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prober, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(prober, "_probe_apart", lambda device, file: Verdict(works=True))
    rc2, debians = (FakeDevice("cpu", CPU, driver_version=version) for version in ("3.0-rc2", "3.1+debian"))
    FakePlatform("Portable Computing Language", [rc2, debians])
    assert re.search("pocl-binary-distribution .* install 'pointerjump", prober.verdict(rc2).why_not or "")
    assert prober.verdict(debians).works


@pytest.mark.parametrize("name", ["nvidia", "H200", "cuda", "GPU", " gpu "])
def test_names_of_platforms_devices_and_types_in_any_case(machine: Any, name: str) -> None:
    machine(intel(), nvidia())
    assert choose(name).device == "NVIDIA H200"


@pytest.mark.parametrize("name", ["gpu", "NVIDIA", "H200"])
def test_a_broken_device_asked_for_is_an_error(machine: Any, name: str) -> None:
    machine(intel(), nvidia(FakeDevice("H200", GPU, works=False)))
    with pytest.raises(DeviceError, match=r"H200 \(NVIDIA CUDA\): it is broken$"):
        choose(name)


@pytest.mark.parametrize("name", ["gpu", "accelerator", "radeon", "radeon:", "7:0", "0:7", "7", "a:b:c"])
def test_what_is_not_there_is_an_error_that_names_what_is(machine: Any, name: str) -> None:
    machine(intel())
    with pytest.raises(DeviceError, match=r"there is AMD EPYC \(Intel\(R\) OpenCL\)$"):
        choose(name)


def test_where_several_match_the_best_working_one_is_taken(machine: Any) -> None:
    machine(nvidia(FakeDevice("A", GPU, 9, works=False), FakeDevice("B", GPU, 5), FakeDevice("C", GPU, 7)))
    with pytest.warns(DeviceWarning, match=r"A \(NVIDIA CUDA\) was passed over for C"):
        assert choose("cuda").device == "C"


@pytest.mark.parametrize(
    ("answer", "chosen"),
    [("0", "AMD EPYC"), ("1:0", "A"), ("1:1", "B"), ("nvidia:b", "B"), (":0", "AMD EPYC"), ("cuda:", "A")],
)
def test_pyopencls_own_syntax(
    machine: Any, monkeypatch: pytest.MonkeyPatch, answer: str, chosen: str
) -> None:
    machine(intel(), nvidia(FakeDevice("A", GPU), FakeDevice("B", GPU)))
    assert choose(answer).device == chosen
    monkeypatch.setenv("PYOPENCL_CTX", answer)
    assert choose().device == chosen


def test_a_name_with_a_colon_is_a_name(machine: Any) -> None:
    machine(intel(), FakePlatform("AMD", [FakeDevice("gfx90a:sramecc+:xnack-", GPU)]))
    assert choose("gfx90a:sram").platform == "AMD"


def test_a_number_is_not_part_of_a_name(machine: Any) -> None:
    machine(intel(), nvidia())
    assert choose("0").device == "AMD EPYC"  # not "NVIDIA H200"


def test_the_environment_is_not_overruled(machine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    machine(intel(works=False), nvidia())
    monkeypatch.setenv("PYOPENCL_CTX", "intel")
    with pytest.raises(DeviceError, match="it is broken"):
        choose()
    monkeypatch.setenv("PYOPENCL_CTX", "radeon")
    with pytest.raises(DeviceError, match=r"PYOPENCL_CTX=radeon.*there is AMD EPYC .*, NVIDIA H200"):
        choose()
    monkeypatch.setenv("PYOPENCL_CTX", "")
    assert choose().device == "NVIDIA H200"


def test_pyopencl_test_comes_before_pyopencl_ctx(machine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    machine(intel(), nvidia())
    monkeypatch.setenv("PYOPENCL_CTX", "intel")
    monkeypatch.setenv("PYOPENCL_TEST", "radeon")
    with pytest.raises(DeviceError, match="PYOPENCL_TEST=radeon"):
        choose()


def test_no_device_at_all_names_one_command(machine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in icd.USERS_CHOICE:
        monkeypatch.delenv(name, raising=False)
    machine()
    assert devices() == []
    for system, processor, command in [
        ("linux", "x86_64", "pip install 'pointerjump[cpu]'"),
        ("win32", "AMD64", 'pip install "pointerjump[cpu]"'),
        ("linux", "aarch64", "sudo apt install pocl-opencl-icd"),
        ("darwin", "arm64", "conda install -c conda-forge pocl"),
    ]:
        monkeypatch.setattr(sys, "platform", system)
        monkeypatch.setattr("platform.machine", lambda processor=processor: processor)
        for wanted in (None, "gpu", "intel"):
            with pytest.raises(DeviceError) as caught:
                choose(wanted)
            assert str(caught.value) == f"no OpenCL device: run {command}"


def test_nothing_but_broken_devices_names_reasons_and_a_command(machine: Any) -> None:
    machine(intel(works=False))
    with pytest.raises(DeviceError, match=r"AMD EPYC \(Intel\(R\) OpenCL\): it is broken; run "):
        choose()


def test_something_that_is_not_a_device(machine: Any) -> None:
    machine(intel())
    with pytest.raises(DeviceError, match=r"^int is not a device: give a name, "):
        choose(3)  # type: ignore[arg-type]


# -- finding drivers -----------------------------------------------------------------------------


@pytest.fixture
def vendors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty system folder of a machine without other drivers, and an empty cache."""
    for name in icd.USERS_CHOICE:
        monkeypatch.delenv(name, raising=False)
    system, cache = tmp_path / "system", tmp_path / "cache"
    system.mkdir()
    cache.mkdir()
    monkeypatch.setattr(icd, "SYSTEM_VENDORS", system)
    monkeypatch.setattr(icd, "USER_CACHE", cache)
    monkeypatch.setattr(icd, "cache_folder", lambda: cache)
    monkeypatch.setattr(icd, "_libraries_elsewhere", list)
    return system


def listed(settings: dict[str, str]) -> list[str]:
    return icd.list_libraries(Path(settings["OCL_ICD_VENDORS"]))


@linux
def test_drivers_of_system_and_pip_are_listed_together(
    vendors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (vendors / "pocl.icd").write_text("libpocl.so.2")  # Debian's has no newline
    (vendors / "gone.icd").write_text("/nowhere/libgone.so\n")
    monkeypatch.setattr(icd, "_libraries_elsewhere", lambda: ["libintelocl.so", "libnvidia-opencl.so.1"])
    settings = icd._settings()
    assert listed(settings) == ["libpocl.so.2", "libintelocl.so", "libnvidia-opencl.so.1"]
    assert icd._settings() == settings


@linux
def test_no_driver_is_listed_twice(vendors: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = tmp_path / "libintelocl.so.2025"
    theirs.touch()
    (vendors / "intel.icd").write_text(f"{theirs}\n")
    (vendors / "intel-again.icd").write_text(f"{theirs}\n")
    elsewhere = ["/venv/lib/libintelocl.so", "libnvidia-opencl.so.1", "/usr/lib/libnvidia-opencl.so.1"]
    monkeypatch.setattr(icd, "_libraries_elsewhere", lambda: elsewhere)
    assert listed(icd._settings()) == [str(theirs), "libnvidia-opencl.so.1"]


@linux
def test_the_loader_is_left_alone_where_there_is_nothing_to_add(vendors: Path) -> None:
    (vendors / "pocl.icd").write_text("libpocl.so.2\n")
    assert icd._settings() == {}


@linux
@pytest.mark.parametrize("name", icd.USERS_CHOICE)
def test_the_users_own_settings_are_left_alone(
    vendors: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(icd, "_libraries_elsewhere", lambda: ["libintelocl.so"])
    assert "OCL_ICD_VENDORS" in icd._settings()
    monkeypatch.setenv(name, "/mine")
    assert icd._settings() == {}


def test_a_read_only_cache_is_replaced_for_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(icd, "USER_CACHE", tmp_path / "file" / "cannot be made")
    folder = icd.cache_folder.__wrapped__()
    assert folder.is_dir()
    monkeypatch.setattr(icd, "cache_folder", lambda: folder)
    assert icd._settings()["PYOPENCL_NO_CACHE"] == "1"


def test_pyopencl_that_cannot_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyopencl", None)
    with pytest.raises(DeviceError, match=r"pip install .pyopencl.$"):
        icd._load()


# -- trying devices ------------------------------------------------------------------------------


@pytest.fixture
def untried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeDevice:
    """A device of which nothing is known yet; its verdict goes to ``tmp_path``."""
    monkeypatch.setattr(prober, "cache_folder", lambda: tmp_path)
    platform = intel()
    return platform.devices[0]


def replace_python(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    program = folder / "python"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))


@linux
@pytest.mark.parametrize(
    ("script", "why_not"),
    [
        ("kill -ABRT $$", "the probe crashed with signal 6 (Aborted)"),
        (
            "echo one >&2; echo LLVM ERROR: two >&2; exit 1",
            "the probe ended with exit code 1: LLVM ERROR: two",
        ),
        ("exec sleep 60", "the probe hung for 0 s"),
    ],
)
def test_a_driver_that_takes_the_probe_down(
    untried: FakeDevice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, why_not: str
) -> None:
    replace_python(tmp_path, monkeypatch, script)
    if "sleep" in script:
        monkeypatch.setattr(prober, "TIMEOUT", 0.3)
    assert prober.verdict(untried) == Verdict(False, why_not)


@linux
def test_a_device_is_tried_once(untried: FakeDevice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count = tmp_path / "count"
    good = json.dumps({"works": True, "preferred_multiple": 32})
    replace_python(tmp_path, monkeypatch, f"echo >>{count}; echo '{good}' >\"$6\"")
    for _ in range(3):
        assert prober.verdict(untried) == Verdict(True, preferred_multiple=32)
    assert count.read_text() == "\n"
    untried.driver_version = "1.1"
    prober.verdict(untried)
    assert count.read_text() == "\n\n"


@linux
def test_a_device_that_failed_is_tried_again_after_an_hour(
    untried: FakeDevice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = tmp_path / "count"
    replace_python(tmp_path, monkeypatch, f"echo >>{count}; exit 1")
    prober.verdict(untried)
    prober.verdict(untried)
    assert count.read_text() == "\n"
    (file,) = tmp_path.glob("verdict-*.json")
    an_hour_ago = file.stat().st_mtime - 3601
    os.utime(file, (an_hour_ago, an_hour_ago))
    prober.verdict(untried)
    assert count.read_text() == "\n\n"


@linux
@pytest.mark.parametrize("content", ["", "{", "[]", '{"works": true, "colour": "red"}'])
def test_a_spoilt_verdict_is_not_a_verdict(
    untried: FakeDevice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    replace_python(tmp_path, monkeypatch, "exit 1")
    (tmp_path / f"verdict-{prober._fingerprint(untried)}.json").write_text(content)
    assert not prober.verdict(untried).works


def test_a_driver_that_raises(untried: FakeDevice) -> None:
    found = prober.probe(untried)  # no context can be made of it
    assert not found.works
    assert found.why_not
    assert "\n" not in found.why_not


# -- the devices of this machine -----------------------------------------------------------------


@pytest.fixture(scope="module")
def working() -> list[chooser.Device]:
    found = [device for device in devices() if device.works]
    if not found:
        pytest.skip("no working OpenCL device")
    return found


def test_probing_in_this_process_agrees_and_warns_of_nothing(working: list[chooser.Device]) -> None:
    for device in working:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert prober.probe(device.handle) == prober.verdict(device.handle)


@pytest.mark.parametrize(
    ("right", "wrong", "why_not"),
    [
        ("scratch[0];", "scratch[0] + 1;", "its result is wrong"),
        ("atomic_min(&lowest[v % 4], v);", "", "its result is wrong"),
        ("int root =", "int root == ;", "error"),
        ("i < n;", "i < min(n, 65535u);", "it ends loops after 65,535 iterations"),
    ],
)
def test_a_driver_that_is_wrong_does_not_work(
    working: list[chooser.Device], monkeypatch: pytest.MonkeyPatch, right: str, wrong: str, why_not: str
) -> None:
    assert right in prober.SOURCE
    monkeypatch.setattr(prober, "SOURCE", prober.SOURCE.replace(right, wrong))
    for device in working:
        found = prober.probe(device.handle)
        assert not found.works
        assert why_not in (found.why_not or "").lower()


def test_capabilities_make_sense_and_are_json(working: list[chooser.Device]) -> None:
    for device in working:
        entry = json.loads(json.dumps(device.as_dict()))
        assert entry["works"] is True
        assert entry["why_not"] is None
        assert "handle" not in entry
        assert entry["version"].startswith("OpenCL C ")
        assert 0 < device.max_allocation <= device.memory
        assert min(device.compute_units, device.work_group, device.local_memory) > 0
        assert device.preferred_multiple > 0
        assert device.host_memory or device.type != "cpu"


def test_the_standard_gives_c11_atomics_exactly_where_it_is_said(working: list[chooser.Device]) -> None:
    for device in working:
        assert ("-DHAS_C11_ATOMICS" in relaxed_options(device)) == device.relaxed_atomics
        if device.relaxed_atomics:
            context = cl.Context([device.handle])
            prober._build(context, prober.RELAXED_SOURCE, prober.atomics_standard(device.handle))


def test_a_device_is_chosen_by_each_of_its_handles(working: list[chooser.Device]) -> None:
    for device in working:
        context = cl.Context([device.handle])
        for handle in (device, device.handle, context, cl.CommandQueue(context)):
            assert choose(handle) == device


# -- whole processes -----------------------------------------------------------------------------


def run_python(code: str, cache: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={
            **os.environ,
            "XDG_CACHE_HOME": str(cache),
            "PYOPENCL_CTX": "",
            "PYOPENCL_TEST": "",
            **environment,
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


CHOOSE = """
from pointerjump.accel.runtime.devices import choose, devices
from pointerjump.errors import DeviceError
try:
    print(len(devices()), choose())
except DeviceError as error:
    print(len(devices()), error)
"""


def test_importing_looks_for_nothing(tmp_path: Path) -> None:
    code = "import sys, pointerjump.accel.runtime.devices; print('pyopencl' in sys.modules)"
    assert run_python(code, tmp_path) == "False\n"
    assert not list(tmp_path.iterdir())


@linux
@pytest.mark.parametrize("bogus", [False, True])
def test_a_folder_without_a_driver(tmp_path: Path, bogus: bool) -> None:
    folder, cache = tmp_path / "vendors", tmp_path / "cache"
    folder.mkdir()
    if bogus:
        (folder / "missing.icd").write_text("/nowhere/libmissing.so\n")
        (folder / "not_opencl.icd").write_text("libc.so.6\n")
        (folder / "noise.icd").write_bytes(bytes(range(128, 256)))
        (folder / "empty.icd").touch()
    out = run_python(CHOOSE, cache, OCL_ICD_VENDORS=str(folder))
    assert out.startswith("0 no OpenCL device: run ")
    assert out.endswith(f"unset OCL_ICD_VENDORS ({folder}), which hides all other drivers\n")


@linux
def test_bogus_system_drivers_hide_nothing_and_leave_the_environment(tmp_path: Path) -> None:
    folder = tmp_path / "vendors"
    folder.mkdir()
    (folder / "missing.icd").write_text("libmissing.so\n")
    (folder / "not_opencl.icd").write_text("libc.so.6\n")
    (folder / "noise.icd").write_bytes(bytes(range(128, 256)))
    code = f"""
import os, pathlib
from pointerjump.accel.runtime import devices, icd
icd.SYSTEM_VENDORS = pathlib.Path({str(folder)!r})
before = dict(os.environ)
runtime = icd.pip_runtime()
intel = [d for d in devices.devices() if d.platform.startswith("Intel")]
assert dict(os.environ) == before
print(runtime is None, len(intel), [d.why_not for d in intel])
"""
    if icd.pip_runtime() is None:
        pytest.skip("intel-opencl-rt is not installed")
    assert run_python(code, tmp_path / "cache", OCL_ICD_VENDORS="") == "False 1 [None]\n"
