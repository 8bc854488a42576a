"""Numpydoc docstrings as Markdown: sections, lists of names, examples, and links in place of roles."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

from pages.markdown import ROLE, code, powers
from pointerjump.registry import ALGORITHMS

NAMED = ("Parameters", "Attributes", "See Also")
"""Sections whose entries begin with names. Text that belongs to an entry is indented below it."""
TYPED = ("Returns", "Yields", "Raises", "Warns")
"""Sections whose entries begin with types."""

WIDTH = 72
"""A call that is longer has one parameter in a line."""

Link = Callable[[str], str | None]
"""Takes a name as docstrings have it, and returns where it is described, or None."""


def first_line(thing: Any) -> str:
    """Return a docstring's first line."""
    return (inspect.getdoc(thing) or "").split("\n", 1)[0]


def markdown(docstring: str, link: Link) -> str:
    """Return a docstring as Markdown.

    Parameters
    ----------
    docstring : str
        With its indentation removed.
    link : callable
        Says where a name is described.
    """
    lines = docstring.splitlines()
    heads = [i for i in range(len(lines) - 1) if re.fullmatch(r"-{3,}", lines[i + 1])]
    ends = [*heads, len(lines)]
    parts = [prose(lines[: ends[0]], link)]
    for begin, end in zip(heads, ends[1:], strict=True):
        title, body = lines[begin], lines[begin + 2 : end]
        is_list = title in NAMED or title in TYPED
        parts += [f"**{title}**", entries(title, body, link) if is_list else prose(body, link)]
    return "\n\n".join(part for part in parts if part) + "\n"


def prose(lines: list[str], link: Link) -> str:
    """Return paragraphs and examples."""
    parts = []
    for block in "\n".join(lines).strip().split("\n\n"):
        parts.append(code("pycon", block) if block.startswith(">>>") else inline(block, link))
    return "\n\n".join(parts)


def entries(section: str, lines: list[str], link: Link) -> str:
    """Return a section's entries as a list."""
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        if line and not line.startswith(" "):
            found.append((line, []))
        elif found:
            found[-1][1].append(line.strip())
    return "\n".join(_entry(section, head, " ".join(text).strip(), link) for head, text in found)


def _entry(section: str, head: str, text: str, link: Link) -> str:
    names, colon, rest = head.partition(" : ")
    if section == "See Also":
        described = [_linked(name, link) for name in names.split(", ")]
        return f"- {', '.join(described)}: {inline(rest or text, link)}"
    if section in TYPED and not colon:
        return f"- {_types(names, link)}" + (f": {inline(text, link)}" if text else "")
    kind = f" ({_types(rest, link)})" if colon else ""
    bold = ", ".join(f"**`{name}`**" for name in names.split(", "))
    return f"- {bold}{kind}" + (f": {inline(text, link)}" if text else "")


def inline(text: str, link: Link) -> str:
    """Return text with links in place of roles and names of algorithms, and powers written as such."""
    text = ROLE.sub(lambda found: _linked(found["role"], link), text)
    return powers(re.sub(r"``([a-z-]+)``", lambda quoted: _algorithm(quoted[1]) or quoted[0], text))


def _linked(name: str, link: Link) -> str:
    target = link(name)
    shown = f"`{name.removeprefix('pointerjump.')}`"
    return f"[{shown}]({target})" if target else _algorithm(name) or shown


def _algorithm(name: str) -> str | None:
    return f"[`{name}`](algorithms/{name}.md)" if name in ALGORITHMS else None


def _types(text: str, link: Link) -> str:
    """Return a type in words, in which roles and public classes are links."""

    def shown(found: re.Match[str]) -> str:
        if found["role"]:
            return _linked(found["role"], link)
        target = link(found[0])
        return f"[{found[0]}]({target})" if target else found[0]

    text = re.sub(rf"{ROLE.pattern}|(?<![\w.\"])[A-Z]\w+", shown, text)
    return text.replace("*", r"\*")


def call(name: str, thing: Any) -> str:
    """Return how something is called: parameters and defaults. Docstrings say the types in words."""
    signature = inspect.signature(thing)
    bare = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
        if parameter.name not in ("self", "cls")
    ]
    text = str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    text = text.replace("'", '"')
    if len(name + text) <= WIDTH:
        return code("python", name + text)
    shown = [str(parameter).replace("'", '"') for parameter in bare]
    kinds = [parameter.kind for parameter in bare]
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        shown.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    if inspect.Parameter.POSITIONAL_ONLY in kinds:
        shown.insert(kinds.count(inspect.Parameter.POSITIONAL_ONLY), "/")
    return code("python", name + "(\n" + "".join(f"    {each},\n" for each in shown) + ")")
