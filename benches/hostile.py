"""Attack the package for a given time, with new seeds; report trials and failures by kind.

    python benches/hostile.py [--minutes 5] [--seed N] [--only KINDS] [--device NAME] [--json FILE]

- ``files``: files of every format are read. Whole files must give the graph that was written; files that
  were cut, flipped or spliced must give some graph or an error of one line.
- ``graphs``: any algorithm and variant gets a graph in any form that is accepted (arrays of every dtype and
  layout, matrices, files, objects of other libraries). The labels must be scipy's.
- ``lists``: rankings and scans must agree with a walk; arrays that do not hold lists must give an error of
  one line.
- ``verifier``: the verifier must tell wrong labels from right ones that are merely renamed.
- ``threads``: sixteen threads use all public functions on shared graphs and lists at once.
- ``tables``: conditions on columns of every type, in every container, must select the rows that plain Python
  selects; folders of files with different types must hold what was written, or be refused.
- ``kills``: a process is killed while it replaces a file, which must then be the old one or the new one.

Each round runs in a process of its own, so that a crash or a hang is just one more failure. A failure names
its kind and seed: ``--only KIND --seed N --minutes 0`` runs that round again.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import json
import lzma
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir
from functools import partial
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt
import plain_conditions as plain
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

import pointerjump as pj
from pointerjump.formats import FORMATS, Format, read_labels, read_successors, write_labels, write_successors
from pointerjump.registry import ALGORITHMS
from pointerjump.solving.lists import DeviceList

Rng = np.random.Generator
Attack = Callable[[Rng, Path], Iterator[None]]
"""Yields after each trial. Raises WrongError, or lets through an error that the package should not raise."""

SECONDS = 10.0
"""A round lasts at least this long."""
HUNG = 180.0
"""A round that takes more seconds than this counts as hung."""
THREADS = 16


class WrongError(Exception):
    """An answer is wrong, or an error message is not one line."""


# -- what is attacked --------------------------------------------------------------------------------


def random_edges(rng: Rng) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], int]:
    """Return random edges among few or many vertices, with loops, duplicates and isolated vertices."""
    n = int(rng.choice([1, 2, 3, 10, 63, 64, 65, 300, 1000]))
    m = int(rng.integers(0, 2 * n + 1))
    s, t = rng.integers(0, n, (2, m))
    if rng.random() < 0.2 and n > 2:  # a long path, in a random order
        order = rng.permutation(n)
        s, t = np.concatenate([s, order[:-1]]), np.concatenate([t, order[1:]])
    return s, t, n


def scipys(s: npt.ArrayLike, t: npt.ArrayLike, n: int) -> npt.NDArray[np.int32]:
    """Return scipy's labels."""
    if n == 0:
        return np.empty(0, np.int32)
    matrix = sp.coo_array((np.ones(np.shape(s)), (np.asarray(s, int), np.asarray(t, int))), shape=(n, n))
    labels: npt.NDArray[np.int32] = connected_components(matrix, directed=False)[1]
    return labels


def require_equal(found: npt.ArrayLike, expected: npt.ArrayLike, what: str) -> None:
    """Raise WrongError unless two arrays are equal."""
    if not np.array_equal(found, expected):
        raise WrongError(f"{what}: {np.asarray(found)[:20]} in place of {np.asarray(expected)[:20]}")


def refused(call: Callable[[], Any]) -> bool:
    """Return whether a call raises one of our errors, of one line; let other errors through."""
    try:
        call()
    except pj.PointerjumpError as error:
        if not str(error) or "\n" in str(error):
            raise WrongError(f"the message is not one line: {error!r}") from error
        return True
    return False


# -- files -------------------------------------------------------------------------------------------

NUMBERS = (
    b"0",
    b"-1",
    b"2147483647",
    b"2147483648",
    b"9223372036854775808",
    b"1e3",
    b"0x1",
    b"+1",
    b"nan",
    b"",
)
TOKENS = (
    *NUMBERS,
    *(b" ", b",", b"\t", b"\n", b"\r\n", b"#", b"%", b'"', b"\0", b"\xff", b"\xef\xbb\xbf", b"a" * 3000),
)
LARGE = (0, 1, 2**31 - 1, 2**31, 2**62, 2**64 - 1)


