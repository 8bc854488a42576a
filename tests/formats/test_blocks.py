"""Files of edges read block by block: the same edges as `read` finds, from any place on, in little memory."""

from __future__ import annotations

import gzip
import io
import json
import os
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pointerjump as pj
from pointerjump import cli
from pointerjump.base.memory import as_bytes
from pointerjump.errors import FormatError, VerificationError
from pointerjump.formats import FORMATS, blocks, pieces, sources
from pointerjump.formats.dups import INDEX
from pointerjump.tables.write import write_table

RNG = np.random.default_rng(5)
EDGES = RNG.integers(0, 50, (60, 2))
MANY = RNG.integers(0, 2**20, (5000, 2))


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def parquet(edges: np.ndarray, **options: object) -> bytes:
    file = io.BytesIO()
    pq.write_table(table(edges), file, **options)
    return file.getvalue()


def arrow(
    edges: np.ndarray, make: Callable[..., object] = pa.ipc.new_file, codec: str | None = None
) -> bytes:
    file = io.BytesIO()
    with make(file, table(edges).schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as writer:
        writer.write_table(table(edges), 17)
    return file.getvalue()


def table(edges: np.ndarray) -> pa.Table:
    """Return edges as a table, between columns of kinds that store several buffers, or none."""
    m = len(edges)
    return pa.table(
        {
            "name": pa.array(["x"] * m),
            "nothing": pa.nulls(m),
            "parts": pa.array([[{"a": 1, "b": "y"}]] * m),
            "source": edges[:, 0],
            "target": edges[:, 1],
            "kind": pa.array(["z"] * m).dictionary_encode(),
        }
    )


def written(suffix: str) -> Callable[[np.ndarray], bytes]:
    """Return what `pj.write` writes."""

    def write(edges: np.ndarray) -> bytes:
        path = Path(f"written.{suffix}")
        pj.write(pj.Graph.from_edges(edges), path)
        return path.read_bytes()

    return write


def lines(edges: np.ndarray, between: str = " ", head: str = "") -> bytes:
    return (head + "".join(f"{u}{between}{v}\n" for u, v in edges.tolist())).encode()


MADE: dict[str, Callable[[np.ndarray], bytes]] = {
    "int64.npy": lambda edges: npy(edges),
    "uint8.npy": lambda edges: npy(edges.astype(np.uint8)),
    "big-endian.npy": lambda edges: npy(edges.astype(">i4")),
    "fortran.npy": lambda edges: npy(np.asfortranarray(edges.astype(np.int32))),
    "packed.npy.gz": lambda edges: gzip.compress(npy(edges), mtime=0),
    "fortran.npy.gz": lambda edges: gzip.compress(npy(np.asfortranarray(edges)), mtime=0),
    "g.raw32": lambda edges: edges.astype("<i4").tobytes(),
    "g.raw64": lambda edges: edges.astype("<i8").tobytes(),
    "packed.raw32.gz": lambda edges: gzip.compress(edges.astype("<i4").tobytes(), mtime=0),
    "g.parquet": parquet,
    "groups.parquet": lambda edges: parquet(edges, row_group_size=7),
    "g.arrow": arrow,
    "lz4.feather": lambda edges: arrow(edges, codec="lz4"),
    "zstd.ipc": lambda edges: arrow(edges, codec="zstd"),
    "stream.arrow": lambda edges: arrow(edges, make=pa.ipc.new_stream),
    "stream.arrows": lambda edges: arrow(edges, make=pa.ipc.new_stream),
    "g.el": lines,
    "untidy.txt": lambda edges: lines(edges, "  \t", head="# a comment\r\n\n"),
    "byte-order-mark.el": lambda edges: b"\xef\xbb\xbf" + lines(edges),
    "no-end-of-line.el": lambda edges: lines(edges)[:-1],
    "named.csv": lambda edges: lines(edges, ",", head="to,from\n"),
    "comments.csv": lambda edges: lines(edges[:1], ",") + b"# no edge\n" * 9 + lines(edges[1:], ","),
    **{
        f"written.{suffix}": written(suffix)
        for suffix in ("egr", "sg", "gr", "el", "csv", "tsv", "mtx", "dimacs")
    },
    **{f"written.{suffix}": written(suffix) for suffix in ("el.gz", "csv.bz2", "tsv.xz", "mtx.zst")},
}


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def small_blocks(monkeypatch):
    """Have blocks of a few edges, in text as well."""
    monkeypatch.setattr(pieces, "LEAST_MEMORY", 1)
    monkeypatch.setattr(sources, "BLOCK", 64)


def least(name: str, memory: int) -> int:
    """Return `memory`, or what a compressed batch of 17 rows needs, since it is unpacked whole."""
    return max(memory, 2000) if name in ("lz4.feather", "zstd.ipc") else memory


def save(name: str, content: bytes | str) -> Path:
    path = Path(name)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def joined(parts) -> list[tuple[int, int]]:
    """Return the edges of all blocks or pieces."""
    pairs = [(part.sources, part.targets) if isinstance(part, pieces.Piece) else part for part in parts]
    return [edge for s, t in pairs for edge in zip(s.tolist(), t.tolist(), strict=True)]


def as_stored(graph: pj.Graph) -> list[tuple[int, int]]:
    """Return the edges of a graph as its file has them."""
    found = graph.edges_as_read
    s, t = (found.sources, found.targets) if found else (graph.sources, graph.neighbors)
    return list(zip(s.tolist(), t.tolist(), strict=True))


# -- the same edges as read finds --------------------------------------------------------------------


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("memory", [1, 300, None])
def test_blocks_hold_what_read_reads(name, memory, small_blocks):
    path = save(name, MADE[name](EDGES))
    graph = pj.read(path)
    found = pj.read_blocks(path, memory=memory and least(name, memory))
    assert joined(found) == as_stored(graph)
    assert joined(found) == as_stored(graph), "the second time"
    assert found.vertices in (None, graph.vertices)
    assert found.records in (None, len(as_stored(graph)))
    assert found.bytes == path.stat().st_size
    if not name.startswith("written"):
        assert joined(found) == list(map(tuple, EDGES.tolist()))


@pytest.mark.parametrize("name", MADE)
def test_a_block_is_a_pair_of_native_integer_arrays_of_its_own(name, small_blocks):
    path = save(name, MADE[name](EDGES))
    kept = list(pj.read_blocks(path, memory=least(name, 600)))
    assert len(kept) > 1
    for s, t in kept:
        assert s.ndim == t.ndim == 1
        assert len(s) == len(t) > 0
        assert s.dtype.kind in "iu"
        assert s.dtype.isnative
    assert joined(kept) == joined(pj.read_blocks(path)), "nobody has overwritten them"


def test_blocks_of_one_edge(small_blocks):
    for name in ("int64.npy", "g.raw64", "g.parquet", "g.arrow", "written.egr"):
        path = save(name, MADE[name](EDGES))
        assert {len(s) for s, _ in pj.read_blocks(path, memory=1)} == {1}


def test_many_edges_are_few_blocks():
    for name in ("int64.npy", "groups.parquet", "g.arrow", "zstd.ipc", "g.el", "written.egr"):
        path = save(name, MADE[name](MANY))
        assert len(list(pj.read_blocks(path))) == 1, name


def test_pairs_of_an_array_stay_columns_of_one_array():
    """Devices take such pairs without a copy."""
    ((s, t),) = pj.read_blocks(save("g.npy", npy(EDGES.astype(np.int32))))
    assert s.base is t.base
    assert s.base.shape == (len(EDGES), 2)


@pytest.mark.parametrize(
    "array",
    [np.array([[-1, 2]]), np.array([[2**64 - 1, 2**63]], np.uint64), np.array([[-128, 127]], np.int8)],
)
def test_ids_are_what_the_file_holds(array):
    for suffix, content in ((".npy", npy(array)), (".parquet", parquet(array)), (".arrow", arrow(array))):
        ((s, t),) = pj.read_blocks(save(f"g{suffix}", content))
        assert (s.dtype, t.dtype) == (array.dtype, array.dtype)
        assert joined([(s, t)]) == [tuple(array[0].tolist())]


def test_ids_of_text_get_wider_where_they_have_to(small_blocks):
    for u in (2**64 - 1, -7, 2**31):
        path = save("g.el", lines(EDGES) + f"{u} 2\n".encode())
        assert joined(pj.read_blocks(path)) == [*joined([EDGES.T]), (u, 2)]


def test_columns(small_blocks):
    wide = np.column_stack([EDGES[:, 0], EDGES, EDGES[:, 1]])
    for order in (np.ascontiguousarray, np.asfortranarray):
        path = save("wide.npy", npy(order(wide)))
        assert joined(pj.read_blocks(path, columns=(2, 3))) == joined([(wide[:, 2], wide[:, 3])])
    for name in ("g.parquet", "g.arrow"):
        path = save(name, MADE[name](EDGES))
        assert joined(pj.read_blocks(path, columns=("target", "source"))) == joined([EDGES.T[::-1]])
        assert joined(pj.read_blocks(path, columns=(4, 3))) == joined([EDGES.T[::-1]])
    path = save("g.csv", "a,b,c\n" + "".join(f"x,{u},{v}\n" for u, v in EDGES.tolist()))
    assert joined(pj.read_blocks(path, columns=("b", "c"))) == joined([EDGES.T])


def test_rectangular_matrices():
    mtx = "%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 3\n2 1\n"
    found = pj.read_blocks(save("g.mtx", mtx))
    assert (found.vertices, joined(found)) == (5, [(0, 4), (1, 2)])
    found = pj.read_blocks(save("g.mtx", mtx.replace("2 3", f"2 {2**31}")))
    assert joined(found) == [(0, 4), (1, 2)]
    assert found.vertices == 2**31 + 2


def test_no_edges():
    for name in ("int64.npy", "g.parquet", "g.arrow", "stream.arrow", "written.egr", "written.el"):
        path = save(name, MADE[name](EDGES[:0]))
        assert list(pj.read_blocks(path)) == []
    assert list(pj.read_blocks(save("g.raw32", b""))) == []
    assert list(pj.read_blocks(save("g.dups", b""))) == []


# -- pairs of files ----------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".npy", ".npy.gz"])
def test_a_pair_of_files(suffix, small_blocks):
    pack = gzip.compress if suffix.endswith("gz") else bytes
    left = save(f"left{suffix}", pack(npy(EDGES[:, 0].astype(">i4"))))
    right = save(f"right{suffix}", pack(npy(EDGES[:, 1].astype(np.uint64))))
    found = pj.read_blocks((left, right), memory=99, vertices=50)
    assert joined(found) == joined([EDGES.T])
    assert (found.vertices, found.records, found.path) == (50, 60, (left, right))
    assert joined(found.pieces({"record": 20})) == joined([EDGES[20:].T])


@pytest.mark.parametrize(
    ("left", "right", "options", "message"),
    [
        (np.arange(3), np.arange(4), {}, r"^right.npy: has 4 ids, but left.npy has 3"),
        (np.arange(3), np.ones((3, 1), int), {}, r"^right.npy: has shape \(3, 1\)"),
        (np.arange(3.0), np.arange(3), {}, "^left.npy: holds float64"),
        (np.arange(3), np.arange(3), {"columns": (0, 1)}, "^left.npy and right.npy: .*leave out format="),
    ],
)
def test_pairs_that_are_none(left, right, options, message):
    save("left.npy", npy(left))
    save("right.npy", npy(right))
    with pytest.raises(FormatError, match=message):
        pj.read_blocks(("left.npy", "right.npy"), **options)


# -- several files -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["g.raw32", "g.el", "packed.npy.gz", "g.parquet"])
def test_several_files_are_one(name, small_blocks):
    suffix = name.partition(".")[2]
    files = [f"{number}.{suffix}" for number in range(3)]
    for file, part in zip(files, (EDGES[:7], EDGES[7:8], EDGES[8:]), strict=True):
        save(file, MADE[name](part))
    for path in (files, f"*.{suffix}", [files[0], f"[12].{suffix}"]):
        blocks = pj.read_blocks(path)
        assert joined(blocks) == joined([EDGES.T])
        assert repr(blocks).startswith(f"<Blocks of 0.{suffix} and 2 more: ")
    found = list(pj.read_blocks(files, memory=600).pieces())
    assert found[-1].bytes_read == blocks.bytes
    for at, piece in enumerate(found):
        assert joined(pj.read_blocks(files).pieces(piece.end)) == joined(found[at + 1 :])
    right = pj.components(EDGES, device="reference").labels.tolist()
    assert pj.components(files, ids="keep", device="reference").labels.tolist() == right
    assert pj.components(pj.read_blocks(files), device="reference").labels.tolist() == right
    assert len(pj.spanning_forest(f"*.{suffix}", ids="keep")) == len(right) - 1 - max(right)


def test_several_files_that_are_not_one():
    np.save("0.npy", EDGES)
    Path("1.el").write_text("0 1\n")
    Path("2.el").write_text("0 -1\n")
    for path, message in (
        ([], "the list of files is empty"),
        ("none*.el", "no file has a name of this pattern"),
        (["0.npy", "1.el"], "0.npy and 1 more: are of several formats, edges and npy"),
        (["1.el", "none.el"], "none.el: No such file"),
    ):
        with pytest.raises(FormatError, match=message):
            pj.read_blocks(path)
    with pytest.raises(FormatError, match=r"1.el and 1 more: .*-1"):
        pj.read(["1.el", "2.el"], ids="keep")


# -- datatrove's .dups -------------------------------------------------------------------------------


def dups(*records: tuple[int, int, int, int]) -> bytes:
    return np.array(records, "<u4").tobytes()


def test_documents_are_numbered_file_by_file(small_blocks):
    path = save("g.dups", dups((0, 2, 3, 1), (INDEX, INDEX, 3, 0), (0, 0, 0, 2)))
    found = pj.read_blocks(path, memory=64)
    # File 0 has documents 0 to 2, file 3 has 0 and 1, and vertex 5 is the index.
    assert (found.vertices, joined(found)) == (6, [(2, 4), (5, 3), (0, 2)])
    files, documents = found.documents.of([0, 2, 3, 4, 5])
    assert files.tolist() == [0, 0, 3, 3, -1]
    assert documents.tolist() == [0, 2, 0, 1, -1]
    assert pj.components(pj.read(path)).labels.tolist() == [0, 1, 0, 2, 0, 2]


def test_documents_may_be_more_than_32_bits_count():
    found = pj.read_blocks(save("g.dups", dups((0, 2**32 - 1, 1, 5))))
    ((s, t),) = found
    assert (found.vertices, s.tolist(), t.tolist()) == (2**32 + 6, [2**32 - 1], [2**32 + 5])
    assert s.dtype == np.int64


@settings(deadline=None, max_examples=30)
@given(
    pairs=st.lists(
        st.tuples(*[st.tuples(st.integers(0, 5), st.integers(0, 9)) | st.just((INDEX, INDEX))] * 2),
        max_size=20,
    )
)
def test_documents_and_vertices_are_one_to_one(pairs):
    found = pj.read_blocks(save("g.dups", dups(*(a + b for a, b in pairs))))
    vertices = [v for edge in joined(found) for v in edge]
    files, numbers = found.documents.of(np.array(vertices, np.int64))
    back = list(zip(files.tolist(), numbers.tolist(), strict=True))
    assert back == [(-1, -1) if end == (INDEX, INDEX) else end for pair in pairs for end in pair]
    assert all(0 <= v < found.vertices for v in vertices)


def test_what_is_not_dups():
    for record, message in (
        ((0, 1, 2**31, 7), "record 1 names file 2147483648"),
        ((0, 1, INDEX, 7), "record 1 has file 4294967295.*and document 7"),
    ):
        with pytest.raises(FormatError, match=message):
            pj.read_blocks(save("g.dups", dups((0, 0, 0, 0), record)))
    with pytest.raises(FormatError, match="17 bytes, which is not a whole number of records of 16"):
        pj.read_blocks(save("g.dups", bytes(17)))


# -- going on from a position ------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*MADE, "g.dups"])
def test_going_on_from_the_end_of_any_piece(name, small_blocks):
    content = MADE[name](EDGES) if name in MADE else dups(*(tuple(r) for r in EDGES.reshape(-1, 4).tolist()))
    found = pj.read_blocks(save(name, content), memory=least(name, 700))
    all_pieces = list(found.pieces())
    assert len(all_pieces) > 1
    passed = 0
    for number, piece in enumerate(all_pieces):
        passed += len(piece.sources)
        assert piece.end["record"] == passed
        again = pj.read_blocks(name, memory=least(name, 100))  # another run, with another size of blocks
        rest = list(again.pieces(json.loads(json.dumps(piece.end))))
        assert joined(rest) == joined(all_pieces[number + 1 :])
        assert not rest or rest[-1].end == all_pieces[-1].end
    read = [piece.bytes_read for piece in all_pieces]
    assert read == sorted(read)
    assert 0.8 * found.bytes < read[-1] <= found.bytes


@pytest.mark.parametrize("start", [7, "7", {}, {"byte": 3}, {"record": -1}, {"record": 1.5}, {"record": 99}])
def test_starts_that_are_no_positions(start):
    found = pj.read_blocks(save("g.npy", npy(EDGES)))
    with pytest.raises(FormatError, match="start is"):
        next(found.pieces(start))


def test_plain_text_is_not_read_again_from_its_beginning(monkeypatch):
    monkeypatch.setattr(sources, "BLOCK", 512)
    found = pj.read_blocks(save("g.el", lines(MANY)))
    last = list(found.pieces())[-1]
    monkeypatch.setattr(pieces, "_FEW", 10**9)  # so that pieces are not joined
    middle = list(found.pieces())[50]
    save("copy.el", lines(MANY))
    other = pj.read_blocks("copy.el")
    content = bytearray(Path("copy.el").read_bytes())
    content[600:610] = b"not a line"
    state = Path("copy.el").stat()
    save("copy.el", bytes(content))
    os.utime("copy.el", ns=(state.st_atime_ns, state.st_mtime_ns))
    assert list(other.pieces(middle.end))[-1].end == last.end


# -- files that are wrong ----------------------------------------------------------------------------


def fails(path: Path | str, message: str | None = None, **options: object) -> None:
    with pytest.raises(FormatError, match=message) as failed:
        list(pj.read_blocks(path, **options))
    assert str(failed.value).startswith(f"{path}: ")
    assert "\n" not in str(failed.value)


# A raw file has no header, and text without one no counts.
COUNTED = [name for name in MADE if "raw" not in name and name.startswith(("written", "g.", "int64"))]


@pytest.mark.parametrize("name", sorted({*COUNTED, "zstd.ipc", "stream.arrow", "packed.npy.gz"} - {"g.el"}))
def test_files_cut_anywhere(name):
    content = MADE[name](EDGES[:3])
    for length in range(*lengths_that_show(name, content)):
        fails(save(name, content[:length]))


def lengths_that_show(name: str, content: bytes) -> tuple[int, int]:
    """Return between which lengths a cut shows: not within the first comment, nor in the last number."""
    if not name.endswith((".el", ".csv", ".tsv", ".mtx", ".dimacs")):
        return 0, len(content)
    return content.index(b"\n"), len(content) - len("49 1\n")


def test_a_file_that_changes_while_it_is_read():
    path = save("g.npy", npy(MANY))
    found = pj.read_blocks(path)
    save("g.npy", npy(MANY[:7]))
    with pytest.raises(FormatError, match=r"g\.npy: has changed since it was opened"):
        list(found)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("g.npy", npy(np.arange(3)), "read_successors reads linked lists"),
        ("g.npy", npy(EDGES.astype(float)), "holds float64"),
        ("g.npy", npy(np.array([["a", "b"]])), "holds <U1"),
        ("g.npy", b"\x93NUMPY\2\0\xff\xff\xff\xff{", "is damaged, or not what np.save writes"),
        (
            "g.npy",
            b"\x93NUMPY\1\0\x46\0" + b"{'descr': '<i8', 'fortran_order': False, 'shape': (9**999, 2)}",
            "damaged",
        ),
        ("g.npy.gz", gzip.compress(npy(EDGES)[:-8], mtime=0), "truncated"),
        ("g.npy.gz", gzip.compress(npy(EDGES).replace(b"(60, 2)", b"(-6, 2)"), mtime=0), "is damaged"),
        ("g.raw32", bytes(9), "9 bytes, which is not a whole number of pairs of 8 bytes"),
        ("g.raw32.gz", gzip.compress(bytes(12), mtime=0), "truncated"),
        ("g.egr", struct.pack("<7i", 2, 2, 0, 2, 1, 0, 1)[:-4] + bytes(4), "offsets fall from 2 to 1"),
        ("g.egr", struct.pack("<7i", 2, 2, 0, 1, 9, 0, 1), "an offset of 9, but there are 2 neighbors"),
        ("g.egr", struct.pack("<7i", 2, 2, 0, 1, 1, 0, 1), "the last offset is 1"),
        ("g.egr", struct.pack("<7i", 2, 2, 1, 1, 2, 0, 1), r"offsets\[0\] is 1"),
        ("g.egr.gz", gzip.compress(bytes(12), mtime=0), "is compressed, but files of this format"),
        ("g.parquet", b"PAR1PAR1", "is damaged, cut short, or not a file of Parquet or Arrow"),
        ("g.arrow", b"ARROW1\0\0", "truncated"),
        ("g.arrow", bytes(8), "is damaged, cut short, or not"),
        ("g.arrow", b"\xff\xff\xff\xff\xff\xff\xff\x7f" + bytes(99), "is damaged, cut short, or not"),
        ("g.arrow", b"\xff\xff\xff\xff\x10\0\0\0" + b"\xff" * 16, "is damaged, cut short, or not"),
        ("g.el", "0 1\n1\n", "line 2 is '1': the first edge has two"),
        ("g.el", "a b\n", r"line 1 is 'a b', which is neither an edge .* table of ids, name .* \(--source"),
        ("g.el", "# vertices 3 edges 2\n0 1\n", "states 2 edges but has 1"),
        ("g.el", "0 1\n" + "7" * (1 << 21), "has a line longer than"),
        ("g.el", "", "is empty"),
        ("g.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n4 1\n", "row of entry 1 is 4"),
        ("g.adj", "AdjacencyGraph\n0\n0\n", "cannot be read block by block: convert it to one of egr, sg"),
        ("g.unknown", "0 1\n", "belongs to no known format"),
    ],
)
@pytest.mark.filterwarnings("ignore::pointerjump.FormatWarning")
def test_what_is_wrong_is_said(name, content, message):
    fails(save(name, content), message)


