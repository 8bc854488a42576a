"""Arrays as hostile callers give them: every dtype, sign, layout and mask, at every public entry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components as scipy_components

import pointerjump as pj
from pointerjump.accel.runtime.devices import Device
from pointerjump.base.integers import as_unsigned, first_outside
from pointerjump.registry import ALGORITHMS, Axis
from pointerjump.solving.lists import DeviceList

INTEGERS = [np.dtype(kind + str(size)) for kind in "iu" for size in (1, 2, 4, 8)]
SIGNED = [dtype for dtype in INTEGERS if dtype.kind == "i"]


# -- ids of every dtype, sign and layout -----------------------------------------------------------


def laid_out(values: np.ndarray, layout: str) -> np.ndarray:
    """Return equal values in another layout of memory."""
    n, size = len(values), values.itemsize
    if layout == "swapped":
        return values.astype(values.dtype.newbyteorder("S"))
    if layout == "strided":
        spread = np.zeros(3 * n, values.dtype)
        spread[::3] = values
        return spread[::3]
    if layout == "reversed":
        return values[::-1].copy()[::-1]
    if layout == "unaligned":
        raw = np.zeros(n * size + 1, np.uint8)
        raw[1:] = values.view(np.uint8)
        return raw[1:].view(values.dtype)
    if layout == "read-only":
        values = values.copy()
        values.flags.writeable = False
    return values


LAYOUTS = ("contiguous", "swapped", "strided", "reversed", "unaligned", "read-only")


@st.composite
def id_arrays(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Two arrays of ids, some of them negative or large, of any dtypes and layouts."""
    m = draw(st.integers(0, 6))
    ends = []
    for _ in range(2):
        dtype = draw(st.sampled_from(INTEGERS))
        low = max(-3, int(np.iinfo(dtype).min))
        odd = st.sampled_from([int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)])
        ids = draw(
            st.lists(st.integers(low, 300 if dtype.itemsize > 1 else 100) | odd, min_size=m, max_size=m)
        )
        ends.append(laid_out(np.array(ids, dtype), draw(st.sampled_from(LAYOUTS))))
    return ends[0], ends[1]


def answers(graph: Any, **options: Any) -> Any:
    """Return the labels, or the type of the error."""
    try:
        return pj.components(graph, **options).labels.tolist()
    except (pj.GraphError, pj.MemoryLimitError) as error:
        return type(error)


@given(ends=id_arrays(), stated=st.sampled_from([None, 301]))
def test_ids_of_any_dtype_and_layout(ends: tuple[np.ndarray, np.ndarray], stated: int | None) -> None:
    ids = [int(i) for end in ends for i in end]
    vertices = stated if stated is not None else max(ids, default=-1) + 1
    good = all(0 <= i < vertices for i in ids)
    if good and vertices > 100_000:  # right, but labels for all of them take long
        return
    found = answers(ends, vertices=stated)
    if not good:
        assert found is pj.GraphError
        return
    n, m = vertices, len(ends[0])
    wide = [end.astype(np.int64) for end in ends]
    matrix = sp.coo_array((np.ones(m), (wide[0], wide[1])), shape=(n, n)) if n else None
    assert found == (scipy_components(matrix)[1].tolist() if matrix is not None else [])


@pytest.mark.parametrize("dtype", SIGNED)
@pytest.mark.parametrize("vertices", [None, 5, 1000, 100_000])
@pytest.mark.parametrize("size", [2, 300_001])  # one launch, and the large path
def test_a_negative_id_is_one_clear_error(dtype: np.dtype, vertices: int | None, size: int) -> None:
    bad, good = np.zeros(size, dtype), np.ones(size, dtype)
    bad[-1] = -1
    rows = np.zeros(3, np.int64)
    rows[1:] = size
    for device in (None, "reference"):
        for graph in ((bad, good), (good, bad), np.column_stack([bad, good])):
            with pytest.raises(pj.GraphError, match=r"is -1, which is negative"):
                pj.components(graph, device=device, vertices=vertices)
            with pytest.raises(pj.GraphError, match=r"is -1, which is negative"):
                pj.spanning_forest(graph, device=device, vertices=vertices)
            with pytest.raises(pj.GraphError, match=r"is -1, which is negative"):
                pj.verify(graph, [0], vertices=vertices)
        with pytest.raises(pj.ListError, match="is -1, outside"):
            pj.list_rank(bad, device=device)
        with pytest.raises(pj.ListError, match="is -1, outside"):
            pj.list_scan(bad, np.ones(size), device=device)
    for make in (pj.to_device, pj.Graph.from_edges):
        with pytest.raises(pj.GraphError, match=r"is -1, which is negative.*compact"):
            make(np.column_stack([bad, good]))
    with pytest.raises(pj.GraphError, match=r"neighbors\[\d+\] is -1, which is negative"):
        pj.Graph(rows, bad)
    with pytest.raises(pj.ListError, match="is -1, outside"):
        DeviceList(bad)


