"""The pages that are made from the code: nothing public is missing, and every link leads somewhere."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import pointerjump as pj
from pointerjump.generators import GENERATORS, PRESETS, Generator, Preset, generate_graph

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def python(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(DOCS)
    return importlib.import_module("pages.python")


@pytest.fixture
def docstrings(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(DOCS)
    return importlib.import_module("pages.docstrings")


@pytest.fixture
def generators(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(DOCS)
    return importlib.import_module("pages.generators")


# -- Python ----------------------------------------------------------------------------------------


def test_every_public_name_is_in_one_group(python: ModuleType) -> None:
    names = [name for group in python.GROUPS for name in group.names]
    assert sorted([*names, *python.ERRORS, "__version__"]) == sorted(pj.__all__)


def test_members_that_are_left_out_exist(python: ModuleType) -> None:
    for name, members in python.FOR_OTHER_MODULES.items():
        assert set(members) <= set(vars(getattr(pj, name)))


def test_the_python_page_has_no_roles_and_no_dead_links(python: ModuleType) -> None:
    page = python.python_page()
    assert re.findall(r":[a-z]+:`[^`]*`", page) == []
    anchors = set(re.findall(r"\{ #([\w.-]+) \}", page)) | {"errors"}
    targets = set(re.findall(r"\]\(#([^)]+)\)", page))
    assert targets - anchors == set()
    assert {"components", "DisjointSet.merge", "VerificationError"} <= targets | anchors
    for name in re.findall(r"\]\(algorithms/([a-z0-9-]+)\.md\)", page):
        assert name in {algorithm.name for algorithm in pj.algorithms()}


def test_no_line_of_a_call_is_long(python: ModuleType) -> None:
    calls = re.findall(r"```python\n(.*?)```", python.python_page(), re.DOTALL)
    assert len(calls) > 60
    assert max(len(line) for call in calls for line in call.splitlines()) <= 80


def test_attributes_are_a_list(python: ModuleType) -> None:
    text = "\n".join(python.described("Components"))
    assert "- **`count`**{ #Components.count }: The number of components." in text
    assert "#### Components.count" not in text
    assert "#### Components.largest" in text
    assert "Components.counted" not in text


def test_a_long_call_has_one_parameter_in_a_line(docstrings: ModuleType) -> None:
    def short(graph: object, /, device: str = "cpu", *, ids: int = 1, **variant: object) -> None: ...
    def long(self: object, first: int, /, second: str = "x" * 60, *, third: int = 3, **rest: int) -> None: ...

    assert docstrings.call("f", short) == '```python\nf(graph, /, device="cpu", *, ids=1, **variant)\n```\n'
    lines = docstrings.call("f", long).splitlines()[2:-2]
    assert lines == [
        "    first,",
        "    /,",
        f'    second="{"x" * 60}",',
        "    *,",
        "    third=3,",
        "    **rest,",
    ]


def test_powers_are_not_taken_for_bold(docstrings: ModuleType) -> None:
    text = docstrings.inline("from 2**31 to 2**64 - 1, not ``2**31`` or `2**n`", {}.get)
    assert text == "from 2<sup>31</sup> to 2<sup>64</sup> - 1, not ``2**31`` or `2**n`"


def test_a_docstring_becomes_markdown(docstrings: ModuleType) -> None:
    text = """Definition of :func:`components`.

More of :func:`scipy.thing` and ``ecl-cc``.

Parameters
----------
graph : Graph or None
    The graph,
    whatever it is.
**variant
    Choices.

Raises
------
GraphError, ValueError
    If it is wrong.

See Also
--------
components : The same.

Examples
--------
>>> 1 + 1
2
"""
    known = {"components": "#components", "Graph": "#Graph", "GraphError": "#GraphError"}
    lines = docstrings.markdown(text, known.get).splitlines()
    assert [line for line in lines if line] == [
        "Definition of [`components`](#components).",
        "More of `scipy.thing` and [`ecl-cc`](algorithms/ecl-cc.md).",
        "**Parameters**",
        "- **`graph`** ([Graph](#Graph) or None): The graph, whatever it is.",
        "- **`**variant`**: Choices.",
        "**Raises**",
        "- [GraphError](#GraphError), ValueError: If it is wrong.",
        "**See Also**",
        "- [`components`](#components): The same.",
        "**Examples**",
        "```pycon",
        ">>> 1 + 1",
        "2",
        "```",
    ]


# -- generators ------------------------------------------------------------------------------------


@pytest.mark.parametrize("each", GENERATORS, ids=lambda each: each.name)
def test_a_small_instance_of_each_generator_is_drawn(each: Generator, generators: ModuleType) -> None:
    lines = generators.generator(each)
    assert any(line.startswith('<div class="instance"><svg ') for line in lines)
    for parameter in each.parameters:
        assert any(line.startswith(f"| `{parameter.name}` | ") for line in lines)


@pytest.mark.parametrize("each", PRESETS, ids=lambda each: each.name)
def test_a_small_instance_of_each_preset_is_small(each: Preset, generators: ModuleType) -> None:
    assert generate_graph(f"{each.name}:{generators.small_preset(each)}").vertices <= 128


def test_small_graphs_are_drawn_and_large_ones_are_matrices(generators: ModuleType) -> None:
    assert generators.picture_of_graph("path:vertices=40").count("<circle") == 40
    picture = generators.picture_of_graph("path:vertices=41")
    assert picture.count("h1v1h-1z") == 2 * 40


def test_pixels_are_as_dark_as_their_values(generators: ModuleType) -> None:
    picture = generators.pixels(np.array([[0, 4], [2, 0]]), 5, "a test")
    assert '<path fill-opacity="1.0" d="M1 0h1v1h-1z"/>' in picture
    assert '<path fill-opacity="0.5" d="M0 1h1v1h-1z"/>' in picture
    assert picture.count("<path") == 2


def test_every_generator_and_preset_is_on_the_page(generators: ModuleType) -> None:
    page = generators.generators_page()
    for each in GENERATORS:
        assert f"### {each.name} {{ #{each.name} }}" in page
    for preset in PRESETS:
        assert page.count(f"| `{preset.name}` | ") == 1


# -- shapes ----------------------------------------------------------------------------------------


def test_shapes_are_listed_with_small_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(DOCS)
    page = importlib.import_module("pages.shapes").shapes_page()
    assert page.count("<svg") > 50
    lines = [line for line in page.splitlines() if line.startswith("| `")]
    (path,) = (line for line in lines if line.startswith("| `path` |"))
    assert path.count("<circle") == 20
    (kron,) = (line for line in lines if line.startswith("| `kron` |"))  # two vertices at this size
    assert "<svg" not in kron