def test_blocks_need_integers():
    fails(save("g.el", "a b\n"), r"has string ids \('a b'\), but blocks need integers", header=False)


def test_errors_name_the_entry_in_later_blocks(small_blocks):
    entries = "".join(f"{i % 9 + 1} 1\n" for i in range(99)) + "0 1\n"
    path = save("g.mtx", f"%%MatrixMarket matrix coordinate pattern general\n9 9 100\n{entries}")
    fails(path, "the row of entry 100 is 0")


@pytest.mark.parametrize(
    "make", [pq.write_table, lambda t, path: pa.ipc.new_file(path, t.schema).write_table(t)]
)
def test_tables_without_two_columns_of_integers(make):
    good = pa.array([1, 2, 3])
    for columns, message in (
        ({"source": good, "target": pa.array([1, None, 3])}, "column 'target' has"),
        ({"source": good, "target": pa.array(["a", "b", "c"])}, "column 'target' holds string ids"),
        ({"source": good, "target": pa.array([1.0, 2.0, 3.0])}, "column 'target' holds double"),
        ({"source": good}, "has no column 1: it has 1,"),
    ):
        made = pa.table(columns)
        if make is pq.write_table:
            pq.write_table(made, "g.parquet")
        else:
            with pa.ipc.new_file("g.arrow", made.schema) as writer:
                writer.write_table(made)
        fails("g.parquet" if make is pq.write_table else "g.arrow", message)
    with pytest.raises(FormatError, match=r"has no column called 'x': it has 'source'"):
        pj.read_blocks("g.parquet" if make is pq.write_table else "g.arrow", columns=("source", "x"))


