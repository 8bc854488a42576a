"""Classifies what callers pass in, and converts it to the input of a run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from pointerjump.accel.residents.graphs import CopiedEdges, place
from pointerjump.base import memory
from pointerjump.base.edges import (
    MAX_VERTICES,
    RENUMBER,
    EdgeList,
    Ids,
    check_choice,
    check_vertex_count,
    ends_of,
)
from pointerjump.base.foreign import is_foreign, to_host
from pointerjump.base.graph import Graph
from pointerjump.base.images import is_on_device
from pointerjump.base.objects import hold_objects, object_edges, refuse_numbers
from pointerjump.base.progress import Progress
from pointerjump.errors import GraphError, SpecError
from pointerjump.formats.blocks import Blocks
from pointerjump.formats.files import are_paths
from pointerjump.registry.algorithm import Form, InputFacts
from pointerjump.registry.selection import COPIED_EDGES, takes_blocks
from pointerjump.solving.run import Instance, Order, Seconds
from pointerjump.tables.open import is_table

if TYPE_CHECKING:
    from pointerjump.accel.residents.graphs import ResidentGraph
    from pointerjump.accel.runtime.session import Session

_LIBRARIES: tuple[tuple[tuple[str, str], Callable[[Any], Graph]], ...] = (
    (("get_edgelist", "vcount"), Graph.from_igraph),
    (("iterEdges", "upperNodeIdBound"), Graph.from_networkit),
    (("edge_list", "node_indices"), Graph.from_rustworkx),
    (("get_edges", "get_vertices"), Graph.from_graph_tool),
    (("edge_index", "num_nodes"), Graph.from_torch_geometric),
    (("is_multigraph", "adj"), Graph.from_networkx),
)
"""For each graph library, two attributes that identify its graphs without an import, and the function that
converts its graphs."""

_BYTES_PER_VERTEX = 13  # at the memory peak: parents, labels, numbers and a mask of roots


class Given(NamedTuple):
    """An input that a caller passed, and its kind.

    The kinds are:

    - ``"edges"``: edges in arrays or lists
    - ``"objects"``: edges between objects other than numbers
    - ``"blocks"``: an iterable of blocks of edges
    - ``"table"``: a table in memory or in files
    - ``"files"``: files with graphs
    - ``"spec"``: the spec of a generator
    - ``"matrix"``: a scipy sparse matrix
    - ``"graph"``: anything else, which is assumed to be a graph
    """

    kind: Literal["edges", "objects", "blocks", "table", "files", "spec", "matrix", "graph"]
    what: Any


def classify(given: Any, *, columns: bool = False, numbers: bool = False) -> Given:
    """Determine the kind of a caller's input. For files, this reads their first lines.

    If `columns` is true, the caller passed options that apply only to tables, so the input is treated as a
    table. If `numbers` is true, vertices must be numbers. Files are then never treated as tables, because ids
    in tables may be strings.
    """
    if isinstance(given, Given):
        return given
    issparse = getattr(sys.modules.get("scipy.sparse"), "issparse", None)  # importing it would take long
    if issparse and issparse(given):  # some sparse matrices are dicts
        return Given("table" if columns else "matrix", given)
    first = given[0] if isinstance(given, list | tuple) and given else given
    plain = isinstance(first, list | tuple | set | frozenset | dict)
    if (plain or (isinstance(first, np.ndarray) and first.dtype.kind in "USO")) and hold_objects(given):
        return Given("objects", given)
    if columns:
        return Given("table", given)
    if isinstance(first, str | PathLike) and (first is given or are_paths(given)):
        from pointerjump.generators import is_spec
        from pointerjump.tables.files import hold_pairs

        if isinstance(given, str) and is_spec(given):
            return Given("spec", given)
        return Given("table" if not numbers and hold_pairs(given) else "files", given)
    if isinstance(given, np.ndarray | list | tuple):
        return Given("edges", given)
    if is_table(given):
        return Given("table", given)
    if is_foreign(given):
        return Given("edges", to_host(given))
    return Given("blocks" if isinstance(given, Blocks | Iterator) else "graph", given)


def as_graph(given: Any, *, vertices: int | None = None, ids: Ids | None = None, **reading: Any) -> Graph:
    """Convert any input to a :class:`Graph`. Arrays are not copied, so they must not be modified later.

    The input can be anything that :func:`pointerjump.components` accepts. Files are never treated as tables;
    they are read by :func:`pointerjump.read` with the options in `reading`. See both functions for the
    errors. A GraphError is also raised if the input is a graph whose number of vertices differs from
    `vertices`.
    """
    if ids is not None:
        check_choice(ids)
    kind, what = classify(given, numbers=True)
    if kind == "edges":
        return Graph.of_edges(what, vertices=vertices, ids=ids or "keep")
    if kind == "files":
        from pointerjump.formats import read

        return read(what, vertices=vertices, ids=ids or "auto", **reading)
    if ids == "compact":
        if kind == "spec":
            raise SpecError(f"{what!r}: a generator already numbers its vertices: leave ids out")
        known = f"a {type(what).__name__}"
        raise GraphError(f"ids={ids!r} is for edges, but {known} already numbers its vertices: leave ids out")
    if kind == "spec":
        from pointerjump.generators import generate_graph

        graph = generate_graph(what)
    elif kind == "objects":
        refuse_numbers(vertices, ids)
        graph = Graph.of_checked(object_edges(what))
    elif kind == "matrix":
        graph = Graph.from_scipy(what)
    elif isinstance(what, Graph):
        graph = what
    elif session_of(what) is not None:
        graph = what.host
    else:
        takers = (take for names, take in _LIBRARIES if all(hasattr(what, name) for name in names))
        if (constructor := next(takers, None)) is None:
            raise GraphError(
                f"cannot make a graph of {type(what).__name__}: give a Graph, a scipy sparse matrix, a tuple "
                "(sources, targets) of arrays or of a table's columns, an (m, 2) array, a NetworkX, igraph, "
                "networkit, rustworkx, graph-tool or PyTorch Geometric graph, a path or a spec; or for edges "
                "in blocks, an iterator"
            )
        graph = constructor(what)
    if vertices is not None and check_vertex_count(vertices) != graph.vertices:
        raise GraphError(
            f"vertices={vertices}, but the graph given has {graph.vertices}: leave vertices out, which only "
            "edges need"
        )
    return graph


def read_lists(given: str | PathLike[str], *, progress: Progress | None = None) -> npt.NDArray[Any]:
    """Read successors from a file or generate them from a spec. Whether they form lists is not checked."""
    from pointerjump.formats import read_successors
    from pointerjump.generators import generate_list, is_spec

    if isinstance(given, str) and is_spec(given):
        return generate_list(given)
    return read_successors(given, progress=progress)


def write(graph: Any, path: str | PathLike[str], *, format: str | None = None) -> None:
    """Write a graph to a file, either completely or not at all.

    Each edge is written once, or in both directions if the format stores both. If the last vertices are
    isolated, they are lost in ``.npy`` files, but in no other format. Names are not written; if the graph has
    names, a FormatWarning is issued. Use `write_labels` to write names together with labels.

    Parameters
    ----------
    graph : object
        A graph in any form that :func:`pointerjump.components` accepts.
    path : path
        The file to create or replace. It is compressed if its suffix is followed by ``.gz``, ``.bz2``,
        ``.xz`` or ``.zst``. Compressed files other than ``.zst`` contain a checksum, which `read` uses to
        detect damage.
    format : str, optional
        The name of a format from `FORMATS`. By default, the suffix determines the format, for example Galois
        for ``.gr`` and an edge list for ``.txt``.

    Raises
    ------
    GraphError, FormatError
        If `graph` is not a graph, if the file cannot be written, or if the format is unknown or can only be
        read.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.write(pj.Graph.from_edges([0, 1], [1, 2], vertices=5), "path.egr")
    >>> pj.read("path.egr").vertices
    5
    """
    from pointerjump.formats import write_graph

    write_graph(as_graph(graph), path, format)


# -- graphs as the input of a run --------------------------------------------------------------------


def session_of(given: Any) -> Session | None:
    """Return the session of a DeviceGraph or DeviceList, or None for any other object."""
    session: Session | None = getattr(getattr(given, "resident", None), "session", None)
    return session


def graph_input(
    given: Any, vertices: int | None = None, ids: Ids | None = None, wanted: Order | None = None
) -> Any:
    """Convert a graph in any form to the input of a run.

    The result is a `HostGraph` or a `DeviceGraph`. If `wanted` is a request for components, the result may
    also be `EdgesOnTheWay`. In that case, the device links edges while others are still being copied.
    """
    kind, what = classify(given, numbers=True)
    if kind == "edges" and ids in (None, "keep"):  # the usual case, which should be quick
        ends = what[0] if isinstance(what, tuple) and len(what) == 2 else what
        many = isinstance(ends, np.ndarray) and ends.ndim > 0 and len(ends) >= COPIED_EDGES
        far = many and wanted and wanted.session and not wanted.session.device.host_memory
        if wanted and far and takes_blocks(wanted.asked):
            return EdgesOnTheWay(*ends_of(what), vertices)
        return HostGraph(Graph.of_checked(EdgeList.of(what, None, vertices)))
    graph = as_graph(given, vertices=vertices, ids=ids)
    return HostGraph(graph) if session_of(what) is None else what


class HostGraph(Instance):
    """A graph on the host. A MemoryLimitError is raised if its vertex labels would not fit into memory."""

    def __init__(self, graph: Graph) -> None:
        memory.require(_BYTES_PER_VERTEX * graph.vertices, f"labels of {graph.vertices:,} vertices", RENUMBER)
        self.host = graph
        self.vertices = graph.vertices

    def facts(self) -> InputFacts:
        """Return the properties that ``algorithm="auto"`` uses to select an algorithm.

        They do not depend on earlier runs of any algorithm.
        """
        edges = self.host.edges_as_read
        if edges:
            return InputFacts(edges.vertices, len(edges.sources), "edges", **edges.order()._asdict())
        form: Form = "rows" if self.host.known_symmetric else "stored rows"
        stored = self.host.directed_edges
        return InputFacts(self.host.vertices, stored, form, **self.host.numbering()._asdict())

    def for_reference(self, seconds: Seconds) -> tuple[Graph]:
        with seconds.timed("rows"):
            return (self.host.symmetrized(),)

    def placed(self, form: Form, session: Session, seconds: Seconds) -> ResidentGraph:
        graph = self.host
        if form == "rows":
            with seconds.timed("rows"):
                graph = graph.symmetrized()
        with seconds.timed("transfer"):
            return place(graph, form, session)


class EdgesOnTheWay(Instance):
    """Edges in arrays that are copied to a device in chunks.

    Each chunk is linked while the next one is being copied. The ids are validated at the same time, so the
    number of vertices is known only after the run, unless the caller specified it.
    """

    def __init__(self, sources: npt.NDArray[Any], targets: npt.NDArray[Any], vertices: int | None) -> None:
        if vertices is not None:
            check_vertex_count(vertices)
        self._sources, self._targets, self._stated = sources, targets, vertices
        self._resident: CopiedEdges | None = None

    @property
    def vertices(self) -> int | None:
        """The number of vertices, or None if it is not known yet."""
        return self._resident.vertices if self._resident else self._stated

    @property
    def host(self) -> Graph | None:
        """The graph of these edges, or None if the number of vertices is too large or not yet known.

        Use this property only after a run, because the run validates the ids.
        """
        n = self.vertices
        if n is None or n > MAX_VERTICES:
            return None
        return Graph.of_checked(EdgeList(self._sources, self._targets, n))

    def facts(self) -> InputFacts:
        """Return the input's properties. Their `form` is "blocks", because chunks are linked like blocks."""
        return InputFacts(self._stated or 0, len(self._sources), "blocks")

    def placed(self, form: Form, session: Session, seconds: Seconds) -> CopiedEdges:
        seconds["transfer"] = 0.0
        self._resident = CopiedEdges(self._sources, self._targets, self._stated, session)
        return self._resident


