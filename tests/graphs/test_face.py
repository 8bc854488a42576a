"""The public functions, as users call them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from inspect import isfunction, signature
from pathlib import Path

import networkx as nx
import numpy as np
import pyopencl.array as cl_array
import pytest
import scipy.sparse as sp
from conftest import NASTY, graphs
from hypothesis import given
from scipy.sparse.csgraph import connected_components as scipy_components
from test_small_graphs import tuned

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device, devices
from pointerjump.registry.selection import OPTIONS

needs_device = pytest.mark.skipif(not any(d.works for d in devices()), reason="no OpenCL device works")


@needs_device
@pytest.mark.parametrize("name", NASTY)
def test_connected_components_is_scipys(name: str) -> None:
    matrix = NASTY[name].to_scipy()
    if matrix.shape == (0, 0):
        assert pj.connected_components(matrix)[0] == 0
        return
    n, labels = pj.connected_components(matrix)
    expected_n, expected = scipy_components(matrix)
    assert n == expected_n
    assert type(n) is int
    np.testing.assert_array_equal(labels, expected)
    assert labels.dtype == expected.dtype
    assert pj.connected_components(matrix, directed=False, return_labels=False) == expected_n


@needs_device
def test_connected_components_takes_dense_matrices_as_scipy_does() -> None:
    for dense in (
        np.array([[0, 1], [1, 0]]),  # (2, 2): a matrix, not two edges
        np.array([[0, np.inf, 0], [0, 0, 2.5], [0, 0, 0]]),
        np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]]).tolist(),
        np.zeros((1, 1)),
    ):
        n, labels = pj.connected_components(dense)
        expected_n, expected = scipy_components(np.asarray(dense))
        assert n == expected_n
        np.testing.assert_array_equal(labels, expected)
    assert pj.connected_components(np.zeros((0, 0)))[0] == 0


def test_connection() -> None:
    matrix = sp.csr_array(np.array([[0, 1], [0, 0]]))
    assert pj.connected_components(matrix, directed=True, connection="strong", return_labels=False) == 2
    with pytest.raises(pj.AlgorithmError, match="must be 'weak'"):
        pj.connected_components(matrix, connection="loose")


@given(graph=graphs())
def test_components_object(graph: pj.Graph) -> None:
    c = pj.components(graph, algorithm="union-find", device="reference")
    n = graph.vertices
    assert c.sizes.sum() == n
    assert len(c.sizes) == c.count == len(c.members())
    for label, members in enumerate(c.members()):
        np.testing.assert_array_equal(members, np.flatnonzero(c.labels == label))
        assert len(members) == c.sizes[label]
    if n:
        assert len(c.largest()) == c.sizes.max()
        assert set(c.labels[c.largest()]) == {np.argmax(c.sizes)}, "of several, it is the first"
    smallest = pj.components(graph, algorithm="union-find", device="reference", labels="representative")
    firsts = [members[0] for members in c.members()]
    np.testing.assert_array_equal(smallest.labels, np.array(firsts, int)[c.labels] if n else [])
    assert firsts == sorted(firsts)

    forest = c.forest()
    assert forest.shape == (n - c.count, 2)
    stored = graph.symmetrized().to_scipy().toarray()
    assert all(stored[u, v] for u, v in forest)
    tree = nx.Graph(forest.tolist())
    assert len(forest) == 0 or nx.is_forest(tree)
    found = pj.components((forest[:, 0], forest[:, 1]), algorithm="dfs", device="reference", vertices=n)
    np.testing.assert_array_equal(found.labels, c.labels)


def test_device_graph_is_accepted_everywhere(device: Device) -> None:
    graph = NASTY["sparse random"]
    d = pj.to_device(graph, device)
    assert pj.to_device(d) is d
    expected = pj.components(graph, algorithm="dfs", device="reference")
    for algorithm in ("auto", "ecl-cc", "shiloach-vishkin"):
        np.testing.assert_array_equal(pj.components(d, algorithm=algorithm).labels, expected.labels)
    n, labels = pj.connected_components(d)
    assert n == expected.count
    np.testing.assert_array_equal(labels, expected.labels)
    pj.verify(d, labels)
    with pytest.raises(pj.GraphError):
        pj.components(d, vertices=1)
    with pytest.raises(pj.DeviceError, match="the input is on"):
        pj.components(d, device=_another(device))


def _another(device: Device) -> Device:
    others = [d for d in devices() if d.works and d != device]
    if not others:
        pytest.skip("there is only one OpenCL device")
    return others[0]


def test_labels_stay_on_the_device(device: Device) -> None:
    for name in ("sparse random", "all isolated", "one vertex", "empty"):
        graph = NASTY[name]
        d = pj.to_device(graph, device)
        for kind in ("consecutive", "representative"):
            expected = pj.components(graph, algorithm="dfs", device="reference", labels=kind).labels
            for algorithm in ("auto", "shiloach-vishkin"):
                labels = d.label(algorithm, labels=kind)
                assert isinstance(labels, cl_array.Array)
                np.testing.assert_array_equal(labels.get() if graph.vertices else [], expected)


def test_rows_left_on_the_device_by_earlier_work(device: Device) -> None:
    graph = NASTY["dense random"]
    queue = pj.to_device(graph, device).session.queue
    offsets = cl_array.to_device(queue, graph.offsets)
    neighbors = cl_array.to_device(queue, graph.neighbors)
    d = pj.DeviceGraph.from_arrays(offsets, neighbors)
    assert d.resident.neighbors is neighbors.base_data
    np.testing.assert_array_equal(
        pj.components(d).labels, pj.components(graph, algorithm="dfs", device="reference").labels
    )
    padded = cl_array.to_device(queue, np.concatenate([[7], graph.neighbors]).astype(np.int32))
    sliced = pj.DeviceGraph.from_arrays(offsets, padded[1:])
    np.testing.assert_array_equal(pj.components(sliced).labels, pj.components(d).labels)
    with pytest.raises(pj.GraphError, match="both directions"):
        pj.DeviceGraph.from_arrays(
            cl_array.to_device(queue, np.array([0, 1, 1], np.int32)),
            cl_array.to_device(queue, np.array([1], np.int32)),
        )
    with pytest.raises(pj.GraphError, match="int64"):
        pj.DeviceGraph.from_arrays(cl_array.to_device(queue, graph.offsets.astype(np.int64)), neighbors)


def test_cpu_devices_use_the_hosts_arrays_in_place(device: Device) -> None:
    if not device.host_memory:
        pytest.skip(f"{device} has memory of its own")
    n = 1000
    graph = pj.Graph.from_edges(np.arange(n - 1), np.arange(1, n))
    d = pj.to_device(graph, device)
    assert d.host.neighbors is graph.neighbors
    graph.neighbors[:] = graph.sources  # nobody should; but what the kernels then see tells whose it is
    assert pj.components(d).count == n


def _read_only(ids: np.ndarray) -> np.ndarray:
    copy = ids.copy()
    copy.flags.writeable = False
    return copy


EDGE_FORMS = {
    "int64 arrays": lambda s, t: (s, t),
    "int32 arrays": lambda s, t: (s.astype(np.int32), t.astype(np.int32)),
    "unsigned": lambda s, t: (s.astype(np.uint64), t.astype(np.uint32)),
    "narrow": lambda s, t: (s.astype(np.uint16), t.astype(np.int16)),
    "other byte order": lambda s, t: (s.astype(">i8"), t.astype(">i8")),
    "read-only": lambda s, t: (_read_only(s), _read_only(t)),
    "strided": lambda s, t: (np.repeat(s, 3)[::3], t[::-1][::-1]),
    "lists": lambda s, t: (s.tolist(), t.tolist()),
    "pairs": lambda s, t: np.column_stack([s, t]),
    "int32 pairs": lambda s, t: np.column_stack([s, t]).astype(np.int32),
    "pairs in Fortran order": lambda s, t: np.asfortranarray(np.column_stack([s, t])),
    "pairs in other byte order": lambda s, t: np.column_stack([s, t]).astype(">i4"),
    "columns swapped": lambda s, t: np.column_stack([s, t])[:, ::-1],
    "columns of more": lambda s, t: np.column_stack([s, t, s])[:, :2],
}


@pytest.fixture(params=[-1, 100_000], ids=["by many launches", "by one"])
def either_way(request: pytest.FixtureRequest, device: Device) -> Iterator[None]:
    """Take what fits in a test for a large graph, and for a small one."""
    with tuned(device, small=request.param):
        yield


@pytest.mark.diagonal
@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("form", EDGE_FORMS)
def test_edges_are_linked_as_they_come(form: str, device: Device) -> None:
    rng = np.random.default_rng(17)
    for n, m in ((1, 1), (2, 1), (500, 300), (500, 5000), (3000, 2000)):
        s, t = rng.integers(0, n, m), rng.integers(0, n, m)
        expected = pj.components((s, t), algorithm="dfs", device="reference", vertices=n)
        found = pj.components(EDGE_FORMS[form](s, t), device=device, vertices=n)
        np.testing.assert_array_equal(found.labels, expected.labels)
        assert found.stats["form"] == "edges"
        assert len(found.forest()) == n - found.count
    same = pj.components(EDGE_FORMS[form](s, t), device=device)
    assert len(same.labels) == max(s.max(), t.max()) + 1


@pytest.mark.usefixtures("either_way")
def test_edges_in_a_hostile_order(device: Device) -> None:
    """A star around the last vertex, edges descending: without shortened paths, n walks of n steps."""
    n = 20_000
    leaves = np.arange(n - 1)[::-1]
    for edges in ((np.full(n - 1, n - 1), leaves), (leaves, np.full(n - 1, n - 1)), (leaves, leaves + 1)):
        assert pj.components(edges, device=device).count == 1


@pytest.mark.usefixtures("either_way")
def test_no_edges_at_all(device: Device) -> None:
    assert pj.components(([], []), device=device).count == 0
    assert pj.components(np.empty((0, 2), int), device=device, vertices=4).count == 4


@given(graph=graphs())
def test_rows_are_linked_as_they_are_stored(device: Device, graph: pj.Graph) -> None:
    """Without a look at whether both directions are there, which would take longer than the answer."""
    fresh = pj.Graph(graph.offsets, graph.neighbors)
    with tuned(device, small=-1):
        found = pj.components(fresh, device=device)
    sparse = device.type == "cpu" and 0 < graph.directed_edges <= 4 * graph.vertices
    assert found.stats["algorithm"] == ("rem-cas" if sparse else "afforest")
    assert found.stats["form"] == "stored rows"
    assert not fresh.known_symmetric
    np.testing.assert_array_equal(
        found.labels, pj.components(graph, algorithm="dfs", device="reference").labels
    )


@pytest.mark.usefixtures("either_way")
def test_components_of_a_file_make_no_rows(device: Device, tmp_path: Path) -> None:
    file = tmp_path / "graph.el"
    file.write_text("# vertices 6 edges 3\n0 1\n1 2\n3 4\n")
    graph = pj.read(file)
    assert pj.components(graph, device=device).labels.tolist() == [0, 0, 0, 1, 1, 2]
    assert "_rows" not in vars(graph)
    assert pj.components(graph, algorithm="ecl-cc", device=device).labels.tolist() == [0, 0, 0, 1, 1, 2]
    assert "_rows" in vars(graph)


EDGES_FROM = {
    "arrays": lambda s, t, _: pj.Graph.from_edges(s, t),
    "a COO matrix": lambda s, t, _: pj.Graph.from_scipy(sp.coo_array((np.ones(len(s)), (s, t)))),
    "a file": lambda s, t, folder: _file_of(s, t, folder / "graph.el"),
    "networkx": lambda s, t, _: pj.Graph.from_networkx(nx.MultiDiGraph(list(zip(s, t, strict=True)))),
}


def _file_of(s: np.ndarray, t: np.ndarray, path: Path) -> pj.Graph:
    path.write_text("".join(f"{u} {v}\n" for u, v in zip(s, t, strict=True)))
    return pj.read(path)


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("source", EDGES_FROM)
def test_the_path_is_the_same_whatever_was_asked_before(source: str, device: Device, tmp_path: Path) -> None:
    s, t = np.array([0, 1, 3, 5]), np.array([1, 2, 4, 5])
    expected = pj.components((s, t), device=device)
    graph = EDGES_FROM[source](s, t, tmp_path)
    for ask in (
        lambda: None,
        lambda: graph.edges,
        lambda: graph.neighbors,
        lambda: graph.symmetric,
        lambda: pj.components(graph, algorithm="ecl-cc", device=device),
        lambda: pj.to_device(graph, device),
        lambda: pj.verify(graph, expected.labels),
        lambda: pj.spanning_forest(graph, device=device),
    ):
        ask()
        found = pj.components(graph, device=device)
        for fact in ("algorithm", "variant", "form"):
            assert found.stats.get(fact) == expected.stats.get(fact)
        assert found.count == expected.count


def test_rows_go_as_they_are_stored_where_that_is_enough(device: Device) -> None:
    """Rows that may hold an edge in one direction only are completed for those that need both."""
    for algorithm, choices, form in (
        ("auto", {}, "stored rows"),
        ("afforest", {"skip_largest": False}, "stored rows"),
        ("afforest", {}, "rows"),
        ("ecl-cc", {}, "rows"),
        ("rem", {}, "stored rows"),
        ("rem-cas", {"sampling": "fused"}, "rows"),
    ):
        found = pj.components(pj.Graph([0, 0, 1, 1], [0]), algorithm=algorithm, device=device, **choices)
        assert found.labels.tolist() == [0, 0, 1]
        assert found.stats["form"] == form, algorithm


def test_too_large_for_the_device_is_said(device: Device) -> None:
    from dataclasses import replace

    from pointerjump.accel.runtime.session import Session

    small = Session(replace(device, max_allocation=1000))
    with pytest.raises(pj.DeviceError, match=r"the graph's offsets needs .* in one buffer"):
        pj.DeviceGraph(NASTY["dense random"], small)


def test_a_device_queue_is_used(device: Device) -> None:
    import pyopencl as cl

    context = cl.Context([device.handle])
    queue = cl.CommandQueue(context)
    d = pj.to_device(([0, 1], [1, 2]), queue)
    assert d.session.queue == queue  # the same OpenCL queue, by an object of the session's own
    assert pj.components(d).count == 1
    assert pj.to_device(([0, 1], [1, 2]), queue).session is d.session


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pj.components(([0], [1]), algorithm="ecl-c"), "did you mean ecl-cc"),
        (lambda: pj.components(([0], [1]), algorithm="wylie"), "wylie is for list-ranking"),
        (lambda: pj.components(([0], [1]), algorithm="dfs", device="cpu"), "dfs has no kernels"),
        (
            lambda: pj.components(([0], [1]), algorithm="ecl-cc", device="reference", jump="far"),
            "jump=far: it must be one of",
        ),
        (
            lambda: pj.components(([0], [1]), algorithm="ecl-cc", device="reference", reads="atomic"),
            "has no variant 'reads'",
        ),
        (
            lambda: pj.components(([0], [1]), algorithm="afforest", device="reference", neighbor_rounds=-1),
            "whole number",
        ),
        (lambda: pj.components(([0], [1]), device="reference", labels="random"), "labels='random'"),
        (lambda: pj.list_rank([0], algorithm="ecl-cc"), "ecl-cc is for components"),
        (lambda: pj.components(([0], [1]), device="no such thing"), "no such thing"),
        (lambda: pj.components(([0], [1]), "ecl-cc"), "tuple is not a table.* algorithm='"),
        (lambda: pj.components([(0, 1)], src="a", dst="b"), "'src': did you mean the option source=[?]"),
        (lambda: pj.components([(0, 1)], algoritm="dfs"), "did you mean the option algorithm="),
        (lambda: pj.components([], dst="b", executor=0), "did you mean the option target="),
        (lambda: pj.list_rank([0], divice="cpu"), "did you mean the option device="),
        (lambda: pj.bridges([(0, 1)], devices="all"), "this function has no option devices="),
        (lambda: pj.label([[1]], conectivity=2), "did you mean the option connectivity="),
        (lambda: pj.minimum_spanning_forest([(0, 1)], [1], maximun=True), "did you mean the option maximum="),
        (
            lambda: pj.minimum_spanning_forest([(0, 1)], [1], device="reference", speed=9),
            "'speed': it has no variants$",
        ),
    ],
)
def test_wrong_calls_say_the_way_out(call: object, message: str) -> None:
    with pytest.raises(pj.PointerjumpError, match=message) as refused:
        call()
    assert "\n" not in str(refused.value)


def test_options_have_names_and_only_columns_a_place() -> None:
    places, options = {}, set()
    functions = {name: signature(getattr(pj, name)) for name in pj.__all__ if isfunction(getattr(pj, name))}
    for name, found in functions.items():
        if "variant" in found.parameters:
            parameters = list(found.parameters.values())
            places[name] = [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
            options |= {each.name for each in parameters[1:] if each.default is not each.empty}
    for call in (pj.components, pj.forest_of, pj.components_at):
        assert [*signature(call).parameters][1:3] == ["source", "target"]
    assert places["components"] == ["graph", "source", "target"]
    assert places["list_scan"] == ["successors", "values", "operator"]
    assert all(len(places[name]) == 1 for name in ("spanning_forest", "list_rank", "number_ids"))
    assert options == set(OPTIONS), "a misspelt one is told"


def test_importing_looks_for_no_device() -> None:
    code = (
        "import sys, pointerjump; "
        "assert 'pyopencl' not in sys.modules and 'numpy' not in sys.modules; "
        "pointerjump.Graph([0, 0], []); pointerjump.algorithms(); "
        "import pointerjump.graphs.connectivity, pointerjump.accel.runtime.devices; "
        "import pointerjump.accel.residents.graphs; "
        "assert 'pyopencl' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_components_of_edges_import_no_slow_library() -> None:
    code = (
        "import sys, pointerjump; assert pointerjump.components(([0, 1], [1, 2])).count == 1; "
        "assert not {'scipy.sparse', 'pyarrow', 'pandas', 'networkx'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_public_name_is_there() -> None:
    for name in pj.__all__:
        assert getattr(pj, name) is not None
    assert set(pj.__all__) <= set(dir(pj))
    with pytest.raises(AttributeError, match="nothing"):
        pj.nothing  # noqa: B018


@pytest.mark.parametrize("options", [{}, {"devices": "all"}, {"devices": ["cpu"]}])
def test_names_are_checked_before_a_file_is_read(options: dict[str, object], tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.egr"
    damaged.write_bytes(b"no graph")
    with pytest.raises(pj.AlgorithmError, match="no-such"):
        pj.components(damaged, algorithm="no-such", **options)
    with pytest.raises(pj.DeviceError):
        pj.to_device(damaged, device="no-such-device")
