"""Files that are written: whole or not at all, refused early, and like the files that they replace."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import pointerjump as pj
from pointerjump.cli import run
from pointerjump.errors import FormatError
from pointerjump.formats import read_labels, require_writable, write_labels
from pointerjump.formats.outputs import replacing

REFERENCE = ("--device", "reference", "--algorithm", "dfs")
SUFFIXES = (".npy", ".csv", ".csv.gz", ".csv.bz2", ".csv.xz", ".csv.zst")

posix = pytest.mark.skipif(os.name != "posix", reason="modes, owners and limits are POSIX's")
root = pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root may do this")


def mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


# -- like the file that is replaced ----------------------------------------------------------------


@posix
@pytest.mark.parametrize("bits", [0o600, 0o640, 0o644, 0o664, 0o777])
def test_the_mode_stays(bits: int, tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text("old")
    file.chmod(bits)
    write_labels(file, [0, 0])
    assert mode(file) == bits
    assert file.read_text() != "old"


@posix
def test_a_new_file_has_the_mode_that_new_files_have(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    write_labels(tmp_path / "labels.csv", [0, 0])
    assert mode(tmp_path / "labels.csv") == mode(tmp_path / "plain")


@root
def test_the_owner_stays(tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.touch()
    os.chown(file, 12345, 23456)
    write_labels(file, [0, 0])
    assert (file.stat().st_uid, file.stat().st_gid) == (12345, 23456)


@posix
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    file, link = tmp_path / "folder" / "labels.csv", tmp_path / "link.csv"
    file.write_text("old")
    file.chmod(0o600)
    link.symlink_to(Path("folder") / "labels.csv")
    write_labels(link, [0, 0])
    assert link.is_symlink()
    assert file.read_text() == "vertex,label\n0,0\n1,0\n"
    assert mode(file) == 0o600
    assert list(file.parent.iterdir()) == [file]


@posix
def test_what_is_written_through_a_link_is_read_through_it(tmp_path: Path) -> None:
    """A link's own name says the format and the compression, as it does when it is read."""
    (tmp_path / "labels.csv").symlink_to("store.gz")
    write_labels(tmp_path / "labels.csv", [0, 1])
    assert read_labels(tmp_path / "labels.csv").tolist() == [0, 1]
    (tmp_path / "labels.csv.gz").symlink_to("other")
    write_labels(tmp_path / "labels.csv.gz", [0, 1])
    assert read_labels(tmp_path / "labels.csv.gz").tolist() == [0, 1]


@posix
def test_links_that_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "a.csv").symlink_to("b.csv")
    (tmp_path / "b.csv").symlink_to("a.csv")
    with pytest.raises(FormatError, match=r"a\.csv: Too many levels of symbolic links"):
        write_labels(tmp_path / "a.csv", [0, 0])
    (tmp_path / "c.csv").symlink_to("d.csv")
    write_labels(tmp_path / "c.csv", [0, 0])
    assert (tmp_path / "d.csv").read_text() == "vertex,label\n0,0\n1,0\n"


