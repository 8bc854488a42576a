"""Connected components of the ids in a table: where ids are interned and linked, and the result.

Many ids go to a device batch by batch; few are kept and numbered all at once on the host. In the end each
component is named by its smallest id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.id_forests import IdForest
from pointerjump.base.graph import Graph
from pointerjump.base.id_bytes import as_bytes, as_ids, id_kind
from pointerjump.errors import GraphError
from pointerjump.ids.interning import FEW_IDS, number_ids, numbered_by_library
from pointerjump.registry import ALGORITHMS
from pointerjump.registry.algorithm import InputFacts
from pointerjump.registry.selection import select
from pointerjump.solving.inputs import HostGraph
from pointerjump.solving.result import Components, Labels, check_labels, find_components, sizes_of
from pointerjump.solving.run import REFERENCE, Order, Run, Seconds, order
from pointerjump.tables.frames import Selected
from pointerjump.tables.ids import common_type, has_value
from pointerjump.tables.open import Roles, given_nodes, group_types, id_columns, id_fields, ids_in, open_table

if TYPE_CHECKING:
    import pyarrow as pa

FEW_ROWS = FEW_IDS // 2
"""At most this many rows are numbered by pyarrow: launching kernels would take longer."""


def components_of_table(
    table: Any,
    algorithm: str = "auto",
    device: Any = None,
    labels: str | None = None,
    *,
    roles: Roles,
    where: Any = None,
    nodes: Any = None,
    choices: Mapping[str, object] | None = None,
    watch: Callable[[int, int], None] | None = None,
) -> TableComponents:
    """Find the components of a table's ids; parameters and errors as for :func:`components`.

    After each batch, `watch` is told how many rows have been read and about how many bytes their ids take.
    """
    wanted = order_for_ids(algorithm, device, labels, choices)
    given = id_columns(open_table(table), roles, where)
    return components_of_ids(wanted, given, None if nodes is None else given_nodes(nodes), labels, watch)


def order_for_ids(
    algorithm: str, device: Any, labels: str | None, choices: Mapping[str, object] | None
) -> Order:
    """Check what is asked for, before any table is opened."""
    check_labels("representative" if labels is None else labels)
    return order("components", algorithm, device, choices or {})


def components_of_ids(
    wanted: Order,
    given: Selected,
    nodes: Selected | None = None,
    labels: str | None = None,
    watch: Callable[[int, int], None] | None = None,
) -> TableComponents:
    """Find the components of the ids in columns of a table. `nodes` are more ids."""
    more, seconds = [] if nodes is None else [nodes], Seconds()
    type = common_type(chain(*map(id_fields, [given, *more])), given.name)
    groups = group_types(given) if given.grouped else []
    kinds = list(map(id_kind, [type, *groups]))

    def timed() -> Iterator[tuple[Selected, int, list[Any], list[Any]]]:
        for table in [given, *more]:
            batches = ids_in(table, type, coded=True)
            while True:
                with seconds.timed("read"):
                    batch = next(batches, None)
                if batch is None:
                    break
                yield table, *batch

    # The first rows are read before it is decided where the ids go: for few, the host is faster.
    coming, begin, first, kept, records = timed(), [], 0, 0, 0
    while first <= FEW_ROWS and (each := next(coming, None)):
        begin.append(each)
        table, rows, _, ids = each
        first, kept = first + len(ids[0]), kept + sum(column.nbytes for column in ids)
        if table is given:
            records = rows
            if watch is not None:
                watch(rows, kept)
    (asked, session), fits = wanted, False
    if session is not None and first > FEW_ROWS and None not in kinds and "block" not in asked.dense:
        by_forest = asked.free or asked.algorithm.name == "disjoint-set"
        fits = by_forest and ALGORITHMS["interning"].runs_on(session.device)
    forest: IdsOnHost | IdsOnDevice
    if fits:
        with seconds.timed("compute"):
            forest = IdsOnDevice(wanted, type, kinds, (given.rows or 0) * (len(kinds) - 1 or 2))
    else:
        forest = IdsOnHost(wanted, type)
    for table, rows, by_key, ids in chain(begin, coming):
        with seconds.timed("compute"):
            if table.grouped:
                _join(forest, by_key, ids[0])
            elif len(ids) == 2:
                forest.merge(ids)
            else:
                forest.add(ids[0])
        if table is given and rows > records:
            records = rows
            if watch is not None:
                watch(rows, forest.nbytes)
    found, smallest, run = forest.take(seconds)
    for phase, spent in seconds.items():
        run.seconds[phase] = run.seconds.get(phase, 0.0) + spent
    run.counted = {"records": records}
    return TableComponents(found, smallest, labels or "representative", run, given.like_given)


def _join(forest: IdsOnHost | IdsOnDevice, groups: Sequence[Any], ids: Any) -> None:
    """Join the members of groups, by each key. Without a value, a member is in no group."""
    named = list(map(has_value, groups))
    if not all(each.all() for each in named):
        forest.add(ids)
    for key, (each, some) in enumerate(zip(groups, named, strict=True)):
        members = (each, ids) if some.all() else (each.filter(some), ids.filter(some))
        forest.join(*members, key)


# -- where ids are interned and linked ---------------------------------------------------------------


class IdsOnDevice:
    """Ids that are interned and linked on a device, as they come.

    Parameters
    ----------
    wanted : Order
    type : pyarrow DataType
        The type of the ids.
    kinds : sequence of IdKind
        What kernels call ids of this type, and groups by each key.
    expected : int
        About how many ids will come, equal ones included.
    """

    def __init__(self, wanted: Order, type: pa.DataType, kinds: Sequence[Any], expected: int) -> None:
        assert wanted.session is not None
        self._type, (self._kind, *self._groups) = type, kinds
        self._run = Run(select(wanted.asked, InputFacts(0, form="blocks"), None), (wanted.session.device,))
        self._running = wanted.session.running
        variant: dict[str, Any] = self._run.choice.variant
        with self._running():
            self._forest = IdForest(wanted.session, self._kind, self._groups, **variant)
            self._forest.expect(expected)

    def add(self, ids: pa.Array[Any]) -> None:
        """Let these ids be vertices."""
        with self._running():
            self._forest.add(as_bytes(ids, self._kind))

    def merge(self, ends: Sequence[Any]) -> None:
        """Join the components of the two ids of each pair; both columns or none have dictionaries."""
        sources, targets = ends
        with self._running():
            if hasattr(sources, "dictionary"):
                ids, places = _values_and_places(ends)
                self._forest.merge_coded(as_bytes(ids, self._kind), places)
            else:
                self._forest.merge(as_bytes(sources, self._kind), as_bytes(targets, self._kind))

    def join(self, groups: pa.Array[Any], members: pa.Array[Any], key: int) -> None:
        """Join the components of each id and of the other members of its group by one of the keys."""
        with self._running():
            self._forest.join(as_bytes(groups, self._groups[key]), as_bytes(members, self._kind), key)

    @property
    def nbytes(self) -> int:
        """About how much memory ids and forest take."""
        return self._forest.nbytes

    def take(self, seconds: Seconds) -> tuple[pa.Array[Any], Labels, Run]:
        """Return every id once, the place of the smallest id in the component of each, and the run.

        Ids are in order of first appearance, row by row. The forest is used up.
        """
        with seconds.timed("labels"), self._running():
            ids, smallest = self._forest.take()
            return as_ids(ids, self._type), smallest, self._run


class IdsOnHost:
    """Ids that are kept until all are there, then numbered, and the edges between the numbers linked."""

    def __init__(self, wanted: Order, type: Any) -> None:
        self._wanted, self._type = wanted, type
        self._columns: list[list[Any]] = []  # those that came together: ids, or the two ends of pairs
        self._groups: list[tuple[Any, int]] = []  # for each of these, the group of each id, and by which key

    def add(self, ids: pa.Array[Any]) -> None:
        """Let these ids be vertices."""
        self.join(None, ids, -1)

    def merge(self, ends: Sequence[Any]) -> None:
        """Join the components of the two ids of each pair."""
        coded = hasattr(ends[0], "dictionary")
        self._columns.append([end.dictionary_decode() for end in ends] if coded else list(ends))
        self._groups.append((None, -1))

    def join(self, groups: Any, members: pa.Array[Any], key: int) -> None:
        """Join the components of each id and of the other members of its group by one of the keys."""
        self._columns.append([members])
        self._groups.append((groups, key))

    @property
    def nbytes(self) -> int:
        """How many bytes the ids have that are kept."""
        return sum(ids.nbytes for columns in self._columns for ids in columns)

    def take(self, seconds: Seconds) -> tuple[pa.Array[Any], Labels, Run]:
        """Return every id once, the place of the smallest id in the component of each, and the run.

        Ids are in order of first appearance, row by row. The forest is used up.
        """
        import pyarrow.compute as pc

        with seconds.timed("labels"):
            ids, edges = self._numbered()
        graph = HostGraph(Graph.of_edges(edges, None, len(ids)))
        found = find_components(self._wanted, graph, "representative")
        with seconds.timed("labels"):
            by_rank = pc.sort_indices(ids).to_numpy().astype(np.int32)
            smallest = np.empty(len(ids), np.int32)
            # Of a component's ids, the smallest is written last.
            smallest[found.labels[by_rank[::-1]]] = by_rank[::-1]
            return ids, smallest[found.labels], found.run

    def _numbered(self) -> tuple[pa.Array[Any], npt.NDArray[np.int32]]:
        """Return every id once, and the edges between their places."""
        import pyarrow as pa

        whole = pa.chunked_array([ids for columns in self._columns for ids in columns], self._type)
        if self._wanted.session is None and id_kind(self._type) is not None:
            numbers, ids = number_ids(whole, device=REFERENCE)
        else:
            numbers, ids = numbered_by_library(whole)
        in_rows, at = [np.empty((0, 1), np.int32)], 0  # the numbers of columns that came together
        for columns in self._columns:
            end = at + sum(map(len, columns))
            in_rows.append(numbers[at:end].reshape(len(columns), -1).T)
            at = end
        edges = [np.empty((0, 2), np.int32), *(each for each in in_rows if each.shape[1] == 2)]
        for key in {key for _, key in self._groups} - {-1}:
            joined = [
                (groups, here[:, 0])
                for (groups, of_key), here in zip(self._groups, in_rows[1:], strict=True)
                if of_key == key
            ]
            groups = pa.chunked_array([names for names, _ in joined]).combine_chunks().dictionary_encode()
            members, group = np.concatenate([here for _, here in joined]), np.asarray(groups.indices)
            first = np.empty(len(groups.dictionary), np.int32)
            first[group[::-1]] = members[::-1]  # of a group's members, the first one is written last
            edges.append(np.stack([first[group], members], axis=1))
        appearance, place = _order_of_appearance(np.concatenate([each.ravel() for each in in_rows]), len(ids))
        return ids.take(appearance), place[np.concatenate(edges)].astype(np.int32)


def _values_and_places(columns: Sequence[Any]) -> tuple[Any, npt.NDArray[np.int64]]:
    """Return the ids that occur in columns of equal length, and where each row's are among them.

    Returns
    -------
    values : pyarrow Array
        Ids in order of first appearance, row by row. If dictionaries share an id, it is here twice.
    places : ndarray, shape (rows, columns)
    """
    import pyarrow as pa

    sizes = [len(column.dictionary) for column in columns]
    before = np.cumsum([0, *sizes[:-1]])
    codes = np.stack(
        [np.asarray(c.indices).astype(np.int64) + b for c, b in zip(columns, before, strict=True)], axis=1
    )
    appearance, place = _order_of_appearance(codes.ravel(), sum(sizes))
    values = pa.concat_arrays([column.dictionary for column in columns]).take(appearance)
    return values, place[codes]


def _order_of_appearance(
    numbers: npt.NDArray[Any], below: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return which of the numbers 0 .. below - 1 occur, in order of first appearance, and the place of each.

    The place of a number that does not occur is undefined.
    """
    first = np.full(below, len(numbers))
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]  # of equal numbers, the first is written last
    occur = np.flatnonzero(first < len(numbers))
    appearance = occur[np.argsort(first[occur])]
    place = np.empty(below, np.int64)
    place[appearance] = np.arange(len(appearance))
    return appearance, place


