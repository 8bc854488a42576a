"""Walks in functional graphs, in which every element has exactly one successor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pointerjump.base.edges import VertexArray

STRETCH = 32  # one splitter is drawn from each stretch of this many elements
SHORT = 10  # if the number of steps has more bits than this, powers of the map are faster than single steps


@dataclass(frozen=True)
class Walks:
    """Walks of k steps from given elements.

    `words` contains k in binary, with 32 bits per row and the lowest bits in the first row. It has one column
    per element, or a single column if all elements share the same k.
    """

    starts: VertexArray
    words: npt.NDArray[np.uint32]

    @property
    def digits(self) -> int:
        """The number of binary digits of the largest k."""
        highest = [int(row.max(initial=0)) for row in self.words]
        return sum(word << 32 * i for i, word in enumerate(highest)).bit_length()

    def has(self, digit: int) -> bool:
        return bool((self.words[digit // 32] >> np.uint32(digit % 32) & np.uint32(1)).any())

    def steps(self) -> list[int]:
        rows = self.words.tolist()
        steps = [sum(word << 32 * i for i, word in enumerate(words)) for words in zip(*rows, strict=True)]
        return steps if len(steps) == len(self.starts) else steps * len(self.starts)

    def are_short(self, elements: int) -> bool:
        """Return whether taking single steps is less work than jumping ahead by 1, 2, 4, ... steps.

        The jumps must be computed for each of the graph's `elements` elements.
        """
        if self.digits > SHORT:
            return False
        total = int(self.words[0].sum(dtype=np.uint64))
        times = len(self.starts) // max(1, self.words.shape[1])
        return bool(total * times <= elements * self.digits)
