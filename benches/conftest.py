"""What the benchmarks share: the device in the JSON, and graphs on it."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

import pointerjump as pj
from pointerjump.accel.devices import choose

GRAPHS = {
    "urand20": "urand:scale=20,degree=16,seed=1",
    "kron20": "kron:scale=20,degree=16,seed=1",
    "road22": "grid2d:rows=2048,columns=2048,keep=0.62,seed=1",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--device`` to the command line."""
    parser.addoption("--device", default=None, help="as for pointerjump --device")


def pytest_benchmark_update_machine_info(config: pytest.Config, machine_info: dict[str, Any]) -> None:
    """Name the device: pytest-benchmark's own storage folder knows only the processor."""
    machine_info["opencl"] = choose(config.getoption("--device")).as_dict()


@cache
def graph(name: str) -> pj.Graph:
    """Return a benchmark's graph, made once."""
    return pj.generate(GRAPHS[name])


@cache
def on_device(name: str, device: str | None) -> pj.DeviceGraph:
    """Return a benchmark's graph on the device."""
    return pj.to_device(graph(name), device)


@pytest.fixture
def device(request: pytest.FixtureRequest) -> str | None:
    """The device that ``--device`` names."""
    return request.config.getoption("--device")
