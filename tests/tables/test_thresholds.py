"""Components at several thresholds are those of as many runs alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device
from pointerjump.ids import interning as face_ids

PAIRS = pa.table(
    {
        "left": ["dee", "bob", "cal", "ann"],
        "right": ["bob", "ann", "eve", "cal"],
        "score": [0.99, 0.95, 0.9, 0.2],
    }
)

SCORES = st.sampled_from([0.1, 0.5, 0.75, 0.9, 1.0])


def _alone(pairs: pa.Table, threshold: float, nodes: list[Any]) -> dict[Any, Any]:
    found = pj.components(
        pairs,
        source="left",
        target="right",
        where=("score", ">=", threshold),
        nodes=nodes,
        device="reference",
    )
    table = found.table()
    return dict(zip(table["id"].to_pylist(), table["component"].to_pylist(), strict=True))


@settings(max_examples=40)
@given(
    rows=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), SCORES), max_size=12),
    thresholds=st.lists(st.sampled_from([0.0, 0.5, 0.7, 0.9, 1.0, 2.0]), min_size=1, max_size=4, unique=True),
    type=st.sampled_from([pa.float64(), pa.float32()]),
)  # fmt: skip
def test_each_threshold_is_a_run_of_its_own(
    rows: list[tuple[int, int, float]], thresholds: list[float], type: pa.DataType
) -> None:
    left, right, scores = ([row[i] for row in rows] for i in range(3))
    pairs = pa.table(
        {
            "left": pa.array(left, pa.int64()),
            "right": pa.array(right, pa.int64()),
            "score": pa.array(scores, type),
        }
    )
    found = pj.components_at(pairs, thresholds=thresholds, device="reference")
    table = found.table()
    assert table.column_names == ["id", *(f"component_{threshold}" for threshold in thresholds)]
    ids = table["id"].to_pylist()
    assert ids == sorted({*left, *right})
    for threshold in thresholds:
        alone = _alone(pairs, threshold, ids) if ids else {}
        assert dict(zip(ids, table[f"component_{threshold}"].to_pylist(), strict=True)) == alone
        assert found.at(threshold).count == len(set(alone.values()))


def test_on_a_device(device: Device) -> None:
    rng = np.random.default_rng(1)
    left, right = (rng.integers(0, 2000, 3000) for _ in range(2))
    pairs = pa.table({"left": left, "right": right, "score": rng.random(3000)})
    found = pj.components_at(pairs, thresholds=[0.3, 0.8], device=device.device)
    ids = found.ids.to_pylist()
    for threshold in (0.3, 0.8):
        one = found.at(threshold).table()
        assert dict(zip(one["id"].to_pylist(), one["component"].to_pylist(), strict=True)) == _alone(
            pairs, threshold, ids
        )


@pytest.mark.one_device
@pytest.mark.parametrize("type", [pa.string(), pa.int64(), pa.int32()], ids=str)
def test_many_ids_are_numbered_on_the_device(
    type: pa.DataType, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(2)
    left, right, nodes = (pa.array(rng.integers(0, 900, many)).cast(type) for many in (800, 800, 300))
    pairs = pa.table({"left": left, "right": right, "score": rng.random(800)})
    by_library = pj.components_at(pairs, nodes=nodes, thresholds=[0.3, 0.8], device=device.device).table()
    monkeypatch.setattr(face_ids, "FEW_IDS", 0)
    monkeypatch.setattr(face_ids, "numbered_by_library", None)
    assert (
        pj.components_at(pairs, nodes=nodes, thresholds=[0.3, 0.8], device=device.device).table()
        == by_library
    )


def test_the_kind_that_came_in_comes_back() -> None:
    pl = pytest.importorskip("polars")
    found = pj.components_at(pl.from_arrow(PAIRS), nodes=["zoe"], device="reference").table()
    assert found.rows() == [
        ("ann", "ann", "ann", "ann"), ("bob", "bob", "ann", "ann"), ("cal", "cal", "cal", "cal"),
        ("dee", "bob", "ann", "ann"), ("eve", "eve", "eve", "cal"), ("zoe", "zoe", "zoe", "zoe"),
    ]  # fmt: skip
    assert found.columns == ["id", "component_0.99", "component_0.95", "component_0.9"]


def test_conditions_hold_for_every_threshold() -> None:
    found = pj.components_at(PAIRS, where=("left", "!=", "bob"), thresholds=[0.9], device="reference")
    assert found.at(0.9).count == 3


def test_scores_may_be_integers_or_decimals() -> None:
    for scores in (pa.array([99, 95, 90, 20]), pa.array([99, 95, 90, 20]).cast(pa.decimal128(21, 2))):
        found = pj.components_at(PAIRS.set_column(2, "score", scores), thresholds=[95], device="reference")
        assert (found.table().column_names, found.at(95).count) == (["id", "component_95"], 3)


@pytest.mark.parametrize(("score", "type"), [(2**53 + 3, pa.int64()), (2**64 - 1, pa.uint64())])
def test_integers_are_compared_exactly(score: int, type: pa.DataType) -> None:
    pairs = pa.table({"left": ["a"], "right": ["b"], "score": pa.array([score], type)})
    found = pj.components_at(pairs, thresholds=[score + 1, score, 0.5, -np.inf], device="reference")
    assert [found.at(cut).count for cut in found.thresholds] == [2, 1, 1, 1]


def test_a_threshold_beyond_the_range_of_scores() -> None:
    scores = pa.array([np.inf, 3e38, 1, -np.inf], pa.float32())
    found = pj.components_at(PAIRS.set_column(2, "score", scores), thresholds=[1e300, 1], device="reference")
    assert [found.at(1e300).count, found.at(1).count] == [4, 2]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"score": "scores"}, "has no column 'scores': .*did you mean 'score'"),
        ({"score": "left"}, "'left' is named twice"),
        ({"thresholds": []}, "give one number or more, each only once"),
        ({"thresholds": [0.9, 0.9]}, "each only once"),
        ({"thresholds": [float("nan")]}, "give one number or more"),
        ({"thresholds": 0.9}, "thresholds=0.9: give a list of numbers"),
        ({"thresholds": ["high"]}, "give a list of numbers"),
        ({"source": "left"}, "target= is not"),
    ],
    ids=str,
)
def test_what_cannot_be_asked_is_one_clear_error(asked: dict[str, Any], says: str) -> None:
    with pytest.raises(pj.TableError, match=says):
        pj.components_at(PAIRS, device="reference", **asked)


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        ([0.9, None, 0.9, 0.9], "column 'score' has no score in row 1: leave such rows out, with where="),
        ([0.9, 0.9, float("nan"), 0.9], "has no score in row 2"),
        (["a"] * 4, "column 'score' holds string, but scores are numbers"),
        ([True] * 4, "holds bool, but scores are numbers"),
    ],
    ids=str,
)
def test_scores_that_are_missing_are_named(scores: list[Any], says: str) -> None:
    with pytest.raises(pj.TableError, match=says):
        pj.components_at(PAIRS.set_column(2, "score", pa.array(scores)), device="reference")


def test_only_thresholds_that_were_asked_for_have_components() -> None:
    found = pj.components_at(PAIRS, thresholds=[0.9], device="reference")
    with pytest.raises(pj.TableError, match=r"there is no threshold 0\.5: there are \[0\.9\]"):
        found.at(0.5)
