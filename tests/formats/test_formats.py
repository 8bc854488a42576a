"""Readers and writers of graph, list and label files: round trips, odd shapes, and the real graphs."""

from __future__ import annotations

import bz2
import csv
import gzip
import lzma
import os
import struct
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import pointerjump as pj
from pointerjump.errors import FormatError
from pointerjump.formats import FORMATS, parsing, read_labels, read_successors, write_labels, write_successors
from pointerjump.formats.sources import BLOCK

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
WRITTEN = [known for known in FORMATS if known.writer is not None]


def edges(graph: pj.Graph) -> set[tuple[int, int]]:
    """Return the undirected edges and self-loops of a graph."""
    return {
        (min(u, v), max(u, v)) for u, v in zip(graph.sources.tolist(), graph.neighbors.tolist(), strict=True)
    }


@st.composite
def graphs(draw: st.DrawFn) -> pj.Graph:
    """Draw a graph as files hold them: any directions, duplicates, loops, unsorted and empty rows."""
    n = draw(st.integers(0, 12))
    rows = [draw(st.lists(st.integers(0, n - 1), max_size=5)) for _ in range(n)]
    offsets = np.cumsum([0, *map(len, rows)])
    return pj.Graph(offsets, np.array([v for row in rows for v in row], np.int32))


