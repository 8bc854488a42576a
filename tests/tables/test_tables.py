"""Every kind of table gives the same components, in the kind that came in, or one clear error."""

from __future__ import annotations

import datetime
import decimal
import gzip
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset as ds
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import pointerjump as pj
from pointerjump.tables.files import hold_pairs
from pointerjump.tables.open import given_nodes, is_table, open_table
from pointerjump.tables.where import as_conditions, parse_condition

PAIRS = pa.table(
    {
        "left": ["dee", "bob", "cal", "zed"],
        "right": ["bob", "ann", "eve", "zoe"],
        "score": pa.array([0.99, 0.95, float("nan"), None], from_pandas=False),
        "many": [1, 2, 2**62 + 1, None],
        "when": [datetime.date(2024, 1, day) for day in (1, 2, 3, 4)],
        "sure": [True, False, True, None],
    }
)

# -- kinds -----------------------------------------------------------------------------------------


class Exported:
    """What has nothing but one method of the Arrow PyCapsule interface."""

    def __init__(self, table: Any) -> None:
        self._table = table


class Streamed(Exported):
    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


class Whole(Exported):
    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return self._table.to_batches()[0].__arrow_c_array__(requested_schema)


def _pandas(**dtypes: str) -> Any:
    pytest.importorskip("pandas")
    return PAIRS.to_pandas().astype(dtypes)


def _pandas_on_arrow() -> Any:
    pd = pytest.importorskip("pandas")
    return PAIRS.to_pandas(types_mapper=pd.ArrowDtype)


def _polars(**types: str) -> Any:
    pl = pytest.importorskip("polars")
    return pl.from_arrow(PAIRS).with_columns(
        pl.col(name).cast(getattr(pl, type)) for name, type in types.items()
    )


def _polars_enum() -> Any:
    pl = pytest.importorskip("polars")
    return _polars().with_columns(pl.col("left").cast(pl.Enum(PAIRS["left"].to_pylist())))


def _duckdb() -> Any:
    duckdb = pytest.importorskip("duckdb")
    return duckdb.connect().from_arrow(PAIRS)


def _with_left(type: pa.DataType) -> pa.Table:
    return PAIRS.set_column(0, "left", PAIRS["left"].cast(type))


def _written(write: Callable[[pa.Table, str], object], name: str) -> str:
    write(PAIRS, name)
    return name


def _stream_file() -> str:
    with pa.ipc.new_stream("stream.arrow", PAIRS.schema) as stream:
        stream.write(PAIRS)
    return "stream.arrow"


def _folder() -> Path:
    """Return a folder of Parquet files whose folders name a column, with a file that is no table."""
    folder = Path("folder")
    for year, rows in ((2023, PAIRS.slice(0, 2)), (2024, PAIRS.slice(2))):
        (folder / f"year={year}").mkdir(parents=True)
        pq.write_table(rows, folder / f"year={year}" / "part.parquet")
    (folder / "_SUCCESS").touch()
    (folder / "notes.txt").touch()
    return folder


KINDS: dict[str, Callable[[], Any]] = {
    "pandas": _pandas,
    "pandas object": lambda: _pandas(left="object"),
    "pandas string": lambda: _pandas(left="string"),
    "pandas categorical": lambda: _pandas(left="category", right="category"),
    "pandas on Arrow": _pandas_on_arrow,
    "polars": _polars,
    "polars categorical": lambda: _polars(left="Categorical"),
    "polars enum": _polars_enum,
    "polars lazy": lambda: _polars().lazy(),
    "duckdb": _duckdb,
    "table": lambda: PAIRS,
    "batch": lambda: PAIRS.to_batches()[0],
    "reader": lambda: PAIRS.to_reader(),
    "dataset": lambda: ds.dataset(PAIRS),
    "scanner": lambda: ds.dataset(PAIRS).scanner(),
    "dictionary": lambda: _with_left(pa.dictionary(pa.int32(), pa.string())),
    "view": lambda: _with_left(pa.string_view()),
    "large": lambda: _with_left(pa.large_string()),
    "stream": lambda: Streamed(PAIRS),
    "array": lambda: Whole(PAIRS),
    "iterator": lambda: iter([PAIRS.slice(0, 3), PAIRS.slice(3)]),
    "iterator of pandas": lambda: iter([_pandas(), _pandas()]),
    "parquet": lambda: _written(pq.write_table, "a.parquet"),
    "arrow": lambda: _written(pa.feather.write_feather, "a.arrow"),
    "arrow stream": _stream_file,
    "csv": lambda: _written(pa.csv.write_csv, "a.csv"),
    "folder": _folder,
    "pattern": lambda: str(_folder() / "*" / "*.parquet"),
}


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _components(table: Any, **asked: Any) -> pj.Components:
    return pj.components(table, source="left", target="right", device="reference", **asked)