@pytest.mark.parametrize(
    "name", ["g.parquet", "g.arrow", "zstd.ipc", "int64.npy", "g.el", "written.egr", "g.raw32"]
)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_damaged_files_are_read_or_refused(name, data):
    content = bytearray(MADE[name](EDGES[:4]))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content)))
        content[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))
    path = save(name, bytes(content))
    try:
        message = None
        found = list(pj.read_blocks(path))
    except FormatError as error:
        found, message = [], str(error)
    assert all(len(s) == len(t) for s, t in found)
    assert message is None or (message.startswith(f"{path}: ") and "\n" not in message)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"memory": 0}, "memory is 0: give a number of bytes above 0"),
        ({"memory": "much"}, "memory is 'much'"),
        ({"memory": "1MiB"}, r"memory is 1.0 MiB, but reading takes at least 16.0 MiB"),
        ({"format": "parquett"}, "there is no format 'parquett'"),
        ({"vertices": -1}, "vertices is -1"),
        ({"columns": (0, 0)}, "names one column twice"),
        ({"columns": (0, 7)}, "has no column 7"),
        ({"header": True}, "which has no header line"),
        ({"progress": 7}, "progress=7"),
    ],
)
def test_options_that_are_wrong(options, message):
    fails(save("g.npy", npy(EDGES)), message, **options)


