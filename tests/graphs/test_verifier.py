"""The verifier: it must pass right answers and refuse wrong ones, naming a witness."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import NASTY, graphs, linked_lists
from hypothesis import given
from hypothesis import strategies as st

import pointerjump as pj
from pointerjump.verifiers.graphs import verify, verify_ranks

TWO_PATHS = ([0, 1, 3], [1, 2, 4])  # components {0, 1, 2}, {3, 4}, {5}


def test_passes_any_numbering() -> None:
    for labels in ([0, 0, 0, 1, 1, 2], [5, 5, 5, 0, 0, 9], [2, 2, 2, 4, 4, 5]):
        verify(pj.Graph.from_edges(*TWO_PATHS, vertices=6), np.array(labels))


@pytest.mark.parametrize(
    ("labels", "witness"),
    [
        ([0, 0, 1, 2, 2, 3], "vertices 1 and 2 share an edge but have labels 0 and 1"),  # split
        ([0, 0, 0, 0, 0, 1], "vertices 0 and 3 both have label 0, but no path joins them"),  # merged
        ([0, 0, 0, 1, 1, 1], "vertices 3 and 5 both have label 1, but no path joins them"),
        ([0, 0, 0, 0, 0, 0], "vertices 0 and 3 both have label 0"),
        ([1, 0, 0, 2, 2, 3], "vertices 0 and 1 share an edge"),  # off by one
        ([0, 0, 0, 1, 1], r"labels has shape \(5,\), but the graph has 6 vertices"),  # short
        ([0.0, 0, 0, 1, 1, 2], "dtype float64"),
    ],
)
def test_refuses_wrong_labels(labels: list, witness: str) -> None:
    with pytest.raises(pj.VerificationError, match=witness):
        verify(pj.Graph.from_edges(*TWO_PATHS, vertices=6), np.array(labels))


def test_zero_is_a_label_like_any_other() -> None:
    # A checker that takes 0 for "not seen yet" lets these pass.
    with pytest.raises(pj.VerificationError):
        verify(pj.Graph([0, 0, 0], []), [0, 0])
    with pytest.raises(pj.VerificationError):
        verify(([0], [1]), [0, 1])


@given(graph=graphs(), data=st.data())
def test_refuses_any_single_change_that_matters(graph: pj.Graph, data: st.DataObject) -> None:
    labels = pj.components(graph, algorithm="dfs", device="reference").labels
    verify(graph, labels)
    if graph.vertices == 0:
        return
    v = data.draw(st.integers(0, graph.vertices - 1))
    wrong = labels.copy()
    wrong[v] = data.draw(st.integers(0, graph.vertices))
    alone = np.count_nonzero(labels == labels[v]) == 1
    if wrong[v] == labels[v] or (alone and wrong[v] not in labels):
        verify(graph, wrong)
        return
    with pytest.raises(pj.VerificationError):
        verify(graph, wrong)


def test_looks_at_hubs_a_chunk_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pointerjump.verifiers.graphs._CHUNK", 7)
    for graph in NASTY.values():
        labels = pj.components(graph, algorithm="dfs", device="reference").labels
        verify(graph, labels)
        if graph.directed_edges:
            u = int(graph.sources[-1])
            if int(graph.neighbors[-1]) != u:
                wrong = labels.copy()
                wrong[u] = graph.vertices
                with pytest.raises(pj.VerificationError, match=f"{u}"):
                    verify(graph, wrong)


def test_ranks() -> None:
    successors = [1, 2, 2, 3]
    verify_ranks(successors, [2, 1, 0, 0])
    for wrong, witness in (
        ([2, 1, 1, 0], "element 2 is the last of its list but has rank 1"),
        ([3, 1, 0, 0], "element 0 has rank 3, but its successor 1 has rank 1"),
        ([2, 1, 0], "shape"),
        ([2.0, 1, 0, 0], "dtype"),
    ):
        with pytest.raises(pj.VerificationError, match=witness):
            verify_ranks(successors, wrong)
    with pytest.raises(pj.VerificationError):  # unsigned: 0 - 1 must not wrap to the right answer
        verify_ranks([1, 1], np.array([2**32 - 1, 0], np.uint32))
    with pytest.raises(pj.ListError):
        verify_ranks([1, 0], [0, 1])


@given(successors=linked_lists(), data=st.data())
def test_refuses_any_changed_rank(successors: np.ndarray, data: st.DataObject) -> None:
    ranks = pj.list_rank(successors, algorithm="sequential", device="reference")
    verify_ranks(successors, ranks)
    if len(ranks):
        wrong = ranks.copy()
        wrong[data.draw(st.integers(0, len(ranks) - 1))] += data.draw(st.sampled_from([-1, 1, 5]))
        with pytest.raises(pj.VerificationError):
            verify_ranks(successors, wrong)