def _in_order(table: Any) -> list[dict[str, Any]]:
    """Return the rows of a result of any kind, in order of ids."""
    if hasattr(table, "collect"):
        table = table.collect()
    if hasattr(table, "to_dicts"):
        rows = table.to_dicts()
    elif hasattr(table, "to_pylist"):
        rows = table.to_pylist()
    elif hasattr(table, "fetchall"):
        rows = [dict(zip(table.columns, row, strict=True)) for row in table.fetchall()]
    else:
        rows = table.to_dict("records")
    return sorted(rows, key=lambda row: row["id"])


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_gives_the_same_components_as_the_kind_that_came_in(kind: str) -> None:
    given = KINDS[kind]()
    found = _components(given).table()
    assert _in_order(found) == [
        {"id": id, "component": component, "size": size}
        for id, component, size in [
            ("ann", "ann", 3), ("bob", "ann", 3), ("cal", "cal", 2), ("dee", "ann", 3),
            ("eve", "cal", 2), ("zed", "zed", 2), ("zoe", "zed", 2),
        ]
    ]  # fmt: skip
    own = kind.startswith(("pandas", "polars", "duckdb"))
    assert type(found) is (type(given) if own else type(_pandas()) if "of pandas" in kind else pa.Table)


WHERE: list[tuple[Any, set[str]]] = [
    (("score", ">=", 0.95), {"dee", "bob"}),
    (("score", "!=", 0.99), {"bob"}),  # a missing score is not unequal either
    (("score", "is null"), {"cal", "zed"}),
    (("score", "is not null"), {"dee", "bob"}),
    ([("score", ">", 0), ("left", "==", "bob")], {"bob"}),
    (("left", "in", ["dee", "zed", "nobody"]), {"dee", "zed"}),
    (("left", "not in", ["dee", "zed", "nobody"]), {"bob", "cal"}),
    (("score", "not in", [0.95]), {"dee"}),
    (("many", "==", 2**62 + 1), {"cal"}),
    (("many", ">", 1.5), {"bob", "cal"}),
    (("many", "<", 2**64), {"dee", "bob", "cal"}),
    (("when", "<", datetime.date(2024, 1, 3)), {"dee", "bob"}),
    (("when", ">=", "2024-01-04"), {"zed"}),
    (("sure", "==", True), {"dee", "cal"}),
]


@pytest.mark.parametrize(
    "kind", ["pandas", "polars lazy", "polars enum", "duckdb", "table", "view", "parquet", "csv"]
)
def test_conditions_mean_the_same_for_every_kind(kind: str) -> None:
    for where, expected in WHERE:
        # Whether a number is whole is not known of a column of delimited text.
        if kind == "csv" and where == ("many", "==", 2**62 + 1):
            continue
        given = open_table(KINDS[kind]()).select(["left"], where)
        assert {id for batch in given.batches() for id in batch["left"].to_pylist()} == expected, where


def test_a_value_is_rounded_as_the_column_is() -> None:
    scores = pa.array([0.9, 0.8, None], pa.float32())
    table = pa.table({"id": ["a", "b", "c"], "score": scores})
    tables = [table]
    for module, make in (("polars", "from_arrow"), ("duckdb", "from_arrow")):
        try:
            tables.append(getattr(__import__(module), make)(table))
        except ImportError:
            continue
    for each in tables:
        given = open_table(each).select(["id"], ("score", ">=", 0.9))
        assert [id for batch in given.batches() for id in batch["id"].to_pylist()] == ["a"]


@pytest.mark.parametrize(
    ("where", "says"),
    [
        (("scor", ">=", 0.9), "has no column 'scor': it has .*; did you mean 'score'?"),
        (("score", "=>", 0.9), "there is no operator '=>': there are ==, .*; did you mean"),
        (("score", ">=", "0.9"), "column 'score' holds double, so '0.9' cannot be compared with it"),
        (("score", ">=", b"x"), "cannot be compared with it: give a number"),
        (("left", "==", 1), "holds string, so 1 cannot be compared with it: give text"),
        (("many", "==", True), "give a number"),
        (("when", "==", "soon"), "give a date or time"),
        (("sure", "==", 1), "give True or False"),
        (("score", "==", None), "nothing equals None: use 'is null'"),
        (("score", "<", float("nan")), "nothing compares with NaN"),
        (("score", ">="), "'>=' needs a value"),
        (("score", "in", 0.9), "give a list of values"),
        (("score", "in", np.array(0.9)), "give a list of values"),
        (("score", "in", {"a": 1}), "give a list of values"),
        (("score", "in", []), "the list is empty"),
        ("score >= 0.9", "where='score >= 0.9': give a condition, such as"),
        ([("score",)], "a condition is a column, an operator and a value"),
        (5, "where=5: give a condition"),
    ],
)  # fmt: skip
def test_what_is_no_condition_is_one_clear_error(where: Any, says: str) -> None:
    with pytest.raises(pj.TableError, match=says.replace("?", r"\?")) as caught:
        _components(PAIRS, where=where)
    assert "\n" not in str(caught.value)


