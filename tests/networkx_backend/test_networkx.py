"""The NetworkX backend against NetworkX itself, and NetworkX's own tests run on the backend."""

from __future__ import annotations

import doctest
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import GeneratorType
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import pointerjump as pj
from pointerjump.errors import DeviceError
from pointerjump.networkx_backend import advice, backend, info
from pointerjump.networkx_backend.advice import can_run, should_run
from pointerjump.networkx_backend.array_graph import ArrayGraph
from pointerjump.networkx_backend.backend import convert_from_nx, convert_to_nx

BACKEND = {"backend": "pointerjump"}
NAN = float("nan")
UNDIRECTED = ["connected_components", "number_connected_components", "is_connected"]
DIRECTED = ["weakly_connected_components", "number_weakly_connected_components", "is_weakly_connected"]
BOTH = ["is_forest", "is_tree", "isolates", "number_of_isolates"]


@pytest.fixture(autouse=True)
def no_warning_of_the_cache() -> Iterator[None]:
    """NetworkX warns whenever it uses a converted graph again, unless it is told not to."""
    before = set(nx.config.warnings_to_ignore)
    nx.config.warnings_to_ignore = before | {"cache"}
    yield
    nx.config.warnings_to_ignore = before


class Equal:
    """A node that equals the integer 1, but is none."""

    def __eq__(self, other: object) -> bool:
        return other == 1

    def __hash__(self) -> int:
        return hash(1)


def _nasty() -> dict[str, nx.Graph]:
    mixed = [("a", 1), (1, (2, "b")), (frozenset({3}), b"x"), (NAN, 4.5), (2**80, -(2**70)), (True, 0)]
    late = nx.Graph([(5, 6)])
    late.add_nodes_from(range(5))
    equal = nx.empty_graph(3)
    equal.add_edges_from([(0, 1.0), (Equal(), 2)])
    random = nx.gnm_random_graph(300, 200, seed=1)
    many = {
        "empty": nx.Graph(),
        "one node": nx.empty_graph(1),
        "no edges": nx.empty_graph(7),
        "self-loops": nx.Graph([(0, 0), (1, 2), (2, 2)]),
        "one loop": nx.Graph([("x", "x")]),
        "mixed types": nx.Graph(mixed),
        "integers out of order": late,
        "integers far apart": nx.Graph([(-(2**62), 2**62), (0, 5), (2**63, 7)]),
        "equal, not the same": equal,
        "tree": nx.balanced_tree(2, 4),
        "forest": nx.disjoint_union(nx.path_graph(4), nx.star_graph(3)),
        "as many edges as a tree": nx.disjoint_union(nx.cycle_graph(3), nx.empty_graph(1)),
        "cycle": nx.cycle_graph(9),
        "random": random,
        "strings": nx.relabel_nodes(random, str),
        "frozen": nx.freeze(nx.path_graph(4)),
        "subgraph view": random.subgraph(range(50)),
        "edge subgraph view": random.edge_subgraph(list(random.edges)[:20]),
        "filtered view": nx.subgraph_view(
            random, filter_node=lambda n: n % 3, filter_edge=lambda u, v: u + v & 1
        ),
    }
    many |= {f"{name}, multigraph": nx.MultiGraph(graph) for name, graph in many.items()}
    many["parallel edges"] = nx.MultiGraph([(0, 1), (0, 1), (2, 2), (2, 2), (3, 4)])
    many["two parallel edges"] = nx.MultiGraph([("a", "b"), ("a", "b")])
    many |= {f"{name}, directed": graph.to_directed() for name, graph in many.items()}
    one_way = nx.gn_graph(60, seed=1)
    many |= {
        "one way": one_way,
        "reversed": one_way.reverse(copy=False),
        "there and back": nx.DiGraph([(0, 1), (1, 0)]),
    }
    many["undirected view"] = one_way.to_undirected(as_view=True)
    many["parallel arcs"] = nx.MultiDiGraph([(0, 1), (0, 1), (1, 0), (2, 2)])
    return many


NASTY = _nasty()


