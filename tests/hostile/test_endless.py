"""What the enemy of issue 12 found: sets, blocks, streams and checkpoints after something has gone wrong."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.session import Session
from pointerjump.errors import FormatError, PointerjumpError, VerificationError
from pointerjump.solving.checkpoints import Checkpoint, Forest
from pointerjump.solving.streams import components_of_blocks

M = 200_000  # edges of a block that is staged on a device with memory of its own


@pytest.fixture
def like_gpu(device: Device) -> Session:
    return Session(replace(device, host_memory=False))


def too_large() -> np.ndarray:
    """Return edges with one id that no device has room for, and that no sample sees."""
    edges = np.random.default_rng(1).integers(0, 1000, (M, 2))
    edges[12345, 0] = 1 << 45
    return edges


def test_a_set_works_on_after_a_growth_that_failed(like_gpu: Session) -> None:
    forest = pj.DisjointSet(device=like_gpu)
    forest.merge(0, 1)
    with pytest.raises(PointerjumpError):
        forest.merge(too_large())
    assert forest.n_subsets >= 1


def test_no_other_set_is_wrong_after_a_growth_that_failed(like_gpu: Session) -> None:
    forest = pj.DisjointSet(device=like_gpu)
    for ask in (lambda: forest.merge(too_large()), *[lambda: forest.n_subsets] * 3):
        try:
            ask()
        except PointerjumpError:
            continue
    idle = like_gpu._idle_buffers.get("the largest ids", [])
    assert len({buffer.int_ptr for buffer in idle}) == len(idle)
    rng = np.random.default_rng(2)
    for _ in range(15):
        first, second = rng.integers(0, 1000, (2, M, 2))
        first[54321] = 5, 5000
        other = pj.DisjointSet(device=like_gpu)
        other.merge(iter([first, second]))
        assert other.vertices == 5001
        assert other.connected(5, 5000)


INTERRUPTED = """
import sys
from dataclasses import replace
import numpy as np
import pointerjump as pj
from pointerjump.accel.residents.arrays import DeviceArray
from pointerjump.accel.runtime.session import Session
device = next(d for d in pj.devices() if str(d) == sys.argv[1])
session = Session(replace(device, host_memory=sys.argv[2] == "True"))
d = pj.DisjointSet(device=session)
d.merge([0, 1, 3], [1, 2, 4])
d.add(99_999)
copy_from, hit = DeviceArray.copy_from, []
def interrupted(self, other, vertices):
    if vertices > 50_000 and not hit:
        hit.append(1)
        raise KeyboardInterrupt  # Ctrl-C, just when memory is copied
    return copy_from(self, other, vertices)
DeviceArray.copy_from = interrupted
try:
    d.merge([0], [1_000_000])
except KeyboardInterrupt:
    pass
assert hit
assert d.n_subsets == d.labels().max() + 1, (d.n_subsets, d.labels().max() + 1)
assert not d.connected(5, 9)
"""


@pytest.mark.parametrize("host_memory", [True, False])
def test_ctrl_c_while_a_set_grows(device: Device, host_memory: bool) -> None:
    if host_memory and not device.host_memory:
        pytest.skip("the device has memory of its own")
    line = [sys.executable, "-c", INTERRUPTED, str(device), str(host_memory)]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-500:]


STREAMED = """
import os, sys
import numpy as np
import pointerjump as pj
from pointerjump.accel.residents.arrays import DeviceArray
from pointerjump.solving.checkpoints import Checkpoint
from pointerjump.solving.streams import components_of_blocks
from pointerjump.formats import pieces, sources
os.chdir(sys.argv[2])
device = next(d for d in pj.devices() if str(d) == sys.argv[1])
pieces.LEAST_MEMORY, pieces._FEW, sources.BLOCK = 1, 10**9, 20_000
near, far = np.array([[0, 1], [1, 2], [3, 99_999]]), np.array([[0, 1_000_000]])
np.savetxt("e.el", np.concatenate([np.repeat(near, 9000, axis=0), far]), "%d")
blocks = pj.read_blocks("e.el", memory=1000)
copy_from, hit = DeviceArray.copy_from, []
def interrupted(self, other, vertices):
    if vertices > 50_000 and not hit:
        hit.append(1)
        raise KeyboardInterrupt
    return copy_from(self, other, vertices)
DeviceArray.copy_from = interrupted
try:
    components_of_blocks(blocks, devices=device, checkpoint=Checkpoint("c.npz", blocks))
except KeyboardInterrupt:
    pass
assert hit
saved = pj.DisjointSet.load("c.npz", "reference")
assert (saved.n_subsets, saved.connected(5, 9)) == (100_000 - 3, False), saved
"""


def test_a_checkpoint_after_ctrl_c_while_a_set_grows(device: Device, tmp_path: Path) -> None:
    """What is saved has to be right: a run that goes on from there never reads these edges again."""
    line = [sys.executable, "-c", STREAMED, str(device), str(tmp_path)]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-500:]


FED = """
import queue, sys, threading
import pointerjump as pj
device = sys.argv[1] if sys.argv[1] == "reference" else next(d for d in pj.devices() if str(d) == sys.argv[1])
forest, blocks = pj.DisjointSet(100, device), queue.Queue(1)
def produce():
    for i in range(5):
        blocks.put(([i], [i + 1]))
        forest.n_subsets
    blocks.put(None)
