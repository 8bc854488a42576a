"""scipy's function by our name: its answers on matrices of every kind. Its own tests: test_scipys_own.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components as scipy_components

import pointerjump as pj
from pointerjump.accel.runtime.devices import devices

ANYWHERE = None if any(device.works for device in devices()) else "reference"

FORMATS = ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")
DTYPES = ("bool", "i1", "u1", "i4", "u4", "i8", "u8", "f4", "f8")


# -- its answers -----------------------------------------------------------------------------------


@st.composite
def adjacency(draw: st.DrawFn) -> Any:
    """Draw a square array in which most entries are 0."""
    n = draw(st.integers(0, 7))
    nonzero = st.sampled_from([0, 0, 0, 1, 2])
    values = draw(st.lists(nonzero, min_size=n * n, max_size=n * n))
    return np.array(values, draw(st.sampled_from(DTYPES))).reshape(n, n)


@st.composite
def sparse_matrices(draw: st.DrawFn) -> Any:
    """Draw a sparse matrix of any format, with explicit zeros, duplicates, rows in disorder, wide indices."""
    dense = draw(adjacency())
    entries = np.argwhere(dense).repeat(draw(st.integers(1, 2)), axis=0)
    entries = entries[draw(st.permutations(range(len(entries))))]
    values = np.array(draw(st.lists(st.sampled_from([0, 1]), min_size=len(entries), max_size=len(entries))))
    kind = draw(st.sampled_from([sp.coo_array, sp.coo_matrix]))
    coo = kind((values.astype(dense.dtype), entries.T), shape=dense.shape)
    matrix = coo.asformat(draw(st.sampled_from(FORMATS)))
    if matrix.format in ("csr", "csc", "bsr") and draw(st.booleans()):
        matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


@st.composite
def csr_in_disorder(draw: st.DrawFn) -> Any:
    """Draw CSR arrays whose rows are not sorted and may hold duplicates, which converting would remove."""
    n = draw(st.integers(1, 7))
    row = st.lists(st.integers(0, n - 1), max_size=5, unique=draw(st.booleans()))
    rows = draw(st.lists(row, min_size=n, max_size=n))
    neighbors = np.array([v for row in rows for v in row], np.int32)
    offsets = np.cumsum([0, *map(len, rows)])
    return sp.csr_array((np.ones(len(neighbors)), neighbors, offsets), shape=(n, n))


@st.composite
def dense_matrices(draw: st.DrawFn) -> Any:
    """Draw a dense matrix: an array, a matrix, one in Fortran's order, masked, or with NaN and infinity."""
    dense = draw(adjacency())
    make = draw(st.sampled_from([np.array, np.matrix, np.asfortranarray, np.ma.array]))
    if dense.dtype.kind == "f" and dense.size:
        odd = st.sampled_from([np.nan, np.inf, -np.inf])
        dense.flat[draw(st.integers(0, dense.size - 1))] = draw(odd)
    if make is np.ma.array:
        mask = draw(st.lists(st.booleans(), min_size=dense.size, max_size=dense.size))
        return make(dense, mask=np.array(mask, bool).reshape(dense.shape))
    return make(dense)


def tidied(matrix: Any) -> Any:
    """Return a matrix without duplicates, with which scipy 1.17 and older may never return."""
    if not sp.issparse(matrix):
        return matrix
    once = matrix.tocsr(copy=True)
    stored = once.nnz
    once.sum_duplicates()
    return matrix if once.nnz == stored else once


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@given(
    matrix=st.one_of(sparse_matrices(), csr_in_disorder(), dense_matrices()),
    directed=st.booleans(),
    connection=st.sampled_from(["weak", "strong", "Strong"]),
    where=st.sampled_from([ANYWHERE, "reference"]),
)
def test_answers_are_scipys(matrix: Any, directed: bool, connection: str, where: object) -> None:
    asks = {"directed": directed, "connection": connection}
    device = None if directed and connection != "weak" else where
    before = matrix.copy()
    n, labels = pj.connected_components(matrix, **asks, device=device)
    assert pj.connected_components(matrix, **asks, device=device, return_labels=False) == n
    if isinstance(matrix, np.ma.MaskedArray) and matrix.size == 0:  # for which scipy has no answer
        assert (n, len(labels)) == (0, 0)
        return
    expected_n, expected = scipy_components(tidied(before), **asks)
    assert (n, type(n)) == (expected_n, int)
    np.testing.assert_array_equal(labels, expected)
    assert labels.dtype == expected.dtype

    smallest = pj.connected_components(matrix, **asks, device=device, labels="representative")[1]
    firsts = np.array([np.flatnonzero(expected == label)[0] for label in range(n)], np.int32)
    np.testing.assert_array_equal(smallest, firsts[expected] if n else [])