def test_conditions_as_text_have_the_type_of_the_column() -> None:
    def value(column: str, operator: str, text: str) -> Any:
        return parse_condition(column, operator, text, PAIRS.schema.field(column).type).value

    assert value("score", ">=", "0.9") == 0.9
    assert str(parse_condition("score", ">=", "0.9", pa.float64())) == "score >= 0.9"
    assert (value("many", "==", "12"), value("many", ">", "1.5")) == (12, 1.5)
    assert value("left", "==", "12") == "12"
    assert value("left", "in", "ann, bob") == ["ann", "bob"]
    assert value("sure", "==", "True") is True
    given = open_table(PAIRS).select(
        ["left"], parse_condition("when", "==", "2024-01-02", PAIRS.schema.field("when").type)
    )
    assert next(given.batches())["left"].to_pylist() == ["bob"]
    for column, text in (("score", "high"), ("sure", "maybe"), ("when", "soon")):
        with pytest.raises(pj.TableError, match="cannot be compared"):
            open_table(PAIRS).select(
                ["left"], parse_condition(column, "==", text, PAIRS.schema.field(column).type)
            )
    with pytest.raises(pj.TableError, match="did you mean 'score'"):
        open_table(PAIRS).types(["scores"])


def test_only_the_row_groups_that_can_hold_what_is_wanted_are_read() -> None:
    rows = pa.table({"left": ["a", "b"], "right": ["b", "c"], "score": [0.1, 0.9]})
    pq.write_table(rows, "a.parquet", row_group_size=1, use_dictionary=False, compression="none")
    damaged = bytearray(Path("a.parquet").read_bytes())
    first = pq.ParquetFile("a.parquet").metadata.row_group(0).column(0)
    damaged[first.data_page_offset : first.data_page_offset + first.total_compressed_size] = b"\xff" * (
        first.total_compressed_size
    )
    Path("a.parquet").write_bytes(damaged)
    assert _components("a.parquet", where=("score", ">=", 0.5)).ids.to_pylist() == ["b", "c"]
    with pytest.raises(pj.PointerjumpError, match=r"a\.parquet: "):
        _components("a.parquet")


# -- columns ---------------------------------------------------------------------------------------


def test_columns_may_be_given_by_their_place() -> None:
    found = pj.components(pa.table({"who": ["bob"], "whom": ["ann"]}), "who", "whom")
    assert found.ids.to_pylist() == ["bob", "ann"]


def test_columns_with_usual_names_need_not_be_named() -> None:
    assert pj.components(PAIRS, device="reference").count == 3
    other = PAIRS.rename_columns(["kunde", "partner", *PAIRS.column_names[2:]])
    with pytest.raises(
        pj.TableError, match=r"has columns 'kunde', 'partner', .*: name those of the ids with source="
    ):
        pj.components(other, device="reference")
    with pytest.raises(
        pj.TableError, match="the table: has no columns: give a table with two columns of ids"
    ):
        pj.components(pa.table({}), device="reference")


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"source": "left"}, "source= is given, but target= is not"),
        ({"target": "left"}, "target= is given, but source= is not"),
        ({"source": "left", "target": "left"}, "source and target are both 'left'"),
        ({"source": "lef", "target": "right"}, "has no column 'lef': it has .*; did you mean 'left'?"),
        ({"source": 0, "target": 1}, "0 is not the name of a column|1 is not the name of a column"),
    ],
)
def test_columns_that_cannot_be_meant_are_errors(asked: dict[str, Any], says: str) -> None:
    with pytest.raises(pj.TableError, match=says.replace("?", r"\?")):
        pj.components(PAIRS, device="reference", where=[], **asked)


def test_columns_with_one_name_are_an_error() -> None:
    twice = pa.table([["a"], ["b"], ["c"]], names=["left", "left", "right"])
    for given in [twice, *([twice.to_pandas()] if _pandas() is not None else [])]:
        with pytest.raises(pj.TableError, match="has 2 columns called 'left': rename them"):
            _components(given)
    with pytest.raises(pj.TableError, match="'left' is named twice"):
        open_table(PAIRS).select(["left", "left"])


