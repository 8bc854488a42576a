"""Generators: the same graph everywhere, the shape the spec promises, one clear error otherwise."""

from __future__ import annotations

import hashlib
import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components
from scipy.spatial import Delaunay

import pointerjump.generators as generators
from pointerjump.base.graph import Graph
from pointerjump.base.linked_lists import require_lists
from pointerjump.errors import MemoryLimitError, SpecError
from pointerjump.generators import (
    GENERATORS,
    PRESETS,
    generate,
    generate_graph,
    generate_list,
    is_spec,
    makes_graph,
    positions_of,
)
from pointerjump.generators.draws import Bits, random_flips, random_ids, random_order, vertex_order
from pointerjump.generators.random_graphs import GRAPH500, _recursive_matrix

GRAPHS = [row for row in GENERATORS if row.kind == "graph"]
LISTS = [row for row in GENERATORS if row.kind == "list"]
BY_VERTICES = [row for row in GRAPHS if row.parameters[0].name == "vertices"]


def component_sizes(graph: Graph) -> list[int]:
    if graph.vertices == 0:
        return []
    _, labels = connected_components(graph.to_scipy().astype(np.int8), directed=False)
    return np.bincount(labels).tolist()


def digest(made: Graph | np.ndarray) -> str:
    """Hash what a spec makes, as little-endian words whatever the machine."""
    arrays = [made.offsets, made.neighbors] if isinstance(made, Graph) else [made]
    return hashlib.sha256(b"".join(a.astype("<i8").tobytes() for a in arrays)).hexdigest()[:16]


def check_symmetric(graph: Graph) -> None:
    """A graph written down as CSR claims to be symmetric: a fresh one has to find it true."""
    assert Graph(graph.offsets, graph.neighbors).symmetric


# -- the same on every machine -----------------------------------------------------------------

GOLDEN = {
    "kron:scale=9,degree=8": "750361448f2bf094",
    "kron:scale=12": "db41e7cdf78e0b12",
    "kron:scale=9,degree=8,loops=drop,seed=18446744073709551615": "f0e9994c0639a182",
    "rmat:scale=9,degree=8": "308bbf12ddcabc05",
    "rmat:scale=9,degree=8,a=0.55,b=0.1,c=0.1,noise=0.05": "18a346613a07c99d",
    "urand:scale=9": "673bdfa5441e6566",
    "urand:vertices=1000,degree=50": "3f0a330accd121f9",
    "ring:vertices=1000": "be9cfef24dca6445",
    "kout:vertices=1000": "a24d3ab44c8d7704",
    "union:vertices=1000,fraction=0.3": "727848d620be9a7c",
    "union:vertices=3000,fraction=0.3": "39e7abf298dab7dc",
    "grid2d:rows=30,columns=40,keep=0.62": "1d94ca6a10643a77",
    "torus:rows=30,columns=40,keep=0.62": "56ed17252ccb90f6",
    "road:rows=30,columns=40": "c6cbe84505f4fbed",
    "delaunay:vertices=1000": "31a506da8d56b184",
    "star:vertices=1000": "3add14427493321f",
    "path:vertices=1000": "8da3e8ab422d63ec",
    "path:vertices=1000,order=reverse": "4f668a7e0b363037",
    "path:vertices=1000,order=random": "ec88b5ea2717f6dd",
    "path:vertices=1000,order=bitreversed": "5734fdbeaa002db0",
    "tree:vertices=1000": "429a077dfb2526a8",
    "cliques:count=30,size=7": "92cb5117f9282094",
    "bipartite:left=30,right=70": "63fc37ee8f0c3406",
    "empty:vertices=1000": "6ef7cad281b0f497",
    "list:length=1000": "9849970b97ddabb4",
    "list:length=1000,order=reverse": "5a7537c5c2b39589",
    "lists:length=1000,count=30": "c13f114d7fd1cf2e",
}


@pytest.mark.parametrize("spec", GOLDEN)
def test_golden(spec: str) -> None:
    assert digest(generate(spec)) == GOLDEN[spec]


