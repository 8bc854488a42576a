"""Which ids several parts have. Only those need to travel: all others are joined in one part alone.

Parts compare hashes, in two rounds. A sample of them says about how many ids there are, and how many of
them several parts have. Then a bit for each hash says whether several parts have it. Some ids share a bit
with another part's: they travel too, which does no harm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pointerjump.ids.as_bytes import as_bytes, id_kind
from pointerjump.parts.forests import PartForest, Places
from pointerjump.parts.id_hashes import Hashes, hashes

if TYPE_CHECKING:
    import pyarrow as pa

SAMPLE = 4096
"""So many hashes are in a sample. The number of ids is then found with an error of some 1.6%."""

BITS_PER_ID = 16
"""At most so many bits there are for each id, and more than half as many."""

FEWEST_BITS = 1 << 16

NEARLY_ALL = 0.9
"""If several parts have so many of all ids, then all travel: finding out which ones takes longer."""

AT_A_TIME = 1 << 12
"""So many ids are hashed at a time: arrays in between are small, and a Dask worker's allocator keeps them."""


def hashes_of(ids: pa.Array[Any]) -> Hashes:
    """Return a hash of each id."""
    found = np.empty(len(ids), np.uint64)
    for some, hashed in _some_hashes(ids):
        found[some] = hashed
    return found


def _some_hashes(ids: pa.Array[Any]) -> Iterator[tuple[slice, Hashes]]:
    """Yield a hash of each id, those of a slice at a time."""
    import pyarrow as pa

    kind = id_kind(ids.type)
    if kind is None:  # such as dates without a time
        ids = ids.cast(pa.large_string())
        kind = id_kind(ids.type)
    assert kind is not None
    for begin in range(0, len(ids), AT_A_TIME):
        some = slice(begin, begin + AT_A_TIME)
        yield some, hashes(as_bytes(ids[some], kind))


# -- about how many ids ----------------------------------------------------------------------------


class Sample(NamedTuple):
    """The smallest hashes of some parts' ids (Bar-Yossef et al., "Counting distinct elements", RANDOM 2002).

    Attributes
    ----------
    hashes : ndarray of uint64
        The `SAMPLE` smallest ones, ascending; all of them if there are not so many.
    parts : ndarray of int64
        How many parts have each.
    """

    hashes: Hashes
    parts: npt.NDArray[np.int64]

    @property
    def ids(self) -> int:
        """About how many different ids there are."""
        if len(self.hashes) < SAMPLE:
            return len(self.hashes)
        return round((SAMPLE - 1) / (float(self.hashes[-1]) / 2.0**64))

    @property
    def shared_ids(self) -> int:
        """About how many ids several parts have."""
        return round(self.ids * float(np.mean(self.parts > 1))) if len(self.parts) else 0

    @property
    def bits(self) -> int:
        """How many bits suit so many ids: none if nearly all travel."""
        if len(self.parts) == SAMPLE and self.shared_ids >= NEARLY_ALL * self.ids:
            return 0
        return max(FEWEST_BITS, 1 << (BITS_PER_ID * max(1, self.ids)).bit_length() - 1)


def sample_of(ids: pa.Array[Any]) -> Sample:
    """Return the sample of a part's ids."""
    smallest = found = np.empty(0, np.uint64)
    for _, more in _some_hashes(ids):
        found = np.append(found, more[more < smallest[-1]] if len(smallest) == SAMPLE else more)
        if len(found) > SAMPLE:
            smallest, found = np.union1d(smallest, found)[:SAMPLE], found[:0]
    smallest = np.union1d(smallest, found)[:SAMPLE]
    return Sample(smallest, np.ones(len(smallest), np.int64))


def merged_samples(several: Sequence[Sample]) -> Sample:
    """Return the sample of all ids of some parts."""
    smallest, which = np.unique(np.concatenate([each.hashes for each in several]), return_inverse=True)
    parts = np.bincount(which, np.concatenate([each.parts for each in several]), len(smallest))
    return Sample(smallest[:SAMPLE], parts[:SAMPLE].astype(np.int64))


# -- which ids -------------------------------------------------------------------------------------


class Sightings(NamedTuple):
    """Which hashes some parts have.

    Attributes
    ----------
    once, twice : ndarray of uint8
        A bit for each hash: whether at least one part has it, and whether at least two have. Without bits,
        all count as seen by several.
    """

    once: npt.NDArray[np.uint8]
    twice: npt.NDArray[np.uint8]

    def several(self, ids: pa.Array[Any]) -> npt.NDArray[np.bool_]:
        """Return which ids several parts may have: all that do, and few others."""
        found = np.ones(len(ids), np.bool_)
        if not len(self.twice):
            return found
        for some, hashed in _some_hashes(ids):
            byte, bit = _bit_of(hashed, len(self.twice))
            found[some] = self.twice[byte] >> bit & 1
        return found


def sightings_of(ids: pa.Array[Any], bits: int) -> Sightings:
    """Return which hashes a part's ids have."""
    if not bits:
        return Sightings(np.empty(0, np.uint8), np.empty(0, np.uint8))
    once = np.zeros(bits // 8, np.uint8)
    for _, hashed in _some_hashes(ids):
        byte, bit = _bit_of(hashed, len(once))
        np.bitwise_or.at(once, byte, np.uint8(1) << bit)
    return Sightings(once, np.zeros_like(once))


def merged_sightings(several: Sequence[Sightings]) -> Sightings:
    """Return which hashes all these parts have."""
    once, twice = several[0].once.copy(), several[0].twice.copy()
    for one in several[1:]:
        twice |= one.twice | (once & one.once)
        once |= one.once
    return Sightings(once, twice)


def _bit_of(hashed: Hashes, nbytes: int) -> tuple[Hashes, npt.NDArray[np.uint8]]:
    """Return which of so many bytes each hash has its bit in, and which bit of the byte it is."""
    number = hashed & np.uint64(8 * nbytes - 1)
    return number >> np.uint64(3), (number & np.uint64(7)).astype(np.uint8)


# -- what travels ----------------------------------------------------------------------------------


class Travelling(NamedTuple):
    """What of a part's forest travels, and where it was.

    Attributes
    ----------
    forest : PartForest
        The ids that several parts have, and which of them are in one component.
    place : ndarray of int32
        Where each of them is in the part's forest. It stays there.
    """

    forest: PartForest
    place: Places


def travelling(forest: PartForest, seen: Sightings) -> Travelling:
    """Return what of a part's forest travels. Of each component, the first id that does is the root."""
    place = np.flatnonzero(seen.several(forest.ids)).astype(np.int32)
    if len(place) == len(forest.ids):
        return Travelling(forest, place)
    root = forest.root[place]
    first = np.empty(len(forest.ids), np.int32)
    first[root[::-1]] = np.arange(len(root) - 1, -1, -1, dtype=np.int32)  # the first is written last
    return Travelling(PartForest(forest.ids.take(place), first[root]), place)
