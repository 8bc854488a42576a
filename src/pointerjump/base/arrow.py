"""pyarrow's modules, each imported when a name of it is first asked for: that takes a tenth of a second."""

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

    class _Later:
        """A module that is imported when it is used."""

        def __init__(self, module: str) -> None:
            self._module = module

        def __getattr__(self, name: str) -> Any:
            found = getattr(import_module(self._module), name)
            setattr(self, name, found)  # which is found without this function from now on
            return found

    pa, pc, csv, ds, pq = map(
        _Later, ("pyarrow", "pyarrow.compute", "pyarrow.csv", "pyarrow.dataset", "pyarrow.parquet")
    )

__all__ = ["csv", "ds", "pa", "pc", "pq"]
