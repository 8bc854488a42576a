"""Pictures of runs: algorithms of the registry, phase by phase, on a small input.

:func:`draw` runs a reference and returns a :class:`Drawing`, which can be saved as SVG, PNG or an animation,
or shown in a notebook. :func:`picture` draws a graph alone.

    runs        draw and picture                    drawing     Drawing, and how a frame is laid out
    recording   watches a run of a reference        canvases    shapes as SVG and PNG
    scenes      what a picture shows, and where
"""

from pointerjump.draw.canvases import require_kind
from pointerjump.draw.drawing import Drawing
from pointerjump.draw.runs import EXAMPLE, draw, picture
from pointerjump.draw.scenes import Frame, Scene

__all__ = ["EXAMPLE", "Drawing", "Frame", "Scene", "draw", "picture", "require_kind"]