@pytest.mark.parametrize("name", ["g.csv", "g.parquet", "g.arrow"])
@pytest.mark.parametrize("columns", [("source", 0), (1, "target"), (1, 1)])
def test_one_column_is_not_both_ends(name, columns, capsys):
    edges = table(EDGES).select(["source", "target"])
    write_table(name, edges.schema, [edges])
    fails(name, "names one column twice", columns=columns)
    with pytest.raises(FormatError, match="names one column twice"):
        pj.read(name, columns=columns)
    assert cli.run(["convert", name, "h.egr", "--columns", ",".join(map(str, columns))]) == 2
    assert "names one column twice" in capsys.readouterr().err


def test_what_is_no_file():
    Path("folder.npy").mkdir()
    os.mkfifo("pipe.npy")
    for path, message in (
        ("missing.npy", "No such file"),
        ("folder.npy", "is a folder"),
        ("pipe.npy", "is not a plain file"),
    ):
        fails(path, message)
    with pytest.raises(FormatError, match="path has 3 files"):
        pj.read_blocks(("a", "b", "c"))


def test_vertices_have_to_agree():
    path = save("g.egr", MADE["written.egr"](EDGES))
    assert pj.read_blocks(path, vertices=50).vertices == 50
    fails(path, "states 50 vertices, but vertices=51 was given", vertices=51)
    assert pj.read_blocks(save("g.npy", npy(EDGES)), vertices=77).vertices == 77


