"""One-to-one clusters: as a search by hand finds them, and as the drop-in for Splink does."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import pointerjump as pj
from pointerjump.accel.runtime.devices import devices
from pointerjump.dropins.splink import cluster_using_single_best_links
from pointerjump.ids import interning

ANYWHERE = None if any(device.works for device in devices()) else "reference"
Pair = tuple[Any, Any, Any]
PAIRS = pa.table({"left": ["c1", "c1", "c2"], "right": ["s1", "s2", "s2"], "score": [0.9, 0.95, 0.8]})
RECORDS = pa.table({"id": ["c1", "c2", "s1", "s2"], "dataset": ["crm", "crm", "shop", "shop"]})


def by_hand(
    pairs: Sequence[Pair], dataset: dict[Any, Any], free: set[Any], ties_method: str
) -> set[frozenset[Any]]:
    """Link clusters round by round, as the documentation says."""
    links = [link for one, other, score in pairs for link in ((one, other, score), (other, one, score))]
    if ties_method == "drop":
        ends = {(one, dataset[other], score): set[Any]() for one, other, score in links}
        for one, other, score in links:
            ends[one, dataset[other], score].add(other)
        tied = {
            (frozenset((one, other)), score)
            for one, other, score in links
            if dataset[other] in free and len(ends[one, dataset[other], score]) > 1
        }
        links = [link for link in links if (frozenset(link[:2]), link[2]) not in tied]
    name = {id: id for id in dataset}
    while True:
        sets: dict[Any, set[Any]] = {each: set() for each in name.values()}
        for id, each in name.items():
            sets[each] |= {dataset[id]} & free
        may = [
            link
            for link in links
            if name[link[0]] != name[link[1]] and not sets[name[link[0]]] & sets[name[link[1]]]
        ]
        best: dict[Any, Any] = {}
        for one, other, score in may:
            best[name[one]] = min(best.get(name[one], (-score, other)), (-score, other))
        mutual = [
            (one, other)
            for one, other, score in may
            if best[name[one]] == (-score, other) and best[name[other]] == (-score, one)
        ]
        if not mutual:
            break
        named = dict(name)
        for one, other in mutual:
            named[one] = min(named[one], name[other])
        if named == name:
            break
        name = named
    clusters: dict[Any, set[Any]] = {}
    for id, each in name.items():
        clusters.setdefault(each, set()).add(id)
    return {frozenset(ids) for ids in clusters.values()}


def linked(seed: int) -> tuple[list[Pair], dict[Any, str], list[str]]:
    """Return pairs with ties, self-pairs and repeats; each record's data set; which are duplicate-free."""
    rng = random.Random(seed)
    datasets = ["d", "c", "b", "a"][: rng.choice([2, 3, 4])]
    name = rng.choice(["id {:02}".format, int])
    dataset = {name(i): rng.choice(datasets) for i in range(rng.choice([4, 8, 16, 40]))}
    ids = list(dataset)
    scores = rng.choice([(1, 2, 3), (0.25, 0.5, float("inf")), None])
    pairs = [
        (rng.choice(ids), rng.choice(ids), rng.choice(scores) if scores else rng.random())
        for _ in range(len(ids) * rng.choice([1, 2, 4]))
    ]
    present = sorted({*dataset.values()})
    return pairs, dataset, rng.sample(present, rng.randrange(len(present) + 1))


def tables(pairs: Sequence[Pair], dataset: dict[Any, str]) -> tuple[pa.Table, pa.Table]:
    left, right, score = zip(*pairs, strict=True)
    records = pa.table({"id": list(dataset), "dataset": list(dataset.values())})
    return pa.table({"left": left, "right": right, "score": score}), records


def clusters(table: pa.Table) -> set[frozenset[Any]]:
    found: dict[Any, set[Any]] = {}
    for row in table.to_pylist():
        found.setdefault(row["component"], set()).add(row["id"])
    return {frozenset(ids) for ids in found.values()}


