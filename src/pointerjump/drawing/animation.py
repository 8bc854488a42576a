"""A run as one HTML file that needs no other: a frame at a time, with play, step and back."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from string import Template

from pointerjump.drawing import svg
from pointerjump.drawing.frames import NOWHERE, Frame, Scene
from pointerjump.drawing.panels import panels
from pointerjump.drawing.shapes import CHANGED, printable

MOST_IN_TABLE = 60
"""A table of the pointers is shown for up to so many elements."""


def page(scene: Scene, frames: Sequence[Frame], title: str) -> str:
    """Return a page in which a reader can watch a run."""
    template = Template((files("pointerjump.drawing") / "animation.html").read_text(encoding="utf-8"))
    drawn = panels(scene, frames, numbered=False)
    befores = [tuple(range(len(scene.positions))), *(frame.pointers for frame in frames)]
    figures = [
        f"<figure{' hidden' if i else ''}>{svg.element(panel, f'{title}, {frame.title}')}"
        f"<figcaption><strong>{_escaped(frame.title)}</strong>{_about(frame)}</figcaption>"
        f"{_table(scene, frame, before)}</figure>"
        for i, (panel, frame, before) in enumerate(zip(drawn, frames, befores, strict=False))
    ]
    return template.substitute(
        changed=CHANGED,
        title=_escaped(title),
        last=max(0, len(frames) - 1),
        frames="\n".join(figures),
        key=_escaped(scene.key),
    )


def _about(frame: Frame) -> str:
    return f": {_escaped(frame.about)}" if frame.about else ""


def _table(scene: Scene, frame: Frame, before: Sequence[int]) -> str:
    """Return a table of where each element points, with what has just changed in color."""
    if len(scene.names) > MOST_IN_TABLE or scene.cells:
        return ""
    pointers = (
        f'<td class="changed">{_name(scene, p)}</td>' if p != old else f"<td>{_name(scene, p)}</td>"
        for p, old in zip(frame.pointers, before, strict=True)
    )
    rows = [
        f"<tr><th>{_escaped(scene.element)}</th>"
        + "".join(f"<td>{_escaped(name)}</td>" for name in scene.names)
        + "</tr>",
        "<tr><th>points to</th>" + "".join(pointers) + "</tr>",
    ]
    if frame.notes:
        rows.append(
            "<tr><th>below it</th>" + "".join(f"<td>{_escaped(n)}</td>" for n in frame.notes) + "</tr>"
        )
    return f'<div class="table"><table>{"".join(rows)}</table></div>'


def _name(scene: Scene, element: int) -> str:
    return "-" if element == NOWHERE else _escaped(scene.names[element])


def _escaped(text: str) -> str:
    return escape(printable(text))
