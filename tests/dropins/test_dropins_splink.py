"""Splink's clustering: the same clusters under the same names, from the same tables."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq
import pytest

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device
from pointerjump.dropins.splink import (
    cluster_pairwise_predictions_at_multiple_thresholds,
    cluster_pairwise_predictions_at_threshold,
    cluster_records,
    cluster_using_single_best_links,
)
from pointerjump.ids import interning as face_ids

NODES = pa.table({"unique_id": ["dee", "bob", "ann", "cal", "bob"]})
EDGES = pa.table(
    {
        "unique_id_l": ["dee", "cal", "ann"],
        "unique_id_r": ["cal", "bob", "bob"],
        "match_probability": [0.9, 0.5, None],
    }
)


def random_tables(seed: int, nodes: int, edges: int, *, strings: bool = True) -> tuple[pa.Table, pa.Table]:
    rng = random.Random(seed)

    def ends() -> list[Any]:
        return [f"id{i}" if strings else i for i in (rng.randrange(nodes) for _ in range(edges))]

    ids = [f"id{i}" if strings else i for i in range(nodes)]
    scores = [rng.choice([0.0, 0.2, 0.5, 0.95, 1.0, rng.random()]) for _ in range(edges)]
    columns = {"unique_id_l": ends(), "unique_id_r": ends(), "match_probability": scores}
    return pa.table({"unique_id": ids}), pa.table(columns)


def rows(table: Any) -> list[dict[str, Any]]:
    arrow = table if isinstance(table, pa.Table) else table.as_pyarrow_table()
    return arrow.sort_by(arrow.column_names[0]).to_pylist()


# -- without Splink ----------------------------------------------------------------------------------


def test_a_cluster_is_named_by_its_smallest_id() -> None:
    found = cluster_pairwise_predictions_at_threshold(NODES, EDGES, threshold_match_probability=0.5)
    assert found.to_pydict() == {
        "unique_id": ["ann", "bob", "cal", "dee"],
        "cluster_id": ["ann", "bob", "bob", "bob"],
    }
    by_weight = cluster_pairwise_predictions_at_threshold(NODES, EDGES, threshold_match_weight=0.0)
    assert by_weight == found
    all_edges = cluster_pairwise_predictions_at_threshold(NODES, EDGES)
    assert all_edges["cluster_id"].to_pylist() == ["ann"] * 4


def test_thresholds_together_are_as_thresholds_alone() -> None:
    nodes, edges = random_tables(1, 200, 300)
    thresholds = [0.95, 0.0, 1.0, 0.5, 0.3]
    found = cluster_pairwise_predictions_at_multiple_thresholds(
        nodes, edges, match_probability_thresholds=thresholds
    )
    names = ["cluster_0_0", "cluster_p_0_3", "cluster_p_0_5", "cluster_p_0_95", "cluster_1_0"]
    assert found.column_names == ["unique_id", *names]
    for name, threshold in zip(names, sorted(thresholds), strict=True):
        alone = cluster_pairwise_predictions_at_threshold(nodes, edges, threshold_match_probability=threshold)
        assert alone["cluster_id"] == found[name]
    assert len({tuple(found[name].to_pylist()) for name in names}) == len(names)
    weights = cluster_pairwise_predictions_at_multiple_thresholds(
        nodes, edges, match_weight_thresholds=[3.523562, 0.5]
    )
    assert weights.column_names == ["unique_id", "cluster_mw_0_5", "cluster_mw_3_523562"]


def test_records_keep_their_columns_and_order() -> None:
    records = pa.table({"name": ["x", "y", "z"], "unique_id": [9, 4, 9], "source_dataset": ["a", "a", "b"]})
    pairs = {"unique_id_l": [9], "source_dataset_l": ["b"], "unique_id_r": [4], "source_dataset_r": ["a"]}
    found = cluster_records(records, pa.table(pairs), source_dataset_column_name="source_dataset")
    assert found.column_names == ["cluster_id", *records.column_names]
    assert found["cluster_id"].to_pylist() == ["a-__-9", "a-__-4", "a-__-4"]
    assert found.drop_columns("cluster_id") == records


def test_the_answer_is_of_the_nodes_kind() -> None:
    pl = pytest.importorskip("polars")
    found = cluster_pairwise_predictions_at_threshold(pl.from_arrow(NODES), EDGES)
    assert isinstance(found, pl.DataFrame)
    pd = pytest.importorskip("pandas")
    found = cluster_pairwise_predictions_at_threshold(NODES.to_pandas(), EDGES.to_pandas())
    assert isinstance(found, pd.DataFrame)
    assert found["cluster_id"].tolist() == ["ann"] * 4


@pytest.mark.one_device
def test_many_ids_are_numbered_on_the_device(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes, edges = random_tables(4, 300, 400)
    few = cluster_pairwise_predictions_at_threshold(nodes, edges, threshold_match_probability=0.5)
    monkeypatch.setattr(face_ids, "FEW_IDS", 0)
    monkeypatch.setattr(face_ids, "numbered_by_library", None)
    many = cluster_pairwise_predictions_at_threshold(
        nodes, edges, threshold_match_probability=0.5, device=device
    )
    assert many == few


def test_a_composed_id_needs_all_its_parts() -> None:
    records = pa.table({"unique_id": [1, 2], "source_dataset": ["a", None]})
    pairs = {"unique_id_l": [1], "source_dataset_l": ["a"], "unique_id_r": [1], "source_dataset_r": ["a"]}
    with pytest.raises(pj.TableError, match="records: column 'source_dataset' is null in row 1"):
        cluster_records(records, pa.table(pairs), source_dataset_column_name="source_dataset")


def test_dicts_and_paths_are_tables_too(tmp_path: Path) -> None:
    """A column called id that is not the column of ids keeps its type."""
    records = [{"unique_id": 7, "id": "x"}, {"unique_id": 3, "id": "y"}]
    edges = {"unique_id_l": [7], "unique_id_r": [3]}
    pq.write_table(pa.table(edges), tmp_path / "edges.parquet")
    for given in (edges, tmp_path / "edges.parquet", iter([pa.table(edges)])):
        found = cluster_records(records, given)
        assert found.to_pydict() == {"cluster_id": [3, 3], "unique_id": [7, 3], "id": ["x", "y"]}
    with pytest.raises(pj.TableError, match=r"edges: list is not a table .*give records as dicts") as raised:
        cluster_pairwise_predictions_at_threshold(records, [1, 2])
    assert "\n" not in str(raised.value)


def test_no_nodes() -> None:
    found = cluster_pairwise_predictions_at_threshold(NODES[:0], EDGES[:0], threshold_match_probability=0.5)
    assert (found.num_rows, found.column_names) == (0, ["unique_id", "cluster_id"])


@pytest.mark.parametrize(
    ("nodes", "edges", "options", "message"),
    [
        (NODES[:2], EDGES, {}, r"edges: column 'unique_id_l' has 'cal' in row 1, which is not in nodes: add"),
        (NODES, EDGES.drop_columns("unique_id_r"), {}, "edges: has no column 'unique_id_r': it has 'uni"),
        (NODES, EDGES.drop_columns("match_probability"), {"threshold_match_weight": 1}, "'match_probabil"),
        (NODES, EDGES, {"threshold_match_weight": 1, "threshold_match_probability": 0}, "leave one out"),
        (pa.table({"unique_id": [1]}), EDGES, {}, "holds int64, but column 'unique_id_l' holds string"),
        (pa.table({"unique_id": ["a", None]}), EDGES, {}, "nodes: column 'unique_id' is null in row 1"),
        (object(), EDGES, {}, "nodes: object is not a table: give a frame of"),
    ],
)
def test_faults_name_table_and_column(nodes: Any, edges: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(pj.TableError, match=message) as raised:
        cluster_pairwise_predictions_at_threshold(nodes, edges, **options)
    assert "\n" not in str(raised.value)


def test_no_thresholds() -> None:
    for options in ({}, {"match_probability_thresholds": []}):
        with pytest.raises(pj.TableError, match="and at least one"):
            cluster_pairwise_predictions_at_multiple_thresholds(NODES, EDGES, **options)


# -- beside Splink itself ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def splink() -> Any:
    """Splink's module with its clustering functions."""
    pytest.importorskip("splink.clustering", reason="Splink is not installed")
    from splink.internals import clustering

    return clustering