def save(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# -- round trips -------------------------------------------------------------------------------------


@pytest.mark.parametrize("compression", ["", ".gz"])
@pytest.mark.parametrize("known", WRITTEN, ids=lambda known: known.name)
@settings(deadline=None, max_examples=20)
@given(graph=graphs())
def test_round_trip(known, compression, tmp_path_factory, graph):
    path = tmp_path_factory.mktemp(known.name) / f"graph{known.suffixes[0]}{compression}"
    pj.write(graph, path, format=known.name)
    # .npy is the one format that cannot say how many vertices there are.
    back = pj.read(path, vertices=graph.vertices if known.name == "npy" else None)
    assert back.vertices == graph.vertices
    assert edges(back) == edges(graph)
    assert back.names is None


@pytest.mark.parametrize("compression", [".bz2", ".xz", ".zst"])
@pytest.mark.parametrize("suffix", [".el", ".egr", ".mtx", ".npz"])
def test_other_compressions(tmp_path, suffix, compression):
    graph = pj.Graph.from_edges([0, 1, 5], [1, 2, 5], vertices=9)
    path = tmp_path / f"graph{suffix}{compression}"
    pj.write(graph, path)
    back = pj.read(path)
    assert (back.vertices, edges(back)) == (9, edges(graph))
    opened = {".bz2": bz2.open, ".xz": lzma.open}.get(compression)
    if opened:
        plain = tmp_path / f"plain{suffix}"
        pj.write(graph, plain)
        with opened(path) as file:
            assert file.read()[:8] == plain.read_bytes()[:8]


@pytest.mark.parametrize("known", WRITTEN, ids=lambda known: known.name)
def test_format_argument_beats_the_suffix(tmp_path, known):
    graph = pj.Graph.from_edges([0, 1], [1, 2])
    path = tmp_path / "graph.unheard-of"
    pj.write(graph, path, format=known.name)
    assert edges(pj.read(path, format=known.name)) == {(0, 1), (1, 2)}


def test_equal_graphs_make_equal_gz_files(tmp_path):
    graph = pj.Graph.from_edges([0, 1], [1, 2])
    pj.write(graph, tmp_path / "a.el.gz")
    pj.write(graph, tmp_path / "b.el.gz")
    assert (tmp_path / "a.el.gz").read_bytes() == (tmp_path / "b.el.gz").read_bytes()


@settings(deadline=None, max_examples=30)
@given(graph=graphs())
def test_scipy_reads_what_we_write_and_the_reverse(tmp_path_factory, graph):
    folder = tmp_path_factory.mktemp("scipy")
    pj.write(graph, folder / "a.mtx")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer ones warn that they will return another class
        matrix = sp.csr_array(scipy.io.mmread(folder / "a.mtx"))
    assert edges(pj.Graph.from_scipy(matrix)) == edges(graph)
    scipy.io.mmwrite(folder / "b.mtx", graph.to_scipy().astype(float).tocoo())
    assert edges(pj.read(folder / "b.mtx")) == edges(graph)
    for layout in ("csr", "csc", "coo", "bsr"):
        sp.save_npz(folder / "c.npz", graph.to_scipy().astype(np.int8).asformat(layout))
        assert edges(pj.read(folder / "c.npz")) == edges(graph)


@pytest.mark.parametrize(("rows", "expected"), [(4, {(0, 0), (1, 3)}), (2, {(0, 2), (1, 5)})])
def test_zeros_that_fill_blocks_and_diagonals_of_npz_are_not_edges(tmp_path, rows, expected):
    dense = np.zeros((rows, 4))
    dense[0, 0] = dense[1, 3] = 1
    for matrix in (sp.bsr_array(dense, blocksize=(2, 2)), sp.dia_array(dense)):
        sp.save_npz(tmp_path / "a.npz", matrix)
        assert edges(pj.read(tmp_path / "a.npz")) == expected


def test_formats_have_unique_names_and_one_reader_for_each_suffix_without_signature():
    assert len({known.name for known in FORMATS}) == len(FORMATS)
    for suffix in {s for known in FORMATS for s in known.suffixes}:
        sharing = [known for known in FORMATS if suffix in known.suffixes]
        assert sum(known.signature is None for known in sharing) <= 1


# -- binary formats ------------------------------------------------------------------------------------

# The path 0 - 1 - 2 and an isolated vertex, both directions stored.
OFFSETS, NEIGHBORS = (0, 1, 3, 4, 4), (1, 0, 2, 1)
WEIGHTS = (7, 7, 8, 8)
PATH = {(0, 1), (1, 2)}

EGR = {
    "32-bit": struct.pack("<2i5i4i", 4, 4, *OFFSETS, *NEIGHBORS),
    "64-bit": struct.pack("<2q5q4i", 4, 4, *OFFSETS, *NEIGHBORS),
    "32-bit n, 64-bit m": struct.pack("<iq5q4i", 4, 4, *OFFSETS, *NEIGHBORS),
}


@pytest.mark.parametrize("weights", [b"", struct.pack("<4i", *WEIGHTS)], ids=["plain", "weighted"])
@pytest.mark.parametrize("width", EGR)
def test_egr_widths(tmp_path, width, weights):
    graph = pj.read(save(tmp_path, "g.egr", EGR[width] + weights))
    assert (graph.vertices, edges(graph), graph.records) == (4, PATH, 4)


def test_egr_of_a_size_that_suits_two_widths(tmp_path):
    # Weighted with m = n + 2, so that it is as long as an unweighted one with 64-bit offsets.
    offsets, neighbors = (0, 2, 4, 5, 6), (1, 1, 0, 0, 3, 2)
    content = struct.pack("<2i5i6i6i", 4, 6, *offsets, *neighbors, *range(6))
    assert len(content) == 12 + 8 * 5 + 4 * 6
    graph = pj.read(save(tmp_path, "g.egr", content))
    assert (graph.vertices, edges(graph)) == (4, {(0, 1), (2, 3)})


def test_sg(tmp_path):
    body = struct.pack("<5q4i", *OFFSETS, *NEIGHBORS)
    graph = pj.read(save(tmp_path, "g.sg", struct.pack("<?2q", False, 4, 4) + body))
    assert (graph.vertices, edges(graph), graph.records) == (4, PATH, 4)


def test_directed_sg_gives_the_out_edges(tmp_path):
    out_edges = struct.pack("<4q2i", 0, 1, 2, 2, 1, 2)
    in_edges = struct.pack("<4q2i", 0, 0, 1, 2, 0, 1)
    graph = pj.read(save(tmp_path, "g.sg", struct.pack("<?2q", True, 2, 3) + out_edges + in_edges))
    assert (graph.vertices, edges(graph), graph.records) == (3, PATH, 2)


@pytest.mark.parametrize("directed", [False, True])
def test_wsg(tmp_path, directed):
    pairs = [x for pair in zip(NEIGHBORS, WEIGHTS, strict=True) for x in pair]
    body = struct.pack("<5q8i", *OFFSETS, *pairs)
    graph = pj.read(save(tmp_path, "g.wsg", struct.pack("<?2q", directed, 4, 4) + body * (1 + directed)))
    assert (graph.vertices, edges(graph)) == (4, PATH)


def test_wsg_is_only_read(tmp_path):
    with pytest.raises(FormatError, match="only be read"):
        pj.write(pj.Graph([0], []), tmp_path / "g.wsg")


@pytest.mark.parametrize("edge_bytes", [0, 4])
def test_galois_versions(tmp_path, edge_bytes):
    ends = OFFSETS[1:]
    for version, id_type in ((1, "I"), (2, "Q")):
        content = struct.pack(f"<4Q4Q4{id_type}", version, edge_bytes, 4, 4, *ends, *NEIGHBORS)
        graph = pj.read(save(tmp_path, "g.gr", content + bytes(4 * edge_bytes)))
        assert (graph.vertices, edges(graph)) == (4, PATH)


def test_galois_version_1_pads_an_odd_number_of_edges(tmp_path):
    odd = struct.pack("<4Q2QI", 1, 0, 2, 1, 1, 1, 1)
    assert edges(pj.read(save(tmp_path, "g.gr", odd + bytes(4)))) == {(0, 1)}
    with pytest.raises(FormatError, match="truncated"):
        pj.read(save(tmp_path, "g.gr", odd))
    odd = struct.pack("<4Q2QQ", 2, 0, 2, 1, 1, 1, 1)
    assert edges(pj.read(save(tmp_path, "g.gr", odd))) == {(0, 1)}


def test_binary_graphs_do_not_depend_on_their_file(tmp_path):
    path = save(tmp_path, "g.egr", EGR["32-bit"])
    graph = pj.read(path)
    path.write_bytes(bytes(len(EGR["32-bit"])))
    assert edges(graph) == PATH
    assert graph.neighbors.flags.aligned
    assert graph.neighbors.flags.writeable


@pytest.mark.parametrize("dtype", ["<i4", ">i4", "<i8", ">i8", "u1", "<u8"])
def test_npy_of_any_integers(tmp_path, dtype):
    np.save(tmp_path / "g.npy", np.array([[0, 1], [1, 2], [2, 1]], dtype))
    graph = pj.read(tmp_path / "g.npy")
    assert (graph.vertices, edges(graph), graph.records) == (3, PATH, 3)
    assert pj.read(tmp_path / "g.npy", vertices=7).vertices == 7


def test_npy_ids_are_compacted_like_those_of_edge_lists(tmp_path):
    np.save(tmp_path / "g.npy", np.array([[10**12, 5], [5, -3]]))
    with pytest.raises(FormatError, match=r"is -3, which is negative.*ids=\"compact\""):
        pj.read(tmp_path / "g.npy")
    graph = pj.read(tmp_path / "g.npy", ids="compact")
    assert graph.names.tolist() == [-3, 5, 10**12]
    assert edges(graph) == {(0, 1), (1, 2)}
    np.save(tmp_path / "none.npy", np.empty((0, 2), np.int64))
    assert pj.read(tmp_path / "none.npy", ids="compact").vertices == 0
    np.save(tmp_path / "h.npy", np.array([[2**64 - 1, 5]], np.uint64))
    assert pj.read(tmp_path / "h.npy").names.tolist() == [5, 2**64 - 1]


# -- matrices and text graphs --------------------------------------------------------------------------

MTX = "%%MatrixMarket matrix coordinate"


@pytest.mark.parametrize(
    ("text", "vertices", "expected", "records"),
    [
        (f"{MTX} pattern symmetric\n% note\n\n3 3 2\n2 1\n3 2\n", 3, PATH, 2),
        (f"{MTX} real general\n3 3 3\n1 2 0.5\n2 1 1e-3\n2 3 0\n", 3, PATH, 3),
        (f"{MTX} complex hermitian\r\n3 3 2\r\n2 1 0.5 1\r\n3 2 1 1\r\n", 3, PATH, 2),
        (f"{MTX.upper().replace('%%MATRIXMARKET', '%%MatrixMarket')} INTEGER GENERAL\n1 1 0", 1, set(), 0),
        (f"{MTX} pattern general\n2 3 2\n1 1\n2 3\n", 5, {(0, 2), (1, 4)}, 2),
        (f"{MTX} pattern general\n3 2 1\n  3   1\n", 5, {(2, 3)}, 1),
        (f"{MTX} pattern general\n0 0 0\n", 0, set(), 0),
        (f"{MTX} pattern general\n3 3 2\n% in the middle\n1 2\n% again\n2 3", 3, PATH, 2),
    ],
)
def test_mtx(tmp_path, text, vertices, expected, records):
    graph = pj.read(save(tmp_path, "g.mtx", text))
    assert (graph.vertices, edges(graph), graph.records) == (vertices, expected, records)


def test_rectangular_npz_is_bipartite(tmp_path):
    sp.save_npz(tmp_path / "g.npz", sp.coo_array(([1, 0], ([0, 1], [2, 0])), shape=(2, 3)))
    graph = pj.read(tmp_path / "g.npz")
    assert (graph.vertices, edges(graph)) == (5, {(0, 4), (1, 2)})


@pytest.mark.parametrize(
    ("text", "vertices", "expected"),
    [
        ("c a road\nc\np sp 4 2\na 1 2 803\na 2 3 7\n", 4, PATH),
        ("c a road\r\np sp 4 2\r\na 1 2 803\r\na 2 3 7", 4, PATH),
        ("p sp 4 2\nc 1 2 3\na  1\t2 5\nc in the middle\n\na 2 3 1 \n", 4, PATH),
        ("p sp 4 2\nc 1 2 3\na 1 2 5\na 2 3 1\n", 4, PATH),  # a comment shaped like an arc
        ("p edge 4 2\ne 1 2\ne 3 2\n", 4, PATH),
        ("p sp 3 0\n", 3, set()),
        ("p sp 3 0", 3, set()),
    ],
)
def test_dimacs(tmp_path, text, vertices, expected):
    graph = pj.read(save(tmp_path, "g.gr", text))
    assert (graph.vertices, edges(graph)) == (vertices, expected)


@pytest.mark.parametrize(
    "text",
    [
        "4 2\n2\n1 3\n2\n\n",
        "% c\n4 2 0\n 2 \n% middle\n\t1   3\n2\n\n\n\n",
        "4 2\r\n2\r\n1 3\r\n2\r\n\r\n",
        "4 2 1\n2 9\n1 9 3 8\n2 8\n\n",  # edge weights
        "4 2 001\n2 9\n1 9 3 8\n2 8\n\n",
        "4 2 10\n5 2\n5 1 3\n5 2\n5\n",  # vertex weights
        "4 2 010 2\n5 6 2\n5 6 1 3\n5 6 2\n5 6\n",
        "4 2 100\n5 2\n5 1 3\n5 2\n5",  # vertex sizes
        "4 2 111 3\n0 1 1 1 2 9\n0 1 1 1 1 9 3 8\n0 1 1 1 2 8\n0 1 1 1\n",
        "4 2 11\n1 2 9\n1 1 9 3 8\n1 2 8\n1",
    ],
)
def test_metis(tmp_path, text):
    graph = pj.read(save(tmp_path, "g.graph", text))
    assert (graph.vertices, edges(graph), graph.records) == (4, PATH, 4)


@pytest.mark.parametrize(
    ("name", "text", "vertices"),
    [
        ("g.mtx", f"{MTX} pattern general\n3 3 0\n", 3),
        ("g.gr", "p sp 3 0\n", 3),
        ("g.graph", "0 0\n", 0),
        ("g.graph", "0 0\n% c\n", 0),
        ("g.adj", "AdjacencyGraph\n0\n0\n", 0),
        ("g.adj", "WeightedAdjacencyGraph 0 0", 0),
        ("g.adj", "AdjacencyGraph\n2\n0\n0\n0\n", 2),
        ("g.el", "# c\n", 0),
        ("g.csv", "source,target\n", 0),
        ("g.csv", "source,target\n\n# c\n \n", 0),
    ],
)
@pytest.mark.parametrize("ids", ["auto", "keep", "compact"])
def test_no_edge_at_all(tmp_path, name, text, vertices, ids):
    numbered = name[1:] not in (".el", ".csv")
    if numbered and ids == "compact":
        return
    header = True if text.startswith("source") else None  # with no line below it, only the caller knows
    graph = pj.read(save(tmp_path, name, text), ids=ids, header=header)
    assert (graph.vertices, graph.records, graph.names) == (vertices, 0, None)


def test_metis_self_loops_once_or_twice_and_no_vertices(tmp_path):
    assert edges(pj.read(save(tmp_path, "g.graph", "2 2\n1 2\n1\n"))) == {(0, 0), (0, 1)}
    assert edges(pj.read(save(tmp_path, "g.graph", "2 2\n1 1 2\n1\n"))) == {(0, 0), (0, 1)}
    assert pj.read(save(tmp_path, "g.graph", "0 0\n")).vertices == 0


def test_metis_is_written_without_duplicates(tmp_path):
    pj.write(pj.Graph([0, 2, 4], [1, 1, 0, 0]), tmp_path / "g.graph")
    assert (tmp_path / "g.graph").read_text() == "2 1\n2\n1\n"


@pytest.mark.parametrize(
    "text",
    [
        "AdjacencyGraph\n4\n4\n0\n1\n3\n4\n1\n0\n2\n1\n",
        "AdjacencyGraph 4 4  0 1 3 4\r\n1 0 2 1",
        "WeightedAdjacencyGraph\n4\n4\n0\n1\n3\n4\n1\n0\n2\n1\n7\n7\n8\n8\n",
        "WeightedAdjacencyGraph\n4\n4\n0\n1\n3\n4\n1\n0\n2\n1\n7.5\n-7\n8e3\nnan\n",
    ],
)
@pytest.mark.parametrize("suffix", [".adj", ".ligra", ".AdjacencyGraph", ".txt"])
def test_ligra(tmp_path, text, suffix):
    graph = pj.read(save(tmp_path, "g" + suffix, text))
    assert (graph.vertices, edges(graph)) == (4, PATH)


def test_ligra_without_edges(tmp_path):
    assert pj.read(save(tmp_path, "g.adj", "AdjacencyGraph\n0\n0\n")).vertices == 0
    assert pj.read(save(tmp_path, "g.adj", "WeightedAdjacencyGraph\n2\n0\n0\n0\n")).vertices == 2


def test_shared_suffixes_are_told_apart_by_content(tmp_path):
    graph = pj.Graph.from_edges([0, 1], [1, 2], vertices=4)
    for name in ("galois", "dimacs"):
        pj.write(graph, tmp_path / "g.gr", format=name)
        assert (pj.read(tmp_path / "g.gr").vertices, edges(pj.read(tmp_path / "g.gr"))) == (4, PATH)
    for name in ("edges", "csv", "tsv", "mtx", "dimacs", "ligra"):
        pj.write(graph, tmp_path / "g.txt", format=name)
        assert (pj.read(tmp_path / "g.txt").vertices, edges(pj.read(tmp_path / "g.txt"))) == (4, PATH)
    pj.write(graph, tmp_path / "g.txt")
    assert (tmp_path / "g.txt").read_text() == "# vertices 4 edges 2\n0 1\n1 2\n"


# -- edge lists ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "0 1\n1 2\n",
        "0 1\n1 2",
        "0\t1\n1\t2\n",
        "0,1\n1,2\n",
        "0, 1\n1 ,2\n",
        "0 1\r\n1 2\r\n",
        "0 1\r1 2\r",
        "\ufeff0 1\n1 2\n",
        "\n\n0 1\n\n\n1 2\n\n",
        "   0 1\n 1 2\n",
        "0 1 \n1 2\n",
        "0 1  \n1   2\n",
        " 0   1\n1\t \t2\n",
        "0 1\n1\t2\n",
        "0\t1\n1 2\n",
        "0,1\n1 2\n",
        '"0","1"\n"1","2"\n',
        "# note\n% note\n\n  # note\n0 1\n1 2\n",
        "0 1\n# in the middle\n1 2\n  % and at the end",
        "0,1\n# in the middle\n1,2\n",
        "0\t1\n% in, the, middle\n1\t2\n",
        "0 1 0.5\n1 2 -3e4\n",
        "0 1 0.5\n1 2\n",
        "0 1\n1 2 0.5 20240101\n",
        "0,1,friend\n1,2,\n",
        '0,1,"a, b"\n1,2,c\n',
        "0 1 0x10\n1 2 0x11\n",
        "0 1 weight=3 # note\n1 2 # note\n",
        "from to\n0 1\n1 2\n",
        "FromNodeId\tToNodeId\tweight\n0\t1\t3\n1\t2\t3\n",
        "# c\nnode_1,node_2\n# c\n0,1\n1,2\n",
        "000 001\n01 2\n",
    ],
)
@pytest.mark.parametrize("suffix", [".el", ".txt", ".csv", ".tsv", ".edgelist"])
@pytest.mark.filterwarnings("ignore:.*'FromNodeId' and 'ToNodeId' as ids")
def test_shapes_of_edge_lists(tmp_path, text, suffix):
    graph = pj.read(save(tmp_path, "g" + suffix, text))
    assert (graph.vertices, edges(graph), graph.records) == (3, PATH, 2)
    assert graph.names is None
    assert edges(pj.read(save(tmp_path, f"g{suffix}.gz", gzip.compress(text.encode())))) == PATH


