"""Files that are not what they say: each gives one FormatError, of one line, with the file's name."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import pointerjump as pj
from pointerjump.errors import FormatError, MemoryLimitError
from pointerjump.formats import FORMATS

# Text ids, without a header to tell them from one.
pytestmark = pytest.mark.filterwarnings("ignore::pointerjump.FormatWarning")

BINARY = [known for known in FORMATS if known.has("binary") and known.writer]
TEXT = [known for known in FORMATS if not known.has("binary")]
BIG = 2**63

MTX = "%%MatrixMarket matrix coordinate pattern general\n"


def egr(n: int, m: int, offsets: list[int], neighbors: list[int]) -> bytes:
    return np.array([n, m, *offsets, *neighbors], "<i4").tobytes()


def sg(n: int, m: int, offsets: list[int], neighbors: list[int], directed: int = 0) -> bytes:
    head = struct.pack("<B2q", directed, m, n)
    return head + np.array(offsets, "<i8").tobytes() + np.array(neighbors, "<i4").tobytes()


def galois(version: int, n: int, m: int, ends: list[int], targets: list[int]) -> bytes:
    head = np.array([version, 0, n, m, *ends], "<u8").tobytes()
    return head + np.array(targets, "<u4" if version == 1 else "<u8").tobytes()


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


def npz(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


MALFORMED = [
    ("g.el", f"{BIG} 3\n-1 2\n".encode(), "line 2 is .*no integer type holds its ids and those"),
    # ECLgraph
    ("g.egr", b"", "is empty"),
    ("g.egr", b"\1\0\0", "too short for the 8 bytes of an .egr header"),
    ("g.egr", egr(2, 2, [0, 1, 2], [1, 0])[:-1], "fits no .egr header.*2 vertices, 2 directed edges"),
    ("g.egr", egr(2, 2, [0, 1, 2], [1, 0]) + b"\0", "fits no .egr header"),
    ("g.egr", egr(-2, 2, [], []), "fits no .egr header"),
    ("g.egr", egr(2**31 - 1, 2**31 - 1, [0], []), "fits no .egr header"),
    ("g.egr", struct.pack("<2q", 2**62, 2**62), "fits no .egr header"),
    ("g.egr", egr(2, 2, [0, 1, 2], [1, 2]), r"neighbors\[1\] is 2.* not below the number of vertices"),
    ("g.egr", egr(2, 2, [0, 1, 2], [1, -1]), r"neighbors\[1\] is -1, which is negative"),
    ("g.egr", egr(2, 2, [1, 1, 2], [1, 0]), r"offsets\[0\] is 1"),
    ("g.egr", egr(2, 2, [0, 1, 1], [1, 0]), "the last offset is 1"),
    ("g.egr", egr(2, 2, [0, 3, 2], [1, 0]), "offsets fall from 3 to 2 at vertex 1"),
    # GAP
    ("g.sg", b"", "is empty"),
    ("g.sg", b"\0\0", "too short for the 17 bytes of a GAP header"),
    ("g.sg", sg(2, 2, [0, 1, 2], [1, 0])[:-1], "is truncated: .*2 vertices and 2 directed edges"),
    ("g.sg", sg(2, 2, [0, 1, 2], [1, 0]) + b"\0", "is longer than its header says"),
    ("g.sg", sg(2, 2, [0, 1, 2], [1, 0], directed=1), "is truncated.*2 out-edges"),
    ("g.sg", sg(2, 2, [0, 1, 2], [1, 0], directed=2), "begins with byte 2"),
    ("g.sg", sg(-2, 2, [], []), "states -2 vertices"),
    ("g.sg", sg(2, -1, [], []), "states 2 vertices and -1 directed edges"),
    ("g.sg", sg(2**62, 2**62, [], []), "is truncated"),
    ("g.sg", sg(2, 2, [0, 1, 2], [1, 5]), r"neighbors\[1\] is 5"),
    ("g.sg", sg(2, 2, [0, 2**40, 2], [1, 0]), "offsets fall"),
    ("g.wsg", sg(2, 2, [0, 1, 2], [1, 0]), "is truncated"),
    # Galois
    ("g.galois", b"", "is empty"),
    ("g.galois", b"\1\0\0", "too short for the 32 bytes of a Galois header"),
    ("g.galois", galois(3, 2, 2, [1, 2], [1, 0]), "states Galois version 3"),
    ("g.gr", galois(1, 2, 2, [1, 2], [1, 0])[:-1], "is truncated"),
    ("g.gr", galois(2, 2, 2, [1, 2], [1, 0]) + b"\0", "is longer than its header says"),
    ("g.gr", galois(1, 2**63, 2**63, [1, 2], [1, 0]), "is truncated"),
    ("g.gr", galois(1, 2, 2, [1, 3], [1, 0]), "the last offset is 3"),
    ("g.gr", galois(1, 2, 2, [3, 2], [1, 0]), "offsets fall from 3 to 2"),
    ("g.gr", galois(1, 2, 2, [1, 2], [1, 2**32 - 1]), rf"neighbors\[1\] is {2**32 - 1}"),
    ("g.gr", galois(2, 2, 2, [1, 2], [1, 2**32]), rf"neighbors\[1\] is {2**32}"),
    # NumPy and scipy
    ("g.npy", b"", "is empty"),
    ("g.npy", b"text\n", "is damaged, or not what np.save writes"),
    ("g.npy", npy(np.array([[0, 1]]))[:-1], "states 16 bytes of numbers but has 15: it is truncated"),
    ("g.npy", npy(np.array([[0, 1]], object)), "nothing pickled"),
    ("g.npy", pickle.dumps([[0, 1]]), "nothing pickled"),
    ("g.npy", npz(edges=np.array([[0, 1]])), "is damaged, or not what np.save writes"),
    ("g.npy", npy(np.zeros((1, 2, 2), int)), r"has shape \(1, 2, 2\), but edges are an \(m, 2\) array"),
    ("g.npy", npy(np.zeros(3, int)), "read_successors reads linked lists"),
    ("g.npy", npy(np.array(3)), r"has shape \(\)"),
    ("g.npy", npy(np.array([[0.0, 1.0]])), "holds float64, but ids are integers"),
    ("g.npy", npy(np.array([["a", "b"]])), "holds <U1"),
    ("g.npy", npy(np.array([[-1, 2]])), "is -1, which is negative"),
    ("g.npz", b"", "is empty"),
    ("g.npz", b"PK\3\4 and no more", "is damaged, or not what scipy.sparse.save_npz writes"),
    ("g.npz", npz(edges=np.array([[0, 1]])), "is damaged, or not what scipy"),
    ("g.npz", npy(np.array([[0, 1]])), "is damaged, or not what scipy"),
    # Matrix Market
    ("g.mtx", "", "is empty"),
    ("g.mtx", "3 3 1\n1 2\n", "does not begin with a Matrix Market banner"),
    ("g.mtx", MTX.replace("pattern", "letters") + "1 1 0\n", "does not begin with a Matrix Market banner"),
    ("g.mtx", MTX.replace("coordinate", "array") + "1 1\n0\n", "holds a dense matrix"),
    ("g.mtx", MTX, "has no size line"),
    ("g.mtx", MTX + "3 3\n1 2\n", "has no size line"),
    ("g.mtx", MTX + f"{'9' * 30} 3 1\n1 2\n", "has no size line"),
    ("g.mtx", MTX + "3 3 3\n1 2\n2 3\n", "states 3 entries but has 2"),
    ("g.mtx", MTX + "3 3 1\n1 2\n2 3\n", "states 1 entries but has 2"),
    ("g.mtx", MTX + "3 3 2\n1 2\n2\n", "line 4 is '2': an entry is"),
    ("g.mtx", MTX + "3 3 2\n1 2\nthree 3\n", "line 4 is 'three 3'"),
    ("g.mtx", MTX + "3 3 2\n1 2\n0 3\n", "the row of entry 2 is 0: it must be from 1 to 3"),
    ("g.mtx", MTX + "3 4 2\n1 2\n3 5\n", "the column of entry 2 is 5: it must be from 1 to 4"),
    ("g.mtx", MTX + f"3 3 1\n1 {BIG}\n", f"is {BIG}: it must be from 1 to 3"),
    ("g.mtx", MTX + f"{2**31} 3 0\n", "ids are 32-bit"),
    ("g.mtx", MTX.replace("general", "symmetric") + "2 3 1\n2 1\n", "is 2x3 and symmetric"),
    # Edge lists
    ("g.el", "", "is empty"),
    ("g.el", "0 1\n1\n", "line 2 is '1': the first edge has two 64-bit integer ids, so each line needs two"),
    ("g.el", "# c\n\n0 1\none 2\n", "line 4 is 'one 2'"),
    ("g.el", "0 1\r\n# c\r\n1 2\r\n2 three\r\n", "line 4 is '2 three'"),
    ("g.csv", "u,v\n0,1\n1,\n", "line 3 is '1,'"),
    ("g.csv", "0,1\n1,,2\n", "line 2 is '1,,2'"),
    ("g.el", "0 1\n1 2.5\n", r"line 2 is '1 2\.5'"),
    ("g.el", "0 1\n1 0x10\n", "line 2 is '1 0x10'"),
    ("g.el", "0 1\n1 +2\n", r"line 2 is '1 \+2'"),
    ("g.el", "0 1\n1 1e3\n", "line 2 is '1 1e3'"),
    ("g.el", f"0 1\n1 {2 * BIG}\n", f"line 2 is '1 {2 * BIG}': .* 64-bit"),
    ("g.el", f"{'9' * 30} 1\n", "64-bit"),
    ("g.el", f"0 1\n1 {'9' * 5000}\n", r"line 2 is '1 999.*'\.\.\."),
    ("g.el", "0 1\n1 2\0\n", "byte 7 is NUL"),
    ("g.el", "0 1\n1 2\n".encode("utf-16"), "convert UTF-16 to UTF-8"),
    ("g.el", "0 1\n\1\n1 2\n", "byte 1"),
    ("g.el", "0 1\n1 2 " + "x" * 2**23, "a line longer than"),
    ("g.el", "100\n0 1\n1 2\n", "line 1 is '100': each line needs two ids"),
    ("g.el", "hello\nworld\n", r"line 1 is 'hello', which is neither .* header=True \(--header\)"),
    ("g.el", "# vertices 3 edges 3\n0 1\n1 2\n", "states 3 edges but has 2 lines of them"),
    ("g.el", "# vertices 3 edges 1\n0 1\n1 2\n", "states 1 edges but has 2 lines of them"),
    ("g.el", "# vertices 3 edges 1\n", "states 1 edges but has 0 lines of them"),
    ("g.el", "# vertices 2 edges 2\n0 1\n1 2\n", "2, which is not below the number of vertices, 2"),
    ("g.el", f"# vertices {2**31} edges 1\n0 1\n", "ids are 32-bit"),
    ("g.el", "0 -1\n", "is -1, which is negative"),
    # DIMACS
    ("g.gr", "", "is empty"),
    ("g.gr", "a 1 2 3\n", "has no DIMACS problem line"),
    ("g.gr", "p sp 3\n", "has no DIMACS problem line"),
    ("g.gr", "p sp 3 2\na 1 2 3\n", "states 2 arcs but has 1"),
    ("g.gr", "p sp 3 1\na 1 2 3\na 2 3 1\n", "states 1 arcs but has 2"),
    ("g.gr", "p sp 3 1\n", "states 1 arcs but has 0"),
    (
        "g.gr",
        "p sp 3 2\na 1 2 3\nb 2 3 1\n",
        "line 3 is 'b 2 3 1': after the problem line there may only be arcs",
    ),
    ("g.gr", "c\np sp 3 2\na 1 2 3\na 2 x 1\n", "line 4 is 'a 2 x 1'"),
    ("g.gr", "p sp 3 2\na 1 2 3\na 2\n", "line 3 is 'a 2'"),
    ("g.gr", "p sp 3 1\na 0 2 3\n", "the source of arc 1 is 0: it must be from 1 to 3"),
    ("g.gr", "p sp 3 2\na 1 2 3\na 1 -4 3\n", "the target of arc 2 is -4"),
    ("g.gr", "p sp 3 1\na 0x1 2 3\n", "line 2 is 'a 0x1 2 3'"),
    ("g.gr", f"p sp 3 1\na 1 {BIG} 3\n", "line 2 is"),
    ("g.gr", f"p sp {2**31} 0\n", "ids are 32-bit"),
    # METIS
    ("g.graph", "", "is empty"),
    ("g.graph", "three 1\n", "does not begin with a METIS header"),
    ("g.graph", "3\n2\n1\n\n", "does not begin with a METIS header"),
    ("g.graph", "2 1 2\n2\n1\n", "does not begin with a METIS header"),
    ("g.graph", "3 1\n2\n1\n", "states 3 vertices, but 2 lines follow"),
    ("g.graph", "2 1\n2\n1\n1\n", "states 2 vertices, but 3 lines follow"),
    ("g.graph", "2 2\n2\n1\n", "states 2 edges and lists 2 neighbors"),
    ("g.graph", "3 2\n2\n1\n2\n", "states 2 edges and lists 3 neighbors"),
    ("g.graph", "3 1\n2 3\n\n\n", "lists 2 as a neighbor of vertex 1, but not 1 as one of 2"),
    ("g.graph", "3 2\n2 2 2\n1\n\n", "lists an edge more often at one end"),
    ("g.graph", "2 1\n3\n1\n", "lists 3 as a neighbor of vertex 1: ids run from 1 to 2"),
    ("g.graph", "2 1\n2\n0\n", "lists 0 as a neighbor of vertex 2: ids run from 1 to 2"),
    ("g.graph", "2 1\n2\n-1\n", "lists -1 as a neighbor of vertex 2"),
    ("g.graph", "2 1\n2\none\n", r"line 3 .*'one', which is not a 64-bit integer"),
    ("g.graph", "2 1\n2\n0x1\n", r"line 3 .*'0x1', which is not a 64-bit integer"),
    ("g.graph", f"2 1\n2\n{BIG}\n", rf"line 3 .*'{BIG}', which is not a 64-bit integer"),
    ("g.graph", f"2 1\n2\n{'9' * 5000}\n", "line 3 .*which is not a 64-bit integer"),
    ("g.graph", "2 1 1\n2 5\n1\n", "has 1 numbers for vertex 2"),
    ("g.graph", "2 1 10\n5 2\n\n", "has 0 numbers for vertex 2"),
    ("g.graph", f"{2**31} 0\n", "ids are 32-bit"),
    # Ligra
    ("g.adj", "", "is empty"),
    ("g.adj", "Adjacency\n1\n0\n0\n", "does not begin with AdjacencyGraph"),
    ("g.adj", "AdjacencyGraph\n2\n2\n0\n1\n1\n", "states 2 offsets and 2 targets, 4 numbers, but has 3"),
    ("g.adj", "AdjacencyGraph\n2\n2\n0\n1\n1\n0\n7\n", "but has 5: it goes on after them"),
    ("g.adj", "AdjacencyGraph\n2\n2\n0\n1\n1\nx\n", "line 7 .*'x', which is not a 64-bit integer"),
    ("g.adj", "AdjacencyGraph\n2\n2\n0\n3\n1\n0\n", "offsets fall from 3 to 2"),
    ("g.adj", "AdjacencyGraph\n2\n2\n1\n1\n1\n0\n", r"offsets\[0\] is 1"),
    ("g.adj", "AdjacencyGraph\n2\n2\n0\n1\n1\n2\n", r"neighbors\[1\] is 2"),
    ("g.adj", "WeightedAdjacencyGraph\n2\n2\n0\n1\n1\n0\n7\n", "2 weights, 6 numbers, but has 5"),
    ("g.adj", f"AdjacencyGraph\n{2**31}\n0\n", "ids are 32-bit"),
    # Files
    (
        "g.unheard-of",
        "0 1\n",
        r"no known format: name one with format= \(--format; .*\), or use \.egr .*\.gz",
    ),
    ("nosuffix", "0 1\n", "belongs to no known format"),
    ("g.el.gz", "0 1\n1 2\n", "cannot be decompressed"),
    ("g.el.bz2", "0 1\n1 2\n", "Invalid data stream"),
    ("g.el.xz", "0 1\n1 2\n", "cannot be decompressed"),
    ("g.el.zst", "0 1\n1 2\n", "ZSTD decompress failed"),
    ("g.el.gz", gzip.compress(b"", mtime=0), "is empty"),
    ("g.el.gz", b"", "is empty"),
]


STRINGS = [
    ("g.el", "100\n0 1\n1 2\n", "line 1 is '100': each line needs two ids"),
    ("g.el", "hello\nworld\n", "line 1 is 'hello': each line needs two ids"),
    ("g.el", "a b\nb c\nd\n", "line 3 is 'd'"),
    ("g.csv", "a,b\n,c\n", "line 2 is ',c'"),
    ("g.csv", "a,b\nc,\n", "line 2 is 'c,'"),
    ("g.el", b"a b\nb \xff\n", r"line 2 is 'b \\\\xff': each line needs two ids in UTF-8"),
    ("g.el", "# vertices 3 edges 1\na b\nb a\n", "states 1 edges but has 2 lines of them"),
]
"""Edge lists with string ids, of which nobody but the caller can say that they have no header."""


def fails(path: Path, why: str | None = None, **arguments: object) -> None:
    with pytest.raises(FormatError, match=why) as caught:
        pj.read(path, **arguments)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert message.count(path.name) == 1
    assert "\n" not in message
    assert len(message) < 600


@pytest.mark.parametrize(
    ("name", "content", "why"), MALFORMED, ids=[f"{i}-{row[0]}" for i, row in enumerate(MALFORMED)]
)
def test_malformed_file(tmp_path, name, content, why):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    fails(path, why)


@pytest.mark.parametrize(("name", "content", "why"), STRINGS)
def test_malformed_strings(tmp_path, name, content, why):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    fails(path, why, header=False)


def test_files_that_cannot_be_opened(tmp_path):
    fails(tmp_path / "missing.el", "No such file or directory")
    fails(tmp_path / "missing.npz", "No such file or directory")
    fails(tmp_path / "missing.el.gz", "No such file or directory")
    (tmp_path / "folder.el").mkdir()
    fails(tmp_path / "missing", "No such file or directory")
    fails(tmp_path / "folder.el", "is a folder: name a file in it")
    fails(tmp_path / "folder.el", "is a folder: name a file in it", format="egr")
    fails(tmp_path, "is a folder: name a file in it")


def test_arguments_that_do_not_exist_or_do_not_apply(tmp_path):
    pj.write(pj.Graph.from_edges([0], [1]), tmp_path / "g.egr")
    fails(tmp_path / "g.egr", "there is no format 'ecl': choose one of egr, ", format="ecl")
    fails(tmp_path / "g.egr", "ids='dense': choose one of auto, keep, compact", ids="dense")
    fails(tmp_path / "g.egr", 'leave out ids="compact"', ids="compact")


def test_a_graph_larger_than_memory(tmp_path, monkeypatch):
    pj.write(pj.Graph.from_edges([0], [1]), tmp_path / "g.npz")

    def no_memory(file):
        raise MemoryError

    monkeypatch.setattr(sp, "load_npz", no_memory)
    with pytest.raises(MemoryLimitError, match=r"g\.npz: needs more memory than there is: "):
        pj.read(tmp_path / "g.npz")


def test_what_is_not_a_graphs_sparse_matrix(tmp_path):
    path = tmp_path / "g.npz"
    row = sp.coo_array(np.array([1, 0, 1]))
    if row.ndim == 1:  # since scipy 1.13
        sp.save_npz(path, row)
        fails(path, "holds an array of 1 dimensions")
    sp.save_npz(path, sp.coo_array(([1], ([0], [0])), shape=(2**31, 2)))
    fails(path, "ids are 32-bit")
    matrix = sp.csr_array(np.eye(3))
    matrix.indices[1] = 7
    sp.save_npz(path, matrix)
    fails(path)


@pytest.fixture
def small_graph() -> pj.Graph:
    return pj.Graph.from_edges([0, 1, 2, 10, 10], [1, 2, 0, 11, 10], vertices=14)


@pytest.mark.parametrize("known", BINARY, ids=lambda known: known.name)
def test_binary_files_cut_anywhere(tmp_path, small_graph, known):
    path = tmp_path / f"g{known.suffixes[0]}"
    pj.write(small_graph, path)
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        fails(path)
    if not known.name.startswith("np"):  # numpy and zip archives look for their own end
        path.write_bytes(content + b"\0")
        fails(path)


@pytest.mark.parametrize("known", TEXT, ids=lambda known: known.name)
def test_text_files_cut_between_lines(tmp_path, small_graph, known):
    path = tmp_path / f"g{known.suffixes[0]}"
    pj.write(small_graph, path, format=known.name)
    lines = path.read_bytes().splitlines(keepends=True)
    for kept in range(len(lines)):
        path.write_bytes(b"".join(lines[:kept]))
        fails(path, format=known.name)
    path.write_bytes(b"".join(lines) + b"1 1\n")
    fails(path, format=known.name)


@pytest.mark.parametrize("suffix", [".el.gz", ".mtx.bz2", ".graph.xz", ".el.zst", ".egr.gz"])
def test_compressed_files_cut_anywhere(tmp_path, small_graph, suffix):
    path = tmp_path / f"g{suffix}"
    pj.write(small_graph, path)
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        fails(path)


def test_compressed_files_with_a_wrong_byte(tmp_path, small_graph):
    for suffix, module in ((".el.gz", gzip), (".el.bz2", bz2), (".el.xz", lzma)):
        path = tmp_path / f"g{suffix}"
        pj.write(small_graph, path)
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 0xFF
        path.write_bytes(content)
        with pytest.raises((OSError, EOFError, ValueError, lzma.LZMAError, gzip.zlib.error)):
            module.open(path).read()
        fails(path)


def reads_or_fails(path: Path, name: str) -> None:
    try:
        pj.read(path, format=name).symmetrized()
    except FormatError as error:
        message = str(error)
    else:
        return
    assert message.startswith(f"{path}: ")
    assert "\n" not in message


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
@settings(deadline=None, max_examples=60)
@given(content=st.binary(max_size=120))
def test_random_bytes(known, tmp_path_factory, content):
    path = tmp_path_factory.mktemp(known.name) / "g"
    path.write_bytes(content)
    reads_or_fails(path, known.name)


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_damaged_files(known, tmp_path_factory, data):
    path = tmp_path_factory.mktemp(known.name) / "g"
    graph = pj.Graph.from_edges([0, 1, 2, 4], [1, 2, 0, 4], vertices=6)
    pj.write(graph, path, format=known.name if known.writer else "sg")
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content)))
        put = data.draw(
            st.one_of(
                st.binary(max_size=4),
                st.sampled_from([b"\n", b" ", b"-", b"#", b"%", b'"', b",", b"0x", b"9" * 25]),
            )
        )
        content[at : at + data.draw(st.integers(0, 4))] = put
    path.write_bytes(content)
    reads_or_fails(path, known.name)