def mutated(rng: Rng, content: bytes) -> bytes:
    """Return the content with one to four faults."""
    for _ in range(int(rng.integers(1, 5))):
        at, end = sorted(int(x) for x in rng.integers(0, len(content) + 1, 2))
        fault = int(rng.integers(8))
        if fault == 0:
            content = content[:at]
        elif fault == 1 and content:
            flipped = bytearray(content)
            flipped[min(at, len(content) - 1)] ^= 1 << int(rng.integers(8))
            content = bytes(flipped)
        elif fault == 2:
            content = content[:at] + TOKENS[int(rng.integers(len(TOKENS)))] + content[at:]
        elif fault == 3:
            content = content[:at] + content[end:]
        elif fault == 4:
            content = content[:end] + content[at:]
        elif fault == 5:
            content = content[:at] + rng.bytes(int(rng.integers(1, 20))) + content[at:]
        elif fault == 6:  # a number becomes another
            numbers = list(re.finditer(rb"[0-9]+", content))
            if numbers:
                one = numbers[int(rng.integers(len(numbers)))]
                content = (
                    content[: one.start()] + NUMBERS[int(rng.integers(len(NUMBERS)))] + content[one.end() :]
                )
        else:  # eight bytes of a binary header become a large number
            large = LARGE[int(rng.integers(len(LARGE)))]
            at = int(rng.integers(0, min(40, len(content)) + 1))
            content = content[:at] + large.to_bytes(8, "little") + content[at + 8 :]
    return content


def files(rng: Rng, folder: Path) -> Iterator[None]:
    """Read mutated files of every format."""
    s, t, n = random_edges(rng)
    graph = pj.Graph.from_edges(s, t, vertices=n)
    for file_format in FORMATS:
        if file_format.writer is None:
            continue
        path = folder / f"graph{file_format.suffixes[0]}"
        pj.write(graph, path, format=file_format.name)
        _require_same(rng, path, file_format, scipys(s, t, n))
        yield
        if rng.random() < 0.2 and not file_format.has("binary") and file_format.has("any-ids"):
            names = [f"id {i}" if rng.random() < 0.1 else f"v{i}" for i in range(n)]
            lines = (f"{names[a]},{names[b]}" for a, b in zip(s, t, strict=True))
            path.write_text("source,target\n" * int(rng.integers(2)) + "\n".join(lines))
        yield from _reads(rng, path, partial(pj.read, format=file_format.name))
    labels = folder / f"labels{rng.choice(['.csv', '.tsv', '.npy'])}"
    write_labels(labels, scipys(s, t, n))
    yield from _reads(rng, labels, read_labels)
    successors = folder / f"list{rng.choice(['.txt', '.npy'])}"
    write_successors(successors, rng.integers(0, n, n))
    yield from _reads(rng, successors, read_successors)


def _require_same(rng: Rng, path: Path, file_format: Format, labels: npt.NDArray[np.int32]) -> None:
    """Read a valid file, perhaps compressed or with a final comment: nothing may be lost."""
    content = path.read_bytes()
    if file_format.name in ("edges", "csv", "tsv", "mtx") and rng.random() < 0.3:
        content += b"% the end\n"
    if rng.random() < 0.5:
        suffix, compress = COMPRESSORS[int(rng.integers(len(COMPRESSORS)))]
        at = int(rng.integers(len(content) + 1))
        if rng.random() < 0.5:  # as one stream, or as two
            content = compress(content[:at]) + compress(content[at:])
        else:
            content = compress(content)
        path = path.with_suffix(path.suffix + suffix)
    path.write_bytes(content)
    read = pj.read(path, format=file_format.name)
    if file_format.name == "npy":  # cannot say how many vertices there are
        labels = labels[: read.vertices]
    require_equal(pj.components(read, device=DEVICE).labels, labels, f"{path.name} of {len(labels)} vertices")


COMPRESSORS: tuple[tuple[str, Callable[[bytes], bytes]], ...] = (
    (".gz", gzip.compress),
    (".bz2", bz2.compress),
    (".xz", lzma.compress),
)


