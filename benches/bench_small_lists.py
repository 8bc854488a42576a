"""Lists of all lengths: a call of `list_rank`, from array to ranks, beside a sequential walk at C's speed.

``python benches/bench_small_lists.py [--device cpu] [--least 4] [--most 24]`` prints a table. Its times are
medians in microseconds, all taken in turn in one process that has used the device before.

Both sides are given successors as int32, and both allocate the ranks. We check besides that the successors
form lists. The walks, compiled by numba, check nothing: given another array, they would write anywhere, or
never end.

- Of one list, the walk finds the head from the sum of all positions, knows the length, and walks once.
- Of many lists, it marks the elements that follow another one, and walks each list twice: to count its
  elements, and to rank them.
"""

from __future__ import annotations

import argparse
from functools import partial

import numba
import numpy as np
from chart_times import walk
from contest import OURS, Line, Sheet, contest

import pointerjump as pj
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.base.linked_lists import SuccessorArray
from pointerjump.bench.timing import Effort
from pointerjump.generators import generate_list
from pointerjump.solving.lists import list_input, rank_lists
from pointerjump.solving.run import order

LISTS = {
    "one, random": "list:length={n},seed=1",
    "one, in order": "list:length={n},order=sequential",
    "many, random": "lists:length={n},count={many},seed=1",
    "many, in order": "lists:length={n},count={many},order=sequential",
}
ELEMENTS_EACH = 16  # of many lists


def walk_many(successors: SuccessorArray, ranks: SuccessorArray) -> None:
    """Rank any number of lists, as a sequential program would."""
    n = len(successors)
    follows = np.zeros(n, np.bool_)
    for j in range(n):
        if successors[j] != j:
            follows[successors[j]] = True
    for head in range(n):
        if follows[head]:
            continue
        rank, j = 0, head
        while successors[j] != j:
            rank, j = rank + 1, successors[j]
        j = head
        while rank > 0:
            ranks[j] = rank
            rank, j = rank - 1, successors[j]
        ranks[j] = 0


def measured(name: str, successors: SuccessorArray, session: Session, effort: Effort) -> Line:
    """Time ours and a walk, several calls at a time, once both agree."""
    compiled = numba.njit(walk if name.startswith("one") else walk_many)

    def walked() -> SuccessorArray:
        ranks = np.empty(len(successors), np.int32)
        compiled(successors, ranks)
        return ranks

    def check(who: str, ranks: SuccessorArray) -> None:
        np.testing.assert_array_equal(ranks, expected, err_msg=who)

    expected, stats = rank_lists(order("list-ranking", "auto", session, {}), list_input(successors))
    ours = partial(pj.list_rank, successors, device=session)
    size = f"2^{len(successors).bit_length() - 1}"
    sides = {OURS: lambda: ours, "walk": lambda: walked}
    return contest(f"{size}, {name}", sides, check, effort, lead_in=1, ran=stats["algorithm"])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--device", default="cpu", help="as for pointerjump --device")
    parser.add_argument("--least", type=int, default=4, help="binary logarithm of the shortest length")
    parser.add_argument("--most", type=int, default=24, help="binary logarithm of the longest length")
    arguments = parser.parse_args()
    session, effort = session_for(arguments.device), Effort(rounds=9, seconds=0.5, patience=0.0)
    sheet = Sheet("lists", {"walk": ["walk"]}, "us")
    print(session.device)
    for scale in range(arguments.least, arguments.most + 1, 2):
        n = 1 << scale
        for name, spec in LISTS.items():
            successors = generate_list(spec.format(n=n, many=max(1, n // ELEMENTS_EACH)))
            sheet.add(measured(name, successors, session, effort))
    sheet.print()


if __name__ == "__main__":
    main()
