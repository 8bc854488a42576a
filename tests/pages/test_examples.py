"""The scripts in examples/ run, cell by cell as a reader would paste them, and become pages of the site."""

from __future__ import annotations

import re
import runpy
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

from pointerjump.accel.runtime.devices import devices

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = {path.stem: path for path in sorted((ROOT / "examples").glob("*.py"))}
NEEDED = {"duplicates": ("pandas", "polars"), "islands": ("matplotlib",), "label_volume": ("matplotlib",)}
PICTURES = {
    "islands": ["islands.png"],
    "label_volume": ["grains.png"],
    "learn_1_parents": ["by_hand.svg", "graph.svg", "jumps.svg"],
    "learn_2_rounds": ["by_hand.svg", "graph.svg", "run.html", "run.svg", "star.svg"],
    "learn_3_sampling": ["ecl_cc.svg", "graph.svg", "skipped.svg"],
    "learn_4_races": ["lost.svg", "once.svg"],
    "learn_5_lists": ["jumps.svg", "ranks.svg", "splitters.svg", "tree.svg"],
    "learn_6_bridges": ["bridge.svg"],
}
TUTORIAL = [name for name in EXAMPLES if name.startswith("learn_")]
EXTRAS = ("matplotlib", "networkx", "pandas", "polars")
sys.path.append(str(ROOT / "docs"))  # as mkdocs does for its hooks
site = runpy.run_path(str(ROOT / "docs" / "examples.py"))

pytestmark = pytest.mark.skipif(not any(d.works for d in devices()), reason="no OpenCL device works")


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs_and_becomes_a_page(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in NEEDED.get(name, ()):
        pytest.importorskip(package)
    for package in EXTRAS if name in TUTORIAL else ():
        monkeypatch.setitem(
            sys.modules, package, None
        )  # its reader has only what pip install '.[cpu]' installs
    cells = site["cells_of"](EXAMPLES[name].read_text())
    results = list(site["run"](cells))
    assert sorted(picture for result in results for picture in result.pictures) == PICTURES.get(name, [])
    last = [cell for cell in cells if not cell.is_text][-1]
    assert last.content.startswith("assert ") or "\nassert " in last.content, "it ends with what it has shown"
    page = site["page"](f"{name}.py", cells, results)
    assert page.startswith("# ")
    assert f"*This page is `examples/{name}.py`, which was run when the page was made.*\n" in page
    assert page.count("```") == 2 * sum(not cell.is_text for cell in cells) + 2 * sum(
        bool(result.printed) for result in results
    )


def test_a_page_says_if_its_script_was_not_run() -> None:
    """As it is where a library is missing, say."""
    page = site["page"]("minhash.py", site["cells_of"](EXAMPLES["minhash"].read_text()), [])
    assert "*This page is `examples/minhash.py`, which was not run when the page was made.*\n" in page
    assert "```text" not in page


def test_the_sites_extra_brings_what_its_pages_run() -> None:
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg")
    extras = setup["options.extras_require"]
    assert "pointerjump[cpu,plot,png]" in extras["docs"]
    brought = re.findall(r"^[\w-]+", extras["docs"] + extras["plot"], re.MULTILINE)
    assert {package for packages in NEEDED.values() for package in packages} <= set(brought)


def test_debians_packages_need_no_debian(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    exists = Path.exists
    monkeypatch.setattr(Path, "exists", lambda path: "dpkg" not in path.parts and exists(path))
    runpy.run_path(str(EXAMPLES["debian"]), run_name="__main__")
    assert "read from the excerpt above\n13 packages, " in capsys.readouterr().out


def test_every_example_is_in_the_sites_contents() -> None:
    contents = (ROOT / "mkdocs.yml").read_text()
    assert [name for name in EXAMPLES if f": examples/{name}.md\n" not in contents] == []


def test_drawings_and_animations_are_in_the_page_itself() -> None:
    drawing = site["shown"]("run.svg", b"<svg>\n</svg>")
    assert drawing == '<div class="run"><svg>\n</svg></div>'
    animation = site["shown"]("run.html", b'<p title="a">\n\n</p>')
    assert "\n" not in animation, "a blank line would end the HTML"
    assert ' srcdoc="&lt;p title=&quot;a&quot;&gt;&#10;&#10;&lt;/p&gt;">' in animation


def test_the_tutorial_leads_from_page_to_page() -> None:
    assert len(TUTORIAL) == 6
    for name, following in zip(TUTORIAL, TUTORIAL[1:], strict=False):
        assert "# Next: [" in (text := EXAMPLES[name].read_text())
        assert f"]({following}.md)" in text.split("# Next: ")[1]


@pytest.mark.parametrize("name", TUTORIAL)
def test_the_tutorial_asks_questions_and_folds_the_answers(name: str) -> None:
    text = "".join(cell.content for cell in site["cells_of"](EXAMPLES[name].read_text()) if cell.is_text)
    questions = [int(number) for number in re.findall(r"^\*\*Question (\d)\.\*\*", text, re.MULTILINE)]
    assert questions == list(range(1, len(questions) + 1)), "they are numbered from 1"
    assert len(questions) >= 3
    answers = re.findall(r'^\?\?\? success "Answer"\n\n    \S', text, re.MULTILINE)
    assert len(answers) >= len(questions)


def test_an_example_that_fails_is_noticed() -> None:
    cells = site["cells_of"](
        "# %% [markdown]\n# # Title\n#\n# Text\n\n# %%\nx = 1\nprint(x)\n# %%\nassert x == 2\n"
    )
    assert [cell.is_text for cell in cells] == [True, False, False]
    assert cells[0].content == "# Title\n\nText\n\n"
    results = site["run"](cells)
    assert (next(results).printed, next(results).printed) == ("", "1\n")
    with pytest.raises(AssertionError):
        next(results)