@pytest.fixture
def db_api(splink: Any) -> Any:
    from splink import DuckDBAPI

    return DuckDBAPI()


@pytest.mark.parametrize("threshold", [None, 0, 0.5, 1])
@pytest.mark.parametrize("strings", [True, False])
def test_clusters_are_splinks(splink: Any, db_api: Any, strings: bool, threshold: float | None) -> None:
    nodes, edges = random_tables(2, 300, 200, strings=strings)
    both = [
        function(nodes, edges, db_api, "unique_id", threshold_match_probability=threshold)
        for function in (
            splink.cluster_pairwise_predictions_at_threshold,
            cluster_pairwise_predictions_at_threshold,
        )
    ]
    assert rows(both[0]) == rows(both[1])
    assert type(both[0]) is type(both[1])
    assert both[0].metadata.items() <= both[1].metadata.items()


@pytest.mark.parametrize("summary", [False, True])
@pytest.mark.parametrize(
    "thresholds",
    [{"match_probability_thresholds": [0.5, 0.95, 0, 1]}, {"match_weight_thresholds": [3, 0.25]}],
)
def test_clusters_at_several_thresholds_are_splinks(
    splink: Any, db_api: Any, thresholds: dict[str, Any], summary: bool
) -> None:
    nodes, edges = random_tables(3, 300, 200)
    theirs, ours = (
        function(nodes, edges, db_api, "unique_id", output_cluster_summary_stats=summary, **thresholds)
        for function in (
            splink.cluster_pairwise_predictions_at_multiple_thresholds,
            cluster_pairwise_predictions_at_multiple_thresholds,
        )
    )
    assert rows(ours) == rows(theirs)
    assert ours.as_pyarrow_table().schema.equals(theirs.as_pyarrow_table().schema)


