"""Files that are too large or cut in awkward places: blocks, memory, progress, and threads at exit."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import pointerjump as pj
from pointerjump.base import memory
from pointerjump.errors import FormatError, MemoryLimitError
from pointerjump.formats import (
    outputs,
    parsing,
    read_labels,
    read_successors,
    sources,
    write_labels,
    write_successors,
)
from pointerjump.formats.sources import BLOCK, opened
from pointerjump.formats.text import TextStart, block_of, blocks


def save(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def zstandard(content: bytes) -> bytes:
    import pyarrow as pa

    return pa.Codec("zstd").compress(content, asbytes=True)


@pytest.fixture
def tiny_blocks(monkeypatch):
    """Cut text into blocks of 64 bytes, so that everything stands on a border of two."""
    monkeypatch.setattr(sources, "BLOCK", 64)
    monkeypatch.setattr(sources, "LOOKED_AT", 64)


# -- blocks --------------------------------------------------------------------------------------------

ROWS = [(i * 7 % 101, i * 13 % 103) for i in range(200)]
ENTRIES = "".join(f"{u + 1} {v + 1}\n" for u, v in ROWS)
SHAPES = {
    "plain.el": "".join(f"{u} {v}\n" for u, v in ROWS),
    "counted.el": "# vertices 500 edges 200\n" + "".join(f"{u} {v}\n" for u, v in ROWS),
    "dos.csv": "".join(f"{u},{v}\r\n" for u, v in ROWS),
    "mac.tsv": "".join(f"{u}\t{v}\r" for u, v in ROWS),
    "untidy.el": "".join(f" {u}\t {v}  \n" for u, v in ROWS),
    "remarks.el": "# many\n" * 40
    + "".join(f"{u} {v}\n" + "# more\n" * (i % 50 == 0) for i, (u, v) in enumerate(ROWS)),
    "ragged.el": "".join(f"{u} {v}" + " x" * (i % 3) + "\n" for i, (u, v) in enumerate(ROWS)),
    "header.csv": "# many\n" * 40 + "source,target\n# c\n" + "".join(f'"{u}",{v}\n' for u, v in ROWS),
    "late.csv": "".join(f"{u},{v}\n" for u, v in ROWS[:-1]) + f"{ROWS[-1][0]},{ROWS[-1][1]}",
    "g.mtx": "%%MatrixMarket matrix coordinate pattern general\n" + "% c\n" * 30 + f"104 104 200\n{ENTRIES}",
    "g.gr": "c\n" * 40 + "p sp 104 200\n" + "".join(f"a {u + 1} {v + 1} 1\nc 1 2\n" for u, v in ROWS),
}


@pytest.mark.parametrize("compression", ["", ".gz", ".bz2", ".xz", ".zst"])
@pytest.mark.parametrize("name", SHAPES)
def test_blocks_change_nothing(tmp_path, tiny_blocks, name, compression):
    path = tmp_path / f"{name}{compression}"
    with outputs.replacing(path) as file:
        file.write(SHAPES[name].encode())
    graph = pj.read(path)
    assert graph.records == len(ROWS)
    edges = graph.edges_as_read
    assert edges is not None
    assert list(zip(edges.sources.tolist(), edges.targets.tolist(), strict=True)) == ROWS
    assert edges.sources.dtype == np.int32


@pytest.mark.parametrize("width", [2**31 - 1, 2**31, 2**62])
def test_a_large_id_widens_all_blocks(tmp_path, tiny_blocks, width):
    path = save(tmp_path, "g.el", SHAPES["plain.el"] + f"0 {width}\n" + SHAPES["plain.el"])
    graph = pj.read(path, ids="compact")
    assert graph.records == 2 * len(ROWS) + 1
    assert graph.names[-1] == width


def test_text_ids_in_blocks(tmp_path, tiny_blocks):
    content = "".join(f"n{u},m{v}\n" + "#\n" * (i % 40 == 0) for i, (u, v) in enumerate(ROWS))
    graph = pj.read(save(tmp_path, "g.csv", content), header=False)
    in_order = [name for u, v in ROWS for name in (f"n{u}", f"m{v}")]
    assert graph.names.tolist() == list(dict.fromkeys(in_order))


@pytest.mark.parametrize("known", ["metis", "ligra"])
def test_rows_longer_than_a_block(tmp_path, tiny_blocks, known):
    star = pj.Graph.from_edges(np.zeros(300, int), np.arange(1, 301), vertices=302)
    path = tmp_path / "star"
    pj.write(star, path, format=known)
    back = pj.read(path, format=known)
    assert np.array_equal(back.offsets, star.offsets)
    assert np.array_equal(back.neighbors, star.neighbors)
    if known == "ligra":
        one_line = save(tmp_path, "one-line", path.read_text().replace("\n", " "))
        assert np.array_equal(pj.read(one_line, format=known).neighbors, star.neighbors)
        weighted = "Weighted" + path.read_text() + "0.5\n" * star.directed_edges
        assert np.array_equal(pj.read(save(tmp_path, "w.adj", weighted)).neighbors, star.neighbors)


def test_comments_among_rows_of_metis(tmp_path, tiny_blocks):
    rows = "".join(f"{(v ^ 1) + 1}\n% 0x1 is not a number\n" for v in range(80))
    assert pj.read(save(tmp_path, "g.graph", "% c\n" * 50 + "80 40\n" + rows)).edges == 40
    with pytest.raises(FormatError, match="line 162 has 'x', which is not a 64-bit integer"):
        pj.read(save(tmp_path, "g.graph", "80 40\n" + rows + "x\n"))


def test_labels_and_successors_in_blocks(tmp_path, tiny_blocks):
    order = np.random.default_rng(3).permutation(300)
    content = "vertex,label\n" + "".join(f"{v},{v // 2}\n" for v in order)
    assert np.array_equal(read_labels(save(tmp_path, "l.csv", content)), np.arange(300) // 2)
    named = content.replace("\n299,", "\n0x1,")
    assert np.array_equal(read_labels(save(tmp_path, "l.csv", named)), order // 2)
    content = "# c\n" * 50 + "".join(f"{v}\n# c\n" for v in order)
    assert np.array_equal(read_successors(save(tmp_path, "list.txt", content)), order)


def test_no_column_of_integers_holds_hexadecimal_ones():
    """Pyarrow reads 0x1 as 1; here nobody has to remember to look for it."""
    import pyarrow as pa

    block = block_of(b"0x1,2\n")
    assert parsing.read_columns(block, ",", 2, {1: pa.int64(), 0: pa.int64()}) is None
    (column,) = parsing.read_columns(block, ",", 2, {0: pa.string()})
    assert column.to_pylist() == ["0x1"]


def test_columns_come_in_the_order_they_are_asked_for():
    import pyarrow as pa

    block = block_of(b"5,6,7\n8,9,10\n")
    found = parsing.read_columns(block, ",", 3, {2: pa.int64(), 0: pa.int64()})
    assert [column.to_pylist() for column in found] == [[7, 10], [5, 8]]
    pattern = r"^(?P<a>\d+),(?P<b>\d+)"
    found = parsing.matches(block, pattern, {"b": pa.int64(), "a": pa.int32()}, skip="^$", expected="")
    assert [column.to_pylist() for column in found] == [[6, 9], [5, 8]]


def test_errors_name_the_line_of_the_file(tmp_path, tiny_blocks):
    content = "# c\n" * 40 + SHAPES["plain.el"] + "one 2\n" + SHAPES["plain.el"]
    with pytest.raises(FormatError, match=f"line {40 + len(ROWS) + 1} is 'one 2'"):
        pj.read(save(tmp_path, "g.el", content))
    at = len(SHAPES["plain.el"]) + 1
    with pytest.raises(FormatError, match=f"byte {at} is NUL"):
        pj.read(save(tmp_path, "g.el", SHAPES["plain.el"] + "1\0 2\n"))


def test_a_line_longer_than_a_block(tmp_path, tiny_blocks):
    with pytest.raises(FormatError, match="has a line longer than"):
        pj.read(save(tmp_path, "g.el", "0 1\n1 2 " + "x" * 200 + "\n"))


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["g.txt", "g.gr", "g.mtx", "g.el", "g.graph", "g.adj"])
def test_blank_lines_cost_no_more_than_their_number(tmp_path, name, line_end):
    """A pattern that could split them in two ways at each line would take ages."""
    path = save(tmp_path, name, line_end * 5000 + "0 1" + line_end)
    if name in ("g.txt", "g.el"):
        assert pj.read(path).records == 1
    else:
        with pytest.raises(FormatError):
            pj.read(path)


def test_pipes_are_read_once_and_in_blocks(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    lines = BLOCK // 4
    program = f"f = open({str(pipe)!r}, 'wb'); [f.write(b'0 1\\n' * 1000) for _ in range({lines // 1000})]"
    with subprocess.Popen([sys.executable, "-c", program]):
        assert pj.read(pipe, format="edges").records == lines // 1000 * 1000


@pytest.mark.parametrize("second", ["1,2", "x,y"])
def test_the_second_line_is_found_behind_any_comments(tmp_path, tiny_blocks, second):
    """It says whether the first is a mistake, a header or an edge."""
    remarks = "# more\n\n" * 200
    first, why = (
        ("1.0,x", "line 1 is '1.0,x', which is neither") if second == "1,2" else ("1,2", "line 402 is 'x,y'")
    )
    with pytest.raises(FormatError, match=why):
        pj.read(save(tmp_path, "g.csv", f"{first}\n{remarks}{second}\n"))
    header = save(tmp_path, "g.csv", f"who,whom\n{remarks}1,2\n{remarks}2,x\n")
    with pytest.raises(FormatError, match="line 803 is '2,x'"):
        pj.read(header)
    named = save(tmp_path, "g.csv", f"source,target\n{remarks}{second}\n")
    assert pj.read(named, header=None if second == "1,2" else True).records == 1
    assert pj.read(save(tmp_path, "g.csv", f"{second}\n{remarks}{second}"), header=False).records == 2


@pytest.mark.filterwarnings("ignore:.*'source' and 'target' as ids")
def test_a_long_header_is_passed_over_at_once(tmp_path, monkeypatch):
    """Not by a pattern made of it, which takes seconds to compile."""
    patterns = []
    compiled = re.compile
    monkeypatch.setattr(
        re, "compile", lambda pattern, flags=0: patterns.append(pattern) or compiled(pattern, flags)
    )
    assert pj.read(save(tmp_path, "g.csv", "source,target," + "A" * (BLOCK - 100) + "\n0,1\n")).records == 1
    assert max((len(pattern) for pattern in patterns), default=0) < 1000


# -- compression -----------------------------------------------------------------------------------------

COMPRESS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstandard}


@pytest.mark.parametrize("suffix", COMPRESS)
def test_later_streams_are_read_or_refused(tmp_path, suffix):
    first, later = (COMPRESS[suffix](line) for line in (b"0 1\n", b"1 2\n" * 9))
    assert pj.read(save(tmp_path, f"g.el{suffix}", first + later)).records == 10
    for byte in (0, 1, 2):
        damaged = bytearray(first + later)
        damaged[len(first) + byte] ^= 1
        with pytest.raises(FormatError, match=rf"g\.el{suffix}: ") as caught:
            pj.read(save(tmp_path, f"g.el{suffix}", bytes(damaged)))
        assert "\n" not in str(caught.value)
    with pytest.raises(FormatError):
        pj.read(save(tmp_path, f"g.el{suffix}", first + b"and more"))
    with pytest.raises(FormatError):
        pj.read(save(tmp_path, f"g.el{suffix}", first + later[:-3]))


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_zeros_may_follow_the_last_stream(tmp_path, suffix):
    content = COMPRESS[suffix](b"0 1\n") + bytes(1 << 18)
    assert pj.read(save(tmp_path, f"g.el{suffix}", content)).records == 1


@pytest.mark.parametrize("suffix", COMPRESS)
@pytest.mark.parametrize("name", ["g.el", "g.txt", "g.mtx", "g.egr", "g.npy", "g.graph"])
def test_a_compressed_file_without_the_suffix_is_told(tmp_path, suffix, name):
    pj.write(pj.Graph.from_edges([0, 1], [1, 2]), tmp_path / name)
    compressed = COMPRESS[suffix]((tmp_path / name).read_bytes())
    with pytest.raises(FormatError, match=rf"looks like a compressed {suffix} file: give it that suffix"):
        pj.read(save(tmp_path, name, compressed))


def test_a_graph_may_begin_as_a_compressed_file_does(tmp_path):
    graph = pj.Graph.from_edges([0], [1], vertices=0x88B1F)  # the first bytes of .egr are this number
    pj.write(graph, tmp_path / "g.egr")
    assert (tmp_path / "g.egr").read_bytes().startswith(b"\x1f\x8b\x08")
    assert pj.read(tmp_path / "g.egr").vertices == 0x88B1F
    assert pj.read(save(tmp_path, "g.el", "BZh9 x\n"), header=False).vertices == 2


# -- arguments -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a\0.el", "\ud800.el", "a\0.txt"])
def test_names_that_no_file_can_have(tmp_path, name):
    for call in (
        lambda path: pj.read(path),
        lambda path: pj.read(path, format="edges"),
        lambda path: pj.write(pj.Graph.from_edges([0], [1]), path),
        lambda path: read_successors(path),
        lambda path: write_successors(path, [0]),
        lambda path: read_labels(f"{path}.csv"),
    ):
        with pytest.raises(FormatError, match=r"^'.*(x00|ud800).*no file can have this name") as caught:
            call(f"{tmp_path}/{name}")
        assert str(caught.value).isprintable()


def test_a_name_of_two_lines_is_told_in_one(tmp_path):
    with pytest.raises(FormatError, match=r"a\\nb\.el': No such file") as caught:
        pj.read(tmp_path / "a\nb.el")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("path", "why"), [(5, "path is 5"), (None, "path is None"), (b"x", "path is b'x'")])
def test_what_is_no_path(path, why):
    for read in (pj.read, read_labels, read_successors):
        with pytest.raises(FormatError, match=f"{why}: give a path"):
            read(path)
    with pytest.raises(FormatError, match=f"{why}: give a path"):
        write_successors(path, [0])


def test_an_empty_path():
    with pytest.raises(FormatError, match="the path is empty: name a file"):
        pj.read("")


def test_progress_is_a_function_or_none(tmp_path):
    for read, name in ((pj.read, "g.el"), (read_successors, "s.txt"), (read_labels, "l.csv")):
        with pytest.raises(FormatError, match=rf"{name}: progress=5: give a function of one number, or None"):
            read(save(tmp_path, name, "0\n"), progress=5)


@pytest.mark.parametrize(
    ("successors", "why"),
    [
        ([[0, 1]], r"successors has shape \(1, 2\): it must be one-dimensional"),
        ([[0], [1, 2]], "successors cannot be made into an array"),
        ([0, None], "successors has dtype object, but must hold integers"),
        ([0.5], "successors has dtype float64, but must hold integers"),
        (np.ma.masked_array([0, 1], [0, 1]), r"successors\[1\] is masked"),
    ],
)
@pytest.mark.parametrize("name", ["s.npy", "s.txt"])
def test_what_is_no_successor_array_is_not_written(tmp_path, name, successors, why):
    with pytest.raises(FormatError, match=rf"{name}: {why}"):
        write_successors(tmp_path / name, successors)
    assert not list(tmp_path.iterdir())


# -- memory --------------------------------------------------------------------------------------------


@pytest.fixture
def little_memory(monkeypatch):
    """Let nothing larger than 1 MB pass."""
    monkeypatch.setattr(memory, "NOT_ASKED_ABOUT", 0)
    monkeypatch.setattr(memory, "available", lambda: (10**6, "this test has {} free"))


@pytest.mark.parametrize(
    "name", ["g.el.gz", "g.el", "g.csv.xz", "g.mtx.gz", "g.graph.gz", "g.adj.gz", "g.sg.gz"]
)
def test_what_does_not_fit_is_refused_in_one_line(tmp_path, little_memory, monkeypatch, name):
    monkeypatch.setattr(sources, "BLOCK", 1 << 16)
    begin = {
        "g.mtx.gz": "%%MatrixMarket matrix coordinate pattern general\n9 9 1\n",
        "g.graph.gz": "9 1\n",
        "g.adj.gz": "AdjacencyGraph 9 1\n",
    }.get(name, "")
    with outputs.replacing(tmp_path / name) as file:
        file.write((begin + "1 2\n" * 1_000_000).encode())
    with pytest.raises(
        MemoryLimitError, match=rf"{name}: joining .* this test has .*: use a machine with more memory"
    ) as caught:
        pj.read(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_arrays_that_do_not_fit_are_refused(tmp_path, little_memory):
    np.save(tmp_path / "g.npy", np.zeros((10**6, 2), np.int32))
    with pytest.raises(MemoryLimitError, match=r"g\.npy: its array of shape \(1000000, 2\) would take"):
        pj.read(tmp_path / "g.npy")
    sp.save_npz(tmp_path / "g.npz", sp.csr_array(np.ones((1000, 1000))))
    with pytest.raises(MemoryLimitError, match=r"g\.npz: unpacking its .* bytes of arrays"):
        pj.read(tmp_path / "g.npz")


def header_of(shape: tuple[int, ...]) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array_header_2_0(file, {"descr": "<i8", "fortran_order": False, "shape": shape})
    return file.getvalue()


def test_arrays_whose_headers_promise_too_much(tmp_path):
    for shape in ((2**40, 2), (2**61, 2), (2**70, 2)):
        stated = f"states {16 * shape[0]} bytes of numbers but has 0: it is truncated"
        with pytest.raises(FormatError, match=rf"g\.npy: {stated}"):
            pj.read(save(tmp_path, "g.npy", header_of(shape)))
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr("indices.npy", header_of(shape))
        with pytest.raises(FormatError, match=rf"g\.npz: {stated}"):
            pj.read(save(tmp_path, "g.npz", archive.getvalue()))
    empty = save(tmp_path, "s.npy", header_of((0, 2**62, 2)))
    for read in (pj.read, pj.read_successors):
        with pytest.raises(FormatError, match=r"s\.npy: is damaged, .*a shape that no array can have"):
            read(empty)


@pytest.mark.skipif(sys.platform != "linux", reason="limits data segments as Linux does")
def test_a_bomb_ends_in_one_line_with_memory_bounded(tmp_path):
    path = tmp_path / "bomb.el.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(100):
            file.write(b"0 1\n" * 1_000_000)  # 800 MB of numbers, and as much again to join them
    program = (
        "import resource, sys, pointerjump as pj\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))\n"
        "try:\n    pj.read(sys.argv[1])\n"
        "except pj.errors.MemoryLimitError as error:\n"
        "    print(error, open('/proc/self/status').read().split('VmHWM:')[1].split()[0], sep='\\n')\n"
    )  # VmHWM is this program's own peak: getrusage's starts at that of the process that started it
    run = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)
    message, peak = run.stdout.splitlines()
    assert "bomb.el.gz: joining the numbers in its first" in message
    assert int(peak) < 1 << 20  # KiB


# -- progress --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compression", ["", ".gz", ".bz2", ".xz", ".zst"])
def test_progress_is_the_share_of_the_file(tmp_path, tiny_blocks, compression):
    path = tmp_path / f"g.el{compression}"
    with outputs.replacing(path) as file:
        file.write(SHAPES["plain.el"].encode())
    shares: list[float] = []
    pj.read(path, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[0] > 0
    assert shares[-1] == 1
    assert compression or len(shares) > 10


@pytest.mark.parametrize("compression", ["", ".gz"])
def test_progress_of_labels_and_lists(tmp_path, tiny_blocks, compression):
    write_labels(tmp_path / f"l.csv{compression}", np.arange(200))
    write_successors(tmp_path / f"s.txt{compression}", np.arange(200))
    for read, name in ((read_labels, "l.csv"), (read_successors, "s.txt")):
        shares: list[float] = []
        assert np.array_equal(read(tmp_path / f"{name}{compression}", progress=shares.append), np.arange(200))
        assert shares == sorted(shares)
        assert shares[0] > 0
        assert shares[-1] == 1
        assert compression or len(shares) > 10


def test_progress_of_other_formats_ends_at_one(tmp_path):
    pj.write(pj.Graph.from_edges([0], [1]), tmp_path / "g.egr")
    shares: list[float] = []
    pj.read(tmp_path / "g.egr", progress=shares.append)
    assert shares[-1] == 1


# -- threads ---------------------------------------------------------------------------------------------


def test_what_arrow_is_given_is_its_own(tmp_path, monkeypatch):
    """Arrow's threads may outlive Python; what they then give back must not be Python's."""
    import pyarrow as pa
    import pyarrow.csv

    given: list[object] = []
    read_csv = pyarrow.csv.read_csv

    def noting(file, *options):
        given.append(file)
        return read_csv(file, *options)

    def refuse(*_):
        raise AssertionError("py_buffer wraps memory of Python's")

    monkeypatch.setattr(pyarrow.csv, "read_csv", noting)
    monkeypatch.setattr(pa, "py_buffer", refuse)
    buffers = []
    reader = pa.BufferReader
    monkeypatch.setattr(pa, "BufferReader", lambda buffer: buffers.append(buffer) or reader(buffer))
    for name, content in (
        ("a.el", "0 1\n"),
        ("b.el", "0  1\n1 2\n"),
        ("c.el", "0 1 x\n1 2\n"),
        ("d.csv", "a,1\n"),
    ):
        pj.read(save(tmp_path, name, content), header=False)
        pj.read(save(tmp_path, f"{name}.gz", gzip.compress(content.encode())), header=False)
    read_labels(save(tmp_path, "l.csv", "vertex,label\n0,1\n"))
    read_successors(save(tmp_path, "s.txt", "0\n"))
    assert len(given) == len(buffers) >= 10
    assert all(isinstance(file, reader) for file in given)
    assert all(type(buffer) is pa.Buffer for buffer in buffers)


def test_a_short_run_ends_as_it_should(tmp_path):
    content = "".join(f"{u},{v}\n" for u, v in ROWS) * 5000
    path = save(tmp_path, "g.csv.gz", gzip.compress(content.encode(), 1))
    program = "import sys, pointerjump as pj; print(pj.read(sys.argv[1]).records)"

    def run(_: int) -> tuple[int, bytes]:
        done = subprocess.run([sys.executable, "-c", program, path], capture_output=True)
        return done.returncode, done.stdout.strip()

    with ThreadPoolExecutor(6) as pool:
        assert set(pool.map(run, range(6))) == {(0, str(5000 * len(ROWS)).encode())}


def test_a_text_is_read_where_it_stands(tmp_path, monkeypatch):
    for looked_at in (8, 1 << 20):
        monkeypatch.setattr(sources, "LOOKED_AT", looked_at)
        with opened(save(tmp_path, "g.el", b"\xef\xbb\xbf% c\n% d\n7 8\n9 9\n")) as source:
            start = TextStart(source)
            assert start.take(re.compile(rb"(?:%[^\n]*\n)*"))[0] == b"% c\n% d\n"
            assert start.place == (11, 3)
            assert start.line() == b"7 8"
            assert start.take(re.compile(rb"7 8\n"))
            found = [(block.content, block.place.line, block.end) for block in blocks(source, start.place)]
            assert found == [(b"9 9\n", 4, (19, 5))]
