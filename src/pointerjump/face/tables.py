"""Connected components of the ids in a table of pairs, or of groups and their members."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from pointerjump.face.components import check_labels, components
from pointerjump.face.table_result import TableComponents
from pointerjump.tables.columns import pair_columns
from pointerjump.tables.given import given_table, open_table
from pointerjump.tables.nodes import given_nodes
from pointerjump.tables.numbering import number_ids


class Roles(NamedTuple):
    """Which columns of a table hold the ids: the two ends of pairs, or groups and their members."""

    source: str | None = None
    target: str | None = None
    group: str | None = None
    member: str | None = None


def components_of_table(
    table: Any,
    algorithm: str = "auto",
    device: Any = None,
    labels: str | None = None,
    *,
    roles: Roles,
    where: Any = (),
    nodes: Any = None,
    choices: Mapping[str, object] | None = None,
) -> TableComponents:
    """Find the components of a table's ids; parameters and errors as for :func:`components`."""
    import pyarrow.compute as pc

    kind = labels or "representative"
    check_labels(kind)
    opened = open_table(table)
    columns = pair_columns(opened, roles.source, roles.target)
    given = given_table(opened, columns, where)
    tables = [given] if nodes is None else [given, given_nodes(nodes)]
    ids, codes = number_ids(*tables)
    found = components(
        (codes[0], codes[1]), algorithm, device, "representative", vertices=len(ids), **(choices or {})
    )
    rank = np.empty(len(ids), np.int64)
    rank[pc.sort_indices(ids).to_numpy()] = np.arange(len(ids))
    smallest = np.full(len(ids), len(ids))
    np.minimum.at(smallest, found.labels, rank)
    by_rank = np.argsort(rank)
    return TableComponents(
        ids,
        by_rank[smallest[found.labels]].astype(np.int32) if len(ids) else found.labels,
        kind,
        found.run,
        given.like_given,
    )