def test_golden_covers_every_generator() -> None:
    assert {spec.partition(":")[0] for spec in GOLDEN} == {row.name for row in GENERATORS}


def test_draws_do_not_depend_on_where_chunks_end(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = random_ids(Bits(1), 1000, 7)
    monkeypatch.setattr("pointerjump.generators.draws._CHUNK", 64)
    assert np.array_equal(random_ids(Bits(1), 1000, 7), whole)


@pytest.mark.parametrize(
    "spec",
    [
        "kron:scale=8",
        "rmat:scale=8",
        "rmat:scale=8,noise=0.05",
        "urand:scale=8",
        "ring:scale=8",
        "kout:scale=8",
        "union:scale=8,fraction=0.4",
        "grid2d:rows=9,columns=9,keep=0.5",
        "torus:rows=9,columns=9,keep=0.5",
        "road:rows=9,columns=9",
        "delaunay:scale=6",
        "path:scale=6,order=random",
        "list:length=64",
        "lists:length=64,count=8",
        "lists:length=64,count=8,order=sequential",
        "rmat16.sym:scale=8",
    ],
)
def test_seed_matters(spec: str) -> None:
    assert digest(generate(f"{spec},seed=1")) != digest(generate(f"{spec},seed=2"))


def test_default_seed_is_one() -> None:
    assert digest(generate("urand:scale=6")) == digest(generate("urand:scale=6,seed=1"))


# -- draws -------------------------------------------------------------------------------------


@given(st.integers(0, 300), st.integers(0, 2**64 - 1))
def test_random_order_is_a_permutation(count: int, seed: int) -> None:
    assert sorted(random_order(Bits(seed), count).tolist()) == list(range(count))


def test_random_order_moves_every_place_alike() -> None:
    bits = Bits(1)
    first = np.bincount([random_order(bits, 5)[0] for _ in range(5000)])
    assert np.all(np.abs(first - 1000) < 120)


def test_random_ids_are_uniform() -> None:
    counts = np.bincount(random_ids(Bits(1), 70_000, 7))
    assert len(counts) == 7
    assert np.all(np.abs(counts - 10_000) < 400)


@pytest.mark.parametrize("chance", [0.0, 0.25, 1.0])
def test_random_flips(chance: float) -> None:
    assert abs(random_flips(Bits(1), 40_000, chance).mean() - chance) < (0.01 if chance % 1 else 1e-9)


@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_recursive_matrix_meets_its_chances(noise: float) -> None:
    sources, targets = _recursive_matrix(Bits(1), 2, 100_000, GRAPH500, noise)
    for bit in (0, 1):
        quarter = 2 * (sources >> bit & 1) + (targets >> bit & 1)
        shares = np.bincount(quarter, minlength=4) / len(quarter)
        assert np.abs(shares - [0.57, 0.19, 0.19, 0.05]).max() < 0.006


# -- shapes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "vertices", "edges", "sizes"),
    [
        ("empty:vertices=5", 5, 0, [1] * 5),
        ("star:vertices=6", 6, 5, [6]),
        ("path:vertices=6", 6, 5, [6]),
        ("tree:vertices=11", 11, 10, [11]),
        ("cliques:count=3,size=5", 15, 30, [5] * 3),
        ("cliques:count=3,size=1", 3, 0, [1] * 3),
        ("cliques:count=3,size=0", 0, 0, []),
        ("bipartite:left=2,right=5", 7, 10, [7]),
        ("bipartite:left=0,right=3", 3, 0, [1] * 3),
        ("grid2d:rows=3,columns=4", 12, 17, [12]),
        ("grid2d:rows=1,columns=4", 4, 3, [4]),
        ("grid2d:rows=0,columns=4", 0, 0, []),
        ("grid2d:rows=4,columns=0", 0, 0, []),
        ("grid2d:rows=3,columns=4,keep=0", 12, 0, [1] * 12),
        ("torus:rows=3,columns=4", 12, 24, [12]),
        ("torus:rows=1,columns=1", 1, 0, [1]),
        ("torus:rows=2,columns=2", 4, 4, [4]),
        ("torus:rows=1,columns=5", 5, 5, [5]),
        ("torus:rows=0,columns=5", 0, 0, []),
        ("road:rows=3,columns=4,keep=1,diagonals=0,chain=0", 12, 17, [12]),
        ("road:rows=3,columns=4,keep=0,diagonals=1,chain=0", 12, 6, [3, 3, 2, 2, 1, 1]),
        ("road:rows=0,columns=4", 0, 0, []),
        ("road:rows=1,columns=1", 1, 0, [1]),
        ("ring:vertices=7,chords=0", 7, 7, [7]),
        ("urand:vertices=9,degree=0", 9, 0, [1] * 9),
        ("kout:vertices=9,k=0", 9, 0, [1] * 9),
        ("kout:vertices=9,k=200", 9, 36, [9]),
        ("kron:scale=0,loops=drop", 1, 0, [1]),
        ("kron:scale=3,degree=0", 8, 0, [1] * 8),
        ("rmat:scale=0,loops=drop", 1, 0, [1]),
        ("delaunay:vertices=3", 3, 3, [3]),
        ("union:vertices=1000,fraction=0.3", 1000, None, [300, 300, 300, 100]),
        ("union:vertices=1000,fraction=1", 1000, None, [1000]),
        ("union:vertices=1000,fraction=0.25", 1000, None, [250] * 4),
        ("union:vertices=64,degree=9,fraction=0.015625", 64, 0, [1] * 64),
    ],
)
def test_shape(spec: str, vertices: int, edges: int | None, sizes: list[int]) -> None:
    graph = generate_graph(spec)
    check_symmetric(graph)
    assert graph.vertices == vertices
    assert edges is None or graph.edges == edges
    assert sorted(component_sizes(graph), reverse=True) == sizes


