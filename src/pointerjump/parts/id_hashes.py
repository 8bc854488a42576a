"""Hashes of ids: the same in every process, for whoever must compare ids without sending them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pointerjump.id_bytes import IdBytes

Hashes = npt.NDArray[np.uint64]

_WORD = 8


def hashes(ids: IdBytes) -> Hashes:
    """Return a 64-bit hash of each id: equal ids have equal ones, and others hardly ever."""
    width = ids.kind.width
    if width and width % _WORD == 0 and ids.begin is None:
        return _hashes_of_words(np.frombuffer(ids.text, "<u8").reshape(len(ids), width // _WORD))
    begin, end = _bounds(ids)
    length = (end - begin).astype(np.uint64)
    # A word may begin at any byte, so there is one for each, and the last ones reach beyond the text.
    padded = np.concatenate([ids.text, np.zeros(_WORD, np.uint8)])
    words = np.ndarray((len(ids.text) + 1,), "<u8", padded.data, strides=(1,))
    hashed = _mixed(length)
    for first in range(0, int(length.max(initial=0)), _WORD):
        here = np.flatnonzero(length > first)
        word = words[begin[here] + first]
        left = np.minimum(length[here] - np.uint64(first), np.uint64(_WORD))
        kept = ~np.uint64(0) >> (np.uint64(64) - np.uint64(8) * left)
        hashed[here] = _mixed(hashed[here] ^ (word & kept))
    return hashed


def _hashes_of_words(words: Hashes) -> Hashes:
    """Return the hashes of ids that consist of whole words: what they would be anyway, but sooner."""
    hashed = _mixed(np.full(1, _WORD * words.shape[1], np.uint64))
    for word in words.T:
        hashed = _mixed(hashed ^ word)
    return hashed


def _mixed(words: Hashes) -> Hashes:
    """Return words of which every bit depends on all bits given (Steele, Lea, Flood, OOPSLA 2014)."""
    with np.errstate(over="ignore"):
        words = words + np.uint64(0x9E3779B97F4A7C15)
        words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return words ^ (words >> np.uint64(31))


def _bounds(ids: IdBytes) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return where each id begins and ends in the text."""
    if ids.begin is None:
        width = ids.kind.width or 1
        begin = np.arange(len(ids), dtype=np.int64) * width
        return begin, begin + width
    begin = ids.begin.astype(np.int64)
    return begin[:-1], begin[1:]
