"""Forests of edges in blocks that are kept: by several devices, and in checkpoints."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import pointerjump as pj
from pointerjump import cli
from pointerjump.accel.runtime.devices import devices
from pointerjump.base import memory
from pointerjump.errors import FormatError
from pointerjump.formats import pieces, sources
from pointerjump.solving import minimum_forest
from pointerjump.solving.checkpoints import Checkpoint
from pointerjump.solving.minimum_forest import (
    Certificate,
    certificate_of_blocks,
    minimum_forest_of_blocks,
)

N, M = 1000, 1400
RNG = np.random.default_rng(5)
EDGES = RNG.integers(0, N, (M, 2)).astype(np.int32)
WEIGHTS = RNG.integers(0, 40, M).astype(np.float64) / 4
BRIDGES = pj.bridges(EDGES, vertices=N, device="reference").tolist()
PLACES_IN_FOREST = pj.minimum_spanning_forest(EDGES, WEIGHTS, vertices=N, device="reference").places.tolist()
WORKING = [device for device in devices() if device.works]
PLACES: list[Any] = ["reference", *WORKING[:1]]
if len(WORKING) > 1:
    PLACES.append(WORKING)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pieces, "block_within", lambda size: 2400)
    monkeypatch.setattr(sources, "BLOCK", 800)
    monkeypatch.setattr(minimum_forest, "WAITING", 150)
    monkeypatch.setattr(memory, "resident", lambda: 300 << 20)
    np.save("edges.npy", EDGES)
    lines = (f"{u} {v} {w}" for (u, v), w in zip(EDGES.tolist(), WEIGHTS.tolist(), strict=True))
    Path("edges.el").write_text("\n".join(lines))
    table = pa.table({"w": WEIGHTS, "v": EDGES[:, 1], "more": ["x"] * M, "u": EDGES[:, 0].astype(np.uint64)})
    half = M // 2
    pq.write_table(table[:half], "part-0.parquet", row_group_size=130)
    pq.write_table(table[half:], "part-1.parquet")
    pyarrow.feather.write_feather(table, "edges.arrow", compression="uncompressed", chunksize=170)


def bridges(checkpoint: str | None, where: Any, **how: Any) -> Any:
    blocks = pj.read_blocks("edges.npy", vertices=N)
    kept = Checkpoint(checkpoint, blocks, 0, command="bridges") if checkpoint else None
    edges, records = certificate_of_blocks(blocks, where, checkpoint=kept, **how)
    assert records == M
    assert len(edges.sources) < 2 * N
    return pj.bridges((edges.sources, edges.targets), vertices=N, device="reference").tolist()


def forest(checkpoint: str | None, where: Any, **how: Any) -> Any:
    blocks = pj.read_blocks("part-*.parquet", vertices=N, columns=("u", "v", "w"), weighted=True)
    kept = Checkpoint(checkpoint, blocks, 0, command="mst") if checkpoint else None
    found = minimum_forest_of_blocks(blocks, False, where, None, checkpoint=kept, **how)
    assert found.stats["records"] == M
    return found.places.tolist()


RUNS: list[tuple[Callable[..., Any], Any]] = [(bridges, BRIDGES), (forest, PLACES_IN_FOREST)]
EACH_RUN = pytest.mark.parametrize(("run", "right"), RUNS, ids=["bridges", "forest"])


@EACH_RUN
@pytest.mark.parametrize("where", PLACES, ids=str)
def test_a_checkpoint_after_each_block_changes_nothing(
    run: Callable[..., Any], right: Any, where: Any
) -> None:
    assert run(None, where) == right
    assert run("c.npz", where) == right


def test_what_has_joined_may_join_again() -> None:
    """As at every checkpoint of several devices: an edge that comes twice is no two parallel edges."""
    one, other = (Certificate(4, device="reference") for _ in range(2))
    one._merge_block(np.array([0]), np.array([1]), first=0)
    other._merge_block(np.array([1, 2]), np.array([2, 1]), first=1)
    for _ in range(3):
        one._join(other)
        found = one.edges()
        assert (found.sources.tolist(), found.targets.tolist()) == ([0, 1, 2], [1, 2, 1])


@EACH_RUN
@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_run_goes_on_where_another_was_interrupted(run: Callable[..., Any], right: Any, after: int) -> None:
    for first in PLACES:
        left = iter(range(after))

        def interrupt(piece: object) -> None:
            if next(left, None) is None:  # noqa: B023
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run("c.npz", first, watch=interrupt)
        for where in PLACES:
            begun: list[int] = []

            def watch(piece: Any) -> None:
                begun.append(piece.end["record"] - len(piece.sources))  # noqa: B023

            kept = Path("c.npz").read_bytes()
            assert run("c.npz", where, watch=watch) == right
            assert min(begun) > 0
            Path("c.npz").write_bytes(kept)
        Path("c.npz").unlink()


@EACH_RUN
def test_a_damaged_checkpoint_is_refused(run: Callable[..., Any], right: Any) -> None:
    assert run("c.npz", "reference") == right
    with np.load("c.npz") as archive:
        arrays = dict(archive)
    m = len(arrays["sources"])
    for name, wrong in (
        ("sources", arrays["sources"] + N),
        ("sources", arrays["sources"][:-1]),
        ("targets", -arrays["targets"]),
        ("weights", np.full(m, np.nan)),
        ("weights", arrays["weights"][:-1]),
        ("places", arrays["places"][::-1]),
        ("places", arrays["places"] + M),
        ("vertices", np.array([1, 2])),
        ("vertices", np.array(2**40)),
        ("records", np.array(-1)),
        ("grows", None),
    ):
        some = {**arrays, name: wrong}
        np.savez("c.npz", **{key: value for key, value in some.items() if value is not None})
        with pytest.raises(FormatError, match=r"^c\.npz: is not what --checkpoint writes"):
            run("c.npz", "reference")
    for other, _ in RUNS:
        if other is not run:
            np.savez("c.npz", **arrays)
            with pytest.raises(FormatError, match="is a checkpoint of another run"):
                other("c.npz", "reference")


SLOWLY = """
import sys, time
import pointerjump.cli.steps as steps
from pointerjump.formats import pieces, sources
from pointerjump.solving import minimum_forest
pieces.block_within = lambda size: 2400
sources.BLOCK = 800
minimum_forest.WAITING = 150
shown = steps.Steps.show_bytes
def slowly(self, done, total):
    shown(self, done, total)
    print(done, flush=True)
    time.sleep(0.05)