@pytest.mark.parametrize("vertices", [0, 1, 2, 3])
@pytest.mark.parametrize("row", BY_VERTICES, ids=lambda row: row.name)
def test_tiny(row: generators.Generator, vertices: int) -> None:
    fraction = ",fraction=1" if row.name == "union" else ""
    graph = generate_graph(f"{row.name}:vertices={vertices}{fraction}")
    check_symmetric(graph)
    assert graph.vertices == vertices
    connected = row.name != "empty"
    assert len(component_sizes(graph)) == (min(vertices, 1) if connected else vertices)


@pytest.mark.parametrize("row", BY_VERTICES, ids=lambda row: row.name)
def test_scale_means_a_power_of_two(row: generators.Generator) -> None:
    assert digest(generate(f"{row.name}:scale=5")) == digest(generate(f"{row.name}:vertices=32"))


@pytest.mark.parametrize("row", GRAPHS, ids=lambda row: row.name)
def test_both_directions_each_once(row: generators.Generator) -> None:
    small = {"vertices": "scale=7", "scale": "scale=7", "rows": "rows=9,columns=14,keep=0.7"}
    graph = generate_graph(f"{row.name}:{small.get(row.parameters[0].name, '')}")
    check_symmetric(graph)
    pairs = np.stack([graph.sources, graph.neighbors], axis=1)
    assert len(np.unique(pairs, axis=0)) == graph.directed_edges > 0 or row.name == "empty"


@given(
    st.integers(0, 200),
    st.sampled_from(["natural", "reverse", "random", "bitreversed"]),
    st.integers(0, 9),
)
def test_path_is_a_path_in_every_order(vertices: int, order: str, seed: int) -> None:
    graph = generate_graph(f"path:vertices={vertices},order={order},seed={seed}")
    assert graph.edges == max(vertices - 1, 0)
    assert len(component_sizes(graph)) == min(vertices, 1)
    assert graph.degrees.max(initial=0) <= 2


