"""Every command on every page runs, or this file says why it cannot.

The commands of a page run from top to bottom in one folder, so that a file that one has written is there for
the next. `INPUTS` are the files that a reader would have. What takes more than a few seconds is marked
`exhaustive`.
"""

from __future__ import annotations

import configparser
import importlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from page_commands import ROOT, Command, all_commands, commands_of, texts
from test_documentation import RUN_FROM_TOP_TO_BOTTOM

import pointerjump as pj
from pointerjump import cli
from pointerjump.accel.runtime.devices import devices
from pointerjump.draw.runs import NOT_DRAWN
from pointerjump.registry import ALGORITHMS, Algorithm

needs_device = pytest.mark.skipif(not any(d.works for d in devices()), reason="no OpenCL device works")

# -- what the pages have ---------------------------------------------------------------------------

NOT_RUN = {
    "python3 -m venv": ".ci/run makes an environment by README's own line",
    "pip install": "needs a network; .ci/run installs, and a test here looks at the extras",
    "pytest -m exhaustive": "the slow tests themselves",
    "pytest benches": "measures for half an hour, and writes a baseline",
    "pytest-benchmark compare": "compares what the line before it has measured",
    "pytest -c /dev/null --pyargs networkx": "takes minutes; test_networkx.py runs that suite",
    "mkdocs": "mkdocs is not among the packages for tests; .ci/run builds the site",
    "ruff": ".ci/run runs it on a clean checkout",
    "codespell": ".ci/run runs it",
    "python docs/prose.py": ".ci/run runs it",
    ".ci/run": "it runs these tests",
    "python docs/readme.py": "rewrites README; test_documentation.py tests it",
    "python -m pointerjump.dropins.datatrove": "needs datatrove; test_dropins_datatrove.py runs it",
    "benches/device_check.sh": "needs a GPU",
}
"""Commands that are not run here, by how they begin, and the reason."""

SLOW = (
    "pointerjump measure",
    "pointerjump bench",
    "pointerjump cc urand:scale=20",
    "pointerjump cc rmat22.sym",
)
"""Commands that only `-m exhaustive` runs, by how they begin."""

SHORTER = {
    "pointerjump bench": ["--rounds", "1"],
}
"""What is added to commands, by how they begin, so that they do not measure for minutes."""


def _pairs(path: Path) -> None:
    table = {"left": ["dee", "bob", "eve"], "right": ["bob", "ann", "cal"], "score": [0.95, 0.9, 0.5]}
    pq.write_table(pa.table(table), path)


def _buckets(path: Path) -> None:
    pq.write_table(pa.table({"bucket": [1, 1, 2, 2], "id": ["a", "b", "b", "c"]}), path)


def _graph(path: Path) -> None:
    pj.write(pj.generate("urand:scale=8,degree=2,seed=1"), path)


def _mask(path: Path) -> None:
    pytest.importorskip("tifffile").imwrite(path, np.eye(20, dtype=np.uint8))


INPUTS: dict[str, Callable[[Path], None]] = {
    "pairs.parquet": _pairs,
    "buckets.parquet": _buckets,
    "graph.mtx": _graph,
    "mask.tif": _mask,
}
"""Files that readers have, by the name that pages give them: a function that writes a small one."""

PAGES = texts()
COMMANDS = all_commands()

# -- what is done with each command ----------------------------------------------------------------


def how(command: Command) -> str:
    """Return what is done with a command."""
    program, *arguments = command.words
    if any(map(command.begins_with, NOT_RUN)):
        return "not run"
    if program == "python" and arguments[0].startswith("benches/"):
        return "options parsed"
    if program == "pytest":
        return "benchmarks"
    if program == "pointerjump" and command.has_placeholder:
        return "options parsed by us"
    if program == "pointerjump" and command.in_a_sentence and len(arguments) == 1:
        return "named"
    if program == "pointerjump" or re.search(r"[|<>$]", command.text):
        in_order = Path(command.page).name in RUN_FROM_TOP_TO_BOTTOM and not command.in_a_sentence
        return "run with its page" if in_order else "run"
    return "unknown"


def those(what: str) -> list[Command]:
    """Return the commands with which this is done."""
    return [command for command in COMMANDS if how(command) == what]


def is_slow(command: Command) -> bool:
    """Return whether a command takes more than a few seconds."""
    return any(map(command.begins_with, SLOW))


def by_page(commands: list[Command]) -> dict[str, list[Command]]:
    return {page: chosen for page in PAGES if (chosen := [c for c in commands if c.page == page])}


QUICK = by_page([command for command in those("run") if not is_slow(command)])
LONG = by_page([command for command in those("run") if is_slow(command)])


def run(command: Command) -> int:
    """Run a command in the present folder, and return its exit code."""
    if re.search(r"[|<$]| > ", command.text):
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        shell = ["bash", "-euo", "pipefail", "-c", command.text]
        return subprocess.run(shell, check=False, env={**os.environ, "PATH": path}).returncode
    added = [word for start, words in SHORTER.items() if command.begins_with(start) for word in words]
    return cli.run([*command.words[1:], *added])


