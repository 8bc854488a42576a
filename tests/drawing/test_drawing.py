"""Pictures of runs: every algorithm is drawn, what is drawn is what happened, and too much is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest

import pointerjump as pj
from pointerjump import cli
from pointerjump.draw import EXAMPLE, Drawing, Frame, draw, picture
from pointerjump.draw.runs import EXAMPLE_LIST, MOST_AT_ALL, NOT_DRAWN
from pointerjump.draw.scenes import spring_layout
from pointerjump.registry import ALGORITHMS

DRAWN = [a.name for a in ALGORITHMS.values() if a.reference and a.problem not in NOT_DRAWN]
ON_GRAPHS = [name for name in DRAWN if ALGORITHMS[name].problem == "components"]
RANKINGS = [name for name in DRAWN if ALGORITHMS[name].problem == "list-ranking"]
SVG = "{http://www.w3.org/2000/svg}"


def panels_of(drawn: Drawing) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(drawn.svg()).iterfind(f"{SVG}g"))


@pytest.mark.parametrize("name", DRAWN)
def test_every_algorithm_is_drawn(name: str) -> None:
    drawn = draw(name)
    assert len(drawn.frames) >= 2, "something happens"
    assert len(panels_of(drawn)) == len(drawn.frames)
    page = drawn.html()
    assert page.count("<figure") == len(drawn.frames)
    assert page.count("<figure hidden>") == len(drawn.frames) - 1, "one at a time"
    assert not re.search(r"""(?:src|href)\s*=|@import|url\(""", page), "it needs no other file"
    assert "$" not in re.sub(r"\$\{[^}]*\}", "", page), "every place is filled in"


@pytest.mark.parametrize("name", DRAWN)
def test_every_frame_says_what_happens(name: str) -> None:
    frames = [frame for frame in draw(name).frames if frame.title != "at first"]
    assert all(frame.about for frame in frames)


@pytest.mark.parametrize("name", ON_GRAPHS)
@pytest.mark.parametrize("every", ["phase", "write"])
def test_the_last_frame_is_the_answer(name: str, every: str) -> None:
    """An algorithm may leave trees that are not flat to its caller, so roots are compared."""
    root = np.array(draw(name, every=every).frames[-1].roots())
    labels = pj.components(EXAMPLE, device="reference").labels
    for u in range(EXAMPLE.vertices):
        assert np.array_equal(root == root[u], labels == labels[u])


@pytest.mark.parametrize("name", RANKINGS)
def test_the_last_notes_are_the_ranks(name: str) -> None:
    ranks = pj.list_rank(EXAMPLE_LIST, device="reference")
    assert draw(name).frames[-1].notes == tuple(map(str, ranks))


@pytest.mark.parametrize(
    ("name", "axis", "value"), [("wylie", "packing", "none"), ("random-splitter", "packing", "48-bit")]
)
def test_variants_of_rankings(name: str, axis: str, value: str) -> None:
    usual, other = draw(name), draw(name, **{axis: value})
    assert [frame.notes for frame in other.frames] == [frame.notes for frame in usual.frames]


def test_the_scan_counts() -> None:
    assert draw("list-scan", [1, 2, 3, 3]).frames[-1].notes == ("1", "2", "3", "4")


def test_wylies_pointers_double() -> None:
    spans = [frame.pointers[0] for frame in draw("wylie", [1, 2, 3, 4, 5, 6, 7, 8, 8]).frames]
    assert spans == [1, 2, 4, 8]


def test_a_spanning_forest_is_drawn_thick() -> None:
    drawn = draw("spanning-forest", "cliques:count=2,size=4")
    chosen = drawn.frames[-1].chosen
    assert len(chosen) == 6
    assert pj.components(list(chosen)).count == 2
    thick = [
        line for line in panels_of(drawn)[-1].iterfind(f"{SVG}path") if line.get("stroke-width") == "2.4"
    ]
    assert len(thick) == 6


def test_labels_of_an_image() -> None:
    mask = np.array([[1, 0, 1], [1, 1, 0], [0, 0, 1]], bool)
    drawn = draw("two-pass", mask)
    labels = pj.label(mask, device="reference")
    first_pixels = [tuple(int(c) for c in place)[::-1] for place in drawn.scene.positions]
    assert drawn.frames[-1].notes == tuple(str(labels[pixel]) for pixel in first_pixels)
    assert len(drawn.scene.cells) == 9


def test_equal_ids_find_one_slot() -> None:
    frame = draw("interning", ["x", "y", "x", "z", "y"]).frames[-1]
    assert frame.pointers[0] == frame.pointers[2] != frame.pointers[1] == frame.pointers[4]
    assert frame.notes[:5] == ("0", "1", "0", "2", "1")


def test_a_grid_is_drawn_as_one() -> None:
    drawn = draw("afforest", "grid2d:rows=2,columns=3")
    assert drawn.scene.positions == ((0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1))


def test_known_positions_are_kept() -> None:
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, {0: (0, 0), 1: (5, 5), 2: (10, 0)}, "pos")
    of_nodes = draw("bfs", graph).scene.positions
    asked = draw("bfs", ([0, 1], [1, 2]), positions=[(0, 0), (5, 5), (10, 0)]).scene.positions
    assert of_nodes == asked
    assert asked[1][1] == 0, "upwards"
    assert asked[0][1] == asked[2][1] > 0


@pytest.mark.parametrize(
    "spec",
    [
        "ring:vertices=12,chords=0",
        "tree:vertices=15",
        "star:vertices=9",
        "cliques:count=3,size=4",
        "grid2d:rows=3,columns=5",
        "empty:vertices=7",
    ],
)
def test_springs_keep_vertices_apart(spec: str) -> None:
    """Also those of different components, and those that look alike, as a star's leaves."""
    graph = pj.generate(spec)
    place = spring_layout(graph.to_scipy())
    apart = np.sqrt(((place[:, None] - place[None]) ** 2).sum(axis=2)) + 9 * np.eye(graph.vertices)
    assert apart.min() > 0.45
    assert np.array_equal(place, spring_layout(graph.to_scipy())), "the same every time"


@pytest.mark.parametrize(
    "spec",
    [
        "tree:vertices=7",
        "ring:vertices=9,chords=0",
        "star:vertices=6",
        "path:vertices=8,order=random",
        "bipartite:left=3,right=4",
        "torus:rows=3,columns=4",
        "delaunay:vertices=12",
    ],
)
def test_generators_that_know_where_vertices_are(spec: str) -> None:
    positions = draw("dfs", spec).scene.positions
    assert len(set(positions)) == pj.generate(spec).vertices


def test_options_that_would_change_nothing_are_refused() -> None:
    for name in ("wylie", "two-pass", "interning"):
        with pytest.raises(
            pj.GraphError, match=f"layout and positions are for graphs: leave them out for {name}"
        ):
            draw(name, layout="line")


def test_afforest_links_the_rest_after_it_has_skipped() -> None:
    """The example shows what is special about it."""
    titles = [frame.title for frame in draw("afforest").frames]
    assert titles.index("after find largest") < titles.index("after link the rest")
    before, after = (draw("afforest").frames[titles.index("after link the rest") + k] for k in (-1, 0))
    assert before.pointers != after.pointers


def test_a_frame_for_each_write_says_who_writes_what() -> None:
    run = draw("ecl-cc", ([3, 7, 1, 5], [7, 1, 4, 2]), every="write")
    assert [frame.title for frame in run.frames] == [
        "at first",
        "init at 4: 4 is hooked under 1",
        "init at 5: 5 is hooked under 2",
        "init at 7: 7 is hooked under 1",
        "compute at 7: 3 is hooked under 1",
    ]


def test_levels_of_rehman_are_seen() -> None:
    titles = [frame.title for frame in draw("rehman").frames]
    assert "after RS3" in titles
    assert titles[-1] == "after expand"
    assert "after RS3" not in [frame.title for frame in draw("rehman", one_group=256).frames]


def test_more_vertices_when_asked() -> None:
    with pytest.raises(
        pj.GraphError, match=r"there are 41 vertices, and a picture shows up to 40: .*most=41"
    ):
        draw("ecl-cc", "path:vertices=41")
    assert len(draw("ecl-cc", "path:vertices=41", most=41).scene.positions) == 41
    with pytest.raises(pj.GraphError, match=rf"up to {MOST_AT_ALL}: draw fewer"):
        draw("ecl-cc", "path:vertices=9999", most=9999)
    assert draw("afforest", "delaunay:vertices=800", most=800).scene.sizes[1][1] > 2000, "edges"
    with pytest.raises(pj.GraphError, match="edges, and a picture shows up to 20000"):
        draw("ecl-cc", "cliques:count=1,size=300", most=300)
    with pytest.raises(pj.GraphError, match="there are 9 pixels, and a picture shows up to 4"):
        draw("two-pass", np.ones((3, 3), bool), most=4)


def test_a_run_with_too_many_frames_is_refused() -> None:
    with pytest.raises(pj.GraphError, match="draw it phase by phase"):
        draw("label-propagation", "path:vertices=900", most=900, every="write")


@pytest.mark.parametrize("vertices", [0, 1])
@pytest.mark.parametrize("name", ON_GRAPHS)
def test_tiny_graphs(name: str, vertices: int) -> None:
    drawn = draw(name, pj.Graph.from_edges([], [], vertices=vertices))
    ElementTree.fromstring(drawn.svg())
    assert drawn.html().endswith("</html>\n")


@pytest.mark.parametrize("name", [*RANKINGS, "list-scan"])
@pytest.mark.parametrize("successors", [[], [0], [0, 1], [1, 1, 2]])
def test_tiny_lists(name: str, successors: list[int]) -> None:
    ElementTree.fromstring(draw(name, np.array(successors, np.int32)).svg())


@pytest.mark.parametrize("name", [a.name for a in ALGORITHMS.values() if a.problem in NOT_DRAWN])
def test_what_has_no_picture_is_refused(name: str) -> None:
    for input in (None, [0, 0, 1]):
        with pytest.raises(pj.AlgorithmError, match=f"{name} cannot be drawn"):
            draw(name, input)


def test_states_made_by_hand() -> None:
    graph = pj.Graph.from_edges([0, 1], [1, 2])
    frames = [Frame("a < b", [0, 1, 2]), Frame("then", [0, 0, 1], notes=["x", "&", "z"], marked={1})]
    drawn = Drawing(frames, graph=graph, layout="line")
    panels = panels_of(drawn)
    assert [len(panel.findall(f"{SVG}rect")) for panel in panels] == [0, 1]
    assert "&" in [text.text for text in panels[1].iterfind(f"{SVG}text")]
    assert drawn._repr_html_().count("<svg") == 2
    assert "a &lt; b" in drawn.html()


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (Frame("x", [0, 1]), "give a pointer for each of the 3 elements"),
        (Frame("x", [0, 1, 2], notes=["a"]), "a note for each or none"),
        (Frame("x", [0, 1, 3]), "points to what is not there"),
    ],
)
def test_frames_must_fit(frame: Frame, message: str) -> None:
    with pytest.raises(pj.GraphError, match=message):
        Drawing([frame], graph=pj.Graph.from_edges([0, 1], [1, 2]))