@given(
    dtype=st.sampled_from(INTEGERS),
    values=st.lists(st.integers(-(2**63), 2**64 - 1), max_size=5),
    end=st.integers(0, 2**65),
)
def test_first_outside(dtype: np.dtype, values: list[int], end: int) -> None:
    held = np.array([v % 2 ** (8 * dtype.itemsize) for v in values], f"u{dtype.itemsize}").view(dtype)
    outside = [i for i, v in enumerate(held.tolist()) if not 0 <= v < end]
    assert first_outside(held, end) == (outside[0] if outside else None)
    assert as_unsigned(held).dtype.kind == "u"


@pytest.mark.parametrize("dtype", INTEGERS)
def test_successors_and_labels_of_every_dtype(dtype: np.dtype) -> None:
    successors = np.array([2, 1, 3, 3], dtype)
    for layout in LAYOUTS:
        given_as = laid_out(successors, layout)
        assert pj.list_rank(given_as).tolist() == [2, 0, 1, 0]
        assert pj.list_scan(given_as, laid_out(np.array([1, 10, 100, 7], dtype), layout)).tolist() == [
            1,
            10,
            101,
            108,
        ]
        pj.verify_ranks(given_as, laid_out(np.array([2, 0, 1, 0], dtype), layout))
        pj.verify(([0], [2]), laid_out(np.array([7, 3, 7], dtype), layout))


# -- ids="compact" ----------------------------------------------------------------------------------


@given(ends=id_arrays())
def test_compact_ids_of_any_dtype(ends: tuple[np.ndarray, np.ndarray]) -> None:
    ids = sorted({int(i) for end in ends for i in end})
    if ids and ids[0] < 0 and ids[-1] >= 2**63:
        assert answers(ends, ids="compact") is pj.GraphError
        return
    c = pj.components(ends, ids="compact")
    assert [int(name) for name in c.names] == ids if ids else c.labels.size == 0
    place = {name: i for i, name in enumerate(ids)}
    kept = tuple(np.array([place[int(i)] for i in end], np.int32) for end in ends)
    assert c.labels.tolist() == pj.components(kept, vertices=len(ids)).labels.tolist()
    pj.verify(ends, c.labels, ids="compact")


def test_ids_are_for_edges_alone() -> None:
    edges = ([2_000_000_000, 7], [7, 9])
    assert pj.components(edges, ids="auto").names.tolist() == [7, 9, 2_000_000_000]
    assert pj.Graph.from_edges(*edges, ids="compact").vertices == 3
    assert pj.to_device(edges, ids="compact").vertices == 3
    assert len(pj.spanning_forest(edges, ids="compact")) == 2
    with pytest.raises(pj.GraphError, match="choose one of auto, keep, compact"):
        pj.components(edges, ids="dense")  # type: ignore[arg-type]
    with pytest.raises(pj.GraphError, match="choose one of auto, keep, compact"):
        pj.Graph.from_edges(*edges, ids="dense")  # type: ignore[arg-type]
    for graph in (sp.eye_array(3), pj.Graph([0], []), "star:vertices=10"):
        with pytest.raises(pj.PointerjumpError, match="already numbers its vertices"):
            pj.components(graph, ids="compact")


def test_a_list_holds_edges_and_a_tuple_of_two_holds_their_ends() -> None:
    pairs, ends = [(0, 1), (2, 3)], ([0, 2], (1, 3))
    for edges in (pairs, [[0, 1], [2, 3]], [np.array([0, 1]), np.array([2, 3])], np.array(pairs), ends):
        assert pj.components(edges).labels.tolist() == [0, 0, 1, 1]
        assert sorted(map(sorted, pj.spanning_forest(edges).tolist())) == [[0, 1], [2, 3]]
        assert pj.to_device(edges).host.edges == 2
        pj.verify(edges, [5, 5, 6, 6])
        pj.verify_forest(edges, pairs)
    with pytest.raises(pj.GraphError, match="or a tuple of two arrays"):
        pj.components([np.arange(3), np.arange(3)])
    with pytest.raises(pj.AlgorithmError, match="did you mean the option vertices="):
        pj.components(pairs, vertces=5)


