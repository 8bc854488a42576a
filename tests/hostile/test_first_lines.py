"""The first line of an edge list: header or edge, and which columns hold the ids. None is lost in silence."""

from __future__ import annotations

import gzip
import itertools
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import pointerjump as pj
from pointerjump import cli
from pointerjump.errors import FormatError, FormatWarning
from pointerjump.tables.files import hold_pairs


def save(folder: Path, content: str, name: str = "g.csv") -> Path:
    path = folder / name
    path.write_text(content)
    return path


def pairs(graph: pj.Graph) -> set[frozenset[object]]:
    names = np.arange(graph.vertices) if graph.names is None else graph.names
    return {
        frozenset({names[u], names[v]})
        for u, v in zip(graph.sources.tolist(), graph.neighbors.tolist(), strict=True)
    }


NUMBERS = [
    "0.5,1",
    "1.0,2",
    "1e3 2",
    "+1 2",
    "0x1 2",
    "1 2.5",
    "1. 2",
    ".5 2",
    "-1e-3\t7",
    "0XfF,1",
    '"1,000","2"',
]


@pytest.mark.parametrize("first", NUMBERS)
@pytest.mark.parametrize("rest", ["", "3 4\n", "3,4\n", "x y\n"])
def test_numbers_that_are_not_integers_are_never_a_header(tmp_path, first, rest):
    path = save(tmp_path, f"# c\n{first}\n{rest}")
    with pytest.raises(
        FormatError, match=r'line 2 is .* whose ids are numbers but not plain integers: .*ids="compact"'
    ):
        pj.read(path)


@pytest.mark.parametrize("first", NUMBERS)
def test_they_are_text_where_any_ids_are_renumbered(tmp_path, first):
    assert pj.read(save(tmp_path, f"{first}\n"), ids="compact").vertices == 2


def test_numbers_below_a_header_are_refused_too(tmp_path):
    with pytest.raises(FormatError, match=r"line 3 is '1\.0,2\.0', whose ids are numbers"):
        pj.read(save(tmp_path, "source,target\n\n1.0,2.0\n2,3\n"), header=True)


NEITHER = r"line 1 is .*, which is neither an edge of two integers nor a header above one: say header=True"


@pytest.mark.parametrize("first", ["1,b", "one,2", "1;,2", "0.5,x"])
def test_half_a_number_above_integers_is_an_error(tmp_path, first):
    path = save(tmp_path, f"{first}\n3,4\n")
    with pytest.raises(FormatError, match=rf"{NEITHER} \(--header\)"):
        pj.read(path)
    assert pj.read(path, header=True).names is None
    assert pj.read(path, header=False).vertices == 4


def test_half_a_number_above_text_is_an_edge_if_the_caller_says_so(tmp_path):
    path = save(tmp_path, "ann,3\nbob,4\n")
    assert pairs(pj.read(path, header=False)) == {frozenset({"ann", "3"}), frozenset({"bob", "4"})}
    with pytest.raises(FormatError, match=NEITHER):
        pj.read(path)


@pytest.mark.parametrize(
    "header",
    [
        "source,target",
        "src,dst",
        "SRC,DST",
        '"from","to"',
        "u v",
        "id_1,id_2",
        "node1\tnode2",
        "head,tail",
        "FromNodeId\tToNodeId",
        "target,source",
        " Source , Target ",
        ":START_ID,:END_ID",
    ],
)
def test_names_above_integers_are_a_header(tmp_path, header):
    delimiter = "\t" if "\t" in header else "," if "," in header else " "
    graph = pj.read(save(tmp_path, f"# c\n{header}\n3{delimiter}4\n"))
    assert pairs(graph) == {frozenset({3, 4})}
    path = save(tmp_path, f"{header}\nalice{delimiter}bob\n")
    assert pj.read(path, header=True).names.tolist() == ["alice", "bob"]
    for text in (header, path.read_text()):
        with pytest.raises(FormatError, match=NEITHER):
            pj.read(save(tmp_path, text))


def test_the_first_two_columns_hold_the_ids(tmp_path):
    path = save(tmp_path, "weight,target,source\n9,5,7\n9,7,8\n")
    with pytest.warns(FormatWarning, match=r"its columns 'weight' and 'target' as ids: say columns= \(--col"):
        assert pairs(pj.read(path)) == {frozenset({9, 5}), frozenset({9, 7})}
    assert pairs(pj.read(path, columns=("source", "target"))) == {frozenset({5, 7}), frozenset({7, 8})}
    # A sentence is not a header.
    graph = pj.read(save(tmp_path, "ann bob from here to there\nbob cid\n", "g.el"), header=False)
    assert graph.vertices == 3


