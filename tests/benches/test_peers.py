"""Peers give right answers on any graph, say why they are missing, and are timed in turn."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Iterator
from pathlib import Path

import native
import numpy as np
import peers
import pytest
from conftest import NASTY, graphs
from hypothesis import given, settings
from peers import PEERS, Peer, edges_once, same_components

from pointerjump import Graph
from pointerjump.bench import timing
from pointerjump.reference.union_find import union_find

BY_NAME = {peer.name: peer for peer in PEERS}
WITH_A_READER = {name: peer for name, peer in BY_NAME.items() if peer.from_file}


def require(peer: Peer, reading: bool = False) -> None:
    if reason := peer.missing(reading):
        pytest.skip(reason)


def components(graph: Graph) -> np.ndarray:
    return union_find(graph.symmetrized())


# -- answers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", NASTY)
@pytest.mark.parametrize("name", BY_NAME)
def test_nasty_graphs(name: str, kind: str) -> None:
    peer, graph = BY_NAME[name], NASTY[kind]
    require(peer)
    # The rows as they stand: both directions, duplicates and loops.
    sources, targets = graph.sources.astype(np.int64), graph.neighbors.astype(np.int64)
    assert same_components(peer.from_arrays(sources, targets, graph.vertices), components(graph))
    assert same_components(peer.resident(graph)(), components(graph))


@pytest.mark.parametrize("name", BY_NAME)
@settings(max_examples=25)
@given(graph=graphs())
def test_any_graph(name: str, graph: Graph) -> None:
    peer = BY_NAME[name]
    require(peer)
    once = edges_once(graph)
    assert same_components(peer.from_arrays(*once, graph.vertices), components(graph))
    find = peer.resident(graph)
    assert same_components(find(), components(graph))
    assert same_components(find(), components(graph)), "the second run differs"


@pytest.mark.parametrize("name", WITH_A_READER)
def test_file(name: str, tmp_path: Path) -> None:
    peer = WITH_A_READER[name]
    require(peer, reading=True)
    file = tmp_path / "graph.el"
    file.write_text("3 1\n7 7\n1 3\n1 3\n9 8\n4 3\n")  # duplicates, a loop, and ids without an edge
    assert peer.from_file is not None
    assert same_components(peer.from_file(file), [0, 1, 2, 1, 1, 5, 6, 7, 8, 8])


def test_who_reads_files() -> None:
    assert set(BY_NAME) - set(WITH_A_READER) == {"Boost", "Lemon"}


def test_same_components_in_other_numbers() -> None:
    assert same_components([3, 3, 9, 0, 0], [5, 5, 6, 7, 7])


WRONG = {
    "merged": [5, 5, 5, 5, 5],
    "split": [5, 6, 7, 8, 8],
    "another vertex": [5, 6, 6, 8, 8],
    "one too few": [5, 5, 6, 7],
    "one too many": [5, 5, 6, 7, 7, 7],
}


@pytest.mark.parametrize("kind", WRONG)
def test_other_components(kind: str) -> None:
    assert not same_components([3, 3, 9, 0, 0], WRONG[kind])


# -- what is missing -------------------------------------------------------------------------------


def test_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "find_spec", lambda package: None)
    assert BY_NAME["igraph"].missing() == "igraph is not installed: pip install igraph"
    assert BY_NAME["scipy"].missing(reading=True) == "pandas is not installed: pip install pandas"
    monkeypatch.setattr(peers, "find_spec", lambda package: package == "scipy")
    assert BY_NAME["scipy"].missing() is None


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A stand-in for the compiler that notes each call in ``calls``, in an empty cache folder."""
    monkeypatch.setattr(native, "USER_CACHE", tmp_path / "cache")
    monkeypatch.setenv("CXX", str(tmp_path / "c++"))
    native.adapter.cache_clear()
    yield tmp_path / "c++"
    native.adapter.cache_clear()


def write_compiler(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\necho called >> {path.parent}/calls\n{script}\n")
    path.chmod(0o755)


def test_missing_headers(compiler: Path) -> None:
    write_compiler(compiler, "echo 'x.cpp:7: fatal error: boost/graph.hpp: No such file' >&2; exit 1")
    reason = BY_NAME["Boost"].missing()
    assert reason is not None
    assert reason.startswith("boost_peer.cpp does not compile")
    assert "boost/graph.hpp: No such file" in reason
    assert reason.endswith("apt-get install libboost-graph-dev")
    assert not list((compiler.parent / "cache" / "peers").iterdir())


def test_missing_compiler(monkeypatch: pytest.MonkeyPatch, compiler: Path) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    reason = BY_NAME["Lemon"].missing()
    assert reason == "there is no C++ compiler: apt-get install g++, or name yours in $CXX"


def test_no_place_for_the_driver(compiler: Path) -> None:
    write_compiler(compiler, "exit 0")
    (compiler.parent / "cache").write_text("a file where the folder should be")
    reason = BY_NAME["Lemon"].missing()
    assert reason is not None
    assert reason.startswith("lemon_peer.cpp cannot be built in ")


def test_compiled_once_and_again_when_the_source_changes(
    compiler: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gxx = shutil.which("g++")
    if gxx is None:
        pytest.skip("g++ is not installed: apt-get install g++")
    write_compiler(compiler, f'exec {gxx} "$@"')
    monkeypatch.setattr(native, "FOLDER", compiler.parent)
    source = compiler.parent / "peer.cpp"
    functions = 'extern "C" { void build() {} void find() {} void release() {} void unite() {} }\n'

    for text in (functions, functions, "// changed\n" + functions):
        source.write_text(text)
        native.adapter.cache_clear()  # as in a new process
        native.adapter("peer.cpp", "no-package")
    assert (compiler.parent / "calls").read_text().count("called") == 2
    assert len(list((compiler.parent / "cache" / "peers").iterdir())) == 2


# -- timing ----------------------------------------------------------------------------------------


def test_contestants_take_turns() -> None:
    turns: list[str] = []
    timings = timing.interleaved(
        {"a": lambda: turns.append("a"), "b": lambda: turns.append("b")}, rounds=3, warm_up=2
    )
    assert turns == ["a", "b"] * 5
    assert [len(t.samples) for t in timings.values()] == [3, 3]
    assert all(seconds > 0 for t in timings.values() for seconds in t.samples)


def test_no_garbage_is_collected_meanwhile() -> None:
    seen: list[bool] = []
    timing.interleaved({"a": lambda: seen.append(gc.isenabled())}, rounds=2)
    assert seen == [False] * 3
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError):
        timing.interleaved({"a": lambda: 1 / 0})
    assert gc.isenabled()


def test_median_and_quartiles() -> None:
    taken = timing.Timing((5.0, 1.0, 4.0, 2.0, 3.0))
    assert (taken.low, taken.median, taken.high) == (2.0, 3.0, 4.0)
