"""Lists of all lengths: a call of `list_rank`, from array to ranks, beside a sequential walk at C's speed.

``python benches/bench_small_lists.py [--device cpu] [--least 4] [--most 24]`` prints a Markdown table. Its
times are medians in microseconds, all taken in turn in one process that has used the device before. A *ratio*
of more than 1 means that we are faster. *Over* is what we take beyond the walk. The last column says which
algorithm `auto` ran.

Both sides are given successors as int32, and both allocate the ranks. We check besides that the successors
form lists. The walks, compiled by numba, check nothing: given another array, they would write anywhere, or
never end.

- Of one list, the walk finds the head from the sum of all positions, knows the length, and walks once.
- Of many lists, it marks the elements that follow another one, and walks each list twice: to count its
  elements, and to rank them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial

import numba
import numpy as np
from chart_times import walk

import pointerjump as pj
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.bench.timing import interleaved
from pointerjump.generators import generate_list
from pointerjump.linked_lists import SuccessorArray
from pointerjump.lists import list_input, rank_lists
from pointerjump.run import order

LISTS = {
    "one, random": "list:length={n},seed=1",
    "one, in order": "list:length={n},order=sequential",
    "many, random": "lists:length={n},count={many},seed=1",
    "many, in order": "lists:length={n},count={many},order=sequential",
}
ELEMENTS_EACH = 16  # of many lists
ROUNDS = 9
ELEMENTS_A_ROUND, MOST_CALLS = 1 << 22, 50  # a round is several calls, unless lists are very long


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


def walked(compiled: Callable[..., None], successors: SuccessorArray) -> SuccessorArray:
    """Return the ranks that a compiled walk finds."""
    ranks = np.empty(len(successors), np.int32)
    compiled(successors, ranks)
    return ranks


def repeated(call: Callable[[], object], calls: int) -> None:
    """Call something several times."""
    for _ in range(calls):
        call()


def line(name: str, successors: SuccessorArray, compiled: Callable[..., None], session: Session) -> str:
    """Return a line of the table, once both sides agree."""
    ours = partial(pj.list_rank, successors, device=session)
    theirs = partial(walked, compiled, successors)
    np.testing.assert_array_equal(ours(), theirs())
    calls = min(MOST_CALLS, max(1, ELEMENTS_A_ROUND // len(successors)))
    sides = {"ours": partial(repeated, ours, calls), "walk": partial(repeated, theirs, calls)}
    us = {who: 1e6 * timing.median / calls for who, timing in interleaved(sides, ROUNDS).items()}
    ratio, over = us["walk"] / us["ours"], us["ours"] - us["walk"]
    _, stats = rank_lists(order("list-ranking", "auto", session, {}), list_input(successors))
    size = f"2^{len(successors).bit_length() - 1}"
    times = f"{us['ours']:,.0f} | {us['walk']:,.0f} | {ratio:.2f} | {over:,.0f}"
    return f"| {size} | {name} | {times} | `{stats['algorithm']}` |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--device", default="cpu", help="as for pointerjump --device")
    parser.add_argument("--least", type=int, default=4, help="binary logarithm of the shortest length")
    parser.add_argument("--most", type=int, default=24, help="binary logarithm of the longest length")
    arguments = parser.parse_args()
    session = session_for(arguments.device)
    print(f"{session.device}\n\n| elements | lists | ours | walk | ratio | over | ran |")
    print("| --- | --- | --: | --: | --: | --: | --- |")
    for scale in range(arguments.least, arguments.most + 1, 2):
        n = 1 << scale
        for name, spec in LISTS.items():
            compiled = numba.njit(walk if name.startswith("one") else walk_many)
            successors = generate_list(spec.format(n=n, many=max(1, n // ELEMENTS_EACH)))
            print(line(name, successors, compiled, session), flush=True)


if __name__ == "__main__":
    main()
