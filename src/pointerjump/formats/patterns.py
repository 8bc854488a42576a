r"""The shapes of lines with two ids, as regular expressions that Python's re and pyarrow's RE2 read alike."""

from __future__ import annotations

import re

COMMENT_LINE = r"^[ \t]*(?:[#%].*)?$"

INTEGER_PAIR = r'^[ \t]*"?(?P<source>-?[0-9]+)"?(?:[ \t]*,[ \t]*|[ \t]+)"?(?P<target>-?[0-9]+)"?(?:[ \t,]|$)'
"""Two integers, and what follows them."""

NO_INTEGER_PAIR = (
    r'^[ \t]*(?:"?-?[0-9]+"?(?:[ \t]*,[ \t]*|[ \t]+))?"-?[0-9]+(?:[^0-9"]|$)'
    r"|^[ \t]*-?[0-9]+(?:[ \t]+-?[0-9]+,|,[0-9]+[ \t]+-?[0-9]+,)"
)
"""Numbers such as 1,000, in quotes or between blanks, which `INTEGER_PAIR` would take for two."""

OPEN_QUOTE = r'^(?:[^",\t]*[,\t]|"(?:[^"]|"")*"[,\t])*"(?:[^"]|"")*$'
"""A line whose last field goes on in the next line, which is then no line of its own."""

NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|[0-9]{1,3}(?:,[0-9]{3})+|0x[0-9a-f]+)",
    re.IGNORECASE,
)
"""What somebody may mean as a number: 7, +7, 0.7, 7., 7e3, 0x7, 7,000."""

MOST_COLUMNS = 1000
"""RE2 repeats a part of a pattern up to this many times."""

_QUOTED = r'"(?:[^"]|"")*"'
_FIELD = {" ": r"\S+", "\t": rf'(?:{_QUOTED}|[^"\t][^\t]*|)', ",": rf'(?:{_QUOTED}|[^",][^,]*|)'}
_FIRST_FIELD = {  # begins no comment
    " ": r"[^#%\s]\S*",
    "\t": rf'(?:{_QUOTED}|[^#%"\t][^\t]*|)',
    ",": rf'(?:{_QUOTED}|[^#%",][^,]*|)',
}
_TEXT = {" ": r"[^#%\s]\S*", "\t": r'[^#%"\s][^\t]*', ",": r'[^#%",\s][^,]*'}
_LATER_TEXT = {" ": r"\S+", "\t": r'[^"\s][^\t]*', ",": r'[^",\s][^,]*'}
_BEGINNING = {" ": r"^[ \t]*", "\t": r"^ *", ",": r"^[ \t]*"}
_BETWEEN = {" ": r"[ \t]+", "\t": r" *\t *", ",": r"[ \t]*,[ \t]*"}


def begins_with_integers(line: bytes) -> bool:
    """Whether the first two fields of a line are integers."""
    pair = re.match(INTEGER_PAIR.encode(), line)
    return pair is not None and re.match(NO_INTEGER_PAIR.encode(), line) is None


def integers_at(columns: tuple[int, int], delimiter: str) -> str:
    """Return the pattern of a line with integers in these columns."""
    integer = r'"?(?P<{}>-?[0-9]+)"?'
    end = rf"(?:{_BETWEEN[delimiter]}|[ \t]*$)"
    return _ids_at(columns, delimiter, integer.format("one"), integer.format("other") + end)


def texts_at(columns: tuple[int, int], delimiter: str) -> str:
    """Return the pattern of a line with any ids, but no quotes, in these columns."""
    first = _LATER_TEXT if min(columns) else _TEXT
    one, other = f"(?P<one>{first[delimiter]})", f"(?P<other>{_LATER_TEXT[delimiter]})"
    return _ids_at(columns, delimiter, one, other)


def _ids_at(columns: tuple[int, int], delimiter: str, one: str, other: str) -> str:
    """Return the pattern of a line with `one` in the column that comes first, and `other` in the next."""
    low, high = sorted(columns)
    field, between = _FIELD[delimiter], _BETWEEN[delimiter]
    before = f"{_FIRST_FIELD[delimiter]}{between}(?:{field}{between}){{{low - 1}}}" if low else ""
    amid = f"(?:{field}{between}){{{high - low - 1}}}"
    return f"{_BEGINNING[delimiter]}{before}{one}{between}{amid}{other}"