def test_what_is_not_drawn() -> None:
    with pytest.raises(pj.GraphError, match="nothing to draw"):
        Drawing([])
    with pytest.raises(pj.AlgorithmError, match="there is no algorithm 'magic'"):
        draw("magic")
    with pytest.raises(pj.GraphError, match="layout is 'round': choose one of"):
        draw("dfs", layout="round")  # type: ignore[arg-type]
    with pytest.raises(pj.GraphError, match="positions must be 14 pairs of finite numbers"):
        draw("dfs", positions=[(0, 0)])
    with pytest.raises(pj.ImageError, match="a picture shows two"):
        draw("two-pass", np.ones((2, 2, 2), bool))
    with pytest.raises(pj.FormatError, match=r"run\.pdf: pictures are written as"):
        draw("dfs").save("run.pdf")


def test_a_graph_alone() -> None:
    root = ElementTree.fromstring(picture("star:vertices=6"))
    assert len(root.findall(f"{SVG}circle")) == 6
    assert len(root.findall(f"{SVG}path")) == 5


def test_a_png_is_one(tmp_path: Path) -> None:
    path = tmp_path / "run.png"
    draw("groute").save(path)
    assert path.read_bytes().startswith(b"\x89PNG\r\n")


def test_without_matplotlib_a_png_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pointerjump.draw.canvases.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"run\.png: .*pip install 'pointerjump\[plot\]', or write a \.svg"):
        draw("groute").save(tmp_path / "run.png")
    assert not list(tmp_path.iterdir())


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "run.html"
    assert (
        cli.run(["draw", "wylie", "list:length=50,order=natural", "--most", "50", "-o", str(page), "--json"])
        == 0
    )
    document = json.loads(capsys.readouterr().out)
    assert document["elements"] == 50
    assert document["frames"] == page.read_text().count("<figure") == 7


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("draw two-pass mask.npy -o x.svg", "mask.npy: leave it out"),
        ("draw wylie list:length=41 -o x.svg", "there are 41 elements"),
        ("draw wylie list:length=4 -o x.svg --vertices 9", "--vertices is for graphs in files"),
        ("draw ecl-cc -o x.pdf", "x.pdf: pictures are written as .svg, .png or .html"),
        ("draw ecl-cc --variant jump=7 -o x.svg", "jump=7"),
    ],
)
def test_bad_lines(
    line: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.run(line.split()) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("seed", range(12))
def test_contracted_graphs_give_their_answer_back(seed: int) -> None:
    graph = pj.generate(f"urand:vertices=16,degree=2,seed={seed}")
    root = np.array(draw("nd-hybrid", graph, every="phase").frames[-1].roots())
    labels = pj.components(graph, device="reference").labels
    assert [set(np.flatnonzero(root == r)) for r in dict.fromkeys(root)] == [
        set(np.flatnonzero(labels == k)) for k in dict.fromkeys(labels)
    ]


def test_positions_of_networkx_layouts() -> None:
    graph = nx.karate_club_graph()
    places = {v: np.array([np.cos(v), np.sin(v), 7.0]) for v in graph}
    nx.set_node_attributes(graph, places, "pos")
    flat = [place[:2] for place in places.values()]
    assert draw("bfs", graph).scene.positions == draw("bfs", graph, positions=flat).scene.positions


@pytest.mark.parametrize("pos", [1, 1.5, 1j, "12", {1, 2}, None, (1,), ("a", "b"), (1j, 2)])
def test_what_is_no_position_is_not_used(pos: object) -> None:
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, dict.fromkeys(graph, pos), "pos")
    assert draw("bfs", graph).scene.positions == draw("bfs", ([0, 1], [1, 2])).scene.positions