@pytest.mark.parametrize(
    ("first", "columns"), [("5,7,from,to", None), ("5 7 u v", None), ("from,to,5,7", (2, 3))]
)
def test_two_integers_are_an_edge_whatever_follows(tmp_path, first, columns):
    delimiter = "," if "," in first else " "
    path = save(tmp_path, f"{first}\n1,2,8,9\n".replace(",", delimiter))
    edges = {frozenset({5, 7}), frozenset({8, 9} if columns else {1, 2})}
    assert pairs(pj.read(path, columns=columns)) == edges


def test_any_text_above_integers_is_a_header(tmp_path):
    assert pairs(pj.read(save(tmp_path, "who,whom\n3,4\n"))) == {frozenset({3, 4})}


def test_text_above_text_is_an_error(tmp_path):
    path = save(tmp_path, "# c\nwho,whom\nann,bob\n")
    why = r"g\.csv: line 2 is 'who,whom', .* header=True \(--header\) .* \(--no-header\) .* columns="
    with pytest.raises(FormatError, match=why) as caught:
        pj.read(path)
    assert "\n" not in str(caught.value)
    assert pj.read(path, header=True).names.tolist() == ["ann", "bob"]
    assert pj.read(path, header=False).names.tolist() == ["who", "whom", "ann", "bob"]


def test_a_file_that_counts_its_edges(tmp_path):
    path = save(tmp_path, "# vertices 4 edges 2\nwho,whom\nann,bob\n")
    assert pj.read(path, header=False).records == 2
    with pytest.raises(FormatError, match="states 2 edges but has 1"):
        pj.read(path, header=True)


def test_what_the_caller_says_of_the_header_holds(tmp_path):
    assert pairs(pj.read(save(tmp_path, "0,1\n5,7\n"), header=True)) == {frozenset({5, 7})}
    names = pj.read(save(tmp_path, "source,target\nann,bob\n"), header=False).names
    assert names.tolist() == ["source", "target", "ann", "bob"]
    assert pj.read(save(tmp_path, "0,1\n"), header=True).vertices == 0


@pytest.mark.parametrize("header", ["no", 1, 0, "", []])
def test_a_header_is_there_or_not(tmp_path, header):
    with pytest.raises(FormatError, match=r"header=.*: it must be True, False or None"):
        pj.read(save(tmp_path, "0,1\n"), header=header)


@pytest.mark.parametrize("columns", ["source,target", "0,1", "who,whom", "a,b"])
@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_the_index_of_pandas_is_not_an_id(tmp_path, columns, delimiter):
    path = save(tmp_path, f",{columns}\n0,5,7\n1,7,8\n2,8,9\n".replace(",", delimiter))
    assert pairs(pj.read(path)) == {frozenset({5, 7}), frozenset({7, 8}), frozenset({8, 9})}
    path = save(tmp_path, f",{columns}\n0,ann,bob\n1,bob,cid\n".replace(",", delimiter))
    assert pj.read(path).names.tolist() == ["ann", "bob", "cid"]
    assert pj.read(path, columns=(1, 2)).names.tolist() == ["ann", "bob", "cid"]


def test_an_empty_first_id_is_not_an_index(tmp_path):
    with pytest.raises(FormatError, match="line 1 is ',5,7'"):
        pj.read(save(tmp_path, ",5,7\n1,2,3\n"))
    graph = pj.read(save(tmp_path, "\tann\tbob\n\tbob\tcid\n", "g.el"), header=False, columns=(1, 2))
    assert graph.names.tolist() == ["ann", "bob", "cid"]
    for header in (None, False):
        with pytest.raises(FormatError, match="line 1 is"):
            pj.read(save(tmp_path, "\tann\tbob\n\tbob\tcid\n", "g.tsv"), header=header)


# -- usual names, by which a file is a table ------------------------------------------------------------

