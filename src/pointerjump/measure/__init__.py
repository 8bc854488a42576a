"""Measured properties: every table, figure and theorem of the papers that does not depend on hardware.

Each is measured on the references, by counting what they do; nothing here is timed.

Examples
--------
>>> from pointerjump.measure import measure
>>> found = measure("worklist", ["grid2d:rows=4,columns=4"])
>>> found.rows[0]["vertices"], found.rows[0]["low"]
(16, 16)
"""

from pointerjump.measure.catalogue import PROPERTIES, Property, find_property, measure
from pointerjump.measure.plots import require_plots, save
from pointerjump.measure.table import Column, Measurement

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
