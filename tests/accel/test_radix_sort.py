"""The radix sort: stable, on every device, in groups of one and of several, as its reference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_schedules import machines

from pointerjump.accel.radix_sort import sort_by_both, sort_pairs
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.session import Session
from pointerjump.reference.machine import Machine
from pointerjump.reference.radix_sort import radix_sort


def sorted_by(session: Session, keys: np.ndarray, bits: int) -> np.ndarray:
    """Return keys, sorted, with their places."""
    n = len(keys)
    pairs = np.stack([keys.astype(np.uint32), np.arange(n, dtype=np.uint32)], axis=1)
    with session.running():
        given = session.put_writable(np.concatenate([pairs, [[0, 0]]]).astype(np.uint32), "pairs")
        found, _ = sort_pairs(session, given, session.empty(n, np.uint64, "room"), n, bits)
        return session.get(found, 2 * n, np.uint32).reshape(n, 2)


@pytest.mark.diagonal
@pytest.mark.parametrize("group", [1, 8, 64])
@pytest.mark.parametrize("bits", [0, 1, 5, 8, 17, 32])
def test_sorts_are_stable(bits: int, group: int, device: Device) -> None:
    session = Session(device)
    session.tuning = replace(session.tuning, group=group, small_group=group)
    rng = np.random.default_rng(bits)
    for n in (0, 1, 2, 7, 8, 9, 63, 64, 65, 511, 512, 513, 5000, 70_001):
        keys = rng.integers(0, 1 << bits, n, dtype=np.uint64)
        for each in (keys, keys >> np.uint64(bits // 2), np.sort(keys)[::-1], np.full(n, (1 << bits) - 1)):
            order = np.argsort(each, kind="stable")
            found = sorted_by(session, each, bits)
            np.testing.assert_array_equal(found, np.stack([each[order], order], axis=1))


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("group", [1, 8])
def test_sorts_by_both_words(group: int, in_place: bool, device: Device) -> None:
    session = Session(device)
    session.tuning = replace(session.tuning, group=group, small_group=group)
    session.shows_writes = in_place and session.shows_writes
    rng = np.random.default_rng(group)
    for n in (0, 1, 2, 9, 513, 70_001):
        words = rng.integers(0, [1 << 20, 1 + n // 9], (n, 2), dtype=np.uint32)
        given = session.scratch("pairs", 2 * n)
        session.copy_into(given, words)
        found, _ = sort_by_both(session, given, session.empty(n, np.uint64, "room"), n, 20, 17)
        expected = words[np.lexsort(words.T)]
        np.testing.assert_array_equal(session.get(found, 2 * n, np.uint32).reshape(n, 2), expected)


@settings(max_examples=60)
@given(keys=st.lists(st.integers(0, 300), max_size=60), machine=machines())
def test_the_reference_sorts(keys: list[int], machine: Machine) -> None:
    with machine:
        found = radix_sort(list(zip(keys, range(len(keys)), strict=True)), 9)
    assert found == sorted(zip(keys, range(len(keys)), strict=True))