# -- the result --------------------------------------------------------------------------------------


class TableComponents(Components):
    """The connected components of the ids in a table. A component's name is its smallest id.

    Vertices are the ids, numbered in the order of :attr:`ids`. Everything else is as in `Components`, except
    that components are in order of their smallest ids, not of their smallest vertices.

    Attributes
    ----------
    ids : pyarrow Array, shape (vertices,)
        Every id once. Their order depends only on the table, not on the device.
    labels : ndarray of int32, shape (vertices,)
        With ``labels="representative"``, the default for tables, the vertex that is the component's smallest
        id. With ``labels="consecutive"`` a number from 0 to count - 1, in order of smallest id.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import pointerjump as pj
    >>> pairs = pa.table({"left": ["dee", "bob", "cal"], "right": ["bob", "ann", "eve"]})
    >>> c = pj.components(pairs, source="left", target="right")
    >>> c.table().to_pylist()[0]
    {'id': 'dee', 'component': 'ann', 'size': 3}
    """

    def __init__(
        self,
        ids: pa.Array[Any],
        smallest: Labels,
        kind: str,
        run: Run,
        like_given: Callable[[pa.Table], Any],
    ) -> None:
        self.ids = ids
        self._smallest = smallest
        self.like_given = like_given
        super().__init__(smallest, kind, run)
        if kind == "consecutive":
            self.labels = self._consecutive

    @property
    def names(self) -> npt.NDArray[Any]:
        """The id of each vertex, as a NumPy array of shape (vertices,)."""
        return self.ids.to_numpy(zero_copy_only=False)

    @cached_property
    def count(self) -> int:
        """The number of components."""
        return len(self._first)

    @cached_property
    def _first(self) -> npt.NDArray[np.intp]:
        """The vertex of each component's smallest id, in order of vertices."""
        return np.flatnonzero(self._smallest == np.arange(len(self._smallest), dtype=self._smallest.dtype))

    @cached_property
    def _consecutive(self) -> Labels:
        """Each vertex's component, numbered in order of smallest id."""
        import pyarrow.compute as pc

        in_order = self._first[pc.sort_indices(self.ids.take(self._first)).to_numpy()]
        number = np.empty_like(self._smallest)
        number[in_order] = np.arange(len(in_order), dtype=number.dtype)
        return number[self._smallest]

    def table(self) -> Any:
        """Return a table of all ids: the kind of table that was given, and an Arrow table for files.

        Its columns are ``id``; ``component``, the component's smallest id, or its number with
        ``labels="consecutive"``; and ``size``, the number of ids in the component. Rows are in the order of
        :attr:`ids`.
        """
        return self.like_given(self.arrow())

    def arrow(self) -> pa.Table:
        """Return the same table as an Arrow table."""
        import pyarrow as pa

        return pa.Table.from_batches(list(self.batches(self.vertices)), self.schema)

    def batches(self, rows: int) -> Iterator[pa.RecordBatch]:
        """Yield the same table so many rows at a time, for callers who need not have it all in memory."""
        import pyarrow as pa

        for begin in range(0, self.vertices, max(1, rows)):
            some = slice(begin, begin + rows)
            smallest, number = self._smallest[some], self.labels[some]
            component = self.ids.take(smallest) if self._kind == "representative" else number
            columns = [self.ids[some], component, self._size_at[smallest]]
            yield pa.record_batch(columns, schema=self.schema)

    @property
    def schema(self) -> pa.Schema:
        """The columns of the table, as Arrow has them."""
        import pyarrow as pa

        numbered = self._kind == "consecutive"
        component = pa.from_numpy_dtype(self.labels.dtype) if numbered else self.ids.type
        return pa.schema([("id", self.ids.type), ("component", component), ("size", pa.int64())])

    @cached_property
    def _size_at(self) -> npt.NDArray[np.int64]:
        """The size of each component, at the vertex of its smallest id."""
        return sizes_of(self._smallest, self.vertices)

    def __repr__(self) -> str:
        return f"TableComponents(count={self.count}, ids={self.vertices})"

    def forest(self) -> npt.NDArray[np.int32]:
        """Raise a GraphError: of a table's pairs, none is kept."""
        raise GraphError("of a table's pairs none is kept: give them to spanning_forest as numbers")
