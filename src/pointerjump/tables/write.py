"""Writes tables to Parquet, Arrow, CSV or TSV files. A file is written as a whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from pointerjump.base.arrow import pa, pq
from pointerjump.errors import FormatError
from pointerjump.formats import parsing
from pointerjump.formats.files import (
    ARROW,
    ARROW_STREAM,
    DELIMITERS,
    PARQUET,
    PathLike,
    base_suffix,
    compression_of,
    naming,
)
from pointerjump.formats.outputs import replacing, require_writable

BINARY = dict.fromkeys(PARQUET, "parquet") | dict.fromkeys(ARROW, "ipc")  # files that hold only tables
FORMATS = {**BINARY, **dict.fromkeys(DELIMITERS, "text")}  # the format of each suffix
COMPRESSED = (".gz", ".bz2", ".zst")  # suffixes of compressed delimited text, for reading

ROW_GROUP = 1 << 20  # rows written at a time as a Parquet row group; readers thus need little memory, too


def write_table(path: PathLike, schema: pa.Schema, parts: Iterable[pa.Table]) -> None:
    """Write the parts of a table to a file, in the format that the file's suffix specifies.

    The name of a delimited text file may end in a further suffix, which specifies the compression. In a
    Parquet file, each part becomes a row group. Raise a FormatError if the file cannot be written, if its
    suffix is not supported, or if a column contains bytes and the format is text.
    """
    require_text_for_columns(path, schema)
    with naming(path) as target, replacing(target) as file:
        suffix = _format(target)
        if suffix in DELIMITERS:
            delimiter = DELIMITERS[suffix]
            file.write(f"{delimiter.join(schema.names)}\n".encode())
            for part in parts:
                parsing.write_columns(file, list(map(_as_text, part.columns)), delimiter)
        elif BINARY[suffix] == "parquet":
            # The first column holds each id once, so a dictionary would only cost time and space.
            with pq.ParquetWriter(file, schema, use_dictionary=cast(Any, schema.names[1:])) as writer:
                for part in parts:
                    writer.write_table(part, row_group_size=max(1, len(part)))
        else:
            make: Any = pa.ipc.new_stream if suffix == ARROW_STREAM else pa.ipc.new_file
            with make(file, schema) as to_arrow:
                for part in parts:
                    to_arrow.write_table(part)


def require_table_file(path: PathLike) -> None:
    """Check in advance that :func:`write_table` can write to a path."""
    require_writable(path)
    with naming(path) as target:
        _format(target)


def require_text_for_columns(path: PathLike, fields: Iterable[pa.Field[Any]]) -> None:
    with naming(path) as target:
        for field in fields if base_suffix(target) in DELIMITERS else ():
            if not _has_text(field.type):
                raise FormatError(
                    f"is text, and column {field.name!r} holds {field.type}: write .parquet or .arrow"
                )


def _format(path: Path) -> str:
    """Return the suffix that specifies the format of a file, without any suffix for compression."""
    suffix = base_suffix(path)
    if suffix not in FORMATS:
        raise FormatError(f"has the suffix {suffix!r}: tables end in {', '.join(BINARY)}, .csv or .tsv")
    if suffix in BINARY and compression_of(path):
        raise FormatError(f"cannot be compressed as a whole: leave out {path.suffix}")
    return suffix


def _has_text(type: pa.DataType) -> bool:
    types = pa.types
    while types.is_dictionary(type) or types.is_list(type) or types.is_large_list(type):
        type = type.value_type
    is_bytes = types.is_binary(type) or types.is_large_binary(type) or types.is_binary_view(type)
    return not (is_bytes or types.is_fixed_size_binary(type) or isinstance(type, pa.BaseExtensionType))


def _as_text(column: pa.ChunkedArray[Any]) -> Any:
    """Convert a column of string views to strings, because pyarrow cannot write views as text."""
    whole = column.combine_chunks()
    return whole.cast(pa.large_string()) if pa.types.is_string_view(whole.type) else whole
