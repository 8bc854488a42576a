"""Connected components: kernels on a graph that is on the device, the whole call, and scipy beside them."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import GRAPHS, graph, on_device
from scipy.sparse.csgraph import connected_components

import pointerjump as pj
from pointerjump.registry import ALGORITHMS

KERNELS = [r.name for r in ALGORITHMS.values() if r.problem == "components" and r.kernels]
ROUNDS = {"rounds": 9, "warmup_rounds": 1}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("algorithm", KERNELS)
def test_device_resident(benchmark: Any, name: str, algorithm: str, device: str | None) -> None:
    """One run of the kernels, launches included, until the device is done."""
    benchmark.group = f"components of {name}"
    d = on_device(name, device)
    pj.verify(d, pj.components(d, algorithm).labels)
    plan = d.plan(algorithm)

    def run() -> None:
        plan.enqueue()
        d.session.finish()

    benchmark.extra_info |= {"graph": GRAPHS[name], "directed_edges": d.directed_edges}
    benchmark.pedantic(run, **ROUNDS)


@pytest.mark.parametrize("name", GRAPHS)
def test_call(benchmark: Any, name: str, device: str | None) -> None:
    """``pj.components`` on a host Graph: transfer, kernels, labels."""
    benchmark.group = f"components of {name}"
    g = graph(name)
    pj.verify(g, pj.components(g, device=device).labels)
    benchmark.pedantic(lambda: pj.components(g, device=device), **ROUNDS)


@pytest.mark.parametrize("name", GRAPHS)
def test_scipy(benchmark: Any, name: str) -> None:
    """scipy on its own CSR matrix."""
    benchmark.group = f"components of {name}"
    matrix = graph(name).to_scipy()
    benchmark.pedantic(lambda: connected_components(matrix, directed=False), rounds=3, warmup_rounds=0)
