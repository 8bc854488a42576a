"""Edges in blocks: from callers and files, on one device or several, interrupted and resumed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import NASTY
from rich.progress import Progress
from test_disjoint_set import labels_by_scipy

import pointerjump as pj
from pointerjump import cli
from pointerjump.accel.runtime.devices import Device, devices
from pointerjump.accel.runtime.session import Session
from pointerjump.base import limits, memory
from pointerjump.base.edges import COUNT_BYTES_PER_EDGE
from pointerjump.cli import graphs as streaming
from pointerjump.cli.steps import Steps
from pointerjump.errors import DeviceError, FormatError, GraphError, MemoryLimitError
from pointerjump.formats import pieces, sources
from pointerjump.solving import checkpoints, inputs
from pointerjump.solving.checkpoints import Checkpoint, Forest
from pointerjump.solving.disjoint_set import DisjointSet
from pointerjump.solving.result import sizes_of
from pointerjump.solving.streams import components_of_blocks

WORKING = [device for device in devices() if device.works]
ONE = ["reference", *WORKING[:1]]
PLACES: list[Any] = [*ONE, *([WORKING] if len(WORKING) > 1 else [])]
N, M = 2000, 1500
EDGES = np.random.default_rng(5).integers(0, N, (M, 2)).astype(np.int32)
EDGES[0] = N - 1, 0
RIGHT = labels_by_scipy(N, *EDGES.T)
REFERENCE = ["--device", "reference"]


def name_of(place: object) -> str:
    return "several" if isinstance(place, list) else "reference" if place == "reference" else "device"


needs_device = pytest.mark.skipif(not WORKING, reason="no OpenCL device works")
needs_two = pytest.mark.skipif(len(WORKING) < 2, reason="there are not two OpenCL devices")


@pytest.fixture
def edges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file of edges that is read in many blocks, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pieces, "block_within", lambda size: 800)
    monkeypatch.setattr(sources, "BLOCK", 800)
    # Other tests have left more in this process than a command would ever have.
    monkeypatch.setattr(memory, "resident", lambda: 300 << 20)
    np.save("edges.npy", EDGES)
    return Path("edges.npy")


def where(place: object) -> dict[str, Any]:
    return {"devices": place} if isinstance(place, list) else {"device": place}


def in_blocks(step: int = 100) -> Iterator[Any]:
    return (EDGES[begin : begin + step] for begin in range(0, M, step))


def document_of(capsys: pytest.CaptureFixture[str], *line: object, code: int = 0) -> dict[str, Any]:
    assert cli.run([*map(str, line), "--json"]) == code
    said = capsys.readouterr()
    assert said.err == ""
    return json.loads(said.out)  # type: ignore[no-any-return]


def complaint_of(capsys: pytest.CaptureFixture[str], *line: object) -> str:
    assert cli.run([*map(str, line)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("pointerjump: ")
    assert len(said.splitlines()) == 1
    return said


# -- blocks of a caller ------------------------------------------------------------------------------


@pytest.mark.parametrize("place", PLACES, ids=name_of)
@pytest.mark.parametrize("labels", ["consecutive", "representative"])
def test_blocks_of_any_form(place: object, labels: str) -> None:
    half = EDGES[: M // 2].astype(np.int64)
    forms = iter(
        [pj.Graph.from_edges(half), half[:0], [], (EDGES[M // 2 :, 0], EDGES[M // 2 :, 1]), [[3, 3]]]
    )
    found = pj.components(forms, labels=labels, **where(place))
    right = pj.components(EDGES, labels=labels, device="reference").labels
    assert found.labels.tolist() == right.tolist()
    assert found.count == RIGHT.max() + 1
    assert found.sizes.tolist() == np.bincount(RIGHT).tolist()
    assert found.stats["records"] == M + 1


@pytest.mark.parametrize("pair", [(1, 3), [np.int32(1), 3], ("ann", "bob" * 999)])
def test_pairs_that_are_no_blocks(pair: Any) -> None:
    for solve in (pj.components, pj.bridges):
        with pytest.raises(pj.GraphError, match=r"is one pair, .*: make a list of the pairs"):
            solve(iter([pair]), device="reference")


@pytest.mark.parametrize("place", PLACES, ids=name_of)
def test_no_blocks(place: object) -> None:
    assert pj.components(iter([]), **where(place)).labels.tolist() == []
    assert pj.components(iter([]), vertices=3, **where(place)).labels.tolist() == [0, 1, 2]


@pytest.mark.parametrize("place", PLACES, ids=name_of)
def test_arrays_that_are_used_again(place: object) -> None:
    """A caller may write the next block over the last one."""
    room = np.empty((50, 2), np.int32)

    def blocks() -> Iterator[Any]:
        for begin in range(0, M, 50):
            room[:] = EDGES[begin : begin + 50]
            yield room
            room[:] = 7

    assert pj.components(blocks(), **where(place)).labels.tolist() == RIGHT.tolist()


@pytest.mark.parametrize("place", PLACES, ids=name_of)
def test_a_callers_own_error_and_thread(place: object) -> None:
    threads = set()

    def failing() -> Iterator[Any]:
        for block in in_blocks():
            threads.add(threading.get_ident())
            yield block
        raise LookupError("no more")

    for _ in range(3):  # parents that kernels still wrote to after they were freed crashed the process
        with pytest.raises(LookupError, match="no more"):
            pj.components(failing(), **where(place))
    assert threads == {threading.get_ident()}
    assert pj.components(in_blocks(), **where(place)).count == RIGHT.max() + 1


@needs_device
def test_a_set_may_be_dropped_while_kernels_run(device: Device) -> None:
    many = np.random.default_rng(1).integers(0, 1 << 22, (1 << 18, 2), np.int32)
    for _ in range(3):
        DisjointSet(device=device).merge(many)


@pytest.mark.parametrize("place", PLACES, ids=name_of)
def test_bad_ids_are_refused(place: object) -> None:
    for bad, vertices, message in (
        ([[0, -1]], None, r"from number 1500 on.* targets\[0\] is -1, which is negative"),
        ([[1, 2], [N, 1]], N, r"from number 1500 on.* sources\[1\] is 2000, which is not below"),
    ):
        blocks = iter([EDGES, np.array(bad)])
        with pytest.raises(GraphError, match=message):
            pj.components(blocks, vertices=vertices, **where(place))


@pytest.mark.parametrize("place", ONE, ids=name_of)
def test_wide_vertices(place: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_NARROW_VERTICES", 1000)
    if place != "reference" and not WORKING[0].int64_atomics:
        pytest.skip("no 64-bit atomics")
    for labels in ("consecutive", "representative"):
        found = pj.components(in_blocks(), labels=labels, **where(place))
        assert found.labels.dtype == np.int64
        assert (
            found.labels.tolist() == pj.components(EDGES, labels=labels, device="reference").labels.tolist()
        )
        assert found.largest().dtype == np.int64


@needs_two
@pytest.mark.parametrize(
    "name", ["path shuffled", "hub last", "all isolated", "pairs that meet last", "empty"]
)
def test_devices_share_a_graph(name: str) -> None:
    graph = NASTY[name]
    found = pj.components(graph, devices="all")
    assert found.labels.tolist() == pj.components(graph, device="reference").labels.tolist()
    assert found.stats["device"].count(" + ") == len(WORKING) - 1


def test_labels_that_are_found_need_no_more_room(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = pj.Graph.from_edges([7, 9], [9, 12], ids="compact")
    monkeypatch.setattr(inputs, "_BYTES_PER_VERTEX", 1 << 50)
    found = pj.components(graph, devices=["reference"])
    assert (found.labels.tolist(), found.names.tolist()) == ([0, 0, 0], [7, 9, 12])


@pytest.mark.parametrize("many", [2, 3])
def test_several_sessions_share_blocks(many: int, device: Device) -> None:
    """As several devices do, of which there may be only one here."""
    found = pj.components(in_blocks(), devices=[Session(device) for _ in range(many)])
    np.testing.assert_array_equal(found.labels, pj.components(in_blocks(), device="reference").labels)


@needs_device
def test_devices_that_cannot_share() -> None:
    for named, message in (([], "devices is empty"), (["reference", WORKING[0]], "name it alone")):
        with pytest.raises(DeviceError, match=message):
            pj.components(in_blocks(), devices=named)
    with pytest.raises(DeviceError, match="both given"):
        pj.components(in_blocks(), device="cpu", devices="all")
    assert pj.components(in_blocks(), devices=[WORKING[0], WORKING[0]]).stats["device"].count(" + ") == 0


@pytest.mark.parametrize(("count", "vertices"), [(1, 5000), (7, 5000), (4000, 5000), (3, 3)])
def test_sizes_are_counted_in_pieces(count: int, vertices: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pointerjump.solving.result._COUNTED_AT_ONCE", 64)
    labels = np.arange(vertices, dtype=np.int32)[::-1] % count
    assert sizes_of(labels, count).tolist() == np.bincount(labels).tolist()
    found = pj.components(in_blocks(), device="reference")
    assert found.counted().tolist() == found.sizes.tolist()
    assert sizes_of(labels[:0], 0).tolist() == []


# -- files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", PLACES, ids=name_of)
def test_errors_name_the_file_once_and_the_block(place: object, edges: Path) -> None:
    bad = EDGES.copy()
    bad[1234, 1] = -5
    np.save(edges, bad)
    with pytest.raises(FormatError, match=r"^edges.npy: in the block of edges from number 1200 on.* is -5"):
        pj.components(pj.read_blocks(edges), **where(place))
    Path("cut.el").write_text("0 1\n1 2\n2\n")
    with pytest.raises(FormatError, match=r"^cut\.el: (?!cut).*line 3"):
        pj.components(pj.read_blocks("cut.el"), **where(place))
    for vertices, message in (
        (1 << 60, "^(edges.npy: )?(the )?parents of 1,152"),
        (5, "not below the number"),
    ):
        with pytest.raises((MemoryLimitError, FormatError, DeviceError), match=message):
            pj.components(pj.read_blocks(edges, vertices=vertices), **where(place))


def test_a_file_that_changes_is_refused(edges: Path) -> None:
    blocks = pj.read_blocks(edges)
    np.save(edges, EDGES[:-1])
    with pytest.raises(FormatError, match=r"^edges.npy: has changed since it was opened"):
        pj.components(blocks, device="reference")


# -- the command line --------------------------------------------------------------------------------

FILES: dict[str, Any] = {
    "edges.npy": lambda: np.save("edges.npy", EDGES),
    "edges.raw32": lambda: Path("edges.raw32").write_bytes(EDGES.tobytes()),
    "edges.el": lambda: np.savetxt("edges.el", EDGES, "%d"),
    "edges.csv.gz": lambda: np.savetxt("edges.csv.gz", EDGES, "%d", ","),
    "edges.egr": lambda: pj.write(pj.Graph.from_edges(EDGES), "edges.egr"),
    "edges.mtx": lambda: pj.write(pj.Graph.from_edges(EDGES), "edges.mtx"),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.usefixtures("edges")
def test_a_streamed_file_has_the_labels_of_one_read_whole(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    FILES[name]()
    place = REFERENCE if not WORKING else []
    more = ["--no-header"] if "csv" in name else []
    whole = document_of(capsys, "cc", name, "-o", "whole.npy", "--ids", "keep", *more, *place)
    given = "cc", name, "--memory", "2GiB", "--verify", *more, *place
    streamed = document_of(capsys, *given, "-o", "streamed.npy")
    assert np.load("whole.npy").tolist() == np.load("streamed.npy").tolist() == RIGHT.tolist()
    assert set(whole) == set(streamed)
    for same in ("vertices", "records", "components", "largest", "isolated"):
        assert whole[same] == streamed[same], same
    assert (whole["streamed"], streamed["streamed"]) == (None, "--memory is given")
    assert (whole["edges"] is None, streamed["edges"]) == (False, None)
    assert streamed["verified"] is True
    assert set(streamed["seconds"]) >= {"read", "transfer", "compute", "labels", "verify", "write", "total"}
    assert cli.run([*given, "--labels", "representative", "-o", "labels.tsv"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert "not counted: repeated edges are only found in a whole graph" in said.out
    right = pj.components(EDGES, labels="representative", device="reference").labels
    assert pj.read_labels("labels.tsv").tolist() == right.tolist()


@needs_device
def test_wide_labels_are_written(
    edges: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(limits, "MOST_NARROW_VERTICES", 1000)
    document_of(capsys, "cc", edges, "--memory", "2GiB", "--verify", "-o", "labels.npy")
    assert np.load("labels.npy").dtype == np.int64
    assert np.load("labels.npy").tolist() == RIGHT.tolist()


def test_a_wrong_answer_of_a_stream_is_told_and_not_written(
    edges: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def wrong(*given: Any, **more: Any) -> Any:
        found = components_of_blocks(*given, **more)
        found.labels[:] = 0
        return found

    monkeypatch.setattr("pointerjump.solving.streams.components_of_blocks", wrong)
    line = (
        "cc",
        edges,
        "--checkpoint",
        "c.npz",
        "--checkpoint-every",
        0,
        *REFERENCE,
        "--verify",
        "-o",
        "l.npy",
    )
    document = document_of(capsys, *line, code=1)
    assert "no path joins them" in document["why_not"]
    assert not Path("l.npy").exists()
    assert Path("c.npz").exists(), "the run is not over"


def test_it_streams_by_itself_what_would_not_fit(
    edges: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    room = streaming.bytes_when_whole(pj.read_blocks(edges))
    assert room > edges.stat().st_size, "and counting takes more"
    monkeypatch.setattr(memory, "available", lambda: (room, "in this test"))
    assert document_of(capsys, "cc", edges, *REFERENCE)["streamed"] is None
    room -= 1
    whole, free = memory.in_words(room + 1), memory.in_words(room)
    why = f"reading it whole would take about {whole}, and only {free} are free in this test"
    assert document_of(capsys, "cc", edges, *REFERENCE)["streamed"] == why
    assert cli.run(["cc", str(edges), *REFERENCE]) == 0
    said = capsys.readouterr()
    assert said.err == f"pointerjump: edges.npy is streamed, with its ids as vertex numbers: {why}\n"
    for as_it_was in (["--ids", "compact"], ["--format", "metis"], ["--vertices", "-1"]):
        cli.run(["cc", str(edges), *REFERENCE, *as_it_was])
        assert "streamed" not in capsys.readouterr().err


def test_what_reading_whole_takes(edges: Path) -> None:
    def estimate(name: str) -> int:
        FILES.get(name, lambda: None)()
        return streaming.bytes_when_whole(pj.read_blocks(name))

    counting = COUNT_BYTES_PER_EDGE
    assert estimate("edges.npy") == edges.stat().st_size + counting * len(EDGES)
    mtx = estimate("edges.mtx")
    records = pj.read_blocks("edges.mtx").records
    assert records is not None
    assert mtx == (16 + counting) * records
    lines = estimate("edges.el") // (16 + counting)
    assert lines == Path("edges.el").stat().st_size // 12
    assert estimate("edges.csv.gz") == (16 + counting) * (4 * Path("edges.csv.gz").stat().st_size // 12)


@needs_two
def test_several_devices_on_the_command_line(edges: Path, capsys: pytest.CaptureFixture[str]) -> None:
    streamed = document_of(capsys, "cc", edges, "--devices", "all", "-o", "labels.npy")
    assert streamed["streamed"] == "several devices share the edges"
    assert streamed["device"].count(" + ") == len(WORKING) - 1
    assert np.load("labels.npy").tolist() == RIGHT.tolist()
    names = ",".join(device.platform.partition("(")[0] for device in WORKING[:2])
    whole = document_of(capsys, "cc", "path:vertices=50", "--devices", names, "--verify")
    assert (whole["streamed"], whole["components"], whole["edges"]) == (None, 1, 49)
    alone = document_of(capsys, "cc", edges, "--devices", "reference")
    assert (alone["streamed"], alone["platform"]) == (None, "reference")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("cc - --memory 16GiB", "-: blocks are read from a file: save standard input to one"),
        ("cc path:vertices=3 --checkpoint c.npz", "a generator makes all edges at once"),
        ("cc edges.npy --memory 16GiB --ids compact", "--ids compact needs all edges at once"),
        ("cc matrix.npz --memory 16GiB", "matrix.npz: is scipy.sparse matrix, which cannot be read block by"),
        ("cc people.csv --no-header --memory 16GiB", "people.csv: has string ids ('ann,bob')"),
        ("cc edges.npy --memory lots", "--memory is 'lots': give a number of bytes"),
        ("cc edges.npy --memory 1MiB", "--memory is 1.0 MiB, but the program and one block already take"),
        ("cc edges.npy --memory 16GiB --vertices 5", "edges.npy: in the block of edges from number 0 on"),
        ("cc edges.npy --memory 16GiB --algorithm ecl-cc", "ecl-cc needs the whole graph"),
        ("cc missing.npy --memory 16GiB --algorithm magic", "there is no algorithm 'magic'"),
        ("cc missing.npy --memory 16GiB", "missing.npy: No such file"),
        ("cc edges.npy --checkpoint c.npy", "c.npy: a set is written as .npz"),
        ("cc edges.npy --checkpoint no/such/c.npz", "there is no such folder"),
        ("cc edges.npy --checkpoint -", "this must go to a file"),
        ("cc edges.npy --checkpoint c.npz --checkpoint-every -1", "--checkpoint-every"),
        ("cc edges.npy --devices a,,b", "names a device that is empty"),
        ("cc edges.npy --devices all", "--device and --devices are both given"),
        ("cc sparse.npy --memory 16GiB", "--ids compact"),
    ],
)
@pytest.mark.usefixtures("edges")
def test_what_cannot_be_streamed_is_one_line(
    line: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("people.csv").write_text("ann,bob\n")
    pj.write(pj.Graph.from_edges(EDGES), "matrix.npz")
    np.save("sparse.npy", [[0, 1 << 40]])
    assert message in complaint_of(capsys, *line.split(), *REFERENCE)


# -- memory ------------------------------------------------------------------------------------------


def test_a_bound_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "resident", lambda: 1000)
    memory.require(memory.NOT_ASKED_ABOUT, "much", "help")
    with memory.bounded(3000, "within a test"):
        assert memory.available() == (2000, "within a test")
        memory.require(2001, "little", "help")
        monkeypatch.setattr(memory, "NOT_ASKED_ABOUT_WITHIN_BOUNDS", 0)
        memory.require(2000, "it", "help")
        with pytest.raises(MemoryLimitError, match=r"it would take .*, and only .* are free within a"):
            memory.require(2001, "it", "help")
        with memory.bounded(500, "within another"):
            assert memory.available() == (0, "within another")
        assert memory.available() == (2000, "within a test")
    assert memory.available()[0] > 3000


PEAK = """
import sys
from pointerjump import cli
code = cli.run(sys.argv[1:])
status = open("/proc/self/status").read()
print(int(status.partition("VmHWM:")[2].split()[0]) << 10)
sys.exit(code)
"""


@needs_device
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell the peak")
def test_a_run_stays_within_its_memory(tmp_path: Path) -> None:
    file = tmp_path / "large.npy"
    np.save(file, np.random.default_rng(1).integers(0, 1 << 23, (1 << 21, 2), np.int32))
    size = 400 << 20
    line = [sys.executable, "-c", PEAK, "cc", str(file), "--memory", str(size), "-o", str(tmp_path / "l.npy")]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) < size


@needs_device
def test_a_forest_that_does_not_fit_is_refused_before_it_is_made(
    edges: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(memory, "resident", lambda: 300 << 20)
    device = next((each for each in WORKING if each.host_memory), None)
    if device is None:
        pytest.skip("every device has memory of its own")
    line = ["cc", edges, "--memory", "400MiB", "--vertices", 1 << 25, "--device", device.device]
    said = complaint_of(capsys, *line)
    assert "33,554,432 vertices would take 128.0 MiB, and only 59.0 MiB are free within --memory" in said
    assert "number those that occur from 0 on" in said


# -- progress ----------------------------------------------------------------------------------------


def test_bytes_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    bar = Progress(get_time=lambda: now, disable=True)
    steps = Steps(bar)
    steps.begin("linking edges")
    shown = []
    for done in (2 << 30, 3 << 30, 4 << 30):  # begins in the middle, as a resumed run does
        now += 10
        steps.show_bytes(done, 4 << 30)
        shown.append(bar.tasks[0].fields["share"])
    assert shown == ["2.0 of 4.0 GiB", "3.0 of 4.0 GiB, 0:00:10 left", "4.0 of 4.0 GiB"]
    steps.begin("labels")
    assert bar.tasks[0].fields["share"] == ""


# -- checkpoints -------------------------------------------------------------------------------------


def stopped(edges: Path, place: object, after: int, error: BaseException, **more: Any) -> Checkpoint:
    """Let a run fail after some blocks, and return its checkpoint."""
    blocks = pj.read_blocks(edges)
    checkpoint = Checkpoint("c.npz", blocks, **more)
    left = iter(range(after))

    def watch(batch: object) -> None:
        if next(left, None) is None:
            raise error

    with pytest.raises(type(error)):
        components_of_blocks(blocks, devices=place, checkpoint=checkpoint, watch=watch)
    return checkpoint


@pytest.mark.parametrize("place", PLACES, ids=name_of)
@pytest.mark.parametrize("name", FILES)
@pytest.mark.usefixtures("edges")
def test_a_run_goes_on_where_another_was_interrupted(place: object, name: str) -> None:
    FILES[name]()
    checkpoint = stopped(Path(name), place, 3, KeyboardInterrupt())
    for place_now in PLACES:
        begun: list[int] = []
        blocks = pj.read_blocks(name)
        found = components_of_blocks(
            blocks,
            devices=place_now,
            checkpoint=Checkpoint(checkpoint.path, blocks),
            watch=lambda batch: begun.append(batch.end["record"] - len(batch.sources)),  # noqa: B023
        )
        assert begun[0] > 0, "the first blocks are not read again"
        assert found.labels.tolist() == RIGHT.tolist()


@pytest.mark.parametrize("name", FILES)
@pytest.mark.usefixtures("edges")
def test_a_checkpoint_at_the_very_end(name: str) -> None:
    FILES[name]()
    for _ in range(2):
        blocks = pj.read_blocks(name)
        checkpoint = Checkpoint("c.npz", blocks, every=0)
        found = components_of_blocks(blocks, devices="reference", checkpoint=checkpoint)
        assert found.labels.tolist() == RIGHT.tolist()
        records = blocks.records or M
        assert found.stats["records"] == records
    checkpoint.remove()
    assert not checkpoint.path.exists()


def test_a_failed_run_keeps_its_last_checkpoint(edges: Path) -> None:
    bad = EDGES.copy()
    bad[1234, 1] = -5
    np.save(edges, bad)
    for place in PLACES:
        Path("c.npz").unlink(missing_ok=True)
        blocks = pj.read_blocks(edges)
        with pytest.raises(FormatError, match="is -5"):
            components_of_blocks(blocks, devices=place, checkpoint=Checkpoint("c.npz", blocks, every=0))
        saved = pj.DisjointSet.load("c.npz", device="reference")
        right = pj.components(EDGES[:1200], device="reference", vertices=saved.vertices)
        assert saved.labels().tolist() == right.labels.tolist()


def test_what_a_checkpoint_is_not_of(edges: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped(edges, "reference", 3, KeyboardInterrupt())

    def refusal(**options: Any) -> str:
        blocks = pj.read_blocks(edges, **options)
        with pytest.raises(FormatError, match=r"^c\.npz: is a checkpoint of another run: ") as refused:
            components_of_blocks(blocks, devices="reference", checkpoint=Checkpoint("c.npz", blocks))
        assert str(refused.value).endswith("; remove it to begin anew, or name another one")
        return str(refused.value)

    assert "vertices is 2000, and was None" in refusal(vertices=N)
    with monkeypatch.context() as patched:
        patched.setattr(checkpoints, "__version__", "99")
        assert "it is of version" in refusal()
    np.save(edges, EDGES[::-1])
    os.utime(edges, ns=(0, 0))
    assert "time of the last change" in refusal()
    np.save(edges, EDGES[:-1])
    assert "bytes, and had" in refusal()


def test_damaged_checkpoints_are_one_line(edges: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stopped(edges, "reference", 3, KeyboardInterrupt())
    good = Path("c.npz").read_bytes()
    line = "cc", edges, "--checkpoint", "c.npz", *REFERENCE
    for content in (good[:-40], good[: len(good) // 2], b"", b"PK"):
        Path("c.npz").write_bytes(content)
        assert complaint_of(capsys, *line).startswith("pointerjump: c.npz: is ")
    pj.DisjointSet(3, device="reference").save("c.npz")
    assert "c.npz: is not a checkpoint" in complaint_of(capsys, *line)
    for about in ('{"end": {"record": -1}, "input": {}}', "[]", "7", '{"end": {}, "input": {}}'):
        np.savez("c.npz", parents=np.arange(3, dtype=np.int32), grows=np.array(True), about=np.array(about))
        assert "c.npz: is not a checkpoint" in complaint_of(capsys, *line)


def test_a_checkpoint_is_replaced_whole(edges: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = stopped(edges, "reference", 3, KeyboardInterrupt())
    good = checkpoint.path.read_bytes()
    write = zipfile.ZipFile.open

    def failing(self: Any, name: str, *more: Any, **options: Any) -> Any:
        if name == "grows.npy":
            raise KeyboardInterrupt
        return write(self, name, *more, **options)

    with monkeypatch.context() as patched:
        patched.setattr(zipfile.ZipFile, "open", failing)
        with pytest.raises(KeyboardInterrupt):
            checkpoint.write(Forest(np.arange(5, dtype=np.int32)).arrays(), {"record": 1})
    assert checkpoint.path.read_bytes() == good
    Path(".c.npz.01234567.part").write_bytes(b"left by a run that was killed")
    Checkpoint("c.npz", pj.read_blocks(edges))
    assert sorted(path.name for path in Path().iterdir()) == ["c.npz", "edges.npy"]


@needs_device
def test_a_session_stays_usable_after_an_interrupt(
    edges: Path, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pointerjump.accel import disjoint_set as on_device

    write, left = on_device._write, iter(range(3))

    def interrupted(*given: Any) -> Any:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return write(*given)

    with monkeypatch.context() as patched:
        patched.setattr(on_device, "_write", interrupted)
        blocks = pj.read_blocks(edges)
        with pytest.raises(KeyboardInterrupt):
            components_of_blocks(blocks, devices=device, checkpoint=Checkpoint("c.npz", blocks))
    found = components_of_blocks(blocks, devices=device, checkpoint=Checkpoint("c.npz", blocks))
    assert found.labels.tolist() == RIGHT.tolist()


SLOWLY = """
import sys, time
import pointerjump.cli.steps as steps
from pointerjump.formats import pieces
pieces.block_within = lambda size: 800
shown = steps.Steps.show_bytes
def slowly(self, done, total):
    shown(self, done, total)
    print(done, flush=True)
    time.sleep(0.06)
