"""Components of a table's ids, with a limit on the size of components."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base.graph import Graph
from pointerjump.base.weighted import Weighted
from pointerjump.errors import TableError
from pointerjump.ids.components import TableComponents, order_for_ids
from pointerjump.ids.interning import numbered_columns
from pointerjump.solving.dendrograms import Dendrogram
from pointerjump.solving.run import order
from pointerjump.solving.spanning_forests import checked_weights, find_minimum_forest
from pointerjump.tables.open import Roles, given_nodes, open_table, pairs_with_numbers


def capped_components(
    table: Any,
    roles: Roles,
    score: str | None,
    max_size: int | None,
    where: Any,
    nodes: Any,
    device: Any,
    labels: str | None,
) -> TableComponents:
    """Find components of at most `max_size` ids. Parameters and errors are as for :func:`components`."""
    if score is None or max_size is None:
        raise TableError("score and max_size go together: name the column of scores, and the largest size")
    order_for_ids("auto", device, labels, None)
    wanted = order("minimum-spanning-forest", "auto", device, {})
    scores: list[npt.NDArray[Any]] = [np.empty(0, np.uint8)]
    given = pairs_with_numbers(open_table(table), roles, score, where, "score", scores.append)
    more = [] if nodes is None else [given_nodes(nodes)]
    ids, (left, right, *_) = numbered_columns([given, *more], device)
    # Pairs with equal scores merge in order of their ids, so the order of rows does not matter.
    smaller, larger = np.minimum(left, right), np.maximum(left, right)
    by_ids = np.lexsort((larger, smaller))
    graph = Graph.of_edges(smaller[by_ids], larger[by_ids], len(ids))
    weights = checked_weights(np.concatenate(scores), len(left))[by_ids]
    forest = find_minimum_forest(wanted, Weighted(graph, weights, maximum=True))
    number = Dendrogram(forest, maximum=True).cut(max_size=max_size)
    smallest = np.unique(number, return_index=True)[1].astype(np.int32)[number]
    return TableComponents(ids, smallest, labels or "representative", forest.run, given.like_given)