@pytest.mark.parametrize(
    "positions", [[(10**400, 0)] * 14, [(1e308, -1e308)] * 14, [(1j, 0)] * 14, [("a", "b")] * 14, 7, [[0, 1]]]
)
def test_positions_that_are_none(positions: Any) -> None:
    with pytest.raises(pj.GraphError, match="positions must be 14 pairs of finite numbers"):
        draw("bfs", positions=positions)


@pytest.mark.parametrize(
    "input",
    [
        pytest.param("empty:vertices=7", id="no edges"),
        pytest.param("path:vertices=1", id="one vertex"),
        pytest.param("path:vertices=0", id="no vertex"),
    ],
)
@pytest.mark.parametrize("every", ["auto", "phase", "write"])
@pytest.mark.parametrize("name", [*ON_GRAPHS, "spanning-forest"])
def test_a_run_that_changes_nothing_has_a_frame(name: str, every: str, input: str) -> None:
    drawn = draw(name, input, every=every)
    assert drawn.frames
    assert drawn.html().count("<figure") == len(drawn.frames)


@pytest.mark.parametrize("name", [*RANKINGS, "list-scan"])
def test_one_element_has_its_rank_at_last(name: str) -> None:
    assert draw(name, [0], every="write").frames


@pytest.mark.parametrize(
    "name", ["\x00", "\x01\x0b\x1f", "\ufffe", "\ud800", "a\tb\r", "x" * 1000, "<&>", "🙂"]
)
def test_any_id_makes_a_picture(name: str) -> None:
    drawn = draw("interning", [name, "b", name])
    drawn.title = name
    ElementTree.fromstring(drawn.svg())
    drawn.html().encode()


