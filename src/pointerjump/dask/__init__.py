"""Functions for Dask arrays and DataFrames."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from pointerjump.errors import PointerjumpError

if TYPE_CHECKING:
    from pointerjump.dask.forests import bridges, minimum_spanning_forest, two_edge_connected_components
    from pointerjump.dask.images import label
    from pointerjump.dask.tables import components

_HOME = {"components": "tables", "label": "images"}  # the other functions are in forests.py
__all__ = ["bridges", "components", "label", "minimum_spanning_forest", "two_edge_connected_components"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"{__name__}.{_HOME.get(name, 'forests')}"), name)
    except ImportError as error:
        if (error.name or "").startswith("pointerjump"):
            raise
        raise PointerjumpError(
            f"pointerjump.dask.{name} needs Dask: pip install 'pointerjump[dask]', or use a function of pj"
        ) from None


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
