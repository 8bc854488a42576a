"""List scan with random splitters (Reid-Miller): prefix sums along lists, with any associative operator.

For each element, a list scan combines the values from the head of its list up to the element's own, using any
associative operator. Choose this algorithm when ranks are not enough, for example for sums along lists or
depths in a tree.

M. Reid-Miller, "List ranking and list scan on the Cray C90", JCSS 53, 1996.

As in ``random-splitter``, random *splitters* cut the lists into sub-lists. Each splitter walks its sub-list
and combines the values in it. The splitters are then scanned by pointer jumping.

In pseudo-code::

    p random elements, and the first and last element of each list, are splitters
    RS1, RS2, RS3:
        each splitter s walks to the next one, and combines the values on the way:
        before[j] = the values of its sub-list before j; total[s] = all of its values
    RS4: predecessors: for each splitter s in parallel:
        so_far[next splitter after s] = total[s], and that splitter points back to s
    RS4: ceil(log2 p) times, for each splitter s in parallel, where s points to t:
        so_far[s] = so_far[t] combined with so_far[s]
        s points to where t points
    RS5: for each element j in parallel:
        result[j] = so_far[owner[j]], before[j] and value[j], combined

Its phases:

- *RS1*: all elements start without an owner
- *RS2*: each splitter owns itself
- *RS3*: each splitter walks to the next one and owns the elements it passes
- *RS4: predecessors*: each splitter passes the total of its sub-list to the next splitter
- *RS4*: each splitter combines its predecessor's value with its own, and jumps
- *RS5*: each element combines all values before it with its own value

Input: disjoint lists in one successor array, in which the last element of each list is its own successor; a
value for each element; and an associative operator, commutative or not. The result depends on neither the
splitters nor the schedule, except for rounding. Work O(n + p log p) for p splitters; depth O(n / p log p +
log p) expected. The work is counted in applications of the operator, and the ends of lists count as
splitters.

See also ``random-splitter``: does the same for ranks; ``wylie``: lets every element jump.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from pointerjump.base.linked_lists import SuccessorArray
from pointerjump.reference.random_splitter import PackedMarks, drawn, heads, tails, walk_sublists
from pointerjump.reference.vocabulary import in_parallel, phase, shared
from pointerjump.reference.wylie import rounds

T = TypeVar("T")


def list_scan(
    successors: SuccessorArray,
    values: Sequence[T],
    operator: Callable[[T, T], T],
    splitters: int = 64,
    seed: int = 1,
) -> list[T]:
    """Return, for each element, the combination of all values from the head of its list up to its own.

    The associative `operator` takes the earlier value first. About `splitters` elements become splitters.

    Examples
    --------
    >>> import numpy as np
    >>> successors = np.array([2, 1, 3, 3], np.int32)  # 0, 2, 3 and, alone, 1
    >>> list_scan(successors, "abcd", lambda x, y: x + y)
    ['a', 'b', 'ac', 'acd']
    """
    succ = successors.tolist()
    splitter = sorted({*drawn(successors, splitters, seed), *heads(successors), *tails(successors)})
    mark = PackedMarks(len(succ), len(splitter))
    value = shared("value", values)
    spsucc, total = walk_sublists(succ, splitter, mark, value, operator)
    before = scan_splitters(spsucc, total, operator)

    phase("RS5")
    result = shared("result", values)  # all items are overwritten below
    for j in in_parallel(range(len(succ))):
        owner, in_sublist = mark.read(j)
        parts = [*before[owner], *([] if splitter[owner] == j else [in_sublist]), value[j]]
        so_far = parts[0]
        for part in parts[1:]:
            so_far = operator(so_far, part)
        result[j] = so_far
    return list(result)


def scan_splitters(spsucc: list[int], total: list[T], operator: Callable[[T, T], T]) -> list[list[T]]:
    """For each splitter, return a list whose only item combines the values of all earlier sub-lists.

    If there are no earlier sub-lists, the list is empty.
    """
    phase("RS4: predecessors")
    pair: list[tuple[list[T], int]] = shared("pair", [([], i) for i in range(len(spsucc))])
    for i in in_parallel(range(len(spsucc))):
        if spsucc[i] != i:
            pair[spsucc[i]] = [total[i]], i

    for _ in range(rounds(len(spsucc))):
        phase("RS4")
        for i in in_parallel(range(len(spsucc))):
            so_far, pred = pair[i]
            earlier, pred_of_pred = pair[pred]
            both = [*earlier, *so_far]
            # Jumping in place is safe: any pair that is read is correct, as in wylie.
            pair[i] = [operator(both[0], both[1])] if len(both) == 2 else both, pred_of_pred
    return [so_far for so_far, _ in pair]