@settings(deadline=None)
@given(
    pairs=st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=30),
    shape=st.data(),
)
def test_edge_lists_of_mixed_shapes(tmp_path_factory, pairs, shape):
    blanks = st.text(" \t", max_size=3)
    text = ""
    for u, v in pairs:
        text += shape.draw(st.sampled_from(["", "", "", "# 1 2\n", "\n", " \t\n", "%\n"]))
        text += shape.draw(blanks) + str(u)
        text += shape.draw(st.one_of(blanks.map(lambda b: b + " "), st.just(" , ")))
        text += str(v) + shape.draw(st.sampled_from(["", " ", " 3.5", "\t-7 x"]))
        text += shape.draw(st.sampled_from(["\n", "\r\n"]))
    graph = pj.read(save(tmp_path_factory.mktemp("mixed"), "g.el", text))
    assert graph.records == len(pairs)
    assert edges(graph) == {(min(pair), max(pair)) for pair in pairs}


def test_edge_lists_longer_than_a_block(tmp_path):
    n = BLOCK // 8
    rows = [f"{i} {i + 1}" for i in range(n)]
    expected = pj.Graph.from_edges(np.arange(n), np.arange(1, n + 1))
    for text in (
        "\n".join(rows),
        "\n".join("  " + row.replace(" ", "   ") for row in rows),
        "\n".join(rows[:-1]) + "\n# note\n" + rows[-1],
        "\n".join(rows[:-1]) + "\n" + rows[-1] + " ragged",
    ):
        graph = pj.read(save(tmp_path, "g.el", text))
        assert np.array_equal(graph.offsets, expected.offsets)
        assert np.array_equal(graph.neighbors, expected.neighbors)


