"""Connected components of the ids in a table.

If there are many ids, they are sent in batches to a device, which numbers the distinct ids and links those
that are connected. If there are only a few, they are numbered on the host.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.id_forests import IdForest
from pointerjump.base.arrow import pa, pc
from pointerjump.base.graph import Graph
from pointerjump.base.id_bytes import as_bytes, as_ids, id_kind
from pointerjump.errors import GraphError
from pointerjump.ids.interning import number_ids, numbered_by_library
from pointerjump.registry import ALGORITHMS
from pointerjump.registry.algorithm import InputFacts
from pointerjump.registry.selection import select, takes_blocks
from pointerjump.solving.inputs import HostGraph
from pointerjump.solving.result import Components, Labels, check_labels, find_components, sizes_of
from pointerjump.solving.run import REFERENCE, Order, Run, Seconds, order
from pointerjump.tables.frames import Selected
from pointerjump.tables.ids import common_type, has_value
from pointerjump.tables.open import Roles, given_nodes, group_types, id_columns, id_fields, ids_in, open_table

Batch = tuple[int, list[Any], list[Any]]  # from `ids_in`: rows read so far, columns of groups, columns of ids
JOINED_BYTES = 1 << 24  # small batches are joined until their ids take up this number of bytes

FEW_ROWS = 1 << 14
"""The maximum number of rows whose ids pyarrow numbers. Kernels are faster for more than about 2,000 rows.
However, loading them in the first call of a process takes as long as numbering 16,000 rows with pyarrow."""


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
    """Find the components of a table's ids. Parameters and errors are the same as for :func:`components`.

    After each batch, `watch` is called with the number of rows read so far and an estimate of how many bytes
    their ids take up.
    """
    wanted = order_for_ids(algorithm, device, labels, choices)
    given = id_columns(open_table(table), roles, where)
    return components_of_ids(wanted, given, None if nodes is None else given_nodes(nodes), labels, watch)


def order_for_ids(
    algorithm: str, device: Any, labels: str | None, choices: Mapping[str, object] | None
) -> Order:
    """Check the options of a run before any table is opened, and return them as an `Order`."""
    check_labels("representative" if labels is None else labels)
    return order("components", algorithm, device, choices or {})


def components_of_ids(
    wanted: Order,
    given: Selected,
    nodes: Selected | Sequence[Selected] | None = None,
    labels: str | None = None,
    watch: Callable[[int, int], None] | None = None,
) -> TableComponents:
    """Find the components of the ids in a table's columns.

    `nodes` is an additional table, or several, each of which contains single ids or pairs of ids.
    """
    more = [] if nodes is None else [nodes] if isinstance(nodes, Selected) else nodes
    tables, seconds = [given, *more], Seconds()
    type = common_type(chain(*map(id_fields, tables)), given.name)
    kinds: list[Any] = list(map(id_kind, [type, *(group_types(given) if given.grouped else [])]))
    coming, kept, ids_kept, nbytes, records = _batches(tables, type, seconds), [], 0, 0, 0
    # The first rows decide where ids are numbered, because the host is faster if there are few rows.
    asked, session = wanted
    if session is not None and (
        None in kinds or not takes_blocks(asked) or not ALGORITHMS["interning"].runs_on(session.device)
    ):
        session = None
    for batch in coming:
        rows, _, ids = batch
        kept.append(batch)
        ids_kept, nbytes = ids_kept + len(ids[0]), nbytes + sum(column.nbytes for column in ids)
        if watch is not None and rows > records:
            watch(rows, nbytes)
        records = rows
        if session is not None and ids_kept > FEW_ROWS:
            break
    if session is None or ids_kept <= FEW_ROWS:
        found, smallest, run = _on_host(wanted, type, kept, seconds)
    else:
        run = Run(select(asked, InputFacts(0, form="blocks"), None), (session.device,))
        variant: dict[str, Any] = run.choice.variant
        with seconds.timed("compute"), session.running():
            forest = IdForest(session, kinds[0], kinds[1:], **variant)
            forest.expect((given.rows or 0) * (len(kinds) - 1 or 2))
        for rows, groups, ids in _joined(chain(kept, coming)):
            with seconds.timed("compute"), session.running():
                _link(forest, kinds, groups, ids)
            if watch is not None and rows > records:
                watch(rows, forest.nbytes)
            records = max(records, rows)
        with seconds.timed("labels"), session.running():
            interned, smallest = forest.take()
            found = as_ids(interned, type)
    for phase, spent in seconds.items():
        run.seconds[phase] = run.seconds.get(phase, 0.0) + spent
    run.counted = {"records": records}
    return TableComponents(found, smallest, labels or "representative", run, given.like_given)


def _batches(tables: Sequence[Selected], type: Any, seconds: Seconds) -> Iterator[Batch]:
    """Yield the batches of all tables, each with the number of rows read so far from the first table."""
    rows = 0
    for table in tables:
        batches = ids_in(table, type, coded=True)
        while True:
            with seconds.timed("read"):
                batch = next(batches, None)
            if batch is None:
                break
            rows = batch[0] if table is tables[0] else rows
            yield rows, *batch[1:]


# -- on a device -------------------------------------------------------------------------------------


def _joined(batches: Iterator[Batch]) -> Iterator[Batch]:
    """Join small batches into larger ones, because the host has to wait for the device after every batch."""
    waiting: list[Batch] = []
    count, nbytes = 0, 0
    for batch in batches:
        _, groups, ids = batch
        size = sum(column.nbytes for column in (*groups, *ids))
        coded = hasattr(ids[0], "dictionary")  # batches may have different dictionaries
        nodes = waiting and list(map(len, batch[1:])) != list(map(len, waiting[0][1:]))
        if waiting and (coded or nodes or nbytes + size > JOINED_BYTES):
            yield _one(waiting)
            waiting, count, nbytes = [], 0, 0
        waiting.append(batch)
        count, nbytes = count + len(ids[0]), nbytes + size
        if coded or count >= FEW_ROWS:
            yield _one(waiting)
            waiting, count, nbytes = [], 0, 0
    if waiting:
        yield _one(waiting)


def _one(batches: Sequence[Batch]) -> Batch:
    if len(batches) == 1:
        return batches[0]
    rows, *columns = zip(*batches, strict=True)
    groups, ids = ([pa.concat_arrays(parts) for parts in zip(*each, strict=True)] for each in columns)
    return rows[-1], groups, ids


def _link(forest: IdForest, kinds: Sequence[Any], groups: Sequence[Any], ids: Sequence[Any]) -> None:
    """Link the ids of a batch in a forest. A member whose group is null or empty belongs to no group."""
    kind, *of_groups = kinds
    if len(ids) == 2 and hasattr(ids[0], "dictionary"):
        values, places = _values_and_places(ids)
        forest.merge_coded(as_bytes(values, kind), places)
        return
    if len(ids) == 2:
        forest.merge(as_bytes(ids[0], kind), as_bytes(ids[1], kind))
        return
    (members,) = ids
    named = list(map(has_value, groups))
    if not groups or not all(each.all() for each in named):
        forest.add(as_bytes(members, kind))
    for key, (group, some) in enumerate(zip(groups, named, strict=True)):
        both = (group, members) if some.all() else (group.filter(some), members.filter(some))
        forest.join(as_bytes(both[0], of_groups[key]), as_bytes(both[1], kind), key)


def _values_and_places(columns: Sequence[Any]) -> tuple[Any, npt.NDArray[Any]]:
    """Return the ids that occur in dictionary-encoded columns, and the indices of each row's ids among them.

    The ids are in order of first appearance, row by row. Ids in two dictionaries are returned twice.
    """
    dictionaries = [column.dictionary for column in columns]
    before = np.cumsum([0, *map(len, dictionaries)])
    codes = [
        np.asarray(c.indices).astype(np.int64) + begin for c, begin in zip(columns, before, strict=False)
    ]
    numbers = np.stack(codes, axis=1).ravel()
    first = np.full(before[-1], len(numbers))
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]  # of equal numbers, the first is written last
    occur = np.flatnonzero(first < len(numbers))
    appearance = occur[np.argsort(first[occur])]
    place = np.empty(len(first), np.int64)
    place[appearance] = np.arange(len(appearance))
    return pa.concat_arrays(dictionaries).take(appearance), place[numbers].reshape(-1, len(columns))


# -- on the host -------------------------------------------------------------------------------------


def _on_host(
    wanted: Order, type: Any, batches: Sequence[Batch], seconds: Seconds
) -> tuple[pa.Array[Any], Labels, Run]:
    """Return the distinct ids, the label of each id, and the run.

    Each label is the index of the smallest id in the component. The ids are in order of first appearance, row
    by row.
    """
    with seconds.timed("labels"):
        ids, edges = _numbered_edges(wanted, type, batches)
    found = find_components(wanted, HostGraph(Graph.of_edges(edges, None, len(ids))), "representative")
    with seconds.timed("labels"):
        by_rank = pc.sort_indices(ids).to_numpy().astype(np.int32)
        smallest = np.empty(len(ids), np.int32)
        # Of a component's ids, the smallest is written last.
        smallest[found.labels[by_rank[::-1]]] = by_rank[::-1]
        return ids, smallest[found.labels], found.run


def _numbered_edges(
    wanted: Order, type: Any, batches: Sequence[Batch]
) -> tuple[pa.Array[Any], npt.NDArray[np.int32]]:
    """Return the distinct ids, and the edges as pairs of indices into the array of ids."""
    row_by_row, widths = [], [len(ids) for _, _, ids in batches]
    for _, _, columns in batches:
        plain = [each.dictionary_decode() if hasattr(each, "dictionary") else each for each in columns]
        in_rows = np.arange(sum(map(len, plain))).reshape(len(plain), -1).T.ravel()
        row_by_row.append(pa.concat_arrays(plain).take(pa.array(in_rows)))
    whole = pa.chunked_array(row_by_row, type)
    by_reference = wanted.session is None and id_kind(type) is not None
    places, ids = number_ids(whole, device=REFERENCE) if by_reference else numbered_by_library(whole)
    in_batches = np.split(places, np.cumsum(list(map(len, row_by_row))))
    edges = [np.empty((0, 2), np.int32)]
    edges += [each.reshape(-1, 2) for each, width in zip(in_batches, widths, strict=False) if width == 2]
    of_groups = [groups for _, groups, _ in batches if groups]
    members = np.concatenate(in_batches[: len(of_groups)] or [places])
    for by_key in zip(*of_groups, strict=True):
        groups: Any = pa.chunked_array(by_key).combine_chunks()
        there = has_value(groups)
        named: Any = groups.filter(there).dictionary_encode()
        group, joined = np.asarray(named.indices), members[there]
        first = np.empty(len(named.dictionary), np.int32)
        first[group[::-1]] = joined[::-1]  # of a group's members, the first is written last
        edges.append(np.stack([first[group], joined], axis=1))
    return ids, np.concatenate(edges).astype(np.int32)


# -- the result --------------------------------------------------------------------------------------


class TableComponents(Components):
    """The connected components of the ids in a table. Each component is named after its smallest id.

    The vertices are the ids, numbered in the order of :attr:`ids`. Components are sorted by their smallest
    ids. Everything else is as in `Components`.

    Attributes
    ----------
    ids : pyarrow Array, shape (vertices,)
        The distinct ids, in an order that depends only on the table, not on the device.
    labels : ndarray of int32, shape (vertices,)
        With ``labels="representative"``, the default for tables, each label is the vertex of the component's
        smallest id. With ``labels="consecutive"``, each label is a component number, from 0 to count - 1.

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
        self, ids: pa.Array[Any], smallest: Labels, kind: str, run: Run, like_given: Callable[[pa.Table], Any]
    ) -> None:
        self.ids, self._smallest, self.like_given = ids, smallest, like_given
        self.explained: Callable[[], Any] | None = None  # reads the rows again
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
        """The vertices of the components' smallest ids, in ascending order."""
        return np.flatnonzero(self._smallest == np.arange(len(self._smallest), dtype=self._smallest.dtype))

    @cached_property
    def _consecutive(self) -> Labels:
        in_order = self._first[pc.sort_indices(self.ids.take(self._first)).to_numpy()]
        number = np.empty_like(self._smallest)
        number[in_order] = np.arange(len(in_order), dtype=number.dtype)
        return number[self._smallest]

    def table(self) -> Any:
        """Return a table with one row per id.

        The table is of the same kind as the input, or an Arrow table for files. The columns are ``id``,
        ``component`` and ``size``, the number of ids in the component. ``component`` is the smallest id of
        the component or, with ``labels="consecutive"``, the component's number. Rows are in the order of
        :attr:`ids`.
        """
        return self.like_given(self.arrow())

    def arrow(self) -> pa.Table:
        """Return the content of :meth:`table` as an Arrow table."""
        return pa.Table.from_batches(list(self.batches(self.vertices)), self.schema)

    def batches(self, rows: int) -> Iterator[pa.RecordBatch]:
        """Yield the table in batches of `rows` rows. The whole table does not have to fit into memory."""
        for begin in range(0, self.vertices, max(1, rows)):
            some = slice(begin, begin + rows)
            smallest, number = self._smallest[some], self.labels[some]
            component = self.ids.take(smallest) if self._kind == "representative" else number
            columns = [self.ids[some], component, self._size_at[smallest]]
            yield pa.record_batch(columns, schema=self.schema)

    @property
    def schema(self) -> pa.Schema:
        """The schema of the table."""
        numbered = self._kind == "consecutive"
        component = pa.from_numpy_dtype(self.labels.dtype) if numbered else self.ids.type
        return pa.schema([("id", self.ids.type), ("component", component), ("size", pa.int64())])

    @cached_property
    def _size_at(self) -> npt.NDArray[np.int64]:
        """The size of each component, stored at the index of its smallest id."""
        return sizes_of(self._smallest, self.vertices)

    def why(self, id1: Any, id2: Any) -> Any:
        """Return the rows that connect two ids, in order along the path from the first id to the second.

        If there are several paths, rows that come early in the table are preferred. The path is not
        necessarily the shortest. The table is read again on the first call. If it is larger than memory, only
        some of its rows are kept: a spanning forest, and a spanning forest of the remaining rows.

        Raises
        ------
        GraphError
            If an id is not in the table, or if the ids are in different components. Also raised if the
            table has groups, or if components were split to limit their size.
        TableError
            If the table cannot be read a second time.

        Examples
        --------
        >>> import pyarrow as pa
        >>> import pointerjump as pj
        >>> left, right = ["ann", "bob", "ann", "cal", "dee"], ["bob", "cal", "cal", "dee", "eve"]
        >>> pairs = pa.table({"left": left, "right": right})
        >>> c = pj.components(pairs)
        >>> c.why("bob", "dee").to_pylist()
        [{'left': 'bob', 'right': 'cal'}, {'left': 'cal', 'right': 'dee'}]
        >>> c.weak_links("ann").to_pylist()[0]
        {'left': 'cal', 'right': 'dee', 'left_size': 3, 'right_size': 2}
        """
        return self._explanation.why(id1, id2)

    def weak_links(self, id: Any) -> Any:
        """Return the bridges of an id's component: the rows whose removal would split the component.

        The rows are in the order of the table. Two additional columns contain the number of ids that would
        remain on each side. They are named after the id columns, for example ``left_size`` and
        ``right_size``. Errors are the same as for :meth:`why`.
        """
        return self._explanation.weak_links(id)

    @cached_property
    def _explanation(self) -> Any:
        if self.explained is None:
            raise GraphError(
                "only tables of pairs can be explained, not blocks, groups or one-to-one clusters; and if "
                "max_size split components, leave it out and ask again"
            )
        return self.explained()

    def __repr__(self) -> str:
        return f"TableComponents(count={self.count}, ids={self.vertices})"

    def forest(self) -> npt.NDArray[np.int32]:
        """Raise a GraphError, because the pairs of a table are not kept."""
        raise GraphError(
            "the table's pairs are not kept: number them by pj.number_ids and give them to spanning_forest"
        )
