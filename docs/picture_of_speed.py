"""Draws README's picture of speed: ``python docs/picture_of_speed.py`` writes ``docs/speed.svg``.

Its numbers stand in ``docs/measurements.md``, under "Tables of ids", and are read from there.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

DOCS = Path(__file__).parent
PICTURE = DOCS / "speed.svg"
ROW_OF_TABLE = re.compile(
    r"^\| 10,000,000 \| (\w+) \| ([\d.]+) \| [\d.]+ \| ([\d.]+) \| [\d.]+ \| ([\d.]+) \|", re.MULTILINE
)

WIDTH, NAMES, ROW, BAR, TITLE = 760, 200, 24, 16, 34
OURS, OTHER, INK, PAPER = "#0072B2", "#B8BEC6", "#1a1a1a", "#ffffff"
TITLES = ("ids are strings", "ids are 64-bit hashes")


def measured() -> list[tuple[str, list[float]]]:
    """Return each tool's seconds for strings and for hashes: a first call."""
    rows = ROW_OF_TABLE.findall((DOCS / "measurements.md").read_text())
    if [ids for ids, *_ in rows] != ["strings", "hashes"]:
        raise ValueError(
            "docs/measurements.md has no rows of ten million pairs: docs/picture_of_speed.py draws them"
        )
    ours = [float(seconds) for _, seconds, *_ in rows]
    theirs = [[second * float(row[at]) for second, row in zip(ours, rows, strict=True)] for at in (2, 3)]
    return list(zip(("pointerjump", "polars-grouper", "pandas and scipy"), (ours, *theirs), strict=True))


def picture() -> str:
    """Return a bar for each tool, in a panel for each kind of ids."""
    tools = measured()
    most = max(seconds for _, times in tools for seconds in times)
    parts: list[str] = []
    y = 12
    for kind, title in enumerate(TITLES):
        parts.append(text(NAMES, y + 14, f"10 million pairs whose {title}: seconds", bold=True))
        y += TITLE - 8
        for tool, times in tools:
            parts += bar(tool, times[kind], y, (WIDTH - NAMES - 70) / most)
            y += ROW
        y += 14
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" role="img" '
        'font-family="sans-serif" font-size="14" aria-label="Seconds from a Parquet file of 10 million pairs '
        'to a Parquet file of clusters, by tool">\n'
        f'<rect width="{WIDTH}" height="{y}" fill="{PAPER}"/>\n{"".join(parts)}</svg>\n'
    )


def bar(tool: str, seconds: float, y: int, scale: float) -> list[str]:
    """Return a tool's name, its bar and its seconds."""
    ours = tool == "pointerjump"
    length = seconds * scale
    return [
        text(NAMES - 8, y + BAR - 3, tool, anchor="end", bold=ours),
        f'<rect x="{NAMES}" y="{y}" width="{length:.0f}" height="{BAR}" fill="{OURS if ours else OTHER}"/>\n',
        text(round(NAMES + length + 6), y + BAR - 3, f"{seconds:.1f}", bold=ours),
    ]


def text(x: int, y: int, content: str, anchor: str = "start", bold: bool = False) -> str:
    """Return a line of text."""
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x}" y="{y}" fill="{INK}" text-anchor="{anchor}"{weight}>{escape(content)}</text>\n'


if __name__ == "__main__":
    PICTURE.write_text(picture())
