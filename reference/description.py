"""Parse the docstring of a reference implementation into the parts from which a page is generated."""

from __future__ import annotations

import re
from dataclasses import dataclass
from inspect import cleandoc
from textwrap import dedent
from typing import Any

from pointerjump.errors import AlgorithmError

PARTS = {
    "summary": r"(.*?)\n\n",
    "definition": r"(.*?)\s+Choose\s+this\s+algorithm\s+",
    "when": r"(.*?)\.\n\n",
    "citation": r"(.*?)\n\n",
    "idea": r"(.*?)\n\nIn pseudo-code::\n\n",
    "pseudo_code": r"(.*?)\n\nIts phases:\n\n",
    "phases": r"(.*?)\n\n",
    "input": r"(Input: .*?\.)\s+Work\s",
    "work": r"(O\(.*?);\s+depth\s",
    "depth": r"(.*?)\.(?=\s)",
    "complexity": r"(.*?)\n\n",
    "notes": r"(.*?)\s*See\s+also\s(?=``)",
    "see_also": r"(.*?)\.(?:\n\n|\Z)",
}
"""Patterns for the parts of a docstring, in order. Each pattern also matches the text that ends its part."""


@dataclass(frozen=True)
class Description:
    """The description of an algorithm, parsed from the docstring of its reference implementation.

    Attributes
    ----------
    summary : str
        A one-line summary of the algorithm, for the table in the README.
    definition : str
        A definition in one or two sentences, for readers who do not know the algorithm.
    when : str
        When to choose the algorithm: the rest of the sentence "Choose this algorithm ...".
    citation, idea, pseudo_code, input, complexity, notes : str
        The other paragraphs, unchanged. `complexity` (on work and depth) and `notes` may be empty.
    phases : dict of str to str
        A caption of a few words for each phase that occurs in any variant of the algorithm.
    work, depth : str
        Bounds for the default variant: on the number of steps, and on the longest chain of dependent steps.
    see_also : dict of str to str
        The names of related algorithms, each with a few words on how it differs.
    """

    summary: str
    definition: str
    when: str
    citation: str
    idea: str
    pseudo_code: str
    phases: dict[str, str]
    input: str
    complexity: str
    notes: str
    work: str
    depth: str
    see_also: dict[str, str]


def described(docstring: str) -> Description:
    """Parse the docstring of a reference implementation. Raise an AlgorithmError if a part is missing."""
    text, at = cleandoc(docstring), 0
    parts: dict[str, Any] = {}
    for name, pattern in PARTS.items():
        found = re.compile(pattern, re.DOTALL).match(text, at)
        if not found:
            raise AlgorithmError(f"the docstring {text[:40]!r}... has no {name} after {', '.join(parts)}")
        parts[name], at = found[1], found.end()
    for name in ("definition", "when", "work", "depth"):
        parts[name] = " ".join(parts[name].split())
    parts["pseudo_code"] = dedent(parts["pseudo_code"])
    parts["complexity"] = parts["complexity"].strip()
    parts["phases"] = _entries(r"^- \*(.*?)\*: (.*?)(?=\n- |\Z)", parts["phases"])
    parts["see_also"] = _entries(r"``(.*?)``:\s(.*?)(?=;\s``|\Z)", parts["see_also"])
    return Description(**parts)


def _entries(pattern: str, text: str) -> dict[str, str]:
    entries = re.findall(pattern, text, re.MULTILINE | re.DOTALL)
    return {name: " ".join(words.split()) for name, words in entries}