# -- masks ------------------------------------------------------------------------------------------


def test_a_masked_matrix_is_read_as_scipy_reads_it() -> None:
    rng = np.random.default_rng(5)
    for _ in range(50):
        n = int(rng.integers(1, 8))
        matrix = np.ma.array(rng.integers(0, 2, (n, n)), mask=rng.random((n, n)) < 0.7)
        count, labels = pj.connected_components(matrix)
        expected_count, expected = scipy_components(matrix)
        assert count == expected_count
        np.testing.assert_array_equal(labels, expected)


def test_masked_entries_are_refused_everywhere_else() -> None:
    masked, open_ = np.ma.array([0, 1], mask=[False, True]), np.ma.array([0, 1])
    assert pj.components((open_, [1, 1])).count == 1
    assert pj.list_rank(open_).tolist() == [0, 0]
    with pytest.raises(pj.GraphError, match=r"sources\[1\] is masked"):
        pj.components((masked, [1, 1]))
    with pytest.raises(pj.GraphError, match=r"targets\[1\] is masked"):
        pj.to_device(([1, 1], masked))
    with pytest.raises(pj.GraphError, match=r"edges\[0, 1\] is masked"):
        pj.components(np.ma.array([[0, 1], [1, 2]], mask=[[0, 1], [0, 0]]))
    with pytest.raises(pj.GraphError, match=r"neighbors\[1\] is masked"):
        pj.Graph([0, 2], masked)
    with pytest.raises(pj.GraphError, match=r"names\[1\] is masked"):
        pj.Graph([0, 0, 0], [], names=masked)
    with pytest.raises(pj.ListError, match=r"successors\[1\] is masked"):
        pj.list_rank(masked)
    with pytest.raises(pj.ListError, match=r"values\[1\] is masked"):
        pj.list_scan([0, 1], masked)
    with pytest.raises(pj.VerificationError, match=r"labels\[1\] is masked"):
        pj.verify(([0], [1]), masked)
    with pytest.raises(pj.VerificationError, match=r"ranks\[1\] is masked"):
        pj.verify_ranks([0, 1], masked)
    with pytest.raises(pj.VerificationError, match=r"edges\[0, 1\] is masked"):
        pj.verify_forest(([0], [1]), np.ma.array([[0, 1]], mask=[[0, 1]]))


def test_masks_within_lists_are_seen() -> None:
    one, other = np.ma.array([0, 5], mask=[False, True]), np.ma.array([1, 2])
    with pytest.raises(pj.GraphError, match=r"edges\[0, 1\] is masked"):
        pj.components([one, other])
    with pytest.raises(pj.GraphError, match=r"sources\[1\] is masked"):
        pj.components(([0, np.ma.masked], [1, 2]))
    with pytest.raises(pj.ListError, match="values has a masked element"):
        pj.list_scan([1, 1], [1, np.ma.masked])
    records = np.ma.array([(1,), (2,)], dtype=[("a", int)], mask=[(True,), (False,)])
    with pytest.raises(pj.GraphError, match="dtype"):
        pj.components((records, [0, 1]))


# -- what is no array of integers -------------------------------------------------------------------

NO_INTEGERS: dict[str, Any] = {
    "text": np.array(["a", "b"]),
    "objects": np.array([1, None], object),
    "floats": np.array([0.0, 1.0]),
    "not a number": np.array([np.nan, 1.0]),
    "bools": np.array([True, False]),
    "complex": np.array([1j, 0]),
    "dates": np.array(["2020-01-01", "2020-01-02"], "datetime64[D]"),
    "records": np.zeros(2, [("a", int)]),
    "ragged": [[0, 1], [2, 3, 4]],
    "past 64 bits": [2**70, 1],
    "a number": 5,
    "a matrix": np.zeros((2, 3), int),
    "a set": {1, 2},
    "a mapping": {0: 1},
    "nothing": None,
}


