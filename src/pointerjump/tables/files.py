"""Tables in files: Parquet, Arrow and delimited text; one file, those of a pattern, or all in a folder."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pointerjump.errors import FormatError, TableError
from pointerjump.formats.files import as_path, name_of, naming, one_line
from pointerjump.tables.arrow_tables import Dataset, Later, Stream, undamaged
from pointerjump.tables.suffixes import COMPRESSED, FORMATS

if TYPE_CHECKING:
    import pyarrow as pa

    from pointerjump.tables.selected import OpenTable

_ARROW_FILE = b"ARROW1"
"""What an Arrow file begins with. An Arrow stream does not, but may have the same suffix."""


def open_files(given: Any) -> OpenTable:
    """Return a table in files, given by a path, a pattern of paths (``part-*.parquet``) or a folder.

    Files are in order of their names. In a folder, names such as ``year=2024`` of folders within are columns.

    Raises
    ------
    FormatError
        If there are no such files, or they are damaged.
    TableError
        If their suffixes are not known, or are of several formats.
    """
    from pointerjump.tables.delimited import DelimitedText

    path = as_path(given)
    name = name_of(path)
    with naming(path), reading():
        files = _files(path)
        format = _format(files, name)
        if format == "text":
            return DelimitedText(_dataset_of(files, path), files, name)
        if format == "ipc" and not _is_arrow_file(files[0]):
            return _open_stream(files, name)
        return Dataset(_dataset_of(files, path)(format), name, in_place=format == "ipc")


@contextmanager
def reading() -> Iterator[None]:
    """Turn what pyarrow raises about a file into a FormatError of one line."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, UnicodeDecodeError) as error:
        # What comes before says that pyarrow looked at a file to learn about its columns.
        reason = one_line(error).rpartition("input source ")[2]
        if "Empty CSV file" in reason:
            raise FormatError(
                f"{reason.partition(': ')[0]} is empty: its first line must name its columns"
            ) from error
        way_out = ": save it as UTF-8" if "UTF8" in reason else ""
        raise FormatError(f"cannot be read: {reason}{way_out}") from error


def _files(path: Path) -> list[str]:
    """Return the files of a path: itself, its pattern's, or those in the folder with known suffixes."""
    if path.is_dir():
        inside = (str(file) for file in path.rglob("*") if not _is_hidden(file.relative_to(path)))
        found = [file for file in inside if _format_of(file) and Path(file).is_file()]
        missing = f"holds no files with a suffix among {_known_suffixes()}"
    elif not path.exists() and glob.has_magic(str(path)):
        found = [file for file in glob.glob(str(path), recursive=True) if Path(file).is_file()]  # noqa: PTH207
        missing = "no file has a name of this pattern"
    else:
        path.stat()  # raises the error that says what is wrong
        found, missing = [str(path)], ""
    if not found:
        raise FormatError(missing)
    return sorted(found)


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


def _dataset_of(files: list[str], path: Path) -> Any:
    """Return a function that makes a data set of these files, given their format."""
    import pyarrow.dataset as ds
    from pyarrow.fs import LocalFileSystem

    # Named, and with absolute paths, or a path with a colon would be taken for a URI.
    local, files = LocalFileSystem(), [str(Path(file).absolute()) for file in files]
    if not path.is_dir():
        return lambda format: ds.dataset(files, format=format, filesystem=local)
    hive: dict[str, Any] = {
        "partitioning": ds.partitioning(flavor="hive"),
        "partition_base_dir": str(path.absolute()),
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
