"""Finds minimum spanning forests of edges that arrive in blocks, on one or more devices.

An edge that is the heaviest on some cycle is in no minimum spanning forest, no matter which edges arrive
later. So it is enough to keep the edges of the current forest. The minimum spanning forest of these edges and
the next block is that of all edges up to the end of the block. Each edge is stored with its position in the
whole input, so that ties can be broken by position.

To find bridges, two forests are kept, as proposed by H. Nagamochi and T. Ibaraki, "A linear-time algorithm
for finding a sparse k-connected spanning subgraph of a k-connected graph", Algorithmica 7, 1992. The first is
a spanning forest of all edges, and the second is a spanning forest of the remaining edges. Together, the two
forests are called a *certificate*. The graph of a certificate has the same two-edge-connected components as
the graph of all edges, even after later edges are added to both. A certificate can therefore replace the
edges seen so far. When a block arrives, a certificate of all edges up to its end is computed from the old
certificate and the block. Certificates of two inputs are merged in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from threading import RLock
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.edges import MAX_VERTICES, EdgeList, check_ends, check_vertex_count, ends_of, largest_id
from pointerjump.base.graph import Graph
from pointerjump.base.integers import as_count, is_one
from pointerjump.base.limits import WAITING
from pointerjump.base.weighted import EXACT, Weighted, Weights
from pointerjump.errors import FormatError, GraphError, PointerjumpError
from pointerjump.formats.blocks import Blocks
from pointerjump.formats.files import PathLike, naming
from pointerjump.formats.pieces import FIRST, Piece, Pieces, Position
from pointerjump.registry.algorithm import Problem
from pointerjump.solving.checkpoints import Checkpoint, read_arrays, write_arrays
from pointerjump.solving.run import Order, Run, Seconds, order
from pointerjump.solving.shared_blocks import devices_of, kept_of_blocks, named_by, of_file, pieces_of
from pointerjump.solving.spanning_forests import SpanningForest, checked_weights, find_minimum_forest

PROBLEM: Problem = "minimum-spanning-forest"

_FEW = 1 << 12  # edges; smaller parts are concatenated, because each part has a fixed memory overhead

_BYTES_PER_EDGE = 72  # at the memory peak: the buffered edge, its copy in the joined array, and the kept edge


class KeptEdges(NamedTuple):
    """Edges with their endpoints, weights and positions in the whole input."""

    sources: npt.NDArray[np.int32]
    targets: npt.NDArray[np.int32]
    weights: Weights
    places: npt.NDArray[np.int64]

    def take(self, which: Any) -> KeptEdges:
        """Return the selected edges. `which` is an array of indices or a boolean mask."""
        return KeptEdges(*(column[which] for column in self))


class MinimumForest:
    """The minimum spanning forest of edges that arrive over time or do not fit into memory.

    The edges of the current forest are stored: at most n - 1 edges for n vertices. New edges are
    collected in a buffer. The forest is updated when the buffer contains at least 4 million edges and at
    least as many edges as the forest, or when memory runs short. The result is the same as that of
    :func:`minimum_spanning_forest` for all edges added so far, regardless of how they are split into
    blocks. A MinimumForest can be shared between threads.

    Parameters
    ----------
    vertices : int, optional
        The number of vertices. Ids must be smaller than this. Defaults to the largest id seen so far + 1.
    maximum : bool
        Whether to find the maximum spanning forest instead.
    algorithm, device, **variant : optional
        See :func:`minimum_spanning_forest`. The errors are also described there.

    Attributes
    ----------
    vertices : int
        The number of vertices.
    records : int
        The number of edges added so far.
    maximum : bool
        Whether the forest is a maximum spanning forest.

    See Also
    --------
    minimum_spanning_forest : Find the forest of a graph in memory, or in a file that is read in blocks.
    DisjointSet : Find the components of a graph whose edges arrive over time.

    Examples
    --------
    >>> import pointerjump as pj
    >>> f = pj.MinimumForest()
    >>> f.merge([0, 1], [1, 2], [5, 2])
    >>> f.merge([2, 3], [0, 4], [1, 7])
    >>> f.forest().places.tolist(), f.forest().total
    ([1, 2, 3], 10)
    >>> f.save("forest.npz")
    >>> pj.MinimumForest.load("forest.npz").forest().total
    10
    """

    def __init__(
        self,
        vertices: int | None = None,
        maximum: bool = False,
        *,
        algorithm: str = "auto",
        device: Any = None,
        **variant: object,
    ) -> None:
        self.vertices = check_vertex_count(0 if vertices is None else vertices)
        self.maximum, self.records = bool(maximum), 0
        self._grows = vertices is None
        self._asked: Mapping[str, Any] = {"algorithm": algorithm, "device": device, "choices": variant}
        self._wanted: Order = order(PROBLEM, **self._asked)
        nothing = np.empty(0, np.int32)
        self._kept = KeptEdges(nothing, nothing, np.empty(0), np.empty(0, np.int64))
        self._waiting: list[KeptEdges] = []
        self._run: Run | None = None
        self._turn = RLock()

    # -- changes ---------------------------------------------------------------------------------------

    def merge(self, us: Any, vs: Any = None, weights: npt.ArrayLike | None = None) -> None:
        """Add weighted edges.

        Parameters
        ----------
        us, vs : int or array_like of int
            The two endpoints of one edge or of many edges. If `vs` is omitted, `us` must be an array of
            pairs. If `weights` is also omitted, `us` must be the result of ``read_blocks(...,
            weighted=True)`` or an iterable of triples, each with sources, targets and weights.
        weights : number or array_like
            The weight of each edge. See :func:`minimum_spanning_forest`.

        Raises
        ------
        GraphError
            If an id is negative or not smaller than the number of vertices that was passed to the
            constructor. Also raised if there is not exactly one weight per edge, if a weight is NaN, or if
            integers beyond 2**53 would have to be compared with floating-point numbers. Some blocks may
            already have been merged when the error is raised.
        """
        if weights is None:
            if vs is not None:
                raise GraphError("the edges have no weights: give one for each edge, or use DisjointSet")
            with closing(weighted_pieces_of(us)) as pieces:
                for piece in pieces:
                    with named_by(us)():
                        self._merge_block(*piece.columns)
            return
        if vs is not None and is_one(us) and is_one(vs):
            us, vs, weights = np.atleast_1d(us), np.atleast_1d(vs), np.atleast_1d(np.asarray(weights))
        self._merge_block(*ends_of(us, vs), weights)

    def _merge_block(
        self,
        sources: npt.NDArray[Any],
        targets: npt.NDArray[Any],
        weights: npt.ArrayLike,
        *,
        vertices: int = 0,
        first: int | None = None,
    ) -> None:
        """Add a block of edges.

        `first` is the position of the block's first edge in the whole input, and is included in error
        messages. By default, the block follows all edges added so far.
        """
        m = len(sources)
        check_ends(sources, targets, MAX_VERTICES if self._grows else self.vertices, first)
        try:
            weights = checked_weights(weights, m)
        except GraphError as error:
            if first is None:
                raise
            raise GraphError(
                f"in the block of edges from number {first} on, counted from 0: {error}"
            ) from None
        vertices = max(vertices, largest_id(sources, "sources") + 1, largest_id(targets, "targets") + 1)
        with self._turn:
            self._require_room(vertices)
            first = self.records if first is None else first
            self._require_exact(weights)
            self.vertices = max(self.vertices, check_vertex_count(vertices))
            for at in range(0, m, WAITING):
                some = slice(at, at + WAITING)
                proper = np.flatnonzero(sources[some] != targets[some])
                s, t = (end[some][proper].astype(np.int32) for end in (sources, targets))
                self._add(KeptEdges(s, t, weights[some][proper], proper + (first + at)))
            self.records = max(self.records, first + m)

    def _add(self, edges: KeptEdges) -> None:
        """Buffer edges, and update the forest if the buffer is full. Arrays must not be used elsewhere."""
        waiting = self._waiting
        waiting.append(edges)
        while (
            len(waiting) > 1
            and len(waiting[-1].places) < _FEW
            and (len(waiting[-2].places) < 2 * len(waiting[-1].places))
        ):
            waiting.append(joined_edges([waiting.pop(-2), waiting.pop()]))
        kept, buffered = len(self._kept.places), sum(len(each.places) for each in waiting)
        if buffered >= max(WAITING, kept):
            self._settle()
        elif len(waiting[-1].places) >= _FEW and not memory.fits(2 * _BYTES_PER_EDGE * (kept + buffered)):
            self._settle()  # while there is room for it

    def _settle(self) -> None:
        with self._turn:
            if not self._waiting and self._run is not None:
                return
            parts = [self._kept, *self._waiting]
            m = sum(len(each.places) for each in parts)
            memory.require(_BYTES_PER_EDGE * m, f"a spanning forest and {m:,} edges")
            edges = joined_edges(parts)
            self._kept, self._waiting = self._keep(edges), []

    def _keep(self, edges: KeptEdges) -> KeptEdges:
        graph = Graph.of_checked(EdgeList(edges.sources, edges.targets, self.vertices))
        found = find_minimum_forest(self._wanted, Weighted(graph, edges.weights, self.maximum))
        self._run = found.run
        return edges.take(found.places)

    def update(self, other: MinimumForest) -> None:
        """Add the edges of another MinimumForest, as if they came after all edges added so far.

        The other forest is not modified. It may be on another device or come from another process, but it
        must have the same value of `maximum`. If this forest was created with a fixed number of vertices, the
        other forest must not have more vertices. The errors are those of :meth:`merge`.
        """
        if not isinstance(other, MinimumForest):
            raise GraphError(
                f"cannot update from {type(other).__name__}: give a MinimumForest, or merge edges"
            )
        self._join(other, follow=True)

    def _join(self, other: MinimumForest, *, follow: bool = False) -> None:
        """Add the edges of another forest.

        If `follow` is true, their positions are shifted to come after all earlier edges. Otherwise, both
        forests belong to one input, and the positions are kept.
        """
        if self.maximum != other.maximum:
            raise GraphError(
                f"maximum is {other.maximum} for the other forest, but {self.maximum} for this one: the "
                "heaviest edges of one are not those that the other needs"
            )
        with other._turn:
            other._settle()
            edges, vertices, records = other._kept, other.vertices, other.records
        with self._turn:
            self._require_room(vertices)
            self._require_exact(edges.weights)
            self.vertices = max(self.vertices, vertices)
            first = self.records if follow else 0
            self._add(edges._replace(places=edges.places + first))
            self.records = max(self.records, first + records)

    def _require_room(self, vertices: int) -> None:
        if vertices > self.vertices and not self._grows:
            raise GraphError(
                f"the edges have {vertices} vertices, but the forest has {self.vertices}: make it larger, or "
                "leave vertices out"
            )

    def _require_exact(self, weights: Weights) -> None:
        """Raise an error if no dtype can store both `weights` and the earlier weights without loss."""
        parts = [
            each for each in (self._kept.weights, *(e.weights for e in self._waiting), weights) if len(each)
        ]
        if len({each.dtype.kind for each in parts}) < 2:
            return
        for each in parts:
            if each.dtype == np.int64 and (each.max() >= EXACT or each.min() <= -EXACT):
                raise GraphError(
                    "some weights are integers beyond 2**53, and others floating-point numbers, which may "
                    "not hold those: give weights of one kind"
                )

    # -- the answer ----------------------------------------------------------------------------------------

    def forest(self) -> SpanningForest:
        """Return the minimum spanning forest of all edges added so far."""
        with self._turn:
            self._settle()
            assert self._run is not None
            sources, targets, weights, places = self._kept
            return SpanningForest((sources, targets), weights, places, self.vertices, self._run)

    def __repr__(self) -> str:
        return f"MinimumForest(vertices={self.vertices}, records={self.records}, maximum={self.maximum})"

    # -- files and other processes -------------------------------------------------------------------------

    def save(self, path: PathLike) -> None:
        """Save the forest to a ``.npz`` file, completely or not at all. Raise a FormatError if this fails."""
        write_arrays(path, self._arrays())

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        with self._turn:
            self._settle()
            facts = {"vertices": self.vertices, "records": self.records, "maximum": self.maximum}
            return self._kept._asdict() | {k: np.array(v) for k, v in {**facts, "grows": self._grows}.items()}

    @classmethod
    def load(
        cls, path: PathLike, *, algorithm: str = "auto", device: Any = None, **variant: object
    ) -> MinimumForest:
        """Load a forest that :meth:`save` wrote.

        A FormatError is raised if the file is damaged or was not written by :meth:`save`. See the class for
        the other parameters.
        """
        arrays = read_arrays(path, "MinimumForest.save")
        with naming(path):
            return cls._of_arrays(arrays, {"algorithm": algorithm, "device": device, **variant})

    @classmethod
    def _of_arrays(cls, arrays: Mapping[str, Any], asked: Mapping[str, Any]) -> MinimumForest:
        made = cls(**asked)
        made._resume(arrays, "MinimumForest.save")
        return made

    def _resume(self, arrays: Mapping[str, Any], writer: str = "--checkpoint") -> None:
        """Validate the arrays that :meth:`_arrays` returned, and restore the forest from them."""
        try:
            edges = KeptEdges(*(arrays[name] for name in KeptEdges._fields))
            facts = {name: arrays[name].item() for name in ("vertices", "records", "maximum", "grows")}
            vertices, records = (as_count(facts[name], name, GraphError) for name in ("vertices", "records"))
            places, m = edges.places, len(edges.sources)
            weights = checked_weights(edges.weights, m)
            if edges.weights.dtype != weights.dtype or places.dtype != np.int64 or places.shape != (m,):
                raise ValueError("its weights or places have another type or shape")
            if m and not (places[0] >= 0 and (np.diff(places) > 0).all() and places[-1] < records):
                raise ValueError(f"its places must rise from 0 to {records} at most")
            self.vertices, self.maximum = check_vertex_count(vertices), bool(facts["maximum"])
            self._grows, self.records = False, records
            sources, targets = ends_of(edges.sources, edges.targets)
            check_ends(sources, targets, vertices)
        except (AttributeError, KeyError, TypeError, ValueError, GraphError) as error:
            raise FormatError(f"is not what {writer} writes: {error}") from error
        self._grows = bool(facts["grows"])
        self._add(KeptEdges(sources.astype(np.int32), targets.astype(np.int32), weights, places))

    def __reduce__(self) -> tuple[Any, ...]:
        device = self._asked["device"]
        if device is not None and not isinstance(device, str):
            raise PointerjumpError(
                f"device is of type {type(device).__name__}, which another process cannot use: give its name"
            )
        choices = {**self._asked["choices"], "algorithm": self._asked["algorithm"], "device": device}
        return MinimumForest._of_arrays, (self._arrays(), choices)


def joined_edges(parts: list[KeptEdges]) -> KeptEdges:
    """Concatenate edges, sort them by position and remove duplicates. Weights get a common dtype."""
    some = [each for each in parts if len(each.places)] or parts[-1:]
    edges = KeptEdges(*(np.concatenate(columns) for columns in zip(*some, strict=True)))
    if (edges.places[1:] <= edges.places[:-1]).any():  # the parts are not in order
        edges = edges.take(np.unique(edges.places, return_index=True)[1])  # an edge may be in several parts
    return edges


# -- edges in blocks -------------------------------------------------------------------------------------


def minimum_forest_of_blocks(
    blocks: Any,
    maximum: bool,
    devices: Any,
    vertices: int | None,
    *,
    checkpoint: Checkpoint | None = None,
    watch: Callable[[Piece], None] = lambda piece: None,
    **asked: Any,
) -> SpanningForest:
    """Find the minimum spanning forest of edges that arrive in blocks.

    See :func:`minimum_spanning_forest` for the parameters and errors. `devices` may be a single device.
    """
    seconds = Seconds()
    sets, end = kept_of_blocks(
        blocks,
        lambda alone, begin: weighted_pieces_of(blocks, lasting=alone, begin=begin),
        lambda stated, device: MinimumForest(stated, maximum, device=device, **asked),
        devices_of(devices),
        vertices,
        seconds,
        checkpoint,
        watch,
    )
    found: SpanningForest = sets[0].forest()
    used = [each._run.devices[0] for each in sets if each._run is not None]
    found.run = Run(found.run.choice, tuple(dict.fromkeys(used)), {"records": end["record"]}, seconds)
    return found


def weighted_pieces_of(blocks: Any, *, lasting: bool = True, begin: Position = FIRST) -> Pieces:
    """Yield weighted edges from a file, starting at position `begin`, or from triples that a caller passed.

    If `lasting` is false, the caller's arrays are copied, because they may be modified before the merge.
    """
    if isinstance(blocks, Blocks):
        if not blocks.weighted:
            raise GraphError(f"{blocks!r} is read without weights: use read_blocks(..., weighted=True)")
        yield from of_file(blocks, begin)
        return
    records = 0
    for block in blocks if isinstance(blocks, Iterable) else [blocks]:
        if not isinstance(block, tuple) or len(block) != 3 or block[2] is None:
            raise GraphError(
                f"a block is of type {type(block).__name__}, and has no weights: give triples of sources, "
                "targets and weights"
            )
        sources, targets = ends_of(*block[:2])
        records += len(sources)
        columns = [sources, targets, block[2]]
        yield Piece.of(columns if lasting else list(map(np.array, columns)), {"record": records}, 0)


# -- bridges of edges in blocks ----------------------------------------------------------------------------


class Certificate(MinimumForest):
    """A graph with the same bridges as the graph of all edges added so far.

    For n vertices, it has fewer than 2n edges. If `once` is true, repeated edges count as one edge.
    """

    def __init__(self, vertices: int | None = None, *, once: bool = False, device: Any = None) -> None:
        super().__init__(vertices, device=device)
        self._once = once

    def _merge_block(self, sources: Any, targets: Any, weights: Any = None, **more: Any) -> None:
        super()._merge_block(sources, targets, np.zeros(len(sources), np.int32), **more)

    def _keep(self, edges: KeptEdges) -> KeptEdges:
        if self._once:
            keys = np.minimum(*edges[:2]).astype(np.int64) << 32 | np.maximum(*edges[:2])
            edges = edges.take(np.sort(np.unique(keys, return_index=True)[1]))
        forest = super()._keep(edges)
        left = np.ones(len(edges.places), bool)
        left[np.searchsorted(edges.places, forest.places)] = False
        return joined_edges([forest, super()._keep(edges.take(left))])

    def places(self) -> npt.NDArray[np.int64]:
        """Return the positions of the kept edges in the whole input, in ascending order."""
        self._settle()
        return self._kept.places

    def edges(self) -> EdgeList:
        """Return the kept edges, in input order."""
        self._settle()
        return EdgeList(*self._kept[:2], self.vertices)


def certificate_of_blocks(
    blocks: Any,
    devices: Any,
    vertices: int | None = None,
    *,
    checkpoint: Checkpoint | None = None,
    watch: Callable[[Piece], None] = lambda piece: None,
) -> tuple[EdgeList, int]:
    """Return a certificate of all edges (see :class:`Certificate`), and the number of edges in the blocks.

    In blocks from a file, repeated edges count as one edge. In other blocks, they count as parallel edges.
    """
    sets, end = kept_of_blocks(
        blocks,
        lambda alone, begin: pieces_of(blocks, None, lasting=alone, begin=begin),
        lambda stated, device: Certificate(stated, once=isinstance(blocks, Blocks), device=device),
        devices_of(devices),
        vertices,
        Seconds(),
        checkpoint,
        watch,
    )
    return sets[0].edges(), end["record"]
