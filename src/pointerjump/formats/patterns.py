r"""Regular expressions for lines with two ids. They work the same way in Python's re and pyarrow's RE2."""

from __future__ import annotations

import re
from typing import NamedTuple

COMMENT_LINE = r"^[ \t]*(?:[#%].*)?$"

# Two integers, and the separator or line end after them.
INTEGER_PAIR = r'^[ \t]*"?(?P<source>-?[0-9]+)"?(?:[ \t]*,[ \t]*|[ \t]+)"?(?P<target>-?[0-9]+)"?(?:[ \t,]|$)'
# A number that may be a fraction.
WEIGHT = r"(?P<weight>[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?(?i:inf|infinity|nan))"
# Two integers, a number, and the separator or line end after them.
WEIGHTED_PAIR = INTEGER_PAIR.removesuffix("(?:[ \\t,]|$)") + (
    rf'(?:[ \t]*,[ \t]*|[ \t]+)"?{WEIGHT}"?(?:[ \t,]|$)'
)
# A number such as 1,000, in quotes or between blanks, which `INTEGER_PAIR` would read as two integers.
NO_INTEGER_PAIR = (
    r'^[ \t]*(?:"?-?[0-9]+"?(?:[ \t]*,[ \t]*|[ \t]+))?"-?[0-9]+(?:[^0-9"]|$)'
    r"|^[ \t]*-?[0-9]+(?:[ \t]+-?[0-9]+,|,[0-9]+[ \t]+-?[0-9]+,)"
)
# A line whose last field has an open quote, so that the field continues on the next line.
OPEN_QUOTE = r'^(?:[^",\t]*[,\t]|"(?:[^"]|"")*"[,\t])*"(?:[^"]|"")*$'
MOST_COLUMNS = 1000  # the most repetitions that RE2 allows in a pattern
ENDS = ("source", "target")  # the names of a line's two ids in patterns


class _Fields(NamedTuple):
    """Patterns for the parts of a line whose fields are separated by a given delimiter."""

    beginning: str  # what may precede the first field
    between: str  # what separates two fields
    first: str  # the first field of a line, which does not begin a comment
    later: str  # any other field
    first_id: str  # a first field that is not empty
    later_id: str  # any other field that is not empty


def _fields_between(delimiter: str, blank: str) -> _Fields:
    """Return regular expressions for the fields of a line and for what surrounds them.

    Fields may be empty, quoted or surrounded by `blank`.
    """
    quoted, quoted_id = r'"(?:[^"]|"")*"', r'"(?:[^"]|"")*(?:[^"\s]|"")(?:[^"]|"")*"'
    text = f"[^{delimiter}]*"
    return _Fields(
        f"^{blank}*",
        f"{blank}*{delimiter}{blank}*",
        rf'(?:{quoted}|[^#%"{delimiter}]{text}|)',
        rf'(?:{quoted}|[^"{delimiter}]{text}|)',
        rf'(?:{quoted_id}|[^#%"{delimiter}\s]{text})',
        rf'(?:{quoted_id}|[^"{delimiter}\s]{text})',
    )


_BETWEEN_BLANKS = r"[^#% \t][^ \t]*", r"[^ \t]+"
_FIELDS = {
    " ": _Fields(r"^[ \t]*", r"[ \t]+", *_BETWEEN_BLANKS, *_BETWEEN_BLANKS),
    "\t": _fields_between(r"\t", blank=" "),
    ",": _fields_between(",", blank=r"[ \t]"),
}


def begins_with_integers(line: bytes) -> bool:
    pair = re.match(INTEGER_PAIR.encode(), line)
    return pair is not None and re.match(NO_INTEGER_PAIR.encode(), line) is None


def integers_at(columns: tuple[int, int], delimiter: str) -> str:
    """Return a pattern for lines with integers in the given columns."""
    integer = r'"?(?P<{}>-?[0-9]+)"?'
    return _ids_at(columns, delimiter, integer, integer)


def texts_at(columns: tuple[int, int], delimiter: str) -> str:
    """Return a pattern for lines with ids of any type in the given columns. Quotes are kept."""
    fields = _FIELDS[delimiter]
    left = fields.later_id if min(columns) else fields.first_id
    return _ids_at(columns, delimiter, f"(?P<{{}}>{left})", f"(?P<{{}}>{fields.later_id})")


def _ids_at(columns: tuple[int, int], delimiter: str, left: str, right: str) -> str:
    """Return a pattern for lines with ids in the given columns.

    `left` and `right` are patterns for the two ids. In each, ``{}`` stands for the name of a group.
    """
    (low, left_end), (high, right_end) = sorted(zip(columns, ENDS, strict=True))
    fields = _FIELDS[delimiter]
    later = fields.later + fields.between
    before = f"{fields.first}{fields.between}(?:{later}){{{low - 1}}}" if low else ""
    amid = f"{fields.between}(?:{later}){{{high - low - 1}}}"
    end = rf"(?:{fields.between}|[ \t]*$)"
    return f"{fields.beginning}{before}{left.format(left_end)}{amid}{right.format(right_end)}{end}"
