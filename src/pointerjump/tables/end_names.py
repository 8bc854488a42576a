"""Finds the two columns of a table that hold the ends of its edges, judging by their names.

Two names are a pair if they differ in one word, and the two words are opposites: ``source`` and ``target``,
``unique_id_l`` and ``unique_id_r``. The part that the names share is their stem. Case and word separators are
ignored.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

_BARE = (
    "source target, source dest, source destination, src dst, src dest, origin destination, from to, "
    "head tail, left right, start end, u v"
)
ENDS = frozenset(map(frozenset, map(str.split, _BARE.split(","))))
"""Opposites that name the ends of an edge without a stem."""

SIDES = frozenset(map(frozenset, (("left", "right"), ("l", "r"), ("ltable", "rtable"))))
"""Opposites that name the ends of an edge after any stem, as written by tools that join two tables."""

COUNTERPARTS = frozenset(map(frozenset, (("1", "2"), ("a", "b"), ("x", "y"))))
"""Opposites that often mean something else, as in ``vitamin_a`` and ``vitamin_b``."""

_WORDS = "id ids uid uuid guid key hash node vertex record rec doc document entity"
ID_WORDS = frozenset(_WORDS.split())
"""Words for ids. After a stem that contains such a word, any opposites name the ends of an edge."""

MOST_NAMES = 20  # only the names of this number of columns, from the first on, are considered

_BORDER = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[^\W\d_])(?=\d)")
"""Matches where a word ends without a separator: ``nodeId``, ``node1``."""

_RUN_TOGETHER = "|".join(
    sorted({"unique", *ID_WORDS, *(word for pair in ENDS for word in pair if len(word) > 1)}, key=len)[::-1]
)
_MADE_OF_WORDS = re.compile(f"(?:{_RUN_TOGETHER})+[lrabxy]?")
_WORDS_WITHIN = re.compile(f"{_RUN_TOGETHER}|[lrabxy]$")


def columns_of_ends(names: Sequence[str]) -> tuple[str, str] | None:
    """Return the two columns whose names almost certainly mean the ends of an edge, or None.

    Names of ids are preferred. Other names must be the table's only pair, and must be `SIDES`. `COUNTERPARTS`
    are ignored: ``age_1`` and ``age_2`` are not the ends of an edge.
    """
    pairs = list(combinations([(name, words_of(name)) for name in names[:MOST_NAMES]], 2))
    of_ids = [(a, b) for (a, left), (b, right) in pairs if _name_ids(left, right)]
    sides = [(a, b) for (a, left), (b, right) in pairs if _opposites(left, right) in SIDES]
    return of_ids[0] if of_ids else sides[0] if len(sides) == 1 else None


def words_of(name: str) -> list[str]:
    """Return the words of a name, in lower case.

    Words that are composed of known words, such as ``fromnodeid``, are split.
    """
    words = re.findall(r"[^\W_]+", _BORDER.sub(" ", name).lower())
    return [
        part
        for word in words
        for part in (_WORDS_WITHIN.findall(word) if _MADE_OF_WORDS.fullmatch(word) else [word])
    ]


def looks_like(field: str, names: Sequence[str]) -> bool:
    """Return whether an id resembles two names, which may then be ids themselves.

    An id resembles the names if it equals one of them, has their stem (``node3`` below ``node1`` and
    ``node2``), or ends like one of them (``thumb_l`` below ``hand_l`` and ``hand_r``).
    """
    words, (left, right) = words_of(field), map(words_of, names)
    if words in (left, right):
        return True
    at = next(i for i, (a, b) in enumerate(zip(left, right, strict=True)) if a != b)
    stem = left[:at] + left[at + 1 :]
    if not stem or len(words) < 2:
        return False
    side = {left[at], right[at]} if _opposites(left, right) in SIDES else set()
    return words[:at] + words[at + 1 :] == stem or words[-1 if at else 0] in side


def _name_ids(left: list[str], right: list[str]) -> bool:
    if len(left) == len(right) == 1:
        return frozenset(left + right) in ENDS
    return _opposites(left, right) in ENDS | SIDES | COUNTERPARTS and not ID_WORDS.isdisjoint(left)


def _opposites(left: list[str], right: list[str]) -> frozenset[str]:
    """Return the two words in which two names differ, or none if more words differ or there is no stem."""
    if len(left) != len(right) or len(left) == 1:
        return frozenset()
    different = [frozenset(pair) for pair in zip(left, right, strict=True) if pair[0] != pair[1]]
    return different[0] if len(different) == 1 else frozenset()
