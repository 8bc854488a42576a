"""Connected components of the ids in a table of pairs, or of groups and their members."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pointerjump.errors import TableError
from pointerjump.face.components import check_labels, components
from pointerjump.face.table_result import TableComponents
from pointerjump.tables.given import Condition, GivenTable, column_names, given_table
from pointerjump.tables.ids import checked, common_type

if TYPE_CHECKING:
    import pyarrow as pa


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
    where: Sequence[Condition] = (),
    nodes: Any = None,
    choices: Mapping[str, object] | None = None,
) -> TableComponents:
    """Find the components of a table's ids; parameters and errors as for :func:`components`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = labels or "representative"
    check_labels(kind)
    columns = [column for column in roles if column]
    given = given_table(table, columns, where)
    type = common_type(list(given.schema), given.name)
    before, halves = 0, []
    for batch in given.batches():
        halves.append(
            [checked(batch.column(i), type, f"{given.name}: column {columns[i]!r}", before) for i in (0, 1)]
        )
        before += len(batch)
    flat = pa.chunked_array([column for pair in halves for column in pair], type)
    coded = flat.dictionary_encode().unify_dictionaries()
    codes = [np.from_dlpack(chunk.indices) for chunk in coded.chunks]
    ids = coded.chunk(0).dictionary if codes else pa.array([], type)
    edges = [np.concatenate([np.empty(0, np.int32), *codes[i::2]]) for i in (0, 1)]
    found = components(
        (edges[0], edges[1]), algorithm, device, "representative", vertices=len(ids), **(choices or {})
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