threading.Thread(target=produce, daemon=True).start()
forest.merge(iter(blocks.get, None))
assert forest.n_subsets == 95
"""


def test_blocks_may_come_from_a_thread_that_asks_the_set(device: Device) -> None:
    """`merge` must not hold the set, or the whole device, while it waits for the caller's next block."""
    for where in (str(device), "reference"):
        subprocess.run([sys.executable, "-c", FED, where], check=True, timeout=20)


def test_reused_arrays_with_a_bad_id_get_the_right_error(like_gpu: Session) -> None:
    room = np.zeros((M, 2), np.int64)

    def blocks() -> Any:
        for bad in (-3, 0, 0):
            room[777, 1] = bad
            yield room

    with pytest.raises(pj.GraphError, match=r"an id was -3, which is negative"):
        pj.components(blocks(), device=like_gpu)


def test_verify_blocks_takes_the_blocks_that_components_takes() -> None:
    pairs = np.array([[0, 1], [2, 3]])
    right = pj.components(iter([pairs]), device="reference").labels
    pj.verify_blocks(iter([pairs]), right)
    with pytest.raises(VerificationError):
        pj.verify_blocks(iter([pairs]), [0, 1, 0, 1])  # passes as right now


@pytest.mark.parametrize(
    "block", [([0], [0, 0, 0]), ([0], [0, 1]), ([0, 1], [0, 1, 1]), np.zeros((3, 3), int), 3, None]
)
def test_verify_blocks_refuses_what_is_no_block(block: Any) -> None:
    with pytest.raises(PointerjumpError, match=r"edges|block|sources|targets|ends"):
        pj.verify_blocks([block], [0, 0])


def test_one_vertex_is_compared_with_none() -> None:
    forest = pj.DisjointSet(5, "reference")
    assert forest.connected([], 0).tolist() == []
    assert forest.connected(0, []).tolist() == []  # fails now


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pj.formats.blocks.Blocks:
    monkeypatch.chdir(tmp_path)
    Path("e.el").write_text("0 1\n2 3\n")
    return pj.read_blocks("e.el")


@pytest.mark.parametrize(
    "forged",
    [
        {"files": 7},
        {"files": [7]},
        {"files": {"a": 1}},
        {"end": {"record": 1, "byte": 10**30, "line": 2}},
        {"end": {"record": 1, "byte": 2**63, "line": 2}},
        "[" * 200_000,
    ],
    ids=["number of files", "numbers for files", "names for files", "2**99", "2**63", "deep"],
)
def test_forged_checkpoints_are_refused(run: Any, forged: Any) -> None:
    if not isinstance(forged, str):
        about = {"pointerjump": pj.__version__, "input": run.fingerprint(), "end": {"record": 0}}
        about["input"] |= {name: value for name, value in forged.items() if name == "files"}
        forged = json.dumps({**about, **{name: value for name, value in forged.items() if name == "end"}})
    np.savez("c.npz", parents=np.arange(4, dtype=np.int32), grows=np.array(True), about=np.array(forged))
    with pytest.raises(FormatError):
        components_of_blocks(run, devices="reference", checkpoint=Checkpoint("c.npz", run))


def test_a_run_leaves_the_unfinished_file_of_another_alone(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two names whose first 40 characters are equal are two files."""
    name = "crawl-of-2026-11-deduplicated-english-part-{}.npz"
    checkpoint, write = Checkpoint(name.format(1), run), zipfile.ZipFile.open

    def another_begins(self: Any, member: str, *given: Any, **more: Any) -> Any:
        if member == "grows.npy":
            Checkpoint(name.format(2), run)
        return write(self, member, *given, **more)

    monkeypatch.setattr(zipfile.ZipFile, "open", another_begins)
    checkpoint.write(Forest(np.arange(5, dtype=np.int32)).arrays(), {"record": 1})
    assert Path(name.format(1)).exists()


def test_a_finished_run_removes_what_a_link_leads_to(run: Any) -> None:
    Path("c.npz").symlink_to("real.npz")
    checkpoint = Checkpoint("c.npz", run)
    checkpoint.write(Forest(np.arange(5, dtype=np.int32)).arrays(), {"record": 1})
    assert Path("real.npz").exists()
    checkpoint.remove()
    assert not Path("real.npz").exists()


def test_a_hole_in_an_arrow_file_is_noticed(tmp_path: Path) -> None:
    """Zeros, as an unfinished download leaves them, look like the mark at the end of a stream."""
    star = pa.table({"source": np.arange(200_000), "target": np.zeros(200_000, np.int64)})
    path = tmp_path / "star.arrow"
    with pa.ipc.new_file(path, star.schema) as writer:
        writer.write_table(star, 3000)
    content = bytearray(path.read_bytes())
    begin, end = len(content) // 4 & ~7, len(content) * 3 // 4 & ~7
    content[begin:end] = bytes(end - begin)
    path.write_bytes(content)
    with pytest.raises(pa.ArrowInvalid):
        pa.ipc.open_file(path).read_all()
    with pytest.raises(FormatError):
        list(pj.read_blocks(path))