SURE = [
    *("source target", "src dst", "src dest", "from to", "head tail", "left right", "start end", "u v"),
    *("source destination", "origin destination", "sourceid targetid", "srcid dstid", "fromid toid"),
    *("fromnode tonode", "FromNodeId ToNodeId", "start_id end_id", "source_node target_node"),
    *("id1 id2", "node1 node2", "vertex_1 vertex_2", "nodea nodeb", "ida idb", "idl idr", "id_left id_right"),
    *("left_id right_id", "uniqueidl uniqueidr", "unique_id_l unique_id_r", "customer_l customer_r"),
    *("customer_left customer_right", "l_customer r_customer", "id_x id_y", "id_a id_b", "a_id b_id"),
    *("record_id_1 record_id_2", "rec_id_1 rec_id_2", "ltable_id rtable_id", "doc_a doc_b"),
    *("_curator_dedup_id_x _curator_dedup_id_y", ":START_ID(Person) :END_ID(Person)", "größe_l größe_r"),
    *("customer_id_1 customer_id_2", "source_customer_id target_customer_id"),
]
"""Pairs of names that are usual for the ends of pairs, in whatever way they are written."""

WAYS = [
    "{a},{b}",
    "{b},{a}",
    "score,{a},{b}",
    "{a},score,{b}",
    '"{a}","{b}",score',
    "\ufeff{a},{b}",
    "{a}\t{b}",
]


@pytest.mark.parametrize("names", SURE)
def test_usual_names_make_a_table_however_they_are_written(tmp_path, names):
    writings = (names, names.upper(), names.title())
    for number, writing in enumerate(writings, len(writings) * SURE.index(names)):
        way = WAYS[number % len(WAYS)]
        row = way.replace("score", "0.5").replace("\ufeff", "")
        (a, b), (c, d) = writing.split(), ("ann", "bob")
        text = "\n".join([way.format(a=a, b=b), row.format(a=c, b=d)])
        assert hold_pairs(save(tmp_path, text)), (way, writing)


@pytest.mark.parametrize("names", SURE)
def test_columns_of_a_table_are_chosen_where_more_than_two_hold_integers(tmp_path, names):
    a, b = names.split()
    table = pa.table({"size": [8, 9], a: [0, 1], "score": [0.5, 0.6], b: [1, 2]})
    if SURE.index(names) % 2:
        pq.write_table(table, path := tmp_path / "g.parquet")
    else:
        feather.write_feather(table, path := tmp_path / "g.arrow")
    assert hold_pairs(path)
    with pytest.raises(FormatError, match=r"has 3 columns of integers .*: name the two .* \(--columns\)"):
        pj.read(path)
    assert pairs(pj.read(path, columns=(a, b))) == {frozenset({0, 1}), frozenset({1, 2})}


def test_names_of_ids_go_before_other_pairs(tmp_path):
    splink = "match_weight,source_dataset_l,unique_id_l,source_dataset_r,unique_id_r,name_l,name_r"
    path = save(tmp_path, f"{splink}\n7.5,a,x1,b,y2,ann,anne\n")
    found = pj.components(path, device="reference")
    assert found.table()["id"].to_pylist() == ["x1", "y2"]


def test_the_only_two_columns_of_integers_are_the_ids(tmp_path):
    table = pa.table({"age_1": [5.5], "user": [0], "age_2": [7.5], "friend": [1]})
    pq.write_table(table, tmp_path / "g.parquet")
    assert pairs(pj.read(tmp_path / "g.parquet")) == {frozenset({0, 1})}


@pytest.mark.parametrize(
    "text",
    [
        "node1,node2\nnode3,node4\n",
        "doc_a,doc_b\ndoc_c,doc_a\n",
        "customer_1,customer_2\ncustomer_3,customer_4\n",
        "hand_l,hand_r\nthumb_l,thumb_r\n",
        "u v\nw x\nv w\n",
        "source,target\ntarget,sink\n",
        "L,R\nann,bob\n",
        "x,y\nann,bob\n",
        "bill,bilr\nann,bob\n",
    ],
)
def test_ids_that_look_like_usual_names_make_no_table(tmp_path, text):
    assert not hold_pairs(save(tmp_path, text))


