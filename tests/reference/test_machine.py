"""The machine the references run on: its orders are permutations, its stale reads are what a cell held."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointerjump.reference.machine import CURRENT, ORDERS, Cells, Machine
from pointerjump.reference.vocabulary import compare_and_swap, fetch_min, in_parallel, newest, phase, shared


@pytest.mark.parametrize("order", ORDERS)
@given(k=st.integers(1, 70), workers=st.integers(1, 9), seed=st.integers(0, 99))
def test_every_order_takes_every_item_once(order: str, k: int, workers: int, seed: int) -> None:
    steps = list(ORDERS[order](k, workers, Random(seed)))
    assert sorted(position for _, position in steps) == list(range(k))
    assert {worker for worker, _ in steps} <= set(range(workers))


def test_partitions_are_runs_and_strides_are_not() -> None:
    for order in ("forward", "reverse", "chunks", "uneven"):
        mine = sorted(position for worker, position in ORDERS[order](100, 8, Random(1)) if worker == 3)
        assert mine == list(range(mine[0], mine[-1] + 1)), order
    assert [p for w, p in ORDERS["striding"](20, 8, Random(1)) if w == 3] == [3, 11, 19]


def test_without_a_machine_nothing_is_wrapped() -> None:
    items = range(5)
    assert in_parallel(items) is items
    assert type(shared("a", [1, 2])) is list
    phase("nothing")
    assert CURRENT.get() is None


def test_accesses_are_counted_by_phase_and_array() -> None:
    with Machine(trace=True, workers=2) as machine:
        phase("one")
        a = shared("a", [5, 6, 7, 8])
        for i in in_parallel(range(4)):
            a[i] = a[i] + 1
        phase("two")
        compare_and_swap(a, 0, 6, 9)
        compare_and_swap(a, 0, 6, 9)
        fetch_min(a, 1, 3)
        assert a[:2] == [9, 3]
    assert machine.reads == {("one", "a"): 4, ("two", "a"): 3}
    assert machine.writes == {("one", "a"): 4, ("two", "a"): 2}
    assert machine.items == {"one": 4}
    assert machine.phases == ["one", "two"]
    assert machine.rounds("one") == 1
    assert machine.accesses[:2] == [("a", 0, "one", 0), ("a", 0, "one", 0)]
    assert machine.accesses[-3:] == [("a", 0, "two", 0), ("a", 1, "two", 0), ("a", 1, "two", 0)]
    assert {worker for _, _, name, worker in machine.accesses if name == "one"} == {0, 1}


def test_hooks_see_writes_and_phases() -> None:
    writes: list[tuple[str, int, int, int]] = []
    states: list[tuple[str, list[int]]] = []
    with Machine(
        on_write=lambda cells, at, old, new: writes.append((cells.name, at, old, new)),
        after_phase=lambda name, arrays: states.append((name, list(arrays["a"]))),
    ):
        a = shared("a", [0, 0])
        phase("first")
        a[0] = 1
        phase("second")
        a[1] = 2
    assert writes == [("a", 0, 0, 1), ("a", 1, 0, 2)]
    assert states == [("first", [1, 0]), ("second", [1, 2])]


def values_read(seed: int) -> set[int]:
    """What the last iteration reads plainly of a cell that four others have written."""
    seen: set[int] = set()
    with Machine(stale=True, seed=seed):
        a = shared("a", [0])
        for i in in_parallel(range(5)):
            if i < 4:
                a[0] = i + 1
            else:
                seen |= {a[0] for _ in range(20)}
                assert newest(a, 0) == 4
                assert compare_and_swap(a, 0, 4, 4) == 4
        assert a[0] == 4, "a later kernel sees what earlier ones wrote"
    return seen


def test_stale_reads_return_what_the_cell_held_in_this_kernel() -> None:
    assert set.union(*(values_read(seed) for seed in range(5))) == {0, 1, 2, 3, 4}


def test_an_iteration_sees_its_own_writes() -> None:
    with Machine(stale=True):
        a = shared("a", [0] * 10)
        for i in in_parallel(range(10)):
            a[i] = 7
            assert all(a[i] == 7 for _ in range(20))


def test_stale_reads_never_reach_back_before_the_kernel() -> None:
    with Machine(stale=True):
        a = shared("a", [0])
        for _ in in_parallel(range(3)):
            a[0] += 0
        a[0] = 5
        for _ in in_parallel(range(30)):
            assert a[0] == 5


def test_the_machine_before_is_put_back() -> None:
    with Machine() as outer:
        with pytest.raises(ZeroDivisionError), Machine():
            _ = 1 / 0
        assert CURRENT.get() is outer
        assert isinstance(shared("a", [1]), Cells)
    assert CURRENT.get() is None


def test_leaving_a_loop_early_ends_its_kernel() -> None:
    with Machine(stale=True):
        a = shared("a", [0])
        for _ in in_parallel(range(3)):
            a[0] = 1
            break
        for _ in in_parallel(range(20)):
            assert a[0] == 1


def test_unknown_order() -> None:
    with pytest.raises(KeyError):
        Machine("sideways")


def test_without_counting_arrays_are_lists() -> None:
    with Machine(counting=False) as machine:
        phase("one")
        a = shared("a", [1, 2])
        for i in in_parallel(range(2)):
            a[i] = 5
    assert type(a) is list
    assert machine.arrays["a"] is a
    assert machine.items == {"one": 2}
    assert not machine.reads