@pytest.mark.parametrize("few", [interning.FEW_IDS, 0])  # numbered by pyarrow, and on the device
@pytest.mark.parametrize("ties_method", ["lowest_id", "drop"])
@pytest.mark.parametrize("seed", range(30))
def test_as_by_hand_in_any_order(
    seed: int, ties_method: Any, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interning, "FEW_IDS", few)
    pairs, dataset, free = linked(seed)
    expected = by_hand(pairs, dataset, set(free), ties_method)
    random.Random(seed).shuffle(pairs)
    options = {"duplicate_free": free, "ties_method": ties_method, "device": ANYWHERE}
    found = pj.one_to_one_clusters(*tables(pairs, dataset), **options)
    assert clusters(found.table()) == expected
    assert {*found.table()["component"].to_pylist()} == set(map(min, expected))
    assert found.count == len(expected)
    assert found.ids.to_pylist() == sorted(dataset)
    for ids in expected:
        held = [dataset[id] for id in ids if dataset[id] in free]
        assert len(held) == len(set(held))


@pytest.mark.parametrize("ties_method", ["lowest_id", "drop"])
@pytest.mark.parametrize("seed", range(20))
def test_as_the_drop_in(seed: int, ties_method: Any) -> None:
    pairs, dataset, free = linked(seed)
    free = free or [*dataset.values()][:1]
    whole = {id: f"{name}-__-{id}" for id, name in dataset.items()}  # Splink's ids, so that ties are equal
    table, records = tables(
        [(whole[one], whole[other], score) for one, other, score in pairs],
        {whole[id]: name for id, name in dataset.items()},
    )
    found = pj.one_to_one_clusters(
        table,
        records,
        duplicate_free=free,
        ties_method=ties_method,
        where=("score", ">=", 0.4),
        device=ANYWHERE,
    )
    left, right, score = zip(*pairs, strict=True)
    ends = {"unique_id_l": left, "unique_id_r": right}
    sets = {f"source_dataset_{end[-1]}": [dataset[id] for id in ids] for end, ids in ends.items()}
    theirs = cluster_using_single_best_links(
        {"unique_id": list(dataset), "source_dataset": list(dataset.values())},
        {**ends, **sets, "match_probability": score},
        free,
        0.4,
        ties_method=ties_method,
        device=ANYWHERE,
    )
    named = zip(map(whole.get, dataset), theirs["cluster_id"].to_pylist(), strict=True)
    assert clusters(pa.table(list(zip(*named, strict=True)), ["id", "component"])) == clusters(found.table())