def test_bit_reversed_path() -> None:
    assert vertex_order(Bits(1), 6, "bitreversed").tolist() == [0, 4, 2, 1, 5, 3]
    graph = generate_graph("path:vertices=8,order=bitreversed")
    ends = zip([0, 4, 2, 6, 1, 5, 3], [4, 2, 6, 1, 5, 3, 7], strict=True)
    assert digest(graph.symmetrized()) != digest(generate_graph("path:vertices=8"))
    assert {frozenset(e) for e in zip(graph.sources, graph.neighbors, strict=True)} == {
        frozenset(e) for e in ends
    }


def test_urand_draws_as_gap_does() -> None:
    graph = generate_graph("urand:scale=12,degree=16")
    assert graph.records == 16 << 12
    # 16 * 2**12 draws among 2**23 pairs: half a percent of them duplicates, one in 2**12 a loop.
    assert 0.99 * (32 << 12) < graph.directed_edges < 32 << 12


def test_loops_are_kept_or_dropped() -> None:
    kept, dropped = (generate_graph(f"urand:scale=8,loops={loops}") for loops in ("keep", "drop"))
    loops = np.count_nonzero(kept.sources == kept.neighbors)
    assert loops > 0
    assert np.count_nonzero(dropped.sources == dropped.neighbors) == 0
    assert dropped.directed_edges == kept.directed_edges - loops


def test_kron_is_rmat_renamed() -> None:
    kron = generate_graph("kron:scale=10,degree=16,seed=5")
    rmat = generate_graph("rmat:scale=10,degree=16,a=0.57,b=0.19,c=0.19,seed=5")
    assert sorted(kron.degrees) == sorted(rmat.degrees)
    assert rmat.degrees.argmax() == 0
    assert kron.degrees.argmax() != 0


def test_kout_picks_others() -> None:
    graph = generate_graph("kout:vertices=500,k=4")
    assert np.count_nonzero(graph.sources == graph.neighbors) == 0
    assert 0.97 * 2000 < graph.edges <= 2000
    assert graph.degrees.min() >= 2  # four picks of two others at the least, with this seed


def test_grid_keeps_the_fraction_asked_for() -> None:
    graph = generate_graph("grid2d:rows=200,columns=300,keep=0.62")
    assert abs(graph.edges / (199 * 300 + 200 * 299) - 0.62) < 0.01


def test_torus_wraps() -> None:
    degrees = generate_graph("torus:rows=5,columns=7").degrees
    assert degrees.min() == degrees.max() == 4


def test_road_is_sparse_and_full_of_chains() -> None:
    graph = generate_graph("road:rows=100,columns=100")
    assert 2.0 < graph.degrees.mean() < 2.5
    assert np.mean(graph.degrees == 2) > 0.5
    assert max(component_sizes(graph)) > 0.9 * graph.vertices


def test_delaunay_is_scipys() -> None:
    graph = generate_graph("delaunay:vertices=200,seed=3")
    points = (Bits(3).random_raw(400) >> np.uint64(11)) / 2.0**53
    triangles = Delaunay(points.reshape(200, 2)).simplices
    expected = Graph.from_edges(triangles.ravel(), np.roll(triangles, 1, 1).ravel(), vertices=200)
    assert digest(graph) == digest(expected)


# -- lists -------------------------------------------------------------------------------------


@given(st.integers(1, 200), st.data(), st.sampled_from(["random", "sequential", "reverse", "bitreversed"]))
def test_lists_are_lists(length: int, data: st.DataObject, order: str) -> None:
    count = data.draw(st.integers(1, length))
    successors = generate_list(f"lists:length={length},count={count},order={order}")
    require_lists(successors)
    assert np.count_nonzero(successors == np.arange(length)) == count
    heads = sorted(set(range(length)) - {int(s) for j, s in enumerate(successors) if s != j})
    visited = []
    for element in heads:
        visited.append(element)
        while successors[element] != element:
            element = int(successors[element])
            visited.append(element)
    assert sorted(visited) == list(range(length))


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("list:length=0", []),
        ("list:length=1", [0]),
        ("list:length=4,order=sequential", [1, 2, 3, 3]),
        ("list:length=4,order=natural", [1, 2, 3, 3]),
        ("list:length=4,order=reverse", [0, 0, 1, 2]),
        ("list:length=4,order=bitreversed", [2, 3, 1, 3]),
        ("lists:length=0,count=1", []),
        ("lists:length=3,count=3", [0, 1, 2]),
    ],
)
def test_list(spec: str, expected: list[int]) -> None:
    successors = generate_list(spec)
    assert successors.dtype == np.int32
    assert successors.tolist() == expected