ENDS = np.array([0, 0, 1, 4, 5]), np.array([0, 1, 2, 5, 4])
VALUES = np.array([1.0, 0.0, 1.0, 0.0, 0.0])  # the edge 0 - 1 is a zero, and so are both directions of 4 - 5


@pytest.mark.parametrize("kind", [sp.coo_array, sp.coo_matrix])
@pytest.mark.parametrize("form", FORMATS)
def test_zeros_that_are_stored(form: str, kind: Any) -> None:
    """To `components` they are edges, except in formats that fill up with zeros. scipy sees what it sees."""
    matrix = kind((VALUES, ENDS), shape=(6, 6)).asformat(form)
    if form in ("bsr", "dia"):
        assert pj.components(matrix, device=ANYWHERE).labels.tolist() == [0, 1, 1, 2, 3, 4]
    else:
        assert pj.components(matrix, device=ANYWHERE).labels.tolist() == [0, 0, 0, 1, 2, 2]
    for connection in ("weak", "strong"):
        expected = scipy_components(matrix, connection=connection)[1]
        assert pj.connected_components(matrix, connection=connection)[1].tolist() == expected.tolist()


@pytest.mark.parametrize("blocksize", [(1, 1), (1, 2), (2, 1), (3, 2), (2, 3), (6, 6)])
def test_blocks_of_any_shape(blocksize: tuple[int, int]) -> None:
    dense = np.zeros((6, 6))
    dense[[0, 3, 5], [5, 4, 5]] = 1
    blocks = sp.bsr_array(dense, blocksize=blocksize)
    assert pj.components(blocks, device=ANYWHERE).labels.tolist() == [0, 1, 2, 3, 3, 0]
    for connection in ("weak", "strong"):
        expected = scipy_components(blocks, connection=connection)[1]
        assert pj.connected_components(blocks, connection=connection)[1].tolist() == expected.tolist()
    np.testing.assert_array_equal(blocks.toarray(), dense)
    assert blocks.indptr[-1] == len(blocks.indices)


def test_strong_components_of_rows_with_duplicates() -> None:
    """scipy 1.17 never returns from this matrix, which is left as it is."""
    neighbors, offsets = np.array([3, 3, 0, 3, 0, 1, 3, 1, 3]), np.array([0, 3, 3, 7, 9])
    matrix = sp.csr_array((np.ones(9), neighbors, offsets), shape=(4, 4))
    assert pj.connected_components(matrix, connection="strong")[0] == 4
    np.testing.assert_array_equal(matrix.indices, neighbors)


def test_the_order_of_a_row_numbers_strong_components() -> None:
    for row in ([1, 2], [2, 1]):
        matrix = sp.csr_array((np.ones(2), row, [0, 2, 2, 2]), shape=(3, 3))
        expected = scipy_components(matrix, connection="strong")[1]
        assert pj.connected_components(matrix, connection="strong")[1].tolist() == expected.tolist()


