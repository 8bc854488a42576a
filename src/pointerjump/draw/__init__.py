"""Pictures that show, phase by phase, how an algorithm runs on a small input.

:func:`draw` runs an algorithm's reference implementation and returns a :class:`Drawing`. The drawing can be
saved as SVG, PNG or an HTML animation, or shown in a notebook. :func:`picture` draws only a graph.

    runs        draw and picture                    drawing     Drawing, and the layout of frames
    recording   records an algorithm's run          canvases    shapes as SVG and PNG
    scenes      what a picture shows, and where
"""

from pointerjump.draw.canvases import require_kind
from pointerjump.draw.drawing import Drawing
from pointerjump.draw.runs import EXAMPLE, draw, picture
from pointerjump.draw.scenes import Frame, Scene

__all__ = ["EXAMPLE", "Drawing", "Frame", "Scene", "draw", "picture", "require_kind"]
