"""The check of spelling and grammar finds what is wrong, and only that."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("harper")

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def prose() -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        return runpy.run_path(str(ROOT / "docs" / "prose.py"))


@pytest.fixture(scope="module")
def checker(prose: dict[str, Any]) -> Any:
    return prose["Checker"]()


def problems(prose: dict[str, Any], checker: Any, content: str) -> list[tuple[str, int]]:
    return [(each.problem, each.line) for each in checker.findings(prose["Text"]("a page", 1, content))]


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        ("Every vertex has a\nparrent.", ("parrent", 2)),
        ("# Roots\n\nThis is an root of `parent`.", ("an", 3)),
        ("The the list is ranked.", ("The the", 1)),
        ("Rows are read, at most\nso many at a time.", ("at most\nso many", 1)),
        ("The caller waits.\nWhoever hooks does not.", ("Whoever", 2)),
        ("It don't need atomics.", ("don't", 1)),
        ("| word | meaning |\n| --- | --: |\n| hook | recieve a parent |", ("recieve", 3)),
    ],
)
def test_something_wrong_is_found_where_it_is(
    prose: dict[str, Any], checker: Any, content: str, wrong: tuple[str, int]
) -> None:
    assert problems(prose, checker, content) == [wrong]


def test_what_is_not_english_is_left_out(prose: dict[str, Any], checker: Any) -> None:
    content = (
        "Shiloach-Vishkin's `parrent[v]` took 3.5 ms on urand20, as [docs/xyzzy.md](docs/xyzzy.md) says.\n\n"
        "```sh\npointerjump cc recieve.egr --the the\n```\n\n"
        "A vertex v points to w, J. C. Wylie writes, and a `FormatError` is raised for `.egrr` files."
    )
    assert problems(prose, checker, content) == []


def test_a_docstring_keeps_its_lines(prose: dict[str, Any], checker: Any) -> None:
    source = '''
def rank(list):
    """Rank a list.

    In pseudo-code::

        forr each elemnt: jmp

    Parameters
    ----------
    list : ndarray of itn32
        The sucessor of each element.

    Examples
    --------
    >>> recieve(1)
    'teh'

    Notes
    -----
    That is al right.
    """
'''
    (node,) = prose["documented"](ast.parse(source).body[0])
    text = prose["as_markdown"](ast.get_docstring(node, clean=False))
    assert [line for _, line in problems(prose, checker, text)] == [10, 19]
    assert problems(prose, checker, text)[0][0] == "sucessor"


def test_everything_is_looked_at(prose: dict[str, Any]) -> None:
    places = {text.place for text in prose["texts"]()}
    assert {
        "README.md",
        "docs/which.md",
        "docs/papers/cong.md",
        "examples/islands.py",
        "reference/afforest.py",
        "src/pointerjump/graphs/connectivity.py",
        "registry, afforest, axes, meaning",
        "measure, rounds, title",
        "page of properties, rounds",
        "src/pointerjump/generators/random_graphs.py",
        "generators, kron, parameters, meaning",
        "presets, rmat16.sym",
        "command, cc, examples",
    } <= places


def test_rules_that_harper_does_not_have_are_refused(prose: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="NoSuchRule"):
        prose["configured"]({"AnA": True}, ["NoSuchRule"])


def test_long_sentences_and_words_have_a_higher_grade(prose: dict[str, Any]) -> None:
    grade = prose["grade"]
    short = (
        "# A heading of considerable length\n\nA root has no parent. It waits.\n\n| a table | of words |\n"
    )
    long = (
        "A root has no parent, and because it has none, it waits until another vertex is made its parent.\n"
    )
    assert grade(short) < grade(long) < grade(long.replace("waits", "procrastinates indefinitely"))
    assert grade(long) == grade(
        f"{long}\n```sh\npointerjump devices --unbelievably-complicated-option\n```\n"
    )


def test_a_page_may_not_become_harder_to_read(prose: dict[str, Any]) -> None:
    now = prose["grades"]()
    assert {"README.md", "docs/which.md", "examples/learn_1_parents.py", "reference"} <= set(now)
    assert not list(prose["harder"](now))
    (found,) = prose["harder"]({**now, "docs/which.md": now["docs/which.md"] - 0.1})
    assert found.place == "docs/which.md"