def test_the_counts_header_gives_the_vertices(tmp_path):
    graph = pj.read(save(tmp_path, "g.el", "# c\n# vertices 7 edges 2 ; and more\n0 1\n1 2\n"))
    assert (graph.vertices, edges(graph)) == (7, PATH)
    assert pj.read(save(tmp_path, "g.el", "# vertices 7 edges 0\n")).vertices == 7
    assert pj.read(save(tmp_path, "g.el", "# only a comment")).vertices == 0
    assert pj.read(save(tmp_path, "g.el", "\n")).vertices == 0
    # Vertices that are stated are no reason to renumber.
    graph = pj.read(save(tmp_path, "g.el", f"# vertices {2**24 + 2} edges 1\n0 {2**24 + 1}\n"))
    assert (graph.vertices, graph.names) == (2**24 + 2, None)


def test_the_snap_header_does_not(tmp_path):
    graph = pj.read(save(tmp_path, "g.txt", "# Nodes: 2 Edges: 9\n# FromNodeId\tToNodeId\n0\t9\n"))
    assert (graph.vertices, edges(graph)) == (10, {(0, 9)})


def test_vertices_argument(tmp_path):
    path = save(tmp_path, "g.el", "0 1\n1 2\n")
    assert pj.read(path, vertices=5).vertices == 5
    with pytest.raises(FormatError, match="not below the number of vertices, 2"):
        pj.read(path, vertices=2)
    path = save(tmp_path, "h.el", "# vertices 5 edges 1\n0 1\n")
    assert pj.read(path, vertices=5).vertices == 5
    with pytest.raises(FormatError, match="states 5 vertices, but vertices=6"):
        pj.read(path, vertices=6)
    with pytest.raises(FormatError, match="states 4 vertices, but vertices=6"):
        pj.read(save(tmp_path, "g.egr", EGR["32-bit"]), vertices=6)


