"""What is known about forests before it is decided how they are merged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pointerjump.accel.id_forests import NEEDED_PER_ID
from pointerjump.parts.forests import PartForest
from pointerjump.parts.sightings import Sample, merged_samples, sample_of


class Facts(NamedTuple):
    """Facts about some forests.

    Attributes
    ----------
    ids : list of int
        How many ids each has.
    types : list of pyarrow DataType
        The types of ids, each once, in forests that have any, or else in the first.
    width : int
        The bytes of an id, on average, in the forest where that is most.
    sample : Sample
    """

    ids: list[int]
    types: list[Any]
    width: int
    sample: Sample

    @classmethod
    def of(cls, forest: PartForest) -> Facts:
        """Return the facts about one forest."""
        ids = forest.ids
        return cls([len(ids)], [ids.type], -(-ids.nbytes // max(1, len(ids))), sample_of(ids))

    @classmethod
    def merged(cls, several: Sequence[Facts]) -> Facts:
        """Return the facts about all forests."""
        not_empty = [each for each in several if sum(each.ids)] or several[:1]
        return cls(
            [ids for each in several for ids in each.ids],
            list(dict.fromkeys(type for each in not_empty for type in each.types)),
            max(each.width for each in not_empty),
            merged_samples([each.sample for each in several]),
        )

    def needed_by_a_merge(self, split_every: int) -> int:
        """Return about how many bytes a tree's last merge takes, with the forests that it is given.

        For each id that it is given there are four numbers: its root, its own number, and the two ends of an
        edge. If only some ids travel, bits about all of them are merged before, two for each hash.
        """
        shared = self.sample.shared_ids
        given = sum(self.ids) if len(self.ids) <= split_every else split_every * shared
        of_forests = shared * (2 * self.width + NEEDED_PER_ID) + given * (self.width + 16)
        of_bits = (split_every + 1) * 2 * self.sample.bits // 8
        return int(max(of_forests, of_bits))