def test_what_is_a_table_and_what_is_not() -> None:
    assert all(is_table(KINDS[kind]()) for kind in ("table", "batch", "reader", "stream", "array"))
    for other in (
        [[0, 1]],
        (np.arange(2), np.arange(2)),
        np.zeros((2, 2), int),
        "a.parquet",
        pa.array([1]),
        None,
    ):
        assert not is_table(other)
    for kind in ("pandas", "polars", "polars lazy", "duckdb"):
        assert is_table(KINDS[kind]())
    assert not is_table(_polars()["left"])
    with pytest.raises(pj.TableError, match="dict is not a table: give a frame of pandas"):
        open_table({"left": ["a"]})
    with pytest.raises(pj.TableError, match="Streamed: cannot be read as a table"):
        open_table(Streamed(pa.chunked_array([["a"]])))


# -- values ----------------------------------------------------------------------------------------


def _twice(values: Any, type: Any = None) -> pa.Table:
    column = values if isinstance(values, pa.Array) else pa.array(values, type)
    return pa.table({"left": column, "right": column})


@pytest.mark.parametrize(
    ("values", "type"),
    [
        ([3, 1], pa.int8()),
        ([3, 2**64 - 1], pa.uint64()),
        ([decimal.Decimal(2**80), decimal.Decimal(5)], pa.decimal128(38, 0)),
        ([b"b", b"a"], pa.binary()),
        ([b"b", b"a"], pa.binary_view()),
        ([b"b" * 16, b"a" * 16], pa.binary(16)),
        ([uuid.UUID(int=2**100), uuid.UUID(int=1)], pa.uuid()),
        ([datetime.date(2024, 1, 2), datetime.date(2024, 1, 1)], pa.date32()),
        ([datetime.datetime(2024, 1, 2), datetime.datetime(2024, 1, 1)], pa.timestamp("us")),
        (["b", "a"], pa.string_view()),
        (["b", "a"], pa.dictionary(pa.int8(), pa.string())),
    ],
    ids=str,
)
def test_ids_come_back_as_the_type_they_had(values: list[Any], type: Any) -> None:
    found = _components(_twice(values, type)).table()
    assert found.schema.field("id").type == (pa.string() if pa.types.is_dictionary(type) else type)
    assert found["id"].to_pylist() == found["component"].to_pylist() == values


def test_ids_of_two_types_have_one_in_common() -> None:
    table = pa.table({"left": pa.array([1, 2], pa.int32()), "right": pa.array([2, 2**63], pa.uint64())})
    assert _components(table).table().to_pydict() == {
        "id": [1, 2, 2**63], "component": [1, 1, 1], "size": [3, 3, 3]
    }  # fmt: skip


def test_python_uuids_in_pandas_stay_uuids() -> None:
    pd = pytest.importorskip("pandas")
    ids = [uuid.UUID(int=5), uuid.UUID(int=2**127)]
    frame = pd.DataFrame({"left": ids[:1], "right": ids[1:]})
    assert _components(frame).table()["component"].tolist() == ids[:1] * 2


def test_equal_values_of_a_dictionary_are_one_id() -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", "a"]))
    assert _components(_twice(column)).ids.to_pylist() == ["a"]


def test_a_frame_without_rows_has_no_components() -> None:
    pd = pytest.importorskip("pandas")
    found = _components(pd.DataFrame({"left": [], "right": []}, dtype=object))
    assert (found.count, len(found.table())) == (0, 0)


EMPTY = {
    "float": (pa.float64(), pa.float64()),
    "null": (pa.null(), pa.null()),
    "two kinds": (pa.string(), pa.int64()),
}
HOLDERS: dict[str, Callable[[pa.Table], Any]] = {
    "arrow": lambda table: table,
    "reader": lambda table: table.to_reader(),
    "pandas": lambda table: table.to_pandas(),
    "polars": lambda table: pytest.importorskip("polars").from_arrow(table),
    "lazy": lambda table: pytest.importorskip("polars").from_arrow(table).lazy(),
    "duckdb": lambda table: pytest.importorskip("duckdb").from_arrow(table),
    "file": lambda table: pq.write_table(table, "a.parquet") or "a.parquet",
    "parts": lambda table: iter([table, table]),
}


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("types", EMPTY)
def test_columns_without_rows_may_have_any_types(types: str, holder: str) -> None:
    columns = zip(("left", "right", "score"), (*EMPTY[types], pa.null()), strict=True)
    table = pa.table({name: pa.array([], type) for name, type in columns})
    given = partial(HOLDERS[holder], table)
    assert (_components(given()).count, _components(given()).arrow().shape) == (0, (0, 3))
    if holder != "parts" and types != "two kinds":
        assert _components(_twice(["a"]), nodes=(given(), "right")).ids.to_pylist() == ["a"]
    assert pj.components(given(), group="left", member="right").count == 0
    assert pj.components(given(), member="right").count == 0
    assert len(pj.components_at(given(), "left", "right").ids) == 0
    assert len(pj.forest_of(table, "left", "right")) == 0