# -- files, memory, progress -------------------------------------------------------------------------


def open_files() -> set[str]:
    return {str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()}


@pytest.mark.parametrize("name", MADE)
def test_files_are_closed_when_a_loop_ends_early(name, small_blocks):
    path = save(name, MADE[name](EDGES)).resolve()
    found = pj.read_blocks(path, memory=least(name, 100))
    assert str(path) not in open_files()
    for _ in found:
        break
    taken = found.pieces()
    next(taken)
    taken.close()
    assert str(path) not in open_files()


def test_progress(small_blocks):
    for name in ("int64.npy", "written.el.gz"):
        shares: list[float] = []
        found = pj.read_blocks(save(name, MADE[name](EDGES)), memory=300, progress=shares.append)
        list(found)
        assert shares == sorted(shares)
        assert len(shares) > 2
        assert shares[-1] == 1


def test_a_bad_first_line_is_warned_of_once():
    path = save("g.csv", "a,b,c\n1,2,3\n")
    with pytest.warns(pj.FormatWarning, match="is read as a header") as warned:
        found = pj.read_blocks(path)
    assert joined(found) == joined(found) == [(1, 2)]
    assert len(warned) == 1


PEAK = """
import sys
import pointerjump as pj

def peak():
    status = open("/proc/self/status").read()
    return int(status.partition("VmHWM:")[2].split()[0]) << 10

small, large = sys.argv[1:]
list(pj.read_blocks(small))
before = peak()
edges = sum(len(s) for s, _ in pj.read_blocks(large))
print(edges, peak() - before)
"""

