"""What pages of any kind are written with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from textwrap import indent

ROLE = re.compile(r":\w+:`~?(?P<role>[^`]+)`")
"""A name in a docstring, with its kind, as in ``:func:`components` ``."""


def code(language: str, text: str) -> str:
    """Return a block of code."""
    return f"```{language}\n{text.strip()}\n```\n"


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table."""
    lines = [headings, ["---"] * len(headings), *rows]
    return ["| " + " | ".join(cells) + " |" for cells in lines]


def folded(title: str, content: str, kind: str = "example") -> str:
    """Return content that is shown when a reader opens it; `kind` says how its title looks."""
    return f'??? {kind} "{title}"\n\n' + indent(content, "    ")


def quoted(docstring: str) -> str:
    """Return a docstring's text with code in single backticks, as Markdown has it."""
    return re.sub(r"``([^`]+)``", r"`\1`", docstring)


FIT = "this.style.height = this.contentDocument.documentElement.scrollHeight + 8 + 'px'"


def framed(document: str, title: str) -> str:
    """Return an HTML document in a frame of its own, as high as what it holds."""
    content = escape(document).replace("\n", "&#10;")  # a blank line would end the HTML
    return (
        f'<div class="run"><iframe title="{escape(title)}" onload="{FIT}" srcdoc="{content}"></iframe></div>'
    )


def powers(text: str) -> str:
    """Return text with powers as people write them, except in code: Markdown takes two asterisks for bold.

    Examples
    --------
    >>> powers("From 2**31 vertices on, as `2**31` says.")
    'From 2<sup>31</sup> vertices on, as `2**31` says.'
    """
    code_or_power = re.compile(r"(?P<ticks>`+).+?(?P=ticks)|(?P<base>\d)\*\*(?P<exponent>\w+)", re.DOTALL)
    return code_or_power.sub(
        lambda found: f"{found['base']}<sup>{found['exponent']}</sup>" if found["base"] else found[0], text
    )


def limits(text: str) -> str:
    """Return text with the largest numbers of 32 and 64 bits as powers of two.

    Examples
    --------
    >>> limits("up to 2147483647")
    'up to 2<sup>31</sup> - 1'
    """
    for k in (31, 63, 64):
        text = re.sub(rf"\b{2**k - 1}\b", f"2**{k} - 1", text)
    return powers(text)
