"""``benches/zoo.py``: its shapes are the graphs they say they are, and its command finds what it should."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from pointerjump.accel.runtime.devices import devices
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.accel.tuning import TUNING
from pointerjump.bench import timing
from pointerjump.registry import ALGORITHMS, ask, parse_variant

BENCHES = Path(__file__).resolve().parents[2] / "benches"

zoo, runs, shapes = (import_module(name) for name in ("zoo", "zoo_runs", "zoo_shapes"))

on_a_device = pytest.mark.skipif(
    not any(device.works for device in devices()), reason="there is no OpenCL device that works"
)

TINY = runs.SIZES["tiny"]

# -- shapes ------------------------------------------------------------------------------------------

TREES = (
    *("path", "path-bit-reversed", "path-zigzag", "star-first", "star-middle", "star-last", "double-star"),
    *("binary-tree", "recursive-tree", "caterpillar", "broom", "comb", "spider"),
)
CONNECTED = (
    *("ring", "wheel", "lollipop", "complete", "clique-chain", "bipartite", "bipartite-2", "torus", "grid"),
    *("grid-3d", "torus-3d", "ladder", "strip", "triangular-mesh", "hypercube", "delaunay", "preferential"),
)
PARTS = {  # shapes whose components are of one size, and that size
    "edgeless": 1,
    "matching": 2,
    "matching-far": 2,
    "triangles": 3,
    "squares": 4,
    "rings": 8,
    "paths-10": 10,
    "xor-4": 16,
    "cliques-32": 22,
}


def sizes_of(edges: Any) -> list[int]:
    """Return the sizes of components, in ascending order."""
    shape = (edges.vertices, edges.vertices)
    matrix = coo_array((np.ones(len(edges.sources)), (edges.sources, edges.targets)), shape=shape)
    return sorted(np.bincount(connected_components(matrix, directed=False)[1]).tolist())


@pytest.mark.parametrize("name", shapes.SHAPES)
def test_a_shape_is_a_graph_of_its_size(name: str) -> None:
    for size in (TINY, runs.SIZES["small"]):
        made = shapes.SHAPES[name].build(size)
        assert 2 <= made.vertices <= size.vertices
        assert len(made.sources) == len(made.targets) <= size.edges
        ends = np.concatenate([made.sources, made.targets])
        assert ((ends >= 0) & (ends < made.vertices)).all()
    assert made.vertices > size.vertices / 2 or len(made.sources) > size.edges / 4, "it fills the zoo's size"


@pytest.mark.parametrize("name", shapes.SHAPES)
def test_components_and_orders(name: str) -> None:
    made = runs.each_once(shapes.SHAPES[name].build(TINY))
    sizes = sizes_of(made)
    if name in TREES:
        assert len(made.sources) == made.vertices - 1
    if name in TREES + CONNECTED:
        assert sizes == [made.vertices]
    if name in PARTS:
        assert set(sizes) == {PARTS[name]}
    mixed = runs.shuffled(made)
    assert sizes_of(mixed) == sizes
    degrees = [np.sort(np.bincount(np.concatenate([g.sources, g.targets]))) for g in (made, mixed)]
    assert degrees[0][degrees[0] > 0].tolist() == degrees[1][degrees[1] > 0].tolist()


def test_there_are_many_shapes_and_all_known_ones_exist() -> None:
    assert len(shapes.SHAPES) >= 40
    assert {*TREES, *CONNECTED, *PARTS} <= set(shapes.SHAPES)
    descriptions = [shape.description for shape in shapes.SHAPES.values()]
    assert len(set(descriptions)) == len(descriptions)


def test_some_shapes() -> None:
    two = shapes.SHAPES["two-halves"].build(TINY)
    without_last = shapes.Edges(two.vertices, two.sources[:-1], two.targets[:-1])
    assert len(sizes_of(without_last)) == len(sizes_of(two)) + 1
    assert set(sizes_of(shapes.SHAPES["xor-17-groups"].build(runs.SIZES["small"]))) == {1024}
    regular = shapes.SHAPES["regular-3"].build(TINY)
    assert set(np.bincount(np.concatenate([regular.sources, regular.targets]))) == {3}


def test_each_once() -> None:
    edges = shapes.Edges(5, np.array([3, 1, 2, 1, 4, 1]), np.array([2, 0, 3, 1, 0, 0]))
    found = runs.each_once(edges)
    assert list(zip(found.sources.tolist(), found.targets.tolist(), strict=True)) == [(3, 2), (1, 0), (4, 0)]


@pytest.mark.parametrize("order", runs.ORDERS)
def test_graphs_are_kept_in_both_forms(order: str, tmp_path: Path) -> None:
    specimen = runs.Specimen("groups", "tiny", order)
    runs.make(specimen, tmp_path)
    kept = runs.load(specimen, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == [specimen.file(tmp_path).name]
    assert kept.rows.directed_edges == 2 * len(kept.edges.edges_as_read.sources)
    assert kept.rows.symmetric
    assert (kept.rows.to_scipy() != kept.edges.in_rows().to_scipy()).nnz == 0
    roots = np.unique(kept.representatives)
    assert (kept.representatives[roots] == roots).all()
    assert kept.components == len(roots) == len(sizes_of(shapes.SHAPES["groups"].build(TINY)))


# -- candidates --------------------------------------------------------------------------------------


def test_all_candidates_are_variants_of_all_algorithms() -> None:
    names = zoo.all_candidates(every_variant=True)
    assert names[0] == zoo.AUTO
    for kind in TUNING.values():
        for name in names:
            algorithm, _, values = name.partition(":")
            ask("components", algorithm, parse_variant(values), kind)
    having = {name for name, each in ALGORITHMS.items() if each.problem == "components" and each.kernels}
    assert {name.partition(":")[0] for name in names} == {zoo.AUTO, *having}
    assert set(zoo.all_candidates()) < set(names)


def test_published_forms() -> None:
    assert zoo.published("afforest") == "afforest"
    assert zoo.published("afforest-edges") == "afforest-edges:init=own,batches=growing"


def test_a_list_of_candidates() -> None:
    text = "auto,afforest:init=first,one_in=16,galois"
    assert zoo.parse_candidates(text) == ["auto", "afforest:init=first,one_in=16", "galois"]


# -- what is left out --------------------------------------------------------------------------------


def record(size: str = "small", vertices: int = 8000, **ms: float) -> dict[str, Any]:
    """Return what may have been found on a path: ``auto`` and others, in ms."""
    rival = min((name for name in ms if name != "auto"), key=ms.__getitem__)
    return {
        "shape": "path",
        "size": size,
        "order": "generated",
        "form": "rows",
        "vertices": vertices,
        "stored": 2 * vertices,
        "components": 1,
        "chosen": "ecl-cc",
        "rival": rival,
        "ratio": ms["auto"] / ms[rival],
        "final": {name: ms[name] for name in ("auto", rival)},
        "ms": ms,
        "cost": {name: value / 1e3 for name, value in ms.items()},
        "skipped": {},
    }


def test_what_takes_too_long() -> None:
    small = record(auto=1, galois=2, bfs=50)
    items = 10 * (small["vertices"] + small["stored"])

    def reasons(longest: float, *earlier: dict[str, Any]) -> dict[str, str]:
        return zoo.too_long(list(earlier), ["galois", "bfs", "rem"], items, longest)

    assert list(reasons(4.99, small)) == ["bfs"], "it may grow with the square: 5 s"
    assert reasons(5.01, small) == {}
    assert list(reasons(0.019, small)) == ["galois", "bfs"], "nobody knows of rem"
    assert reasons(0.0) == {}


def test_what_was_skipped_stays_skipped() -> None:
    small, medium = record(auto=1, bfs=50), record("medium", 80_000, auto=10, galois=9)
    medium["skipped"] = zoo.too_long([small], ["bfs"], 240_000, longest=2)
    assert zoo.too_long([small, medium], ["bfs"], 2_400_000, longest=1e9) == medium["skipped"]


# -- the report --------------------------------------------------------------------------------------


def test_a_line_is_flagged() -> None:
    assert zoo.line(record(auto=1.3, galois=1)) == (
        "path small generated rows: auto 1.300 (ecl-cc), best 1.000 (galois), 1.30  <-- "
    )
    assert "<--" not in zoo.line(record(auto=1.2, galois=1))


def test_ratios_in_short() -> None:
    short = zoo.in_short([record(auto=2, galois=1), record(auto=1, galois=2)])
    assert short == "auto / best 1.000 by geometric mean, at most 2.00; above 1.25: 50% of 2"


def test_traps() -> None:
    found = zoo.traps([record(**{"auto": 1, "afforest": 1, "afforest:init=first": 30, "galois": 2})])
    assert found == {"afforest:init=first": (30, "path small generated rows")}
    table = zoo.trap_table([record(**{"auto": 1, "afforest": 1, "afforest:init=first": 30})])
    assert [list(column.cells) for column in table.columns] == [
        ["afforest:init=first"],
        ["30.0 <--"],
        ["path small generated rows"],
    ]


def test_results_are_merged() -> None:
    path = ["small", "generated", "path"]
    first = {"device": {}, "records": [], "left_out": [path, ["small", "generated", "ring"]]}
    second = {"device": {}, "records": [record(auto=1, galois=2)], "left_out": []}
    merged = zoo.merged([first, second, second])
    assert len(merged["records"]) == 1
    assert list(zoo.summary(merged))[-1].endswith("--sizes small --orders generated --shapes ring")


# -- the command -------------------------------------------------------------------------------------


@on_a_device
def test_the_command(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    what = ("--sizes", "tiny", "--shapes", "path,matching", "--candidates", "galois,afforest:init=first")
    command = [sys.executable, BENCHES / "zoo.py", *what, "--json", results]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "path tiny generated rows: auto " in done.stdout
    assert "all: auto / best " in done.stdout
    found = json.loads(results.read_text())["records"]
    assert [each["components"] for each in found] == [1, 1, 32, 32] * 2
    assert [each["stored"] for each in found] == [126, 63, 64, 32] * 2
    assert all(set(each["ms"]) >= {"auto", "galois"} and each["rival"] for each in found)


class Contest:
    """Stands for a graph on a device: a plan is the number of seconds that it takes on its clock."""

    def __init__(self) -> None:
        self.now = 0.0

    def run(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def quick_collections() -> Iterator[None]:
    """Let collections, of which each round begins with one, pass over what the other tests have made."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def contest(monkeypatch: pytest.MonkeyPatch) -> Contest:
    """A contest whose clock takes the place of the machine's."""
    contest = Contest()
    for module in (runs, timing):
        monkeypatch.setattr(module, "perf_counter", lambda: contest.now)
    return contest