def outcome(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return what a function gives, a generator's items as a list, or the type of what it raises."""
    try:
        given = function(*args, **kwargs)
        return list(given) if isinstance(given, GeneratorType) else given
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("name", NASTY)
def test_answers_are_those_of_networkx(name: str) -> None:
    graph = NASTY[name]
    for function in UNDIRECTED + DIRECTED + BOTH:
        run = getattr(nx, function)
        expected, found = outcome(run, graph), outcome(run, graph, **BACKEND)
        assert found == expected, function
        assert type(found) is type(expected), function
    for node in [*list(graph)[:3], "no such node", []]:
        assert outcome(nx.node_connected_component, graph, node, **BACKEND) == outcome(
            nx.node_connected_component, graph, node
        )
        if not graph.is_directed():
            for other in [*list(graph)[-3:], "no such node", []]:
                assert outcome(nx.has_path, graph, node, other, **BACKEND) == outcome(
                    nx.has_path, graph, node, other
                )


@pytest.mark.parametrize("name", NASTY)
def test_edges_of_a_graph(name: str) -> None:
    graph = NASTY[name]
    converted = convert_from_nx(graph)
    assert (len(converted), converted.number_of_nodes()) == (len(graph), len(graph))
    assert converted.number_of_edges() == graph.number_of_edges()
    assert all(a is b for a, b in zip(converted, graph, strict=True))
    assert converted.is_directed() == graph.is_directed()
    assert converted.is_multigraph() == graph.is_multigraph()
    made = pj.Graph.from_networkx(graph)
    assert made.edges_as_read is not None
    nodes = list(graph)
    expected = [(nodes.index(u), nodes.index(v)) for u, v, *_ in graph.edges()] if NAN not in nodes else []
    if expected:
        pairs = list(
            zip(made.edges_as_read.sources.tolist(), made.edges_as_read.targets.tolist(), strict=True)
        )
        assert pairs == expected
    assert nx.utils.graphs_equal(convert_to_nx(converted), _without_data(graph))


def _without_data(graph: nx.Graph) -> nx.Graph:
    """Return a graph with the same nodes and edges, and keys 0, 1, ... for parallel edges."""
    kind = {(False, False): nx.Graph, (False, True): nx.MultiGraph, (True, False): nx.DiGraph}
    bare = kind.get((graph.is_directed(), graph.is_multigraph()), nx.MultiDiGraph)()
    bare.add_nodes_from(graph)
    bare.add_edges_from((u, v) for u, v, *_ in graph.edges())
    return bare


def test_sets_are_fresh_and_hold_the_nodes_themselves() -> None:
    node = ("a", 1)
    graph = nx.Graph([(node, "b")])
    for found in nx.connected_components(graph, **BACKEND):
        assert any(each is node for each in found)
        found.clear()
    assert nx.node_connected_component(graph, "b", **BACKEND) == {node, "b"}


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_a_changed_graph_is_converted_again(kind: type[nx.Graph]) -> None:
    graph = kind([(0, 1), (2, 3)])
    count = nx.number_weakly_connected_components if graph.is_directed() else nx.number_connected_components
    changes: list[tuple[Callable[[], object], int]] = [
        (lambda: graph.add_edge(1, 2), 1),
        (lambda: graph.add_node("x"), 2),
        (lambda: graph.add_weighted_edges_from([("x", "y", 1), ("y", "z", 2)]), 2),
        (lambda: graph.remove_edge(0, 1), 3),
        (lambda: graph.remove_nodes_from(["y"]), 4),
        (lambda: graph.clear_edges(), len([0, 1, 2, 3, "x", "z"])),
        (lambda: graph.update(edges=[(0, 3)]), 5),
        (lambda: graph.clear(), 0),
    ]
    assert count(graph, **BACKEND) == 2
    for change, expected in changes:
        change()
        assert count(graph, **BACKEND) == expected


def test_a_view_follows_the_graph_under_it() -> None:
    graph = nx.path_graph(6)
    view = graph.subgraph([0, 1, 4, 5])
    undirected = nx.DiGraph(graph).to_undirected(as_view=True)
    assert nx.number_connected_components(view, **BACKEND) == 2
    assert nx.number_connected_components(undirected, **BACKEND) == 1
    graph.add_edge(1, 4)
    undirected._graph.remove_node(2)
    assert nx.number_connected_components(view, **BACKEND) == 1
    assert nx.number_connected_components(undirected, **BACKEND) == 2


def test_a_graph_is_converted_once_and_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = nx.path_graph(5)
    nx.is_connected(graph, **BACKEND)
    (kept,) = graph.__networkx_cache__["backends"]["pointerjump"].values()
    found = kept.components
    nx.is_tree(graph, **BACKEND)
    assert list(graph.__networkx_cache__["backends"]["pointerjump"].values()) == [kept]
    assert kept.components is found


def test_threads() -> None:
    graph = nx.gnm_random_graph(2000, 1500, seed=2)
    expected = list(nx.connected_components(graph))

    def ask(_: int) -> bool:
        components = list(nx.connected_components(graph, **BACKEND))
        return components == expected and nx.node_connected_component(graph, 7, **BACKEND) in expected

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(ask, range(64)))