def test_headers_in_compressed_files_and_on_the_command_line(tmp_path, capsys):
    path = tmp_path / "g.csv.gz"
    path.write_bytes(gzip.compress(b"src,dst\nalice,bob\n"))
    assert pj.read(path, header=True).names.tolist() == ["alice", "bob"]
    assert cli.run(["cc", str(path), "--header", "--device", "reference", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["vertices"] == 2
    path = save(tmp_path, "kunde,partner\nalice,bob\n")
    assert cli.run(["cc", str(path), "--device", "reference"]) == 2
    assert "say header=True (--header)" in " ".join(capsys.readouterr().err.split())
    path = save(tmp_path, "src,dst\n3,4\n0.5,7\n")  # a table, in which all ids would be text
    assert cli.run(["cc", str(path), "--header", "--device", "reference"]) == 2
    assert f"{path}: line 3 is '0.5,7': " in capsys.readouterr().err.replace("\n", "")


# -- ids that are not plain integers ---------------------------------------------------------------------

ODD = [
    "0.5",
    "1e5",
    "1.0",
    "+1",
    " 1_000",
    "0x10",
    "NaN",
    "nan",
    "inf",
    "-",
    "?",
    "1'000",
    "0b1",
    "1L",
    "\u22121",
    "\u0663",
]
INTEGERS = "3,4\n5,6\n" * 40


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_id_among_integers_is_an_error_wherever_it_is(tmp_path, monkeypatch, odd):
    monkeypatch.setattr("pointerjump.formats.sources.BLOCK", 256)
    lines = itertools.cycle([f"{odd},7", f"7,{odd}", f'"{odd}","{odd}",x', f"{odd},{odd}"])
    for before in ("", "# c\n", "source,target\n", "1,2\n", "1,2\n# c\n", INTEGERS):
        for read in (pj.read, lambda path: list(pj.read_blocks(path))):
            path = save(tmp_path, f"{before}{next(lines)}\n{INTEGERS}")
            # What stands above it is no header, then.
            line = 1 if before.startswith("source") else before.count("\n") + 1
            with pytest.raises(FormatError, match=rf"g\.csv: line {line} is "):
                read(path)
        next(lines)


# -- columns -------------------------------------------------------------------------------------------

TABLE = "day,to_whom,n,by_whom\nmon,5,1,7\ntue,8,2,5\n"


@pytest.mark.parametrize("columns", [("by_whom", "to_whom"), (3, 1), ("by_whom", 1), ["to_whom", "by_whom"]])
@pytest.mark.parametrize("delimiter", [",", "\t", " "])
def test_columns_by_name_and_number(tmp_path, columns, delimiter):
    path = save(tmp_path, TABLE.replace(",", delimiter))
    graph = pj.read(path, columns=columns)
    assert pairs(graph) == {frozenset({5, 7}), frozenset({5, 8})}
    if columns[0] != "to_whom":
        assert graph.sources.max() == 8


@pytest.mark.parametrize(
    "row",
    [
        "wed,1,3,2",
        '"we,d",1,3,2',
        ",1,,2",
        "wed , 1 , 3 , 2",
        "wed,1,3,2,more",
        '"1,2",1,"3, 4",2',
        "# 1,1,1,3\nwed,1,3,2",
    ],
)
def test_columns_of_rows_that_differ(tmp_path, row):
    text = TABLE + row + "\n"
    assert frozenset({1, 2}) in pairs(pj.read(save(tmp_path, text), columns=(1, 3)))
    named = pj.read(save(tmp_path, text.replace(",5", ",x")), columns=(1, 3), header=True)
    assert frozenset({"1", "2"}) in pairs(named)


@pytest.mark.parametrize(
    "text", ["a  1 2\nb 2  3\n", "a\t1\t2\nb\t2\t3\n", "a 1 2 x\nb 2 3\n", "# 1 1 1\na 1  2\nb\t2 3\n"]
)
def test_columns_between_blanks(tmp_path, text):
    path = save(tmp_path, text, "g.el")
    assert pairs(pj.read(path, columns=(1, 2))) == {frozenset({1, 2}), frozenset({2, 3})}


def test_empty_fields_between_tabs_count(tmp_path):
    path = save(tmp_path, "a\t\t5\t7\nb\t1\t7\t8\n", "g.tsv")
    assert pairs(pj.read(path, columns=(2, 3))) == {frozenset({5, 7}), frozenset({7, 8})}
    with pytest.raises(FormatError, match="line 2 is"):
        pj.read(save(tmp_path, "a\t1\t5\n\t\t7\t8\n", "g.tsv"), columns=(1, 2))


@pytest.mark.parametrize(
    ("columns", "header", "why"),
    [
        (
            ("whom", "by_whom"),
            None,
            "no column called 'whom': its first line has 'day', 'to_whom', 'n', 'by_whom'",
        ),
        ((1, 4), None, "no column 4: its first line has 4, numbered from 0"),
        (("to_whom", "by_whom"), False, "no header with names of columns"),
        (("whom", "by_whom"), False, "no header with names of columns"),
        ((1, 1), None, "names one column twice"),
        ((1, -1), None, "give two different ones"),
        ((True, 3), None, "give two different ones"),
        ("ab", None, "give two different ones"),
        ((1, 2, 3), None, "give two different ones"),
    ],
)
def test_columns_that_are_not_there(tmp_path, columns, header, why):
    with pytest.raises(FormatError, match=why):
        pj.read(save(tmp_path, TABLE), columns=columns, header=header)


def test_two_columns_of_one_name(tmp_path):
    with pytest.raises(FormatError, match="2 columns called 'a'"):
        pj.read(save(tmp_path, "a,a,b\n1,2,3\n"), columns=("a", "b"))


def test_columns_of_arrays(tmp_path):
    np.save(tmp_path / "g.npy", np.array([[9, 0, 1], [9, 1, 2]]))
    assert pairs(pj.read(tmp_path / "g.npy", columns=(1, 2))) == {frozenset({0, 1}), frozenset({1, 2})}
    for columns, why in (
        ((1, 3), "no column 3: it has 3, numbered from 0"),
        (("a", 1), "no column called 'a'"),
    ):
        with pytest.raises(FormatError, match=why):
            pj.read(tmp_path / "g.npy", columns=columns)
    with pytest.raises(FormatError, match="has no header line"):
        pj.read(tmp_path / "g.npy", header=False)


def test_formats_without_columns_say_so(tmp_path):
    pj.write(pj.Graph.from_edges([0], [1]), tmp_path / "g.mtx")
    with pytest.raises(FormatError, match="is Matrix Market, which has no header line"):
        pj.read(tmp_path / "g.mtx", header=True)
    with pytest.raises(FormatError, match="is Matrix Market, which has no columns to choose from"):
        pj.read(tmp_path / "g.mtx", columns=(0, 1))


# -- numbers that look like two --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("g.csv", '3,4\n"1,000","2,000"\n'),
        ("g.csv", '3,4\n5,"1,000"\n'),
        ("g.csv", '"3","4"\n"1,000","2"\n'),
        ("g.tsv", "5\t6\n5\t1,000\n"),
        ("g.tsv", "5\t6\n1,000\t2,000\n"),
        ("g.el", "5 6\n5 1,000\n"),
    ],
)
def test_thousands_are_not_cut_in_two(tmp_path, name, text):
    with pytest.raises(FormatError, match="line 2 is"):
        pj.read(save(tmp_path, text, name))


