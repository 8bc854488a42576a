"""Checks the components of a table. Ids are numbered by pyarrow, not by the code under test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.arrow import pa, pc
from pointerjump.base.graph import Graph
from pointerjump.base.progress import Progress
from pointerjump.errors import VerificationError
from pointerjump.tables.frames import Selected
from pointerjump.tables.ids import has_value
from pointerjump.tables.open import whole_columns
from pointerjump.verifiers.graphs import verify

_BYTES_PER_ROW, _BYTES_PER_ID = 64, 64  # bytes at the peak of numbering, without the ids themselves


def verify_table(
    given: Selected,
    ids: pa.Array[Any],
    labels: npt.NDArray[np.integer[Any]],
    *,
    kind: str,
    nodes: Selected | None = None,
    progress: Progress | None = None,
) -> None:
    """Check that the components of the ids in a table are correct and have the correct labels.

    For this check, the id columns of the table and of `nodes` are read a second time. `nodes` contains
    additional ids. `ids` contains every id once, and `labels` contains the component of each id. If `kind` is
    ``"representative"``, the label of a component is the index in `ids` of its smallest id. Otherwise,
    components are numbered from 0 in order of their smallest ids. `progress` is called periodically with the
    fraction of the work completed.
    """
    *first, second = whole_columns(given, ids.type)
    memory.require(
        sum(each.nbytes + _BYTES_PER_ROW * len(each) for each in first)
        + (second.nbytes + ids.nbytes + _BYTES_PER_ID * len(ids)),
        f"checking {len(ids):,} ids in {len(second):,} rows",
        "allow more memory, or check on a machine that has more",
    )
    members = _positions(second, ids)
    ends = [members]
    if nodes is not None:
        ends += [_positions(whole_columns(nodes, ids.type)[0], ids)]
    of_all = labels
    if given.grouped:
        others, rows = _numbered(first)
        members = members[rows]
        # A group is also a vertex, with an edge to each member. Its label is that of one member; if another
        # member has a different label, the edge to it shows the fault.
        of_groups = np.zeros(int(others.max(initial=-1)) + 1, labels.dtype)
        of_groups[others] = labels[members]
        of_all = np.concatenate([labels, of_groups])
        others += len(ids)
    else:
        others = _positions(first[0], ids)
        ends += [others]
    there = np.zeros(len(ids), bool)
    for some in ends:
        there[some] = True
    if not there.all():
        at = int(np.argmin(there))
        raise VerificationError(f"id {str(ids[at])!r} is in a component twice, or not in the table")
    verify(Graph.from_edges(others, members, vertices=len(of_all)), of_all, progress=progress)
    _require_names(ids, labels, kind)


def _positions(column: pa.ChunkedArray[Any], ids: pa.Array[Any]) -> npt.NDArray[Any]:
    found = pc.index_in(column, value_set=ids)
    if found.null_count:
        missing = column.filter(found.is_null())[0]
        raise VerificationError(f"id {str(missing)!r} is in the table, but in no component")
    return found.to_numpy()


def _require_names(ids: pa.Array[Any], labels: npt.NDArray[np.integer[Any]], kind: str) -> None:
    """Check that components are labelled by their smallest ids, or numbered in the order of these ids."""
    order = np.asarray(pc.sort_indices(ids))
    different, first = np.unique(labels[order], return_index=True)
    smallest = order[first]
    expected = np.argsort(np.argsort(first)) if kind == "consecutive" else smallest
    wrong = different != expected
    if wrong.any():
        at = int(np.argmax(wrong))
        raise VerificationError(
            f"the component whose smallest id is {str(ids[int(smallest[at])])!r} has label "
            f"{different[at]}, and should have {expected[at]}"
        )


def _numbered(keys: Sequence[pa.ChunkedArray[Any]]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Number the groups of equal values in each column of `keys`.

    Each column continues the numbering of the previous one. Return the group number and the row index of each
    value that is not missing.
    """
    numbers, rows, before = [], [], 0
    for key in keys:
        groups: Any = key.combine_chunks()
        there = np.flatnonzero(has_value(groups))
        coded = groups.take(there).dictionary_encode()
        numbers.append(np.asarray(coded.indices, np.int64) + before)
        rows.append(there)
        before += len(coded.dictionary)
    return np.concatenate(numbers), np.concatenate(rows)
