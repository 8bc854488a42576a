"""``rank``: the ranks of linked lists."""

from __future__ import annotations

import numpy as np
from rich.table import Table

from pointerjump.cli.steps import Steps
from pointerjump.cli.tasks import Facts, Task, load_list
from pointerjump.cli.terminal import Lines
from pointerjump.formats import require_label_file, write_labels
from pointerjump.solving import lists
from pointerjump.solving.run import Order


class OfLists(Task):
    """The ranks of linked lists."""

    problem = "list-ranking"
    doing = "ranking"
    result = "ranks"
    right = "the ranks are right"

    def require_output(self, path: str) -> None:
        require_label_file(path)

    def read(self, steps: Steps) -> None:
        self.successors = load_list(self.asked.input, steps.show)

    def run(self, wanted: Order, steps: Steps) -> Facts:
        self.ranks, facts = lists.rank_lists(wanted, lists.HostLists(self.successors))
        return facts

    def verify(self, steps: Steps) -> None:
        from pointerjump.verifiers.graphs import verify_ranks

        verify_ranks(self.successors, self.ranks)

    def write(self, path: str) -> None:
        write_labels(path, self.ranks)

    def summary(self) -> tuple[Facts, Lines, list[Table]]:
        elements = len(self.ranks)
        count = int(np.count_nonzero(self.successors == np.arange(elements)))
        longest = int(self.ranks.max(initial=-1)) + 1
        lines = [
            ("elements", f"{elements:,}"),
            ("lists", f"{count:,}, the longest of {longest:,} elements"),
        ]
        return {"elements": elements, "lists": count, "longest": longest}, lines, []
