"""The result of finding the components of a table's ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.errors import GraphError
from pointerjump.result import Components, Labels, sizes_of

if TYPE_CHECKING:
    import pyarrow as pa

    from pointerjump.run import Run


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

    def forest_table(self) -> Any:
        """Return the forest of the table, as :func:`pointerjump.forest_of` describes it."""
        import pyarrow as pa
        import pyarrow.compute as pc

        order = pc.sort_indices(self.ids)
        ids, roots = self.ids.take(order), self.ids.take(self._smallest[order.to_numpy()])
        return self.like_given(pa.table({"id": ids, "root": roots}))

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
