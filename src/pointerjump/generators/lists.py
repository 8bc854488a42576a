"""Linked lists as successor arrays: ``successors[j]`` is the element after j; a last one is its own."""

from __future__ import annotations

import numpy as np

from pointerjump.errors import SpecError
from pointerjump.generators.draws import Bits, random_order, require_size, vertex_order
from pointerjump.linked_lists import SuccessorArray


def linked_lists(*, length: int, count: int, order: str, seed: int) -> SuccessorArray:
    """Link `length` elements in the order that is named, and cut the list at random into `count` lists.

    Raises
    ------
    SpecError
        If there are fewer elements than lists: each list has at least one.
    """
    require_size(length, length)
    if count > max(length, 1):
        raise SpecError(f"count is {count}: {length} elements make at most {length} lists")
    bits = Bits(seed)
    walk = vertex_order(bits, length, order)
    successors = np.empty(length, np.int32)
    successors[walk[:-1]] = walk[1:]
    successors[walk[-1:]] = walk[-1:]
    if count > 1:
        last = walk[random_order(bits, length - 1)[: count - 1]]
        successors[last] = last
    return successors


def linked_list(*, length: int, order: str, seed: int) -> SuccessorArray:
    """Link `length` elements in the order that is named."""
    return linked_lists(length=length, count=1, order=order, seed=seed)