@pytest.mark.parametrize(
    ("largest", "kept"), [(2**24 - 1, True), (2**24, False), (2**31 - 1, False), (2**63 - 1, False)]
)
def test_ids_auto_renumbers_absurdly_sparse_ids(tmp_path, largest, kept):
    graph = pj.read(save(tmp_path, "g.el", f"0 {largest}\n"))
    if kept:
        assert (graph.vertices, graph.names) == (largest + 1, None)
    else:
        assert (graph.vertices, graph.names.tolist()) == (2, [0, largest])


def test_ids_auto_keeps_large_ids_of_large_files(tmp_path):
    lines = 2**24 // 64 + 1
    largest = 64 * lines - 1
    assert largest >= 2**24
    path = save(tmp_path, "g.el", "0 1\n" * (lines - 1) + f"0 {largest}\n")
    assert pj.read(path).vertices == largest + 1
    path = save(tmp_path, "g.el", "0 1\n" * (lines - 1) + f"0 {largest + 1}\n")
    assert pj.read(path).vertices == 3


def test_ids_keep_and_compact(tmp_path):
    path = save(tmp_path, "g.el", "30 10\n10 -5\n30 30\n")
    for ids in ("auto", "keep"):
        with pytest.raises(FormatError, match=r"is -5, which is negative.*ids=\"compact\""):
            pj.read(path, ids=ids)
    graph = pj.read(path, ids="compact")
    assert graph.names.tolist() == [-5, 10, 30]
    assert edges(graph) == {(0, 1), (1, 2), (2, 2)}
    path = save(tmp_path, "h.el", f"0 {2**31 - 1}\n")
    with pytest.raises(FormatError, match=r"ids are 32-bit: at most .* ids=\"compact\""):
        pj.read(path, ids="keep")
    path = save(tmp_path, "h.el", f"0 {2**24 + 5}\n")
    assert pj.read(path, ids="keep").vertices == 2**24 + 6