steps.Steps.show_bytes = slowly
from pointerjump.__main__ import main
main()
"""


def started(*more: str) -> subprocess.Popen[str]:
    """Start a run that waits after every block and then says how far it is."""
    line = ["cc", "edges.npy", "--checkpoint", "c.npz", *REFERENCE, "-o", "labels.npy", *more]
    return subprocess.Popen(
        [sys.executable, "-c", SLOWLY, *line], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.usefixtures("edges")
def test_killed_and_resumed() -> None:
    killed = started("--checkpoint-every", "0")
    assert killed.stdout is not None
    seen = [int(killed.stdout.readline()) for _ in range(5)]
    killed.kill()
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    assert Path("c.npz").exists()
    for number in (signal.SIGTERM, signal.SIGINT):
        stopped = started()
        assert stopped.stdout is not None
        first = int(stopped.stdout.readline())
        assert first >= seen[-1], "all but the last block was kept"
        seen.append(int(stopped.stdout.readline()))
        stopped.send_signal(number)
        said = stopped.communicate()[1]
        assert stopped.returncode == 128 + number
        message = "pointerjump: interrupted: c.npz holds what is done so far; run the same command to go on"
        assert said.splitlines() == [message, ""], "the terminal's ^C ends with a line break"
    resumed = started()
    said = resumed.communicate()
    assert resumed.returncode == 0, said[1]
    assert np.load("labels.npy").tolist() == RIGHT.tolist()
    assert sorted(path.name for path in Path().iterdir()) == ["edges.npy", "labels.npy"]
