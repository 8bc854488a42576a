"""Writes README's table of algorithms, which is made from the registry: ``python docs/readme.py``."""

from __future__ import annotations

import re
from pathlib import Path

from pointerjump.registry import ALGORITHMS, Algorithm

README = Path(__file__).resolve().parents[1] / "README.md"
TABLE = re.compile(r"(?<=\n)\| name \| what it is \|.*?\n(?=\n)", re.DOTALL)


def table() -> str:
    """Return the table as README should have it."""
    head = ["| name | what it is | choose it | reference | kernels |", "| --- | --- | --- | --- | --- |"]
    return "\n".join([*head, *map(line, ALGORITHMS.values()), ""])


def line(algorithm: Algorithm) -> str:
    """Return what the table says of one algorithm."""
    name, module, about = algorithm.name, algorithm.module, algorithm.description()
    reference = f"[yes](reference/{module}.py) " if algorithm.reference else ""
    kernels = f"[yes](kernels_cl/{module}.cl) " if algorithm.kernels else ""
    words = f"{about.summary.removesuffix('.')} | {about.when}".replace("``", "`")
    return f"| `{name}` | {words} | {reference}| {kernels}|"


def written(readme: str) -> str:
    """Return the text of README with its table replaced."""
    return TABLE.sub(lambda _: table(), readme)


if __name__ == "__main__":
    README.write_text(written(README.read_text()))
