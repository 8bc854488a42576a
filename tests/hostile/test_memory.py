"""What would take more memory than there is gets one line, before anything is allocated."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pointerjump as pj
from pointerjump import memory


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that 1 GiB is free."""
    monkeypatch.setattr(memory, "available", lambda: (1 << 30, "this machine has {} free"))


@pytest.mark.usefixtures("little")
def test_sparse_ids_are_refused_with_the_way_out() -> None:
    edges = ([2_000_000_000, 7], [7, 9])
    message = r'2,000,000,001 vertices.* would take \d+\.\d GiB, .* has 1\.0 GiB free: .*ids="compact"'
    for call in (pj.components, pj.spanning_forest, pj.to_device, pj.Graph.from_edges):
        with pytest.raises(pj.MemoryLimitError, match=message):
            call(np.column_stack(edges))
    with pytest.raises(pj.MemoryLimitError, match=message):
        pj.components(edges, device="reference")
    with pytest.raises(pj.MemoryLimitError, match=message):
        pj.verify_forest(edges, [[0, 1]])
    assert issubclass(pj.MemoryLimitError, MemoryError)
    assert pj.components(edges, ids="compact").count == 1


@pytest.mark.usefixtures("little")
def test_a_header_that_states_too_much(tmp_path: Path) -> None:
    for name, text in {
        "a.el": "# vertices 2147483646 edges 1\n0 1\n",
        "a.mtx": "%%MatrixMarket matrix coordinate pattern general\n2147483646 2147483646 1\n1 2\n",
        "a.dimacs": "p sp 2147483646 1\na 1 2 1\n",
    }.items():
        (tmp_path / name).write_text(text)
        with pytest.raises(pj.MemoryLimitError, match="2,147,483,646 vertices"):
            pj.components(tmp_path / name)


@pytest.mark.usefixtures("little")
def test_specs_that_make_too_much() -> None:
    for spec in ("urand:scale=28,degree=16", "star:vertices=2147483647", "list:length=2000000000"):
        with pytest.raises(pj.SpecError, match=r"this machine has 1\.0 GiB free: ask for fewer"):
            pj.generate(spec)


def test_little_is_not_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: (0, "there is {}"))
    memory.require(memory.NOT_ASKED_ABOUT, "this", "that")
    with pytest.raises(pj.MemoryLimitError, match=r"^this would take 0.3 GiB, and there is 0.0 GiB: that$"):
        memory.require(memory.NOT_ASKED_ABOUT + 1, "this", "that")


def _group(folder: Path, **files: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in files.items():
        (folder / f"memory.{name}").write_text(f"{value}\n")


def test_control_groups_of_both_versions(tmp_path: Path) -> None:
    cgroup = tmp_path / "proc/self/cgroup"
    cgroup.parent.mkdir(parents=True)
    assert list(memory._room_of_groups(tmp_path)) == []  # no such file: another system

    cgroup.write_text("0::/outer/inner\n")
    top = tmp_path / "sys/fs/cgroup"
    _group(top / "outer/inner", max="max", current=5, stat="inactive_file 0")
    assert list(memory._room_of_groups(tmp_path)) == []
    _group(top / "outer", max=1000, current=700, stat="anon 1\ninactive_file 50")
    assert list(memory._room_of_groups(tmp_path)) == [350]
    _group(top / "outer/inner", max=100, current=700, stat="inactive_file 0")
    assert list(memory._room_of_groups(tmp_path)) == [0, 350]

    cgroup.write_text("12:cpu,memory:/outer\n3:pids:/\n")
    first = tmp_path / "sys/fs/cgroup/memory"
    _group(first, limit_in_bytes=2**63 - 4096, usage_in_bytes=9, stat="total_inactive_file 0")
    assert list(memory._room_of_groups(tmp_path)) == []
    _group(first, limit_in_bytes=5000, usage_in_bytes=4000, stat="inactive_file 1\ntotal_inactive_file 30")
    assert list(memory._room_of_groups(tmp_path)) == [1030]


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited so on Linux")
def test_the_process_limit_is_seen() -> None:
    code = (
        "import resource, pointerjump as pj\n"
        "resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))\n"
        "try:\n"
        "    pj.components(([1_500_000_000, 7], [7, 9]), device='reference')\n"
        "except pj.MemoryLimitError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "this process's resource limit leaves" in done.stdout, done.stderr