def test_list_visits_every_element() -> None:
    successors = generate_list("list:length=5000,seed=4")
    require_lists(successors)
    assert np.count_nonzero(successors == np.arange(5000)) == 1


# -- presets -----------------------------------------------------------------------------------


def test_grid_preset_is_exact() -> None:
    graph = generate_graph("2d-2e20.sym")
    assert (graph.vertices, graph.directed_edges) == (1_048_576, 4_190_208)
    assert graph.degrees.min() == 2
    assert graph.degrees.max() == 4
    assert len(component_sizes(graph)) == 1


def test_rmat16_preset_is_near() -> None:
    graph = generate_graph("rmat16.sym")
    assert graph.vertices == 65_536
    assert np.count_nonzero(graph.sources == graph.neighbors) == 0
    assert graph.directed_edges == pytest.approx(967_866, rel=0.001)
    assert graph.degrees.max() == pytest.approx(569, rel=0.03)
    assert len(component_sizes(graph)) == pytest.approx(3_900, rel=0.03)
    assert graph.degrees.min() == 0
    assert digest(graph) == "79008fe62450fb26"


def test_preset_takes_its_generators_parameters() -> None:
    assert generate_graph("kron_g500-logn21:scale=6").vertices == 64
    assert generate_graph("delaunay_n24:scale=5").vertices == 32
    assert generate_graph("r4-2e23.sym:scale=6").degrees.min() >= 2


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_presets_name_a_generator(preset: generators.Preset) -> None:
    name = preset.spec.partition(":")[0]
    size = "rows=4,columns=4" if name == "grid2d" else "scale=4"
    assert generate_graph(f"{preset.name}:{size}").vertices == 16


# -- the table ---------------------------------------------------------------------------------


@pytest.mark.parametrize("row", GENERATORS, ids=lambda row: row.name)
def test_table_agrees_with_the_code(row: generators.Generator) -> None:
    names = [p.name for p in row.parameters]
    if "vertices" in names:
        names.remove("scale")
    assert names == list(inspect.signature(row.build).parameters)
    for parameter in row.parameters:
        if parameter.default is not None:
            assert parameter.read(str(parameter.default)) == parameter.default


@pytest.mark.parametrize("row", GENERATORS, ids=lambda row: row.name)
def test_table_examples_and_titles(row: generators.Generator) -> None:
    assert row.example.partition(":")[0] == row.name
    made = generate(f"{row.example}" if "scale=20" not in row.example else f"{row.name}:scale=8")
    assert isinstance(made, Graph) == (row.kind == "graph")
    assert all("\n" not in line for line in [row.title, *(p.meaning for p in row.parameters)])


def test_names_are_unique() -> None:
    names = [row.name for row in GENERATORS] + [preset.name for preset in PRESETS]
    assert len(set(names)) == len(names)


def test_kinds_and_places_are_known_beforehand() -> None:
    assert makes_graph("kron:scale=20")
    assert not makes_graph("list:length=4")
    assert positions_of("kron:scale=20") is None
    assert positions_of("grid2d:rows=2,columns=2").tolist() == [[0, 0], [1, 0], [0, -1], [1, -1]]
    assert positions_of("star:vertices=3").round(9).tolist() == [[0, 0], [0, 1], [0, -1]]


@pytest.mark.parametrize(
    "text", ["kron", "kron:scale=20", "2d-2e20.sym", "list:length=3", "kron:?", "kronn:k=3"]
)
def test_is_spec(text: str) -> None:
    assert is_spec(text)


