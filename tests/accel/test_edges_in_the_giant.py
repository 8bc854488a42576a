"""Afforest over edges skips edges between runs of vertices that are entirely in the giant component."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import pointerjump as pj
from pointerjump.accel import afforest_edges
from pointerjump.accel.runtime.devices import Device

Ends = tuple[np.ndarray, np.ndarray]


def dense(rng: np.random.Generator, n: int, m: int) -> Ends:
    return rng.integers(0, n, m), rng.integers(0, n, m)


def two_halves(rng: np.random.Generator, n: int, m: int) -> Ends:
    """Two dense halves, of which neither is a giant."""
    s, t = dense(rng, n // 2, m)
    return s + (half := rng.integers(0, 2, m) * (n // 2)), t + half


def a_late_tail(rng: np.random.Generator, n: int, m: int) -> Ends:
    """A dense graph that leaves out every 97th vertex; its last edges are those of these vertices."""
    s, t = dense(rng, n, m)
    tail = np.arange(0, n, 97)
    inside = (s % 97 > 0) & (t % 97 > 0)
    return np.append(s[inside], tail), np.append(t[inside], np.roll(tail, 1))


@pytest.mark.parametrize("shape", [dense, two_halves, a_late_tail])
@pytest.mark.parametrize("n", [2, 33, 1000, 20_000])
@pytest.mark.parametrize("words", [1, 5, afforest_edges.MOST_WORDS])
@pytest.mark.parametrize("init", ["own", "first"])
def test_edges_outside_the_giant_are_linked(
    shape, n: int, words: int, init: str, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(afforest_edges, "MOST_WORDS", words)
    s, t = shape(np.random.default_rng(7), n, 12 * n)
    variant = {"init": init, "batches": "growing", "access": "striding"}
    found = pj.components((s, t), vertices=n, algorithm="afforest-edges", device=device, **variant)
    count, labels = connected_components(coo_array((np.ones(len(s)), (s, t)), (n, n)), directed=False)
    assert found.count == count
    assert np.array_equal(found.labels, labels)
