"""Checks the spelling and the grammar of all that people read: ``python docs/prose.py``.

Harper (https://writewithharper.com) does the work, without a network. It is given the Markdown files, the
text in the examples, the docstrings of all that is public, and what tables in the code say: of algorithms,
measured properties, generators, presets, and the examples of commands.
``docs/prose.toml`` says which of its rules are off, and why, which phrases are right although a rule
finds fault with them, and which idioms of other languages are wrong although no rule does.
``docs/words.txt`` has the project's own words.

The reading grade of each page may not rise above the one in ``docs/prose.toml``, nor that of docstrings.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from harper import Dialect, Linter
from pages.markdown import ROLE, quoted
from pages.properties import SHOWN

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
PACKAGES = ("src/pointerjump", "reference", "accel")

CODE = r"^ *```.*?^ *```|`[^`]+`"
NOT_ENGLISH = (
    r"https?://[^\s)>]+",
    r"(?<![\w`])[\w.*-]+/[\w./*-]*\w",  # paths
    r"\b[\w*-]*(\.(py|md|cl|h|toml|np[yz]|cfg|html|svg|json|yml|el|gz|txt|csv|mtx|egr|sg|nii|cff))+\b",
    r"(?<![\w.])\.[a-z]\w*\b",  # suffixes
    r"(?<![\w-])--[a-z][\w-]*",  # options
    r"\d[\d.,]*\s(ns|ms|s|min|h|[kMGT]?B|[KMGT]iB|[kMGT])(/s)?\b",
    r"\b[\w.]*\d([\w.,^*-]*\w)?('s)?",  # numbers, and names with digits
    r"\b\w+(Error|Warning)s?\b|\b\w+_\w+\b|\+'s\b",
    r"(?<![\w'`])(?![aAI]\b)[A-Za-z]('s|-th)?(?![\w'`])|(?<=\w )A\b('s)?",  # variables and initials
)
"""What Harper is to take for code: a word of any kind."""

NEW_PAGE = 6.0
"""The highest reading grade, in years of school, of a page that ``prose.toml`` does not list."""

PARTS = re.compile(f"(?P<code>{CODE})('s)?|{'|'.join(NOT_ENGLISH)}", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Text:
    """Some Markdown, and where it comes from."""

    place: str
    line: int
    content: str


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with a text."""

    place: str
    line: int
    rule: str
    problem: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}:{self.line}: {self.problem!r}: {self.message} ({self.rule})"


class Checker:
    """Harper with the rules and words of this project. To make one takes a second."""

    def __init__(self) -> None:
        settings = tomllib.loads((DOCS / "prose.toml").read_text())
        self.linter = Linter(Dialect.AMERICAN)
        words = (DOCS / "words.txt").read_text().split()
        self.linter.import_words([*words, *(f"{word}'s" for word in words)])
        self.linter.set_lint_config(configured(self.linter.get_default_lint_config(), settings["off"]))
        self.idioms = {
            re.compile(rf"\b{each}\b".replace(" ", r"\s+"), re.IGNORECASE): way
            for each, way in settings["idioms"].items()
        }
        self.grades = settings["grades"]
        self.right = [re.compile(r"\s+".join(map(re.escape, each.split()))) for each in settings["right"]]

    def findings(self, text: Text) -> Iterator[Finding]:
        """Yield what is wrong with a text."""
        content = PARTS.sub(as_code, text.content)
        right = [found.span() for phrase in self.right for found in phrase.finditer(content)]
        for rule, lints in self.linter.organized_lints(content).items():
            for lint in lints:
                begin, end = lint.span.start, lint.span.end
                if not any(first <= begin and end <= last for first, last in right):
                    line = text.line + content.count("\n", 0, begin)
                    yield Finding(text.place, line, rule, lint.problem_text, lint.message)
        for idiom, way_out in self.idioms.items():
            for found in idiom.finditer(content):
                line = text.line + content.count("\n", 0, found.start())
                yield Finding(text.place, line, "idioms in prose.toml", found[0], way_out)


def grade(content: str) -> float:
    """Return the Flesch-Kincaid grade of some Markdown: the years of school that reading it takes.

    Code, tables and headings do not count. Groups of vowels count as syllables, but for an e at the end.
    """
    prose = re.sub(r"(?ms)^ *```.*?^ *```|^[#|][^\n]*$", "\n\n", content)
    prose = re.sub(r"`[^`]*`|\]\([^)]*\)", " x ", prose)
    sentences = re.split(r"[.!?:;]\s|\n\s*\n|\n *(?:-|\d+\.) ", prose)
    words = [word for sentence in sentences for word in re.findall(r"[A-Za-z][A-Za-z'-]*", sentence)]
    syllables = sum(max(1, len(re.findall("[aeiouy]+", word.lower().removesuffix("e")))) for word in words)
    count = sum(bool(re.search("[A-Za-z]", sentence)) for sentence in sentences)
    return round(0.39 * len(words) / max(1, count) + 11.8 * syllables / max(1, len(words)) - 15.59, 1)


def grades() -> dict[str, float]:
    """Return the grade of each page, and that of all docstrings of each package."""
    parts: dict[str, list[str]] = {}
    for text in chain(pages(), examples(), docstrings()):
        name = next((each for each in PACKAGES if text.place.startswith(each + "/")), text.place)
        parts.setdefault(name, []).append(text.content)
    return {name: grade("\n\n".join(contents)) for name, contents in parts.items()}


