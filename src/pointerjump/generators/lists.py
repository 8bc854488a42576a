"""Linked lists as successor arrays: element j is followed by ``successors[j]``, a last by itself."""

from __future__ import annotations

import numpy as np

from pointerjump.errors import SpecError
from pointerjump.generators.draws import Bits, random_order, require_size, vertex_order
from pointerjump.linked_lists import SuccessorArray


def linked_lists(*, length: int, count: int, order: str, seed: int) -> SuccessorArray:
    """String `length` elements in the order named, and cut the string at random into `count` lists.

    Raises
    ------
    SpecError
        If there are fewer elements than lists: each list has one at least.
    """
    require_size(length, length)
    if count > max(length, 1):
        raise SpecError(f"count is {count}: {length} elements make {length} lists at most")
    bits = Bits(seed)
    walk = vertex_order(bits, length, order)
    successors = np.empty(length, np.int32)
    successors[walk[:-1]] = walk[1:]
    successors[walk[-1:]] = walk[-1:]
    if count > 1:
        tails = walk[random_order(bits, length - 1)[: count - 1]]
        successors[tails] = tails
    return successors


def linked_list(*, length: int, order: str, seed: int) -> SuccessorArray:
    """String `length` elements in the order named."""
    return linked_lists(length=length, count=1, order=order, seed=seed)
