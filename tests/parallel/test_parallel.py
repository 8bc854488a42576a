"""Forests of parts of a table, and the steps of large-star and small-star, one at a time."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pointerjump as pj
from pointerjump.errors import TableError
from pointerjump.graphs import parallel
from pointerjump.graphs.parallel import PartForest, merged_forest, part_forests
from pointerjump.tables.open import Roles

ROLES = Roles("a", "b")

pairs_of = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=60)
cuts_of = st.lists(st.integers(0, 60), max_size=6)


def table(pairs: Any, dtype: Any = np.int64) -> pa.Table:
    pairs = np.array(pairs, np.int64).reshape(-1, 2)
    return pa.table({"a": pairs[:, 0].astype(dtype), "b": pairs[:, 1].astype(dtype)})


def divided(whole: pa.Table, cuts: list[int]) -> list[pa.Table]:
    ends = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    return [whole.slice(begin, end - begin) for begin, end in itertools.pairwise(ends)]


def forest_of(*tables: Any) -> PartForest:
    (forest,) = part_forests(tables, ROLES)
    return forest


def joined(forest: PartForest) -> set[frozenset[Any]]:
    members: dict[int, set[Any]] = {}
    for id, root in zip(forest.ids.to_pylist(), forest.root.tolist(), strict=True):
        members.setdefault(root, set()).add(id)
    return {frozenset(each) for each in members.values()}


# -- forests of parts ------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, str])
@given(pairs=pairs_of, cuts=cuts_of, at_a_time=st.integers(2, 4))
def test_forests_are_merged_in_any_grouping(
    dtype: Any, pairs: list[tuple[int, int]], cuts: list[int], at_a_time: int
) -> None:
    """Every root is the smallest id of its component, at every level."""
    whole = table(pairs, dtype)
    forests = [forest_of(each) for each in divided(whole, cuts)]
    while len(forests) > 1:
        forests = [merged_forest(forests[i : i + at_a_time]) for i in range(0, len(forests), at_a_time)]
        for each in forests:
            assert {each.ids[root].as_py() for root in each.root} == {min(one) for one in joined(each)}
    found = forests[0].pairs().rename_columns(["id", "component"])
    expected = pj.components(whole, source="a", target="b").table().select(["id", "component"])
    assert found.sort_by("id").to_pydict() == expected.sort_by("id").to_pydict()


@pytest.mark.parametrize("rows", [300, 90_000], ids=["few", "many"])
def test_a_part_becomes_as_many_forests_as_memory_allows(rows: int) -> None:
    whole = table(np.random.default_rng(8).integers(0, rows, (6 * rows, 2)))
    tables = divided(whole, [rows * i for i in range(1, 6)])
    (one,) = part_forests(tables, ROLES, memory=1 << 40)
    assert joined(one) == joined(forest_of(whole))
    each = list(part_forests(tables, ROLES, memory=0))
    assert [joined(some) for some in each] == [joined(forest_of(some)) for some in tables]
    few = list(part_forests(tables, ROLES, memory=50 * rows))
    assert 1 < len(few) < 6
    assert joined(merged_forest(few)) == joined(one)


def test_the_order_of_rows_does_not_matter_to_a_forest_in_order_of_ids() -> None:
    """Tasks read shares of a forest that may be made again."""
    whole = table(np.random.default_rng(3).integers(0, 50, (40, 2)))
    for rows in (whole, whole.cast(pa.schema([("a", pa.string()), ("b", pa.string())]))):
        both = rows, rows.take(list(range(39, -1, -1)))
        one, other = (parallel.in_order_of_ids(forest_of(each)) for each in both)
        assert one.ids.equals(other.ids)
        assert np.array_equal(one.root, other.root)
        assert joined(one) == joined(forest_of(rows))


def test_an_id_of_eight_bytes_travels_as_twelve() -> None:
    forest = forest_of(table([(1, 2), (3, 4), (2, 3)]))
    assert (len(forest.ids), forest.nbytes) == (4, 48)


def test_ids_of_several_types_are_refused_unless_there_are_none() -> None:
    def alone(ids: Any) -> PartForest:
        return PartForest(ids, np.arange(len(ids), dtype=np.int32))

    some, others, none = pa.array(["x"]), pa.array([b"x"]), pa.array([], pa.null())
    assert merged_forest([alone(none), alone(some)]).ids.to_pylist() == ["x"]
    assert merged_forest([alone(none), alone(none)]).ids.to_pylist() == []
    with pytest.raises(TableError, match="string in one part of the table, and binary in another: cast"):
        merged_forest([alone(some), alone(none), alone(others)])


def test_frames_of_pandas_are_parts_too() -> None:
    frame = pd.DataFrame({"a": ["x", "y"], "b": ["y", "z"]})
    assert joined(forest_of(frame, frame)) == {frozenset("xyz")}


# -- stars -----------------------------------------------------------------------------------------


stars = pytest.importorskip("pointerjump.dask.stars", reason="dask is not installed")


def components_by_stars(edges: pa.Table, places: int) -> tuple[dict[Any, Any], int]:
    """Return the component of each id that has edges, and the number of rounds."""

    def exchanged(rows: pa.Table) -> list[pa.Table]:
        place = pd.util.hash_array(rows["id"].to_numpy(zero_copy_only=False)) % np.uint64(places)
        return [rows.filter(pa.array(place == each)) for each in range(places)]

    def step(rows: list[pa.Table], work: Any) -> pa.Table:
        return pa.concat_tables([work(each) for each in rows])

    rounds = 0
    while True:
        seen = exchanged(stars.both_ways(edges))
        if not sum(stars.crooked(each) for each in seen):
            return dict(zip(edges["id"].to_pylist(), edges["neighbor"].to_pylist(), strict=True)), rounds
        edges = step(exchanged(step(seen, stars.large_star)), stars.small_star)
        rounds += 1
        assert rounds < 100


def edges_of(parts: list[pa.Table]) -> pa.Table:
    """Return the edges of forests. A root's edge to itself must not matter."""
    return pa.concat_tables([forest_of(each).pairs().rename_columns(["id", "neighbor"]) for each in parts])


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, str])
@settings(max_examples=30)
@given(pairs=pairs_of, places=st.integers(1, 4))
def test_stars(dtype: Any, pairs: list[tuple[int, int]], places: int) -> None:
    whole = table(pairs, dtype)
    found, _ = components_by_stars(edges_of(divided(whole, list(range(0, 60, 4)))), places)
    expected = pj.components(whole, source="a", target="b").table().to_pylist()
    for row in expected:
        assert found.get(row["id"], row["id"]) == row["component"]


def test_stars_of_a_path_take_few_rounds() -> None:
    order = np.random.default_rng(9).permutation(1000)
    path = table(np.column_stack([order[:-1], order[1:]]))
    found, rounds = components_by_stars(edges_of(divided(path, list(range(0, 1000, 10)))), 3)
    assert set(found.values()) == {0}
    assert 1 < rounds <= 12


def test_what_is_not_a_star_yet() -> None:
    def left(*edges: tuple[int, int]) -> int:
        return stars.crooked(
            stars.both_ways(pa.table({"id": [e[0] for e in edges], "neighbor": [e[1] for e in edges]}))
        )

    assert left((5, 1), (3, 1), (8, 7)) == 0
    assert left((5, 1), (5, 1)) == 0, "an edge may come twice"
    assert left((5, 3), (3, 1)) == 1, "3 has a smaller neighbor and a larger one"
    assert left((5, 1), (5, 3)) == 1, "5 has two smaller neighbors"


def test_sizes_of_components() -> None:
    rows = pa.table({"id": [1, 2, 3], "neighbor": [1, 1, 3]})
    assert stars.sized(rows)["size"].to_pylist() == [2, 2, 1]
    assert stars.sized(rows.slice(0, 0)).num_rows == 0