def test_the_answer_is_of_the_pairs_kind_and_lone_records_are_in_it(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    more = pa.concat_tables([RECORDS, pa.table({"id": ["z"], "dataset": ["shop"]})])
    found = pj.one_to_one_clusters(PAIRS.to_pandas(), more.to_pandas(), device=ANYWHERE).table()
    assert isinstance(found, pd.DataFrame)
    assert found["component"].tolist() == ["c1", "c2", "s1", "c1", "z"]
    pa.csv.write_csv(PAIRS, tmp_path / "pairs.csv")
    pa.csv.write_csv(more, tmp_path / "records.csv")
    of_files = pj.one_to_one_clusters(tmp_path / "pairs.csv", tmp_path / "records.csv", device=ANYWHERE)
    assert of_files.table()["component"].to_pylist() == found["component"].tolist()
    with pytest.raises(pj.GraphError, match="not blocks, groups or one-to-one clusters"):
        of_files.why("c1", "s2")


def test_integers_are_compared_exactly_and_other_data_sets_may_repeat() -> None:
    score = pa.array([2**63, 2**63 + 1, 0], pa.uint64())  # the first two are the same as floats
    pairs = PAIRS.set_column(2, "score", score)
    assert pj.one_to_one_clusters(pairs, RECORDS, device=ANYWHERE).table()["component"].to_pylist() == [
        "c1", "c2", "s1", "c1",
    ]  # fmt: skip
    # Two of the crm may now be in one cluster, but only one of the shop.
    both = pj.one_to_one_clusters(PAIRS, RECORDS, duplicate_free={"shop"}, device=ANYWHERE).table()
    assert both["component"].to_pylist() == ["c1", "c1", "s1", "c1"]
    for shops in (pa.array(["shop"]), pa.chunked_array([["shop"]]), np.array(["shop"])):
        same = pj.one_to_one_clusters(PAIRS, RECORDS, duplicate_free=shops, device=ANYWHERE)
        assert same.table() == both
    whole = pj.one_to_one_clusters(PAIRS, RECORDS, duplicate_free=(), device=ANYWHERE)
    assert whole.count == 1
    repeated = pj.one_to_one_clusters(PAIRS, pa.concat_tables([RECORDS] * 2), device=ANYWHERE)
    assert repeated.count == 3


def test_no_pairs_and_no_records() -> None:
    assert pj.one_to_one_clusters(PAIRS[:0], RECORDS, device=ANYWHERE).count == 4
    assert pj.one_to_one_clusters(PAIRS[:0], RECORDS[:0], device=ANYWHERE).count == 0
    with pytest.raises(pj.TableError, match="no data set 'crm': it has none"):
        pj.one_to_one_clusters(PAIRS[:0], RECORDS[:0], duplicate_free=["crm"], device=ANYWHERE)
    numbers = pa.table({"id": [4, 2], "dataset": [2019, 2020]})
    nothing = pa.table({"left": [], "right": [], "score": []})
    assert pj.one_to_one_clusters(nothing, numbers, device=ANYWHERE).count == 2


@pytest.mark.parametrize(
    ("records", "options", "match"),
    [
        (RECORDS, {"ties_method": "first"}, "ties_method='first': it must be"),
        (RECORDS, {"duplicate_free": "crm"}, "duplicate_free='crm': give a list"),
        (RECORDS, {"duplicate_free": np.array("crm")}, "duplicate_free='crm': give a list"),
        (RECORDS, {"duplicate_free": b"crm"}, "duplicate_free=b'crm': give a list"),
        (RECORDS, {"duplicate_free": ["web"]}, "no data set 'web': it has 'crm', 'shop'"),
        (RECORDS, {"duplicate_free": [["crm"]]}, r"no data set \['crm'\]"),
        (RECORDS, {"duplicate_free": 7}, "duplicate_free=7: give a list"),
        (RECORDS, {"dataset": "origin"}, "records: has no column 'origin'"),
        (RECORDS, {"dataset": "id"}, "column 'id' is named twice"),
        (RECORDS, {"score": "points"}, "no column 'points'"),
        (RECORDS, {"score": "left"}, "column 'left' is named twice"),
        (RECORDS[:3], {}, "column 'right' has 's2' in row 1, which is not in records: add it there"),
        (pa.table({"id": [1], "dataset": ["a"]}), {}, "holds int64, but column 'left' holds string"),
        (pa.table({"id": ["a"], "dataset": [0.5]}), {}, "column 'dataset' holds double"),
        (RECORDS.set_column(1, "dataset", pa.array(["a", None, "b", "b"])), {}, "'dataset' is null in row 1"),
        (RECORDS.set_column(0, "id", pa.array(["a", None, "b", "b"])), {}, "records: column 'id' is null in"),
        (
            pa.concat_tables([RECORDS, pa.table({"id": ["c1"], "dataset": ["shop"]})]),
            {},
            "id c1 is in data sets 'shop' and 'crm': give ids that differ",
        ),
    ],
)
def test_what_cannot_be_linked(records: pa.Table, options: dict[str, Any], match: str) -> None:
    with pytest.raises(pj.TableError, match=match) as raised:
        pj.one_to_one_clusters(PAIRS, records, device=ANYWHERE, **options)
    assert "\n" not in str(raised.value)


def test_scores_must_be_there() -> None:
    gaps = PAIRS.set_column(2, "score", pa.array([0.9, None, 0.8]))
    with pytest.raises(pj.TableError, match="column 'score' has no score in row 1"):
        pj.one_to_one_clusters(gaps, RECORDS, device=ANYWHERE)
    known = pj.one_to_one_clusters(gaps, RECORDS, where=("score", "is not null"), device=ANYWHERE)
    assert known.count == 2


def test_sets_that_need_too_much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pointerjump.base.memory.NOT_ASKED_ABOUT", 0)
    monkeypatch.setattr("pointerjump.base.memory.available", lambda: (1, "here"))
    with pytest.raises(pj.MemoryLimitError, match="2 data sets without duplicates beside 4 ids"):
        pj.one_to_one_clusters(PAIRS, RECORDS, device=ANYWHERE)
