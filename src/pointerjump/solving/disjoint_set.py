"""Disjoint sets that are updated as edges arrive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from threading import RLock
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from pointerjump.accel.runtime.sessions import session_for
from pointerjump.base.edges import check_ends, check_ids, largest_id
from pointerjump.base.integers import as_count, as_integers, is_one, largest_of, paired
from pointerjump.errors import GraphError, PointerjumpError
from pointerjump.formats.files import PathLike, naming
from pointerjump.reference.disjoint_set import DisjointSets
from pointerjump.solving.checkpoints import Forest, read_arrays, write_arrays
from pointerjump.solving.inputs import edge_blocks
from pointerjump.solving.result import check_labels, grouped, largest, number_components, sizes_of
from pointerjump.solving.run import REFERENCE, choice_for_blocks, is_reference

if TYPE_CHECKING:
    from pointerjump.accel.disjoint_set import DeviceDisjointSet
    from pointerjump.accel.runtime.devices import Device


MOST = largest_of(np.dtype(np.int64))  # the maximum number of vertices, because ids must fit into int64


class _InPython(DisjointSets):
    """Validates ids, and adapts the serial reference's forest to the interface of DeviceDisjointSet."""

    session = None
    device = REFERENCE

    def __init__(self, vertices: int, *, grows: bool) -> None:
        super().__init__(vertices)
        self._grows = grows
        self._turn: Any = RLock()

    def running(self) -> AbstractContextManager[Any]:
        return self._turn  # type: ignore[no-any-return]

    def merge(self, sources: npt.NDArray[Any], targets: npt.NDArray[Any], first: int | None = None) -> None:
        check_ends(sources, targets, MOST if self._grows else self.vertices, first)
        self.add(max(largest_id(sources, "sources"), largest_id(targets, "targets")) + 1)
        super().merge(sources, targets)

    def settle(self) -> None: ...

    def update_from(self, other: Any) -> None:
        self.update(other.representatives())

    def labels(self) -> npt.NDArray[Any]:
        return number_components(self.representatives())

    def take(self, *, numbered: bool) -> npt.NDArray[Any]:
        return self.labels() if numbered else self.representatives()