@pytest.mark.parametrize("letter", ["a", "ä", "\U0001f600"])
def test_the_longest_names_there_are(letter: str, tmp_path: Path) -> None:
    file = tmp_path / (letter * (251 // len(letter.encode())) + ".csv")
    write_labels(file, [0, 0])
    assert [found.name for found in tmp_path.iterdir()] == [file.name]


# -- refused early, in one line --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("", "the path is empty: name a file"),
        (".", "is a folder"),
        ("folder", "is a folder"),
        ("folder/", "is the name of a folder"),
        ("new/", "is the name of a folder"),
        ("new/x{}", "no such folder"),
        ("edges.el/x{}", "Not a directory"),
        ("{}" * 100, "File name too long"),
    ],
)
@pytest.mark.parametrize(
    ("line", "suffix"),
    [
        ("cc missing.el -o", ".csv"),
        ("rank missing.npy -o", ".csv"),
        ("label missing.npy -o", ".npy"),
        ("forest missing.el -o", ".egr"),
        ("generate path:vertices=2147483000 -o", ".egr"),
        ("generate list:length=2147483000 -o", ".npy"),
        ("convert missing.el", ".egr"),
        ("draw dfs missing.el -o", ".svg"),
        ("measure worklist missing.el -o", ".csv"),
        ("measure worklist missing.el --plot", ".svg"),
        ("bench -o", ".json"),
    ],
)
def test_a_place_where_no_file_can_be(
    line: str,
    suffix: str,
    output: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Nothing is read or computed before: what is to be read is missing, or far too large."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edges.el").write_text("0 1\n")
    (tmp_path / "folder").mkdir()
    assert run([*line.split(), output.replace("{}", suffix)]) == 2
    said = capfd.readouterr().err
    assert message in said
    assert len(said.splitlines()) == 1
    assert sorted(file.name for file in tmp_path.rglob("*")) == ["edges.el", "folder"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("cc missing.el -o labels.xyz", "label files end in"),
        ("rank missing.npy -o ranks.xyz", "label files end in"),
        ("label missing.npy -o labels.csv", "images end in"),
        ("label missing.npy -o labels.jpg", "only be read"),
        ("forest missing.el -o forest.xyz", "no known format"),
        ("forest missing.el -o forest.wsg", "only be read"),
        ("convert missing.el out.xyz", "no known format"),
        ("convert missing.el out.egr --to magic", "there is no format 'magic'"),
        ("generate path:vertices=2147483000 -o out.xyz", "no known format"),
        ("generate list:length=2147483000 -o out.npy --format egr", "--format"),
        ("measure worklist missing.el -o table.xyz", ".json or .csv"),
        ("measure worklist missing.el --plot figure.xyz", ".svg, .png or .pdf"),
        ("draw dfs missing.el -o picture.pdf", ".svg"),
    ],
)
def test_a_suffix_that_means_nothing(line: str, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(line.split()) == 2
    said = capfd.readouterr().err
    assert message in said
    assert "missing" not in said
    assert len(said.splitlines()) == 1


@contextmanager
def as_another_user() -> Iterator[None]:
    os.setresgid(65534, 65534, 0)
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
        os.setresgid(0, 0, 0)


@root
def test_what_is_write_protected() -> None:
    folder = Path(tempfile.mkdtemp())  # tmp_path is root's alone
    file = folder / "labels.csv"
    try:
        write_labels(file, [0, 0])
        folder.chmod(0o755)
        with as_another_user(), pytest.raises(FormatError, match="csv: its folder is write-protected"):
            require_writable(folder / "new.csv")
        folder.chmod(0o777)
        file.chmod(0o444)
        with as_another_user(), pytest.raises(FormatError, match="csv: is write-protected"):
            require_writable(file)
        with as_another_user(), pytest.raises(FormatError, match="csv: is write-protected"):
            write_labels(file, [1, 1, 1])
        assert file.read_text() == "vertex,label\n0,0\n1,0\n"
        file.chmod(0o666)
        with as_another_user():
            write_labels(file, [1])
        assert file.read_text() == "vertex,label\n0,1\n"
    finally:
        shutil.rmtree(folder)


# -- what cannot be written ------------------------------------------------------------------------

NOT_LABELS = [
    [[1, 2], [3, 4]],
    [[1], [2, 3]],
    5,
    None,
    [0.5, 1.5],
    ["a", "b"],
    np.array([0, "a"], object),
    np.ma.masked_array([0, 1], [False, True]),
]
NOT_NAMES = [
    5,
    "ab",
    {0: "a", 1: "b"},
    {"a"},
    ["a"],
    ["a", "\ud800"],
    np.zeros((2, 2)),
    np.ma.masked_array([0, 1], [False, True]),
]


@pytest.mark.parametrize("suffix", [".npy", ".csv"])
@pytest.mark.parametrize("labels", NOT_LABELS, ids=repr)
def test_values_that_are_not_labels(labels: object, suffix: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"labels\.(npy|csv): labels") as caught:
        write_labels(tmp_path / f"labels{suffix}", labels)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", [".npy", ".csv"])
@pytest.mark.parametrize("names", NOT_NAMES, ids=ascii)
def test_values_that_are_not_names(names: object, suffix: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"names|the name '\\ud800'") as caught:
        write_labels(tmp_path / f"labels{suffix}", [0, 1], names)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "names",
    [
        [(0, 0), (0, 1)],
        [1, "one"],
        [2**70, 1],
        np.array([2**64 - 1, 2], np.uint64),
        np.array([7, 2], ">i8"),
        ["a,b", 'c"d'],
        [" a", "a"],
    ],
    ids=ascii,
)
def test_names_of_every_kind_are_found_again(names: list[object], tmp_path: Path) -> None:
    write_labels(tmp_path / "labels.csv", np.array([5, 6], ">i4"), names)
    assert read_labels(tmp_path / "labels.csv", names).tolist() == [5, 6]
    assert read_labels(tmp_path / "labels.csv", names[::-1]).tolist() == [6, 5]


