"""``cc`` on tables, what it writes, how it is checked, and the sizes of components that it shows."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from pointerjump import cli
from pointerjump.base import memory
from pointerjump.cli import terminal
from pointerjump.cli.sizes import histogram_of, positions_of_largest
from pointerjump.errors import FormatError, VerificationError
from pointerjump.ids.components import TableComponents, components_of_ids, components_of_table
from pointerjump.tables.files import open_files
from pointerjump.tables.open import Roles, id_columns, open_table
from pointerjump.tables.write import require_table_file, write_table
from pointerjump.verifiers.tables import verify_table

REFERENCE = ["--algorithm", "dfs", "--device", "reference"]
PAIRS = {
    "left": ["dee", "bob", "cal", "x", "cal"],
    "right": ["bob", "ann", "eve", "y", "cal"],
    "score": [0.95, 0.9, 0.99, 0.1, None],
}
GROUPS = {"bucket": [1, 1, 2, 2, 3], "doc": ["a", "b", "c", "a", "z"]}
CLUSTERS = {
    ("ann", "ann", 3),
    ("bob", "ann", 3),
    ("dee", "ann", 3),
    ("cal", "cal", 2),
    ("eve", "cal", 2),
    ("x", "x", 2),
    ("y", "x", 2),
}
SUFFIXES = [".parquet", ".pq", ".arrow", ".arrows", ".feather", ".ipc", ".csv", ".tsv", ".csv.gz"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the files that most tests read into the current folder."""
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table(PAIRS), "pairs.parquet")
    pq.write_table(pa.table(GROUPS), "groups.parquet")


@pytest.fixture
def cc(capsys: pytest.CaptureFixture[str]) -> Any:
    """Return a function that runs ``cc --json`` and returns its document."""

    def run(*arguments: str, code: int = 0) -> Any:
        assert cli.run(["cc", *arguments, *REFERENCE, "--json"]) == code
        return json.loads(capsys.readouterr().out)

    return run