@pytest.mark.parametrize("types", EMPTY)
def test_parts_without_rows_may_have_any_types(types: str) -> None:
    left, right = (pa.array([], type) for type in EMPTY[types])
    none, some = pa.table({"left": left, "right": right}), pa.table({"left": ["a"], "right": ["b"]})
    for parts in ([none, some], [some, none, some], [none, some, none]):
        assert _components(iter(parts)).table().to_pylist()[0] == {"id": "a", "component": "a", "size": 2}
    forests = [pj.forest_of(part, "left", "right") for part in (none, some)]
    assert len(pj.merge_forests(forests)) == 2
    with ThreadPoolExecutor(1) as executor:
        assert _components([none, some], executor=executor).count == 1
    assert len(pj.number_ids(np.array([]))[1]) == 0


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (["a", None], "column 'left' is null in row 1"),
        (["a", ""], "column 'left' is empty in row 1"),
        ([1.0, 2.0], "holds double, which cannot be ids: cast them to integers or strings"),
        ([True], "holds bool, which cannot be ids"),
        ([["a"]], "holds list<item: string>, which cannot be ids"),
        ([{"a": 1}], "holds struct<a: int64>, which cannot be ids"),
        (pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None])), "is null in row 1"),
        (pa.nulls(2), "is null in row 0"),
    ],
    ids=str,
)
def test_values_that_cannot_be_ids_are_named(values: Any, says: str) -> None:
    with pytest.raises(pj.TableError, match=says):
        _components(_twice(values))


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (["a", "b", 1], "'left' holds str in row 0, but int in row 2: cast it to one type"),
        ([None, 1, "a"], "'left' holds int in row 1, but str in row 2"),
        ([uuid.UUID(int=1), "a"], "'left' holds UUID in row 0, but str in row 1"),
        (["a", float("nan")], "'left' is null in row 1"),
        ([1, 2**64], "'left' holds 18446744073709551616 in row 1, which has more than 64 bits"),
        ([{1: 2}], "'left' holds dict, which Arrow does not have"),
    ],
    ids=str,
)
def test_python_objects_that_cannot_be_ids_are_named(values: list[Any], says: str) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"left": pd.Series(values, dtype=object), "right": ["z"] * len(values)})
    with pytest.raises(pj.TableError, match=says) as caught:
        _components(frame)
    assert "\n" not in str(caught.value)


def test_nulls_of_pandas_and_polars_are_named() -> None:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    nullable = pd.DataFrame({"left": pd.array([1, None], "Int64"), "right": [1, 2]})
    for frame in (nullable, pl.DataFrame({"left": [1, None], "right": [1, 2]})):
        with pytest.raises(pj.TableError, match="column 'left' is null in row 1"):
            _components(frame)


def test_what_polars_cannot_hand_over_is_an_error() -> None:
    pl = pytest.importorskip("polars")
    for column in (pl.Series([object()], dtype=pl.Object), pl.Series([1], dtype=pl.Int128)):
        with pytest.raises(pj.TableError, match="which Arrow does not have"):
            _components(pl.DataFrame({"left": column, "right": column}))
    with pytest.raises(pj.TableError, match="nofile"):
        _components(pl.scan_parquet("nofile.parquet"))


def test_ids_that_are_never_equal_are_an_error() -> None:
    for left, right in (([1], ["1"]), ([b"a"], ["a"]), ([1], [decimal.Decimal(1)])):
        with pytest.raises(
            pj.TableError, match=r"column 'left' holds .*, but column 'right' holds .*: cast one"
        ):
            _components(pa.table({"left": left, "right": right}))
    with pytest.raises(pj.TableError, match="integers below 0, and another column integers above"):
        _components(pa.table({"left": [-1], "right": np.array([2**63], np.uint64)}))


