"""Components of at most some size are subtrees of the tree of merges, as a search by hand finds them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest

import pointerjump as pj
from pointerjump.accel.runtime.devices import devices

ANYWHERE = None if any(device.works for device in devices()) else "reference"
Row = tuple[Any, Any, Any]


def by_hand(rows: Sequence[Row], most: int) -> dict[Any, Any]:
    """Merge the sides of the best pair first, and name each id's largest cluster within the cap."""
    cluster = {id: frozenset([id]) for *pair, _ in rows for id in pair}
    capped = dict(cluster)
    for one, other, _ in sorted(rows, key=lambda row: (-row[2], min(row[:2]), max(row[:2]))):
        merged = cluster[one] | cluster[other]
        for id in merged:
            cluster[id] = merged
            if len(merged) <= most:
                capped[id] = merged
    return {id: min(ids) for id, ids in capped.items()}


def table_of(rows: Sequence[Row]) -> pa.Table:
    left, right, score = zip(*rows, strict=True)
    return pa.table({"left": left, "right": right, "score": score})


@pytest.mark.parametrize("where", dict.fromkeys([ANYWHERE, "reference"]))
@pytest.mark.parametrize("scores", [(0.5, 0.7, 0.9), (1, 2), None])
@pytest.mark.parametrize("seed", range(4))
def test_as_by_hand_in_any_order_of_rows(seed: int, scores: Any, where: str | None) -> None:
    rng = random.Random(seed)
    name = rng.choice(["id {:02}".format, int])
    rows = [
        (name(rng.randrange(40)), name(rng.randrange(40)), rng.choice(scores) if scores else rng.random())
        for _ in range(60)
    ]
    for most in (1, 2, 3, 7, 20, 40):
        expected = by_hand(rows, most)
        for _ in range(2):
            rng.shuffle(rows)
            turned = [
                (other, one, score) if rng.random() < 0.5 else (one, other, score)
                for one, other, score in rows
            ]
            c = pj.components(table_of(turned), score="score", max_size=most, device=where)
            found = c.table().to_pylist()
            assert {row["id"]: row["component"] for row in found} == expected
            assert max(row["size"] for row in found) <= most
    whole = pj.components(table_of(rows), device=where).table().to_pylist()
    assert {row["id"]: row["component"] for row in whole} == expected  # no component has more than 40


def test_nodes_conditions_and_numbers_as_labels() -> None:
    rows = table_of([("a", "b", 0.9), ("c", "d", 0.2)])
    c = pj.components(
        rows,
        score="score",
        max_size=5,
        nodes=["z"],
        where=("score", ">", 0.5),
        labels="consecutive",
        device=ANYWHERE,
    )
    assert c.table().to_pydict() == {"id": ["a", "b", "z"], "component": [0, 0, 1], "size": [2, 2, 1]}
    nothing = pj.components(rows.slice(2), score="score", max_size=1, device=ANYWHERE)
    assert nothing.count == 0


def test_split_components_say_how_to_ask_why() -> None:
    capped = pj.components(table_of([("a", "b", 0.9)]), score="score", max_size=1, device=ANYWHERE)
    with pytest.raises(pj.GraphError, match="if max_size split components, leave it out and ask again"):
        capped.why("a", "b")


def test_an_error_names_the_row_of_the_table() -> None:
    rows = pa.table({"left": ["y", "a"], "right": ["z", "b"], "score": pa.array([2**63, 1], pa.uint64())})
    with pytest.raises(pj.GraphError, match=r"weights\[0\] is 9223372036854775808"):
        pj.components(rows, score="score", max_size=2, device=ANYWHERE)


def test_a_dendrogram_is_cut_by_size() -> None:
    h = pj.single_linkage(([0, 1, 2, 3], [1, 2, 3, 4]), [1, 5, 1, 2], device=ANYWHERE)
    cuts = [h.cut(max_size=most).tolist() for most in (1, 2, 3, 5)]
    assert cuts == [[0, 1, 2, 3, 4], [0, 0, 1, 1, 2], [0, 0, 1, 1, 1], [0] * 5]
    for options, match in (
        ({"max_size": 0}, "at least 1 vertex"),
        ({"max_size": 2, "count": 3}, "either height="),
    ):
        with pytest.raises(pj.GraphError, match=match):
            h.cut(**options)


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"max_size": 3}, pj.TableError, "score and max_size go together"),
        ({"score": "score"}, pj.TableError, "score and max_size go together"),
        ({"score": "score", "max_size": 0}, pj.GraphError, "at least 1 vertex"),
        ({"score": "score", "max_size": 2.5}, pj.GraphError, "whole number"),
        ({"score": "points", "max_size": 3}, pj.TableError, "no column 'points'"),
        ({"score": "score", "max_size": 3, "algorithm": "ecl-cc"}, pj.GraphError, "leave out algorithm"),
        ({"score": "score", "max_size": 3, "vertices": 3}, pj.GraphError, "vertices=3"),
        ({"score": "score", "max_size": 3, "labels": "names"}, pj.AlgorithmError, "labels='names'"),
    ],
)
def test_what_cannot_be_capped(options: dict[str, Any], error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        pj.components(table_of([("a", "b", 0.9)]), **options)
