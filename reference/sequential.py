"""List ranking by walking each list once: the sequential baseline.

Each list is walked once to record its elements, which are then numbered from the end. Choose this algorithm
for short lists on CPUs, as ``auto`` does.

F. Dehne and K. Yogaratnam, "Exploring the limits of GPUs with parallel graph algorithms", 2010, section 3.

The kernel cuts the lists at random elements, as ``random-splitter`` does, and alternates between several
sub-lists as it walks. This way, it does not have to wait for one cache miss after another.

In pseudo-code::

    find heads: for each element j: if succ[j] != j, then succ[j] is not a head
    walk:
        for each head:
            follow succ to the last element, and record each element
            for k = 0, 1, 2, ...: the k-th element from the end gets rank k

Its phases:

- *find heads*: elements that no other element points to are the heads of lists
- *walk*: each list is walked to its end, and ranked backwards from there

Input: disjoint lists in one successor array, in which the last element of each list is its own successor.
Work O(n); depth O(n): serial.

See also ``random-splitter``: walks many sub-lists at a time; ``wylie``: jumps instead of walking.
"""

from __future__ import annotations

from pointerjump.base.linked_lists import SuccessorArray
from pointerjump.reference.vocabulary import as_vertices, phase, shared


def sequential(successors: SuccessorArray) -> SuccessorArray:
    """Return each element's distance to the last element of its list.

    Examples
    --------
    >>> import numpy as np
    >>> sequential(np.array([2, 1, 3, 3], np.int32)).tolist()
    [2, 0, 1, 0]
    """
    succ = shared("succ", successors.tolist())
    phase("find heads")
    is_head = shared("is_head", [True] * len(succ))
    for j in range(len(succ)):
        if succ[j] != j:
            is_head[succ[j]] = False

    phase("walk")
    rank = shared("rank", [0] * len(succ))
    for head in range(len(succ)):
        if not is_head[head]:
            continue
        walk = [head]
        while (following := succ[walk[-1]]) != walk[-1]:
            walk.append(following)
        for distance, j in enumerate(reversed(walk)):
            rank[j] = distance
    return as_vertices(rank)