def harder(before: Mapping[str, float]) -> Iterator[Finding]:
    """Yield what is harder to read than before."""
    for name, now in grades().items():
        if now > (most := before.get(name, NEW_PAGE)):
            message = f"it was {most}: shorten sentences and words, or say in [grades] in prose.toml why not"
            yield Finding(name, 1, "reading grade", str(now), message)


def configured(rules: dict[str, bool], off: Iterable[str]) -> dict[str, bool | None]:
    """Return Harper's rules with some of them off."""
    if unknown := set(off) - set(rules):
        raise ValueError(f"docs/prose.toml: Harper has no rules called {', '.join(sorted(unknown))}")
    return {**rules, **dict.fromkeys(off, False)}


def as_code(part: re.Match[str]) -> str:
    """Return some code that stands for a part of a text that is not English."""
    return part["code"] or "`x`"


def texts() -> Iterator[Text]:
    """Yield all that is checked."""
    return chain(pages(), examples(), docstrings(), sentences())


def pages() -> Iterator[Text]:
    """Yield the Markdown files."""
    for path in sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")]):
        yield Text(str(path.relative_to(ROOT)), 1, path.read_text())


def examples() -> Iterator[Text]:
    """Yield the cells of text in the examples: comments after ``# %% [markdown]``."""
    for path in sorted((ROOT / "examples").glob("*.py")):
        script = path.read_text()
        for cell in re.finditer(r"^# %% \[markdown\]\n((?:#.*\n)+)", script, re.MULTILINE):
            line = script.count("\n", 0, cell.start(1)) + 1
            yield Text(f"examples/{path.name}", line, re.sub("^# ?", "", cell[1], flags=re.MULTILINE))


def docstrings() -> Iterator[Text]:
    """Yield the docstrings of the package's modules, and of what is public in them: each on its own lines."""
    for path in sorted(chain.from_iterable((ROOT / package).rglob("*.py") for package in PACKAGES)):
        source = path.read_text()
        lines = [""] * (source.count("\n") + 1)
        for node in documented(ast.parse(source)):
            docstring = node.body[0].value
            there = as_markdown(docstring.value).split("\n")
            lines[docstring.lineno - 1 : docstring.lineno - 1 + len(there)] = there
        yield Text(str(path.relative_to(ROOT)), 1, "\n".join(lines))


def documented(node: ast.AST) -> Iterator[Any]:
    """Yield a module or class, if it has a docstring, and whatever is public and documented in it."""
    if ast.get_docstring(node, clean=False):
        yield node
    for child in node.body:
        if isinstance(child, ast.ClassDef | ast.FunctionDef) and not child.name.startswith("_"):
            yield from documented(child)


def as_markdown(docstring: str) -> str:
    """Return a numpydoc docstring as Markdown, line by line: without code, types, columns or headings."""
    docstring = quoted(ROLE.sub(r"`\g<role>`", inspect.cleandoc(docstring)))
    docstring = re.sub(r"(?<=::\n)(\n| .*\n)+(?=\n\S)", blank, docstring)  # literal blocks
    docstring = re.sub(r"^ *>>>.*(\n *\S.*)*", blank, docstring, flags=re.MULTILINE)
    docstring = re.sub(
        r"^.*\n *-{3,}$|^ *[\w*, ]+ : .*$|^.*\S {2,}\S.*$", blank, docstring, flags=re.MULTILINE
    )
    return "\n".join(line.strip() for line in docstring.split("\n"))


def blank(found: re.Match[str]) -> str:
    """Return as many line breaks as were found."""
    return "\n" * found[0].count("\n")


def sentences() -> Iterator[Text]:
    """Yield what the tables in the code say, each sentence once: algorithms share axes."""
    from pointerjump.cli import cli
    from pointerjump.generators import GENERATORS, PRESETS
    from pointerjump.measure import PROPERTIES
    from pointerjump.registry import ALGORITHMS

    tables = {
        "registry": ALGORITHMS.values(),
        "measure": PROPERTIES,
        "generators": GENERATORS,
        "presets": PRESETS,
    }
    said = [
        part
        for table, rows in tables.items()
        for row in rows
        for part in sayings(f"{table}, {row.name}", row)
    ]
    said += [Text(f"page of properties, {name}", 1, shows) for name, (_, shows) in SHOWN.items()]
    for name, command in cli.commands.items():
        for example in getattr(command, "examples", ()):
            said.append(Text(f"command, {name}, examples", 1, example.about))
    yield from {text.content: text for text in reversed(said)}.values()


def sayings(place: str, value: object) -> Iterator[Text]:
    """Yield the prose in a value: a text of several words, or what holds some."""
    if isinstance(value, str) and " " in value:
        yield Text(place, 1, value)
    elif is_dataclass(value):
        for field in fields(value):
            yield from sayings(f"{place}, {field.name}", getattr(value, field.name))
    elif isinstance(value, Mapping):
        for key, held in value.items():
            yield from sayings(f"{place}, {key}", held)
    elif isinstance(value, tuple):
        for held in value:
            yield from sayings(place, held)


def main() -> int:
    """Print all findings; return 1 if there are any."""
    checker = Checker()
    found = [*chain.from_iterable(map(checker.findings, texts())), *harder(checker.grades)]
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
