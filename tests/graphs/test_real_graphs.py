"""The real graphs beside the checkout, against their known answers. Skipped where they are not."""

from __future__ import annotations

import csv

import pytest
from conftest import DATA

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device, devices
from pointerjump.base.limits import MOST_PLACES
from pointerjump.registry import ALGORITHMS

EXPECTED = DATA / "expected.csv"
ROWS = list(csv.DictReader(EXPECTED.read_text().splitlines())) if EXPECTED.exists() else []
FILES = [pytest.param(row, id=row["file"]) for row in ROWS] or [
    pytest.param(None, id="none", marks=pytest.mark.skip(f"there are no graphs in {DATA}"))
]
TINY, SMALL = 50_000, 300_000  # undirected edges; the references are serial Python
KERNELS = [r.name for r in ALGORITHMS.values() if r.problem == "components" and r.kernels]
REFERENCES = [r.name for r in ALGORITHMS.values() if r.problem == "components" and r.reference]


def check(row: dict, graph: pj.Graph, found: pj.Components) -> None:
    assert graph.vertices == int(row["vertices"])
    assert graph.edges == int(row["undirected_edges"])
    assert found.count == int(row["components"])
    assert found.sizes.max() == int(row["largest_component"])
    pj.verify(graph, found.labels)


def run_all(row: dict, algorithms: list[str], graph: pj.Graph, where: object, how: object) -> None:
    """Check every algorithm; CRONO must refuse a graph whose hubs pad its rows too far."""
    for algorithm in algorithms:
        if algorithm == "crono" and graph.vertices * int(graph.degrees.max()) > MOST_PLACES:
            with pytest.raises(pj.AlgorithmError, match="to the highest degree"):
                pj.components(where, algorithm=algorithm, device=how)
        else:
            check(row, graph, pj.components(where, algorithm=algorithm, device=how))


def is_on_diagonal(row: dict, algorithm: str, device: Device) -> bool:
    """Whether it is this device's turn: each algorithm meets each file, and both meet each device."""
    working = [d for d in devices() if d.works]
    return working[(ROWS.index(row) + KERNELS.index(algorithm)) % len(working)] == device


@pytest.mark.parametrize("row", FILES)
def test_kernels(row: dict, device: Device) -> None:
    graph = pj.read(DATA / row["file"])
    kernels = [name for name in KERNELS if is_on_diagonal(row, name, device)]
    run_all(row, kernels, graph, pj.to_device(graph, device), None)


@pytest.mark.exhaustive
@pytest.mark.parametrize("row", FILES)
def test_references(row: dict) -> None:
    if int(row["undirected_edges"]) >= SMALL:
        pytest.skip(f"{row['undirected_edges']} edges: too many for serial Python")
    step = 1 if int(row["undirected_edges"]) < TINY else 3  # of the others, each runs on every third file
    graph = pj.read(DATA / row["file"])
    run_all(row, REFERENCES[ROWS.index(row) % step :: step], graph, graph, "reference")