@pytest.mark.parametrize("name", NO_INTEGERS)
@pytest.mark.parametrize("where", [None, "reference"])
def test_what_is_no_array_of_integers(name: str, where: str | None) -> None:
    bad, device = NO_INTEGERS[name], where
    for call in (
        lambda: pj.components((bad, [0, 1]), device=device),
        lambda: pj.components((np.array([0, 1]), bad), device=device),
        lambda: pj.spanning_forest((bad, [0, 1]), device=device),
        lambda: pj.Graph.from_edges(bad, [0, 1]),
        lambda: pj.Graph(bad, [0]),
        lambda: pj.Graph([0, 2], bad),
    ):
        with pytest.raises(pj.GraphError):
            call()
    with pytest.raises(pj.ListError):
        pj.list_rank(bad, device=device)
    with pytest.raises(pj.ListError):
        pj.list_scan(bad, [1, 2], device=device)
    with pytest.raises(pj.VerificationError):
        pj.verify(([0], [1]), bad)
    with pytest.raises(pj.VerificationError):
        pj.verify_ranks([0, 1], bad)
    with pytest.raises(pj.VerificationError):
        pj.verify_forest(([0], [1]), bad)


# -- arguments that are none ------------------------------------------------------------------------

NO_COUNTS = ["5", 5.0, np.float64(5), [], True, b"5", np.array([5]), 2**40, -1]


@pytest.mark.parametrize("vertices", NO_COUNTS, ids=repr)
def test_what_is_not_a_number_of_vertices(vertices: Any) -> None:
    edges = ([0, 1], [1, 2])
    for call in (pj.components, pj.spanning_forest, pj.Graph.from_edges, pj.to_device):
        with pytest.raises(pj.GraphError, match="vertices"):
            call(np.column_stack(edges), vertices=vertices)
        with pytest.raises(pj.GraphError, match="vertices"):
            call(np.column_stack(edges), vertices=vertices, ids="compact")
    with pytest.raises(pj.GraphError, match="vertices"):
        pj.components("path:vertices=3", vertices=vertices)
    assert pj.components(edges, vertices=np.int8(5)).labels.tolist() == [0, 0, 0, 1, 2]


@pytest.mark.parametrize("bad", [None, 5, b"dfs", np.array(["a", "b"]), ["dfs"], "", "\0", "x" * 10_000])
def test_what_is_not_an_algorithm(bad: Any) -> None:
    edges = ([0, 1], [1, 2])
    for call in (pj.components, pj.spanning_forest):
        with pytest.raises(pj.AlgorithmError):
            call(edges, algorithm=bad)
    with pytest.raises(pj.AlgorithmError):
        pj.list_rank([0], algorithm=bad)
    with pytest.raises(pj.AlgorithmError):
        pj.list_scan([0], [1], algorithm=bad)
    with pytest.raises(pj.AlgorithmError):
        pj.cycles([0], algorithm=bad)
    with pytest.raises(pj.AlgorithmError):
        pj.label([1], algorithm=bad)
    if bad is not None:  # which is the default
        with pytest.raises(pj.AlgorithmError):
            pj.components(edges, labels=bad)
    with pytest.raises(pj.AlgorithmError):
        pj.connected_components(sp.eye_array(3), connection=bad)


@pytest.mark.parametrize("bad", [5, 1.5, b"cpu", np.array([1, 2]), [], {}, "no such device"], ids=repr)
def test_what_is_not_a_device(bad: Any) -> None:
    edges = ([0, 1], [1, 2])
    for call in (pj.components, pj.connected_components, pj.spanning_forest, pj.to_device):
        given_graph: Any = sp.eye_array(3) if call is pj.connected_components else edges
        with pytest.raises(pj.DeviceError):
            call(given_graph, device=bad)
    with pytest.raises(pj.DeviceError):
        pj.list_rank([0], device=bad)
    with pytest.raises(pj.DeviceError):
        pj.list_scan([0], [1], device=bad)
    with pytest.raises(pj.DeviceError):
        pj.label([1], device=bad)


NUMBERS = [
    (algorithm, axis)
    for algorithm in ALGORITHMS.values()
    for axis in algorithm.axes
    if type(axis.values[0]) is int
]