def people(seed: int, first: int = 0) -> pa.Table:
    """A table with the columns of Splink's fake_1000; a third of its rows repeat one, with errors."""
    rng = random.Random(seed)
    made: list[dict[str, Any]] = []
    for number in range(first, first + 120):
        if made and rng.random() < 0.33:
            person = dict(rng.choice(made))
            person[rng.choice(["first_name", "city", "email"])] = None
        else:
            person = {
                "first_name": rng.choice(["ann", "bob", "cal", "dee", "eve", "fay"]),
                "surname": rng.choice(["ash", "birch", "cedar", "elm", "fir", "oak", "yew"]),
                "dob": f"19{rng.randrange(50, 99)}-01-{rng.randrange(10, 28)}",
                "city": rng.choice(["york", "bath", "ely"]),
                "email": f"{rng.randrange(10**6)}@example.org",
            }
        made.append({"unique_id": number, **{k: v for k, v in person.items() if k != "unique_id"}})
    return pa.Table.from_pylist(made)


@pytest.mark.filterwarnings("default")  # Splink's own
@pytest.mark.parametrize("datasets", [1, 2])
def test_records_are_clustered_as_by_a_linker(splink: Any, db_api: Any, datasets: int) -> None:
    """A model with exact comparisons, whose predictions both cluster."""
    import splink.comparison_library as cl
    from splink import Linker, SettingsCreator, block_on

    tables = [people(1), people(1, first=100)][:datasets]
    names = ["people", "customers"][:datasets]
    settings = SettingsCreator(
        link_type="dedupe_only" if datasets == 1 else "link_and_dedupe",
        comparisons=[cl.ExactMatch(c) for c in ("first_name", "surname", "dob", "city", "email")],
        blocking_rules_to_generate_predictions=[block_on("surname"), block_on("dob")],
    )
    given = [db_api.register(t, dataset_display_name=n) for t, n in zip(tables, names, strict=True)]
    linker = Linker(given, settings)
    predicted = linker.inference.predict()
    theirs = linker.clustering.cluster_pairwise_predictions_at_threshold(predicted, 0.5)
    source = "source_dataset" if datasets == 2 else None
    labelled = [
        t.append_column("source_dataset", pa.array([n] * len(t))) for t, n in zip(tables, names, strict=True)
    ]
    records = pa.concat_tables(labelled) if source else tables[0]
    ours = cluster_records(records, predicted, 0.5, source_dataset_column_name=source, db_api=db_api)
    one, other = (t.as_pyarrow_table() for t in (ours, theirs))
    assert one.column_names == other.column_names
    assert sorted(map(str, one.to_pylist())) == sorted(map(str, other.to_pylist()))
    assert 20 < len(set(one["cluster_id"].to_pylist())) < 0.95 * one.num_rows


# -- one to one --------------------------------------------------------------------------------------