def test_parts_must_have_one_type() -> None:
    parts = [_twice(["a"]), _twice([1])]
    with pytest.raises(pj.TableError, match="holds string in part 0, but int64 in part 1"):
        _components(iter(parts))
    with pytest.raises(pj.TableError, match="holds uint64 in part 0, but int64 in part 1"):
        _components(iter([_twice(np.array([2**63], np.uint64)), _twice([1])]))
    with pytest.raises(pj.TableError, match="iterator of tables is empty"):
        _components(iter([]))


def test_parts_may_have_integers_of_different_widths() -> None:
    whole = pa.table({"left": [1, 300, -5], "right": [2, 1, 70_000]})
    types = [pa.int32(), pa.int16(), pa.int64()]
    parts = [whole.slice(i, 1).cast(pa.schema([("left", t), ("right", t)])) for i, t in enumerate(types)]
    assert _components(iter(parts)).arrow() == _components(whole).arrow()


def test_a_condition_is_part_of_the_name_by_which_rows_are_counted() -> None:
    table = pa.table({"left": ["a", "b", None], "right": ["a", "b", "c"], "score": [0.1, 0.9, 0.9]})
    with pytest.raises(
        pj.TableError, match=r"the table, where score >= 0\.5: column 'left' is null in row 1"
    ):
        _components(table, where=("score", ">=", 0.5))


# -- nodes -----------------------------------------------------------------------------------------


def test_nodes_may_be_a_column_or_a_table() -> None:
    pq.write_table(pa.table({"id": ["x"]}), "nodes.parquet")
    two = pa.table({"id": ["x"], "name": ["Xaver"]})
    columns: list[Any] = [
        ["x"], np.array(["x"]), pa.array(["x"]), two.select(["id"]), (two, "id"), two, "nodes.parquet",
        _pandas()["left"].str.replace("dee", "x").head(1),
        _polars().get_column("left").replace("dee", "x").head(1),
    ]  # fmt: skip
    for nodes in columns:
        assert [id for batch in given_nodes(nodes).batches() for id in batch.column(0).to_pylist()] == ["x"]
    assert _components(PAIRS, nodes=["x", "ann"]).count == 4


@pytest.mark.parametrize(
    ("nodes", "says"),
    [
        (PAIRS, "nodes: the table has columns 'left', .*: name the one with the ids, as in nodes="),
        (pa.table({}), "nodes: the table has no columns: give a table with a column of ids"),
        ((PAIRS, "id"), "has no column 'id'"),
        (("x", "y", "z"), "nodes is a tuple: give a table and the name of its column, or ids in a list"),
        ({"x"}, "nodes is a set, which has no order"),
        (5, "nodes: int is no column of ids"),
        (["x", 1], "nodes: list is no column of ids"),
        (["x", None], "nodes: column 'nodes' is null in row 1"),
        ([1], "column 'left' holds string, but column 'nodes' holds int64"),
    ],
    ids=str,
)
def test_nodes_that_are_no_ids_are_an_error(nodes: Any, says: str) -> None:
    with pytest.raises(pj.TableError, match=says):
        _components(PAIRS, nodes=nodes)


# -- files -----------------------------------------------------------------------------------------


def _ids(text: str | bytes, name: str = "a.csv", **asked: Any) -> list[Any]:
    """Return the ids in a file of delimited text."""
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    ids: list[Any] = _components(name, **asked).ids.to_pylist()
    return sorted(ids)


MANY = 70_000
"""Lines that are more than pyarrow looks at before it decides on types."""


@pytest.mark.parametrize(
    ("lines", "ids"),
    [
        ("1,2\n2,10\n", [1, 2, 10]),
        ("-5,0\n", [-5, 0]),
        ("001,2\n", ["001", "2"]),
        ("-0,2\n", ["-0", "2"]),
        ("+1,2\n", ["+1", "2"]),
        ("0x10,2\n", ["0x10", "2"]),
        ("1,2.0\n", ["1", "2.0"]),
        ("1,a\n", ["1", "a"]),
        ("true,2024-01-01\n", ["2024-01-01", "true"]),
        ("NA,null\n", ["NA", "null"]),
        (f"1,{2**64 - 1}\n", [1, 2**64 - 1]),
        (f"1,{2**64}\n", ["1", str(2**64)]),
        (f"-1,{2**64 - 1}\n", ["-1", str(2**64 - 1)]),
        ("1,2\n" * MANY * 4 + "3,12a\n", ["1", "12a", "2", "3"]),
        ("1,2\n" * MANY * 4 + "3,007\n", ["007", "1", "2", "3"]),
        ("", []),
    ],
    ids=lambda value: str(value)[:20],
)
def test_ids_in_text_are_integers_only_if_all_are(lines: str, ids: list[Any]) -> None:
    assert _ids("left,right\n" + lines) == ids