LARGE: dict[str, Callable[[Path], object]] = {
    "npy": lambda path: sparse(path, b"", 1 << 27, "<i4", 2),
    "raw64": lambda path: path.touch() or os.truncate(path, 1 << 30),
    "el.gz": lambda path: path.write_bytes(gzip.compress(b"123456 7890123\n" * (1 << 24), 1, mtime=0)),
    "parquet": lambda path: pq.write_table(large_table(), path, row_group_size=1 << 26),
    "arrow": lambda path: one_batch(path),
}


def sparse(path: Path, content: bytes, rows: int, dtype: str, width: int) -> None:
    """Write a header, and an array of zeros that takes no place on disk."""
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": dtype, "fortran_order": False, "shape": (rows, width)}
        )
        size = file.tell() + rows * width * np.dtype(dtype).itemsize
    os.truncate(path, size)


def large_table() -> pa.Table:
    """Return a table of random ids, which do not compress."""
    rng = np.random.default_rng(1)
    return pa.table([rng.integers(0, 2**40, 1 << 24) for _ in range(2)], names=["source", "target"])


def one_batch(path: Path) -> None:
    (batch,) = large_table().to_batches()
    with pa.ipc.new_file(path, batch.schema) as writer:
        writer.write_batch(batch)


@pytest.mark.parametrize(
    "suffix", ["npy", *(pytest.param(name, marks=pytest.mark.exhaustive) for name in LARGE if name != "npy")]
)
def test_memory_stays_within_its_bound(suffix):
    small = save(
        f"small.{suffix}", MADE[{"parquet": "g.parquet", "arrow": "g.arrow"}.get(suffix, "int64.npy")](EDGES)
    )
    if suffix in ("raw64", "el.gz"):
        small = save(f"small.{suffix}", gzip.compress(lines(EDGES), mtime=0) if "gz" in suffix else bytes(16))
    large = Path(f"large.{suffix}")
    LARGE[suffix](large)
    done = subprocess.run(
        [sys.executable, "-c", PEAK, small, large], capture_output=True, text=True, check=True
    )
    edges, taken = map(int, done.stdout.split())
    assert edges >= 1 << 24
    assert taken < pieces.DEFAULT_MEMORY