@pytest.mark.parametrize(
    "text", ['3,4,z\n0,1,"x\n5,6,y"\n2,3\n', '3,4,z\n0,1,"x\n', 'a,b,z\na,c,"x\nd,e,y"\nb\n']
)
def test_a_quote_over_several_lines_makes_no_edge_of_its_second(tmp_path, text):
    with pytest.raises(FormatError, match=r"line 2 is '[0a],[1c],\"x'"):
        pj.read(save(tmp_path, text), header=False)


@pytest.mark.parametrize("rest", ["x" * 200_000, '"' + "x" * 200_000 + '"', "x," * 100_000])
@pytest.mark.parametrize("first", ["3,4", "source,target", "ann,bob"])
def test_long_first_lines(tmp_path, first, rest):
    path = save(tmp_path, f"{first},{rest}\n5,6,{rest}\n")
    assert pj.read(path, header=first == "source,target").records == 2 - (first == "source,target")


# -- separators ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("g.csv", "1;2"),
        ("g.csv", "from;to"),
        ("g.csv", "ann smith;bob jones"),
        ("g.csv", "1;2;0,5"),
        ("g.csv", "ann;bob;0,5;x"),
        ("g.csv", '"a,b";"c"'),
        ("g.el", "1;2"),
        ("g.el", "1; 2"),
        ("g.el", "1 ;2"),
        ("g.el", "a ; b"),
    ],
)
@pytest.mark.parametrize("header", [None, True, False])
def test_semicolons_are_told(tmp_path, name, first, header):
    why = "line 1 is .*: separators are comma, tab and blank, but this file seems to use ';': replace it"
    with pytest.raises(FormatError, match=why):
        pj.read(save(tmp_path, f"{first}\n", name), header=header)


