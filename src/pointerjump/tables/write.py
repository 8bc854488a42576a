"""Tables in files that are written: Parquet, Arrow, CSV and TSV, each whole or not at all.

What is read can be written too, so the suffixes of both are here. The command line imports this module
whenever it starts: pyarrow is not imported with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pointerjump.errors import FormatError
from pointerjump.formats import parsing
from pointerjump.formats.files import PathLike, as_path, base_suffix, compression_of, naming
from pointerjump.formats.outputs import replacing, require_writable

if TYPE_CHECKING:
    import pyarrow as pa


BINARY = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".arrows": "ipc",
    ".feather": "ipc",
    ".ipc": "ipc",
}
"""Suffixes of files that hold tables and nothing else, and their formats."""

ARROW_STREAM = ".arrows"
"""Under this suffix an Arrow stream is written; under the other ones of Arrow, an Arrow file."""

DELIMITERS = {".csv": ",", ".tsv": "\t"}
"""Suffixes of text, which may hold other things than tables, and what stands between two fields."""

FORMATS = {**BINARY, **dict.fromkeys(DELIMITERS, "text")}
"""What each suffix says of a file's format."""

COMPRESSED = (".gz", ".bz2", ".zst")
"""What may follow the suffix of delimited text that is read."""

ROW_GROUP = 1 << 20
"""How many rows are written at a time: a row group of Parquet, so that no reader needs much memory either."""


def write_table(path: PathLike, schema: pa.Schema, parts: Iterable[pa.Table]) -> None:
    """Write a table to a file whose suffix says the format, given its rows some at a time.

    Of text, the suffix of a compression may follow. Of Parquet, each part becomes a row group. A FormatError
    says that the file cannot be written, has another suffix, or is text and a column holds bytes.
    """
    require_text_for_columns(path, schema)
    target = as_path(path)
    with naming(target), replacing(target) as file, _writing(_format(target), file, schema) as write:
        for part in parts:
            write(part)


def require_table_file(path: PathLike) -> None:
    """Refuse a path that :func:`write_table` could not write to, before any work is done."""
    require_writable(path)
    with naming(Path(path)):
        _format(Path(path))


def require_text_for_columns(path: PathLike, fields: Iterable[pa.Field[Any]]) -> None:
    """Refuse a file of text if a column holds bytes."""
    target = as_path(path)
    with naming(target):
        for field in fields if base_suffix(target) in DELIMITERS else ():
            if not _has_text(field.type):
                raise FormatError(
                    f"is text, and column {field.name!r} holds {field.type}: write .parquet or .arrow"
                )


def _format(path: Path) -> str:
    """Return the suffix that says how a file is written, without that of a compression."""
    suffix = base_suffix(path)
    if suffix not in FORMATS:
        raise FormatError(f"has the suffix {suffix!r}: tables end in {', '.join(BINARY)}, .csv or .tsv")
    if suffix in BINARY and compression_of(path):
        raise FormatError(f"cannot be compressed as a whole: leave out {path.suffix}")
    return suffix


@contextmanager
def _writing(suffix: str, file: Any, schema: pa.Schema) -> Iterator[Callable[[pa.Table], None]]:
    """Return what writes a part of a table to a file that is open."""
    import pyarrow as pa

    if suffix in DELIMITERS:
        delimiter = DELIMITERS[suffix]
        file.write(f"{delimiter.join(schema.names)}\n".encode())
        yield lambda part: parsing.write_columns(file, list(map(_as_text, part.columns)), delimiter)
    elif BINARY[suffix] == "parquet":
        import pyarrow.parquet as pq

        # In the first column no id is twice: a dictionary of them would cost time and space.
        with pq.ParquetWriter(file, schema, use_dictionary=cast(Any, schema.names[1:])) as writer:
            yield lambda part: writer.write_table(part, row_group_size=max(1, len(part)))
    else:
        make: Any = pa.ipc.new_stream if suffix == ARROW_STREAM else pa.ipc.new_file
        with make(file, schema) as to_arrow:
            yield to_arrow.write_table


def _has_text(type: pa.DataType) -> bool:
    """Return whether people can read the values of a type, or those that are within one."""
    import pyarrow as pa

    types = pa.types
    while types.is_dictionary(type) or types.is_list(type) or types.is_large_list(type):
        type = type.value_type
    is_bytes = types.is_binary(type) or types.is_large_binary(type) or types.is_binary_view(type)
    return not (is_bytes or types.is_fixed_size_binary(type) or isinstance(type, pa.BaseExtensionType))


def _as_text(column: pa.ChunkedArray[Any]) -> Any:
    """Return a column as pyarrow can write it to text, which it cannot from views."""
    import pyarrow as pa

    whole = column.combine_chunks()
    return whole.cast(pa.large_string()) if pa.types.is_string_view(whole.type) else whole
