"""What pages of any kind are written with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape


def code(language: str, text: str) -> str:
    """Return a block of code."""
    return f"```{language}\n{text.strip()}\n```\n"


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table."""
    lines = [headings, ["---"] * len(headings), *rows]
    return ["| " + " | ".join(cells) + " |" for cells in lines]


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
