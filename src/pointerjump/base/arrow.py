"""Imports pyarrow's modules lazily, because importing them takes a tenth of a second."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv as csv
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq
else:

    def _later(module: str) -> Any:
        class Later:
            def __getattr__(self, name: str) -> Any:
                found = import_module(module)
                self.__dict__ = found.__dict__  # from now on, names are found without this method
                return getattr(found, name)

        return Later()

    pa, pc, csv, ds, pq = map(
        _later, ("pyarrow", "pyarrow.compute", "pyarrow.csv", "pyarrow.dataset", "pyarrow.parquet")
    )

__all__ = ["csv", "ds", "pa", "pc", "pq"]