@needs_device
@pytest.mark.parametrize(
    ("page", "commands"),
    [
        *(pytest.param(*each, id=each[0]) for each in QUICK.items()),
        *(pytest.param(*each, id=f"{each[0]}, slow", marks=pytest.mark.exhaustive) for each in LONG.items()),
    ],
)
def test_the_commands_of_a_page_run(
    page: str,
    commands: list[Command],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for command in commands:
        if command.words[1] == "measure":
            pytest.importorskip("matplotlib")
        for name, write in INPUTS.items():
            if name in command.words and not Path(name).exists():
                write(tmp_path / name)
        code = run(command)
        said = capsys.readouterr()
        assert code == 0, f"{page}: {command.text}\n{said.err}"


@needs_device
@pytest.mark.parametrize(
    "algorithm",
    [algorithm for algorithm in ALGORITHMS.values() if algorithm.problem not in NOT_DRAWN],
    ids=lambda algorithm: algorithm.name,
)
def test_the_commands_of_an_algorithms_page_run(
    algorithm: Algorithm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    made = importlib.import_module("pages.algorithms")
    text = "\n\n".join([*made.usage(algorithm), *made.picture(algorithm)])
    commands = list(commands_of(algorithm.name, text))
    assert commands[-1].begins_with(f"pointerjump draw {algorithm.name}")
    monkeypatch.chdir(tmp_path)
    for command in commands:
        assert run(command) == 0, f"{command.text}\n{capsys.readouterr().err}"


@pytest.mark.parametrize("command", those("options parsed by us"), ids=lambda command: command.text)
def test_what_has_a_placeholder_parses(command: Command) -> None:
    name, *arguments = command.words[1:]
    if "--help" in arguments:
        assert name == "COMMAND"
        return
    with cli.cli.commands[name].make_context(name, arguments):
        pass


def test_commands_that_are_named_exist() -> None:
    for command in those("named"):
        assert command.words[1] in cli.cli.commands, f"{command.page}: {command.text}"


WRONG = {
    "no-such-option": ["benches/floors.py", "--no-such-option"],
    "rounds": ["benches/compare.py", "main", "--rounds", "x"],
    "no_such": ["benches/no_such_script.py"],
    "not looked at": ["benches/import_time.py", "--it-looks-at-no-options"],
}
"""Command lines whose options are wrong, by a word of the complaint."""


@pytest.fixture(scope="module")
def complaints() -> list[str]:
    """What is wrong with the options of the scripts on pages, and with those above, by one process."""
    lines = [*(command.words[1:] for command in those("options parsed")), *WRONG.values()]
    worker = [sys.executable, str(Path(__file__).with_name("options_worker.py"))]
    given = json.dumps([[str(ROOT / script), *options] for script, *options in lines])
    return list(
        json.loads(subprocess.run(worker, input=given, stdout=subprocess.PIPE, text=True, check=True).stdout)
    )


def test_options_of_benches_parse(complaints: list[str]) -> None:
    found = zip(those("options parsed"), complaints, strict=False)
    assert {f"{command.page}: {command.text}": said for command, said in found if said} == {}


def test_wrong_options_of_benches_are_found(complaints: list[str]) -> None:
    for word, complaint in zip(WRONG, complaints[-len(WRONG) :], strict=True):
        assert word in complaint


SELECTED = sorted({re.sub(r" --device \w+", "", c.line) for c in those("benchmarks") if " -k " in c.line})


@pytest.mark.exhaustive
@pytest.mark.parametrize("line", SELECTED)
def test_benchmarks_that_are_selected_exist(line: str) -> None:
    collect = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    # As a reader's shell would, which is no worker of pytest-xdist: benchmarks refuse to run in one.
    environment = {name: value for name, value in os.environ.items() if "XDIST" not in name}
    done = subprocess.run(
        [*collect, *shlex.split(line)[1:]],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_extras_that_are_installed_exist() -> None:
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    for command in COMMANDS:
        for names in re.findall(r"(?:\.|pointerjump)\[([a-z,]+)\]", command.text):
            for name in names.split(","):
                assert name in config["options.extras_require"], f"{command.page}: {command.text}"


def test_files_of_the_repository_that_commands_name_exist() -> None:
    for command in COMMANDS:
        for word in command.words:
            if re.fullmatch(r"(benches|tests|docs|examples)/[^*]+\.\w+", word):
                assert (ROOT / word).exists(), f"{command.page}: {command.text}"


def test_commands_are_found_and_told_apart() -> None:
    page = """
Write `pointerjump
cc x.el --json`, `pointerjump cc`, or `pointerjump cc FILE`; `list_rank` is no command.

```
a line, and then   a gap
pointerjump devices --json    pointerjump draw afforest
```

    ```sh
    $ .venv/bin/pip install x && A=1 .venv/bin/pointerjump --version   # why
    frobnicate \\
        y
    # only a comment
    ```

```python
run("`pointerjump cc no_command.el`")
```
"""
    found = [(command.text, how(command)) for command in commands_of("page.md", page)]
    assert found == [
        ("pointerjump cc x.el --json", "run"),
        ("pointerjump cc", "named"),
        ("pointerjump cc FILE", "options parsed by us"),
        ("pointerjump devices --json", "run"),
        ("pointerjump draw afforest", "run"),
        (".venv/bin/pip install x", "not run"),
        ("A=1 .venv/bin/pointerjump --version", "run"),
        ("frobnicate y", "unknown"),
    ]


# -- the lists above are complete, and nothing stays in them for no reason ---------------------------


def test_nothing_is_left_out() -> None:
    assert [f"{command.page}: {command.text}" for command in those("unknown")] == []
    assert len(those("run")) > 30
    assert len(those("options parsed")) > 25


def test_every_exception_has_a_command() -> None:
    for start in NOT_RUN:
        assert any(command.begins_with(start) for command in COMMANDS), start
    for start in (*SLOW, *SHORTER):
        assert any(command.begins_with(start) for command in those("run")), start
    words = {word for command in those("run") for word in command.words}
    assert set(INPUTS) <= words