@pytest.mark.parametrize(
    "text",
    ["left,right\na b,c\n", "left;right\na b;c\n", "left\tright\na b\tc\n", "left,right\r\na b,c\r\n\r\n",
     '"left","right"\n"a b","c"\n', b"\xef\xbb\xbfleft,right\na b,c\n", "x,left,right\n0,a b,c\n"],
)  # fmt: skip
def test_text_is_read_however_it_is_written(text: str | bytes) -> None:
    assert _ids(text) == ["a b", "c"]
    assert _ids(text, "a.tsv") == ["a b", "c"]
    assert _ids(gzip.compress(text if isinstance(text, bytes) else text.encode()), "a.csv.gz") == ["a b", "c"]


def test_quotes_may_hold_separators_and_line_breaks() -> None:
    assert _ids('left,right\n"a;b,c","d\ne"\n') == ["a;b,c", "d\ne"]


def test_scores_in_text_are_numbers_even_if_the_first_are_integers() -> None:
    text = "left,right,score\n" + "a,b,1\n" * MANY * 3 + "c,d,0.5\ne,f,\n"
    assert _ids(text, where=("score", "<", 0.9)) == ["c", "d"]
    with pytest.raises(pj.PointerjumpError, match=r"a\.csv.*invalid value 'high'") as caught:
        _ids(text + "g,h,high\n", where=("score", "<", 0.9))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "ann,bob\ncal,dee\n",
            "has no column 'left': it has 'ann', 'bob' .*first line .* must name its columns",
        ),
        ("", "a.csv: is empty: its first line must name its columns"),
        ("\n", "a.csv: is empty: its first line must name its columns"),
        ("left,right\na,b\nc\n", "Row #3: Expected 2 columns, got 1"),
        ("left,left,right\na,b,c\n", "multiple columns named left"),
        (b"left,right\n\xe9,b\n", "invalid UTF8 data: save it as UTF-8"),
        ("left,right\na,b\n,c\n", "column 'left' is null in row 1"),
        ("left,right\n1,2\n,3\n", "column 'left' is null in row 1"),
    ],
    ids=str,
)
def test_text_that_is_no_table_is_one_clear_error(text: str | bytes, says: str) -> None:
    with pytest.raises(pj.PointerjumpError, match=says) as caught:
        _ids(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("nofile.parquet", r"nofile\.parquet: No such file"),
        ("nofile*.parquet", "no file has a name of this pattern"),
        ("empty", "empty: holds no files with a suffix among .parquet"),
        ("mixed", "are of two formats"),
        ("a.xyz", r"a\.xyz: its suffix says no table: the known ones are .parquet"),
        ("damaged.parquet", r"damaged\.parquet: cannot be read"),
        ("damaged.arrow", r"damaged\.arrow: cannot be read"),
        ("cut.arrow", r"cut\.arrow: cannot be read"),
        ("damaged.csv.gz", r"damaged\.csv\.gz: "),
        ("cut.csv", r"^cut\.csv: cannot be read"),
        ("", "the path is empty"),
    ],
)
def test_files_that_cannot_be_read_are_named(path: str, says: str) -> None:
    for folder in ("empty", "mixed"):
        Path(folder).mkdir()
    for name in ("mixed/a.csv", "mixed/b.parquet", "a.xyz"):
        Path(name).touch()
    for name in ("damaged.parquet", "damaged.arrow", "damaged.csv.gz"):
        Path(name).write_bytes(b"ARROW1 and nothing else")
    Path("cut.arrow").write_bytes(Path(_stream_file()).read_bytes()[:200])
    Path("cut.csv").write_text("left,right\n1,2\n3")
    with pytest.raises(pj.PointerjumpError, match=says) as caught:
        _components(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("suffix", "says"), [("csv", "2.csv is empty"), ("parquet", "cannot be read: .*2.parquet")]
)
def test_a_later_file_without_bytes_is_named(suffix: str, says: str) -> None:
    table = _twice(["a"])
    pa.csv.write_csv(table, "1.csv")
    pq.write_table(table, "1.parquet")
    Path(f"2.{suffix}").touch()
    with pytest.raises(pj.PointerjumpError, match=rf"\*.{suffix}: {says}") as caught:
        _components(f"*.{suffix}")
    assert "\n" not in str(caught.value)


