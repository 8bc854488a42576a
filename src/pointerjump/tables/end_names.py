"""Finds the two columns of a table that contain the ends of edges, judging by the column names.

Two names form a pair if they differ in exactly one word and the two words are opposites, for example
``source`` and ``target``, or ``unique_id_l`` and ``unique_id_r``. The part that the two names have in common
is called their stem. Case and word separators are ignored.
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
"""Opposites that name the ends of an edge with any stem. Tools that join two tables use such names."""

COUNTERPARTS = frozenset(map(frozenset, (("1", "2"), ("a", "b"), ("x", "y"))))
"""Opposites that often have another meaning, as in ``vitamin_a`` and ``vitamin_b``."""

_WORDS = "id ids uid uuid guid key hash node vertex record rec doc document entity"
ID_WORDS = frozenset(_WORDS.split())
"""Words that stand for ids. If a stem contains one of them, any opposites name the ends of an edge."""

MOST_NAMES = 20  # the number of columns, from the first one on, whose names are considered

_BORDER = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[^\W\d_])(?=\d)")
"""Matches the end of a word that is not followed by a separator, as in ``nodeId`` or ``node1``."""

_RUN_TOGETHER = "|".join(
    sorted({"unique", *ID_WORDS, *(word for pair in ENDS for word in pair if len(word) > 1)}, key=len)[::-1]
)
_MADE_OF_WORDS = re.compile(f"(?:{_RUN_TOGETHER})+[lrabxy]?")
_WORDS_WITHIN = re.compile(f"{_RUN_TOGETHER}|[lrabxy]$")


def columns_of_ends(names: Sequence[str]) -> tuple[str, str] | None:
    """Return the two columns whose names almost certainly denote the ends of an edge, or None.

    Pairs of names for ids, such as ``source`` and ``target`` or ``id_1`` and ``id_2``, are preferred, and the
    first such pair is returned. If there is none, a pair of names that differ only in a word for a side, as
    in ``name_l`` and ``name_r`` (see `SIDES`), is returned if it is the only one. Names that differ as in
    ``vitamin_a`` and ``vitamin_b`` (see `COUNTERPARTS`) are considered only if they also contain a word for
    ids.
    """
    pairs = list(combinations([(name, words_of(name)) for name in names[:MOST_NAMES]], 2))
    of_ids = [(a, b) for (a, left), (b, right) in pairs if _name_ids(left, right)]
    sides = [(a, b) for (a, left), (b, right) in pairs if _opposites(left, right) in SIDES]
    return of_ids[0] if of_ids else sides[0] if len(sides) == 1 else None


def words_of(name: str) -> list[str]:
    """Split a name into lowercase words. Known words may be run together, as in ``fromnodeid``."""
    words = re.findall(r"[^\W_]+", _BORDER.sub(" ", name).lower())
    return [
        part
        for word in words
        for part in (_WORDS_WITHIN.findall(word) if _MADE_OF_WORDS.fullmatch(word) else [word])
    ]


def looks_like(field: str, names: Sequence[str]) -> bool:
    """Return whether an id resembles two column names. If it does, the names may be ids themselves.

    An id resembles the names if it equals one of them, if it has the same stem (``node3`` resembles ``node1``
    and ``node2``), or if it marks a side in the same way (``thumb_l`` resembles ``hand_l`` and ``hand_r``).
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
    """Return the two words in which two names differ.

    The result is empty unless the names differ in exactly one word and have at least one other word.
    """
    if len(left) != len(right) or len(left) == 1:
        return frozenset()
    different = [frozenset(pair) for pair in zip(left, right, strict=True) if pair[0] != pair[1]]
    return different[0] if len(different) == 1 else frozenset()
