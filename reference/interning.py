"""Interning: number distinct ids in order of first appearance, using a hash table.

Interning assigns the same number to equal ids and different numbers to different ids, in order of first
appearance. Choose this algorithm when vertices have names instead of numbers, as in tables.

The hash table uses open addressing with linear probing: W. W. Peterson, "Addressing for random-access
storage", IBM Journal of Research and Development 1, 1957; D. E. Knuth, The Art of Computer Programming 3,
section 6.4, algorithm L. The table is filled by compare-and-swap, so no work-item has to wait for another.
See H. Gao, J. F. Groote and W. H. Hesselink, "Lock-free dynamic hash tables with open addressing",
Distributed Computing 18, 2005.

Each slot of the table is one word. Its upper half stores the hash of an id, and its lower half stores a
reference to the id. While a block of ids is looked up, a new id is referred to by its position in the block.
In a slot, this position is only ever replaced by a smaller one, so the first of several equal ids remains.

In pseudo-code::

    for each block of ids:
        refill:
            if the table would be more than 60% full: create a larger one
        look_up:
            for each id in parallel:
                go to the slot given by the id's hash
                while another id is there: go to the next slot
                swap the slot from empty to the id's position in the block
                (of equal ids, the one with the smallest position remains)
        keep_new:
            for each id to which its slot refers, in order: assign the next number to it
        tell:
            for each id in parallel: its number is the one in its slot

Its phases:

- *refill*: all ids stored so far are inserted into a new, larger table
- *look_up*: each id of the block finds its slot and fills it if empty
- *keep_new*: each new id is stored and gets the next number
- *tell*: each id reads its number from its slot

Input: any number of ids as bytes, in any order. The result does not depend on the schedule, the seed of the
hash or the division of the ids into blocks. Work O(n) look-ups; depth n / block blocks, each as deep as its
longest look-up. The fraction of occupied slots never exceeds `FULLEST`, so with a good hash, each look-up
takes about two steps. If all ids have the same hash, all look-ups together take O(n^2) steps.

The kernels use dense integers as their own hashes, which does not change the result. If an id finds no slot
within `FARTHEST` steps, the host creates a table with another seed. If that fails, too, a dictionary on the
host is used.

See also ``disjoint-set``: merges subsets of the numbered ids.
"""

from __future__ import annotations

from collections.abc import Sequence

from pointerjump.base.limits import GOLDEN
from pointerjump.reference.vocabulary import compare_and_swap, in_parallel, phase, shared

FULLEST = 0.6
EMPTY = 0
WORD = (1 << 64) - 1


def interning(ids: Sequence[bytes], block: int = 65536, seed: int = 1) -> list[int]:
    """Return the number assigned to each id. Distinct ids are numbered in order of first appearance.

    Examples
    --------
    >>> interning([b"cal", b"ann", b"cal", b"bob"], block=3)
    [0, 1, 0, 2]
    """
    interner = Interner(seed)
    return [
        number
        for begin in range(0, len(ids), block)
        for number in interner.intern(ids[begin : begin + block])
    ]


class Interner:
    """A hash table that numbers distinct ids in order of first appearance, and lists them in `kept`."""

    def __init__(self, seed: int = 1) -> None:
        self.kept: list[bytes] = []
        self._seed = seed
        self._slot: list[int] = []

    def intern(self, ids: Sequence[bytes]) -> list[int]:
        known = len(self.kept)
        if known + len(ids) > FULLEST * len(self._slot):
            self._refill(1 << int((known + len(ids)) / FULLEST).bit_length())
        where = [0] * len(ids)
        phase("look_up")
        for i in in_parallel(range(len(ids))):
            where[i] = self._look_up(ids[i], known + i, ids)

        phase("keep_new")
        for i, id in enumerate(ids):
            hash, reference = _parts(self._slot[where[i]])
            if reference == known + i:
                self._slot[where[i]] = _word(hash, len(self.kept))
                self.kept.append(id)

        phase("tell")
        number = [0] * len(ids)
        for i in in_parallel(range(len(ids))):
            number[i] = _parts(self._slot[where[i]])[1]
        return number

    def slots(self) -> list[int | None]:
        """Return, for each slot of the table, the number of the id in it, or None if the slot is empty."""
        return [None if slot == EMPTY else _parts(slot)[1] for slot in self._slot]

    def _look_up(self, id: bytes, reference: int, block: Sequence[bytes]) -> int:
        known, slots = len(self.kept), self._slot
        hash = hash_of(id, self._seed)
        mine = _word(hash, reference)
        at = hash * len(slots) >> 32
        while True:
            seen = slots[at]
            if seen == EMPTY:
                seen = compare_and_swap(slots, at, EMPTY, mine) or mine
            there_hash, there = _parts(seen)
            if there_hash == hash and id == (self.kept[there] if there < known else block[there - known]):
                while there > reference:  # of equal ids, the first one remains
                    was = compare_and_swap(slots, at, seen, mine)
                    seen = mine if was == seen else was
                    there = _parts(seen)[1]
                return at
            at = (at + 1) % len(slots)

    def _refill(self, slots: int) -> None:
        phase("refill")
        self._slot = shared("slot", [EMPTY] * slots)
        for number in in_parallel(range(len(self.kept))):
            hash = hash_of(self.kept[number], self._seed)
            at = hash * slots >> 32
            while compare_and_swap(self._slot, at, EMPTY, _word(hash, number)) != EMPTY:
                at = (at + 1) % slots


def hash_of(id: bytes, seed: int) -> int:
    """Hash an id to 32 bits, as the kernels do. The hash depends on every byte and on the seed."""
    hash = _folded_product(seed ^ len(id), GOLDEN)
    words = [id[begin : begin + 8] for begin in range(0, len(id) - 7, 8)]
    if len(id) % 8:
        words.append(id[-8:])  # may overlap the previous word
    for word in words:
        hash = _folded_product(hash ^ int.from_bytes(word, "little"), GOLDEN)
    return _folded_product(hash ^ seed, GOLDEN) >> 32


def _folded_product(a: int, b: int) -> int:
    product = a * b
    return (product ^ product >> 64) & WORD


def _word(hash: int, reference: int) -> int:
    """Pack a hash and a reference into a word. The reference is increased by 1, so no word equals `EMPTY`."""
    return hash << 32 | reference + 1


def _parts(slot: int) -> tuple[int, int]:
    return slot >> 32, (slot & 0xFFFFFFFF) - 1
