"""The parts of a reference's docstring, in a fixed order, from which the page of an algorithm is made."""

from __future__ import annotations

import re
from dataclasses import dataclass
from inspect import cleandoc
from textwrap import dedent
from typing import Any

from pointerjump.errors import AlgorithmError

PARTS = {
    "summary": r"(.*?)\n\n",
    "definition": r"(.*?)\s+Choose\s+it\s+",
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
"""The parts in order, each with a pattern that includes the text that ends the part."""


@dataclass(frozen=True)
class Description:
    """What a reference's docstring says about its algorithm.

    Attributes
    ----------
    summary : str
        One line about the algorithm, for the table in README.
    definition : str
        What the algorithm is, in a sentence or two, for readers who do not know it.
    when : str
        The rest of the sentence "Choose it ...".
    citation, idea, pseudo_code, input, complexity, notes : str
        The paragraphs that say more, unchanged. The complexity (which explains work and depth) and the notes
        may be empty.
    phases : dict of str to str
        What each phase of the reference does, in any variant: a few words that fit below a picture.
    work, depth : str
        How many steps all work-items take together, and how many follow one another, in the default variant.
    see_also : dict of str to str
        Related algorithms by name, each with a few words about how it differs.
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
    """Return the parts of a reference's docstring; raise an AlgorithmError if one is missing."""
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