def test_compact_ids_keep_the_stated_isolated_vertices(tmp_path):
    path = save(tmp_path, "g.el", "# vertices 4 edges 1\n900 7\n")
    graph = pj.read(path, ids="compact")
    assert (graph.vertices, graph.names.tolist()) == (4, [7, 900, None, None])
    with pytest.raises(FormatError, match="not below the number of vertices, 4"):
        pj.read(path)
    with pytest.raises(FormatError, match="there are 2 different ids, but 1 vertices"):
        pj.read(save(tmp_path, "h.el", "# vertices 1 edges 1\n900 7\n"), ids="compact")


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.integers(-(2**63), 2**63 - 1)] * 2), max_size=20))
def test_compact_ids_are_ascending(tmp_path_factory, pairs):
    text = "".join(f"{u} {v}\n" for u, v in pairs) or "# none"
    graph = pj.read(save(tmp_path_factory.mktemp("compact"), "g.el", text), ids="compact")
    if pairs:
        assert graph.names.tolist() == sorted({x for pair in pairs for x in pair})
        named = {tuple(graph.names[[u, v]].tolist()) for u, v in edges(graph)}
        assert named == {(min(pair), max(pair)) for pair in pairs}


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".el", "bob ann\nann cid\n"),
        (".el", "bob ann 3 4\nann cid 3 4"),
        (".el", "bob ann 3\nann  cid\n"),  # as many fields, if blanks were not runs
        (".el", "  bob  ann\r\nann cid\r\n"),
        (".el", "# c\nbob ann\n# c\nann cid\n"),
        (".el", "bob ann\n# comment\nann cid # 3\n"),
        (".csv", "bob,ann\nann,cid\n"),
        (".csv", "bob, ann,1\n ann ,cid\n"),
        (".csv", '"bob","ann"\nann,cid\n'),
        (".csv", "bob,ann\n\n# comm,ent\nann,cid\n"),
        (".tsv", "bob\tann\nann\tcid\n"),
        (".txt", "bob\tann\t2\nann\tcid\n"),
    ],
)
def test_string_ids(tmp_path, suffix, text):
    graph = pj.read(save(tmp_path, "g" + suffix, text), header=False)
    assert graph.names.tolist() == ["bob", "ann", "cid"]
    assert (edges(graph), graph.records) == (PATH, 2)


