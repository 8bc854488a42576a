"""A disjoint-set forest on a device, to which edges are added in blocks.

The host enqueues the work, and waits only when it needs an answer. Blocks of edges are sent to the device
through a ring of buffers. A block is checked while it is written to the ring, unless it is large and the
device has its own memory. In that case, it is copied unchecked: the kernel that links its edges skips those
with an invalid id, and reports the largest id. Another forest is merged as if it were a block with an edge
from each vertex to its parent.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from pointerjump.accel.labels import number_in_place
from pointerjump.accel.plan import Counts, Plan
from pointerjump.accel.residents.arrays import DeviceArray
from pointerjump.accel.residents.forests import ResidentForest
from pointerjump.accel.residents.graphs import CopiedEdges, ResidentGraph, pairs_of
from pointerjump.accel.residents.staging import (
    STAGED,
    STAGES,
    filled_stage,
    ids_macros,
    stage_size,
    staged_dtype,
)
from pointerjump.accel.runtime.ring import Bytes, Fill
from pointerjump.accel.runtime.session import Buffer, Event, Session
from pointerjump.base import limits
from pointerjump.base.edges import check_ends
from pointerjump.base.integers import as_unsigned, converted, largest_of
from pointerjump.base.limits import FIRST_BATCH, GROWTH
from pointerjump.errors import GraphError, PointerjumpError

if TYPE_CHECKING:
    import pyopencl.array as cl_array

    from pointerjump.accel.runtime.devices import Device

IdArray = npt.NDArray[Any]
EdgeBlock = tuple[IdArray, IdArray, int | None]
"""The sources and targets of edges, and the first edge's position in the input, where None stands for 0."""

LAST_SHARE, SMALL_STAGE = 4, 1 << 21
"""While one stage is linked, the next one is copied. Nothing is copied while the last stage is linked, so the
last 1 / `LAST_SHARE` of its edges become a stage of their own, unless it has at most `SMALL_STAGE` edges."""

LARGEST = "the largest ids"
"""The name under which buffers are borrowed from the session. Kernels write the largest ids to them."""

PARENTS_AT_ONCE = 1 << 30
"""The maximum number of parents to link at a time. A work-group's 32-bit count of hooks then cannot
overflow."""

SAMPLES = 128  # the number of ids that are sampled to estimate the number of vertices

PLAUSIBLE = 1 << 40
"""A sample is ignored if it contains an id of at least this value. Such an id is either wrong (for example, a
negative number stored as unsigned) or too large for any memory."""

CHECKED_AT_ONCE = 1 << 17  # how many ids are checked and then copied at a time; this many fit in the cache


def prepare(
    graph: ResidentGraph | CopiedEdges, block: int = 0, access: str | None = None, reads: str = "plain"
) -> Plan:
    """Plan a run on one graph.

    If the graph is on the device, its edges are linked in blocks of `block` edges. If the edges are on the
    host, some are linked while others are being copied to the device.
    """
    if isinstance(graph, CopiedEdges):
        return CopyingPlan(graph, access, reads)
    session, n, m, edge_t = graph.session, graph.vertices, graph.stored, graph.edge_t
    forest = ResidentForest(session, n, access, reads)
    entries = graph.entries("edges")
    trees = forest.kernels()
    kernel = forest.kernels(EDGES=True, WIDE_OFFSETS=graph.wide, **entries.defines)
    p, hooks, count = forest.parents.buffer, forest.hooks, forest.count(n)
    over = session.shapes.over
    compress_all = trees("compress_all", over(n, at_once=True), count, p)

    steps = [trees("add_vertices", over(n), forest.count(0), count, p)]
    due = Due()
    for begin in range(0, m, block):
        end = min(m, begin + block)
        ends = (edge_t(begin), edge_t(end), *entries.ends)
        steps.append(kernel("link_edges", over(end - begin), *ends, p, hooks))
        if due.after(end - begin, n):
            steps.append(compress_all)
    return Plan(p, [*steps, compress_all])


