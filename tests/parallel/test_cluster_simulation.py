"""The simulated cluster finds the right components, and counts the bytes that travel."""

from __future__ import annotations

import itertools
import pickle
import sys
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("dask.dataframe", reason="dask is not installed")
pytest.importorskip("distributed", reason="distributed is not installed")

sys.path.append(str(Path(__file__).resolve().parents[2] / "benches"))

import cluster
from cluster import KINDS, Cluster, Table

from pointerjump.parts.forests import part_forest
from pointerjump.parts.sightings import merged_samples, merged_sightings, sample_of, sightings_of, travelling
from pointerjump.tables.roles import Roles


@pytest.mark.parametrize("method", ["tree", "stars"])
@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("kind", KINDS)
def test_the_components_are_right(kind: str, workers: int, method: str) -> None:
    table = Table(700, 5, edges_per_id=2, **KINDS[kind])
    run = cluster.simulate(table, method, Cluster(workers), split_every=2)
    assert cluster.same_components(run)
    assert run.cluster.seconds > 0
    assert (run.cluster.nbytes > 0) == (workers > 1)
    assert {step.worker for step in run.cluster.steps} == set(range(workers))


def test_many_parts_that_share_few_ids() -> None:
    """Then a merge is given claims about a few components only, whose numbers may be large."""
    table = Table(4000, 20, **KINDS["groups of 16, a tenth shared"])
    assert cluster.same_components(cluster.simulate(table, "tree", Cluster(20), split_every=2))


def test_wrong_components_are_noticed() -> None:
    table = Table(300, 3)
    run = cluster.simulate(table, "tree", Cluster(3))
    run.table = Table(600, 3)
    assert not cluster.same_components(run)


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_are_those_of_the_forests_that_travel(kind: str) -> None:
    """One merge is given all forests, so all but the one that lies there are sent, if sending is dear."""
    ticks = itertools.count()
    table = Table(200_000, 4, **KINDS[kind])
    parts = [part_forest([table.frame(i)], Roles("source", "target")) for i in range(4)]
    bits = merged_samples([sample_of(part.ids) for part in parts]).bits
    seen = merged_sightings([sightings_of(part.ids, bits) for part in parts])
    forests = [travelling(part, seen).forest for part in parts]
    dear = Cluster(4, bandwidth=1.0, clock=lambda: float(next(ticks)))
    run = cluster.simulate(table, "tree", dear)
    (told,) = run.events
    assert told["bytes_sent"] == sum(forest.nbytes for forest in forests)
    sent = [each.nbytes for each in run.cluster.transfers if each.name == "travelling-forest"]
    taken = [sum(cluster.buffers(forest).values()) for forest in forests]
    assert not Counter(sent) - Counter(taken)
    assert len(sent) == 3 or bits, (
        "with bits, whole forests may go where the bits are, and be selected from there"
    )
    for forest, size in zip(forests, taken, strict=True):
        assert forest.nbytes < size < forest.nbytes + 1000, "pickle adds a few words"
        assert abs(len(pickle.dumps(forest, 5)) - size) < 1000


def test_workers_share_cores() -> None:
    """Every task takes a second by this clock. On one core they take turns; on four, some run at once."""
    ticks = itertools.count()
    one, four = (
        cluster.simulate(
            Table(2000, 4), "tree", Cluster(4, cores, float("inf"), 0.0, clock=lambda: float(next(ticks)))
        ).cluster
        for cores in (1, 4)
    )
    assert one.seconds == len(one.steps) == len(four.steps)
    assert four.seconds < one.seconds


def test_bytes_and_latency_take_time() -> None:
    table, ticks = Table(2000, 2), itertools.count()
    free, dear = (
        cluster.simulate(
            table, "tree", Cluster(2, 0, bandwidth, latency, clock=lambda: float(next(ticks)))
        ).cluster
        for bandwidth, latency in ((float("inf"), 0.0), (1.0, 10.0))
    )
    assert free.transfers
    assert dear.seconds > free.seconds + max(each.nbytes for each in dear.transfers)
