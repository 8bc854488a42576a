"""Differential tests: every kernel variant against its own reference, on every device that works."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from conftest import BAD_LISTS, NASTY, NASTY_LISTS, graphs, linked_lists
from hypothesis import given, settings

import pointerjump as pj
from pointerjump.accel.devices import Device
from pointerjump.registry import ALGORITHMS, Algorithm, Variant, format_variant


def kernel_variants(row: Algorithm) -> list[Variant]:
    """Every combination of the algorithm's own axes, and of the axes of access, each beside the defaults.

    The full product would be mostly compile time: how words are read is independent of ECL-CC's Init.
    """
    ways = [axis for axis in row.axes if axis.name in ("reads", "access", "balance")]
    own = [axis for axis in row.axes_of("kernels") if axis not in ways]
    chosen: list[Variant] = []
    for axes in (own, ways):
        chosen += [
            dict(zip((axis.name for axis in axes), values, strict=True))
            for values in product(*(axis.values for axis in axes))
        ]
    return [variant for i, variant in enumerate(chosen) if variant not in chosen[:i]]


def cases(problem: str) -> list:
    return [
        pytest.param(row, variant, id=f"{row.name}:{format_variant(variant)}")
        for row in ALGORITHMS.values()
        if row.problem == problem and row.kernels
        for variant in kernel_variants(row)
    ]


def for_reference(row: Algorithm, variant: Variant) -> Variant:
    """The part of a variant that the reference has too."""
    names = {axis.name for axis in row.axes_of("reference")}
    return {name: value for name, value in variant.items() if name in names}


@pytest.mark.parametrize(("row", "variant"), cases("components"))
def test_components_of_nasty_graphs(row: Algorithm, variant: Variant, device: Device) -> None:
    for name, graph in NASTY.items():
        found = pj.components(graph, row.name, device, labels="representative", **variant)
        oracle = pj.components(
            graph, row.name, "reference", labels="representative", **for_reference(row, variant)
        )
        np.testing.assert_array_equal(found.labels, oracle.labels, err_msg=name)
        assert found.stats["device"] == device.device


@pytest.mark.parametrize("row", [r for r in ALGORITHMS.values() if r.problem == "components" and r.kernels])
@settings(max_examples=60)
@given(graph=graphs())
def test_components_of_drawn_graphs(row: Algorithm, device: Device, graph: pj.Graph) -> None:
    for balance in ("degree", "none") if any(axis.name == "balance" for axis in row.axes) else (None,):
        choices = {"balance": balance} if balance else {}
        found = pj.components(graph, row.name, device, **choices)
        oracle = pj.components(graph, row.name, "reference")
        np.testing.assert_array_equal(found.labels, oracle.labels)


@pytest.mark.parametrize("row", [r for r in ALGORITHMS.values() if r.problem == "components" and r.kernels])
def test_repeated_runs_agree(row: Algorithm, device: Device) -> None:
    rng = np.random.default_rng(3)
    n = 200_000
    d = pj.to_device((rng.integers(0, n, n), rng.integers(0, n, n)), device)
    first = pj.components(d, row.name)
    pj.verify(d.graph, first.labels)
    for _ in range(10):
        np.testing.assert_array_equal(pj.components(d, row.name).labels, first.labels)


@pytest.mark.parametrize("row", [r for r in ALGORITHMS.values() if r.problem == "components" and r.kernels])
def test_64_bit_offsets(row: Algorithm, device: Device) -> None:
    """Offsets past 2**31 do not fit here; that 64-bit ones are read right can be seen on any graph."""
    for name in ("hub", "dense random", "path shuffled", "empty"):
        narrow = NASTY[name]
        wide = pj.Graph(narrow.offsets, narrow.neighbors)
        wide.offsets = narrow.offsets.astype(np.int64)
        found = pj.components(wide, row.name, device)
        np.testing.assert_array_equal(found.labels, pj.components(narrow, "dfs", "reference").labels)


def test_shiloach_vishkin_keeps_to_its_rounds(device: Device) -> None:
    for graph in NASTY.values():
        rounds = pj.components(graph, "shiloach-vishkin", device).stats["rounds"]
        assert rounds <= np.ceil(np.log(max(graph.vertices, 1)) / np.log(1.5)) + 2


def test_afforest_samples_one_block_at_least(device: Device) -> None:
    graph = NASTY["path shuffled"]
    found = pj.components(graph, "afforest", device, one_in=10**12, rest="until-joined")
    np.testing.assert_array_equal(found.labels, pj.components(graph, "dfs", "reference").labels)
    with pytest.raises(pj.AlgorithmError, match="one_in=0: it must be a whole number, 1 or more"):
        pj.components(graph, "afforest", device, one_in=0)


@pytest.mark.parametrize(("row", "variant"), cases("list-ranking"))
def test_ranks_of_nasty_lists(row: Algorithm, variant: Variant, device: Device) -> None:
    for name, successors in NASTY_LISTS.items():
        ranks = pj.list_rank(successors, row.name, device, **variant)
        oracle = pj.list_rank(successors, row.name, "reference", **for_reference(row, variant))
        np.testing.assert_array_equal(ranks, oracle, err_msg=name)


@pytest.mark.parametrize("algorithm", ["wylie", "random-splitter"])
@settings(max_examples=60)
@given(successors=linked_lists())
def test_ranks_of_drawn_lists(algorithm: str, device: Device, successors: np.ndarray) -> None:
    ranks = pj.list_rank(successors, algorithm, device)
    np.testing.assert_array_equal(ranks, pj.list_rank(successors, "sequential", "reference"))


@pytest.mark.parametrize("name", BAD_LISTS)
@pytest.mark.parametrize("algorithm", ["wylie", "random-splitter"])
def test_what_is_no_list_is_refused_as_by_the_reference(name: str, algorithm: str, device: Device) -> None:
    with pytest.raises(pj.ListError) as refused:
        pj.list_rank(BAD_LISTS[name], algorithm, device)
    with pytest.raises(pj.ListError) as oracle:
        pj.list_rank(BAD_LISTS[name], algorithm, "reference")
    assert str(refused.value) == str(oracle.value)


@pytest.mark.parametrize("algorithm", ["wylie", "random-splitter"])
@settings(max_examples=60)
@given(successors=linked_lists())
def test_a_spoilt_list_is_refused(algorithm: str, device: Device, successors: np.ndarray) -> None:
    """Point a last element back into its list, or two elements to one: never a rank, always the error."""
    last = np.flatnonzero(successors == np.arange(len(successors)))
    if len(successors) < 2:
        return
    spoilt = successors.copy()
    spoilt[last[0]] = (last[0] + 1) % len(spoilt)
    try:
        oracle = pj.list_rank(spoilt, "sequential", "reference")
    except pj.ListError:
        with pytest.raises(pj.ListError):
            pj.list_rank(spoilt, algorithm, device)
    else:  # it was put before the head of another list
        np.testing.assert_array_equal(pj.list_rank(spoilt, algorithm, device), oracle)