@pytest.mark.parametrize(
    ("name", "text", "names"),
    [
        ("g.csv", '"Smith, J.",Doe\nDoe,"O""Hara"\n', ["Smith, J.", "Doe", 'O"Hara']),
        ("g.csv", "New York,São Paulo\nSão Paulo,東京\n", ["New York", "São Paulo", "東京"]),
        ("g.tsv", "a, b\tc d\nc d\te\n", ["a, b", "c d", "e"]),
        ("g.txt", "a, b\tc d\nc d\te\n", ["a, b", "c d", "e"]),
        ("g.csv", "0xa1,0xb2\n0xb2,7\n", ["0xa1", "0xb2", "7"]),
        ("g.el", "1.5 2.5\n2.5 3\n", ["1.5", "2.5", "3"]),
        ("g.el", "+1 2\n2 x\n", ["+1", "2", "x"]),
        ("g.el", "x1 2\n2 +3\n", ["x1", "2", "+3"]),
        ("g.el", "a#1 b%2\nb%2 c\n", ["a#1", "b%2", "c"]),
    ],
)
def test_names_that_look_odd(tmp_path, name, text, names):
    graph = pj.read(save(tmp_path, name, text), header=False, ids="compact")
    assert graph.names.tolist() == names
    assert edges(graph) == PATH


def test_string_ids_with_stated_vertices_and_keep(tmp_path):
    path = save(tmp_path, "g.el", "# vertices 4 edges 2\nbob ann\nann bob\n")
    assert pj.read(path, header=False).names.tolist() == ["bob", "ann", None, None]
    with pytest.raises(FormatError, match='ids="keep" needs integers'):
        pj.read(path, ids="keep", header=False)


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.text("abxyz", min_size=1, max_size=2)] * 2), min_size=1, max_size=30))
def test_string_ids_are_numbered_as_they_appear(tmp_path_factory, pairs):
    text = "".join(f"{u},{v}\n" for u, v in pairs)
    graph = pj.read(save(tmp_path_factory.mktemp("names"), "g.csv", text), header=False)
    assert graph.names.tolist() == list(dict.fromkeys(x for pair in pairs for x in pair))
    named = {frozenset(graph.names[[u, v]].tolist()) for u, v in edges(graph)}
    assert named == {frozenset(pair) for pair in pairs}