class CopyingPlan(Plan):
    """A run that links some edges while others are being copied to the device.

    The number of vertices is known only after a run. Each run therefore sets `edges.vertices` and the plan's
    attributes `result`, `wide` and `read` (see :class:`Plan`).
    """

    def __init__(self, edges: CopiedEdges, access: str | None, reads: str) -> None:
        super().__init__(None)
        self._edges, self._access, self._reads = edges, access, reads

    def run(self, *, flat: bool = True) -> Counts:
        """Copy, check and link all edges. Return the number of edges, under the key ``records``."""
        edges, grows = self._edges, self._edges.asked is None
        forest = DeviceDisjointSet(
            edges.session, edges.asked or 0, grows=grows, access=self._access, reads=self._reads
        )
        forest.merge(edges.sources, edges.targets, 0)
        parents = forest.settled(flat=flat)
        edges.vertices = forest.vertices
        self.result, self.wide = parents.buffer, parents.dtype.itemsize == 8
        self.read = partial(parents.take, forest.vertices)
        return {"records": edges.stored}


class Due:
    """Decides when to flatten the trees: each time the number of linked edges has quadrupled.

    The first flattening comes early, because paths grow with every link until a giant component has formed.
    """

    def __init__(self) -> None:
        self.linked = self._next = 0

    def after(self, edges: int, vertices: int) -> bool:
        """Record that `edges` more edges have been linked. Return whether to flatten the trees now."""
        self.linked += edges
        if self.linked < max(self._next, 1, FIRST_BATCH * vertices):
            return False
        self._next = GROWTH * self.linked
        return True