def test_a_list_of_files_is_one_table() -> None:
    pq.write_table(_twice(["7"]), "1.parquet")
    pq.write_table(pa.table({"left": ["b"], "right": ["7"]}), "2.parquet")
    Path("1.csv").write_text("left,right\n7,8\n")
    Path("2.csv").write_text("left,right\nb,7\n")
    for files in (["1.parquet", Path("2.parquet")], ("1.parquet", "2.parquet"), ["[12].parquet"]):
        assert _components(files).ids.to_pylist() == ["7", "b"]
    assert _components(["1.csv", "2.csv"]).ids.to_pylist() == ["7", "8", "b"], "all are text if some are"
    assert _components([_twice(["a"]), _twice(["b"])]).count == 2
    assert pj.forest_of(["1.csv", "2.csv"], "left", "right").num_rows == 3
    for files, says in (
        (["1.csv", "2.parquet"], "1.csv and 1 more: 1.csv and 2.parquet are of two formats"),
        (["1.csv", "none.csv"], "1.csv and 1 more: none.csv: No such file"),
    ):
        with pytest.raises(pj.PointerjumpError, match=says):
            _components(files)


def test_files_whose_columns_name_pairs_are_tables() -> None:
    Path("named.csv").write_text("left,right\n1,2\n")
    Path("edges.csv").write_text("1,2\n")
    Path("alike.csv").write_text("node1,node2\nnode3,node4\n")
    Path("comment.csv").write_text("# source,target\n1,2\n")
    pq.write_table(pa.table({"left": [1], "right": [2]}), "named.parquet")
    pq.write_table(pa.table({"when": [1], "where": [2]}), "other.parquet")
    for path in ("named.csv", "named.parquet", ["named.csv"], "n*.csv"):
        assert pj.components(path, device="reference").table()["id"].to_pylist() == [1, 2]
    for path in (
        "edges.csv",
        "alike.csv",
        "comment.csv",
        "other.parquet",
        ["edges.csv", "edges.csv"],
        "x.el",
    ):
        assert not hold_pairs(path), path
    assert not hasattr(pj.components(["edges.csv", "edges.csv"], device="reference"), "table")
    assert pj.components("named.csv", ids="keep", device="reference").labels.tolist() == [0, 1, 1]
    with pytest.raises(pj.PointerjumpError, match=r"none\.csv: No such file"):
        pj.components("none.csv")


def test_folders_name_columns() -> None:
    assert _components(_folder(), where=("year", "==", 2023)).ids.to_pylist() == ["dee", "bob", "ann"]


def test_streams_in_files_come_one_after_the_other() -> None:
    Path(_stream_file()).rename("1.arrow")
    Path(_stream_file()).rename("2.arrow")
    given = open_table("*.arrow").select(["left"])
    assert sum(len(batch) for batch in given.batches()) == 2 * len(PAIRS)


def test_large_tables_come_in_batches() -> None:
    table = pa.table({"left": np.arange(1 << 18), "right": np.arange(1 << 18)})
    pq.write_table(table, "a.parquet")
    for given in (table, "a.parquet", iter([table])):
        assert max(len(batch) for batch in open_table(given).select(["left"]).batches()) <= 1 << 17
    assert open_table("a.parquet").select(["left"]).rows == open_table(table).select(["left"]).rows == 1 << 18


def test_columns_that_are_not_compared_may_differ_in_kind() -> None:
    Path("a.csv").write_text("bucket,member\n1,a\n2,b\n")
    together, apart = (
        open_table("a.csv").select(["bucket", "member"], compared=compared)
        for compared in (None, [["bucket"], ["member"]])
    )
    assert together.schema.types == [pa.string(), pa.string()]
    assert apart.schema.types == [pa.int64(), pa.string()]


def test_conditions_given_as_such_stay() -> None:
    conditions = as_conditions([("score", " IS  Not Null "), ("a", "in", (1, 2))])
    assert [str(each) for each in as_conditions(conditions)] == ["score is not null", "a in [1, 2]"]


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">="])
def test_text_and_numbers_have_no_order_on_the_command_line(operator: str) -> None:
    with pytest.raises(pj.TableError, match="column 'score' holds text"):
        parse_condition("score", operator, "0.9", pa.string())
    assert parse_condition("name", operator, "bob", pa.string()).value == "bob"
    assert parse_condition("score", operator, "0.9", pa.float32()).value == 0.9


@pytest.mark.parametrize(("written", "meant"), [("=>", ">="), ("=<", "<="), ("=", "=="), ("<>", "!=")])
def test_operators_of_other_languages_are_understood(written: str, meant: str) -> None:
    with pytest.raises(pj.TableError, match=f"did you mean '{meant}'"):
        as_conditions(("score", written, 0.9))


def test_results_say_what_they_are() -> None:
    found = pj.components(PAIRS, source="left", target="right")
    assert repr(found) == "TableComponents(count=3, ids=7)"
