"""The suffixes of files that hold tables. What is read can be written too.

This module is imported whenever the command line starts, so it must not import pyarrow.
"""

from __future__ import annotations

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