def test_a_compressed_batch_that_is_too_large_for_the_memory():
    made = pa.table([np.zeros(1 << 21, np.int64)] * 2, names=["source", "target"])
    with pa.ipc.new_file(
        "g.arrow", made.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")
    ) as writer:
        writer.write_table(made)
    fails("g.arrow", "allow more, or write smaller batches")
    assert sum(len(s) for s, _ in pj.read_blocks("g.arrow", memory="1GiB")) == 1 << 21


@pytest.mark.parametrize(
    ("size", "wanted"),
    [
        (7, 7),
        ("7", 7),
        ("64k", 65536),
        ("2GiB", 2 << 30),
        ("500MB", 500_000_000),
        (" 1.5 kib", 1536),
        ("1T", 1 << 40),
        ("2kB", 2000),
    ],
)
def test_amounts_of_memory(size, wanted):
    assert as_bytes(size, "memory", FormatError) == wanted


@pytest.mark.parametrize(
    "size", [-1, 0, "0", "-1k", "k", "1 e9", 2.5, True, None, "1PiB", "1kk", "", "9" * 99]
)
def test_what_is_no_amount_of_memory(size):
    with pytest.raises(FormatError, match="memory is"):
        as_bytes(size, "memory", FormatError)


# -- fingerprints ------------------------------------------------------------------------------------


def test_equal_inputs_have_equal_fingerprints():
    path = save("g.npy", npy(MANY))
    before = pj.read_blocks(path).fingerprint()
    now = pj.read_blocks(path, memory="1GiB").fingerprint()
    assert blocks.difference(json.loads(json.dumps(before)), now) is None