steps.Steps.show_bytes = slowly
from pointerjump.__main__ import main
main()
"""
LINES = [
    "bridges edges.npy --vertices 1000",
    "mst part-*.parquet --columns u,v,w --vertices 1000",
    "mst edges.el --maximum",
    "clusters edges.el --at 2,5",
]


@pytest.mark.parametrize("line", LINES, ids=["bridges", "parquet", "maximum", "clusters"])
def test_killed_and_resumed(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    whole = [*line.split(), "--device", "reference", "--memory", "4GiB", "-o", "whole.csv"]
    assert cli.run(whole) == 0
    capsys.readouterr()
    resumable = [*line.split(), "--device", "reference", "--checkpoint", "c.npz", "-o", "out.csv"]
    command = [sys.executable, "-c", SLOWLY, *resumable, "--checkpoint-every", "0"]
    killed = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert killed.stdout is not None
    for _ in range(3):
        killed.stdout.readline()
    killed.kill()
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    assert Path("c.npz").exists()
    assert not Path("out.csv").exists()
    assert cli.run([*resumable, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert 0 < told["resumed_after"] < M
    assert told["streamed"] == "--checkpoint is given"
    assert told["edges"] == M
    assert Path("out.csv").read_text() == Path("whole.csv").read_text()
    assert not Path("c.npz").exists()


@pytest.mark.skipif(len(WORKING) < 2, reason="there are not two devices")
@pytest.mark.parametrize("line", LINES[:2], ids=["bridges", "mst"])
def test_several_devices(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run([*line.split(), "-o", "one.csv", "--device", "reference", "--memory", "4GiB"]) == 0
    capsys.readouterr()
    assert cli.run([*line.split(), "-o", "all.csv", "--devices", "all", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["streamed"] == "several devices share the edges"
    assert Path("one.csv").read_text() == Path("all.csv").read_text()


# -- weights in tables --------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["part-*.parquet", "edges.arrow"])
def test_weights_of_tables(path: str) -> None:
    blocks = list(pj.read_blocks(path, columns=("u", "v", "w"), weighted=True))
    assert len(blocks) > 4
    us, vs, weights = map(np.concatenate, zip(*blocks, strict=True))
    assert np.array_equal(np.stack([us, vs], axis=1).astype(np.int32), EDGES)
    assert np.array_equal(weights, WEIGHTS)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float16", "float32", "float64"])
def test_types_of_weights(dtype: str, tmp_path: Path) -> None:
    weights = WEIGHTS.astype(dtype)
    table = pa.table({"u": EDGES[:, 0], "v": EDGES[:, 1], "w": weights})
    pq.write_table(table, "typed.parquet")
    found = pj.minimum_spanning_forest(pj.read_blocks("typed.parquet", weighted=True), device="reference")
    right = pj.minimum_spanning_forest(EDGES, weights, device="reference")
    assert found.places.tolist() == right.places.tolist()
    assert found.weights.dtype == right.weights.dtype


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (None, r"name the two with ids, and the one with weights, by columns="),
        (("u", "v"), "give three different ones"),
        (("u", "v", "v"), "names one column twice"),
        (("u", "v", "more"), "column 'more' holds string, but weights are numbers"),
        (("w", "v", "u"), "column 'w' holds double, but a graph's ids are integers"),
        (("u", "v", "none"), "no column called 'none'"),
        ((3, 1, 9), "has no column 9"),
    ],
)
def test_columns_that_are_refused(columns: Any, message: str) -> None:
    for path in ("part-0.parquet", "edges.arrow"):
        with pytest.raises(FormatError, match=message):
            pj.read_blocks(path, columns=columns, weighted=True)
    with pytest.raises(FormatError, match="give two different ones"):
        pj.read_blocks("edges.el", columns=(0, 1, 2), weighted=True)
    with pytest.raises(FormatError, match="give two different ones"):
        pj.read_blocks("edges.arrow", columns=("u", "v", "w"))


def test_a_weight_that_is_missing_or_nan() -> None:
    for value, message in ((None, "column 'w' has no value in row 33"), (float("nan"), "NaN")):
        weights: list[float | None] = [1.0] * 60
        weights[33] = value
        table = pa.table({"u": range(60), "v": range(1, 61), "w": weights})
        pq.write_table(table, "missing.parquet", row_group_size=7)
        with pytest.raises(FormatError, match=message):
            pj.minimum_spanning_forest(pj.read_blocks("missing.parquet", weighted=True), device="reference")


def test_a_forest_is_updated_before_memory_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    m = 30_000
    edges, weights = RNG.integers(0, N, (m, 2)), RNG.random(m)
    room = 72 * m // 2  # the buffered edges together would need twice as much
    monkeypatch.setattr(minimum_forest, "WAITING", 1 << 22)
    monkeypatch.setattr(memory, "NOT_ASKED_ABOUT", 0)
    monkeypatch.setattr(memory, "available", lambda: (room, "in this test"))
    kept = pj.MinimumForest(device="reference")
    for part in np.array_split(np.arange(m), 6):
        kept.merge(edges[part], weights=weights[part])
    places = kept.forest().places.tolist()
    monkeypatch.undo()
    assert places == pj.minimum_spanning_forest(edges, weights, device="reference").places.tolist()