# -- files ---------------------------------------------------------------------------------------------


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = save(tmp_path, "g.el", "old")
    graph = pj.Graph.from_edges([0], [1])
    monkeypatch.setattr(parsing, "write_columns", lambda *_: 1 // 0)  # after the header
    with pytest.raises(ZeroDivisionError):
        pj.write(graph, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_write_goes_through_a_link_and_keeps_the_usual_permissions(tmp_path):
    target = save(tmp_path, "target.el", "old")
    link = tmp_path / "link.el"
    link.symlink_to(target)
    pj.write(pj.Graph.from_edges([0], [1]), link)
    assert link.is_symlink()
    assert target.read_text() == "# vertices 2 edges 1\n0 1\n"
    assert target.stat().st_mode == save(tmp_path, "other", "").stat().st_mode


@pytest.mark.parametrize("name", ["missing/g.el", "folder.el"])
def test_write_says_why_it_cannot(tmp_path, name):
    (tmp_path / "folder.el").mkdir()
    with pytest.raises(FormatError, match=name):
        pj.write(pj.Graph([0], []), tmp_path / name)
    assert [p.name for p in tmp_path.iterdir()] == ["folder.el"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipes_are_read(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    program = f"open({str(pipe)!r}, 'wb').write(b'0 1\\n1 2\\n')"
    with subprocess.Popen([sys.executable, "-c", program]):
        assert edges(pj.read(pipe, format="edges")) == PATH


def test_pyarrow_is_not_imported_before_it_is_needed():
    program = "import sys, pointerjump.formats; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


# -- linked lists --------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["1\n2\n2\n", "# list\n1\n\n 2 \n% c\n2", "1\r\n2\r\n2\r\n"])
def test_successors_from_text(tmp_path, text):
    assert read_successors(save(tmp_path, "list.txt", text)).tolist() == [1, 2, 2]
    compressed = save(tmp_path, "list.txt.gz", gzip.compress(text.encode()))
    assert read_successors(compressed).tolist() == [1, 2, 2]


def test_successors_from_npy(tmp_path):
    np.save(tmp_path / "list.npy", np.array([1, 2, 2], np.uint32))
    assert read_successors(tmp_path / "list.npy").dtype == np.uint32
    assert read_successors(save(tmp_path, "none.txt", "# none\n")).tolist() == []
    np.save(tmp_path / "edges.npy", np.array([[1, 2]]))
    with pytest.raises(FormatError, match="a successor array is one-dimensional"):
        read_successors(tmp_path / "edges.npy")


@pytest.mark.parametrize("name", ["list.npy", "list.txt", "list.txt.gz", "list"])
@pytest.mark.parametrize("successors", [[1, 2, 2], [0]])
def test_successors_round_trip(tmp_path, name, successors):
    write_successors(tmp_path / name, np.array(successors, np.int32))
    assert read_successors(tmp_path / name).tolist() == successors


@pytest.mark.parametrize("text", ["1\n2 3\n", "1\nx\n", "1\n0x1\n", "1\n1.5\n", "", f"1\n{2**63}\n"])
def test_what_is_not_a_list_of_successors(tmp_path, text):
    with pytest.raises(FormatError, match=r"list\.txt: (line 2 is|is empty)"):
        read_successors(save(tmp_path, "list.txt", text))


# -- labels --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".npy", ".csv", ".tsv", ".csv.gz", ".tsv.gz", ".npy.gz"])
@pytest.mark.parametrize("labels", [[], [0, 0, 2], list(range(2**40, 2**40 + 50))])
def test_labels_round_trip(tmp_path, suffix, labels):
    write_labels(tmp_path / f"labels{suffix}", np.array(labels, np.int64))
    assert read_labels(tmp_path / f"labels{suffix}").tolist() == labels


@pytest.mark.parametrize(
    "names",
    [
        ["ann", "bob", "cid"],
        ["a,b", 'say "hi"', "tab\there"],
        [50, 7, 10**15],
        [("tu", "ple"), 3, None],
        ["0xff", "", "é"],
        np.array(["x", None, None], object),
    ],
)
@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_labels_with_names(tmp_path, names, suffix):
    path = tmp_path / f"labels{suffix}"
    write_labels(path, [5, 6, 5], names)
    assert read_labels(path).tolist() == [5, 6, 5]
    with path.open(newline="") as file:
        rows = list(csv.reader(file, delimiter="," if suffix == ".csv" else "\t"))
    assert rows[0] == ["vertex", "label"]
    assert rows[1][0] == str(names[0])


def test_the_shortest_label_file_and_list(tmp_path):
    assert read_labels(save(tmp_path, "labels.csv", "vertex,label\n")).tolist() == []
    assert read_labels(save(tmp_path, "labels.tsv", "vertex\tlabel")).tolist() == []
    assert read_successors(save(tmp_path, "list.txt", "\n")).tolist() == []


def test_labels_by_number_come_in_any_order(tmp_path):
    path = save(tmp_path, "labels.csv", "vertex,label\n2,7\n0,5\n1,6\n")
    assert read_labels(path).tolist() == [5, 6, 7]
    path = save(tmp_path, "labels.csv", '"vertex","label"\r\n2,7\r\n0,5\r\n9,6')
    assert read_labels(path).tolist() == [7, 5, 6]


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("a.csv", "", "is empty"),
        ("a.csv", "0,1\n", "does not begin with the line 'vertex,label'"),
        ("a.csv", "vertex,label\n0,1\n1\n", "line 3 is '1'"),
        ("a.csv", "vertex,label\n0,one\n", "line 2 is '0,one'"),
        ("a.csv", "vertex,label\n0,0x1\n", "line 2 is '0,0x1'"),
        ("a.csv", f"vertex,label\n0,{2**63}\n", "line 2 is"),
        ("a.csv", "vertex,label\n0,1\n0,2\n", "labels vertex 0 2 times"),
        ("a.npy", "text", "is damaged, or not what np.save writes"),
        ("a.txt", "vertex,label\n", "label files end in"),
    ],
)
def test_what_is_not_a_label_file(tmp_path, name, text, why):
    with pytest.raises(FormatError, match=why) as caught:
        read_labels(save(tmp_path, name, text))
    assert str(caught.value).startswith(str(tmp_path / name))


def test_labels_of_other_shapes(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((2, 2), int))
    with pytest.raises(FormatError, match="one-dimensional"):
        read_labels(tmp_path / "a.npy")
    with pytest.raises(FormatError, match="2 names for 3 labels"):
        write_labels(tmp_path / "a.csv", [0, 0, 0], ["x", "y"])
    with pytest.raises(FormatError, match=r"label files end in \.npy"):
        write_labels(tmp_path / "a.parquet", [0])
    assert not (tmp_path / "a.csv").exists()


# -- the real graphs -----------------------------------------------------------------------------------


def expected_rows() -> list[dict[str, str]]:
    if not DATA.is_dir():
        return []
    with (DATA / "expected.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no real graphs at {DATA}")
@pytest.mark.parametrize("row", expected_rows(), ids=lambda row: row["file"])
def test_real_graphs(row):
    graph = pj.read(DATA / row["file"])
    assert graph.vertices == int(row["vertices"])
    assert graph.records == int(row["lines_stored"])
    assert graph.edges == int(row["undirected_edges"])
    assert int(np.count_nonzero(graph.symmetrized().degrees == 0)) <= int(row["isolated_vertices"])
