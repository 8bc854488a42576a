"""What list kernels do beside ranking by default: scans, packings, launches, splitters that are given."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pyopencl.array as cl_array
import pytest
from conftest import BAD_LISTS, NASTY_LISTS, linked_lists, lists_from
from hypothesis import given, settings
from hypothesis import strategies as st
from test_kernels import cases, for_reference

import pointerjump as pj
from pointerjump.accel import random_splitter
from pointerjump.accel.residents.lists import IN_PLACE
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.session import Launch, Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.accel.successors import find_ends
from pointerjump.accel.tuning import TUNING
from pointerjump.reference import list_scan as reference
from pointerjump.registry import Algorithm, Variant, parse_variant
from pointerjump.solving.lists import DeviceList, HostLists, rank_lists
from pointerjump.solving.run import Instance, order

OPERATORS = ("add", "multiply", "min", "max")


@pytest.fixture
def no_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a scan fail that kernels should do and the reference does."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the reference ran")

    monkeypatch.setattr(reference, "list_scan", refuse)


@pytest.fixture
def wide_group(device: Device, monkeypatch: pytest.MonkeyPatch) -> int:
    """Let the one work-group have several work-items, on CPUs too; return how many."""
    session = session_for(device)
    monkeypatch.setattr(session, "tuning", dataclasses.replace(session.tuning, small_group=64))
    return 64


def scanned_by_reference(successors: np.ndarray, values: Any, operator: str, **variant: Any) -> np.ndarray:
    return pj.list_scan(successors, values, operator, device="reference", **variant)


def signed(count: int, most: int) -> np.ndarray:
    return np.random.default_rng(count).integers(-most, most, count, endpoint=True)


# -- scans -----------------------------------------------------------------------------------------


@pytest.mark.diagonal
@pytest.mark.parametrize(("algorithm", "variant"), cases("list-scan"))
def test_integers_are_scanned_as_by_the_reference(
    algorithm: Algorithm, variant: Variant, device: Device
) -> None:
    for name, successors in NASTY_LISTS.items():
        for operator in OPERATORS:
            values = signed(len(successors), 1 if operator == "multiply" else 1000)
            found = pj.list_scan(
                successors, values, operator, algorithm=algorithm.name, device=device, **variant
            )
            oracle = scanned_by_reference(successors, values, operator, **for_reference(algorithm, variant))
            assert found.dtype == oracle.dtype == np.int64
            np.testing.assert_array_equal(found, oracle, err_msg=f"{name}, {operator}")


@pytest.mark.parametrize("operator", OPERATORS)
def test_floats_are_scanned_as_by_the_reference(operator: str, device: Device, no_reference: None) -> None:
    rng = np.random.default_rng(5)
    accumulate: dict[str, Callable[..., Any]] = {"add": np.add, "multiply": np.multiply}
    for name, successors in NASTY_LISTS.items():
        values = rng.normal(1, 0.02, len(successors))
        found = pj.list_scan(successors, values, operator, device=device)
        combine = accumulate.get(operator) or {"min": min, "max": max}[operator]
        np.testing.assert_allclose(found, walked(successors, values, combine), rtol=1e-12, err_msg=name)


def walked(successors: np.ndarray, values: np.ndarray, combine: Callable[[Any, Any], Any]) -> np.ndarray:
    """Walk every list from its head."""
    result = values.copy()
    linked = successors != np.arange(len(successors))
    for j in set(range(len(values))) - set(successors[linked].tolist()):
        while successors[j] != j:
            before, j = j, successors[j]
            result[j] = combine(result[before], values[j])
    return result


@pytest.mark.parametrize("operator", OPERATORS)
@settings(max_examples=40)  # with each operator
@given(successors=linked_lists(), data=st.data())
def test_drawn_lists_of_drawn_values(
    operator: str, device: Device, successors: np.ndarray, data: st.DataObject
) -> None:
    """Any integers, past 64 bits too, and any floats whose results do not depend on how they are grouped."""
    whole = st.one_of(st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1))
    exact = st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0, 0.5, np.inf, -np.inf, np.nan])
    n = len(successors)
    splitters = data.draw(st.integers(0, 20))
    for element, dtype in ((whole, np.int64), (exact, np.float64)):
        values = np.array(data.draw(st.lists(element, min_size=n, max_size=n)), dtype)
        results = []
        for where in (device, "reference"):
            try:
                results.append(pj.list_scan(successors, values, operator, device=where, splitters=splitters))
            except pj.ListError as error:
                results.append(str(error))
        np.testing.assert_array_equal(*results)
        if dtype is np.float64:
            np.testing.assert_array_equal(*map(np.signbit, map(np.nan_to_num, results)))


@pytest.mark.parametrize("operator", ["min", "max"])
def test_nan_stays_on_every_device(operator: str, device: Device, no_reference: None) -> None:
    values = np.random.default_rng(3).random(1000)
    values[400] = np.nan
    expected = {"min": np.minimum, "max": np.maximum}[operator].accumulate(values)
    for splitters in (0, 1, 64, 1000):
        found = pj.list_scan(NASTY_LISTS["forwards"], values, operator, device=device, splitters=splitters)
        np.testing.assert_array_equal(found, expected)


def test_what_fits_64_bits_is_scanned_by_kernels(device: Device, no_reference: None) -> None:
    most = 2**63 - 1
    assert pj.list_scan([1, 1], [2**62, 2**62 - 1], device=device).tolist() == [2**62, most]
    assert pj.list_scan([1, 1], [-(2**62), -(2**62)], device=device).tolist() == [-(2**62), -most - 1]
    assert pj.list_scan([1, 1], [2**62, -2], "multiply", device=device).tolist() == [2**62, -most - 1]
    for dtype in (np.bool_, np.int8, np.uint64, np.float32):
        values = np.array([1, 0, 1], dtype)
        found = pj.list_scan([1, 2, 2], values, device=device)
        assert found.dtype == (np.float64 if dtype is np.float32 else np.int64)
        assert found.tolist() == [1, 1, 2]
    found = pj.list_scan([1, 1], np.arange(4)[::2], np.maximum, device=device)  # not contiguous
    assert found.tolist() == [0, 2]
    assert pj.list_scan([1, 1], [1.5, 2.5], np.multiply, device=device).tolist() == [1.5, 3.75]
    assert pj.list_scan([], [], device=device).tolist() == []


def test_what_passes_64_bits_is_left_to_the_reference(device: Device) -> None:
    for values, operator in (
        ([2**62, 2**62], "add"),
        ([-(2**62), -(2**62) - 1], "add"),
        ([2**62, 2], "multiply"),
        ([-(2**63), -1], "multiply"),
        ([-1, -(2**63)], "multiply"),
        ([2**33, 2**33], "multiply"),
        ([2**63, 0], "max"),
    ):
        with pytest.raises(pj.ListError, match="exceed 64 bits"):
            pj.list_scan([1, 1], values, operator, device=device)
    # The part from the second on passes them, no result does; the walk from splitter 1 has to see it.
    values = [-(2**62), 2**62, 2**62, 2**62 - 1, 0]
    found = pj.list_scan([1, 2, 3, 4, 4], values, device=device, splitters=5, access="striding")
    assert found.tolist() == [-(2**62), 0, 2**62, 2**63 - 1, 2**63 - 1]
    assert pj.list_scan([1, 1], [-1, 2**63], device=device).tolist() == [-1, 2**63 - 1]
    assert pj.list_scan([1, 1], np.array([0, 2**63 - 1], np.uint64), device=device)[1] == 2**63 - 1
    long_double = np.array([1, np.longdouble("1e-18")], np.longdouble)
    assert pj.list_scan([1, 1], long_double, "min", device=device)[1] == 1e-18


def test_what_devices_cannot_scan(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    for operator in (max, np.subtract):
        with pytest.raises(pj.AlgorithmError, match="know only the operators add, multiply, min, max: leave"):
            pj.list_scan([1, 1], [1, 2], operator, device=device)
    with pytest.raises(pj.AlgorithmError, match="devices scan only integers and floating-point numbers"):
        pj.list_scan([1, 1], ["a", "b"], device=device)
    assert pj.list_scan([1, 1], ["a", "b"]).tolist() == ["a", "ab"]

    monkeypatch.setattr("pointerjump.solving.lists.has_doubles", lambda session: False)
    with pytest.raises(pj.DeviceError, match="no 64-bit floating-point numbers: leave device out"):
        pj.list_scan([1, 1], [1.5, 2], device=device)
    assert pj.list_scan([1, 1], [1.5, 2]).tolist() == [1.5, 3.5]
    assert pj.list_scan([1, 1], [1, 2], device=device).tolist() == [1, 3]


def test_without_a_device_scans_are_serial(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_: object = None) -> None:
        raise pj.DeviceError("no OpenCL device")

    monkeypatch.setattr("pointerjump.solving.lists.session_for", none)
    assert pj.list_scan([1, 1], [1, 2]).tolist() == [1, 3]
    with pytest.raises(pj.DeviceError, match="no OpenCL device"):
        pj.list_scan([1, 1], [1, 2], device="gpu")


@pytest.mark.parametrize("name", BAD_LISTS)
@pytest.mark.parametrize("splitters", [0, 1, 64])
def test_scans_refuse_what_is_no_list(name: str, splitters: int, device: Device) -> None:
    values = np.ones(len(BAD_LISTS[name]), int)
    with pytest.raises(pj.ListError) as refused:
        pj.list_scan(BAD_LISTS[name], values, device=device, splitters=splitters)
    with pytest.raises(pj.ListError) as oracle:
        pj.list_rank(BAD_LISTS[name], device="reference")
    assert str(refused.value) == str(oracle.value)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 8, 100, 256, 2048, 3000])
@pytest.mark.parametrize("splitters", [0, 1, 64, 10_000])
def test_cycles_of_any_length_are_refused(length: int, splitters: int, device: Device) -> None:
    """Jumping as often as a power of two goes round comes back to where it began, as on a list."""
    beside = NASTY_LISTS["one of 4000"]
    cycle = np.roll(np.arange(length), 1) if length > 1 else np.array([1, 0])
    both = np.concatenate([beside, len(beside) + cycle])
    with pytest.raises(pj.ListError, match="on a cycle"):
        pj.list_scan(both, np.ones(len(both), int), "min", device=device, splitters=splitters)
    for algorithm, variant in (
        ("random-splitter", {"splitters": splitters}),
        ("random-splitter", {"splitters": splitters, "packing": "48-bit"}),
        ("rehman", {}),
    ):
        with pytest.raises(pj.ListError, match="on a cycle"):
            pj.list_rank(both, algorithm=algorithm, device=device, **variant)


# -- rankings --------------------------------------------------------------------------------------


def shuffled(n: int, lists: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return successors of `lists` lists of n elements in all, and their ranks."""
    order = np.random.default_rng(n).permutation(n)
    ends = np.arange(n) % (n // lists) == n // lists - 1
    ranks = np.empty(n, int)
    ranks[order] = n // lists - 1 - np.arange(n) % (n // lists)
    return lists_from(order, ends), ranks


@pytest.mark.parametrize("packing", ["64-bit", "none"])
@pytest.mark.parametrize("n", [63, 64, 65, 4096, 10_000])
def test_one_group_ranks_more_elements_than_it_has_work_items(
    packing: str, n: int, device: Device, wide_group: int
) -> None:
    successors, expected = shuffled(n)
    for access in ("striding", "partitioning"):
        ranks = pj.list_rank(
            successors, algorithm="wylie", device=device, packing=packing, launch="one", access=access
        )
        np.testing.assert_array_equal(ranks, expected)


@pytest.mark.parametrize(("n", "lists"), [(100_000, 1), (100_000, 1000), (99_999, 33_333), (257, 1)])
def test_rehman_over_several_levels(n: int, lists: int, device: Device, wide_group: int) -> None:
    successors, expected = shuffled(n, lists)
    for seed in (1, 2, 2**40):
        np.testing.assert_array_equal(
            pj.list_rank(successors, algorithm="rehman", device=device, seed=seed), expected
        )


@pytest.mark.parametrize("splitters", [0, 7, 1000, 65_533])
def test_marks_of_16_bits_name_up_to_65535_splitters(splitters: int, device: Device) -> None:
    successors, expected = shuffled(70_000)
    for choice in ("random", "even"):
        variant = {"splitters": splitters, "packing": "48-bit", "choice": choice}
        ranks = pj.list_rank(successors, algorithm="random-splitter", device=device, **variant)
        np.testing.assert_array_equal(ranks, expected)


def test_more_splitters_than_16_bits_name_are_refused_as_by_the_reference(device: Device) -> None:
    successors = np.arange(65_536, dtype=np.int32)
    errors = []
    for where in (device, "reference"):
        with pytest.raises(pj.AlgorithmError, match="packing=48-bit: there are 65536 splitters") as refused:
            pj.list_rank(successors, algorithm="random-splitter", device=where, splitters=0, packing="48-bit")
        errors.append(str(refused.value))
    assert errors[0] == errors[1]
    with pytest.raises(pj.AlgorithmError, match="there are 65536 splitters"):
        pj.list_rank(
            shuffled(70_000)[0],
            algorithm="random-splitter",
            device=device,
            splitters=65_534,
            packing="48-bit",
        )


def test_as_many_splitters_as_16_bits_name_by_default(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = session_for(device)
    one_each = dataclasses.replace(session.tuning, elements_per_splitter=1)
    monkeypatch.setattr(session, "tuning", one_each)
    successors, expected = shuffled(100_000)
    ranks, stats = rank_lists(
        order("list-ranking", "random-splitter", device, {"packing": "48-bit"}), HostLists(successors)
    )
    np.testing.assert_array_equal(ranks, expected)
    assert parse_variant(stats["variant"])["splitters"] == str(65_535 - 2)


@pytest.mark.parametrize("lists", [1, 10])
def test_even_splitters_are_even(lists: int, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: list[np.ndarray] = []
    evenly = random_splitter.evenly

    def keep(*arguments: Any) -> np.ndarray:
        chosen.append(evenly(*arguments))
        return chosen[-1]

    monkeypatch.setattr(random_splitter, "evenly", keep)
    successors, ranks = shuffled(10_000, lists)
    for choice in ("random", "even"):
        found = pj.list_rank(
            successors, algorithm="random-splitter", device=device, choice=choice, splitters=100
        )
        np.testing.assert_array_equal(found, ranks)
    distances = np.sort(ranks[chosen[0]])
    np.testing.assert_array_equal(distances, np.repeat(np.arange(0, 10_000 // lists, 100), lists))
    assert len(chosen) == 1


@pytest.mark.parametrize("kind", TUNING)
def test_sizes_for_another_kind_of_device(kind: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """One walk at a time or many, large groups or small: no device is run with both by itself."""
    monkeypatch.setattr(session_for(device), "tuning", TUNING[kind])
    for name, successors in NASTY_LISTS.items():
        ranks = pj.list_rank(successors, algorithm="sequential", device="reference")
        for algorithm in ("wylie", "random-splitter", "rehman", "sequential"):
            found = pj.list_rank(successors, algorithm=algorithm, device=device)
            np.testing.assert_array_equal(found, ranks, err_msg=f"{name}, {algorithm}")
        values = signed(len(successors), 1000)
        found = pj.list_scan(successors, values, device=device)
        np.testing.assert_array_equal(found, scanned_by_reference(successors, values, "add"), err_msg=name)


@pytest.mark.parametrize("splitters", [0, 1, 4])
def test_one_work_item_tells_lists_from_all_else(splitters: int, device: Device) -> None:
    """All arrays of up to four elements: it knows only from where its walks end whether they are lists."""
    for n in range(1, 5):
        for successors in product(range(n), repeat=n):
            found = _ranks_or_error(list(successors), device=device, splitters=splitters)
            assert found == _ranks_or_error(list(successors), device="reference"), successors


def _ranks_or_error(successors: list[int], **how: Any) -> list[int] | str:
    try:
        return pj.list_rank(successors, algorithm="sequential", **how).tolist()
    except pj.ListError as error:
        return str(error)


def test_one_work_item_ranks_many_lists(device: Device) -> None:
    """More lists than are walked at once, of all lengths, and more random splitters than elements."""
    lengths = [1, 2, 3, 500, 1, 40, *[1, 2] * 200]
    ends = np.zeros(sum(lengths), bool)
    ends[np.cumsum(lengths) - 1] = True
    successors = lists_from(np.random.default_rng(8).permutation(len(ends)), ends)
    for splitters in (0, 10, 2**31 - 1):
        ranks = pj.list_rank(successors, algorithm="sequential", device=device, splitters=splitters)
        np.testing.assert_array_equal(
            ranks, pj.list_rank(successors, algorithm="sequential", device="reference")
        )


@pytest.mark.parametrize("algorithm", ["sequential", "random-splitter"])
@pytest.mark.parametrize("elements", [1000, IN_PLACE])
def test_ranks_stay_as_they_are_when_others_are_found(algorithm: str, elements: int, device: Device) -> None:
    """Runs share buffers, and many ranks are left where kernels wrote them."""
    forwards = np.minimum(np.arange(elements, dtype=np.int32) + 1, elements - 1)
    first = pj.list_rank(forwards, algorithm=algorithm, device=device)
    second = pj.list_rank(
        forwards[: elements // 2].clip(0, elements // 2 - 1), algorithm=algorithm, device=device
    )
    backwards = pj.list_rank(
        np.maximum(np.arange(elements, dtype=np.int32) - 1, 0), algorithm=algorithm, device=device
    )
    np.testing.assert_array_equal(first, np.arange(elements)[::-1])
    np.testing.assert_array_equal(second, np.arange(elements // 2)[::-1])
    np.testing.assert_array_equal(backwards, np.arange(elements))


def test_ranks_that_stay_on_a_device_are_not_copied(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(dataclasses.replace(device, host_memory=False))
    lists = pj.DeviceList(np.minimum(np.arange(1000) + 1, 999), session)
    get = session.get

    def little(buffer: Any, items: int, *how: Any, **more: Any) -> Any:
        assert items < 1000
        return get(buffer, items, *how, **more)

    monkeypatch.setattr(session, "get", little)
    assert lists.rank("random-splitter").get()[0] == 999


def test_ends_are_found_once_each(device: Device) -> None:
    for name, successors in NASTY_LISTS.items():
        own = np.arange(len(successors))
        ends = np.union1d(np.setdiff1d(own, successors[successors != own]), own[successors == own])
        for access in ("striding", "partitioning"):
            found = find_ends(DeviceList(successors, device).resident, access)
            np.testing.assert_array_equal(np.sort(found), ends, err_msg=name)


# -- many splitters, plans that are kept, arrays that are given -------------------------------------


@pytest.mark.parametrize("one_group_splitters", [0, 1 << 16])
@pytest.mark.parametrize("few_splitters", [1, 30, 4096])
def test_splitters_are_ranked_by_one_group_or_by_all(
    one_group_splitters: int,
    few_splitters: int,
    device: Device,
    wide_group: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On several levels, and on one; drawn splitters that are ends of lists; one list, and several."""
    session = session_for(device)
    few = dataclasses.replace(
        session.tuning,
        one_group_splitters=one_group_splitters,
        few_splitters=few_splitters,
        splitters_per_taken=3,
    )
    monkeypatch.setattr(session, "tuning", few)
    for n, lists in ((1, 1), (2, 1), (9, 3), (1000, 1), (1000, 10)):
        successors, expected = shuffled(n, lists)
        for splitters in (0, n // 3, n):
            for seed in range(3):
                found = pj.list_rank(
                    successors, algorithm="random-splitter", device=device, splitters=splitters, seed=seed
                )
                np.testing.assert_array_equal(found, expected, err_msg=f"{n}, {lists}, {splitters}, {seed}")
        both = np.concatenate([successors, n + np.roll(np.arange(8), 1)])
        with pytest.raises(pj.ListError, match="on a cycle"):
            pj.list_rank(both, algorithm="random-splitter", device=device, splitters=n)


def test_a_short_ranking_takes_seven_launches(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    launched: list[str] = []
    call = Launch.__call__

    def noted(launch: Launch) -> Any:
        launched.append(launch._kernel.function_name)
        return call(launch)

    monkeypatch.setattr(Launch, "__call__", noted)
    lists = DeviceList(shuffled(5000)[0], device)
    lists.rank("random-splitter")
    assert launched.pop(4) in ("PJ2_all", "PJ2_held")  # the latter where the pairs fit into local memory
    assert launched == ["RS1_sum", "RS1_ends", "RS2", "RS3", "RS4_check", "RS5"]


@pytest.mark.parametrize("lists", [1, 10])
def test_a_plan_is_kept_as_long_as_the_same_is_asked(
    lists: int, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned: list[object] = []
    plan = Instance.planned

    def noted(lists: Instance, choice: Any, resident: Any) -> Any:
        planned.append(choice)
        return plan(lists, choice, resident)

    monkeypatch.setattr(Instance, "planned", noted)
    session = session_for(device)
    successors, expected = shuffled(5000, lists)
    on_device = DeviceList(successors, device)
    first = on_device.rank("random-splitter")
    for other in (DeviceList(shuffled(300)[0], device), DeviceList(shuffled(20_000)[0], device)):
        other.rank("random-splitter")  # they use the same scratch
    for seed in (1, 1, 2, 2):
        np.testing.assert_array_equal(on_device.rank("random-splitter", seed=seed).get(), expected)
    assert len(planned) == 4
    monkeypatch.setattr(session, "tuning", dataclasses.replace(session.tuning, one_group_splitters=0))
    np.testing.assert_array_equal(on_device.rank("random-splitter", seed=2).get(), expected)
    assert len(planned) == 5
    np.testing.assert_array_equal(first.get(), expected)


def test_ranks_that_are_given_away_end_a_plan(device: Device) -> None:
    successors, expected = shuffled(IN_PLACE)
    on_device = DeviceList(successors, device)
    first = pj.list_rank(on_device, algorithm="random-splitter")
    kept = first.copy()
    second = pj.list_rank(on_device, algorithm="random-splitter")
    second[:] = -1
    np.testing.assert_array_equal(first, kept)
    np.testing.assert_array_equal(first, expected)


def test_ranks_go_where_the_caller_wants_them(device: Device) -> None:
    successors, expected = shuffled(1000, 10)
    lists = DeviceList(successors, device)
    both = cl_array.zeros(lists.session.queue, 2000, np.int32)
    for algorithm in ("wylie", "random-splitter", "rehman", "sequential"):
        assert lists.rank(algorithm, out=both[1000:]) is not None
        np.testing.assert_array_equal(both.get(), [*[0] * 1000, *expected], err_msg=algorithm)
        both.set(np.zeros(2000, np.int32))
    assert len(DeviceList([], device).rank(out=both[:0])) == 0
    for wrong in (
        both,
        both[::2],
        cl_array.zeros(lists.session.queue, 1000, np.int64),
        np.zeros(1000, np.int32),
    ):
        with pytest.raises(pj.ListError, match=r"^out "):
            lists.rank(out=wrong)
    other = Session(device)
    elsewhere = cl_array.zeros(other.queue, 1000, np.int32)
    with pytest.raises(pj.ListError, match="in the context of the device"):
        lists.rank(out=elsewhere)
