"""Lowest common ancestors, and what follows from them, against plain walks up the tree."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_forests import relabelled, rooted_from, shapes, walked_up
from test_kernels import cases
from test_schedules import machines

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.base.rooted import Rooted
from pointerjump.reference.inlabel import most_trailing_zeros
from pointerjump.reference.machine import Machine
from pointerjump.registry import Algorithm, Variant
from pointerjump.registry.selection import of_problem
from pointerjump.solving.ancestors import common_ancestors

NAMES = of_problem("common-ancestors")
SIZES = (1, 2, 3, 31, 32, 33, 63, 64, 65, 97, 255, 256, 257)  # around blocks and work-groups


@st.composite
def forests(draw: st.DrawFn, most: int = 80) -> Rooted:
    n = draw(st.integers(0, most))
    parents = np.array([draw(st.integers(0, v)) for v in range(n)], int)
    return rooted_from(relabelled(parents, draw(st.integers(0, 1000))))


def pairs_of(n: int, count: int, seed: int = 2) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, max(n, 1), (2, count if n else 0))


def every_pair(n: int) -> np.ndarray:
    return np.indices((n, n)).reshape(2, -1)


def some_pairs(rooted: Rooted) -> np.ndarray:
    n = len(rooted.parent)
    return every_pair(n) if n < 34 else pairs_of(n, 1000)


SHAPED = {
    f"{name} of {n}": rooted_from(relabelled(parents, n))
    for n in SIZES
    for name, parents in shapes(n).items()
}
LARGE = {name: rooted_from(relabelled(parents, 3)) for name, parents in shapes(5000).items()}


def forest(rooted: Rooted, device: Any = None) -> pj.RootedForest:
    run: Any = SimpleNamespace(devices=(device,))
    return pj.RootedForest(rooted, run)


def is_ancestor(rooted: Rooted, us: Any, vs: Any) -> Any:
    return forest(rooted).is_ancestor(us, vs)


def distances(rooted: Rooted, us: Any, vs: Any, device: Any = None) -> Any:
    return forest(rooted, device).distance(us, vs)


def path(rooted: Rooted, u: Any, v: Any) -> Any:
    return forest(rooted).path(u, v)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60)
@given(rooted=forests(), machine=machines(), seed=st.integers(0, 99))
def test_references_of_drawn_forests(name: str, rooted: Rooted, machine: Machine, seed: int) -> None:
    us, vs = pairs_of(len(rooted.parent), 200, seed)
    with machine:
        found = common_ancestors(rooted, us, vs, algorithm=name, device="reference")
    assert found.dtype == np.int32
    assert found.tolist() == walked_up(rooted, us, vs)


@pytest.mark.parametrize("name", NAMES)
def test_references_of_shaped_forests(name: str) -> None:
    for shape, rooted in SHAPED.items():
        us, vs = some_pairs(rooted)
        found = common_ancestors(rooted, us, vs, algorithm=name, device="reference")
        assert found.tolist() == walked_up(rooted, us, vs), shape


@pytest.mark.diagonal
@pytest.mark.parametrize(("algorithm", "variant"), cases("common-ancestors"))
def test_kernels_of_shaped_forests(algorithm: Algorithm, variant: Variant, device: Device) -> None:
    for shape, rooted in (SHAPED | LARGE).items():
        us, vs = some_pairs(rooted)
        found = common_ancestors(rooted, us, vs, algorithm=algorithm.name, device=device, choices=variant)
        assert found.dtype == np.int32
        np.testing.assert_array_equal(found, by_reference(shape, algorithm.name), err_msg=shape)


@cache
def by_reference(shape: str, name: str) -> np.ndarray:
    """The answers to the pairs of the test above; variants of kernels share them."""
    rooted = (SHAPED | LARGE)[shape]
    return common_ancestors(rooted, *some_pairs(rooted), algorithm=name, device="reference")


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40)
@given(rooted=forests(), seed=st.integers(0, 99))
def test_kernels_of_drawn_forests(name: str, device: Device, rooted: Rooted, seed: int) -> None:
    us, vs = pairs_of(len(rooted.parent), 100, seed)
    found = common_ancestors(rooted, us, vs, algorithm=name, device=device)
    assert found.tolist() == walked_up(rooted, us, vs)


@pytest.mark.parametrize("name", NAMES)
def test_a_forest_is_prepared_once(name: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    rooted, residents, launched = LARGE["random"], {}, []
    launch = Session.launch

    def watched(session: Session, program: Any, kernel: str, *rest: Any) -> Any:
        launched.append(kernel)
        return launch(session, program, kernel, *rest)

    monkeypatch.setattr(Session, "launch", watched)
    for seed in (1, 2, 3):
        us, vs = pairs_of(5000, 100, seed)
        found = common_ancestors(rooted, us, vs, algorithm=name, device=device, residents=residents)
        assert found.tolist() == walked_up(rooted, us, vs)
    assert launched.count("answer") == 3
    assert all(launched.count(kernel) == 1 for kernel in launched if kernel not in ("answer", "double_runs"))
    assert launched[-2:] == ["answer", "answer"]
    assert list(residents) == [session_for(device)]


@pytest.mark.parametrize("name", [*NAMES, "auto"])
@pytest.mark.parametrize("where", ["reference", None])
def test_no_vertices_and_no_pairs(name: str, where: str | None) -> None:
    for n in (0, 1, 70):
        found = common_ancestors(rooted_from(range(n)), [], [], algorithm=name, device=where)
        assert (found.dtype, found.shape) == (np.int32, (0,))


def test_numbers_with_most_trailing_zeros() -> None:
    for first in range(1, 40):
        for last in range(first, 40):
            (most,) = (
                x
                for x in range(first, last + 1)
                if all((x & -x) > (y & -y) for y in range(first, last + 1) if y != x)
            )
            assert most_trailing_zeros(first, last) == most


@settings(max_examples=60)
@given(rooted=forests(40))
def test_what_follows_from_ancestors(rooted: Rooted) -> None:
    n = len(rooted.parent)
    us, vs = every_pair(n)
    above = np.array(walked_up(rooted, us, vs), int)
    np.testing.assert_array_equal(is_ancestor(rooted, us, vs), above == us)
    apart = distances(rooted, us, vs, device="reference")
    assert apart.dtype == np.int32
    for u, v, between in list(zip(us.tolist(), vs.tolist(), apart.tolist(), strict=True))[::7]:
        found = path(rooted, u, v)
        assert found.dtype == np.int32
        if between < 0:
            assert len(found) == 0
            continue
        assert (found[0], found[-1], len(found)) == (u, v, between + 1)
        assert len(set(found.tolist())) == len(found)
        for x, y in zip(found, found[1:], strict=False):
            assert rooted.parent[x] == y or rooted.parent[y] == x
    np.testing.assert_array_equal(apart < 0, rooted.tree[us] != rooted.tree[vs])


def test_single_vertices(device: Device) -> None:
    rooted = rooted_from([0, 0, 1, 1, 0, 5])
    assert common_ancestors(rooted, 2, 3, device=device) == 1
    assert type(common_ancestors(rooted, np.int64(2), np.array(4), device=device)) is int
    assert common_ancestors(rooted, 2, [0, 1, 2, 3, 4, 5], device=device).tolist() == [0, 1, 2, 1, 0, -1]
    assert common_ancestors(rooted, np.array([3], np.uint8), 2, device=device).tolist() == [1]
    assert distances(rooted, 2, 4, device=device) == 3
    assert distances(rooted, [2, 2], 5, device=device).tolist() == [-1, -1]
    assert is_ancestor(rooted, 1, [0, 1, 2, 3, 4]).tolist() == [False, True, True, True, False]
    assert is_ancestor(rooted, 0, 3) is True
    assert path(rooted, 3, 4).tolist() == [3, 1, 0, 4]
    assert path(rooted, 2, 2).tolist() == [2]


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, ">i4"]
)
def test_any_integers(dtype: Any) -> None:
    rooted = rooted_from([0, 0, 1, 1, 0, 5])
    us = np.array([2, 0, 3, 0, 5, 0], dtype)[::2]
    assert common_ancestors(rooted, us, [3, 4, 5]).tolist() == [1, 0, 5]


@pytest.mark.parametrize("ask", [common_ancestors, is_ancestor, distances])
@pytest.mark.parametrize(
    ("us", "vs", "message"),
    [
        ([0, 6], [1, 1], r"us\[1\] is 6, which is not below the number of vertices, 6"),
        ([0], [-1], r"vs\[0\] is -1, which is negative"),
        (0, 6, r"vs is 6, which is not below"),
        (10**30, 0, r"us is 1000000000000000000000000000000, which is not below"),
        (np.array([2**32]), [0], "not below"),
        ([0, 1], [0], "there are 2 us and 1 vs: give one of each per pair"),
        ([0.5], [0], "must hold integers"),
        (0.5, [0], "must be a whole number"),
        (True, [0], "must be a whole number"),
        (None, [0], "must be a whole number"),
        ([[0]], [0], "must be one-dimensional"),
        (np.ma.masked_equal([0, 1], 1), [0, 0], "masked"),
        (["a"], [0], "must hold integers"),
    ],
)
def test_wrong_vertices(ask: Any, us: Any, vs: Any, message: str) -> None:
    with pytest.raises(pj.GraphError, match=message):
        ask(rooted_from([0, 0, 1, 1, 0, 5]), us, vs)


def test_wrong_ends_of_paths() -> None:
    rooted = rooted_from([0, 0])
    for u, v, message in ((0, 2, "v is 2"), (-1, 0, "negative"), ([0], 1, "whole number")):
        with pytest.raises(pj.GraphError, match=message):
            path(rooted, u, v)
    with pytest.raises(pj.GraphError, match="not below the number of vertices, 0"):
        common_ancestors(rooted_from([]), 0, 0)


def test_wrong_algorithms() -> None:
    rooted = rooted_from([0])
    with pytest.raises(pj.AlgorithmError, match="wylie is for list-ranking"):
        common_ancestors(rooted, 0, 0, algorithm="wylie")
    with pytest.raises(pj.AlgorithmError, match="has no variant 'acces': did you mean access"):
        common_ancestors(rooted, 0, 0, algorithm="inlabel", choices={"acces": "striding"})
