"""Opens tables in Parquet, Arrow or delimited text: one file, a folder, a glob pattern or a list of these.

The first line of delimited text contains the names of the columns. If there is no such line, the columns are
named 0, 1 and so on. The separator is a comma, tab or semicolon, whichever is most frequent in the first
line. Columns of ids that are compared with one another, such as the two ends of pairs, are read as integers
only if all of them contain plain integers in every row (``00123`` and ``+5`` are not plain). Otherwise, their
ids are read as text. To check this, a file whose first rows contain integers is read twice. Numbers in other
columns are read as floating-point numbers. An empty field is null.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from pointerjump.base.arrow import csv, ds, pa, pc
from pointerjump.errors import FormatError, PointerjumpError, TableError
from pointerjump.formats.edge_list import fields_of_lines
from pointerjump.formats.files import (
    are_paths,
    as_path,
    base_suffix,
    files_named,
    name_of,
    name_of_all,
    naming,
    one_line,
    table_within,
)
from pointerjump.formats.sources import opened
from pointerjump.tables.end_names import columns_of_ends, looks_like
from pointerjump.tables.frames import OpenTable, Rows, of_batches, open_dataset
from pointerjump.tables.write import COMPRESSED, FORMATS

LOOKED_AT = 100  # number of lines of delimited text that decide whether it is a table or a list of edges

_KNOWN = ", ".join(FORMATS) + ", and .csv and .tsv also followed by " + ", ".join(COMPRESSED)


def open_files(given: Any, name: str | None = None, header: bool | None = None) -> OpenTable:
    """Open a table that is stored in one or more files.

    Files are sorted by name, except that a list keeps its order. If `given` is a single folder, names of
    subfolders such as ``year=2024`` become columns. Error messages refer to the table as `name`, which
    defaults to its path. `header` says whether the first line of delimited text contains the names of the
    columns. By default, it does.
    """
    paths = [*map(as_path, given)] if isinstance(given, list | tuple) else [as_path(given)]
    called = paths[0] if len(paths) == 1 and name is None else Path(name or name_of_all(paths))
    name = name_of(called)
    with naming(called), _reading():
        files = []
        for path in paths:
            with naming(path) if len(paths) > 1 else nullcontext():
                files += _files(path)
        dataset_of = _dataset_of(files, paths[0] if len(paths) == 1 else None)
        formats = {_format_of(file): file for file in files}
        if None in formats:
            where = f"{name}: " if formats[None] == name else f"{name}: {formats[None]}: "
            raise TableError(f"{where}its suffix says no table: the known ones are {_KNOWN}")
        if len(formats) > 1:
            one, other = list(formats.values())[:2]
            raise TableError(f"{name}: {one} and {other} are of two formats: give files of one")
        (format,) = formats
        if format == "text":
            for each in files:
                if not Path(each).stat().st_size:
                    which = "" if len(files) == 1 else f"{each} "
                    raise FormatError(f"{which}is empty: its first line must name its columns")
        elif header is not None:
            raise TableError(f"{name}: --header is for delimited text: leave it out")
        else:
            if format == "ipc":
                with Path(files[0]).open("rb") as file:
                    if table_within(file.read(16)) != ".arrow":  # a stream may have a file's suffix
                        return _open_stream(files, name)
            return open_dataset(dataset_of(format), name, mended=_undamaged if format == "ipc" else None)
    return _open_delimited(dataset_of, files, name, header=header is not False)  # names its files itself


def hold_pairs(given: Any) -> bool:
    """Return whether files contain a table of pairs, judging by their suffixes and column names.

    A folder of tables always counts as a table of pairs.
    """
    try:
        with naming(given[0] if are_paths(given) else given) as path:
            if path.is_dir():
                return bool(_files(path))
            if (format := _format_of(str(path))) is None:
                return False
            file = files_named(path)[0]
        if format == "text":
            with opened(file) as source:
                usual = "\t" if base_suffix(file) == ".tsv" else ","
                names, *below = fields_of_lines(source, usual, LOOKED_AT) or [[]]
        else:
            names, below = list(open_files(file).names), []
        ends = columns_of_ends(names)
    except PointerjumpError:  # the reader will raise the error again
        return False
    if ends is None:
        return False
    columns = list(map(names.index, ends))
    ids = (row[column] for row in below for column in columns if column < len(row))
    return not any(looks_like(id, ends) for id in ids)


@contextmanager
def _reading() -> Iterator[None]:
    """Convert an error that pyarrow raises about a file to a one-line FormatError."""
    try:
        yield
    except (pa.ArrowException, UnicodeDecodeError) as error:
        # The text before this says that pyarrow read a file to infer its columns.
        reason = one_line(error).rpartition("input source ")[2]
        if "Empty CSV file" in reason:  # or a file that holds only line ends
            raise FormatError("is empty: its first line must name its columns") from error
        way_out = ": save it as UTF-8" if "UTF8" in reason else ""
        raise FormatError(f"cannot be read: {reason}{way_out}") from error


def _files(path: Path) -> list[str]:
    """Return the files that a path refers to: one file, matches of a pattern or the tables in a folder."""
    if path.is_dir():
        found = [
            str(file)
            for file in path.rglob("*")
            # Files that pyarrow and Spark call hidden are not part of the table.
            if not any(part.startswith((".", "_")) for part in file.relative_to(path).parts)
            and _format_of(str(file))
            and file.is_file()
        ]
        if not found:
            raise FormatError(f"holds no files with a suffix among {_KNOWN}")
        return sorted(found)
    found = [*map(str, files_named(path))]
    Path(found[0]).stat()  # raises an error that says what is wrong
    return found


def _format_of(file: str) -> str | None:
    path = Path(file.lower())
    compressed = path.suffix in COMPRESSED
    format = FORMATS.get(Path(path.stem).suffix if compressed else path.suffix)
    return None if compressed and format != "text" else format


def _dataset_of(files: list[str], folder: Path | None) -> Any:
    """Return a function that takes a format and opens the files as an Arrow dataset."""
    from pyarrow.fs import LocalFileSystem

    # Without the file system and absolute paths, a path with a colon would be read as a URI.
    options: dict[str, Any] = {"filesystem": LocalFileSystem()}
    if folder is not None and folder.is_dir():
        options["partitioning"] = ds.partitioning(flavor="hive")
        options["partition_base_dir"] = str(folder.absolute())
    absolute = [str(Path(file).absolute()) for file in files]
    return lambda format: ds.dataset(absolute, format=format, **options)


def _open_stream(files: Sequence[str], name: str) -> OpenTable:
    """Open Arrow streams as one table. All of them must have the schema of the first stream."""
    with pa.ipc.open_stream(pa.memory_map(files[0])) as stream:
        schema = stream.schema

    def batches() -> Iterator[pa.RecordBatch]:
        for file in files:
            with pa.ipc.open_stream(pa.OSFile(file, "rb")) as stream:
                if not stream.schema.equals(schema):
                    raise TableError(
                        f"{name}: {file} has other columns than {files[0]}: give files of one kind"
                    )
                yield from map(_undamaged, stream)

    return of_batches(schema, batches, name=name)


def _undamaged(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch unchanged, or raise pyarrow's error if a value is outside the batch's buffers."""
    batch.validate(full=True)
    return batch


