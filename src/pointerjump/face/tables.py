"""Connected components of the ids in a table of pairs, or of groups and their members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pointerjump.accel.runtime.sessions import session_for
from pointerjump.face.components import check_labels, components
from pointerjump.face.running import Run, is_reference
from pointerjump.face.set_forests import choose
from pointerjump.face.table_result import TableComponents
from pointerjump.tables.as_bytes import as_bytes, as_ids, id_kind
from pointerjump.tables.given import Condition, GivenTable, given_table
from pointerjump.tables.ids import checked, common_type

if TYPE_CHECKING:
    import pyarrow as pa

FEW_ROWS = 1 << 16
"""Up to so many rows are numbered by pyarrow: launching kernels would take longer."""


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

    kind = labels or "representative"
    check_labels(kind)
    columns = [column for column in roles if column]
    given = given_table(table, columns, where)
    type = common_type(list(given.schema), given.name)
    from pointerjump.accel.id_forests import IdForest

    session = session_for(device)
    choice = choose("disjoint-set", choices or {}, device)
    run = Run(choice, (session.device,))
    before = 0
    idk = id_kind(type)
    with session.running():
        forest = IdForest(session, idk, idk if roles.group else None)
        batches = given.batches()
        while True:
            with run.seconds.timed("read"):
                batch = next(batches, None)
            if batch is None:
                break
            with run.seconds.timed("compute"):
                arrs = [
                    as_bytes(
                        checked(batch.column(i), type, f"{given.name}: column {columns[i]!r}", before), idk
                    )
                    for i in (0, 1)
                ]
                (forest.join if roles.group else forest.merge)(*arrs)
            before += len(batch)
        with run.seconds.timed("labels"):
            ids, smallest = forest.take()
            ids = as_ids(ids, type)
    return TableComponents(ids, smallest, kind, run, given.like_given)