@pytest.mark.parametrize("text", ["", "kron.mtx", "./kron", "Kron", "kronn", "a.sym", ":", "C:/a=b.mtx"])
def test_is_no_spec(text: str) -> None:
    assert not is_spec(text)


# -- errors ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("kroon:scale=3", "did you mean 'kron'? kron takes scale, degree, loops, seed"),
        ("rmat16", "did you mean 'rmat16.sym'? rmat takes scale"),
        ("qqq", "choose one of kron, rmat, urand"),
        ("", "choose one of kron"),
        ("kron:scal=3", "kron has no parameter 'scal'; kron takes scale, degree, loops, seed"),
        ("rmat16.sym:foo=1", "rmat has no parameter 'foo'"),
        ("kron:scale", "'scale' has no value: write name=value"),
        ("kron:scale=3,", "'' has no value"),
        ("kron:scale=3,scale=4", "scale is given twice"),
        ("kron:scale=x", "scale is 'x': it must be a whole number from 0 to 30"),
        ("kron:scale=3.5", "scale is '3.5'"),
        ("kron:scale=31", "scale is '31'"),
        ("kron:degree=-1", "degree is '-1': it must be a whole number from 0 up"),
        ("kron:seed=18446744073709551616", "from 0 to 18446744073709551615"),
        ("kron:loops=maybe", "loops is 'maybe': it must be keep or drop"),
        ("rmat:a=1.5", "a is '1.5': it must be a number from 0 to 1"),
        ("rmat:a=nan", "a is 'nan'"),
        ("rmat:a=0.9,b=0.9", "a + b + c is 1.95"),
        ("urand:scale=3,vertices=8", "vertices and scale say the same thing twice"),
        ("urand:vertices=2147483648", "it must be a whole number from 0 to 2147483647"),
        ("grid2d:rows=100000,columns=100000", "10000000000 vertices are too many: ids are 32-bit"),
        ("cliques:count=100000,size=100000", "vertices are too many"),
        ("bipartite:left=2000000000,right=2000000000", "vertices are too many"),
        ("road:rows=2,columns=2000000,chain=1000000", "too many"),
        ("union:vertices=10,fraction=0.01", "fraction is 0.01: of 10 vertices, that is less than one"),
        ("union:fraction=0", "fraction is '0'"),
        ("list:order=up", "order is 'up'"),
        ("lists:length=5,count=6", "count is 6: 5 elements make at most 5 lists"),
        ("lists:length=5,count=0", "count is '0'"),
    ],
)
def test_spec_errors(spec: str, says: str) -> None:
    with pytest.raises(SpecError) as caught:
        generate(spec)
    assert says in str(caught.value)
    assert str(caught.value).startswith(repr(spec))
    assert "\n" not in str(caught.value)


def test_newline_in_a_spec_stays_on_one_line() -> None:
    with pytest.raises(SpecError) as caught:
        generate("kron\n:scale=1")
    assert "\n" not in str(caught.value)


def test_wrong_kind() -> None:
    with pytest.raises(SpecError, match="'list' makes a list, not a graph: choose one of kron"):
        generate_graph("list")
    with pytest.raises(SpecError, match="'kron' makes a graph, not a list: choose one of list, lists"):
        generate_list("kron")


@pytest.mark.parametrize(
    "spec",
    [
        "urand:scale=30,degree=1000",
        "urand:scale=30,degree=99999999999999999999999",
        "cliques:count=1,size=2147483647",
    ],
)
def test_specs_that_take_more_memory_than_there_is(spec: str) -> None:
    with pytest.raises(MemoryLimitError, match=r"are free .*: ask for a smaller one"):
        generate(spec)


def test_running_out_of_memory_names_the_spec(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("pointerjump.generators.shapes.symmetric_graph", exhausted)
    with pytest.raises(MemoryLimitError, match=r"'empty:vertices=3'.*does not fit into memory"):
        generate("empty:vertices=3")
