"""Interning: equal ids get equal numbers, distinct ids distinct numbers, in order of first appearance.

Interning gives equal ids the same number, and distinct ids distinct numbers, in order of first appearance.
Choose it when vertices have names instead of numbers, as in tables.

The table uses open addressing with linear probing: W. W. Peterson, "Addressing for random-access storage",
IBM Journal of Research and Development 1, 1957; D. E. Knuth, The Art of Computer Programming 3, section 6.4,
algorithm L. It is filled by compare-and-swap, so no work-item waits for another. See H. Gao, J. F. Groote and
W. H. Hesselink, "Lock-free dynamic hash tables with open addressing", Distributed Computing 18, 2005.

Ids come in blocks. A slot is one word: an id's hash, and below it a reference to the id. While a block is
looked up, the reference of a new id is its place in the block. This place can only become smaller, so of
equal ids, the first one stays. Then the new ids get their numbers, in order of their places, and are kept.

In pseudo-code::

    for each block of ids:
        refill:
            if the table would be more than 60% full: make a larger one
        look_up:
            for each id in parallel:
                go to the slot that the id's hash names
                while another id is there: go to the next slot
                swap the slot from empty to the id's place in the block
                (of equal ids, the one with the first place stays)
        keep_new:
            for each id that is in its slot, in order: it gets the next number
        tell:
            for each id in parallel: its number is that in its slot

Its phases:

- *refill*: all ids kept so far go into a new, larger table
- *look_up*: each id of the block finds its slot, and fills it if empty
- *keep_new*: each new id gets the next number and is kept
- *tell*: each id reads its number from its slot

Input: ids as bytes, in any order and number. The result is deterministic: it depends on neither the schedule
nor the seed, nor on how the ids are divided into blocks. An empty slot changes only to an id, and then only
to an earlier appearance of an equal id.

Work O(n) look-ups; depth n / block blocks, each as deep as its longest look-up. At most a share of `FULLEST`
of the slots is occupied, so with a good hash, each look-up takes about two steps. If all ids have the same
hash, there are O(n^2) steps in all, which the kernels notice. Before the table becomes too full, a new one is
made that is at least twice as large.

The kernels do three more things, none of which changes a number. Dense integers are their own hashes. If the
first `FARTHEST` slots hold no place for an id, a new table is made with another seed. If that fails too, a
dictionary on the host takes over.

See also ``disjoint-set``: merges the numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from pointerjump.base.limits import GOLDEN
from pointerjump.reference.vocabulary import compare_and_swap, in_parallel, phase, shared

FULLEST = 0.6
"""The share of slots that may be occupied."""

EMPTY = 0
WORD = (1 << 64) - 1


def interning(ids: Sequence[bytes], block: int = 65536, seed: int = 1) -> list[int]:
    """Return the number of each id.

    Ids are interned `block` at a time; `seed` is the seed of the hash.

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
    """Numbers ids 0, 1, ... in order of first appearance; `kept` holds each id once, in that order."""

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
        """Return, for each slot of the table, the number of the id in it, or None if it is empty."""
        return [None if slot == EMPTY else _parts(slot)[1] for slot in self._slot]

    def _look_up(self, id: bytes, reference: int, block: Sequence[bytes]) -> int:
        """Return the slot of an id; fill it if it was empty."""
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
                while there > reference:  # of equal ids, the first one stays
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
    """Return the 32-bit hash of an id, as in the kernels. It depends on every byte and on the seed."""
    hash = _folded_product(seed ^ len(id), GOLDEN)
    words = [id[begin : begin + 8] for begin in range(0, len(id) - 7, 8)]
    if len(id) % 8:
        words.append(id[-8:])  # some of these bytes may be in the word before, too
    for word in words:
        hash = _folded_product(hash ^ int.from_bytes(word, "little"), GOLDEN)
    return _folded_product(hash ^ seed, GOLDEN) >> 32


def _folded_product(a: int, b: int) -> int:
    """Fold a 128-bit product by xor of its halves: every bit of `a` reaches every bit of the result."""
    product = a * b
    return (product ^ product >> 64) & WORD


def _word(hash: int, reference: int) -> int:
    """Return the word in a slot. Its reference is counted from 1, so that no word is `EMPTY`."""
    return hash << 32 | reference + 1


def _parts(slot: int) -> tuple[int, int]:
    return slot >> 32, (slot & 0xFFFFFFFF) - 1
