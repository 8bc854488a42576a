"""What pages of any kind are written with."""

from __future__ import annotations


def code(language: str, text: str) -> str:
    """Return a block of code."""
    return f"```{language}\n{text.strip()}\n```\n"
