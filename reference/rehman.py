"""List ranking by recursive sub-lists (Rehman, Kothapalli, Narayanan): splitters of splitters.

Recursive sub-list ranking repeatedly reduces a list to some of its elements, the *splitters*, until pointer
jumping can rank what is left. Choose this algorithm to compare it with random splitters, which need only one
level.

M. S. Rehman, K. Kothapalli and P. J. Narayanan, "Fast and scalable list ranking on the GPU", ICS 2009, after
Helman and JaJa; for a comparison, see F. Dehne and K. Yogaratnam, 2010, section 3.3 and figure 3.

At each level, n / log n elements are chosen as splitters. Each splitter walks its sub-list and counts its
steps, as in ``random-splitter``. The splitters form the list of the next level, in which distances are the
lengths of the walks. Eventually, the list is so short that one work-group can rank it.

In pseudo-code::

    while the list has more than 256 elements:
        n / log n random elements, and the first and last element of each list, are splitters
        RS1, RS2, RS3: each splitter walks to the next one; each element that it passes
            stores its owner and its distance from the owner
        the splitters form the next list, with the lengths of the walks as distances
    PJ1, rank the shortest: rank that list by pointer jumping
    for each list before it, in reverse order:
        expand: for each element j in parallel: rank[j] = rank[owner[j]] - distance[j]

Its phases:

- *RS1*: all elements start without an owner
- *RS2*: each splitter owns itself
- *RS3*: each splitter walks to the next one and owns the elements it passes
- *PJ1*: each element points to its successor and stores the distance to it
- *rank the shortest*: each element adds the rank of the one it points to, and jumps
- *expand*: each element's rank is its splitter's rank minus its distance from the splitter

Input: disjoint lists in one successor array, in which the last element of each list is its own successor. The
ranks do not depend on the seed or the schedule. Work O(n + e log n) for e ends of lists; depth O(log n / log
log n) levels, each as deep as its longest sub-list. The ends of lists stay in every level, so pointer jumping
begins once most of the elements are ends.

Deviations: here, a loop replaces the recursion, and the ends of each list are also splitters.

See also ``random-splitter``: does the same with only one level; ``wylie``: ranks the shortest list.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pointerjump.base.limits import ONE_GROUP_RANKS
from pointerjump.base.linked_lists import SuccessorArray
from pointerjump.reference.random_splitter import PackedMarks, drawn, heads, tails, walk_sublists
from pointerjump.reference.vocabulary import as_vertices, in_parallel, phase, shared
from pointerjump.reference.wylie import jump_pairs


class Level(NamedTuple):
    """The owners, distances and number of a level's elements. The next, shorter level is ranked first."""

    mark: PackedMarks
    length: int


def rehman(successors: SuccessorArray, seed: int = 1, one_group: int = ONE_GROUP_RANKS) -> SuccessorArray:
    """Return each element's distance to the last element of its list.

    `seed` determines the splitters. Once at most `one_group` elements are left, one work-group ranks them.

    Examples
    --------
    >>> rehman(np.array([2, 1, 3, 3], np.int32)).tolist()
    [2, 0, 1, 0]
    """
    succ = successors.tolist()
    way = [int(succ[j] != j) for j in range(len(succ))]
    levels: list[Level] = []
    while len(succ) > one_group:
        of_level = np.array(succ, np.int32)
        count = len(succ) // len(succ).bit_length()
        splitter = sorted({*drawn(of_level, count, seed), *heads(of_level), *tails(of_level)})
        if len(splitter) > len(succ) // 2:
            break  # mostly ends of lists: another level would hardly be shorter
        mark = PackedMarks(len(succ), len(splitter))
        levels.append(Level(mark, len(succ)))
        succ, way = walk_sublists(succ, splitter, mark, way, lambda so_far, step: so_far + step)

    rank = jump_pairs(way, succ, "rank the shortest")
    for mark, length in reversed(levels):
        phase("expand")
        expanded = shared("rank", [0] * length)
        for j in in_parallel(range(length)):
            owner, from_splitter = mark.read(j)
            expanded[j] = rank[owner] - from_splitter
        rank = expanded
    return as_vertices(rank)
