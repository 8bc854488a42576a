"""The simulated cluster finds the right components, and counts the bytes that travel."""

from __future__ import annotations

import itertools
import pickle
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("dask.dataframe", reason="dask is not installed")
pytest.importorskip("distributed", reason="distributed is not installed")

sys.path.append(str(Path(__file__).resolve().parents[2] / "benches"))

import cluster
from cluster import KINDS, PARTS_TRIED, Cluster, Machines, Rounds, Table

from pointerjump.parts.forests import part_forest
from pointerjump.parts.sightings import merged_samples, merged_sightings, sample_of, sightings_of, travelling
from pointerjump.tables.roles import Roles

STEPS = (
    *("part-forest", "sample-ids", "sight-ids", "merge-sightings", "select-travelling-ids", "merge-forests"),
    *("pass-down-components", "number-components", "claim-components", "merge-claims", "name-components"),
    *("select-names", "rows-that-stayed", "rows-that-travelled", "components", "describe-forests"),
    *("edges-of-forest", "edges-both-ways", "shuffle", "count-crooked", "large-star", "small-star"),
    *("name-by-stars", "components-by-stars"),
)

COSTS = {
    "seconds_a_row_read": 1e-8,
    "steps": {name: [1e-8, 1e-8] for name in STEPS},
    "rounds": {
        f"{kind}/{parts}": Rounds([3.0, 1.0, 1.0], [1.1, 1.0], 0.5, 1.0)._asdict()
        for kind in KINDS
        for parts in PARTS_TRIED
    },
}


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


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(list(KINDS)),
    edges=st.sampled_from([10**6, 10**9, 10**12]),
    workers=st.sampled_from([1, 2, 10, 1000]),
    bandwidth=st.floats(1e6, 1e11),
    times=st.floats(1, 1000),
)
def test_more_bandwidth_never_makes_it_slower(
    kind: str, edges: int, workers: int, bandwidth: float, times: float
) -> None:
    table = Table(edges, max(workers, edges // 10**7), **KINDS[kind])
    machines = [Machines(workers, bandwidth), Machines(workers, bandwidth * times)]
    for predict in (cluster.predict_tree, cluster.predict_stars):
        slow, fast = (predict(table, each, COSTS) for each in machines)
        assert fast.total <= slow.total
        assert (fast.nbytes, fast.memory, fast.reason) == (slow.nbytes, slow.memory, slow.reason)


def test_a_cluster_of_one_sends_nothing() -> None:
    table = Table(10**9, 100, **KINDS["random pairs"])
    for predict in (cluster.predict_tree, cluster.predict_stars):
        assert predict(table, Machines(1), COSTS).nbytes == 0


def test_what_fits_no_worker_is_impossible() -> None:
    """Ids of all parts are merged into one forest, and its places are 32-bit."""
    table = Table(10**11, 1000, **KINDS["random pairs"])
    assert cluster.predict_tree(table, Machines(1000, memory=1e9), COSTS).reason
    assert not cluster.predict_tree(table, Machines(1000, memory=1e9), COSTS).fits
    assert "2^31" in cluster.predict_tree(table, Machines(1000, memory=1e15), COSTS).reason
    small = Table(10**8, 1000, **KINDS["random pairs"])
    assert not cluster.predict_tree(small, Machines(1000), COSTS).reason


def test_forests_are_counted_as_parts_have_them() -> None:
    table = Table(40_000, 8, **KINDS["groups of 16, anywhere"])
    parts = [part_forest([table.frame(i)], Roles("source", "target")) for i in range(8)]
    counts = cluster.counted(table, 8, 8)
    assert counts.of_part == pytest.approx(sum(len(part.ids) for part in parts) / 8, rel=0.03)
    roots = [sum(int(root) == i for i, root in enumerate(part.root)) for part in parts]
    assert counts.of_part - counts.edges_of_part == pytest.approx(sum(roots) / 8, rel=0.1)
    assert cluster.rounds_of(table).edges[-1] == pytest.approx(15 / 16, rel=0.02)
