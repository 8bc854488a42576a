"""Minimum spanning forests of tables, and of files that have weights."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
import scipy.sparse as sp

import pointerjump as pj
from pointerjump.formats import read_weighted

PAIRS = pa.table({"left": ["a", "b", "a", "d"], "right": ["b", "c", "c", "e"], "score": [0.5, 0.1, 0.2, 9.0]})
ROWS = [
    {"left": "b", "right": "c", "score": 0.1},
    {"left": "a", "right": "c", "score": 0.2},
    {"left": "d", "right": "e", "score": 9.0},
]

# -- tables ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("made", [lambda table: table, pa.Table.to_pandas, pl.from_arrow])
def test_rows_of_a_table_in_its_own_kind(made: Any) -> None:
    table = made(PAIRS)
    found = pj.minimum_spanning_forest(table, weight="score")
    assert found.places.tolist() == [1, 2, 3]
    assert (found.count, found.names.tolist()) == (2, list("abcde"))
    assert type(found.table()) is type(table)
    assert pa.table(found.table()).to_pylist() == ROWS
    assert found.components().count == 2
    pj.verify_minimum_forest(table, found.places, weight="score")
    with pytest.raises(pj.VerificationError, match="edge 1 is not in the forest, but lighter than edge 0"):
        pj.verify_minimum_forest(table, [0, 2, 3], weight="score")


def test_the_column_of_weights_makes_an_iterator_a_table(tmp_path: Path) -> None:
    parts = [pa.table({"left": ["a"], "right": [each], "score": [1]}) for each in "bc"]
    rows = pj.minimum_spanning_forest(iter(parts), weight="score").table()
    assert rows.to_pylist() == pa.concat_tables(parts).to_pylist()
    (tmp_path / "edges.el").write_text("0 1 5\n")
    with pytest.raises(pj.GraphError, match="weight is for edges that come at once"):
        pj.minimum_spanning_forest(pj.read_blocks(tmp_path / "edges.el", weighted=True), weight="score")


def test_conditions_and_the_heaviest() -> None:
    where = ("score", ">", 0.15)
    found = pj.minimum_spanning_forest(PAIRS, weight="score", maximum=True, where=where)
    assert found.table()["score"].to_pylist() == [0.5, 0.2, 9.0]
    assert found.places.tolist() == [0, 1, 2]  # of the rows that meet the condition
    pj.verify_minimum_forest(PAIRS, found.places, weight="score", maximum=True, where=where)


@pytest.mark.parametrize("where", [None, "reference"])
def test_many_ids_are_numbered_on_a_device(where: Any) -> None:
    rng = np.random.default_rng(1)
    left, right = rng.integers(0, 3000, (2, 9000))
    weights = rng.integers(0, 50, 9000)
    table = pd.DataFrame({"u": left * 1000, "v": right * 1000, "w": weights})
    of_table = pj.minimum_spanning_forest(table, weight="w", source="u", target="v", device=where)
    of_arrays = pj.minimum_spanning_forest((left, right), weights, ids="compact")
    assert of_table.places.tolist() == of_arrays.places.tolist()
    assert of_table.table().equals(table.iloc[of_table.places].reset_index(drop=True))


def test_files_of_tables(tmp_path: Path) -> None:
    pq.write_table(PAIRS, tmp_path / "pairs.parquet")
    PAIRS.to_pandas().to_csv(tmp_path / "pairs.csv", index=False)
    for name in ("pairs.parquet", "pairs.csv"):
        assert pj.minimum_spanning_forest(tmp_path / name, weight="score").table().to_pylist() == ROWS


@pytest.mark.parametrize(
    ("ids", "weights", "kept"),
    [
        (pa.array([1, 2], pa.int16()), pa.array([3, 3], pa.uint8()), pa.int16()),
        (pa.array(["a", "b"]).dictionary_encode(), pa.array([1.5, 1.5], pa.float32()), pa.string()),
        (pa.array([1, 2], pa.date32()), pa.array([Decimal("1.5")] * 2), pa.date32()),
    ],
)
def test_types_of_ids_and_weights(ids: Any, weights: Any, kept: Any) -> None:
    table = pa.table({"left": ids, "right": ids.take(pa.array([1, 0])), "w": weights})
    found = pj.minimum_spanning_forest(table, weight="w").table()
    assert found.schema.field("left").type == kept
    assert len(found) == 1


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, None], "column 'w' has no weight in row 1"),
        ([1.0, float("nan")], "column 'w' has no weight in row 1"),
        (["1", "2"], "column 'w' holds string, but weights are numbers"),
        (pa.array([1, 2**63], pa.uint64()), r"the table: column 'w': weights\[1\] is 9223372036854775808"),
    ],
)
def test_columns_that_hold_no_weights(weights: Any, message: str) -> None:
    table = pa.table({"left": [1, 2], "right": [2, 3], "w": weights})
    with pytest.raises(pj.PointerjumpError, match=message):
        pj.minimum_spanning_forest(table, weight="w")


def test_a_weight_of_a_networkx_graph_that_is_nan() -> None:
    nx = pytest.importorskip("networkx")
    graph = nx.Graph([("a", "b", {"weight": 1.0}), ("b", "c", {"weight": float("nan")})])
    with pytest.raises(pj.GraphError, match=r"edge \('b', 'c'\) has the weight NaN"):
        pj.minimum_spanning_forest(graph, device="reference")


def test_wrong_questions_about_tables() -> None:
    with pytest.raises(pj.TableError, match="name it with weight="):
        pj.minimum_spanning_forest(PAIRS)
    with pytest.raises(pj.TableError, match="has no column 'weight'"):
        pj.minimum_spanning_forest(PAIRS, weight="weight")
    with pytest.raises(pj.GraphError, match="this is a table: leave them out"):
        pj.minimum_spanning_forest(PAIRS, [1, 2, 3, 4])
    with pytest.raises(pj.GraphError, match="there are no weights"):
        pj.minimum_spanning_forest("urand:scale=3,degree=2")


# -- files with weights ------------------------------------------------------------------------------------

HEADER_OF_ROWS = np.array([2, 2, 0, 1, 2, 1, 0], "<i4").tobytes()
FILES: dict[str, tuple[str | bytes, list[float]]] = {
    "blanks.el": ("0 1 5\n1   2 6\n", [5, 6]),
    "comments.el": ("# a\n0 1 5.5\n% b\n1 2 6 7\n", [5.5, 6]),
    "powers.csv": ("0,1,5e1\n1,2,-inf\n", [50, -np.inf]),
    "quotes.csv": ('0,1,"5"\n"1",2, 3\n', [5, 3]),
    "header.csv": ("one,two\n0,1,5\n1,2,-7\n", [5, -7]),
    "wide.tsv": ("0\t1\t2\n10000000000\t1\t1.5\n", [2, 1.5]),
    "real.mtx": ("%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1.5\n3 1 -2\n", [1.5, -2]),
    "integer.mtx": ("%%MatrixMarket matrix coordinate integer general\n2 3 2\n2 1 4\n1 3 9\n", [4, 9]),
    "arcs.gr": ("c x\np sp 3 2\na 1 2 7\na 2 3 8\n", [7, 8]),
    "fractions.gr": ("p sp 3 2\na 1 2 7\nc y\na 2 3 8.5\n", [7, 8.5]),
    "edges.graph": ("3 2 1\n2 7\n1 7 3 8\n2 8\n", [7, 7, 8, 8]),
    "vertices.graph": ("3 2 11 1\n9 2 7\n9 1 7 3 8\n9 2 8\n", [7, 7, 8, 8]),
    "rows.egr": (HEADER_OF_ROWS + np.array([5, -6], "<i4").tobytes(), [5, -6]),
    "rows.wsg": (
        b"\0" + np.array([2, 2, 0, 1, 2], "<i8").tobytes() + np.array([1, 9, 0, 8], "<i4").tobytes(),
        [9, 8],
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_weights_in_files(name: str, tmp_path: Path) -> None:
    content, weights = FILES[name]
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    graph, found = read_weighted(path)
    assert found.tolist() == weights
    assert found.dtype.kind == ("i" if all(float(w).is_integer() for w in weights) else "f")
    plain = pj.read(path)
    assert (graph.vertices, graph.records) == (plain.vertices, plain.records)
    assert graph.neighbors.tolist() == plain.neighbors.tolist()
    assert pj.minimum_spanning_forest(path).total == pj.minimum_spanning_forest(plain, weights).total


def test_long_files_and_scipys(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    matrix = sp.random_array((3000, 3000), density=0.02, rng=rng, format="csr")
    scipy.io.mmwrite(tmp_path / "long.mtx", matrix, symmetry="general")
    sp.save_npz(tmp_path / "long.npz", matrix)
    entries = matrix.tocoo()
    lines = zip(entries.row.tolist(), entries.col.tolist(), rng.integers(-9, 9, matrix.nnz), strict=True)
    (tmp_path / "long.wel.el").write_text("".join(f"{u} {v} {w}\n" for u, v, w in lines))
    whole = pj.minimum_spanning_forest(matrix)
    for name in ("long.mtx", "long.npz"):
        found = pj.minimum_spanning_forest(tmp_path / name)
        assert found.edges.tolist() == whole.edges.tolist()
        np.testing.assert_array_equal(found.weights, whole.weights)
    assert read_weighted(tmp_path / "long.wel.el")[1].dtype == np.int64


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.el", "0 1\n1 2\n", "line 1 is '0 1': each line needs two integer ids and then a number"),
        ("b.tsv", "0\t1\t2\n1\t2\tx\n", "line 2 is"),
        ("c.el", "0 1 nan\n", r"c\.el: weights\[0\] is NaN"),
        ("d.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n", "is pattern and general"),
        ("e.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n", "skew-symmetric"),
        ("f.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1\n", "'row column value'"),
        ("g.gr", "p sp 3 1\na 1 2\n", "line 2 is 'a 1 2'"),
        ("h.graph", "3 2\n2\n1 3\n2\n", "has no weights of edges"),
        ("i.egr", HEADER_OF_ROWS, "has no weights after its neighbors"),
        ("j.raw32", HEADER_OF_ROWS[:8], "is Raw pairs of int32, of which no weights are read"),
    ],
)
def test_files_without_weights(name: str, content: str | bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(pj.PointerjumpError, match=message):
        pj.minimum_spanning_forest(path)


def test_files_of_graphs_have_no_columns_and_are_read_one_at_a_time(tmp_path: Path) -> None:
    for name in ("a.mtx", "b.mtx"):
        (tmp_path / name).write_text(str(FILES["real.mtx"][0]))
    with pytest.raises(pj.TableError, match="its suffix says no table"):
        pj.minimum_spanning_forest(tmp_path / "a.mtx", weight="w")
    with pytest.raises(pj.GraphError, match="weights are read from one file"):
        pj.minimum_spanning_forest([tmp_path / "a.mtx", tmp_path / "b.mtx"])
