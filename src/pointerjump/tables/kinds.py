"""What is a table: told by its class alone, so that asking costs nothing when a graph was given."""

from __future__ import annotations

from functools import lru_cache
from os import PathLike

from pointerjump.formats.files import are_paths

_TABLES = {
    ("dask", "DataFrame"): "given.refuse_dask",
    ("dask", "Series"): "given.refuse_dask",
    ("pandas", "DataFrame"): "pandas_frames.PandasFrame",
    ("polars", "DataFrame"): "polars_frames.PolarsFrame",
    ("polars", "LazyFrame"): "polars_frames.PolarsFrame",
    ("duckdb", "DuckDBPyRelation"): "duckdb_relations.Relation",
    ("_duckdb", "DuckDBPyRelation"): "duckdb_relations.Relation",
    ("pyarrow", "Table"): "arrow_tables.open_arrow",
    ("pyarrow", "RecordBatch"): "arrow_tables.open_arrow",
    ("pyarrow", "RecordBatchReader"): "arrow_tables.open_arrow",
    ("pyarrow", "Dataset"): "arrow_tables.open_arrow",
    ("pyarrow", "Scanner"): "arrow_tables.open_arrow",
}
"""What opens a table, by the package and the name of its class or of a class that it inherits from."""

_COLUMNS = {("polars", "Series"), ("pyarrow", "Array"), ("pyarrow", "ChunkedArray"), ("pandas", "Series")}
"""Single columns, which have the Arrow PyCapsule interface too, but are no tables."""


def is_table(given: object) -> bool:
    """Return whether something is a table, and not a graph in another form. Paths may be either: no."""
    return opener(given) is not None


def are_files_of_pairs(given: object) -> bool:
    """Return whether something is a path, or a list of paths, to a table of pairs; see `hold_pairs`."""
    if not isinstance(given, str | PathLike) and not are_paths(given):
        return False
    from pointerjump.tables.files import hold_pairs

    return hold_pairs(given)


def opener(given: object) -> str | None:
    """Return what opens a table, or None if it is not one."""
    return _opener_of(type(given))  # type: ignore[arg-type]  # mypy does not know that classes are hashable


@lru_cache(maxsize=1024)
def _opener_of(kind: type) -> str | None:
    """Return what opens a table of this class, without importing the package that it comes from."""
    classes = [(base.__module__.partition(".")[0], base.__name__) for base in kind.__mro__]
    known = next((_TABLES[each] for each in classes if each in _TABLES), None)
    if known or any(each in _COLUMNS for each in classes):
        return known
    capsules = hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "__arrow_c_array__")
    return "arrow_tables.open_capsule" if capsules else None