@pytest.fixture
def complaint(capsys: pytest.CaptureFixture[str]) -> Any:
    """Return a function that runs ``cc`` on bad input and returns its one line."""

    def run(*arguments: str) -> str:
        assert cli.run(["cc", *arguments, *([] if "--devices" in arguments else REFERENCE)]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert len(said.err.splitlines()) == 1
        assert "a bug in pointerjump" not in said.err
        return said.err

    return run


def rows_of(file: str) -> list[tuple[str, str, int]]:
    """Return the rows of a table of clusters, as the file has them."""
    if ".csv" in file or ".tsv" in file:
        content = Path(file).read_bytes()
        text = (gzip.decompress(content) if file.endswith(".gz") else content).decode()
        delimiter = "\t" if file.endswith(".tsv") else ","
        head, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        assert head == ["id", "component", "size"]
        return [(id, component, int(size)) for id, component, size in rows]
    if file.endswith(".arrows"):
        table = pa.ipc.open_stream(Path(file).read_bytes()).read_all()
    else:
        table = (pq if file.endswith((".parquet", ".pq")) else pyarrow.feather).read_table(file)
    return [(row["id"], row["component"], row["size"]) for row in table.to_pylist()]


# -- from a table to a table -----------------------------------------------------------------------


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_pairs_become_clusters(suffix: str, cc: Any) -> None:
    document = cc("pairs.parquet", "--source", "left", "--target", "right", "-o", f"out{suffix}", "--verify")
    rows = rows_of(f"out{suffix}")
    assert len(rows) == len(CLUSTERS)
    assert set(rows) == CLUSTERS
    assert document["verified"] is True
    assert document["output"] == f"out{suffix}"
    expected = {"rows": 5, "rows_in_file": 5, "ids": 7, "components": 3, "largest": 3, "isolated": 0}
    assert expected.items() <= document.items()
    assert "records" not in document


@pytest.mark.parametrize(
    ("conditions", "rows", "ids"),
    [
        ("--where score >= 0.95", 2, "bob cal dee eve"),
        ("--where score >= 0.9 --where left != dee", 2, "ann bob cal eve"),
        ("--where score is null", 1, "cal"),
        ("--where score > 1", 0, ""),
    ],
)
def test_only_rows_that_meet_every_condition(conditions: str, rows: int, ids: str, cc: Any) -> None:
    document = cc("pairs.parquet", *conditions.split(), "-o", "out.csv", "--verify")
    assert sorted(id for id, _, _ in rows_of("out.csv")) == ids.split()
    assert (document["rows"], document["rows_in_file"]) == (rows, 5)
    assert document["verified"] is True


@pytest.mark.parametrize("labels", ["representative", "consecutive"])
def test_groups_become_clusters(labels: str, cc: Any) -> None:
    arguments = ["--group", "bucket", "--member", "doc", "--labels", labels, "-o", "out.csv"]
    document = cc("groups.parquet", *arguments, "--verify", "--sort")
    names = ["a", "z"] if labels == "representative" else ["0", "1"]
    component = dict(zip("abcz", [names[0]] * 3 + [names[1]], strict=True))
    assert rows_of("out.csv") == [(id, component[id], 1 if id == "z" else 3) for id in "abcz"]
    assert document["verified"] is True
    assert document["isolated"] == 1


def test_several_keys_join_ids_and_headerless_columns_have_numbers(cc: Any) -> None:
    Path("people.csv").write_text("7,8,ann\n7,,bob\n,x,cal\n9,x,dee\n8,7,eve\n,,fay\n")
    keys = ["--no-header", "--group", "0", "--group", "1", "--member", "2"]
    document = cc("people.csv", *keys, "-o", "out.csv", "--verify")
    pairs = {("ann", "ann", 2), ("bob", "ann", 2), ("cal", "cal", 2), ("dee", "cal", 2)}
    assert set(rows_of("out.csv")) == pairs | {("eve", "eve", 1), ("fay", "fay", 1)}
    assert document["verified"] is True
    document = cc("people.csv", "--no-header", "--source", "1", "--target", "2", "--where", "0", ">=", "8")
    assert document["rows"] == 2


@pytest.mark.parametrize("nodes", ["ids.parquet", "more.parquet:who", "more.parquet"])
def test_ids_that_no_row_has(nodes: str, cc: Any) -> None:
    pq.write_table(pa.table({"name": ["ann", "zoe"]}), "ids.parquet")
    pq.write_table(pa.table({"id": ["bob", "zoe"], "who": ["ann", "zoe"]}), "more.parquet")
    document = cc("pairs.parquet", "--nodes", nodes, "--verify", "-o", "out.csv")
    assert set(rows_of("out.csv")) == CLUSTERS | {("zoe", "zoe", 1)}
    assert document["verified"] is True


def test_a_file_whose_name_has_a_colon(cc: Any) -> None:
    with Path("ids:of.parquet").open("wb") as file:
        pq.write_table(pa.table({"id": ["zoe"]}), file)
    assert cc("pairs.parquet", "--nodes", "./ids:of.parquet")["ids"] == 8


def test_each_table_is_opened_once(cc: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []
    monkeypatch.setattr(
        "pointerjump.tables.open.open_files", lambda given: opened.append(given) or open_files(given)
    )
    pq.write_table(pa.table({"id": ["bob", "zoe"], "who": ["ann", "zoe"]}), "more.parquet")
    cc(
        "pairs.parquet",
        "--where",
        "score",
        ">",
        "0.5",
        "--nodes",
        "more.parquet",
        "--verify",
        "-o",
        "out.csv",
    )
    assert opened == ["pairs.parquet", "more.parquet"]


def test_rows_are_sorted_if_asked_for(cc: Any) -> None:
    cc("pairs.parquet", "-o", "sorted.parquet", "--sort")
    cc("pairs.parquet", "-o", "plain.parquet")
    assert rows_of("sorted.parquet") == sorted(CLUSTERS, key=lambda row: (row[1], row[0]))
    assert rows_of("plain.parquet")[0][0] == "dee"


@pytest.mark.parametrize(
    ("line", "clusters"),
    [
        ("pairs.parquet -o out.parquet", True),
        ("pairs.parquet -o out.feather", True),
        ("pairs.parquet -o out.pq", True),
        ("pairs.pq -o out.arrows", True),
        ("pairs.parquet --source left --target right -o out.csv", True),
        ("numbers.parquet -o out.parquet", True),
        ("numbers.parquet -o out.csv", True),
        ("numbers.parquet --columns left,right -o out.csv", False),
        ("numbers.parquet --labels representative -o out.csv", True),
        ("numbers.parquet --where right > 0 -o out.csv", True),
        ("named.csv -o out.csv", True),
        ("named.csv -o out.parquet", True),
        ("named.csv", True),
        ("named.csv.gz -o out.csv", True),
        ("named.tsv", True),
        ("named.csv --header -o out.csv", False),
        ("named.csv --ids compact -o out.csv", False),
        ("named*.csv -o out.csv", True),
        ("folder", True),
        ("named.csv named_more.csv -o out.csv", True),
        ("edges.csv -o out.csv", False),
        ("edges.csv edges_more.csv -o out.csv", False),
        ("alike.csv --no-header", False),
        ("named.el", False),
    ],
)
def test_what_is_written_of_a_table_and_what_of_a_graph(line: str, clusters: bool, cc: Any) -> None:
    """The input and its options decide, never the output."""
    Path("folder").mkdir()
    for name in ("named.csv", "named_more.csv", "named.el", "folder/a.csv"):
        Path(name).write_text("left,right\n0,1\n3,4\n")
    Path("named.tsv").write_text("left\tright\n0\t1\n3\t4\n")
    Path("named.csv.gz").write_bytes(gzip.compress(Path("named.csv").read_bytes()))
    for name in ("edges.csv", "edges_more.csv"):
        Path(name).write_text("0,1\n3,4\n")
    Path("alike.csv").write_text("node1,node2\nnode3,node4\n")
    pq.write_table(pa.table({"left": [0, 3], "right": [1, 4]}), "numbers.parquet")
    Path("pairs.pq").write_bytes(Path("pairs.parquet").read_bytes())
    document = cc(*line.split())
    assert ("rows" in document) == clusters
    if document["output"] == "out.csv":
        assert Path("out.csv").read_text().startswith("id,component,size" if clusters else "vertex,label")


@pytest.mark.parametrize("kind", ["csv", "parquet", "stream", "file", "gz"])
def test_a_table_on_standard_input(
    kind: str, tmp_path: Path, cc: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pa.table({"left": ["a", "7"], "right": ["7", "b"]})
    held = io.BytesIO()
    if kind == "parquet":
        pq.write_table(table, held)
    elif kind in ("stream", "file"):
        with (pa.ipc.new_stream if kind == "stream" else pa.ipc.new_file)(held, table.schema) as writer:
            writer.write_table(table)
    else:
        held.write(b"left,right\na,7\n7,b\n")
    content = gzip.compress(held.getvalue()) if kind == "gz" else held.getvalue()
    Path("given").write_bytes(content)
    monkeypatch.setattr("pointerjump.formats.files.STANDARD_INPUT", Path("given"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert cc("-", "--source", "left", "--target", "right", "--verify", "-o", "out.csv")["input"] == "-"
    assert set(rows_of("out.csv")) == {("a", "7", 3), ("7", "7", 3), ("b", "7", 3)}
    assert not [*tmp_path.glob("pointerjump-*")]


def test_people_read_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["cc", "pairs.parquet", "--where", "score", ">=", "0.9", "--verify", "-o", "out.csv"]
    assert cli.run([*line, *REFERENCE]) == 0
    text = re.sub(" +", " ", capsys.readouterr().out)
    for piece in (
        "rows 3 of 5 meet the conditions",
        "ids 5",
        "components 2",
        "largest 3, 2",
        "isolated 0 ids",
        "verified yes: the clusters are right",
        "clusters written to out.csv",
    ):
        assert piece in text


# -- refused in one line ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("pairs.parquet --source left", "--source is given without --target"),
        ("pairs.parquet --target left", "--target is given without --source"),
        ("groups.parquet --group bucket", "--group is given without --member"),
        ("pairs.parquet --group a --source left", "leave out --group and --member, or --source and --target"),
        ("pairs.parquet --source ", "it is empty"),
        ("groups.parquet --member doc --group ", "it is empty"),
        ("pairs.parquet --source left --target right --source x", "--source is given 2 times: give it once"),
        ("pairs.parquet --labels consecutive --labels representative", "--labels is given 2 times"),
        ("pairs.parquet -o a.csv --output b.csv", "--output is given 2 times"),
        ("path:vertices=3 --header --no-header", "--header is given 2 times"),
        ("pairs.parquet --source left --target right --no-header", "--header is for delimited text"),
        ("pairs.parquet --source lift --target right", "no column 'lift'"),
        ("groups.parquet --where bucket > 1", "source="),
        ("pairs.parquet --where scor > 1", "no column 'scor'"),
        ("pairs.parquet --where score >= high", "'high'"),
        ("pairs.parquet --where score ~ 1", "there is no operator '~'"),
        ("pairs.parquet --source score --target right", "'score'"),
        ("holes.parquet --source left --target right", "null"),
        ("holes.parquet --nodes missing.parquet:id", "missing.parquet"),
        (
            "pairs.parquet --nodes groups.parquet",
            "groups.parquet has columns 'bucket', 'doc': name the one with the ids",
        ),
        ("pairs.parquet --nodes groups.parquet:none", "no column 'none'"),
        ("missing.parquet --source a --target b", "missing.parquet"),
        ("none-*.parquet --source a --target b", "none-"),
        (
            "named.csv -o out.npy",
            "named.csv is a table, as its columns have names of pairs: write .parquet or",
        ),
        (
            "path:vertices=3 -o out.parquet",
            "out.parquet is for clusters of a table, and the input is read as a",
        ),
        ("named.csv none.csv", "none.csv: No such file"),
        ("path:vertices=3 - --memory 1GiB", "-: blocks are read from a file"),
        ("path:vertices=3 --source a --target b", "a generator makes a graph, not a table"),
        ("pairs.parquet --source left --target right --sort", "name one by -o"),
        ("pairs.parquet --where score > 1 --checkpoint c.npz", "--checkpoint is for graphs"),
        ("pairs.parquet --where score > 1 --devices all", "leave it out, or leave out --where"),
        ("pairs.parquet --where score > 1 --devices cpu", "leave it out, or leave out --where"),
        ("pairs.parquet --where score > 1 --memory 1MiB", "--memory is 1.0 MiB"),
        ("pairs.parquet --where score > 1 --columns a,b", "--columns is for graphs"),
        ("pairs.parquet --where score > 1 --ids compact", "--ids is for graphs"),
        ("bytes.parquet -o out.csv --source left --target right", "column 'id' holds binary: write .parquet"),
        ("bytes.parquet -o out.csv --where left is null --labels consecutive", "write .parquet or .arrow"),
        ("path:vertices=3 --top 0", "--top"),
    ],
)
def test_what_is_wrong_is_one_line(line: str, message: str, complaint: Any) -> None:
    pq.write_table(pa.table({"left": ["a", "b"], "right": ["b", None]}), "holes.parquet")
    pq.write_table(pa.table({"left": [b"a"], "right": [b"b"]}), "bytes.parquet")
    Path("named.csv").write_text("left,right\na,b\n")
    assert message in complaint(*line.split(" "))


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("out.npy", "tables end in .parquet, .pq, .arrow, .arrows, .feather, .ipc, .csv or .tsv"),
        ("out", "has the suffix ''"),
        ("out.parquet.gz", "leave out .gz"),
        ("no/out.parquet", "there is no such folder"),
        (".", "is a folder"),
    ],
)
def test_an_output_is_refused_before_anything_is_read(output: str, message: str, complaint: Any) -> None:
    said = complaint("missing.parquet", "--source", "a", "--target", "b", "-o", output)
    assert message in said
    assert "missing" not in said


@pytest.mark.parametrize("wrong", [["--device", "quantum"], ["--algorithm", "magic"], ["--variant", "no=1"]])
def test_choices_are_checked_before_anything_is_read(
    wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["cc", "missing.parquet", "-o", "out.parquet", *wrong]) == 2
    assert "missing" not in capsys.readouterr().err


def test_memory_is_watched_while_rows_are_read(monkeypatch: pytest.MonkeyPatch, complaint: Any) -> None:
    arguments = ("pairs.parquet", "--source", "left", "--target", "right", "--memory", "1TiB")
    monkeypatch.setattr("pointerjump.cli.tasks.require_more_than_the_program", lambda size: None)
    monkeypatch.setattr(memory, "resident", lambda: 2 << 40)
    said = complaint(*arguments)
    assert "rows already take 2048.0 GiB, and --memory is 1024.0 GiB: allow more" in said


# -- whole or not at all ---------------------------------------------------------------------------


def parts_of(rows: int, count: int) -> Iterator[pa.Table]:
    for k in range(count):
        ids = np.random.default_rng(k).integers(0, 1 << 40, rows)
        yield pa.table({"id": ids, "component": ids, "size": ids})


SCHEMA = next(parts_of(1, 1)).schema


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.skipif(os.name != "posix", reason="limits are POSIX's")
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_that_may_not_grow(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / "new" / f"out{suffix}"
    file.parent.mkdir()
    file.write_bytes(b"precious")
    with files_up_to(100_000), pytest.raises(FormatError, match=r"out.*: File too large"):
        write_table(file, SCHEMA, parts_of(10_000, 3))
    assert file.read_bytes() == b"precious"
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_an_interrupt_leaves(suffix: str, tmp_path: Path) -> None:
    def interrupted() -> Iterator[pa.Table]:
        yield from parts_of(1000, 2)
        raise KeyboardInterrupt

    file = tmp_path / "new" / f"out{suffix}"
    file.parent.mkdir()
    file.write_bytes(b"precious")
    with pytest.raises(KeyboardInterrupt):
        write_table(file, SCHEMA, interrupted())
    assert file.read_bytes() == b"precious"
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("count", [0, 1, 3])
def test_parts_are_written_one_after_the_other(suffix: str, count: int) -> None:
    write_table(f"out{suffix}", SCHEMA, parts_of(5, count))
    expected = pa.concat_tables([SCHEMA.empty_table(), *parts_of(5, count)])
    if suffix == ".parquet":
        assert pq.ParquetFile("out.parquet").num_row_groups == count
    found = [tuple(map(int, row)) for row in rows_of(f"out{suffix}")]
    assert found == [tuple(row.values()) for row in expected.to_pylist()]


@pytest.mark.parametrize("names", [["id"], ["id", "component", "component_0.95"]], ids=len)
def test_a_parquet_file_has_no_dictionary_of_its_first_column(names: list[str]) -> None:
    table = pa.table([pa.array(["a", "b", "c"])] * len(names), names)
    write_table("out.parquet", table.schema, [table])
    assert pq.read_table("out.parquet").equals(table)
    group = pq.ParquetFile("out.parquet").metadata.row_group(0)
    has_dictionary = [group.column(i).has_dictionary_page for i in range(len(names))]
    assert has_dictionary == [False, *[True] * (len(names) - 1)]


@pytest.mark.parametrize("type", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_ids_with_delimiters_are_quoted(suffix: str, type: pa.DataType) -> None:
    ids = pa.array(["a,b", 'c"d', "e\tf", "g\nh", "plain"], type)
    table = pa.table({"id": ids, "component": ids, "size": [1] * 5})
    write_table(f"out{suffix}", table.schema, [table])
    assert [row[0] for row in rows_of(f"out{suffix}")] == ids.to_pylist()


@pytest.mark.parametrize(
    "type",
    [pa.binary(), pa.large_binary(), pa.binary(4), pa.uuid(), pa.dictionary(pa.int32(), pa.binary())],
    ids=str,
)
def test_bytes_are_no_text(type: pa.DataType) -> None:
    schema = pa.schema([("id", type)])
    with pytest.raises(FormatError, match=r"out\.csv: is text, and column 'id' holds .*: write \.parquet"):
        write_table("out.csv", schema, [])
    assert not Path("out.csv").exists()
    write_table("out.parquet", schema, [])


def test_suffixes_in_capitals() -> None:
    require_table_file("OUT.PARQUET")
    with pytest.raises(FormatError, match=r"suffix '\.npz'"):
        require_table_file("OUT.NPZ")


# -- the check -------------------------------------------------------------------------------------


def found_in(file: str, labels: str, roles: Roles) -> TableComponents:
    return components_of_table(file, "dfs", "reference", labels, roles=roles)


PAIR_ROLES, GROUP_ROLES = Roles("left", "right"), Roles(group="bucket", member="doc")
WRONG = [  # of ids a, b, c and z, of which the first three are together
    ("representative", [0, 0, 0, 0], None, "no path joins"),
    ("representative", [0, 0, 2, 3], None, "share an edge"),
    ("representative", [0, 1, 0, 3], None, "share an edge"),
    ("representative", [1, 1, 1, 3], None, "smallest id is 'a' has label 1, and should have 0"),
    ("consecutive", [1, 1, 1, 0], None, "smallest id is 'z' has label 0, and should have 1"),
    ("consecutive", [0, 0, 0, 2], None, "smallest id is 'z' has label 2, and should have 1"),
    ("representative", [0, 0, 0], ["a", "b", "c"], "id 'z' is in the table, but in no component"),
    ("representative", [0, 0, 0, 3, 4], ["a", "b", "c", "z", "zz"], "id 'zz' is in a component twice, or"),
    ("representative", [0, 0, 0, 3, 3], ["a", "b", "c", "z", "z"], "id 'z' is in a component twice, or"),
]


@pytest.mark.parametrize(("kind", "labels", "ids", "message"), WRONG)
@pytest.mark.parametrize("grouped", [False, True])
def test_wrong_answers_are_found(
    kind: str, labels: list[int], ids: list[str] | None, message: str, grouped: bool
) -> None:
    pq.write_table(pa.table({"left": ["a", "b", "z"], "right": ["b", "c", "z"]}), "same.parquet")
    file, roles = ("groups.parquet", GROUP_ROLES) if grouped else ("same.parquet", PAIR_ROLES)
    found = found_in(file, kind, roles)
    rows = id_columns(open_table(file), roles, ())
    verify_table(rows, found.ids, found.labels, kind=kind)
    changed = pa.array(ids or list("abcz"), found.ids.type)
    with pytest.raises(VerificationError, match=re.escape(message)):
        verify_table(rows, changed, np.array(labels, np.int32), kind=kind)


def test_a_wrong_answer_is_told_by_its_ids_and_not_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def wrong(*arguments: Any, **options: Any) -> TableComponents:
        found = components_of_ids(*arguments, **options)
        found.labels[:] = 0
        return found

    monkeypatch.setattr("pointerjump.ids.components.components_of_ids", wrong)
    line = ["cc", "pairs.parquet", "--source", "left", "--target", "right", *REFERENCE]
    assert cli.run([*line, "--verify", "-o", "out.parquet"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "no path joins them (vertex 0 is 'dee', vertex 3 is 'cal')" in said.err
    assert not Path("out.parquet").exists()


# -- sizes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("at_once", [1, 4, 1 << 20])
def test_the_largest_components_of_a_table(at_once: int, cc: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(pa.table({"left": list("bdfhxx"), "right": list("acegxw")}), "some.parquet")
    monkeypatch.setattr("pointerjump.cli.sizes.AT_ONCE", at_once)
    document = cc("some.parquet", "-o", "out.parquet", "--top", "2")
    expected = [
        {"component": "a", "size": 2, "members": ["a", "b"]},
        {"component": "c", "size": 2, "members": ["c", "d"]},
    ]
    assert document["top"] == expected
    pq.write_table(pa.table({"left": list("xxhfdb"), "right": list("wxgeca")}), "some.parquet")
    assert cc("some.parquet", "-o", "out.parquet", "--top", "2")["top"] == expected, "in any order of rows"
    numbered = cc("some.parquet", "-o", "out.parquet", "--top", "9", "--labels", "consecutive")["top"]
    assert [each["component"] for each in numbered] == [0, 1, 2, 3, 4]
    assert "histogram" not in numbered


@pytest.mark.parametrize(
    ("labels", "names"), [("consecutive", [0, 3]), ("representative", [0, 6])], ids=["numbers", "vertices"]
)
def test_sizes_in_a_graph(labels: str, names: list[int], cc: Any) -> None:
    Path("graph.el").write_text("# vertices 9 edges 6\n0 1\n1 2\n2 3\n3 8\n8 4\n6 7\n")
    document = cc("graph.el", "--labels", labels, "--top", "2", "--histogram")
    assert document["top"] == [
        {"component": names[0], "size": 6, "members": [0, 1, 2, 3, 4]},
        {"component": names[1] if labels == "representative" else 2, "size": 2, "members": [6, 7]},
    ]
    assert document["histogram"] == [
        {"from": 1, "to": 1, "components": 1, "vertices": 1},
        {"from": 2, "to": 2, "components": 1, "vertices": 2},
        {"from": 6, "to": 6, "components": 1, "vertices": 6},
    ]


def test_sizes_in_a_graph_with_names(cc: Any) -> None:
    Path("people.csv").write_text("who,whom\nann,bob\ncid,dan\nbob,eve\n")
    top = cc("people.csv", "--header", "--top", "1")["top"]
    assert top == [{"component": 0, "size": 3, "members": ["ann", "bob", "eve"]}]


def test_sizes_in_a_stream(capsys: pytest.CaptureFixture[str]) -> None:
    Path("graph.el").write_text("0 1\n1 2\n")
    line = ["cc", "graph.el", "--memory", "64GiB", "--top", "5", "--device", "reference", "--json"]
    assert cli.run(line) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["streamed"] == "--memory is given"
    assert document["top"] == [{"component": 0, "size": 3, "members": [0, 1, 2]}]


@pytest.mark.parametrize("at_once", [1, 7, 1 << 20])
def test_a_few_members_are_shown(at_once: int, cc: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pointerjump.cli.sizes.AT_ONCE", at_once)
    ids = [f"{number:02}" for number in reversed(range(20))]
    pq.write_table(pa.table({"left": ids[2:], "right": ids[:-2]}), "odd_and_even.parquet")
    top = cc("odd_and_even.parquet", "-o", "out.parquet", "--top", "2")["top"]
    assert [each["members"] for each in top] == [
        ["00", "02", "04", "06", "08"],
        ["01", "03", "05", "07", "09"],
    ]
    top = cc("cliques:count=3,size=6", "--top", "2")["top"]
    assert [each["members"] for each in top] == [[0, 1, 2, 3, 4], [6, 7, 8, 9, 10]]


def test_nothing_is_counted_of_no_components(cc: Any) -> None:
    Path("empty.el").write_text("# vertices 0 edges 0\n")
    document = cc("empty.el", "--top", "3", "--histogram")
    assert document["top"] == document["histogram"] == []


@given(sizes=st.lists(st.integers(1, 40), max_size=60))
def test_a_histogram_counts_everything_once(sizes: list[int]) -> None:
    lines = histogram_of(np.array([0, *sizes]))
    assert sum(line["components"] for line in lines) == len(sizes)
    assert sum(line["vertices"] for line in lines) == sum(sizes)
    for line in lines:
        within = [size for size in sizes if line["from"] <= size <= line["to"]]
        assert (line["components"], line["vertices"]) == (len(within), sum(within))
    if len(set(sizes)) <= 16:
        assert [line["from"] for line in lines] == sorted(set(sizes))
    else:
        assert all(line["to"] == 2 * line["from"] - 1 for line in lines)


@given(sizes=st.lists(st.integers(0, 9), max_size=30), count=st.integers(1, 12))
def test_the_largest_are_found_in_parts(sizes: list[int], count: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pointerjump.cli.sizes.AT_ONCE", 4)
        found = positions_of_largest(np.array(sizes, np.int64), count).tolist()
    assert found == sorted(range(len(sizes)), key=lambda at: -sizes[at])[:count]


def test_names_that_json_cannot_hold(cc: Any) -> None:
    ids = pa.array([b"\xff\0", b"\1"])
    pq.write_table(pa.table({"left": ids, "right": ids}), "bytes.parquet")
    top = cc("bytes.parquet", "-o", "out.parquet", "--top", "1")["top"]
    assert top == [{"component": "01", "size": 1, "members": ["01"]}]


def test_control_characters_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    pq.write_table(pa.table({"left": ["a\x1b[2J"], "right": ["[red]b"]}), "odd.parquet")
    assert cli.run(["cc", "odd.parquet", "-o", "out.parquet", "--top", "1", *REFERENCE]) == 0
    text = capsys.readouterr().out
    assert "\x1b" not in text
    assert r"[red]b, a\x1b[2J" in text


def test_bars_on_an_ascii_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(terminal, "out", Console(file=file, width=100))
    assert cli.run(["cc", "cliques:count=3,size=4", "--histogram", *REFERENCE]) == 0
    file.seek(0)
    assert re.search(r"4 +. 3 +. 12 +. -{30}", file.read())


# -- progress --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        (["--source", "left", "--target", "right"], "5 of 5 rows"),
        (["--where", "score", ">", "0.9"], "2 rows"),
    ],
)
def test_rows_are_counted_while_they_are_read(
    options: list[str], shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = io.StringIO()
    for name in ("out", "err"):
        monkeypatch.setattr(terminal, name, Console(file=file, force_terminal=True, width=100))
    assert cli.run(["cc", "pairs.parquet", *options, *REFERENCE]) == 0
    plain = re.sub(r"\x1b\[[?0-9;]*[a-zA-Z]", "", file.getvalue())
    assert re.search(rf"reading rows [ ━╸╺]+ {shown}", plain)
