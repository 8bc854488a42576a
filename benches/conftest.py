"""What the benchmarks share: graphs and devices, the number of rounds, and facts in the JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import pytest
from peers import PEERS, Peer

from pointerjump.accel.runtime.devices import choose
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.bench.own_device import GraphSubject

GRAPHS = {
    "urand20": "urand:scale=20,degree=16,seed=1",
    "kron20": "kron:scale=20,degree=16,seed=1",
    "road22": "grid2d:rows=2048,columns=2048,keep=0.62,seed=1",
    "urand16": "urand:scale=16,degree=8,seed=1",  # small enough for slow peers
}
QUICK_GRAPHS = {
    "urand14": "urand:scale=14,degree=8,seed=1",
    "kron14": "kron:scale=14,degree=8,seed=1",
    "road14": "grid2d:rows=128,columns=128,keep=0.62,seed=1",
}
ROUNDS, QUICK_ROUNDS = 9, 2
SLOW_SECONDS, SLOW_ROUNDS = 5.0, 3
SLOW_PEERS_UP_TO = 1 << 20  # edges


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--device`` and ``--quick`` to the command line."""
    parser.addoption("--device", default=None, help="as for pointerjump --device")
    parser.addoption(
        "--quick", action="store_true", help="small graphs, few rounds: does every benchmark run?"
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run benchmarks that ask for `subject` on each graph, and those that ask for `peer` with each peer."""
    quick = metafunc.config.getoption("--quick")
    if "subject" in metafunc.fixturenames:
        graphs = QUICK_GRAPHS if quick else GRAPHS
        metafunc.parametrize("subject", graphs.items(), ids=graphs, indirect=True, scope="session")
    if "peer" in metafunc.fixturenames:
        metafunc.parametrize("peer", PEERS, ids=lambda peer: peer.name)


def pytest_benchmark_update_machine_info(config: pytest.Config, machine_info: dict[str, Any]) -> None:
    """Add the device, which pytest-benchmark knows nothing about, and the versions of the peers."""
    machine_info["opencl"] = choose(config.getoption("--device")).as_dict()
    packages = {peer.needs for peer in PEERS}
    machine_info["peers"] = {name: version(name) for name in sorted(packages) if find_spec(name)}


def pytest_benchmark_update_json(
    config: pytest.Config, benchmarks: list[Any], output_json: dict[str, Any]
) -> None:
    """Leave out what a baseline in the repository need not say: the machine's name, the author, samples."""
    output_json["machine_info"].pop("node", None)
    output_json["machine_info"]["cpu"].pop("flags", None)
    output_json["commit_info"] = {"id": output_json["commit_info"].get("id")}
    for entry in output_json["benchmarks"]:
        entry["stats"].pop("data", None)


@pytest.fixture(scope="session")
def quick(request: pytest.FixtureRequest) -> bool:
    """Whether to check only that every benchmark runs."""
    return bool(request.config.getoption("--quick"))


@pytest.fixture(scope="session")
def session(request: pytest.FixtureRequest) -> Session:
    """The session of the device that ``--device`` names."""
    return session_for(request.config.getoption("--device"))


@pytest.fixture(scope="session")
def subject(request: pytest.FixtureRequest, session: Session) -> GraphSubject:
    """A graph on the device. pytest runs all benchmarks on one graph before it makes the next."""
    return GraphSubject(*request.param, session)


def require(peer: Peer, subject: GraphSubject, reading: bool = False) -> None:
    """Skip the benchmark, with the reason, if the peer cannot take part."""
    if reason := peer.missing(reading):
        pytest.skip(reason)
    if peer.slow and subject.counts["edges"] > SLOW_PEERS_UP_TO:
        pytest.skip(f"{peer.name} is slow: only for graphs of up to {SLOW_PEERS_UP_TO:,} edges")


@dataclass(frozen=True)
class Measure:
    """Verifies an answer and then measures; a benchmark's last line calls it."""

    benchmark: Any
    quick: bool

    def __call__(
        self,
        group: str,
        run: Callable[[], Any],
        check: Callable[[Any], None] | None,
        rounds: int = ROUNDS,
        **facts: object,
    ) -> None:
        """Time `run`. `check` raises an error if its answer is wrong (None: it has been checked already).

        `facts` go into the JSON.
        """
        began = perf_counter()
        answer = run()  # which also warms up
        slow = perf_counter() - began > SLOW_SECONDS
        if check is not None:
            check(answer)
        del answer
        self.benchmark.group = group
        self.benchmark.extra_info |= facts
        if slow:
            rounds = SLOW_ROUNDS
            self.benchmark.extra_info["why so few rounds"] = f"one takes over {SLOW_SECONDS:g} s"
        self.benchmark.pedantic(run, rounds=QUICK_ROUNDS if self.quick else rounds)


@pytest.fixture
def measure(benchmark: Any, quick: bool) -> Measure:
    """The function that a benchmark's last line calls."""
    return Measure(benchmark, quick)
