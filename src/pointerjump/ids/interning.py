"""Assigns consecutive numbers to ids: :func:`number_ids`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.device_arrays import in_kind
from pointerjump.accel.interning import IdsByBlocks
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.base.arrow import pa, pc
from pointerjump.base.id_bytes import IdBytes, IdKind, as_bytes, as_ids, id_kind
from pointerjump.errors import AlgorithmError
from pointerjump.registry import ALGORITHMS
from pointerjump.registry.algorithm import Form, InputFacts
from pointerjump.registry.selection import ask
from pointerjump.solving.run import Instance, Seconds, is_reference, order, solve
from pointerjump.tables.ids import as_column, checked, common_type
from pointerjump.tables.open import whole_columns

if TYPE_CHECKING:
    from pointerjump.accel.plan import Plan
    from pointerjump.accel.runtime.session import Session
    from pointerjump.tables.frames import Selected

Numbers = npt.NDArray[np.int32]

FEW_IDS = 1 << 17  # up to this many ids, pyarrow is faster than launching kernels


@in_kind
def number_ids(
    ids: Any, *, algorithm: str = "auto", device: Any = None, **variant: object
) -> tuple[Numbers, pa.Array[Any]]:
    """Number ids in order of first appearance. Equal ids are assigned the same number.

    Parameters
    ----------
    ids : pyarrow Array or ChunkedArray, Series, ndarray or sequence
        Strings, bytes, integers, UUIDs, decimals, dates or times. If integers are passed in an array from
        another library, such as CuPy or torch, the numbers are returned in an array of that library.
    algorithm, device, **variant
        As for :func:`components`, except that the algorithms are those for numbering ids. If none of these
        parameters is specified, pyarrow is used for up to 131,072 ids.

    Returns
    -------
    numbers : ndarray of int32, shape (len(ids),)
        The number assigned to each id, starting from 0.
    distinct : pyarrow Array
        The distinct ids, each at the index given by its number.

    Raises
    ------
    TableError
        If an id is null or empty, or if the values cannot be used as ids. Other errors are the same as for
        :func:`components`.

    Examples
    --------
    >>> import pointerjump as pj
    >>> numbers, distinct = pj.number_ids(["cal", "ann", "cal", "bob"])
    >>> numbers.tolist(), distinct.to_pylist()
    ([0, 1, 0, 2], ['cal', 'ann', 'bob'])
    """
    explicit = algorithm != "auto" or bool(variant) or device is not None
    if explicit:
        tuning = None if is_reference(device) else session_for(device).tuning
        ask("id-numbering", algorithm, variant, tuning)
    column = as_column(ids, "ids")
    if not len(column) and pa.types.is_floating(column.type):  # NumPy's dtype of an empty list
        column = pa.chunked_array([], pa.null())
    type: Any = common_type([pa.field("ids", column.type)], "ids")
    chunks, before = [], 0
    for chunk in column.chunks:
        chunks.append(checked(chunk, type, "ids", before))
        before += len(chunk)
    if explicit and id_kind(type) is None:
        raise AlgorithmError(
            f"ids of type {type} are numbered by pyarrow only: leave out algorithm and device"
        )
    ids = pa.chunked_array(chunks, type)
    return numbered(ids, device, algorithm, variant, few=0 if explicit else FEW_IDS)


def numbered(
    ids: pa.ChunkedArray[Any],
    device: Any = None,
    algorithm: str = "auto",
    variant: Mapping[str, object] = MappingProxyType({}),
    *,
    few: int | None = None,
) -> tuple[Numbers, pa.Array[Any]]:
    """Number ids in the same way as :func:`number_ids`. The ids must already have been validated.

    pyarrow is used if there are at most `few` ids (default: `FEW_IDS`), or if the device cannot number ids.
    """
    kind = id_kind(ids.type)
    if kind is None:
        return numbered_by_library(ids)
    if algorithm == "auto" and not variant and not is_reference(device):
        are_few = len(ids) <= (FEW_IDS if few is None else few)
        if are_few or not ALGORITHMS["interning"].runs_on(session_for(device).device):  # without atomics
            return numbered_by_library(ids)
    input = HostIds([as_bytes(chunk, kind) for chunk in ids.chunks], kind)
    wanted = order("id-numbering", algorithm, device, variant)
    found, _ = solve(wanted, input, input.read)
    numbers, distinct = found if wanted.session else input.of_reference(found)
    return numbers, as_ids(distinct, ids.type)


def numbered_by_library(ids: pa.ChunkedArray[Any]) -> tuple[Numbers, pa.Array[Any]]:
    encoded: Any = ids.combine_chunks().dictionary_encode()
    return np.asarray(encoded.indices), encoded.dictionary


def numbered_columns(
    tables: Sequence[Selected], device: Any = None, *, name: str | None = None
) -> tuple[pa.Array[Any], list[Numbers]]:
    """Number the ids in all columns of several tables, in ascending order of the ids.

    Return the distinct ids, and an array of numbers for each column. Error messages refer to the tables by
    `name`, which defaults to the name of the first table.
    """
    type: Any = common_type([field for table in tables for field in table.schema], name or tables[0].name)
    columns = [column for table in tables for column in whole_columns(table, type)]
    numbers, ids = numbered(
        pa.chunked_array([part for each in columns for part in each.chunks], type), device
    )
    ascending = pc.sort_indices(ids)
    places = np.empty(len(ids), np.int32)
    places[ascending.to_numpy()] = np.arange(len(ids), dtype=np.int32)
    return ids.take(ascending), np.split(places[numbers], np.cumsum(list(map(len, columns)))[:-1])


class HostIds(Instance):
    """Ids on the host, in their original chunks, as the input of a run."""

    def __init__(self, parts: Sequence[IdBytes], kind: IdKind) -> None:
        self.parts, self.kind = parts, kind
        self.placed_ids: IdsByBlocks | None = None

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def facts(self) -> InputFacts:
        return InputFacts(len(self), form="ids")

    def for_reference(self, seconds: Seconds) -> tuple[list[bytes]]:
        return (self._as_python,)

    @cached_property
    def _as_python(self) -> list[bytes]:
        return [id for part in self.parts for id in part.tolist()]

    def of_reference(self, numbers: list[int]) -> tuple[Numbers, IdBytes]:
        """Convert the reference implementation's numbers to an array, and also return the distinct ids."""
        found = np.array(numbers, np.int32)
        first = np.unique(found, return_index=True)[1]
        return found, IdBytes.of(self.kind, [self._as_python[place] for place in first.tolist()])

    def placed(self, form: Form, session: Session, seconds: Seconds) -> IdsByBlocks:
        """Wrap the ids so that a run can copy them to the device block by block."""
        self.placed_ids = IdsByBlocks(session, self.parts, self.kind)
        return self.placed_ids

    def read(self, session: Session, plan: Plan) -> tuple[Numbers, IdBytes]:
        assert self.placed_ids is not None
        interner = self.placed_ids.interner
        assert interner is not None
        return session.get(plan.result, len(self)), interner.ids()