# -- delimited text ----------------------------------------------------------------------------------

_SEPARATORS = (",", "\t", ";")
_LOOKED_AT = 1 << 16  # bytes that are read to find the first line

_HINT = " (the first line of delimited text must name its columns; --no-header numbers them)"


def _open_delimited(
    dataset_of: Callable[[Any], Any], files: Sequence[str], name: str, *, header: bool
) -> OpenTable:
    with naming(files[0]), pa.input_stream(files[0]) as stream:
        line = re.match(rb"[^\r\n]*", stream.read(_LOOKED_AT))
    assert line is not None  # any bytes begin with a line, which may be empty
    first = re.sub(r'"[^"]*"', "", line[0].decode("utf-8", "replace"))  # without text in quotes
    separator = max(_SEPARATORS, key=first.count)
    numbers = [] if header else list(map(str, range(first.count(separator) + 1)))

    def of_types(types: dict[str, Any]) -> Any:
        format = ds.CsvFileFormat(
            parse_options=csv.ParseOptions(delimiter=separator, newlines_in_values=True),
            convert_options=csv.ConvertOptions(column_types=types),
            read_options=csv.ReadOptions(column_names=numbers),
        )
        with naming(name), _reading():
            return dataset_of(format)

    inferred = of_types({}).schema  # inferred from the first rows

    def type_of_ids(columns: Sequence[str]) -> pa.DataType:
        """Return an integer type that can hold all values in the given columns, or text if there is none."""
        types = [inferred.field(column).type for column in columns]
        if any(not (pa.types.is_integer(type) or pa.types.is_floating(type)) for type in types):
            return pa.string()
        as_text = open_dataset(of_types(dict.fromkeys(columns, pa.string())), name)
        possible: list[pa.DataType] = [pa.int64(), pa.uint64()]
        for batch in as_text.select(columns, compared=()).batches():
            possible = [type for type in possible if all(_are_plain(text, type) for text in batch.columns)]
            if not possible:
                return pa.string()
        return possible[0]

    def part(columns: Sequence[str], compared: Sequence[Sequence[str]]) -> tuple[pa.Schema, int | None, Rows]:
        # In columns without ids, the first rows may hold integers, and later rows may hold other numbers.
        types = {column: inferred.field(column).type for column in columns}
        for column, type in types.items():
            if pa.types.is_integer(type) or pa.types.is_null(type):
                types[column] = pa.float64()
        for group in compared:
            types |= dict.fromkeys(group, type_of_ids(group))
        return open_dataset(of_types(types), name, mended=_without_empty_text).part(columns, compared)

    return OpenTable(inferred.names, part, name=name, hint=_HINT)


def _without_empty_text(batch: Any) -> Any:
    """Replace empty strings with nulls, because CSV does not distinguish between them."""
    empty: Any = pa.scalar("")
    columns = [
        pc.if_else(pc.equal(column, empty), None, column) if pa.types.is_string(column.type) else column
        for column in batch.columns
    ]
    return pa.record_batch(columns, names=batch.schema.names)


def _are_plain(text: Any, type: pa.DataType) -> bool:
    """Return whether all strings are integers of the given type, without plus signs or leading zeros."""
    if not pa.types.is_string(text.type):  # a value from a folder's name, such as year=2024
        return pa.types.is_integer(text.type)
    zero_first = text.filter(pc.or_(pc.starts_with(text, "0"), pc.starts_with(text, "-0")))
    try:
        text.cast(type)
    except pa.ArrowInvalid:
        return False
    return pc.all(pc.equal(zero_first, pa.scalar("0"))).as_py() is not False