class DeviceDisjointSet:
    """A disjoint-set forest on a device. Its sets are the components formed by all edges added so far.

    All methods except :meth:`running` must be called inside ``with running()``. If `grows` is true, an id
    beyond the last vertex adds new vertices; otherwise, it raises an error.
    """

    def __init__(
        self,
        session: Session,
        vertices: int = 0,
        *,
        grows: bool = True,
        access: str | None = None,
        reads: str = "plain",
    ) -> None:
        self.session = session
        self.vertices = vertices
        self.grows = grows
        self._forest = ResidentForest(session, vertices, access, reads)
        self._reads = reads
        self._due = Due()
        self._staged: deque[Linked] = deque()

    def running(self) -> AbstractContextManager[None]:
        """Return a context manager that reserves the forest and its device for one thread."""
        return self.session.running()

    @property
    def device(self) -> Device:
        return self.session.device

    # -- changes -----------------------------------------------------------------------------------

    def add(self, vertices: int) -> None:
        """Add vertices until there are at least `vertices` of them."""
        if vertices > self.vertices:
            self._forest.make_room(vertices)
            self.vertices = vertices

    def merge(self, sources: Any, targets: Any, first: int | None = None) -> None:
        """Merge the sets of the two ends of each edge.

        Both arrays must be on the host, or both on the device. They must not be modified before
        :meth:`settle` is called. `first` is the position of the first edge in the whole input, for error
        messages. A GraphError is raised if an id is negative, or if it is too large and the forest does not
        grow. If there are many edges, :meth:`settle` may raise the error instead. Some edges may already have
        been merged when the error is raised.
        """
        size = sources.nbytes + targets.nbytes
        if not isinstance(sources, np.ndarray):
            self._merge_on_device(sources, targets)
        elif self.session.through_ring(size):
            self._merge_staged(sources, targets, first)
        else:
            ring, link = self.session.ring, partial(self._link_chunk, (sources, targets, first))
            chunks = _chunks(sources, targets, ring.size)
            # The caller's thread fills a single chunk: waking another thread would take longer.
            ring.feed(list(chunks) if 2 * size <= ring.size else chunks, link)

    def _merge_on_device(self, sources: cl_array.Array, targets: cl_array.Array) -> None:
        if sources.size:
            given = DeviceEdges(sources.base_data, targets.base_data, sources.size, ids_macros(sources.dtype))
            linked = self._link_unchecked(given, lambda: (sources.get(), targets.get(), None))
            self._check(linked)
            self.session.give_back(LARGEST, linked.largest)

    def settle(self) -> None:
        """Wait until all edges added so far have been checked. Raise the same errors as :meth:`merge`."""
        while self._staged:
            self._settle_first()

    def settled(self, *, flat: bool = True) -> DeviceArray:
        """Call :meth:`settle`, and return the parents. If `flat` is true, every parent is a root."""
        self.settle()
        if flat:
            self._compress()
        return self._forest.parents

    def update(self, parents: IdArray) -> None:
        """Merge another forest, given as an array of parents. No parent may be larger than its child."""
        self.settle()
        self.add(len(parents))
        other = self.session.put(parents, "the other parents")
        self._link_parents(other, 0, len(parents), wide=parents.itemsize == 8)
        self._compress()
        self.session.finish()  # the parents may be in the host's memory

    def update_from(self, other: Any) -> None:
        """Merge another forest, from a device or the host. The caller must have reserved both forests."""
        if other.session is None:
            self.update(other.representatives())
        else:
            self._update_from_device(other)

    def _update_from_device(self, other: DeviceDisjointSet) -> None:
        self.settle()
        other.settled()
        n, forest = other.vertices, other._forest
        self.add(n)
        if other.session is self.session:
            self._link_parents(forest.parents.buffer, 0, n, wide=forest.wide)
        else:
            self._link_from(forest, n)
        self._compress()

    def _link_from(self, forest: ResidentForest, vertices: int) -> None:
        """Link the parents of a forest on another device, via the pinned memory of both devices."""
        ring, itemsize = self.session.ring, forest.parents.dtype.itemsize
        read = forest.session.ring.reader(forest.parents.buffer)
        at_once = min(ring.size, forest.session.ring.size) // itemsize

        def fill(first: int, to: Bytes) -> tuple[int, tuple[int, int]]:
            count = min(at_once, vertices - first)
            read(to[: count * itemsize], first * itemsize)
            return count * itemsize, (first, count)

        def link(buffer: Buffer, which: tuple[int, int]) -> None:
            self._link_parents(buffer, *which, wide=forest.wide)

        ring.feed((partial(fill, first) for first in range(0, vertices, at_once)), link)

    def _link_parents(self, other: Buffer, first: int, count: int, *, wide: bool) -> None:
        forest, kernel = self._forest, self._forest.kernels(PARENTS=True, WIDE_IDS=wide)
        for begin in range(0, count, PARENTS_AT_ONCE):
            some = min(PARENTS_AT_ONCE, count - begin)
            which = forest.count(first + begin), forest.count(some), forest.count(begin)
            over = self.session.shapes.over(some)
            kernel("link_parents", over, *which, other, forest.parents.buffer, forest.hooks)()

    # -- queries -----------------------------------------------------------------------------------

    @property
    def n_subsets(self) -> int:
        """The number of sets: the number of vertices minus the number of links that joined two sets."""
        self.settle()
        return self.vertices - int(self.session.get(self._forest.hooks, 1, self._forest.parents.dtype)[0])

    def find(self, vs: IdArray) -> IdArray:
        """Return the representative of each given vertex, which is the smallest vertex in its set."""
        self.settle()
        return self._ask("find_all", [vs], self._forest.parents.dtype)

    def connected(self, us: IdArray, vs: IdArray) -> npt.NDArray[np.bool_]:
        self.settle()
        return self._ask("are_connected", [us, vs], np.bool_)

    def representatives(self) -> IdArray:
        self.settled()
        return self._forest.copied(self.vertices, "the representatives").take(self.vertices)

    def labels(self) -> IdArray:
        """Return each vertex's component number. Components are numbered in order of smallest vertex."""
        self.settled()
        labels = self._forest.copied(self.vertices, "the labels")
        self._number(labels.buffer)
        return labels.take(self.vertices)

    def take(self, *, numbered: bool) -> IdArray:
        """Return the representative of every vertex or, if `numbered` is true, its label.

        If possible, the result reuses the memory of the parents. The forest cannot be used afterwards.
        """
        parents = self.settled()
        if numbered:
            self._number(parents.buffer)
        return parents.take(self.vertices)

    def take_named(self, name: Callable[[Buffer, Buffer], None]) -> IdArray:
        """Return the name of every vertex. Names replace parents, so the forest cannot be used afterwards.

        `name` is called with two buffers, each of which holds a copy of every vertex's root. It must
        overwrite the first buffer with names.
        """
        roots = self.settled()
        copy = self._forest.copied(self.vertices, "the smallest ids")
        name(roots.buffer, copy.buffer)
        self.session.finish()
        return roots.take(self.vertices)

    # -- internals ---------------------------------------------------------------------------------

    def _link_chunk(self, block: EdgeBlock, buffer: Buffer, chunk: EdgeChunk) -> None:
        if chunk.negative or (chunk.largest >= self.vertices and not self.grows):
            self._refuse(*block, chunk.largest)
        self.add(chunk.largest + 1)
        self.link(DeviceEdges(buffer, buffer, chunk.edges, {"WIDE_IDS": chunk.wide, chunk.layout: True}))

    def _refuse(self, sources: IdArray, targets: IdArray, first: int | None, largest: int) -> NoReturn:
        below = largest_of(np.dtype(np.int64)) if self.grows else self.vertices
        check_ends(sources, targets, below, first)
        bad, fact = largest, f"not below {below}"
        if largest >= 2**63:
            bad, fact = largest - 2**64, "negative"
        raise GraphError(
            f"an id was {bad}, which is {fact}, and its array has changed since: give arrays that nothing "
            "changes, and the error says where it is"
        )

    def link(self, given: DeviceEdges) -> None:
        self._launch_links("link_edges", given, (self._forest.parents.buffer, self._forest.hooks), EDGES=True)

    def link_members(self, ids: int, groups: Buffer, members: Buffer, first: Buffer) -> None:
        """Enqueue a kernel that links the members of each group. All members must already be vertices.

        ``members[i]`` is a member of the group ``groups[i]``; both are int32. For each group, `first` holds
        one of its members, or -1 if it has none yet.
        """
        forest, over = self._forest, self.session.shapes.over(ids)
        words = np.uint32(ids), groups, members, first, forest.parents.buffer, forest.hooks
        forest.kernels(GROUPS=True)("link_members", over, *words)()
        if self._due.after(ids, self.vertices):
            self._compress()

    def _launch_links(self, name: str, given: DeviceEdges, words: tuple[Any, ...], **macros: object) -> Event:
        over, wide = self.session.shapes.over(given.edges), given.edges >= 2**31
        edge_t = np.uint64 if wide else np.uint32
        kernel = self._forest.kernels(WIDE_OFFSETS=wide, **given.macros, **macros)
        edges = edge_t(0), edge_t(given.edges), given.ends, given.neighbors
        linked = kernel(name, over, *edges, *words)()
        if self._due.after(given.edges, self.vertices):
            self._compress()
        return linked

    def _compress(self) -> None:
        over = self.session.shapes.over(self.vertices, at_once=True)
        n, p = self._forest.count(self.vertices), self._forest.parents.buffer
        self._forest.kernels()("compress_all", over, n, p)()

    def _number(self, parents: Buffer) -> None:
        """Number the components in order of their roots. Overwrite each parent, which must be a root."""
        number_in_place(self.session, parents, self.vertices, self._reads, wide=self._forest.wide)

    # -- edges that kernels check ------------------------------------------------------------------

    def _merge_staged(self, sources: IdArray, targets: IdArray, first: int | None) -> None:
        self._expect(sources, targets)
        session = self.session
        dtype = staged_dtype(sources, targets)
        for some in _stages(len(sources), stage_size(session) // (2 * dtype.itemsize)):
            if len(self._staged) == STAGES:
                self._settle_first()
            layout, ends = _as_they_lie(sources, targets, some)
            stage = filled_stage(session, ends, dtype)
            given = DeviceEdges(stage, stage, len(sources[some]), {**ids_macros(dtype), layout: True})
            self._staged.append(self._link_unchecked(given, lambda: (sources, targets, first)))

    def _settle_first(self) -> None:
        """Wait until the oldest edges in `_staged` are linked. If they are rejected, empty `_staged`."""
        try:
            self._check(self._staged[0])
        except PointerjumpError:
            self.session.finish()
            for other in list(self._staged)[1:]:
                self._keep_linked(other)
            while self._staged:
                self._drop_first()
            raise
        self._drop_first()

    def _drop_first(self) -> None:
        linked = self._staged.popleft()
        self.session.give_back(STAGED, linked.given.ends)
        self.session.give_back(LARGEST, linked.largest)

    def _expect(self, sources: IdArray, targets: IdArray) -> None:
        """Make room for vertices up to the largest id in a sample of the edges.

        Room for larger ids is made later.
        """
        if self.grows and len(sources):
            largest = -1
            for ids in (sources, targets):
                sample = np.append(ids[:: 1 + len(ids) // SAMPLES], ids[-1:])
                largest = max(largest, int(sample.max()))
            if self._forest.room <= largest < PLAUSIBLE:
                self._forest.make_room(largest + 1)

    def _link_unchecked(self, given: DeviceEdges, block: Callable[[], EdgeBlock]) -> Linked:
        session, forest = self.session, self._forest
        over = session.shapes.over(given.edges)
        largest = session.borrow(LARGEST, 8 * session.shapes.everywhere().groups)
        n = forest.room if self.grows else self.vertices
        words = np.uint64(n), forest.parents.buffer, forest.hooks, largest
        linked = self._launch_links("link_checked", given, words, CHECKED=True, GROUP=over.local_size[0])
        return Linked(given, block, n, largest, over.groups, linked)

    def _check(self, linked: Linked) -> None:
        """Wait until a block of edges has been linked.

        If some of its edges were skipped, either add their vertices and link the block again, or reject it.
        """
        largest = self._largest(linked)
        if largest >= linked.vertices:
            try:
                if largest >= largest_of(np.dtype(np.int64)) or not self.grows:
                    self._refuse(*linked.block(), largest)
                self.add(largest + 1)
            except PointerjumpError:
                self._keep_linked(linked)
                raise
            self.link(linked.given)
            self.session.finish()  # the edges may be overwritten now
        self.add(largest + 1)

    def _largest(self, linked: Linked) -> int:
        """Return the largest id of the linked edges. Negative ids count as larger than all others."""
        return int(self.session.glance(linked.largest, linked.groups, np.uint64, linked.event).max())

    def _keep_linked(self, linked: Linked) -> None:
        """Add the vertices of the edges that the device linked before their block was rejected."""
        largest = self._largest(linked)
        if largest >= linked.vertices:
            ends = linked.block()[:2]
            good = [(ids >= 0) & (ids < linked.vertices) for ids in ends]
            were_linked = good[0] & good[1]
            largest = max(int(ids[were_linked].max(initial=0)) for ids in ends) if were_linked.any() else -1
        self.add(largest + 1)

    def _ask(self, what: str, vs: list[IdArray], answer: npt.DTypeLike) -> npt.NDArray[Any]:
        """Run the kernel `what` on each vertex or pair of vertices, and return its answers."""
        session, m = self.session, len(vs[0])
        wide = max(ids.itemsize for ids in vs) == 8
        dtype = np.int64 if wide else np.int32
        ids = [converted(each, dtype, "vertices") for each in vs]  # kernels may read the ids in place
        given = [session.put(each, "the vertices") for each in ids]
        answers = session.empty(m, answer, "the answers")
        kernel = self._forest.kernels(QUESTIONS=True, WIDE_IDS=wide, WIDE_OFFSETS=True)
        kernel(what, session.shapes.over(m), np.uint64(m), *given, self._forest.parents.buffer, answers)()
        return session.get(answers, m, answer)


class DeviceEdges(NamedTuple):
    """Edges on a device, and the macros that tell ``edges.h`` how to read them."""

    ends: Buffer
    neighbors: Buffer
    edges: int
    macros: Mapping[str, object]


class Linked(NamedTuple):
    """Edges that are being linked, but whose ids have not been checked yet.

    `block` returns the same edges on the host. Edges with an id of at least `vertices` are skipped. Once
    the kernel's `event` is complete, `largest` holds the largest id that each work-group has read, as uint64.
    """

    given: DeviceEdges
    block: Callable[[], EdgeBlock]
    vertices: int
    largest: Buffer
    groups: int
    event: Event


def _stages(edges: int, at_once: int) -> Iterator[slice]:
    ends = list(range(at_once, edges, at_once))
    begin = ends[-1] if ends else 0
    if edges - begin > SMALL_STAGE:
        ends.append(edges - (edges - begin) // LAST_SHARE)
    for begin, end in zip([0, *ends], [*ends, edges], strict=True):
        yield slice(begin, end)


def _as_they_lie(sources: IdArray, targets: IdArray, some: slice) -> tuple[str, list[IdArray]]:
    """Return the ``edges.h`` macro for the edges' layout, and views of the ids in the slice `some`."""
    pairs = pairs_of(sources, targets)
    if pairs is None:
        return "EDGE_HALVES", [sources[some], targets[some]]
    return "EDGE_PAIRS", [pairs[some].reshape(-1)]


class EdgeChunk(NamedTuple):
    """The properties of a chunk of edges that has been written to the ring.

    `layout` is the ``edges.h`` macro for the edges' layout. `largest` is the largest id, where a negative id
    counts as larger than all others. `wide` says whether the ids were written as int64.
    """

    edges: int
    layout: str
    largest: int
    negative: bool
    wide: bool


def _chunks(sources: IdArray, targets: IdArray, size: int) -> Iterator[Fill[EdgeChunk]]:
    may_be_wide = max(largest_of(ids.dtype) for ids in (sources, targets)) > limits.MOST_NARROW_VERTICES
    at_once = size // (16 if may_be_wide else 8)
    for begin in range(0, len(sources), at_once):
        yield partial(_write, *_as_they_lie(sources, targets, slice(begin, begin + at_once)))


def _write(layout: str, given: Sequence[IdArray], to: Bytes) -> tuple[int, EdgeChunk]:
    items = sum(len(ids) for ids in given)
    largest, negative = _copy(given, to[: 4 * items].view(np.int32))
    wide = largest > limits.MOST_NARROW_VERTICES and not negative
    if wide:
        _copy(given, to[: 8 * items].view(np.int64))
    size = (8 if wide else 4) * items
    return size, EdgeChunk(items // 2, layout, largest, negative, wide)


def _copy(given: Sequence[IdArray], to: npt.NDArray[Any]) -> tuple[int, bool]:
    """Copy ids. Return the largest id, read as an unsigned number, and whether any id is negative."""
    at, largest, negative = 0, -1, False
    for ids in given:
        unsigned = as_unsigned(ids)
        for begin in range(0, len(ids), CHECKED_AT_ONCE):
            some = slice(begin, begin + CHECKED_AT_ONCE)
            here = int(np.maximum.reduce(unsigned[some]))
            largest, negative = max(largest, here), negative or here > largest_of(ids.dtype)
            count = len(ids[some])
            np.copyto(to[at : at + count], ids[some], casting="unsafe")
            at += count
    return largest, negative