def _reads(rng: Rng, path: Path, read: Callable[[Path], Any]) -> Iterator[None]:
    """Read files with faults, some of them compressed, with or without further faults."""
    content = path.read_bytes()
    for _ in range(8):
        wrong = mutated(rng, content)
        damaged = path.with_name("damaged" + path.suffix)
        if rng.random() < 0.25:
            damaged = damaged.with_suffix(path.suffix + ".gz")
            wrong = gzip.compress(wrong, 1)
            if rng.random() < 0.5:
                wrong = mutated(rng, wrong)
        damaged.write_bytes(wrong)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about odd first lines
            refused(lambda damaged=damaged: _used(read(damaged)))
        yield


def _used(made: Any) -> None:
    """Use what was read from a file: an invalid graph would fail here."""
    if isinstance(made, pj.Graph) and made.vertices < 100_000:
        c = (
            pj.components(made, algorithm="union-find", device="reference")
            if made.vertices < 500
            else pj.components(made)
        )
        pj.verify(made, c.labels)


# -- graphs ------------------------------------------------------------------------------------------


def in_some_form(
    rng: Rng, s: npt.NDArray[np.int64], t: npt.NDArray[np.int64], n: int, folder: Path
) -> tuple[str, Any, dict[str, Any]]:
    """Return the graph in one of the forms that users have: its name, the object, and further arguments."""
    form = str(rng.choice(["arrays", "pairs", "matrix", "dense", "networkx", "graph", "file", "lists"]))
    if form in ("arrays", "pairs"):
        fitting = [np.dtype(d) for d in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", ">u8", ">i2")]
        fitting = [d for d in fitting if np.iinfo(d).max >= n]
        first, second = (fitting[int(i)] for i in rng.integers(0, len(fitting), 2))
        if form == "pairs":
            pairs = np.column_stack([s, t]).astype(first)
            return form, np.asfortranarray(pairs) if rng.random() < 0.3 else pairs, {"vertices": n}
        ends = [s.astype(first), t.astype(second)]
        if rng.random() < 0.3:
            ends = [np.repeat(end, 2)[::2] for end in ends]
        return form, tuple(ends), {"vertices": n}
    if form == "lists":
        return form, (s.tolist(), t.tolist()), {"vertices": n}
    matrix = sp.coo_array((rng.integers(0, 2, len(s)), (s, t)), shape=(n, n))  # explicit zeros, too
    if form == "matrix":
        kind = str(rng.choice(["csr", "csc", "coo", "lil", "bsr", "dok"]))
        if kind == "bsr":  # in which zeros only fill blocks up
            matrix.data[:] = 1
        return f"{kind} matrix", matrix.asformat(kind), {}
    if form == "dense":
        dense = np.zeros((n, n))
        dense[s, t] = 1
        return form, dense, {}
    graph = pj.Graph.from_edges(s, t, vertices=n)
    if form == "networkx":
        made = nx.MultiDiGraph()
        made.add_nodes_from(range(n))
        made.add_edges_from(zip(s.tolist(), t.tolist(), strict=True))
        return form, made, {}
    if form == "file":
        formats = [file_format for file_format in FORMATS if file_format.writer and file_format.name != "npy"]
        file_format = formats[int(rng.integers(len(formats)))]
        path = folder / f"one{file_format.suffixes[0]}{rng.choice(['', '.gz'])}"
        pj.write(graph, path, format=file_format.name)
        return f"{path.name} file", pj.read(path, format=file_format.name), {}
    return form, graph, {}


def graphs(rng: Rng, folder: Path) -> Iterator[None]:
    """Compare an algorithm with scipy, on an input in some form."""
    s, t, n = random_edges(rng)
    form, graph, beside = in_some_form(rng, s, t, n, folder)
    if rng.random() < 0.02:  # too large for a single launch
        n = 250_000
        s, t = rng.integers(0, n, (2, int(rng.integers(1, 2 * n))))
        form, graph, beside = "arrays", (s, t), {"vertices": n}
    algorithms = [algorithm for algorithm in ALGORITHMS.values() if algorithm.problem == "components"]
    algorithm = algorithms[int(rng.integers(len(algorithms)))]
    by_reference = algorithm.reference and n < 200 and rng.random() < 0.1
    device = "reference" if by_reference else DEVICE
    if not by_reference and (not algorithm.kernels or rng.random() < 0.5):
        name, variant = "auto", {}
    else:
        variants = list(algorithm.variants("reference" if by_reference else "kernels"))
        name, variant = algorithm.name, variants[int(rng.integers(len(variants)))]
    if form == "dense":
        labels = pj.connected_components(graph, algorithm=name, device=device)[1]
        name = f"{name} by default"
    else:
        labels = pj.components(graph, algorithm=name, device=device, **beside, **variant).labels
    require_equal(labels, scipys(s, t, n), f"{form}, {name} {variant} on {device}, {n} vertices")
    yield


# -- lists -------------------------------------------------------------------------------------------


def random_lists(rng: Rng) -> npt.NDArray[np.int64]:
    """Return some random lists in one array."""
    n = int(rng.choice([0, 1, 2, 5, 64, 257, 2000]))
    order, ends = rng.permutation(n), rng.random(n) < rng.choice([0.0, 0.02, 0.5])
    if n:
        ends[-1] = True
    successors = np.empty(n, np.int64)
    successors[order] = np.where(ends, order, np.roll(order, -1))
    return successors


def walked(successors: npt.NDArray[np.int64], values: npt.NDArray[Any]) -> tuple[list[int], list[Any]]:
    """Return the ranks, and the sums of values from each list's first element, by walking."""
    heads = set(range(len(successors))) - {int(b) for a, b in enumerate(successors) if a != b}
    ranks, sums = [0] * len(successors), [0] * len(successors)
    for head in heads:
        walk = [head]
        while successors[walk[-1]] != walk[-1]:
            walk.append(int(successors[walk[-1]]))
        total = 0
        for i, j in enumerate(walk):
            total += int(values[j])
            ranks[j], sums[j] = len(walk) - 1 - i, total
    return ranks, sums


def lists(rng: Rng, folder: Path) -> Iterator[None]:
    """Rank and scan lists, and arrays that do not hold lists."""
    _rank_lists(rng)
    yield
    _rank_no_lists(rng)
    yield


def _rank_lists(rng: Rng) -> None:
    successors = random_lists(rng)
    values = rng.integers(-100, 100, len(successors))
    fitting = [d for d in (np.int8, np.uint16, np.int32, np.int64) if np.iinfo(d).max >= len(successors)]
    given = successors.astype(fitting[int(rng.integers(len(fitting)))])
    algorithms = [algorithm for algorithm in ALGORITHMS.values() if algorithm.problem == "list-ranking"]
    algorithm = algorithms[int(rng.integers(len(algorithms)))]
    by_reference = not algorithm.kernels or rng.random() < 0.1
    device = "reference" if by_reference else DEVICE
    variants = list(algorithm.variants("reference" if by_reference else "kernels"))
    variant = variants[int(rng.integers(len(variants)))]
    ranks, sums = walked(successors, values)
    require_equal(
        pj.list_rank(given, algorithm=algorithm.name, device=device, **variant),
        ranks,
        f"{algorithm.name} {variant} on {device}",
    )
    require_equal(pj.list_scan(given, values, device=device), sums, f"scan on {device}")


def _rank_no_lists(rng: Rng) -> None:
    n = int(rng.integers(2, 70))
    successors = rng.integers(-1, n + 1, n)
    if rng.random() < 0.5:  # a permutation: some cycles
        successors = rng.permutation(n)
    is_list = successors.min() >= 0 and successors.max() < n
    if is_list:
        linked = successors[successors != np.arange(n)]
        is_list = len(set(linked.tolist())) == len(linked) and nx.is_forest(_as_graph(successors))
    for device in (DEVICE, "reference"):
        if refused(lambda device=device: pj.list_rank(successors, device=device)) == is_list:
            raise WrongError(f"{successors.tolist()} on {device}: wrongly accepted or refused as lists")


def _as_graph(successors: npt.NDArray[np.int64]) -> Any:
    graph = nx.MultiGraph()
    graph.add_nodes_from(range(len(successors)))
    graph.add_edges_from((i, int(j)) for i, j in enumerate(successors) if i != j)
    return graph


# -- verifier ----------------------------------------------------------------------------------------


def verifier(rng: Rng, folder: Path) -> Iterator[None]:
    """Give the verifier right labels, renamed ones, and wrong ones."""
    s, t, n = random_edges(rng)
    right = scipys(s, t, n)
    graph = pj.Graph.from_edges(s, t, vertices=n)
    for _ in range(10):
        labels = rng.permutation(2 * n)[right].astype(rng.choice(["i4", "i8", "u8"]))  # renamed
        for _ in range(int(rng.integers(0, 3))):
            v, w = (int(x) for x in rng.integers(0, n, 2))
            fault = int(rng.integers(4))
            if fault == 0:  # one vertex moves to another component
                labels[v] = labels[w]
            elif fault == 1:  # two components become one
                labels[labels == labels[v]] = labels[w]
            elif fault == 2:  # one component becomes two
                part = np.flatnonzero(labels == labels[v])
                labels[part[: int(rng.integers(len(part) + 1))]] = 3 * n
            else:
                labels[v] += 1
        same = _as_partition(labels) == _as_partition(right)
        if refused(lambda labels=labels: pj.verify(graph, labels)) == same:
            raise WrongError(f"{labels.tolist()} for {graph.offsets.tolist()} {graph.neighbors.tolist()}")
        yield


def _as_partition(labels: npt.NDArray[Any]) -> list[int]:
    first: dict[int, int] = {}
    return [first.setdefault(int(label), v) for v, label in enumerate(labels)]


# -- threads -----------------------------------------------------------------------------------------


def threads(rng: Rng, folder: Path) -> Iterator[None]:
    """Let sixteen threads use the same graphs and lists at once."""
    n = int(rng.choice([50, 3000, 150_000]))
    s, t = rng.integers(0, n, (2, n))
    expected = scipys(s, t, n)
    order = rng.permutation(n)
    successors, ranks = np.empty(n, np.int64), np.empty(n, np.int64)
    successors[order] = np.append(order[1:], order[-1:])
    ranks[order] = np.arange(n)[::-1]
    rows = pj.Graph.from_edges(s, t, vertices=n).in_rows()
    as_read = pj.components((s, t), vertices=n, device=DEVICE)._graph  # its rows have not been made yet
    d, lists_there = pj.to_device(rows, DEVICE), DeviceList(successors, DEVICE)
    uses: list[tuple[Callable[[], Any], npt.ArrayLike]] = [
        (lambda: pj.components((s, t), vertices=n, device=DEVICE).labels, expected),
        (lambda: pj.components(as_read, device=DEVICE).labels, expected),
        (lambda: pj.components(as_read, algorithm="ecl-cc", device=DEVICE).labels, expected),
        (lambda: as_read.edges, rows.edges),
        (lambda: as_read.vertices, n),
        (lambda: pj.components(d).labels, expected),
        (lambda: pj.components(d, algorithm="shiloach-vishkin").labels, expected),
        (lambda: pj.components(d, algorithm="gunrock").labels, expected),
        (lambda: d.label().get(), expected),
        (lambda: d.label("ecl-cc").get(), expected),
        (lambda: pj.connected_components(rows.to_scipy(), device=DEVICE)[1], expected),
        (lambda: len(pj.spanning_forest(d)), n - expected.max() - 1),
        (lambda: refused(lambda: pj.verify(rows, expected)), False),
        (lambda: pj.list_rank(lists_there), ranks),
        (lambda: pj.list_rank(lists_there, algorithm="wylie"), ranks),
        (lambda: pj.list_rank(lists_there, algorithm="rehman"), ranks),
        (lambda: lists_there.rank().get(), ranks),
        (lambda: pj.list_rank(successors, device=DEVICE), ranks),
        (lambda: pj.list_scan(successors, np.ones(n, int), device=DEVICE)[order], np.arange(1, n + 1)),
    ]

    def use(i: int) -> None:
        call, answer = uses[i]
        require_equal(call(), answer, f"use {i} of {n} vertices")

    for _ in range(4):
        with ThreadPoolExecutor(THREADS) as pool:
            for _ in pool.map(use, rng.integers(0, len(uses), 4 * THREADS).tolist()):
                yield


# -- kills -------------------------------------------------------------------------------------------

WRITER = """
import sys
import numpy as np
import pointerjump as pj
from pointerjump.formats import write_labels
path, version = sys.argv[1], int(sys.argv[2])
print("ready", flush=True)
write_labels(path, np.full(300_000, version))
"""


def kills(rng: Rng, folder: Path) -> Iterator[None]:
    """Kill a process while it replaces a file."""
    path = folder / f"labels{rng.choice(['.csv', '.npy', '.tsv.gz'])}"
    write_labels(path, np.full(300_000, 1))
    command = [sys.executable, "-c", WRITER, str(path), "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(float(rng.uniform(0, 0.15)))
        writer.send_signal(signal.SIGKILL if rng.random() < 0.5 else signal.SIGTERM)
    found = set(read_labels(path).tolist())
    if found not in ({1}, {2}):
        raise WrongError(f"{path.name} is half the old one and half the new one")
    for part in folder.glob(".*.part"):
        part.unlink()  # a killed process leaves these
    yield


# -- tables ------------------------------------------------------------------------------------------


def tables(rng: Rng, folder: Path) -> Iterator[None]:
    """Find components of the rows that meet random conditions, and of folders whose files differ in type."""
    with chdir(folder):
        _find_where(rng)
        yield
        _find_in_folder(rng)
        yield


def _one_of(rng: Rng, several: Any) -> Any:
    return several[int(rng.integers(len(several)))]


def _find_where(rng: Rng) -> None:
    type, container = _one_of(rng, list(plain.TYPES)), _one_of(rng, list(plain.CONTAINERS))
    becomes_text = container.startswith("duckdb") and type == pa.uuid()  # which the tests look at
    if type in plain.LACKS.get(container, ()) or becomes_text:
        return
    pool, constants = plain.TYPES[type]
    values = [_one_of(rng, pool) for _ in range(int(rng.integers(1, 60)))]
    if rng.random() < 0.15:
        constants = plain.TYPES[_one_of(rng, list(plain.TYPES))][1]  # most cannot be compared
    wheres = [_random_condition(rng, constants) for _ in range(int(rng.integers(1, 3)))]
    names = [f"{row:02}" for row in range(len(values))]
    table = pa.table({"row": names, "other": names, "x": pa.array(values, type)})
    given, found = plain.CONTAINERS[container](table), None

    def find() -> None:
        nonlocal found
        found = pj.components(given, source="row", target="other", where=wheres, device=DEVICE)

    if refused(find):
        if constants is plain.TYPES[type][1]:
            raise WrongError(f"{container} of {type}: {wheres} is refused")
        return
    expected = [
        name
        for name, value in zip(names, values, strict=True)
        if all(plain.holds(value, *_named(where), type) for where in wheres)
    ]
    assert found is not None
    if sorted(found.ids.to_pylist()) != expected:
        raise WrongError(f"{container} of {type}, {values}: {wheres} selects {found.ids.to_pylist()}")


def _random_condition(rng: Rng, constants: list[Any]) -> tuple[Any, ...]:
    operator = _one_of(rng, [*plain.COMPARISONS, "in", "not in", "is null", "is not null"])
    if operator.startswith("is"):
        return ("x", operator)
    several = [_one_of(rng, constants) for _ in range(int(rng.integers(1, 5)))]
    return ("x", operator, several if operator.endswith("in") else several[0])


def _named(where: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """Return a condition's operator, and the values that it names."""
    return where[1], where[2] if where[1].endswith("in") else list(where[2:])


def _find_in_folder(rng: Rng) -> None:
    types = [_one_of(rng, list(plain.TYPES)) for _ in range(2)]
    parts = [[_one_of(rng, plain.TYPES[type][0]) for _ in range(int(rng.integers(0, 5)))] for type in types]
    Path("mixed").mkdir(exist_ok=True)
    for number, (type, values) in enumerate(zip(types, parts, strict=True)):
        column = pa.array(values, type)
        if rng.random() < 0.3 and pa.types.is_primitive(type) and not pa.types.is_duration(type):
            column = column.dictionary_encode()  # Parquet forgets that durations are not numbers
        pq.write_table(pa.table({"x": column, "y": column}), f"mixed/{number}.parquet")
    there = [value for values in parts for value in values if value == value]  # NaN is missing
    expected = {value for value in there if value not in (None, "", b"")}
    found: Any = None

    def find() -> None:
        nonlocal found
        where = [("x", "is not null")]
        found = pj.components("mixed", source="x", target="y", where=where, device=DEVICE)

    if not refused(find) and set(found.ids.to_pylist()) != expected:
        raise WrongError(f"a folder of {types} with {parts} gives {found.ids.to_pylist()}")


# -- rounds ------------------------------------------------------------------------------------------

KINDS: dict[str, Attack] = {f.__name__: f for f in (files, graphs, lists, verifier, threads, tables, kills)}
DEVICE: str | None = None


def run_round(kind: str, seed: int, seconds: float) -> int:
    """Attack for some seconds; print what went wrong in each failing trial."""
    rng, trials, failures = np.random.default_rng(seed), 0, 0
    end = time.perf_counter() + seconds
    with tempfile.TemporaryDirectory() as folder:
        while time.perf_counter() < end:
            try:
                for _ in KINDS[kind](rng, Path(folder)):
                    trials += 1
            except Exception as error:
                trials, failures = trials + 1, failures + 1
                place = traceback.extract_tb(error.__traceback__)[-1]
                what = f"{type(error).__name__} ({Path(place.filename).name}:{place.lineno})"
                print(f"FAILED trial {trials}: {what}: {str(error)[:500]}", flush=True)
    print(f"TRIALS {trials} {failures}", flush=True)
    return 1 if failures else 0


def round_apart(kind: str, seed: int, device: str | None) -> tuple[int, list[str]]:
    """Run a round in a process of its own; return the number of trials, and the failures."""
    command = [sys.executable, __file__, "--round", kind, "--seed", str(seed)]
    command += ["--device", device] if device else []
    environment = {**os.environ, "PYTHONFAULTHANDLER": "1"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=HUNG, env=environment)
    except subprocess.TimeoutExpired:
        return 0, [f"hung for {HUNG:.0f} s"]
    failures = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    counted = re.search(r"^TRIALS (\d+) (\d+)$", done.stdout, re.MULTILINE)
    if counted is None or done.returncode not in (0, 1):
        last = " / ".join(done.stderr.strip().splitlines()[:6])
        failures.append(f"ended with {done.returncode}: {last}")
    return int(counted[1]) if counted else 0, failures


def main() -> int:
    """Run rounds until the time is up."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument(
        "--seed", type=int, default=None, help="seed of the first round (default: from the clock)"
    )
    parser.add_argument("--only", help="kinds, separated by commas")
    parser.add_argument("--device", help="as for pointerjump --device; default: the fastest that works")
    parser.add_argument("--json", metavar="FILE", help="also write the counts")
    parser.add_argument("--jobs", type=int, default=2, help="rounds at a time")
    parser.add_argument("--round", metavar="KIND", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    first = arguments.seed if arguments.seed is not None else int(time.time())
    if arguments.round:
        global DEVICE
        DEVICE = arguments.device
        return run_round(arguments.round, first, SECONDS)

    kinds = arguments.only.split(",") if arguments.only else list(KINDS)
    trials, failures = Counter[str](), dict.fromkeys(kinds, 0)
    end = time.monotonic() + 60 * arguments.minutes
    seeds, lock = iter(range(first, first + 10**9)), threading.Lock()

    def worker(number: int) -> None:
        while True:
            with lock:
                seed = next(seeds)
                kind = kinds[(seed - first) % len(kinds)]
            made, failed = round_apart(kind, seed, arguments.device)
            with lock:
                trials[kind] += made
                failures[kind] += len(failed)
                for line in failed:
                    print(f"{kind}, seed {seed}: {line}", flush=True)
            if time.monotonic() > end:
                return

    jobs = arguments.jobs if arguments.minutes else 1
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(worker, range(jobs)))
    for kind in kinds:
        print(f"{kind:>10}: {trials[kind]:>9,} trials, {failures[kind]} failures")
    if arguments.json:
        counts = {kind: {"trials": trials[kind], "failures": failures[kind]} for kind in kinds}
        Path(arguments.json).write_text(json.dumps({"first seed": first, **counts}, indent=1))
    return 1 if any(failures.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
