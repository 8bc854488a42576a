"""Labels of Dask arrays, and components of the ids in Dask DataFrames."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pointerjump.dask.images import label
    from pointerjump.dask.tables import components

__all__ = ["components", "label"]

_HOME = {"components": "tables", "label": "images"}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
