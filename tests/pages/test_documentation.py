"""The examples in docstrings and README run, and README's table is the registry's."""

from __future__ import annotations

import configparser
import doctest
import inspect
import pkgutil
import re
import runpy
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import pointerjump
from pointerjump import cli
from pointerjump.accel.runtime.devices import devices
from pointerjump.registry import ALGORITHMS

ROOT = Path(__file__).resolve().parents[2]


def _modules() -> list[str]:
    """Every module of every package that setup.cfg lists: walking misses mapped folders if editable."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    packages = config["options"]["packages"].split()
    return sorted(
        f"{package}.{module.name}"
        for package in packages
        for module in pkgutil.iter_modules(import_module(package).__path__)
    )


MODULES = _modules()
NEEDED = {
    "pointerjump.dask.images": "dask.array",
    "pointerjump.dask.parts": "dask.dataframe",
    "pointerjump.dask.stars": "dask.dataframe",
    "pointerjump.dask.tables": "dask.dataframe",
    "pointerjump.dask.workers": "dask",
    "pointerjump.dropins.datatrove_stage": "datatrove",
    "pointerjump.dropins.polars_grouper": "polars",
}
"""Modules that import what not everybody has."""


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # examples may write files
    if name in NEEDED:
        pytest.importorskip(NEEDED[name])
    module = import_module(name)
    tests = [t for t in doctest.DocTestFinder().find(module) if t.examples]
    on_device = name.startswith(
        ("pointerjump.accel", "pointerjump.dask", "pointerjump.dropins", "pointerjump.face")
    )
    if tests and on_device and not any(d.works for d in devices()):
        pytest.skip("no OpenCL device works")
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for test in tests:
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def test_public_functions_have_examples() -> None:
    for name in pointerjump.__all__:
        thing = getattr(pointerjump, name)
        if callable(thing) and not (isinstance(thing, type) and issubclass(thing, Exception)):
            assert ">>>" in (thing.__doc__ or ""), f"{name} has no example"
            assert thing.__module__ in MODULES, f"the example of {name} is not run"


PAGES = sorted((ROOT / "docs").rglob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_a_page_says_who_it_is_for_and_what_comes_next_and_has_no_empty_cell(page: Path) -> None:
    _, first, *_, last = page.read_text().split("\n\n")
    assert first.startswith("This page is for those ")
    assert last.startswith("Next: ")
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    assert not re.findall(r"^\|.*\| *\|.*$", text, re.MULTILINE)
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        rows = re.sub(r"`[^`]*`", "", table).strip().split("\n")
        assert len({row.count("|") for row in rows}) == 1, table


def test_everything_public_has_a_docstring() -> None:
    for name in pointerjump.__all__:
        thing = getattr(pointerjump, name)
        members = vars(thing) if isinstance(thing, type) else {}
        for member, value in {name: thing, **members}.items():
            public = not member.startswith("_") and (callable(value) or isinstance(value, property))
            assert not public or inspect.getdoc(value), f"{name}.{member} has no docstring"


def test_quick_start_is_two_blocks_of_one_line() -> None:
    readme = (ROOT / "README.md").read_text()
    section = readme.split("## Quick start")[1].split("\n## ")[0]
    blocks = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    assert len(blocks) == 2
    assert all(len(block.strip().splitlines()) == 1 for block in blocks)


@pytest.mark.skipif(not any(d.works for d in devices()), reason="no OpenCL device works")
def test_readmes_python_runs_as_it_stands() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["c"].labels.tolist() == [0, 0, 0, 1, 2, 2]
    assert names["clusters"].to_pylist()[1] == {"id": "bob", "component": "ann", "size": 3}
    assert names["pieces"].tolist() == [[1, 1, 0, 2], [0, 1, 0, 2]]


@pytest.mark.skipif(not any(d.works for d in devices()), reason="no OpenCL device works")
def test_the_tour_runs_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "tour.md").read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["c"].names.tolist() == [12, 2**40, 2**63 + 7]
    assert (names["n"], names["ranks"].tolist()) == (3, [2, 0, 1, 0])
    assert names["s"].subset(3).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("script", "file"),
    [("picture_of_speed", "speed"), ("picture_of_a_run", "run"), ("picture_of_the_idea", "idea")],
)
def test_pictures_are_what_their_scripts_draw(
    script: str, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    drawn = runpy.run_path(str(ROOT / "docs" / f"{script}.py"))["picture"]()
    assert drawn == (ROOT / "docs" / f"{file}.svg").read_text()


RUN_FROM_TOP_TO_BOTTOM = {
    "biconnectivity.md": ("pandas",),
    "clusters.md": ("dask.dataframe",),
    "endless.md": (),
    "images.md": ("imageio",),
    "own_kernel.md": (),
    "spanning_forests.md": ("pandas", "dask", "matplotlib"),
    "tables.md": ("pandas", "polars", "duckdb"),
    "trees.md": (),
}
"""Pages whose blocks are run in their order, and what they need."""


def _run(line: str) -> int:
    """Run a line for a shell. A process of its own takes a second, so only what needs one gets one."""
    program, *arguments = shlex.split(line)
    if program == "pointerjump" and "--memory" not in arguments:  # which this process may exceed already
        return cli.run(arguments)
    command = re.sub("^pointerjump", f"{shlex.quote(sys.executable)} -m pointerjump", line)
    return subprocess.run(command, shell=True, check=False).returncode


@pytest.mark.skipif(not any(d.works for d in devices()), reason="no OpenCL device works")
@pytest.mark.filterwarnings("ignore:Non-empty compiler output")  # of kernels on pages
@pytest.mark.parametrize(("name", "needed"), RUN_FROM_TOP_TO_BOTTOM.items())
def test_a_page_runs_from_top_to_bottom(
    name: str,
    needed: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for package in needed:
        pytest.importorskip(package)
    page = (ROOT / "docs" / name).read_text()
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = re.findall(r"```(pycon|sh)\n(.*?)```", page, re.DOTALL)
    not_here = page.count("```text") + page.count(" }\n--8<--")  # pictures, and files with tests
    assert len(blocks) == page.count("```") // 2 - not_here, "every block of code is run"
    assert {language for language, _ in blocks} <= {"pycon", "sh"}
    runner = doctest.DocTestRunner()
    for language, code in blocks:
        if language == "sh":
            for line in code.strip().splitlines():
                assert _run(line) == 0, line
            continue
        example = doctest.DocTestParser().get_doctest(code, names, name, None, 0)
        assert runner.run(example, clear_globs=False).failed == 0, capsys.readouterr().out
        names.update(example.globs)


def test_readmes_table_is_the_registrys() -> None:
    expected = runpy.run_path(str(ROOT / "docs" / "readme.py"))["table"]()
    assert re.findall(r"\[`([a-z0-9-]+)`\]\(reference/", expected) == list(ALGORITHMS)
    assert expected in (ROOT / "README.md").read_text(), (
        f"README's table is not the registry's: `python docs/readme.py` writes this into it:\n{expected}"
    )


def test_readmes_table_is_written_in_its_place() -> None:
    readme = (ROOT / "README.md").read_text()
    written = runpy.run_path(str(ROOT / "docs" / "readme.py"))["written"]
    assert written(readme) == readme
    changed = readme.replace("[`dfs`]", "[`d`]")
    assert changed != readme
    assert written(changed) == readme
