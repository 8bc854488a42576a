r"""The shapes of lines with two ids, as regular expressions that Python's re and pyarrow's RE2 read alike."""

from __future__ import annotations

import re
from dataclasses import dataclass

COMMENT_LINE = r"^[ \t]*(?:[#%].*)?$"

INTEGER_PAIR = r'^[ \t]*"?(?P<source>-?[0-9]+)"?(?:[ \t]*,[ \t]*|[ \t]+)"?(?P<target>-?[0-9]+)"?(?:[ \t,]|$)'
"""Two integers, and what follows them."""

NO_INTEGER_PAIR = (
    r'^[ \t]*(?:"?-?[0-9]+"?(?:[ \t]*,[ \t]*|[ \t]+))?"-?[0-9]+(?:[^0-9"]|$)'
    r"|^[ \t]*-?[0-9]+(?:[ \t]+-?[0-9]+,|,[0-9]+[ \t]+-?[0-9]+,)"
)
"""Numbers such as 1,000, in quotes or between blanks, which `INTEGER_PAIR` would take for two."""

OPEN_QUOTE = r'^(?:[^",\t]*[,\t]|"(?:[^"]|"")*"[,\t])*"(?:[^"]|"")*$'
"""A line whose last field goes on in the next line, which is then not a line of its own."""

NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|[0-9]{1,3}(?:,[0-9]{3})+|0x[0-9a-f]+)",
    re.IGNORECASE,
)
"""What somebody may mean as a number: 7, +7, 0.7, 7., 7e3, 0x7, 7,000."""

MOST_COLUMNS = 1000
"""RE2 repeats a part of a pattern up to this many times."""

ENDS = ("source", "target")
"""What patterns of a line with two ids call them."""

_QUOTED = r'"(?:[^"]|"")*"'

_QUOTED_ID = r'"(?:[^"]|"")*(?:[^"\s]|"")(?:[^"]|"")*"'
"""As `_QUOTED`, but not blank."""


@dataclass(frozen=True)
class _Fields:
    """The parts of a line whose fields one delimiter separates."""

    beginning: str
    """What may stand before the first field."""
    between: str
    """What separates two fields."""
    first: str
    """The first field of a line, which does not begin a comment."""
    later: str
    """Any other field."""
    first_id: str
    """As `first`, but not empty."""
    later_id: str
    """As `later`, but not empty."""


def _fields_between(delimiter: str, blank: str) -> _Fields:
    """Return the parts of a line of fields that may be empty, quoted, or have a `blank` around them."""
    text = f"[^{delimiter}]*"
    return _Fields(
        beginning=f"^{blank}*",
        between=f"{blank}*{delimiter}{blank}*",
        first=rf'(?:{_QUOTED}|[^#%"{delimiter}]{text}|)',
        later=rf'(?:{_QUOTED}|[^"{delimiter}]{text}|)',
        first_id=rf'(?:{_QUOTED_ID}|[^#%"{delimiter}\s]{text})',
        later_id=rf'(?:{_QUOTED_ID}|[^"{delimiter}\s]{text})',
    )


_FIELDS = {
    " ": _Fields(
        beginning=r"^[ \t]*",
        between=r"[ \t]+",
        first=r"[^#% \t][^ \t]*",
        later=r"[^ \t]+",
        first_id=r"[^#% \t][^ \t]*",
        later_id=r"[^ \t]+",
    ),
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
    """Return the pattern of a line with any ids in these columns; those in quotes keep them."""
    fields = _FIELDS[delimiter]
    left = fields.later_id if min(columns) else fields.first_id
    return _ids_at(columns, delimiter, f"(?P<{{}}>{left})", f"(?P<{{}}>{fields.later_id})")


def _ids_at(columns: tuple[int, int], delimiter: str, left: str, right: str) -> str:
    """Return the pattern of a line with ids in these columns; `left` and `right` lack the groups' names."""
    (low, left_end), (high, right_end) = sorted(zip(columns, ENDS, strict=True))
    fields = _FIELDS[delimiter]
    later = fields.later + fields.between
    before = f"{fields.first}{fields.between}(?:{later}){{{low - 1}}}" if low else ""
    amid = f"{fields.between}(?:{later}){{{high - low - 1}}}"
    end = rf"(?:{fields.between}|[ \t]*$)"
    return f"{fields.beginning}{before}{left.format(left_end)}{amid}{right.format(right_end)}{end}"
