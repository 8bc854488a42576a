"""What pages of any kind are written with."""

from __future__ import annotations

from collections.abc import Sequence


def code(language: str, text: str) -> str:
    """Return a block of code."""
    return f"```{language}\n{text.strip()}\n```\n"


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table."""
    lines = [headings, ["---"] * len(headings), *rows]
    return ["| " + " | ".join(cells) + " |" for cells in lines]
