"""Tables in files: Parquet, Arrow and delimited text; one file, those of a pattern, or all in a folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
)
from pointerjump.formats.sources import opened
from pointerjump.tables.arrow_tables import Dataset, Later, Stream, undamaged
from pointerjump.tables.end_names import columns_of_ends, looks_like
from pointerjump.tables.suffixes import COMPRESSED, FORMATS

if TYPE_CHECKING:
    import pyarrow as pa

    from pointerjump.tables.selected import OpenTable

LOOKED_AT = 100
"""Lines of delimited text that are looked at to tell a table from edges."""

_ARROW_FILE = b"ARROW1"
"""What an Arrow file begins with. An Arrow stream does not, but may have the same suffix."""


def open_files(given: Any, name: str | None = None) -> OpenTable:
    """Return a table in files: a path, a pattern of paths (``part-*.parquet``), a folder, or a list of these.

    Files are in order of their names, and those of a list in its order. In a single folder, names such as
    ``year=2024`` of folders within are columns. `name` is what errors call the table. Default: its path.

    Raises
    ------
    FormatError
        If there are no such files, or they are damaged.
    TableError
        If their suffixes are not known, or are of several formats.
    """
    from pointerjump.tables.delimited import DelimitedText

    paths = [*map(as_path, given)] if isinstance(given, list | tuple) else [as_path(given)]
    called = paths[0] if len(paths) == 1 and name is None else Path(name or name_of_all(paths))
    name = name_of(called)
    with naming(called), reading():
        files = _files(paths[0]) if len(paths) == 1 else _files_of_all(paths)
        dataset_of = _dataset_of(files, paths[0] if len(paths) == 1 else None)
        format = _format(files, name)
        if format == "text":
            for file in files:
                if not Path(file).stat().st_size:
                    which = "" if len(files) == 1 else f"{file} "
                    raise FormatError(f"{which}is empty: its first line must name its columns")
            return DelimitedText(dataset_of, files, name)
        if format == "ipc" and not _is_arrow_file(files[0]):
            return _open_stream(files, name)
        return Dataset(dataset_of(format), name, mended=undamaged if format == "ipc" else None)


def hold_pairs(given: Any) -> bool:
    """Return whether files are a table of pairs by their suffixes and the names of their columns, not edges.

    So is a folder of tables, whatever its columns are: no graph is a folder.
    """
    try:
        path = as_path(given[0] if are_paths(given) else given)
        with naming(path):
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
    except PointerjumpError:  # which whoever reads it raises again
        return False
    if ends is None or not ends.sure:
        return False
    pair = [names[column] for column in ends.columns]
    ids = (row[column] for row in below for column in ends.columns if column < len(row))
    return not any(looks_like(id, pair) for id in ids)


@contextmanager
def reading() -> Iterator[None]:
    """Turn what pyarrow raises about a file into a FormatError of one line."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, UnicodeDecodeError) as error:
        # What comes before says that pyarrow looked at a file to learn about its columns.
        reason = one_line(error).rpartition("input source ")[2]
        if "Empty CSV file" in reason:  # or one with nothing but line ends
            raise FormatError("is empty: its first line must name its columns") from error
        way_out = ": save it as UTF-8" if "UTF8" in reason else ""
        raise FormatError(f"cannot be read: {reason}{way_out}") from error


def _files(path: Path) -> list[str]:
    """Return the files of a path: itself, its pattern's, or those in the folder with known suffixes."""
    if path.is_dir():
        inside = (str(file) for file in path.rglob("*") if not _is_hidden(file.relative_to(path)))
        found = [file for file in inside if _format_of(file) and Path(file).is_file()]
        if not found:
            raise FormatError(f"holds no files with a suffix among {_known_suffixes()}")
        return sorted(found)
    found = [*map(str, files_named(path))]
    Path(found[0]).stat()  # raises the error that says what is wrong
    return found


def _files_of_all(paths: Sequence[Path]) -> list[str]:
    files = []
    for path in paths:
        with naming(path):
            files += _files(path)
    return files


def _is_hidden(path: Path) -> bool:
    """Whether a path within a folder is not part of its table, as pyarrow and Spark have it."""
    return any(part.startswith((".", "_")) for part in path.parts)


def _format_of(file: str) -> str | None:
    path = Path(file.lower())
    compressed = path.suffix in COMPRESSED
    format = FORMATS.get(Path(path.stem).suffix if compressed else path.suffix)
    return None if compressed and format != "text" else format


def _format(files: Sequence[str], name: str) -> str:
    """Return the format of files, which must be the same for all."""
    formats = {_format_of(file): file for file in files}
    if None in formats:
        where = f"{name}: " if formats[None] == name else f"{name}: {formats[None]}: "
        raise TableError(f"{where}its suffix says no table: the known ones are {_known_suffixes()}")
    if len(formats) > 1:
        one, other = list(formats.values())[:2]
        raise TableError(f"{name}: {one} and {other} are of two formats: give files of one")
    return str(next(iter(formats)))


def _known_suffixes() -> str:
    return ", ".join(FORMATS) + ", and .csv and .tsv also followed by " + ", ".join(COMPRESSED)


def _dataset_of(files: list[str], folder: Path | None) -> Any:
    """Return a function that makes a data set of these files, perhaps of a folder, given their format."""
    import pyarrow.dataset as ds
    from pyarrow.fs import LocalFileSystem

    # Named, and with absolute paths, or a path with a colon would be taken for a URI.
    local, files = LocalFileSystem(), [str(Path(file).absolute()) for file in files]
    if folder is None or not folder.is_dir():
        return lambda format: ds.dataset(files, format=format, filesystem=local)
    hive: dict[str, Any] = {
        "partitioning": ds.partitioning(flavor="hive"),
        "partition_base_dir": str(folder.absolute()),
    }
    return lambda format: ds.dataset(files, format=format, filesystem=local, **hive)


def _is_arrow_file(file: str) -> bool:
    with Path(file).open("rb") as opened:
        return opened.read(len(_ARROW_FILE)) == _ARROW_FILE


def _open_stream(files: Sequence[str], name: str) -> Stream:
    """Return Arrow streams, one after the other, as a table with the columns of the first."""
    import pyarrow as pa

    with pa.ipc.open_stream(pa.memory_map(files[0])) as stream:
        schema = stream.schema

    def batches() -> Iterator[pa.RecordBatch]:
        for file in files:
            with pa.ipc.open_stream(pa.OSFile(file, "rb")) as stream:
                if not stream.schema.equals(schema):
                    raise TableError(
                        f"{name}: {file} has other columns than {files[0]}: give files of one kind"
                    )
                yield from map(undamaged, stream)

    return Stream(schema, Later(batches), name=name)
