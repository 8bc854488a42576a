"""The simulated cluster finds the right components, and counts the bytes that travel."""

from __future__ import annotations

import itertools
import pickle
from collections import Counter

import pytest

pytest.importorskip("dask.dataframe", reason="dask is not installed")
pytest.importorskip("distributed", reason="distributed is not installed")

import cluster
from cluster import Cluster, Table

from pointerjump.graphs.parallel import part_forests
from pointerjump.tables.open import Roles

KINDS = {
    "random pairs": {"share": 1.0, "group": 0},
    "groups of 16, anywhere": {"share": 1.0, "group": 16},
    "groups of 16, a tenth shared": {"share": 0.1, "group": 16},
}
"""Three kinds of tables: one component of nearly all ids; small ones that any part may have; and ones
of which most are in one part."""


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
    roles = Roles("source", "target")
    forests = [forest for i in range(4) for forest in part_forests([table.frame(i)], roles)]
    dear = Cluster(4, bandwidth=1.0, clock=lambda: float(next(ticks)))
    run = cluster.simulate(table, "tree", dear)
    (told,) = run.events
    assert told["bytes_sent"] == sum(forest.nbytes for forest in forests)
    sent = [each.nbytes for each in run.cluster.transfers if each.name in ("forest", "part-forests")]
    taken = [sum(cluster.buffers(forest).values()) for forest in forests]
    assert not Counter(sent) - Counter(taken)
    assert len(sent) == 3
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