# -- constructors ----------------------------------------------------------------------------------

EDGES: dict[str, list[Any]] = {
    "none": [],
    "integers": [(3, 1), (1, 3), (3, 1), (2, 2), (7, 8)],
    "strings": [("b", "a"), ("c", "c"), ("a", "b")],
    "strings as edges": ["ab", "bc", "xy"],
    "mixed": [(1, "a"), (1.0, True), ((1, 2), None.__class__), (NAN, 0), (NAN, 2)],
    "with data": [(0, 1, {"w": 1}), (1, 2)],
    "None": [(0, None)],
    "not hashable": [([], 0)],
    "too short": [(1,)],
    "too long": [(1, 2, 3, 4, 5)],
    "not an edge": [5],
}
KINDS = [None, nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]


def _same_graph(found: Any, expected: Any) -> None:
    if isinstance(expected, type):
        assert found is expected
        return
    assert list(found) == list(expected) or NAN in expected
    assert found.number_of_edges() == expected.number_of_edges()
    graph = convert_to_nx(found)
    assert type(graph) is type(expected)
    assert nx.utils.graphs_equal(graph, expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", EDGES)
def test_from_edgelist(name: str, kind: type[nx.Graph] | None) -> None:
    edges = EDGES[name]
    expected = outcome(nx.from_edgelist, edges, kind)
    _same_graph(outcome(nx.from_edgelist, edges, kind, **BACKEND), expected)
    _same_graph(outcome(nx.from_edgelist, iter(edges), kind, **BACKEND), expected)


COLUMNS: dict[str, tuple[Any, Any]] = {
    "integers": ([3, 1, 3, 2, 7], [1, 3, 1, 2, 8]),
    "unsigned": (np.array([2**63 + 1, 1], np.uint64), np.array([5, 2**63 + 1], np.uint64)),
    "int64 and uint64": (np.array([-1, 2**62 + 1]), np.array([2**63 + 1, 2**62 + 1], np.uint64)),
    "strings": (["b", "c", "a"], ["a", "c", "b"]),
    "objects": (pd.Series(["b", 1, True], dtype=object), pd.Series([1.0, "b", (1, 2)], dtype=object)),
    "floats": ([0.5, NAN, NAN], [1.0, 0.5, NAN]),
    "missing strings": (["a", None], ["b", "c"]),
    "None": (pd.Series(["a", None], dtype=object), pd.Series(["b", "c"], dtype=object)),
    "categories": (pd.Categorical(["a", "b"]), pd.Categorical(["b", "c"])),
    "dates": (pd.to_datetime(["2020-01-01", "2021-01-01"]), pd.to_datetime(["2021-01-01", "2022-01-01"])),
    "none": ([], []),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", COLUMNS)
def test_from_pandas_edgelist(name: str, kind: type[nx.Graph] | None) -> None:
    left, right = COLUMNS[name]
    table = pd.DataFrame({"left": left, "right": right})
    expected = outcome(nx.from_pandas_edgelist, table, "left", "right", create_using=kind)
    found = outcome(nx.from_pandas_edgelist, table, "left", "right", create_using=kind, **BACKEND)
    if name in ("floats", "missing strings") and not isinstance(expected, type):
        # Each NaN that pandas makes is a node of its own: there is nothing to compare but numbers.
        assert (len(found), found.number_of_edges()) == (len(expected), expected.number_of_edges())
        return
    _same_graph(found, expected)
    if not isinstance(expected, type):
        assert list(map(type, found)) == list(map(type, expected))


MATRICES = {
    "unsymmetric": sp.csr_array(np.array([[0, 2, 0], [3, 4, 0], [0, 0, 0]])),
    "explicit zero": sp.csr_array((np.array([0, 5]), np.array([1, 0]), np.array([0, 1, 2]))),
    "duplicates": sp.coo_array((np.array([1.5, 2.5]), (np.array([0, 0]), np.array([1, 1]))), shape=(3, 3)),
    "columns": sp.csc_array(np.array([[0, 1], [1j, 0]])),
    "dictionary": sp.dok_array(np.array([[False, True], [True, False]])),
    "empty": sp.csr_array((0, 0)),
    "not square": sp.csr_array((2, 3)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", MATRICES)
def test_from_scipy_sparse_array(name: str, kind: type[nx.Graph] | None) -> None:
    matrix = MATRICES[name]
    found = outcome(nx.from_scipy_sparse_array, matrix, create_using=kind, **BACKEND)
    _same_graph(found, outcome(nx.from_scipy_sparse_array, matrix, create_using=kind))


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_a_matrix_may_change_afterwards(form: str) -> None:
    matrix = sp.coo_array(([1, 1], ([0, 1], [1, 0])), shape=(3, 3)).asformat(form)
    found = nx.from_scipy_sparse_array(matrix, **BACKEND)
    for part in ("indices", "data") if form != "coo" else ("col", "data"):
        getattr(matrix, part)[:] = 2
    assert list(convert_to_nx(found).edges(data="weight")) == [(0, 1, 1)]


# -- what is declined ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "args", "kwargs", "why"),
    [
        ("has_path", (nx.DiGraph([(0, 1)]), 0, 1), {}, "directed"),
        ("has_path", (nx.Graph([(0, 1)]),), {"source": None, "target": 1}, "None"),
        ("from_edgelist", ([], nx.Graph()), {}, "create_using"),
        ("from_edgelist", ([],), {"create_using": type("Mine", (nx.Graph,), {})}, "create_using"),
        ("from_pandas_edgelist", (None, "a", "b", 0), {}, "edge_attr"),
        ("from_pandas_edgelist", (None,), {"edge_key": "key"}, "edge_key"),
        ("from_scipy_sparse_array", (None, True), {}, "parallel_edges"),
    ],
)
def test_declined(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], why: str) -> None:
    reason = can_run(name, args, kwargs)
    assert isinstance(reason, str)
    assert why in reason
    with pytest.raises(NotImplementedError):
        getattr(nx, name)(*args, **kwargs, **BACKEND)


def test_attributes_are_not_converted() -> None:
    with pytest.raises(NotImplementedError, match="attributes"):
        convert_from_nx(nx.path_graph(2), edge_attrs={"weight": 1}, name="of_some_function")


def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "FEWEST_ENTRIES", 10)
    monkeypatch.setattr(advice, "FEWEST_ENTRIES_AT_START", 10)


def test_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    def advised(graph: nx.Graph, name: str = "number_connected_components") -> bool | str:
        return should_run(name, (graph,), {})

    path = nx.path_graph(100)
    assert "small" in str(advised(path))
    _fast(monkeypatch)
    assert advised(path) is True
    assert should_run("number_connected_components", (), {"G": path}) is True
    assert "early" in str(advised(path, "is_connected"))
    assert "some of the rows" in str(advised(nx.star_graph(100)))
    assert "some of the rows" in str(advised(nx.balanced_tree(2, 6)))
    assert advised(nx.disjoint_union(nx.star_graph(100), nx.empty_graph(1))) is True
    assert "some of the rows" in str(advised(nx.DiGraph([(i, 0) for i in range(100)])))
    hub = nx.Graph([(0, i) for i in range(1, 100)])
    assert "some of the rows" in str(advised(hub))
    hub.add_edges_from([(100, 101), (101, 102)])  # a small component comes late: all of the hub's is read
    assert advised(hub) is True
    assert advised(nx.DiGraph([*hub.edges])) is True
    hub.add_edge(102, 0)
    assert "some of the rows" in str(advised(hub))
    pairs = np.random.default_rng(1).integers(0, 2000, (2000, 2)).tolist()
    assert advised(nx.Graph(pairs)) is True
    assert "integers" in str(advised(nx.relabel_nodes(path, str)))
    assert "integers" in str(advised(nx.relabel_nodes(path, lambda i: i << 40)))
    assert "view" in str(advised(path.subgraph(range(50))))
    nx.config.backends.pointerjump.device = "no such device"
    try:
        assert "no such device" in str(advised(path))
        with pytest.raises(DeviceError, match="no such device"):
            nx.is_connected(nx.path_graph(3), **BACKEND)
    finally:
        nx.config.backends.pointerjump.device = None
    words = nx.relabel_nodes(path, str)
    nx.is_connected(words, **BACKEND)
    assert advised(words) is True
    assert advised(words, "is_connected") is True
    words.add_node("new")
    assert advised(words) is not True


def test_backend_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    """NetworkX chooses the backend by itself where the backend says that it should."""
    ran = []
    count = backend.number_connected_components
    monkeypatch.setattr(backend, "number_connected_components", lambda G: ran.append(G) or count(G))
    with nx.config.backend_priority(algos=["pointerjump"], generators=["pointerjump"]):
        assert nx.number_connected_components(nx.path_graph(50)) == 1
        assert not ran
        _fast(monkeypatch)
        assert nx.number_connected_components(nx.path_graph(50)) == 1
        assert isinstance(ran.pop(), ArrayGraph)
        assert nx.has_path(nx.DiGraph([(0, 1)]), 1, 0) is False
        assert isinstance(nx.from_edgelist([(0, 1)]), ArrayGraph)
        assert isinstance(nx.from_edgelist(iter([(0, 1, {"w": 1})])), nx.Graph)


def test_a_device_of_ones_own_choice() -> None:
    with nx.config.backends.pointerjump(device="reference"):
        graph = nx.path_graph(4)
        assert nx.is_connected(graph, **BACKEND)
        (kept,) = graph.__networkx_cache__["backends"]["pointerjump"].values()
        assert kept.components.stats["device"].startswith("CPython")


def test_the_examples_of_the_page() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "networkx.md"
    code = "\n\n".join(re.findall(r"```pycon\n(.*?)```", page.read_text(), re.DOTALL))
    examples = doctest.DocTestParser().get_doctest(code, {}, "networkx.md", None, None)
    assert len(examples.examples) > 3
    assert doctest.DocTestRunner().run(examples).failed == 0


# -- what NetworkX sees ----------------------------------------------------------------------------

FUNCTIONS = sorted(info.get_info()["functions"])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signatures(name: str) -> None:
    theirs = inspect.signature(getattr(nx, name, nx.connectivity.bridge_components).orig_func)
    ours = inspect.signature(getattr(backend, name))
    assert [(p.name, p.default) for p in ours.parameters.values()] == [
        (p.name, p.default) for p in theirs.parameters.values()
    ]


def _weighted(seed: int) -> Any:
    """Return a graph or a multigraph with weights of several types, many of them equal, and some missing."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(0, 30))
    graph = (nx.Graph, nx.MultiGraph)[seed % 2](name="drawn")
    graph.add_nodes_from((str(v), {"at": v}) for v in range(n))
    for _ in range(int(rng.integers(0, 4 * n + 1))):
        u, v, kind = str(rng.integers(n)), str(rng.integers(n)), rng.integers(4)
        weight = [int(rng.integers(-2, 3)), float(rng.choice([0.0, -0.0, 1.5, np.inf, -np.inf])), True][
            kind % 3
        ]
        graph.add_edge(u, v, **({"weight": weight, "colour": "red"} if kind else {}))
    return graph


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("which", ["minimum", "maximum"])
def test_spanning_trees_are_those_of_networkx(which: str, seed: int) -> None:
    graph = _weighted(seed)
    edges = getattr(nx, f"{which}_spanning_edges")
    for keys, data in ((True, True), (False, True), (True, False), (False, False)):
        theirs = list(edges(graph, keys=keys, data=data))
        assert list(edges(graph, keys=keys, data=data, **BACKEND)) == theirs
    tree = getattr(nx, f"{which}_spanning_tree")
    ours, theirs = tree(graph, **BACKEND), tree(graph)
    assert type(ours) is type(theirs)
    assert list(ours.edges(data=True)) == list(theirs.edges(data=True))
    assert (dict(ours.nodes.items()), ours.graph) == (dict(theirs.nodes.items()), theirs.graph)


def test_spanning_trees_of_other_weights_and_graphs() -> None:
    graph = nx.Graph([(0, 1, {"weight": NAN}), (1, 2, {"weight": 2}), (0, 2, {"w": 3})])
    edges = nx.minimum_spanning_edges(graph, **BACKEND)
    with pytest.raises(ValueError, match="NaN found as an edge weight"):
        next(edges)
    for weight in ("weight", "w"):
        ours = list(nx.minimum_spanning_edges(graph, weight=weight, ignore_nan=True, **BACKEND))
        assert ours == list(nx.minimum_spanning_edges(graph, weight=weight, ignore_nan=True))
    for wrong in (2.0**53, 2**64, "heavy", None):
        graph.add_edge(0, 1, weight=wrong)
        graph.add_edge(0, 2, weight=0.5)
        with pytest.raises(NotImplementedError):
            nx.minimum_spanning_edges(graph, **BACKEND)
    with pytest.raises(NotImplementedError):
        nx.minimum_spanning_tree(graph, algorithm="prim", **BACKEND)
    with pytest.raises(nx.NetworkXNotImplemented):
        nx.minimum_spanning_tree(nx.DiGraph([(0, 1)]), **BACKEND)
    matrix = sp.csr_array(np.array([[0, 3.0, 1], [3, 0, 2], [1, 2, 0]]))
    made = nx.from_scipy_sparse_array(matrix, **BACKEND)
    assert sorted(nx.minimum_spanning_edges(made, data=False, **BACKEND)) == [(0, 2), (1, 2)]


def test_every_function_is_announced() -> None:
    functions = [(name, getattr(made, "func", made)) for name, made in inspect.getmembers(backend)]
    own = [name for name, made in functions if getattr(made, "__module__", "") == backend.__name__]
    public = {name for name in own if name[0] != "_"}
    assert public == {*FUNCTIONS, "convert_from_nx", "convert_to_nx"}


def test_what_is_not_converted_for_a_function_is_documented() -> None:
    functions = info.get_info()["functions"].items()
    told = {name for name, each in functions if "only if `backend=` asks" in each["additional_docs"]}
    asked = {
        name
        for name in FUNCTIONS
        if "may stop early" in str(advice.should_run(name, (nx.empty_graph(),), {}))
    }
    assert told == asked


def test_networkx_is_imported_without_the_backend() -> None:
    code = (
        "import sys, networkx; assert 'functions' in networkx.utils.backends.backend_info['pointerjump'];"
        "print({'numpy', 'pyopencl', 'pointerjump.networkx_backend.backend'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"


COUNTING = """
import sys
from collections import Counter
import pytest
from pointerjump.networkx_backend import backend, info

ran = Counter()

def counted(name, function):
    def run(*args, **kwargs):
        ran[name] += 1
        return function(*args, **kwargs)
    return run

for name in info.get_info()["functions"]:
    setattr(backend, name, counted(name, getattr(backend, name)))
code = pytest.main(["-q", "-p", "no:cacheprovider", "-c", sys.argv[1], "--pyargs", *sys.argv[2:]])
print("never ran:", sorted(set(info.get_info()["functions"]) - set(ran)))
sys.exit(code)
"""
THEIR_TESTS = [
    "networkx.algorithms.components",
    "networkx.algorithms.tree.tests.test_mst",
    "networkx.algorithms.tree.tests.test_recognition",
    "networkx.algorithms.connectivity.tests.test_edge_kcomponents",
    "networkx.algorithms.tests.test_bridges",
    "networkx.algorithms.tests.test_isolate",
    "networkx.algorithms.tests.test_lowest_common_ancestors",
    "networkx.algorithms.shortest_paths.tests.test_generic",
    "networkx.tests.test_convert",
    "networkx.tests.test_convert_pandas",
    "networkx.tests.test_convert_scipy",
]


def test_networkx_tests_of_these_functions_pass() -> None:
    environment = os.environ | {
        "NETWORKX_TEST_BACKEND": "pointerjump",
        "NETWORKX_FALLBACK_TO_NX": "True",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    environment.pop("POINTERJUMP_TEST_PASSED", None)  # of our tests
    command = [sys.executable, "-c", COUNTING, os.devnull, *THEIR_TESTS]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    assert "never ran: []" in ran.stdout


def test_a_multigraph_keeps_its_keys_where_no_attribute_is_asked_for() -> None:
    graph = nx.MultiGraph([(0, 1, "k"), (1, 2, "l")])
    assert nx.number_connected_components(graph, backend="pointerjump") == 1
    ask = partial(nx.minimum_spanning_edges, graph, weight=None, data=False)
    assert list(ask(backend="pointerjump")) == list(ask()) == [(0, 1, "k"), (1, 2, "l")]
