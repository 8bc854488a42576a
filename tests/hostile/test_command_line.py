"""The command line, given nonsense, interrupted, and with nowhere to write: one line and an exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from pointerjump.cli import cli, run

NONSENSE = (
    "",
    " ",
    "-1",
    "1e99",
    "9" * 5000,
    "ä∞\U0001f600",
    "\x1b[31m\x07\x01",
    "\udcff\udcfe",
    "[/b]",
    "a=b=c",
    ",",
    "../..",
)
REFERENCE = ("--device", "reference", "--algorithm", "dfs")

HERE = [sys.executable, "-m", "pointerjump"]
posix = pytest.mark.skipif(os.name != "posix", reason="signals and /dev/full are POSIX's")
has_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")


def command(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*HERE, *map(str, arguments)], text=True, check=False, **options)  # type: ignore[call-overload, no-any-return]


def python(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process in which `code` has run before, as ``python -m`` runs a module.

    Unlike ``python -c``, that looks for an interrupt once more when all is over.
    """
    Path("start.py").write_text(f"{code}\nfrom pointerjump.__main__ import main\nmain()")
    return subprocess.run(
        [sys.executable, "-m", "start", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def is_one_line(text: str) -> bool:
    return len(text.splitlines()) == 1 and text.startswith("pointerjump: ") and "a bug in" not in text


@pytest.fixture
def edges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a small graph file, in the folder that commands run in; a small image lies there too."""
    folder = tmp_path / "in" / "here"  # whose grandparent has no other test's files
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    file = folder / "edges.el"
    file.write_text("0 1\n1 2\n")
    np.save(folder / "image.npy", [[1, 0, 1]])
    return file


# -- nonsense --------------------------------------------------------------------------------------

SMALL = "path:vertices=4"
OPTIONS_OF = {
    "cc": (
        [SMALL],
        "--algorithm --variant --device --labels --output --ids --vertices --columns --format --memory "
        "--checkpoint --checkpoint-every --devices --source --target --group --member --where --nodes --top "
        "--explain --weak",
    ),
    "rank": (["list:length=4"], "--algorithm --variant --device --output"),
    "label": (
        ["image.npy"],
        "--connectivity --delta --background --threshold --wrap-axes --channel --algorithm --variant "
        "--device --output --chunk --memory --checkpoint --min-size --largest --regions",
    ),
    "tree": ([SMALL], "--root --algorithm --variant --device --output --ids --vertices --columns --format"),
    "forest": ([SMALL], "--variant --device --output --ids --vertices --columns --format"),
    "mst": (
        ["edges.el"],
        "--weight --source --target --where --algorithm --variant --device --output --memory --ids "
        "--vertices --columns --format --checkpoint --checkpoint-every --devices",
    ),
    "clusters": (
        ["edges.el"],
        "--at --min-size --method --weight --source --target --where --algorithm --variant --device "
        "--output --memory --ids --vertices --columns --format --checkpoint --checkpoint-every --devices",
    ),
    **{
        name: (
            ["edges.el"],
            "--source --target --where --algorithm --variant --device --output --ids --vertices --columns "
            f"--format {more}",
        )
        for name, more in (("bridges", "--memory --checkpoint --checkpoint-every --devices"), ("blocks", ""))
    },
    "generate": ([SMALL], "--output --format"),
    "convert": ([SMALL, "out.egr"], "--output --ids --vertices --columns --from --to"),
    "update": (
        ["edges.el", "edges.el"],
        "--output --id --cluster --source --target --keep --device",
    ),
    "verify": ([SMALL, "labels.npy"], "--ids --vertices --columns --format"),
    "bench": ([], "--device --set --algorithm --rounds"),
    "measure": (["worklist", SMALL], "--output --plot"),
    "draw": (["afforest"], "--variant --output --layout --every --most --ids --vertices --columns --format"),
}
MEANS_SOMETHING = {
    ("--variant", ""),
    ("--variant", " "),
    ("--variant", ","),
    *((option, number) for option in ("--background", "--threshold") for number in ("-1", "1e99")),
    ("--delta", "1e99"),
    ("--wrap-axes", "-1"),
}


def test_every_option_with_a_value_is_tried() -> None:
    options = {**OPTIONS_OF, "bench": ([], OPTIONS_OF["bench"][1] + " --output")}  # any name will do
    for name, known in cli.commands.items():
        valued = {p.opts[-1] for p in known.params if p.param_type_name == "option" and not p.is_flag}  # type: ignore[attr-defined]
        assert valued == set(options.get(name, ([], ""))[1].split()), name


@pytest.mark.parametrize("name", OPTIONS_OF)
def test_nonsense_in_an_option(name: str, edges: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """All options and values in one test: to collect and report thousands would take longer."""
    files = {"generate": "out.egr", "draw": "out.svg", "update": "out.csv"}
    given = ["-o", files[name]] if name in files else []
    for option, value in product(OPTIONS_OF[name][1].split(), NONSENSE):
        if (option, value) in MEANS_SOMETHING:
            continue
        code = run([name, *OPTIONS_OF[name][0], *given, option, value])
        said = capfd.readouterr()
        assert code == 2, (option, value)
        assert is_one_line(said.err), (option, value)
        assert not said.out, (option, value)
        assert said.err.rstrip("\n").isprintable(), (option, value)
        assert sorted(file.name for file in Path().iterdir()) == ["edges.el", "image.npy"], (option, value)


@pytest.mark.parametrize("value", NONSENSE, ids=lambda value: ascii(value)[:20])
@pytest.mark.parametrize(
    "arguments", [["cc"], ["rank"], ["label"], ["forest"], ["convert", "IN", "out.egr"],
                  ["verify", "IN", "labels.npy"], ["verify", "edges.el"], ["generate", "IN", "-o", "out.egr"],
                  ["convert", "edges.el"],
                  ["measure"], ["measure", "worklist"], ["draw", "IN", "-o", "out.svg"],
                  ["draw", "afforest", "IN", "-o", "out.svg"], ["bench"]], ids=" ".join
)  # fmt: skip
def test_nonsense_as_an_argument(
    arguments: list[str], value: str, edges: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    given = [value if word == "IN" else word for word in arguments]
    assert run(given if "IN" in arguments else [*given, value]) == 2
    assert is_one_line(capfd.readouterr().err)
    assert sorted(file.name for file in Path().iterdir()) == ["edges.el", "image.npy"]


@pytest.mark.parametrize("filters", ["error", "error::UserWarning", "ignore"])
def test_our_warnings_are_shown_whatever_the_filters(filters: str, edges: Path) -> None:
    edges.with_suffix(".csv").write_text("who,whom,since\n4,2,2019\n")
    done = command(
        "cc",
        edges.with_suffix(".csv"),
        *REFERENCE,
        env={**os.environ, "PYTHONWARNINGS": filters},
        capture_output=True,
    )
    assert done.returncode == 0
    assert is_one_line(done.stderr)
    assert "warning: " in done.stderr


def test_a_bug_of_ours_is_not_a_failed_check(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("pointerjump.registry.algorithms", lambda: 1 / 0)
    assert run(["algorithms"]) == 2
    said = capfd.readouterr().err
    assert "this is a bug in pointerjump, please report it: " in said
    assert "ZeroDivisionError" in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("[b]bold[/b].el", "[b]bold[/b].el"),
        ("[/b].el", "[/b].el"),
        (":smile:.el", ":smile:.el"),
        ("\x1b[31mred.el", r"\x1b[31mred.el"),
        ("two\nlines.el", r"two\nlines.el"),
        ("ä\udcff.el", r"ä\udcff.el"),
    ],
    ids=ascii,
)
@pytest.mark.usefixtures("edges")
def test_names_are_shown_as_they_are(name: str, title: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text("0 1\n")
    assert run(["cc", name, *REFERENCE, "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["input"] == name
    assert run(["cc", name, *REFERENCE]) == 0
    assert capfd.readouterr().out.split("\n")[0].strip() == title


# -- standard input and output ---------------------------------------------------------------------


@posix
def test_standard_input(edges: Path) -> None:
    done = command("cc", "-", *REFERENCE, "--json", input=edges.read_text(), stdout=subprocess.PIPE)
    assert json.loads(done.stdout)["components"] == 1
    done = command(
        "rank",
        "-",
        "--algorithm",
        "sequential",
        "--device",
        "reference",
        "--json",
        input="1\n1\n",
        stdout=subprocess.PIPE,
    )
    assert json.loads(done.stdout)["longest"] == 2
    done = command("cc", "-", input="0 1\nbad\n", stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert is_one_line(done.stderr)
    assert done.stderr.startswith("pointerjump: standard input: line 2 is 'bad'")


@has_full
@pytest.mark.parametrize(
    "line", ["algorithms", "algorithms --json", "--help", "cc --help", "--version", "measure"]
)
def test_a_full_disk_behind_standard_output(line: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = command(*line.split(), stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr == "pointerjump: cannot write to standard output: No space left on device\n"


@has_full
def test_nowhere_to_say_what_is_wrong() -> None:
    with Path("/dev/full").open("w") as full:
        assert command("cc", "missing.el", stderr=full).returncode == 2
        assert command("algorithms", stdout=subprocess.DEVNULL, stderr=full).returncode == 0


@posix
@pytest.mark.parametrize("line", ["algorithms", "algorithms --json", "--help"])
def test_a_reader_that_leaves_is_not_an_error(line: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = command(*line.split(), stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


@posix
def test_a_stream_that_is_not_ready_is_waited_for() -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with subprocess.Popen([*HERE, "algorithms", "--json"], stdout=writing, stderr=subprocess.PIPE) as process:
        os.close(writing)
        os.set_blocking(reading, True)
        with os.fdopen(reading, "rb") as file:
            written = file.read()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 0
    assert len(json.loads(written)) > 10


@posix
def test_closed_standard_streams(edges: Path, tmp_path: Path) -> None:
    shell = f'"{sys.executable}" -m pointerjump'
    done = subprocess.run(
        ["sh", "-c", f"{shell} algorithms >&-"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert is_one_line(done.stderr)
    labels = tmp_path / "labels.csv"
    line = f"{shell} cc '{edges}' {' '.join(REFERENCE)} -o '{labels}' <&- >&- 2>&-"
    assert subprocess.run(["sh", "-c", line], check=False).returncode == 2, "nobody gets the table"
    assert labels.read_text() == "vertex,label\n0,0\n1,0\n2,0\n"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_output_that_the_encoding_lacks_is_escaped(encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "ä∞.el"
    file.write_text("0 1\n")
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run([*HERE, "cc", file, *REFERENCE], capture_output=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "ä∞".encode(encoding, "backslashreplace") in done.stdout
    done = subprocess.run(
        [*HERE, "cc", file.with_suffix(".x")], capture_output=True, check=False, env=environment
    )
    assert done.returncode == 2
    assert "ä∞".encode(encoding, "backslashreplace") in done.stderr
    if encoding == "latin-1":  # which draws as ascii does
        return
    done = subprocess.run([*HERE, "algorithms"], capture_output=True, check=False, env=environment)
    assert done.returncode == 0
    assert (b"+--" in done.stdout) == (encoding != "utf-8"), "lines are drawn with what the encoding has"


# -- interrupted -----------------------------------------------------------------------------------

AT_IMPORT = """
import signal, sys
class At:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            signal.raise_signal(signal.{signal})
sys.meta_path.insert(0, At())
"""
IN_CODE_OF_AN_IMPORT = """
import signal, sys
class At:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            exec("signal.raise_signal(signal.{signal})")
sys.meta_path.insert(0, At())
"""
WHILE_SAVING = """
import numpy, signal
def save(file, array, **options):
    file.write(b"half a file")
    signal.raise_signal(signal.{signal})
    file.write(b"the rest")
numpy.save = save
"""
IN_A_DESTRUCTOR = """
import numpy, signal, time
class Ending:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
def save(file, array, **options):
    Ending()
    time.sleep(30)
numpy.save = save
"""


@posix
@pytest.mark.parametrize(
    ("module", "kind"),
    [
        *product(("pointerjump.cli", "click", "numpy", "rich.table", "pyarrow", "scipy.sparse"), ["SIGINT"]),
        *product(("pointerjump.cli", "numpy"), ["SIGTERM"]),
        *product(("click", "scipy.sparse"), ["SIGHUP"]),
    ],
)
def test_interrupted_while_importing(module: str, kind: str, edges: Path) -> None:
    done = python(AT_IMPORT.format(name=module, signal=kind), "cc", edges, *REFERENCE)
    assert done.returncode == 128 + getattr(signal, kind)
    assert done.stderr.strip() == ""
    assert done.stdout == ""


@posix
@pytest.mark.parametrize(
    ("module", "kind"),
    [
        *product(("pointerjump.cli", "click", "scipy.sparse"), ["SIGINT"]),
        ("click", "SIGTERM"),
        ("pointerjump.cli", "SIGHUP"),
    ],
)
def test_interrupted_in_code_that_an_import_makes(module: str, kind: str, edges: Path) -> None:
    """As dataclasses and named tuples make it: Python ends with SIGINT after that, unless told otherwise."""
    done = python(IN_CODE_OF_AN_IMPORT.format(name=module, signal=kind), "cc", edges, *REFERENCE)
    assert done.returncode == 128 + getattr(signal, kind)
    assert done.stderr.strip() == ""


@posix
@pytest.mark.parametrize("kind", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_interrupted_while_writing(kind: str, edges: Path, tmp_path: Path) -> None:
    output = tmp_path / "labels.npy"
    output.write_bytes(b"precious")
    done = python(WHILE_SAVING.format(signal=kind), "cc", edges, *REFERENCE, "-o", output)
    assert done.returncode == 128 + getattr(signal, kind)
    assert done.stderr.strip() == ""
    assert output.read_bytes() == b"precious"
    assert not list(tmp_path.glob("*.part"))


@posix
def test_an_interrupt_lost_in_a_destructor_is_sent_again(edges: Path, tmp_path: Path) -> None:
    done = python(IN_A_DESTRUCTOR, "cc", edges, *REFERENCE, "-o", tmp_path / "labels.npy")
    assert done.returncode == 130
    assert done.stderr.strip() == ""


@posix
def test_interrupted_while_reading() -> None:
    start = [*HERE, "cc", "-", *REFERENCE]
    with subprocess.Popen(
        start, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"0 1\n" * 250_000)  # more than a pipe holds: from here on it is being read
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
        process.stdin.close()
    assert process.returncode == 130
    assert said.strip() == b""


@posix
def test_what_the_caller_ignores_is_ignored(edges: Path, tmp_path: Path) -> None:
    nohup = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)"
    done = python(
        nohup + WHILE_SAVING.format(signal="SIGHUP"), "cc", edges, *REFERENCE, "-o", tmp_path / "x.npy"
    )
    assert done.returncode == 0