@pytest.mark.parametrize(("algorithm", "axis"), NUMBERS, ids=lambda x: x.name)
def test_numbers_of_a_variant(algorithm: Any, axis: Axis) -> None:
    where = {} if "kernels" in axis.sides else {"device": "reference"}
    run: Any = {
        "components": lambda **v: pj.components("path:vertices=70", algorithm=algorithm.name, **where, **v),
        "minimum-spanning-forest": lambda **v: pj.minimum_spanning_forest(
            ([0, 1], [1, 2]), [1, 1], algorithm=algorithm.name, **v
        ),
        "list-ranking": lambda **v: pj.list_rank(np.arange(70) // 2, algorithm=algorithm.name, **where, **v),
        "list-scan": lambda **v: pj.list_scan(np.minimum(np.arange(70) + 1, 69), np.ones(70), **v),
        "id-numbering": lambda **v: pj.number_ids(np.arange(70) // 2, algorithm=algorithm.name, **v),
        "image-labelling": lambda **v: pj.label(np.eye(7), algorithm=algorithm.name, **v),
    }[algorithm.problem]
    for bad in (-1, 2**63, 10**30, 1.5, None, "x", [], np.array([1, 2]), True, "1" * 10_000, axis.least - 1):
        with pytest.raises(pj.AlgorithmError, match=f"{axis.name}="):
            run(**{axis.name: bad})
    first = next(each for each, its in NUMBERS if its.name == axis.name)  # others treat it in the same way
    if algorithm is first and algorithm.problem == "components":
        assert run(**{axis.name: axis.most}).count == 1


def test_names_and_values_of_the_wrong_kind() -> None:
    for names in (5, "a", {1: 2}, [["a"], ["b"]]):
        with pytest.raises(pj.GraphError, match="names"):
            pj.Graph([0, 0], [], names=names)
    for values in (5, sp.coo_matrix(np.eye(2)), None):
        with pytest.raises(pj.ListError, match="values"):
            pj.list_scan([0, 1], values)
    with pytest.raises(pj.AlgorithmError, match="labels="):
        pj.to_device(([0], [1])).label(labels=np.array(["consecutive", "x"]))


def test_a_matrix_that_was_tampered_with() -> None:
    matrix = sp.csr_array(np.eye(3))
    matrix.indptr = matrix.indptr[:2]
    with pytest.raises(pj.GraphError, match="the matrix is damaged: it has 3 rows and 2 offsets"):
        pj.components(matrix)


# -- the drop-in takes what scipy takes ---------------------------------------------------------------


@pytest.mark.parametrize(
    "csgraph",
    [np.zeros((3, 2), int), np.zeros(4), np.zeros((2, 2, 2)), [[0, 1, 1]], [], 5.0, [["a", "b"], ["c", "d"]]],
    ids=repr,
)
def test_the_drop_in_refuses_what_scipy_refuses(csgraph: Any) -> None:
    with pytest.raises((ValueError, TypeError, IndexError, AttributeError)):
        scipy_components(csgraph)
    with pytest.raises(pj.GraphError):
        pj.connected_components(csgraph)


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f8", "O"])
def test_the_drop_in_takes_matrices_of_any_numbers(dtype: str) -> None:
    rng = np.random.default_rng(3)
    for n in (1, 2, 5, 9):
        matrix = (rng.random((n, n)) < 0.2).astype(dtype)
        for form in (matrix, matrix.tolist(), tuple(map(tuple, matrix.tolist())), np.asfortranarray(matrix)):
            count, labels = pj.connected_components(form)
            expected_count, expected = scipy_components(matrix.astype(float))
            assert count == expected_count
            np.testing.assert_array_equal(labels, expected)


def test_every_device_takes_narrow_ids(device: Device) -> None:
    for dtype in INTEGERS:
        found = pj.components((np.array([0, 4], dtype), np.array([2, 3], dtype)), device=device)
        assert found.labels.tolist() == [0, 1, 0, 2, 2]


def test_a_forest_of_arrays_that_have_changed(device: Device) -> None:
    """The answer holds the caller's arrays: kernels must not read from them what is no vertex any more."""
    rng = np.random.default_rng(3)
    s, t = rng.integers(0, 1000, (2, 3000)).astype(np.int32)
    found = pj.components((s, t), device=device, vertices=1000)
    assert len(found.forest()) == 1000 - found.count
    s[7] = 2**31 - 1
    with pytest.raises(pj.GraphError, match=r"sources\[7\] is 2147483647"):
        found.forest()
