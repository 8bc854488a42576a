"""A picture of a run: frames in a scene, to be shown or saved as SVG, PNG or an animation."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

import numpy.typing as npt

from pointerjump.drawing import animation, svg
from pointerjump.drawing.frames import NOWHERE, Frame, Scene
from pointerjump.drawing.panels import panels
from pointerjump.drawing.scenes import Layout, graph_scene, list_scene
from pointerjump.errors import FormatError, GraphError
from pointerjump.inputs import as_graph
from pointerjump.integers import as_count
from pointerjump.linked_lists import as_successors, require_lists

KINDS = (".svg", ".png", ".html")

MOST_IN_PNG = 10_000
"""Vertices and edges of all frames together: matplotlib takes about a millisecond for each."""


class Drawing:
    """A picture of a run: one frame for each of its moments.

    :func:`pointerjump.drawing.draw` makes one of an algorithm's run. States that were made by hand can be
    drawn in the same way.

    Parameters
    ----------
    frames : sequence of Frame
        The first one first. Without any, there is one in which each element points to itself.
    graph : object, optional
        What the frames are about: anything that :func:`pointerjump.components` takes as a graph, or
    successors : array-like of int, optional
        linked lists, or
    scene : Scene, optional
        anything else.
    layout : {"plane", "line"}
        Whether vertices stand in the plane or in a row. Lists always stand in a row.
    positions : array-like of float, shape (vertices, 2), optional
        Where vertices are in the plane, with y upwards.
    title : str

    Attributes
    ----------
    frames : tuple of Frame
    scene : Scene
    title : str

    Raises
    ------
    GraphError
        If a frame has not one pointer for each element.
    ListError
        If `successors` are not linked lists.

    Examples
    --------
    >>> import pointerjump as pj
    >>> path = pj.Graph.from_edges([0, 1], [1, 2])
    >>> by_hand = Drawing([Frame("at first", (0, 1, 2)), Frame("after 0-1", (0, 0, 2))], graph=path)
    >>> by_hand.svg().count("<circle")
    6
    """

    def __init__(
        self,
        frames: Sequence[Frame],
        *,
        graph: Any = None,
        successors: npt.ArrayLike | None = None,
        scene: Scene | None = None,
        layout: Layout = "plane",
        positions: npt.ArrayLike | None = None,
        title: str = "A run",
    ) -> None:
        if graph is not None:
            scene = graph_scene(as_graph(graph), layout, positions)
        elif successors is not None:
            lists = as_successors(successors)
            require_lists(lists)
            scene = list_scene(lists)
        elif scene is None:
            raise GraphError("nothing to draw: give graph=, successors= or scene=")
        n = len(scene.positions)
        self.frames = tuple(frames) or (Frame("nothing changes", range(n)),)
        self.scene, self.title = scene, str(title)
        for frame in self.frames:
            if len(frame.pointers) != n or len(frame.notes) not in (0, n):
                raise GraphError(
                    f"the frame {frame.title!r} has {len(frame.pointers)} pointers and {len(frame.notes)} "
                    f"notes: give a pointer for each of the {n} elements, and a note for each or none"
                )
            if any(not NOWHERE <= p < n for p in frame.pointers):
                raise GraphError(
                    f"the frame {frame.title!r} points to what is not there: pointers are -1 .. {n - 1}"
                )

    def svg(self, columns: int | None = None) -> str:
        """Return one SVG with a panel for each frame, in rows of `columns` panels."""
        return svg.page(panels(self.scene, self.frames), self.title, _as_columns(columns))

    def png(self, columns: int | None = None) -> bytes:
        """Return a PNG with a panel for each frame, on white. Needs matplotlib.

        Raises
        ------
        GraphError
            If there are too many frames for one image.
        """
        from pointerjump.drawing import png

        drawn = len(self.scene.positions) + len(self.scene.edges)
        if len(self.frames) * drawn > MOST_IN_PNG:
            raise GraphError(
                f"{len(self.frames)} frames of {drawn} vertices and edges are too much for a .png: "
                "write .html, draw phase by phase, or draw a smaller input"
            )
        return png.page(panels(self.scene, self.frames), _as_columns(columns))

    def html(self) -> str:
        """Return a page that needs no other file, in which a reader can play the run, step and go back."""
        return animation.page(self.scene, self.frames, self.title)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the picture to a file; its suffix says what it is: .svg, .png or .html.

        Raises
        ------
        FormatError
            If the suffix is another one, or the file cannot be written.
        MissingPlotError
            If the file is a .png and matplotlib is not installed.
        """
        from pointerjump.formats import write_text
        from pointerjump.formats.files import naming
        from pointerjump.formats.outputs import replacing

        kind = require_kind(path)
        if kind == ".png":
            content = self.png()
            with naming(Path(path)), replacing(Path(path)) as file:
                file.write(content)
        else:
            write_text(path, self.svg() if kind == ".svg" else self.html())

    def _repr_html_(self) -> str:
        """Return the panels for a notebook or a page, as many side by side as there is room for."""
        drawn = panels(self.scene, self.frames)
        elements = (
            svg.element(panel, f"{self.title}, {f.title}")
            for panel, f in zip(drawn, self.frames, strict=True)
        )
        return f'<div class="run" style="display:flex;flex-wrap:wrap;gap:.5rem">{"".join(elements)}</div>'


def _as_columns(columns: object) -> int | None:
    """Return how many panels are to stand in a row, checked."""
    if columns is None:
        return None
    number = as_count(columns, "columns", GraphError)
    if number < 1:
        raise GraphError(f"columns is {number}: at least one panel stands in a row")
    return number


def require_kind(path: str | PathLike[str]) -> str:
    """Return what kind of picture a file is to hold, by its suffix.

    Raises
    ------
    FormatError
        If the suffix is none of .svg, .png and .html.
    MissingPlotError
        If it is .png, and matplotlib is not installed.
    """
    from pointerjump.measure.plots import MissingPlotError

    kind = Path(path).suffix.lower()
    if kind not in KINDS:
        raise FormatError(f"{path}: pictures are written as .svg, .png or .html, by the name's suffix")
    if kind == ".png" and not find_spec("matplotlib"):
        raise MissingPlotError(
            f"{path}: a .png is drawn with matplotlib, which is not installed: "
            "pip install 'pointerjump[plot]', or write a .svg"
        )
    return kind
