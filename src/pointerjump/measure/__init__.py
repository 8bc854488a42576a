"""Measured properties: every table, figure and theorem of the papers that does not depend on hardware.

Each is measured on the references, by counting what they do; nothing here is timed.

Examples
--------
>>> from pointerjump.measure import measure
>>> found = measure("worklist", ["grid2d:rows=4,columns=4"])
>>> found.lines[0]["vertices"], found.lines[0]["low"]
(16, 16)
"""

from pointerjump.measure.measurement import Column, Measurement
from pointerjump.measure.plots import require_plots, save
from pointerjump.measure.properties import PROPERTIES, Property, find_property, measure

__all__ = [
    "PROPERTIES",
    "Column",
    "Measurement",
    "Property",
    "find_property",
    "measure",
    "require_plots",
    "save",
]