def linked(seed: int) -> tuple[pa.Table, pa.Table, list[str]]:
    """Return records of some data sets, links between them with ties, and which are free of duplicates."""
    rng = random.Random(seed)
    datasets = ["a", "b", "c", "d"][: rng.choice([2, 3, 4])]
    ids = [(rng.choice(datasets), i) for i in range(rng.choice([4, 8, 16, 30]))]
    links = [
        [*rng.sample(ids, 2), rng.choice([0.5, 0.7, 0.9, rng.random()])]
        for _ in range(len(ids) * rng.choice([1, 2]))
    ]
    names = ["source_dataset_l", "unique_id_l", "source_dataset_r", "unique_id_r", "match_probability"]
    columns = zip(*((*one, *other, score) for one, other, score in links), strict=True)
    of_records = zip(*ids, strict=True)
    return (
        pa.table(dict(zip(["source_dataset", "unique_id"], of_records, strict=True))),
        pa.table(dict(zip(names, columns, strict=True))),
        rng.sample(datasets, rng.randrange(1, len(datasets) + 1)),
    )


def with_their_ids(table: pa.Table, end: str = "") -> list[str]:
    parts = (table.column(name + end).to_pylist() for name in ("source_dataset", "unique_id"))
    return [f"{dataset}-__-{id}" for dataset, id in zip(*parts, strict=True)]


def check_one_to_one(seed: int, db_api: Any) -> None:
    """Compare with the function that the linker's method calls."""
    from splink.internals.one_to_one_clustering import one_to_one_clustering

    records, links, free = linked(seed)
    ids, sets = with_their_ids(records), records.column("source_dataset")
    nodes = db_api.register(pa.table({"node_id": ids, "source_dataset": sets}))
    ends = {f"node_id_{end}": with_their_ids(links, f"_{end}") for end in "lr"}
    edges = db_api.register(pa.table({**{c: links.column(c) for c in links.column_names}, **ends}))
    columns = "node_id", "source_dataset", "node_id_l", "node_id_r"
    for ties in ("lowest_id", "drop"):
        for threshold in (0.0, 0.6):
            table = one_to_one_clustering(nodes, edges, *columns, free, ties, db_api, threshold)
            theirs = {row["node_id"]: row["cluster_id"] for row in table.as_record_list()}
            found = cluster_using_single_best_links(records, links, free, threshold, ties_method=ties)
            assert dict(zip(ids, found.column("cluster_id").to_pylist(), strict=True)) == theirs, (seed, ties)


@pytest.mark.parametrize("seed", range(10))
def test_single_best_links_are_splinks(splink: Any, db_api: Any, seed: int) -> None:
    check_one_to_one(seed, db_api)


@pytest.mark.exhaustive
def test_single_best_links_of_a_thousand_graphs_are_splinks(splink: Any, db_api: Any) -> None:
    for seed in range(1000):
        check_one_to_one(seed, db_api)


@pytest.mark.parametrize("ties", ["lowest_id", "drop"])
def test_at_most_one_record_of_a_data_set(ties: str) -> None:
    for seed in range(50):
        records, links, free = linked(seed)
        found = cluster_using_single_best_links(records, links, free, ties_method=ties)
        assert found.column_names == ["cluster_id", *records.column_names]
        for name in free:
            kept = found.filter(pa.compute.equal(found.column("source_dataset"), name))
            assert len(set(kept.column("cluster_id").to_pylist())) == len(kept)


def test_a_tie_is_broken_or_dropped() -> None:
    records = pa.table({"source_dataset": ["a", "b", "b"], "unique_id": [1, 1, 2]})
    links = pa.table(
        {
            "source_dataset_l": ["a", "a"],
            "unique_id_l": [1, 1],
            "source_dataset_r": ["b", "b"],
            "unique_id_r": [1, 2],
            "match_probability": [0.9, 0.9],
        }
    )
    found = [
        cluster_using_single_best_links(records, links, ["b"], ties_method=ties)["cluster_id"].to_pylist()
        for ties in ("lowest_id", "drop")
    ]
    assert found == [["a-__-1", "a-__-1", "b-__-2"], ["a-__-1", "b-__-1", "b-__-2"]]


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"ties_method": "first"}, "ties_method='first'"),
        ({"duplicate_free_datasets": "a"}, "give a list of data sets"),
        ({"duplicate_free_datasets": []}, "give a list of data sets"),
        ({"source_dataset_column_name": "origin"}, "no column 'origin'"),
    ],
)
def test_links_that_cannot_be_taken(options: dict[str, Any], match: str) -> None:
    records, links, free = linked(1)
    with pytest.raises(pj.TableError, match=match):
        cluster_using_single_best_links(records, links, **{"duplicate_free_datasets": free, **options})
