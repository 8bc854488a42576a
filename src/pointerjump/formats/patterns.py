r"""Regular expressions for lines with two ids, which mean the same to Python's re and to pyarrow's RE2."""

from __future__ import annotations

import re
from typing import NamedTuple

COMMENT_LINE = r"^[ \t]*(?:[#%].*)?$"

INTEGER_PAIR = r'^[ \t]*"?(?P<source>-?[0-9]+)"?(?:[ \t]*,[ \t]*|[ \t]+)"?(?P<target>-?[0-9]+)"?(?:[ \t,]|$)'
"""Two integers, and what follows them."""

NO_INTEGER_PAIR = (
    r'^[ \t]*(?:"?-?[0-9]+"?(?:[ \t]*,[ \t]*|[ \t]+))?"-?[0-9]+(?:[^0-9"]|$)'
    r"|^[ \t]*-?[0-9]+(?:[ \t]+-?[0-9]+,|,[0-9]+[ \t]+-?[0-9]+,)"
)
"""A number such as 1,000, in quotes or between blanks, which `INTEGER_PAIR` would take as two."""

OPEN_QUOTE = r'^(?:[^",\t]*[,\t]|"(?:[^"]|"")*"[,\t])*"(?:[^"]|"")*$'
"""A line whose last field has an open quote, and so goes on in the next line."""

NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|[0-9]{1,3}(?:,[0-9]{3})+|0x[0-9a-f]+)",
    re.IGNORECASE,
)
"""Anything that people write for a number: 7, +7, 0.7, 7., 7e3, 0x7, 7,000."""

MOST_COLUMNS = 1000
"""How many times RE2 can repeat a part of a pattern."""

ENDS = ("source", "target")
"""What patterns call the two ids of a line."""

_QUOTED = r'"(?:[^"]|"")*"'

_QUOTED_ID = r'"(?:[^"]|"")*(?:[^"\s]|"")(?:[^"]|"")*"'
"""The same, but not blank."""


class _Fields(NamedTuple):
    """The parts of a line whose fields are separated by one delimiter."""

    beginning: str  # what may stand before the first field
    between: str  # what separates two fields
    first: str  # the first field of a line: it does not begin a comment
    later: str  # any other field
    first_id: str  # a first field that is not empty
    later_id: str  # any other field that is not empty


def _fields_between(delimiter: str, blank: str) -> _Fields:
    """Return the parts of a line of fields that may be empty, quoted, or have a `blank` around them."""
    text = f"[^{delimiter}]*"
    first = rf'(?:{_QUOTED}|[^#%"{delimiter}]{text}|)'
    later = rf'(?:{_QUOTED}|[^"{delimiter}]{text}|)'
    first_id = rf'(?:{_QUOTED_ID}|[^#%"{delimiter}\s]{text})'
    later_id = rf'(?:{_QUOTED_ID}|[^"{delimiter}\s]{text})'
    return _Fields(f"^{blank}*", f"{blank}*{delimiter}{blank}*", first, later, first_id, later_id)


def _fields_between_blanks() -> _Fields:
    """Return the parts of a line whose fields are separated by runs of blanks, so that none is empty."""
    first, later = r"[^#% \t][^ \t]*", r"[^ \t]+"
    return _Fields(r"^[ \t]*", r"[ \t]+", first, later, first, later)


_FIELDS = {
    " ": _fields_between_blanks(),
    "\t": _fields_between(r"\t", blank=" "),
    ",": _fields_between(",", blank=r"[ \t]"),
}


def begins_with_integers(line: bytes) -> bool:
    """Whether the first two fields of a line are integers."""
    pair = re.match(INTEGER_PAIR.encode(), line)
    return pair is not None and re.match(NO_INTEGER_PAIR.encode(), line) is None


def integers_at(columns: tuple[int, int], delimiter: str) -> str:
    """Return the pattern of a line with integers in these columns."""
    integer = r'"?(?P<{}>-?[0-9]+)"?'
    return _ids_at(columns, delimiter, integer, integer)


def texts_at(columns: tuple[int, int], delimiter: str) -> str:
    """Return the pattern of a line with any ids in these columns; quotes are part of what it matches."""
    fields = _FIELDS[delimiter]
    left = fields.later_id if min(columns) else fields.first_id
    return _ids_at(columns, delimiter, f"(?P<{{}}>{left})", f"(?P<{{}}>{fields.later_id})")


def _ids_at(columns: tuple[int, int], delimiter: str, left: str, right: str) -> str:
    """Return the pattern of a line with ids in these columns.

    `left` and `right` are the patterns of the two ids, with a place for the name of the group.
    """
    (low, left_end), (high, right_end) = sorted(zip(columns, ENDS, strict=True))
    fields = _FIELDS[delimiter]
    later = fields.later + fields.between
    before = f"{fields.first}{fields.between}(?:{later}){{{low - 1}}}" if low else ""
    amid = f"{fields.between}(?:{later}){{{high - low - 1}}}"
    end = rf"(?:{fields.between}|[ \t]*$)"
    return f"{fields.beginning}{before}{left.format(left_end)}{amid}{right.format(right_end)}{end}"