def test_a_file_is_a_graph_whatever_its_columns_are_called(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("source,target\n5,6\n0,1\n")
    for path in (tmp_path / "g.csv", [tmp_path / "g.csv"]):
        count, labels = pj.connected_components(path)
        assert (count, labels.tolist()) == (5, [0, 0, 1, 2, 3, 4, 4])


# -- what is refused -------------------------------------------------------------------------------

ONE_WAY = sp.csr_array(np.array([[0, 1], [0, 0]]))


@pytest.mark.parametrize(
    ("graph", "options", "error", "message"),
    [
        (ONE_WAY, {"connection": "loose"}, pj.AlgorithmError, "must be 'weak' or 'strong'"),
        (ONE_WAY, {"connection": None}, pj.AlgorithmError, "must be 'weak' or 'strong'"),
        (ONE_WAY, {"algorithm": "ecl-cc"}, pj.AlgorithmError, "leave algorithm and device out"),
        (ONE_WAY, {"device": "reference"}, pj.AlgorithmError, "leave algorithm and device out"),
        (ONE_WAY, {"labels": "random"}, pj.AlgorithmError, "labels='random'"),
        (pj.Graph([0, 1, 1], [1]), {}, pj.AlgorithmError, "a Graph is taken as undirected"),
        ("path:vertices=3", {}, pj.AlgorithmError, "a str is taken as undirected"),
        (sp.csr_array((2, 3)), {}, pj.GraphError, "the matrix is 2x3"),
        (np.zeros((2, 3)), {}, pj.GraphError, "an adjacency matrix is square"),
        (np.zeros(4), {}, pj.GraphError, "an adjacency matrix is square"),
        (np.array([["a"]]), {}, pj.GraphError, "an adjacency matrix holds numbers"),
        (np.array([["1"]]), {}, pj.GraphError, "an adjacency matrix holds numbers"),
        (np.array([[None]]), {}, pj.GraphError, "an adjacency matrix holds numbers"),
        (sp.bsr_array(np.ones((2, 4)), blocksize=(2, 2)), {}, pj.GraphError, "the matrix is 2x4"),
    ],
)
def test_what_is_refused(graph: Any, options: dict[str, Any], error: type[Exception], message: str) -> None:
    """Where scipy raises a ValueError, so do we."""
    assert issubclass(error, ValueError)
    with pytest.raises(error, match=message) as refused:
        pj.connected_components(graph, **{"connection": "strong", **options})
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("connection", ["weak", "strong"])
@pytest.mark.parametrize("form", ["csr", "csc", "bsr"])
@pytest.mark.parametrize(("part", "value"), [("indices", 99), ("indices", -1), ("indptr", 99)])
def test_a_damaged_matrix_is_refused(form: str, part: str, value: int, connection: str) -> None:
    matrix = sp.bsr_array(np.ones((4, 4)), blocksize=(2, 2)).asformat(form)
    getattr(matrix, part)[-1] = value
    with pytest.raises(pj.GraphError, match=rf"is {value}\b"):
        pj.connected_components(matrix, connection=connection)


# -- graphs of neighbors ---------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["connectivity", "distance"])
@pytest.mark.parametrize("kind", ["kneighbors_graph", "radius_neighbors_graph", "KNeighborsTransformer"])
def test_scikit_learns_graphs(kind: str, mode: str) -> None:
    """Points that coincide are at distance 0, which is stored, and is an edge as in scipy."""
    neighbors = pytest.importorskip("sklearn.neighbors")
    points = np.random.default_rng(5).random((60, 2)).repeat(2, axis=0)
    if kind == "KNeighborsTransformer":
        matrix = neighbors.KNeighborsTransformer(mode=mode, n_neighbors=3).fit_transform(points)
    elif kind == "kneighbors_graph":
        matrix = neighbors.kneighbors_graph(points, 3, mode=mode, include_self=True)
    else:
        matrix = neighbors.radius_neighbors_graph(points, 0.06, mode=mode)
    n, labels = scipy_components(matrix, directed=False)
    assert 1 < n < 60
    assert mode == "connectivity" or (matrix.data == 0).any()
    found = pj.components(matrix, device=ANYWHERE)
    assert found.count == n
    np.testing.assert_array_equal(found.labels, labels)
