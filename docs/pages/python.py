"""The page of the Python interface: public functions and classes with their docstrings."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pointerjump
from pages.markdown import code

LISTS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns", "See Also")
"""Sections of a docstring whose lines are names, with text that belongs to them indented below."""


def python_page() -> str:
    """Return the public functions and classes with their docstrings."""
    parts = [
        "# Python",
        "",
        "`import pointerjump as pj`. Nothing else is imported, and no device is looked for, until a name "
        "is used.",
        "",
    ]
    for name in pointerjump.__all__:
        thing = getattr(pointerjump, name)
        if inspect.isclass(thing) and issubclass(thing, Exception):
            continue
        if callable(thing):
            parts += [f"## {name}", "", *call(f"pj.{name}", thing), *numpydoc(thing)]
            parts += methods(thing) if inspect.isclass(thing) else []
    parts += ["## Errors", ""]
    for name in pointerjump.__all__:
        thing = getattr(pointerjump, name)
        if inspect.isclass(thing) and issubclass(thing, Exception):
            parts.append(f"- `{name}`: {inspect.getdoc(thing)}")
    return "\n".join(parts)


def call(name: str, thing: Any) -> list[str]:
    """Return how something is called; nothing for a class that only other functions make."""
    if inspect.isclass(thing) and "\nParameters\n" not in (inspect.getdoc(thing) or ""):
        return []
    # Annotations are kept as text, which a signature puts in quotes.
    return [code("python", name + re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(thing))))]


def methods(thing: Any) -> list[str]:
    """Return the documented public methods and properties of a class."""
    parts = []
    for name, member in vars(thing).items():
        function = getattr(member, "__func__", member)
        if name.startswith("_") or name in getattr(thing, "_fields", ()) or not inspect.getdoc(function):
            continue  # the fields of a named tuple are in its own docstring
        if inspect.isfunction(function):
            parts += [f"### {thing.__name__}.{name}", "", *call(name, function), *numpydoc(function)]
        else:
            parts += [f"### {thing.__name__}.{name}", "", *numpydoc(function)]
    return parts


def numpydoc(thing: Any) -> list[str]:
    """Return a numpydoc docstring as Markdown: sections in bold, parameters as a list, examples as code."""
    lines = re.sub(r":\w+:`(.+?)`", r"`\1`", inspect.getdoc(thing) or "").splitlines()
    parts: list[str] = []
    section = ""
    i = 0
    while i < len(lines):
        line = lines[i]
        if i + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[i + 1]):
            section = line
            parts += ["", f"**{line}**", ""]
            i += 2
        elif line.startswith(">>>"):
            begin = i
            while i < len(lines) and lines[i].strip():
                i += 1
            parts += [code("pycon", "\n".join(lines[begin:i]))]
        elif line.startswith("    "):
            parts.append(f"    {line.strip()}")
            i += 1
        elif line and section in LISTS:
            name, colon, what = line.partition(" : ")
            parts += ["", f"- `{name}`: {what}" if section == "See Also" and colon else f"- `{line}`", ""]
            i += 1
        else:
            parts.append(line)
            i += 1
    return [*parts, ""]