# -- edges in blocks ---------------------------------------------------------------------------------


def edge_blocks(edges: Any, session: Session | None) -> Iterator[tuple[Any, Any, int]]:
    """Yield the sources and targets of each block of edges, and a lower bound on the number of vertices.

    `edges` can be anything that :func:`pointerjump.components` accepts, an iterator over such objects, or a
    pair of pyopencl arrays in the context of the session's device. Ids are not validated.
    """
    if isinstance(edges, tuple) and len(edges) == 2 and any(map(is_on_device, edges)):
        sources, targets = _checked_on_device(*edges, session)
        yield sources, targets, 0
        return
    kind, what = classify(edges, numbers=True)
    if kind == "blocks":
        for block in what:
            yield from edge_blocks(block, session)
    elif kind == "edges":
        yield *ends_of(what), 0
    else:
        graph = as_graph(edges, ids="keep")
        known = graph.edges_as_read
        if known is not None:
            yield known.sources, known.targets, known.vertices
        else:
            yield graph.sources, graph.neighbors, graph.vertices


def _checked_on_device(sources: Any, targets: Any, session: Session | None) -> tuple[Any, Any]:
    for ids, what in ((sources, "sources"), (targets, "targets")):
        if not is_on_device(ids):
            raise GraphError(
                f"{what} are not on the device, but the other ends are: put both there, or neither"
            )
        if session is None or ids.context != session.context:
            raise GraphError(
                f"the array of {what} is in another OpenCL context than the set: make the set with the "
                "array's queue as its device"
            )
        if ids.dtype not in (np.dtype(np.int32), np.dtype(np.int64)) or ids.dtype != sources.dtype:
            raise GraphError(f"{what} have dtype {ids.dtype}: give two arrays of int32, or two of int64")
        if ids.ndim != 1 or not ids.flags.c_contiguous:
            raise GraphError(f"{what} have shape {ids.shape} and strides {ids.strides}: give contiguous ones")
    if sources.size != targets.size:
        raise GraphError(
            f"there are {sources.size} sources and {targets.size} targets: give one of each per edge"
        )
    assert session is not None
    for ids in (sources, targets):
        if ids.queue is not None:
            ids.queue.finish()  # the set has a queue of its own, which would not wait
    # The buffer of a slice begins before the slice, so the slice is copied into a buffer of its own.
    sources, targets = (a.copy(session.queue) if a.offset else a for a in (sources, targets))
    return sources, targets
