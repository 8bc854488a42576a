"""Writes README's table of algorithms, which is made from the registry: ``python docs/readme.py``."""

from __future__ import annotations

import re
from pathlib import Path

from pointerjump.registry import ALGORITHMS, Algorithm

README = Path(__file__).resolve().parents[1] / "README.md"
TABLE = re.compile(r"(?<=\n)\| problem \| algorithms.*?\n(?=\n|\Z)", re.DOTALL)


def table() -> str:
    """Return the table as README should have it: a line for each problem, with its algorithms."""
    problems = dict.fromkeys(algorithm.problem for algorithm in ALGORITHMS.values())
    lines = [
        f"| {problem} | {', '.join(link(each) for each in ALGORITHMS.values() if each.problem == problem)} |"
        for problem in problems
    ]
    return "\n".join(["| problem | algorithms |", "| --- | --- |", *lines, ""])


def link(algorithm: Algorithm) -> str:
    """Return an algorithm's name, which leads to its reference, and a star if there are no kernels."""
    return f"[`{algorithm.name}`](reference/{algorithm.module}.py){'' if algorithm.kernels else '*'}"


def written(readme: str) -> str:
    """Return the text of README with its table replaced."""
    return TABLE.sub(lambda _: table(), readme)


if __name__ == "__main__":
    README.write_text(written(README.read_text()))