def test_quoted_names_beside_lines_that_are_not_regular(tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text('vertex,label\n"a""b",1\n \t,2\nc,3\n0x1,4\n')
    assert read_labels(file, ["c", " \t", "0x1", 'a"b']).tolist() == [3, 2, 4, 1]


def test_names_that_are_the_same(tmp_path: Path) -> None:
    write_labels(tmp_path / "labels.csv", [0, 1], ["a", "b"])
    with pytest.raises(FormatError, match="if some of them are equal"):
        read_labels(tmp_path / "labels.csv", ["a", "a"])


@pytest.mark.parametrize("path", [5, None, b"labels.csv", ""])
def test_values_that_are_not_paths(path: object) -> None:
    with pytest.raises(FormatError, match="path is"):
        write_labels(path, [0, 1])  # type: ignore[arg-type]
    with pytest.raises(FormatError, match="path is"):
        pj.write(([0], [1]), path)  # type: ignore[arg-type]


def test_whatever_components_takes_is_written(tmp_path: Path) -> None:
    for graph in (([0], [1]), np.array([[0, 1]]), "path:vertices=2"):
        pj.write(graph, tmp_path / "edges.egr")
        assert pj.read(tmp_path / "edges.egr").edges == 1
    with pytest.raises(pj.GraphError, match="cannot make a graph of int"):
        pj.write(5, tmp_path / "no.egr")
    assert not (tmp_path / "no.egr").exists()


@pytest.mark.parametrize("suffix", [".egr", ".csv"])
def test_names_that_are_lost_are_told(suffix: str, tmp_path: Path) -> None:
    graph = pj.Graph.from_edges([70], [80], ids="compact")
    with pytest.warns(pj.FormatWarning, match="not by their ids: labels in .csv keep them") as caught:
        pj.write(graph, tmp_path / f"edges{suffix}")
    assert [warning.filename for warning in caught] == [__file__]
    with pytest.warns(pj.FormatWarning, match="labels.npy: its vertices are written as 0 .. n - 1"):
        write_labels(tmp_path / "labels.npy", [0, 0], graph.names)


def test_a_device_is_not_replaced() -> None:
    with pytest.raises(FormatError, match="is not a regular file"):
        require_writable(os.devnull)


# -- whole or not at all ---------------------------------------------------------------------------

LIMITED = """
import resource, sys
import numpy as np
from pointerjump.errors import FormatError
from pointerjump.formats import write_labels
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    write_labels(sys.argv[1], np.random.default_rng(1).integers(0, 1 << 30, 1_000_000))
except FormatError as error:
    print(error)
"""


@posix
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_that_may_not_grow(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"labels{suffix}"
    file.write_bytes(b"precious")
    done = subprocess.run([sys.executable, "-c", LIMITED, file], capture_output=True, text=True, check=False)
    assert done.stdout == f"{file}: {os.strerror(errno.EFBIG)}\n", done.stderr
    assert file.read_bytes() == b"precious"
    assert list(tmp_path.iterdir()) == [file]


SMALL_DISK = """
mount -t tmpfs -o size=1M none "$1" && cd "$1" && echo precious > "$2" || exit 77
"$3" -m pointerjump cc urand:scale=19,degree=1,seed=1 --device reference --algorithm dfs -o "$2"
test $? = 2 && ls -A
cat "$2"
"""


@posix
@pytest.mark.skipif(not shutil.which("unshare"), reason="there is no unshare")
@pytest.mark.parametrize("suffix", [".npy", ".csv.gz"])
def test_a_full_disk_is_called_that(suffix: str, tmp_path: Path) -> None:
    name = f"labels{suffix}"
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", SMALL_DISK, "sh", tmp_path, name, sys.executable],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip(f"no small disk can be mounted here: {done.stderr.strip()}")
    assert done.stderr == f"pointerjump: {name}: the disk is full: make room, or write elsewhere\n"
    assert done.stdout == f"{name}\nprecious\n"


@pytest.mark.parametrize(
    ("number", "reason"), [(errno.ENOSPC, "the disk is full"), (errno.EDQUOT, "your quota of the disk")]
)
def test_the_reasons_have_names(
    number: int, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(np, "save", fail)
    with pytest.raises(FormatError, match=f"labels.npy: {reason}"):
        write_labels(tmp_path / "labels.npy", [0, 0])
    assert not list(tmp_path.iterdir())


def test_what_an_interrupt_leaves(tmp_path: Path) -> None:
    file = tmp_path / "graph.egr"
    pj.write(pj.Graph([0, 0], []), file)
    before = file.read_bytes()
    with pytest.raises(KeyboardInterrupt), replacing(file) as half:  # noqa: PT012
        half.write(b"half")
        raise KeyboardInterrupt
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


def test_an_unfinished_file_says_what_it_is(tmp_path: Path) -> None:
    with replacing(tmp_path / "labels.csv"):
        (unfinished,) = tmp_path.iterdir()
        assert unfinished.name.startswith(".labels.csv.")
        assert unfinished.suffix == ".part"


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="there is no /proc")
def test_a_folder_that_takes_no_files_is_refused_before_any_work() -> None:
    for path in ("/proc/labels.csv", "/proc/self/labels.csv"):
        with pytest.raises(FormatError, match=r"labels.csv: .*: name another one"):
            require_writable(path)
