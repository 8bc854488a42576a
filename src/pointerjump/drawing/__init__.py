"""Runs as pictures: every algorithm of the registry, phase by phase, on a small input.

:func:`draw` runs a reference and returns a :class:`Drawing`, which can be saved as SVG, PNG or an animation,
or shown in a notebook. :func:`picture` draws a graph alone.

    frames      what a picture shows              recording   watches a run of a reference
    scenes      where things stand                graphs, lists, images, ids   what is seen of each problem
    positions   the spring layout                 panels      lays a frame out as shapes
    pictures    Drawing                           svg, png, animation          shapes become files
"""

from pointerjump.drawing.frames import Cell, Frame, Scene
from pointerjump.drawing.pictures import Drawing, require_kind
from pointerjump.drawing.runs import EXAMPLE, draw, picture

__all__ = ["EXAMPLE", "Cell", "Drawing", "Frame", "Scene", "draw", "picture", "require_kind"]