@pytest.mark.parametrize("ids", ["hello", 5])
def test_ids_are_a_list(ids: Any) -> None:
    with pytest.raises(pj.GraphError, match="give a list of them"):
        draw("interning", ids)


@pytest.mark.parametrize("most", ["40", None, [40], float("nan"), True, 0, -1])
def test_most_is_a_number_from_1(most: Any) -> None:
    with pytest.raises(pj.GraphError, match=r"^most is "):
        draw("bfs", most=most)


@pytest.mark.parametrize("columns", ["2", 0, -1, 1.5])
def test_columns_are_a_number_from_1(columns: Any) -> None:
    with pytest.raises(pj.GraphError, match=r"^columns is "):
        draw("bfs").svg(columns)


@pytest.mark.parametrize("pointers", ["abc", [float("nan")], None, [0.5]])
def test_pointers_are_integers(pointers: Any) -> None:
    with pytest.raises(pj.GraphError, match="the frame 'x' cannot be drawn"):
        Frame("x", pointers)


@pytest.mark.parametrize("successors", [[1, 2, 1], [2, 2, 2], [1, 0]])
def test_states_by_hand_are_of_lists(successors: list[int]) -> None:
    with pytest.raises(pj.ListError):
        Drawing([], successors=successors)


def test_states_by_hand_on_any_graph() -> None:
    assert len(Drawing([], graph=[(0, 1), (1, 2)], title=None).scene.positions) == 3  # type: ignore[arg-type]


def test_edges_count_too() -> None:
    with pytest.raises(pj.GraphError, match="too much for a picture"):
        draw("afforest", "cliques:count=1,size=180", every="write", most=180)
    with pytest.raises(pj.GraphError, match=r"too much for a \.png"):
        draw("ecl-cc", "delaunay:vertices=2000", most=2000).png()