def test_what_differs_is_said():
    content = npy(MANY)
    before = pj.read_blocks(save("g.npy", content)).fingerprint()
    state = Path("g.npy").stat()

    def difference(changed: bytes, *, later: int = 0, **options: object) -> str | None:
        save("g.npy", changed)
        os.utime("g.npy", ns=(0, state.st_mtime_ns + later))
        return blocks.difference(before, pj.read_blocks("g.npy", **options).fingerprint())

    assert difference(content) is None
    raw = {**before, "format": "raw32"}
    assert blocks.difference(before, raw) == "format is 'raw32', and was 'npy'"
    assert difference(content, vertices=2**20) == "vertices is 1048576, and was None"
    assert difference(content, columns=(1, 0)) == "columns is [1, 0], and was None"
    assert difference(content + b"\0") == f"the file has {len(content) + 1} bytes, and had {len(content)}"
    assert "time of the last change" in difference(content, later=1)
    for at in (0x100, len(content) - 1):
        wrong = bytearray(content)
        wrong[at] ^= 1
        assert difference(bytes(wrong)) == "the file holds something else than before"


# -- formats that came with blocks -------------------------------------------------------------------


def test_formats_that_are_read_in_pieces_are_read_whole_too():
    for name in ("g.parquet", "g.arrow", "g.raw32", "g.raw64"):
        graph = pj.read(save(name, MADE[name](EDGES)), vertices=70)
        assert (graph.vertices, as_stored(graph)) == (70, joined([EDGES.T]))
    big = pj.read(save("g.raw64", (EDGES + 2**40).astype("<i8").tobytes()))
    assert big.names.tolist() == sorted({*(EDGES + 2**40).ravel().tolist()})
    shares: list[float] = []
    pj.read("g.raw64", progress=shares.append)
    assert shares[-1] == 1


def test_every_format_says_whether_it_is_read_in_blocks():
    assert {known.name for known in FORMATS if known.edges is None} == {"npz", "ligra", "metis"}
    for known in FORMATS:
        if known.edges is None:
            fails(save(f"g{known.suffixes[0]}", "1 0\n"), "cannot be read block by block", format=known.name)


# -- labels of blocks --------------------------------------------------------------------------------


def labelled(labels: str) -> tuple[list[tuple[np.ndarray, np.ndarray]], np.ndarray]:
    """Return blocks of a random graph with many components, and its labels."""
    edges = np.random.default_rng(3).integers(0, 400, (150, 2))
    found = pj.components(edges, vertices=400, device="reference", labels=labels)
    return [(part[:, 0], part[:, 1]) for part in np.array_split(edges, 7)], np.array(found.labels)


@pytest.mark.parametrize("labels", ["consecutive", "representative"])
def test_right_labels_of_blocks(labels):
    parts, right = labelled(labels)
    pj.verify_blocks(parts, right)
    pj.verify_blocks(parts[::-1], right.astype(np.int64))
    pj.verify_blocks([], np.arange(5))
    pj.verify_blocks([], [])


@pytest.mark.parametrize("labels", ["consecutive", "representative"])
def test_wrong_labels_of_blocks(labels):
    parts, right = labelled(labels)
    kinds, sizes = np.unique(right, return_counts=True)
    large = kinds[np.argmax(sizes)]
    split, merged = right.copy(), right.copy()
    split[np.flatnonzero(right == large)[-1]] = 399
    merged[right == kinds[1]] = kinds[0]
    swapped = np.where(right == kinds[0], kinds[1], np.where(right == kinds[1], kinds[0], right))
    for wrong, message in (
        (split, "share an edge but have labels"),
        (merged, "both have label .*but no path joins them"),
        (swapped, "has label .*but its component, whose smallest vertex is"),
        (right + 1, "has label .*but its component"),
        (-right - 1, "has label .*but its component"),
        (right[:-50], "has an end outside"),
        (right.astype(float), "must hold integers"),
    ):
        with pytest.raises(VerificationError, match=message):
            pj.verify_blocks(parts, wrong)


def test_each_single_wrong_label_is_found():
    parts, right = labelled("consecutive")
    for v in range(0, 400, 7):
        wrong = right.copy()
        wrong[v] = (wrong[v] + 1) % (right.max() + 1)
        with pytest.raises(VerificationError):
            pj.verify_blocks(parts, wrong)


def test_labels_of_a_file_are_checked_with_progress():
    path = save("g.npy", npy(MANY))
    shares: list[float] = []
    found = pj.read_blocks(path)
    pj.verify_blocks(found, pj.components(pj.read(path), device="reference").labels, progress=shares.append)
    assert shares[-1] == 1
