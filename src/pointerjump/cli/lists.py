"""``rank``: the ranks of linked lists."""

from __future__ import annotations

import numpy as np

from pointerjump.cli.tasks import Task, Told, load_list
from pointerjump.formats import require_label_file, write_labels
from pointerjump.solving import lists


def ranks_of_lists(task: Task) -> Told:
    """Rank linked lists."""
    asked, steps = task.asked, task.steps
    if asked.output is not None:
        require_label_file(asked.output)
    wanted = task.open("list-ranking")
    with steps.timed("reading", "read"):
        successors = load_list(asked.input, steps.show)
    steps.begin("ranking")
    ranks, of_run = lists.rank_lists(wanted, lists.HostLists(successors))

    def check() -> None:
        from pointerjump.verifiers.graphs import verify_ranks

        verify_ranks(successors, ranks)

    task.finish(of_run, check, lambda path: write_labels(path, ranks))
    with steps.timed("counting", "summary"):
        elements = len(ranks)
        count = int(np.count_nonzero(successors == np.arange(elements)))
        longest = int(ranks.max(initial=-1)) + 1
    lines = [("elements", f"{elements:,}"), ("lists", f"{count:,}, the longest of {longest:,} elements")]
    facts = {"elements": elements, "lists": count, "longest": longest}
    return Told("ranks", "the ranks are right", facts, lines)
