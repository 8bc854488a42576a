"""The steps by which components of a table in parts are found, one at a time."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pointerjump as pj
from pointerjump.errors import TableError
from pointerjump.id_bytes import IdBytes, IdKind
from pointerjump.parts import claims, forests, sightings, stars
from pointerjump.parts.facts import Facts
from pointerjump.parts.forests import PartForest
from pointerjump.parts.id_hashes import hashes
from pointerjump.tables.roles import Roles

ROLES = Roles("a", "b")

pairs_of = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=60)
cuts_of = st.lists(st.integers(0, 60), max_size=6)


def table(pairs: Any, dtype: Any = np.int64) -> pa.Table:
    pairs = np.array(pairs, np.int64).reshape(-1, 2)
    return pa.table({"a": pairs[:, 0].astype(dtype), "b": pairs[:, 1].astype(dtype)})


def divided(whole: pa.Table, cuts: list[int]) -> list[pa.Table]:
    ends = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    return [whole.slice(begin, end - begin) for begin, end in itertools.pairwise(ends)]


def seen_by(parts: list[PartForest]) -> sightings.Sightings:
    sample = sightings.merged_samples([sightings.sample_of(part.ids) for part in parts])
    return sightings.merged_sightings([sightings.sightings_of(part.ids, sample.bits) for part in parts])


def joined(forest: PartForest) -> set[frozenset[Any]]:
    members: dict[int, set[Any]] = {}
    for id, root in zip(forest.ids.to_pylist(), forest.root.tolist(), strict=True):
        members.setdefault(root, set()).add(id)
    return {frozenset(each) for each in members.values()}


# -- hashes and samples ----------------------------------------------------------------------------


def test_hashes_depend_on_every_byte() -> None:
    rng = np.random.default_rng(4)
    ids = sorted({bytes(rng.integers(0, 256, n, dtype=np.uint8)) for n in range(40) for _ in range(50)})
    ids = sorted({*ids, b"", b"\0", b"\0\0", b"\0" * 8, b"\0" * 9})
    found = hashes(IdBytes.of(IdKind(), ids))
    assert len(np.unique(found)) == len(ids)
    shuffled = rng.permutation(len(ids))
    assert np.array_equal(hashes(IdBytes.of(IdKind(), [ids[i] for i in shuffled])), found[shuffled])
    some = IdBytes.of(IdKind(), ids).part(7, 90)
    assert np.array_equal(hashes(some), found[7:90])
    fixed = [id for id in ids if len(id) == 16]
    as_fixed = hashes(IdBytes.of(IdKind(16), fixed))
    assert np.array_equal(as_fixed, hashes(IdBytes.of(IdKind(), fixed)))


@pytest.mark.parametrize("type", [pa.int64(), pa.string(), pa.date32(), pa.binary(8)])
def test_hashes_of_long_arrays_are_those_of_their_slices(type: Any) -> None:
    numbers = pa.array(range(3 * sightings.AT_A_TIME // 2))
    if type == pa.binary(8):
        ids = pa.array([each.to_bytes(8) for each in numbers.to_pylist()], type)
    else:
        ids = numbers.cast(pa.int32()).cast(type) if type == pa.date32() else numbers.cast(type)
    found = sightings.hashes_of(ids)
    assert len(np.unique(found)) == len(ids)
    assert np.array_equal(found[100:200], sightings.hashes_of(ids[100:200]))


@pytest.mark.parametrize("ids", [0, 1, 4095, 4096, 4097, 300_000])
def test_a_sample_tells_about_how_many_ids_there_are_and_how_many_are_shared(ids: int) -> None:
    every, third = pa.array(range(ids)), pa.array(range(0, ids, 3))
    found = sightings.merged_samples(
        [sightings.sample_of(each) for each in (every, third, pa.array([], pa.int64()))]
    )
    assert abs(found.ids - ids) <= (0 if ids < sightings.SAMPLE else 0.1 * ids)
    assert abs(found.shared_ids - len(third)) <= (0 if ids < sightings.SAMPLE else 0.15 * len(third))
    assert found.bits >= 8 * found.ids
    assert found.bits.bit_count() == 1
    again = sightings.merged_samples([found, sightings.sample_of(every)])
    assert again.ids == found.ids
    assert again.shared_ids == again.ids


def test_if_nearly_all_ids_are_shared_all_travel() -> None:
    ids = pa.array(range(20_000))
    parts = [PartForest(ids, np.arange(20_000, dtype=np.int32))] * 2
    seen = seen_by(parts)
    assert seen.several(pa.array([-1, 5])).tolist() == [True, True]
    assert sightings.travelling(parts[0], seen).forest is parts[0]


# -- what travels ----------------------------------------------------------------------------------


@given(pairs_of, cuts_of)
def test_an_id_travels_if_several_parts_have_it(pairs: list[tuple[int, int]], cuts: list[int]) -> None:
    """Every id of several parts travels, as what it is joined with says; an id of eight bytes as twelve."""
    parts = [forests.part_forest([each], ROLES) for each in divided(table(pairs), cuts)]
    times = Counter(id for part in parts for id in part.ids.to_pylist())
    seen = seen_by(parts)
    for part in parts:
        forest, place = sightings.travelling(part, seen)
        assert forest.nbytes == 12 * len(forest.ids)
        assert forest.ids.to_pylist() == [id for id in part.ids.to_pylist() if times[id] > 1]
        assert part.ids.take(place).equals(forest.ids)
        sent = set(forest.ids.to_pylist())
        assert joined(forest) == {each & sent for each in joined(part)} - {frozenset()}


def test_hashes_that_collide_make_ids_travel_and_nothing_else() -> None:
    """With a single byte of bits nearly all ids seem to be in several parts."""
    whole = table(np.random.default_rng(7).integers(0, 400, (300, 2)))
    parts = [forests.part_forest([each], ROLES) for each in divided(whole, [100, 200])]
    seen = sightings.merged_sightings([sightings.sightings_of(part.ids, 8) for part in parts])
    rows = pa.concat_tables(tree(parts, seen))
    assert rows.sort_by("id").equals(pj.components(whole, source="a", target="b").table().sort_by("id"))


def tree(parts: list[PartForest], seen: sightings.Sightings) -> list[pa.Table]:
    """Return all rows of the result, by one merge."""
    sent = [sightings.travelling(part, seen) for part in parts]
    merge = forests.merged_forests([each.forest for each in sent])
    number = forests.component_numbers(merge.forest)
    down = [forests.passed_down(i, number, merge) for i in range(len(parts))]
    each_part = list(zip(parts, (each.place for each in sent), down, strict=True))
    claimed = claims.merged_claims([claims.claims_of(*each) for each in each_part])
    known = claims.settled(claimed, number)
    stayed = [claims.rows_that_stayed(*each, known.only(each[-1])) for each in each_part]
    return [*stayed, claims.rows_that_travelled(merge.forest, number, known)]


@given(pairs_of, cuts_of)
def test_claims_are_merged_a_few_at_a_time(pairs: list[tuple[int, int]], cuts: list[int]) -> None:
    """Few claims may be about components of large numbers."""
    rng = np.random.default_rng(len(pairs))
    of, ids = np.array(pairs, np.int32).T
    for type in (pa.int64(), pa.string()):
        every = claims.Claims(of, pa.array(ids).cast(type), rng.integers(0, 9, len(of)))
        ends = [0, *sorted(min(cut, len(of)) for cut in cuts), len(of)]
        some = [
            claims.merged_claims([claims.Claims(*(each[begin:end] for each in every))])
            for begin, end in itertools.pairwise(ends)
        ]
        one, other = claims.merged_claims([every]), claims.merged_claims(some)
        assert one.component.tolist() == other.component.tolist() == sorted(set(of.tolist()))
        assert one.id.equals(other.id)
        assert one.stayed.tolist() == other.stayed.tolist()
        named = dict(zip(one.component.tolist(), one.id.to_pylist(), strict=True))
        claimed = list(zip(of, every.id.to_pylist(), strict=True))
        assert named == {c: min(id for each, id in claimed if each == c) for c in named}


@given(pairs_of, cuts_of)
def test_the_steps_together(pairs: list[tuple[int, int]], cuts: list[int]) -> None:
    whole = table(pairs)
    parts = [forests.part_forest([each], ROLES) for each in divided(whole, cuts)]
    rows = pa.concat_tables(tree(parts, seen_by(parts))).sort_by("id")
    assert rows.equals(pj.components(whole, source="a", target="b").table().sort_by("id"))


# -- forests of parts ------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [300, 90_000], ids=["few", "many"])
def test_a_part_becomes_as_many_forests_as_memory_allows(rows: int) -> None:
    whole = table(np.random.default_rng(8).integers(0, rows, (6 * rows, 2)))
    tables = divided(whole, [rows * i for i in range(1, 6)])
    (one,) = forests.part_forests(tables, ROLES, 1 << 40)
    assert joined(one) == joined(forests.part_forest([whole], ROLES))
    each = forests.part_forests(tables, ROLES, 0)
    assert [joined(some) for some in each] == [joined(forests.part_forest([some], ROLES)) for some in tables]
    few = forests.part_forests(tables, ROLES, 50 * rows)
    assert 1 < len(few) < 6
    merged = forests.merged_forests(few).forest
    assert joined(merged) == joined(one)


def test_the_order_of_rows_does_not_matter_to_a_forest_in_order_of_ids() -> None:
    """Tasks remember places in a forest that may be made again."""
    whole = table(np.random.default_rng(3).integers(0, 50, (40, 2)))
    for rows in (whole, whole.cast(pa.schema([("a", pa.string()), ("b", pa.string())]))):
        both = rows, rows.take(list(range(39, -1, -1)))
        one, other = (forests.in_order_of_ids(forests.part_forest([each], ROLES)) for each in both)
        assert one.ids.equals(other.ids)
        assert np.array_equal(one.root, other.root)
        assert joined(one) == joined(forests.part_forest([rows], ROLES))


def test_ids_of_several_types_are_refused_unless_there_are_none() -> None:
    some, others, none = pa.array(["x"]), pa.array([b"x"]), pa.array([], pa.null())
    assert forests.concatenated([none, some]).to_pylist() == ["x"]
    with pytest.raises(TableError, match="string in one part of the table, and binary in another: cast"):
        forests.concatenated([some, others])


def test_facts_of_no_ids_and_of_some() -> None:
    none = PartForest(pa.array([], pa.null()), np.empty(0, np.int32))
    some = PartForest(pa.array([5, 6]), np.array([0, 0], np.int32))
    facts = Facts.merged([Facts.of(none), Facts.merged([Facts.of(none), Facts.of(some)])])
    assert (facts.ids, facts.types, facts.width) == ([0, 0, 2], [pa.int64()], 8)
    assert facts.needed_by_a_merge(8) == 9 * sightings.FEWEST_BITS // 4  # no id is shared
    quarter = np.arange(1, sightings.SAMPLE + 1, dtype=np.uint64) << np.uint64(50)
    everywhere = sightings.Sample(quarter, np.full(sightings.SAMPLE, 5))
    n = everywhere.ids
    assert n == everywhere.shared_ids == 4 * (sightings.SAMPLE - 1)
    all_travel = Facts([n] * 5, [pa.int64()], 8, everywhere)
    assert all_travel.needed_by_a_merge(8) == n * 52 + 5 * n * 24
    assert all_travel.needed_by_a_merge(2) == n * 52 + 2 * n * 24
    assert Facts.merged([Facts.of(none)]).types == [pa.null()]


# -- stars -----------------------------------------------------------------------------------------


def components_by_stars(edges: pa.Table, places: int) -> tuple[dict[Any, Any], int]:
    """Return the component of each id that has edges, and the number of rounds."""

    def exchanged(rows: pa.Table) -> list[pa.Table]:
        place = sightings.hashes_of(rows["id"].combine_chunks()) % np.uint64(places)
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
    return pa.concat_tables([stars.edges_of(forests.part_forest([each], ROLES)) for each in parts])


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


def test_frames_of_pandas_are_parts_too() -> None:
    frame = pd.DataFrame({"a": ["x", "y"], "b": ["y", "z"]})
    assert joined(forests.part_forest([frame, frame], ROLES)) == {frozenset("xyz")}
