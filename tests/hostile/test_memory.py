"""What would take more memory than there is gets one line, before anything is allocated."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pointerjump as pj
from pointerjump.base import memory
from pointerjump.errors import MemoryLimitError
from pointerjump.solving.inputs import as_graph


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that 1 GiB is free."""
    monkeypatch.setattr(memory, "available", lambda: (1 << 30, "on this machine"))


@pytest.mark.usefixtures("little")
def test_all_there_is_may_be_taken_and_no_byte_more() -> None:
    memory.require(1 << 30, "as much", "nothing")
    with pytest.raises(MemoryLimitError, match=r"one byte more would take .* only 1.0 GiB are free"):
        memory.require((1 << 30) + 1, "one byte more", "nothing")


@pytest.mark.usefixtures("little")
def test_sparse_ids_are_refused_with_the_way_out() -> None:
    edges = ([2_000_000_000, 7], [7, 9])
    message = (
        r'2,000,000,001 vertices.* would take \d+\.\d GiB, and only 1\.0 GiB are free.*: .*ids="compact"'
    )
    for call in (pj.components, pj.spanning_forest, pj.to_device):
        with pytest.raises(pj.MemoryLimitError, match=message):
            call(np.column_stack(edges))
    graph = pj.Graph.from_edges(*edges)
    for ask in (
        lambda: graph.offsets,
        lambda: graph.neighbors,
        graph.symmetrized,
        lambda: pj.components(graph),
    ):
        with pytest.raises(pj.MemoryLimitError, match=message):
            ask()
    assert graph.edges == 2  # which takes memory for edges only
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
def test_arrays_that_take_no_memory_until_they_are_converted() -> None:
    n = 1_200_000_000
    zeros, ones = (np.broadcast_to(np.int8(i), n) for i in (0, 1))
    for call in (
        lambda: pj.list_rank(zeros),
        lambda: pj.list_scan(zeros, ones),
        lambda: pj.label(ones),
        lambda: pj.label(np.broadcast_to(np.float64(2), (3, n)), delta=0.5),
        lambda: pj.components((zeros, ones)),
        lambda: pj.components((zeros, ones), ids="compact"),
        lambda: pj.components((range(n), range(n))),
        lambda: pj.components((zeros, ones), algorithm="ecl-cc"),
        lambda: pj.Graph.from_edges(zeros, ones),
        lambda: as_graph((zeros, ones)).edges,
    ):
        with pytest.raises(pj.MemoryLimitError, match="GiB are free"):
            call()


@pytest.mark.usefixtures("little")
def test_vertices_without_ids_are_asked_about(tmp_path: Path) -> None:
    with pytest.raises(pj.MemoryLimitError, match="2,000,000,000 vertices"):
        pj.components(([0], [1]), ids="compact", vertices=2_000_000_000)
    (tmp_path / "a.el").write_text("# vertices 2147483647 edges 1\n0 1\n")
    with pytest.raises(pj.MemoryLimitError, match="2,147,483,647 vertices"):
        pj.components(tmp_path / "a.el")


@pytest.mark.usefixtures("little")
def test_specs_that_make_too_much() -> None:
    for spec in ("urand:scale=28,degree=16", "star:vertices=2147483647", "list:length=2000000000"):
        with pytest.raises(
            pj.MemoryLimitError, match=r"1\.0 GiB are free on this machine: ask for a smaller"
        ):
            pj.generate(spec)


def test_little_is_not_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: (0, "here"))
    memory.require(memory.NOT_ASKED_ABOUT, "this", "that")
    message = r"^this would take 256\.0 MiB, and only 0 bytes are free here: that$"
    with pytest.raises(pj.MemoryLimitError, match=message):
        memory.require(memory.NOT_ASKED_ABOUT + 1, "this", "that")


def test_bytes_in_words() -> None:
    assert [memory.in_words(n) for n in (0, 1023, 1024, 3 << 20, 26_000_000_000)] == [
        "0 bytes",
        "1023 bytes",
        "1.0 KiB",
        "3.0 MiB",
        "24.2 GiB",
    ]


def _group(folder: Path, **files: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in files.items():
        (folder / f"memory.{name}").write_text(f"{value}\n")


def test_control_groups_of_both_versions(tmp_path: Path) -> None:
    def room() -> int | None:
        found, place = memory.available(tmp_path)
        return found if place == "in this container" else None

    cgroup = tmp_path / "proc/self/cgroup"
    cgroup.parent.mkdir(parents=True)
    assert room() is None  # no such file: another system

    cgroup.write_text("0::/outer/inner\n")
    top = tmp_path / "sys/fs/cgroup"
    _group(top / "outer/inner", max="max", current=5, stat="inactive_file 0")
    assert room() is None
    _group(top / "outer", max=1000, current=700, stat="anon 1\ninactive_file 50")
    assert room() == 350
    _group(top / "outer/inner", max=100, current=700, stat="inactive_file 0")
    assert room() == 0

    cgroup.write_text("12:cpu,memory:/outer\n3:pids:/\n")
    first = tmp_path / "sys/fs/cgroup/memory"
    _group(first, limit_in_bytes=2**63 - 4096, usage_in_bytes=9, stat="total_inactive_file 0")
    assert room() is None
    _group(first, limit_in_bytes=5000, usage_in_bytes=4000, stat="inactive_file 1\ntotal_inactive_file 30")
    assert room() == 1030


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
    assert "under this process's resource limits" in done.stdout, done.stderr