@pytest.mark.parametrize(("auto", "galois"), [(2e-3, 1e-3), (1e-3, 2e-3)])
def test_auto_and_the_best_of_the_others(auto: float, galois: float, contest: Contest) -> None:
    plans, times = {"auto": auto, "rem": 3e-3, "galois": galois}, runs.Times()
    runs.in_turn(contest, plans, times)
    runs.final(contest, plans, times)
    assert times.rival == "galois"
    assert times.ratio == pytest.approx(auto / galois)
    assert set(times.final) == {"auto", "galois"}


def test_auto_is_its_own_rival() -> None:
    times = runs.Times(ms={"auto": 1.0, "rem": 2.0, "galois": 1.0})
    runs.final(Contest(), {"auto": "plan", "galois": "plan"}, times)
    assert (times.rival, times.ratio) == ("galois", 1)


def test_a_rival_far_behind() -> None:
    times = runs.Times(ms={"auto": 1.0, "rem": 4.0})
    runs.final(Contest(), {"auto": "plan"}, times)
    assert (times.rival, times.ratio) == ("rem", 0.25)


@on_a_device
def test_a_wrong_answer_is_noticed(tmp_path: Path) -> None:
    specimen = runs.Specimen("path", "tiny", "generated")
    runs.make(specimen, tmp_path)
    kept = runs.load(specimen, tmp_path)
    kept.representatives[7] = 7
    exhibit = runs.Exhibit(kept, "edges", session_for(None))
    with pytest.raises(SystemExit, match="auto: wrong answer: vertex 7 got 0, not 7"):
        runs.measure(exhibit, ["auto"], once=set(), skipped={})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--report", "no/such/file"], "zoo.py: [Errno 2] No such file or directory: 'no/such/file'"),
        (["--shapes", "pth"], "there is no 'pth': choose from path"),
    ],
)
def test_bad_input(
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["zoo.py", *arguments])
    with pytest.raises(SystemExit) as ended:
        zoo.main()
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


@on_a_device
@pytest.mark.usefixtures("quick_collections")
def test_no_time_is_left(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    what = ["--sizes", "tiny", "--shapes", "path", "--orders", "shuffled", "--candidates", "galois"]
    monkeypatch.setattr(sys, "argv", ["zoo.py", *what, "--minutes", "0"])
    monkeypatch.setattr(zoo, "make_all", lambda *_: None)  # no graph is looked at
    zoo.main()
    assert "no time was left for --sizes tiny --orders shuffled --shapes path" in capsys.readouterr().out


def test_sizes_that_are_needed() -> None:
    assert zoo.needed(["large", "small"]) == ["small", "medium", "large"]
    assert zoo.needed(["small", "tiny"]) == ["tiny", "small"]
