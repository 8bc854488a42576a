"""super_merger: the same groups, under the same numbers, as polars-grouper's."""

from __future__ import annotations

import random
from typing import Any

import pytest

import pointerjump as pj

pl = pytest.importorskip("polars")

from polars.testing import assert_frame_equal  # noqa: E402

from pointerjump.accel.runtime.devices import Device  # noqa: E402
from pointerjump.dropins import polars_grouper as ours  # noqa: E402
from pointerjump.ids import interning as face_ids  # noqa: E402


def frame(seed: int, rows: int, *, nulls: float = 0.1) -> Any:
    """Pairs of ids, of a type in the second column that differs from the first one's if the seed is odd."""
    rng = random.Random(seed)

    def ids() -> list[str | None]:
        return [None if rng.random() < nulls else str(rng.randrange(rows)) for _ in range(rows)]

    schema = {"from": pl.String, "group": pl.Float32, "to": pl.String, "weight": pl.Float64}
    values = [ids(), [0.5] * rows, ids(), [rng.random() for _ in range(rows)]]
    made = pl.DataFrame(values, schema=schema, orient="col")
    return made.with_columns(pl.col("to").cast(pl.Int64)) if seed % 2 else made


def test_groups() -> None:
    df = pl.DataFrame({"a": ["x", "q", "y", None, "", ""], "b": ["y", "q", "z", "x", "w", None]})
    merged = ours.super_merger(df, "a", "b")
    assert merged["group"].to_list() == [1, 2, 1, 0, 3, 3]
    assert merged.schema == {"a": pl.String, "b": pl.String, "group": pl.UInt64}
    assert_frame_equal(ours.super_merger(df.lazy(), "a", "b").collect(), merged)
    assert ours.super_merger_weighted(df.with_row_index(), "a", "b", "index", 2).rows() == [
        (2, "y", "z", 1),
        (3, None, "x", 0),
        (4, "", "w", 2),
        (5, "", None, 2),
    ]


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([1.5, 2.5, 1.5]),
        pl.Series([b"x", b"y", b"x"]),
        pl.Series(["x", "y", "x"], dtype=pl.Categorical),
        pl.Series(["x", "y", "x"], dtype=pl.Enum(["x", "y"])),
        pl.Series([2**64 - 1, 0, 2**64 - 1], dtype=pl.UInt64),
    ],
    ids=lambda column: str(column.dtype),
)
def test_ids_of_other_types(column: Any) -> None:
    df = pl.DataFrame({"a": column, "b": column})
    assert ours.super_merger(df, "a", "b")["group"].to_list() == [1, 2, 1]


@pytest.mark.one_device
def test_many_ids_are_numbered_on_the_device(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    df = frame(6, 500)
    for given in (
        df,
        df.with_columns(pl.col("from").cast(pl.Int32), pl.col("to").cast(pl.UInt8, strict=False)),
    ):
        few = ours.super_merger(given, "from", "to")
        with monkeypatch.context() as patched:
            patched.setattr(face_ids, "FEW_IDS", 0)
            patched.setattr(face_ids, "numbered_by_library", None)
            assert_frame_equal(ours.super_merger(given, "from", "to", device=device), few)


def test_faults_name_the_column() -> None:
    df = pl.DataFrame({"a": [[1]], "b": [1]})
    with pytest.raises(pj.TableError, match=r"column 'a' holds List.*, which cannot be ids"):
        ours.super_merger(df, "a", "b")
    with pytest.raises(pj.TableError, match="has no column 'c': it has 'a', 'b'"):
        ours.super_merger(df, "b", "c")
    with pytest.raises(pj.TableError, match="has no column 'w'"):
        ours.super_merger_weighted(df, "b", "b", "w")
    with pytest.raises(pj.TableError, match="column 'a' holds List"):
        ours.super_merger(df.lazy(), "a", "b").collect()


# -- beside polars-grouper itself --------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rows", [0, 1, 10, 1000])
def test_frames_are_polars_groupers(seed: int, rows: int) -> None:
    theirs = pytest.importorskip("polars_grouper")
    df = frame(seed, rows)
    for given in (df, df.lazy()):
        both = [tool.super_merger(given, "from", "to") for tool in (theirs, ours)]
        weighted = [tool.super_merger_weighted(given, "from", "to", "weight", 0.4) for tool in (theirs, ours)]
        solved = [given.with_columns(tool.graph_solver("from", "to").alias("n")) for tool in (theirs, ours)]
        for one, other in (both, weighted, solved):
            assert type(one) is type(other)
            assert_frame_equal(one.lazy().collect(), other.lazy().collect())
