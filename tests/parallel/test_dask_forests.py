"""Bridges and forests of a Dask DataFrame are those of the whole table, however it is divided."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pointerjump as pj
from pointerjump.errors import TableError

dd = pytest.importorskip("dask.dataframe", reason="dask is not installed")
distributed = pytest.importorskip("distributed", reason="distributed is not installed")

import dask  # noqa: E402

import pointerjump.dask  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::pointerjump.PointerjumpWarning")  # of edges that are drawn
KINDS: dict[str, Any] = {
    "int64": lambda ids: ids.astype(np.int64) * 10**15,
    "object": lambda ids: np.array([f"id {i}" for i in ids], object),
    "string[pyarrow]": lambda ids: pd.array([f"id {i}" for i in ids], "string[pyarrow]"),
    "uuid": lambda ids: np.array([(2**128 - 1 - int(i)).to_bytes(16) for i in ids], object),
}
ROWS = st.lists(st.tuples(*[st.integers(0, 9)] * 2, st.integers(0, 3)), min_size=1, max_size=40)


def frame_of(rows: list[tuple[int, int, int]], kind: str) -> pd.DataFrame:
    left, right, score = np.array(rows).T
    make = KINDS[kind]
    return pd.DataFrame({"score": score / 2, "a": make(left), "b": make(right), "row": range(len(rows))})


def divided(frame: pd.DataFrame, cuts: list[int]) -> Any:
    ends = [0, *sorted(min(cut, len(frame)) for cut in cuts), len(frame)]
    parts = [frame.iloc[begin:end] for begin, end in zip(ends, ends[1:], strict=False)]
    return dd.from_delayed([dask.delayed(part) for part in parts], meta=frame.iloc[:0], verify_meta=False)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=6)
@given(
    rows=ROWS,
    cuts=st.lists(st.integers(0, 40), max_size=9),
    split_every=st.integers(2, 4),
    some=st.booleans(),
)
def test_any_partitions(
    kind: str, rows: list[tuple[int, int, int]], cuts: list[int], split_every: int, some: bool
) -> None:
    frame = frame_of(rows, kind)
    how: dict[str, Any] = {"source": "a", "target": "b", "where": ("score", "<", 1.5) if some else None}
    with dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": kind != "uuid"}):
        ddf = divided(frame, cuts)
        found = pointerjump.dask.bridges(ddf, **how, split_every=split_every, device="reference")
        pd.testing.assert_frame_equal(found.compute(), pj.bridges(frame, **how), check_dtype=False)
        alike = pointerjump.dask.two_edge_connected_components(ddf, **how, device="reference").compute()
        expected = pj.two_edge_connected_components(frame, **how)
        groups = [sorted(expected.names[members]) for members in expected.members()]
        assert alike.groupby("component")["id"].agg(sorted).tolist() == groups
        assert alike["size"].tolist() == expected.sizes[expected.labels].tolist()
        how |= {"weight": "score", "maximum": True}
        found = pointerjump.dask.minimum_spanning_forest(
            ddf, **how, split_every=split_every, device="reference"
        )
        expected = pj.minimum_spanning_forest(frame, **how).table()
        pd.testing.assert_frame_equal(found.compute(), expected, check_dtype=False)
        assert found.compute().dtypes["score"] == found.dtypes["score"]


def test_on_a_cluster() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(0, 900, (1300, 2)), columns=["left", "right"]).assign(
        w=rng.random(1300)
    )
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
        ) as it,
        distributed.Client(it),
    ):
        ddf = dd.from_pandas(frame, npartitions=7)
        found = pointerjump.dask.bridges(ddf, device="reference").compute()
        forest = pointerjump.dask.minimum_spanning_forest(ddf, weight="w", device="reference").compute()
    assert len(found) > 100
    assert found.equals(pj.bridges(frame))
    assert forest.equals(pj.minimum_spanning_forest(frame, weight="w").table())


@pytest.mark.parametrize("name", pointerjump.dask.__all__)
def test_without_dask_the_error_says_what_to_install(name: str) -> None:
    code = (
        "import sys, pytest, pointerjump.dask; sys.modules['dask'] = None\n"
        f"with pytest.raises(pointerjump.PointerjumpError, match='dask.{name} needs Dask: pip install'):\n"
        f"    pointerjump.dask.{name}"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_is_refused() -> None:
    frame = frame_of([(1, 2, 3)], "int64")
    ddf = dd.from_pandas(frame, npartitions=1)
    with pytest.raises(TableError, match="give a Dask DataFrame"):
        pointerjump.dask.bridges(frame, "a", "b")
    with pytest.raises(TableError, match="no column 'c'"):
        pointerjump.dask.bridges(ddf, "a", "c")
    with pytest.raises(TableError, match="split_every is 1"):
        pointerjump.dask.minimum_spanning_forest(ddf, "a", "b", weight="score", split_every=1)
    with pytest.raises(TableError, match="give its name"):
        pointerjump.dask.bridges(ddf, "a", "b", device=object())
    with pytest.raises(TableError, match="is one of Dask's: give it to a function of"):
        pj.bridges(ddf, source="a", target="b")
    null = pd.DataFrame({"a": ["x", None], "b": ["y", "z"]})
    with pytest.raises(TableError, match="null"):
        pointerjump.dask.bridges(dd.from_pandas(null, npartitions=2), "a", "b", device="reference").compute(
            scheduler="synchronous"
        )