@pytest.mark.parametrize(
    ("name", "line", "names"),
    [
        ("g.csv", "a;b,c;d", ["a;b", "c;d"]),
        ("g.csv", '"a;b;c",d', ["a;b;c", "d"]),
        ("g.el", "a;b c;d", ["a;b", "c;d"]),
        ("g.tsv", "a; b\tc", ["a; b", "c"]),
    ],
)
def test_ids_may_hold_semicolons(tmp_path, name, line, names):
    assert pj.read(save(tmp_path, f"{line}\n", name), header=False).names.tolist() == names


# -- ids do not depend on the lines around them ----------------------------------------------------------


@pytest.mark.parametrize("remark", ["", "# c\n", "a\tb\n"])
@pytest.mark.parametrize(
    ("line", "ids"),
    [("a\tb c", ["a", "b"]), ("a\t b", ["a", "b"]), ("a  b", ["a", "b"]), ("a\x0bb c", ["a\x0bb", "c"])],
)
def test_blanks_and_tabs_separate_alike(tmp_path, line, ids, remark):
    graph = pj.read(save(tmp_path, f"x y\n{line}\n{remark}", "g.el"), header=False)
    assert graph.names.tolist() == list(
        dict.fromkeys(["x", "y", *ids, *(["a", "b"] if "a" in remark else [])])
    )


@pytest.mark.parametrize("delimiter", [",", "\t"])
@pytest.mark.parametrize("remark", ["", "# c\n", "f,g,more\n"])
@pytest.mark.parametrize(
    ("line", "ids"),
    [
        ('"a,\tb",c', ["a,\tb", "c"]),
        ('c,"d ""e"""', ["c", 'd "e"']),
        ('"#d","e" ', ["#d", "e"]),
        ('x, "d"', ["x", "d"]),
        (' "x" , "d"', ["x", "d"]),
        ('5" disk,a""b', ['5" disk', 'a""b']),
        ('"""",d', ['"', "d"]),
    ],
)
def test_quotes_mean_the_same_everywhere(tmp_path, line, ids, remark, delimiter):
    swap = str.maketrans(",\t", f"{delimiter}{',' if delimiter != ',' else chr(9)}")
    text = f"y,z\n{line}\n{remark}".translate(swap)
    names = ["y", "z", *(name.translate(swap) for name in ids), *(["f", "g"] if "f" in remark else [])]
    assert pj.read(save(tmp_path, text), header=False).names.tolist() == names


@pytest.mark.parametrize("line", ['"",b', '" ",b', 'b,""', 'b,"x"y'])
@pytest.mark.parametrize("remark", ["", "# c\n"])
def test_empty_and_broken_quotes_are_refused(tmp_path, line, remark):
    with pytest.raises(FormatError, match=r"line [23] is"):
        pj.read(save(tmp_path, f"y,z\n{remark}{line}\n"), header=False)


# -- hashes of 64 bits -----------------------------------------------------------------------------------

HASHES = [(0, 2**63), (2**64 - 1, 5), (2**63 - 1, 2**63 + 1)]


@pytest.mark.parametrize("shape", ["{} {}\n", "{} {} x\n", "{}  {}\n# c\n", '"{}",{},\n{}, {}\n'])
@pytest.mark.parametrize("small", [0, 1000])
def test_unsigned_hashes_are_exact(tmp_path, monkeypatch, shape, small):
    monkeypatch.setattr("pointerjump.formats.sources.BLOCK", 256)  # int32 and int64 in blocks of their own
    rows = [(i, i + 1) for i in range(small)] + HASHES + [(i, 2**40) for i in range(small)]
    path = save(tmp_path, "".join(shape.format(*row, *row) for row in rows))
    for ids in ("compact", "auto"):
        graph = pj.read(path, ids=ids)
        assert graph.names.tolist() == sorted({end for row in rows for end in row})
        assert pairs(graph) == {frozenset(row) for row in rows}


def test_integers_that_no_type_holds(tmp_path, monkeypatch):
    monkeypatch.setattr("pointerjump.formats.sources.BLOCK", 64)
    lines = "0 1\n" * 100
    with pytest.raises(FormatError, match=r"line 201 is '1 18446744073709551616': .* 64-bit integer ids"):
        pj.read(save(tmp_path, f"{lines}{lines}1 {2**64}\n"), ids="compact")
    for rows in (f"{lines}-1 2\n{lines}{2**63} 2\n", f"{lines}-1 2\n{lines}2 {2**63}\n"):
        with pytest.raises(FormatError, match=r"negative ids and ids of 2\*\*63 or more"):
            pj.read(save(tmp_path, rows), ids="compact")
