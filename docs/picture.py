"""Draws a mask and its labels side by side: ``python docs/picture.py`` writes ``docs/labels.svg``."""

from __future__ import annotations

import sys
from itertools import cycle
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.ndimage import distance_transform_edt

import pointerjump as pj

sys.path.append(str(Path(__file__).resolve().parents[1] / "benches"))
from made_images import Mask, smooth_noise

PICTURE = Path(__file__).with_name("labels.svg")
SHAPE = (36, 60)
PIXEL, GAP, CAPTION = 7, 28, 28
DARK, LIGHT, GREY = "#20242b", "#f4f4f4", "#808080"
"""The panels bring their own background, and grey text can be read on a light page and on a dark one."""

COLORS = ("#56B4E9", "#E69F00", "#009E73", "#F0E442", "#CC79A7", "#D55E00", "#BBBBBB")
"""Okabe and Ito's colors, which people with any kind of color vision can tell apart. Grey stands in for their
blue, which is too dark on this background."""

ROOM = 2.0
"""A component has its number written on it if a pixel of it is this far from the background."""


def picture() -> str:
    """Return a mask and its labels as SVG."""
    mask = smooth_noise(SHAPE, size=6, seed=7) > 148
    labels, count = pj.label(mask, return_num=True)
    components = [
        shape(labels == label, color) + number(labels == label, label)
        for label, color in zip(range(1, count + 1), cycle(COLORS))
    ]
    height, width = (PIXEL * n for n in SHAPE)
    left = panel(0, "mask", [shape(mask, LIGHT)])
    right = panel(width + GAP, f"pj.label(mask): {count} components", components)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * width + GAP} {height + CAPTION}" '
        f'role="img" font-family="sans-serif" aria-label="A mask, and the same with each of its {count} '
        f'components in a color of its own">\n{left}{right}</svg>\n'
    )


def panel(x: int, caption: str, parts: list[str]) -> str:
    """Return a panel with its caption, whose left border is at `x`."""
    height, width = (PIXEL * n for n in SHAPE)
    return (
        f'<g transform="translate({x},{CAPTION})">\n'
        f'<text x="0" y="-9" font-size="17" fill="{GREY}">{caption}</text>\n'
        f'<rect width="{width}" height="{height}" fill="{DARK}"/>\n{"".join(parts)}</g>\n'
    )


def shape(mask: Mask, color: str) -> str:
    """Return a mask as one path: each of its runs of pixels is a rectangle."""
    runs = []
    for y, row in enumerate(mask):
        steps = np.flatnonzero(np.diff(row, prepend=False, append=False))
        for begin, end in steps.reshape(-1, 2).tolist():
            runs.append(f"M{PIXEL * begin} {PIXEL * y}h{PIXEL * (end - begin)}v{PIXEL}H{PIXEL * begin}z")
    return f'<path fill="{color}" d="{"".join(runs)}"/>\n'


def number(mask: Mask, label: int) -> str:
    """Return a component's label as text, inside of it, if there is room."""
    depth: npt.NDArray[np.float64] = distance_transform_edt(np.pad(mask, 1))[1:-1, 1:-1]
    y, x = np.unravel_index(depth.argmax(), mask.shape)
    if depth[y, x] < ROOM:
        return ""
    return (
        f'<text x="{PIXEL * x + PIXEL / 2:g}" y="{PIXEL * y + PIXEL / 2 + 4:g}" font-size="12" '
        f'font-weight="bold" text-anchor="middle" fill="{DARK}">{label}</text>\n'
    )


if __name__ == "__main__":
    PICTURE.write_text(picture())