class DisjointSet:
    """A disjoint-set (union-find) data structure for the vertices 0, 1, 2, ... of a graph.

    Each edge merges the subsets of its two endpoints. The device stores one integer per vertex, but no edges.
    The results are the same as those of :func:`components` for all edges merged so far, regardless of the
    order and the batches in which they were passed.

    The methods are named after those of ``scipy.cluster.hierarchy.DisjointSet``, but they also accept arrays.
    Pass many edges or vertices at a time: a call with a single edge or vertex takes nearly as long as a call
    with a thousand. A DisjointSet can be shared between threads.

    Parameters
    ----------
    vertices : int, optional
        The number of vertices. All ids must be smaller than this number. By default, the set grows to include
        every id that is passed.
    device : optional
        See :func:`components`.
    **variant
        Values for the options ``access`` and ``reads`` of the algorithm ``disjoint-set``. With
        ``reads="atomic"``, kernels run without data races.

    Raises
    ------
    GraphError, AlgorithmError
        If `vertices` is negative, too large or not an integer, or if there is no such variant.
    DeviceError, MemoryLimitError
        If there is no such device, or if there is not enough memory. The set takes 4 bytes per vertex. If
        there are 2**31 or more vertices, it takes 8 bytes per vertex, and the device must support 64-bit
        atomics.

    See Also
    --------
    components : Find the components of a graph whose edges are all passed in one call.
    read_blocks : Read the edges of a file in blocks, which :meth:`merge` accepts.

    Examples
    --------
    >>> import pointerjump as pj
    >>> d = pj.DisjointSet()
    >>> d.merge([0, 4], [2, 3])
    >>> d.n_subsets, d.labels().tolist()
    (3, [0, 1, 0, 2, 2])
    >>> d.merge(2, 3), d.merge(0, 4)
    (True, False)
    >>> d.connected([0, 0], [4, 1]).tolist(), d[4], d.subset(4).tolist()
    ([True, False], 0, [0, 2, 3, 4])
    >>> d.save("set.npz")
    >>> [subset.tolist() for subset in pj.DisjointSet.load("set.npz").subsets()]
    [[0, 2, 3, 4], [1]]
    """

    def __init__(self, vertices: int | None = None, device: Any = None, **variant: object) -> None:
        self._grows = vertices is None
        count = as_count(0 if vertices is None else vertices, "vertices", GraphError)
        if count < 0:
            raise GraphError(f"vertices is {count}: it cannot be negative")
        if count > MOST:
            raise GraphError(f"vertices is {count}: ids have at most 63 bits")
        chosen: dict[str, Any] = choice_for_blocks("disjoint-set", device, variant).variant if variant else {}
        self._forest: DeviceDisjointSet | _InPython
        if is_reference(device):
            self._forest = _InPython(count, grows=self._grows)
        else:
            from pointerjump.accel.disjoint_set import DeviceDisjointSet

            session = session_for(device)
            with session.running():
                self._forest = DeviceDisjointSet(session, count, grows=self._grows, **chosen)

    # -- changes -----------------------------------------------------------------------------------

    def add(self, vs: npt.ArrayLike) -> None:
        """Add the given vertices and all vertices with smaller ids.

        Each new vertex forms a subset of its own. Existing vertices are not affected. The errors are those of
        :meth:`merge`.
        """
        with self._forest.running():
            ids = self._ids(vs, "vertices")
            if self._grows:
                self._forest.add(int(ids.max(initial=-1)) + 1)
            check_ids(ids, self.vertices, "vertices")

    def merge(self, us: Any, vs: Any = None) -> bool | None:
        """Merge the subsets of the two endpoints of each edge.

        For a single edge, return whether two subsets were merged, as in scipy. For arrays, return None,
        because the answer would require waiting for the device.

        Parameters
        ----------
        us, vs : int or array_like of int
            The two endpoints of one edge or of many edges. If `vs` is omitted, `us` must be edges in any form
            that :func:`components` accepts, or an iterator over blocks of edges, such as the result of
            :func:`read_blocks`. Two pyopencl arrays of int32 or int64 on the set's device are used in place.

        Raises
        ------
        GraphError
            If the edges are in an unsupported form, or if an id is negative or not smaller than the number of
            vertices that was passed to the constructor. Some edges may already have been merged when the
            error is raised.
        """
        one = vs is not None and is_one(us) and is_one(vs)
        if one:
            us, vs = self._ids(us, "sources"), self._ids(vs, "targets")
        edges = us if vs is None else (list(us) if isinstance(us, tuple) else us, vs)
        # While the caller's code makes the next block, the set is not locked.
        with self._forest.running() if one else nullcontext():
            before = self.n_subsets - self.vertices if one else 0
            try:
                for block in edge_blocks(edges, self._forest.session):
                    self._merge_block(*block)
            finally:
                self._settle()
            return self.n_subsets - self.vertices < before if one else None

    def _merge_block(self, sources: Any, targets: Any, vertices: int = 0, first: int | None = None) -> None:
        """Merge a block of edges. First, add vertices if there are fewer than `vertices`.

        Error messages include `first`, the position of the block's first edge in the input. Validation of the
        ids may be delayed until :meth:`_settle` is called, so the arrays must not be modified before then.
        """
        with self._forest.running():
            if vertices > self.vertices:
                if not self._grows:
                    raise GraphError(
                        f"the edges have {vertices} vertices, but the set has {self.vertices}: make it "
                        "larger, or leave vertices out"
                    )
                self._forest.add(vertices)
            self._forest.merge(sources, targets, first)

    def _settle(self) -> None:
        with self._forest.running():
            self._forest.settle()

    def update(self, other: DisjointSet) -> None:
        """Apply all merges of another set to this set.

        The other set is not modified and may be on another device. If this set was created with a fixed
        number of vertices, the other set must not have more vertices.
        """
        if not isinstance(other, DisjointSet):
            raise GraphError(f"cannot update from {type(other).__name__}: give a DisjointSet, or merge edges")
        self._join(other)

    def _join(self, other: DisjointSet) -> None:
        # Two threads that update in opposite directions must lock the forests in the same order.
        first, second = sorted((self._forest, other._forest), key=lambda each: id(each.session or each))
        with first.running(), second.running():
            self._require_room(other.vertices)
            self._forest.update_from(other._forest)

    def _join_parents(self, parents: npt.NDArray[Any]) -> None:
        with self._forest.running():
            self._require_room(len(parents))
            self._forest.update(parents)

    def _require_room(self, vertices: int) -> None:
        if vertices > self.vertices and not self._grows:
            raise GraphError(
                f"the other set has {vertices} vertices, but this one has {self.vertices}: make it "
                "larger, or leave vertices out"
            )

    # -- questions about vertices ------------------------------------------------------------------

    def connected(self, us: npt.ArrayLike, vs: npt.ArrayLike) -> Any:
        """Return whether two vertices are in the same subset. For arrays, return an array of bools.

        If one argument is a single vertex, it is compared with every vertex of the other argument.
        """
        with self._forest.running():
            first, second = paired(self._known(us, "us"), self._known(vs, "vs"), us, vs, GraphError)
            same = self._forest.connected(first, second)
        return same[0].item() if is_one(us) and is_one(vs) else same

    def find(self, vs: npt.ArrayLike) -> Any:
        """Return the representative of a vertex's subset, which is the smallest vertex in the subset.

        For an array of vertices, return an array of representatives.
        """
        with self._forest.running():
            found = self._forest.find(self._known(vs, "vertices"))
        return found[0].item() if is_one(vs) else found

    __getitem__ = find

    def subset(self, v: npt.ArrayLike) -> Any:
        """Return the vertices in the same subset as `v`, in ascending order.

        If `v` is an array, return a list with one array per vertex.
        """
        with self._forest.running():
            roots = np.atleast_1d(self.find(v))
            representatives = self.labels("representative")
        found = [np.flatnonzero(representatives == root).astype(representatives.dtype) for root in roots]
        return found[0] if is_one(v) else found

    def subset_size(self, vs: npt.ArrayLike) -> Any:
        """Return the size of a vertex's subset. For an array of vertices, return an array of sizes."""
        with self._forest.running():
            ids = self._known(vs, "vertices")
            labels, sizes = self._labels_and_sizes()
        found = sizes[labels[ids]]
        return found[0].item() if is_one(vs) else found

    def _known(self, vs: Any, what: str) -> npt.NDArray[Any]:
        ids = self._ids(vs, what)
        check_ids(ids, self.vertices, what)
        return ids

    def _ids(self, vs: Any, what: str) -> npt.NDArray[Any]:
        if not is_one(vs):
            return as_integers(vs, what, GraphError)
        v = as_count(vs.item() if isinstance(vs, np.ndarray) else vs, what, GraphError)
        below = MOST if self._grows else self.vertices
        if not 0 <= v < below:
            fact = "negative" if v < 0 else f"not below the number of vertices, {below}"
            raise GraphError(f"{what}[0] is {v}, which is {fact}: ids run from 0 to vertices - 1")
        return np.array([v])

    # -- questions about the whole -----------------------------------------------------------------

    @property
    def vertices(self) -> int:
        """The number of vertices."""
        return self._forest.vertices

    @property
    def n_subsets(self) -> int:
        """The number of subsets."""
        with self._forest.running():
            return self._forest.n_subsets

    def labels(self, labels: str = "consecutive") -> npt.NDArray[Any]:
        """Return the label of each vertex's subset, as described for :attr:`Components.labels`."""
        check_labels(labels)
        with self._forest.running():
            return self._forest.labels() if labels == "consecutive" else self._forest.representatives()

    def _take(self, labels: str = "consecutive") -> npt.NDArray[Any]:
        """Return the labels, reusing the set's own memory if possible. The set cannot be used afterward."""
        with self._forest.running():
            return self._forest.take(numbered=labels == "consecutive")

    @property
    def device(self) -> Device | str:
        """The device on which the set is stored, or ``"reference"``."""
        return self._forest.device

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """An array with the size of each subset. Subsets are in order of their smallest vertices."""
        return self._labels_and_sizes()[1]

    def largest(self) -> npt.NDArray[Any]:
        """Return the sorted vertices of the largest subset (if tied, the one with the smallest vertex)."""
        return largest(*self._labels_and_sizes())

    def subsets(self) -> list[npt.NDArray[Any]]:
        """Return a list of sorted arrays, one for each subset, in order of the subsets' smallest vertices."""
        return grouped(*self._labels_and_sizes())

    def _labels_and_sizes(self) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
        labels = self.labels()
        return labels, sizes_of(labels, int(labels.max(initial=-1)) + 1)

    def __len__(self) -> int:
        return self.vertices

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.vertices))

    def __contains__(self, v: object) -> bool:
        if not isinstance(v, int | np.integer) or isinstance(v, bool):
            return False
        return 0 <= int(v) < self.vertices

    # -- files -------------------------------------------------------------------------------------

    def save(self, path: PathLike) -> None:
        """Save the set to a ``.npz`` file. A FormatError is raised if the file cannot be written.

        The file is written either completely or not at all. It contains two arrays: ``parents`` holds the
        representative of each vertex, as int32 or int64, and ``grows`` tells whether the number of vertices
        may grow.
        """
        write_arrays(path, self._arrays())

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        return Forest(self.labels("representative"), self._grows).arrays()

    def _resume(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restore a set from the arrays that :meth:`_arrays` returned."""
        self._join_parents(Forest.of(arrays).parents)

    @classmethod
    def load(cls, path: PathLike, device: Any = None) -> DisjointSet:
        """Load a set that :meth:`save` wrote, and put it on a device.

        A FormatError is raised if the file is damaged. The other errors are those of the constructor.
        """
        arrays = read_arrays(path, "DisjointSet.save")
        with naming(path):
            forest = Forest.of(arrays)
        made = cls(None if forest.grows else len(forest.parents), device)
        made._join_parents(forest.parents)
        return made

    def __reduce__(self) -> NoReturn:
        raise PointerjumpError(
            "a DisjointSet lives on a device and cannot be copied or pickled: save it, or make another "
            "one and update it from this one"
        )

    def __repr__(self) -> str:
        device = self.device if isinstance(self.device, str) else self.device.device
        return f"DisjointSet(vertices={self.vertices}, n_subsets={self.n_subsets}, device={device!r})"
