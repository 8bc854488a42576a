"""The public functions: components, forests, ranks and scans, on a device or by the reference."""

from __future__ import annotations

import operator
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pointerjump import memory
from pointerjump.errors import AlgorithmError, DeviceError, GraphError, ListError
from pointerjump.graph import RENUMBER, Graph, Ids, VertexArray
from pointerjump.inputs import as_graph
from pointerjump.integers import as_array
from pointerjump.linked_lists import SuccessorArray, as_successors, require_lists
from pointerjump.registry import Algorithm, Variant, check_labels, find_algorithm, format_variant

if TYPE_CHECKING:
    from pointerjump.accel.one_group import SmallGraph
    from pointerjump.accel.residents.edges import DeviceEdges
    from pointerjump.accel.residents.rows import DeviceGraph
    from pointerjump.accel.runtime.session import Session

    Resident = DeviceGraph | DeviceEdges | SmallGraph

REFERENCE = "reference"
"""The ``device`` that means: run the serial Python reference."""

_NUMBERED_AT_ONCE = 1 << 17  # vertices
_BYTES_PER_VERTEX = 13
"""What finding components takes of the host at its peak: parents, labels, numbers, and which are roots."""


class Components:
    """The connected components of a graph.

    Attributes
    ----------
    labels : ndarray of int32, shape (vertices,)
        Each vertex's component: ``"consecutive"``, 0 .. count - 1 in order of each component's smallest
        vertex, or ``"representative"``, that smallest vertex itself.
    names : ndarray or None
        What the input called each vertex, where that is not its number: the ids of a file with other ids
        than 0, 1, ..., or those that ``ids="compact"`` renumbered, or a NetworkX graph's nodes.
    stats : dict
        ``algorithm``, ``variant``, ``platform``, ``device``, ``seconds`` (``transfer``, ``compute``,
        ``labels``) and what the algorithm counted, such as ``rounds``. Where a small graph took one launch,
        ``path``: ``"serial"``, of one work-item, or ``"one-group"``; ``compute`` then holds all of it.

    Examples
    --------
    >>> import pointerjump as pj
    >>> c = pj.components(([0, 4], [2, 3]))
    >>> c.count, c.labels.tolist(), c.sizes.tolist()
    (3, [0, 1, 0, 2, 2], [2, 1, 2])
    >>> c.largest().tolist()
    [0, 2]
    """

    def __init__(self, graph: Graph, labels: VertexArray, kind: str, stats: dict[str, Any]) -> None:
        self._graph = graph  # edges are made into rows only if somebody asks for what needs them
        self._kind = kind
        self.labels = labels
        self.stats = stats

    @property
    def names(self) -> npt.NDArray[Any] | None:
        """What the input called each vertex, shape (vertices,), where that is not its number."""
        return self._graph.names

    @cached_property
    def count(self) -> int:
        """How many components there are."""
        return int(self._consecutive.max(initial=-1)) + 1

    @cached_property
    def _consecutive(self) -> VertexArray:
        """The labels 0 .. count - 1, whichever were asked for."""
        return self.labels if self._kind == "consecutive" else number_components(self.labels)

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many vertices each component has, shape (count,), in order of smallest vertex."""
        return np.bincount(self._consecutive, minlength=self.count)

    def largest(self) -> VertexArray:
        """Return the vertices of the largest component, ascending; of several, the first."""
        if self.count == 0:
            return np.empty(0, np.int32)
        return np.flatnonzero(self._consecutive == np.argmax(self.sizes)).astype(np.int32)

    def members(self) -> list[VertexArray]:
        """Return each component's vertices, ascending, in order of smallest vertex.

        Examples
        --------
        >>> import pointerjump as pj
        >>> [m.tolist() for m in pj.components(([0, 4], [2, 3])).members()]
        [[0, 2], [1], [3, 4]]
        """
        by_component = np.argsort(self._consecutive, kind="stable").astype(np.int32)
        return np.split(by_component, np.cumsum(self.sizes)[:-1]) if self.count else []

    def forest(self) -> npt.NDArray[np.int32]:
        """Return the edges of a spanning forest, shape (vertices - count, 2).

        Examples
        --------
        >>> import pointerjump as pj
        >>> pj.components(([0, 1, 2], [1, 2, 0])).forest().shape
        (2, 2)
        """
        weighted = self._graph.to_scipy().astype(np.float64)
        weighted.setdiag(0)
        weighted.eliminate_zeros()
        tree = sp.csgraph.minimum_spanning_tree(weighted).tocoo()
        return np.column_stack([tree.row, tree.col]).astype(np.int32)

    def __repr__(self) -> str:
        return f"Components(count={self.count}, vertices={len(self.labels)})"


def number_components(parents: VertexArray, *, in_place: bool = False) -> VertexArray:
    """Number components 0 .. k - 1 in order of their smallest vertices.

    Parameters
    ----------
    parents : ndarray of int32, shape (vertices,)
        Each vertex's component's smallest vertex.
    in_place : bool
        Whether to write the numbers over `parents`.

    Returns
    -------
    ndarray of int32, shape (vertices,)
    """
    number = np.arange(len(parents), dtype=np.int32)
    np.cumsum(parents == number, dtype=np.int32, out=number)
    number -= 1
    labels = parents if in_place else np.empty_like(parents)
    for begin in range(0, len(parents), _NUMBERED_AT_ONCE):
        some = slice(begin, begin + _NUMBERED_AT_ONCE)
        labels[some] = number[parents[some]]  # in steps, because pages of new memory take time
    return labels


def components(
    graph: Any,
    algorithm: str = "auto",
    device: Any = None,
    labels: str = "consecutive",
    *,
    vertices: int | None = None,
    ids: Ids | None = None,
    **variant: object,
) -> Components:
    """Find the connected components of an undirected graph.

    Parameters
    ----------
    graph : object
        A Graph or DeviceGraph, a scipy sparse matrix or array, a tuple of two arrays (sources, targets), an
        (m, 2) array or list of edges, a NetworkX, igraph or networkit graph, a path to a file, or a
        generator spec.
    algorithm : str
        A name from :func:`pointerjump.algorithms`, or ``"auto"``.
    device : str, Device or pyopencl object, optional
        A part of a platform's or device's name, ``"cpu"``, ``"gpu"``, ``PYOPENCL_CTX`` syntax, or
        ``"reference"`` for the serial Python reference. Default: the fastest device that works.
    labels : {"consecutive", "representative"}
        0 .. count - 1 in order of each component's smallest vertex (scipy's numbering), or that
        smallest vertex.
    vertices : int, optional
        How many vertices there are, where edges alone don't say (default: largest id + 1).
    ids : {"keep", "compact", "auto"}, optional
        What integer ids in edges become. "keep": each id is a vertex number as it stands, and every number
        up to the largest is a vertex. "compact": only ids that occur are vertices, numbered in ascending
        order; ``names`` of the answer holds them. "auto": compact where most numbers would be unused (see
        :func:`pointerjump.read`). Default: "keep" for arrays, "auto" for files.
    **variant
        The algorithm's variants by name, such as ``init="own"``.

    Returns
    -------
    Components

    Raises
    ------
    GraphError, FormatError, SpecError
        If `graph` is not a graph. Masked arrays are refused where an id is masked.
    AlgorithmError
        If there is no such algorithm or variant.
    DeviceError
        If there is no such device, or it cannot hold the graph.
    MemoryLimitError
        If labels for so many vertices would not fit into memory.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.components(([0, 4], [2, 3]), algorithm="ecl-cc", jump="none").labels.tolist()
    [0, 1, 0, 2, 2]
    >>> c = pj.components(([2_000_000_000, 7], [7, 9]), ids="compact")
    >>> c.names.tolist(), c.labels.tolist()
    ([7, 9, 2000000000], [0, 0, 0])
    """
    check_labels(labels)
    row = find_algorithm(algorithm, "components")
    seconds: dict[str, float] = {}
    if _means_reference(device):
        host = _with_room_for_labels(graph, vertices, ids).symmetrized()
        found, facts = _run_reference(row, host, variant, labels, seconds)
    else:
        row.load("kernels")  # whether there are any, before a graph is moved
        free = algorithm == "auto" and not variant
        resident = _on_device(graph, device, vertices, ids, free, seconds)
        host = resident.graph
        found, facts = _run_kernels(algorithm, resident, variant, labels, seconds)
    return Components(host, found, labels, {**facts, "seconds": seconds})


def _means_reference(device: Any) -> bool:
    """Whether `device` asks for the serial reference."""
    return isinstance(device, str) and device == REFERENCE


def _with_room_for_labels(graph: Any, vertices: int | None, ids: Ids | None) -> Graph:
    """Return whatever was given as a Graph; refuse one whose labels would not fit into memory."""
    host = as_graph(graph, vertices=vertices, ids=ids)
    memory.require(_BYTES_PER_VERTEX * host.vertices, f"labels of {host.vertices:,} vertices", RENUMBER)
    return host


def _on_device(
    graph: Any,
    device: Any,
    vertices: int | None,
    ids: Ids | None,
    free: bool,
    seconds: dict[str, float],
) -> Resident:
    """Return `graph` on the device that is wanted; as it comes, if the algorithm is free to choose."""
    from pointerjump.accel.one_group import SmallGraph, is_small
    from pointerjump.accel.residents.edges import DeviceEdges
    from pointerjump.accel.residents.rows import DeviceGraph, to_device
    from pointerjump.accel.runtime.session import session_for

    if isinstance(graph, DeviceGraph):
        seconds["transfer"] = 0.0
        return to_device(graph, device, vertices=vertices, ids=ids)
    session = session_for(device)
    resident: Resident
    host = _with_room_for_labels(graph, vertices, ids)
    edges = host.edges_as_read  # looked at once: another thread may be making rows of them
    if free and is_small(host, session):
        resident = SmallGraph(host, session)
    elif free and edges:
        resident = DeviceEdges(host, edges, session)
    else:
        resident = DeviceGraph(host, session, as_stored=free and not host.known_symmetric)
    seconds["transfer"] = resident.transfer_seconds
    return resident


def _run_kernels(
    algorithm: str, graph: Resident, choices: dict[str, object], labels: str, seconds: dict[str, float]
) -> tuple[VertexArray, dict[str, Any]]:
    """Run the kernels; return labels of the kind wanted and facts about the run."""
    from pointerjump.accel.one_group import SmallGraph

    session = graph.session
    where = {"platform": session.device.platform, "device": session.device.device}
    if isinstance(graph, SmallGraph):
        found, facts = graph.run(labels, seconds)
        return found, {**facts, **where}
    with session.running():  # threads may share a DeviceGraph, and so its plans and their buffers
        with _timed(seconds, "build"):
            plan = graph.plan(algorithm, **choices)
        with _timed(seconds, "compute"):
            counted = plan.enqueue()
            session.finish()
        with _timed(seconds, "transfer"):
            parents = graph.parents(plan)
    what = {"algorithm": plan.algorithm, "variant": format_variant(plan.variant)}
    return _labelled(parents, labels, seconds), {**what, **where, **counted}


def _run_reference(
    row: Algorithm, graph: Graph, choices: dict[str, object], labels: str, seconds: dict[str, float]
) -> tuple[VertexArray, dict[str, Any]]:
    """Run the reference; return labels of the kind wanted and facts about the run."""
    chosen = row.variant("reference", choices)
    with _timed(seconds, "compute"):
        representatives = row.function()(graph, **chosen)
    parents = smallest_representatives(representatives)
    return _labelled(parents, labels, seconds), _reference_facts(row, chosen, seconds)


def _labelled(parents: VertexArray, labels: str, seconds: dict[str, float]) -> VertexArray:
    """Return labels of the kind wanted, given each component's smallest vertex."""
    with _timed(seconds, "labels"):
        return number_components(parents, in_place=True) if labels == "consecutive" else parents


def _reference_facts(row: Algorithm, chosen: Variant, seconds: dict[str, float]) -> dict[str, Any]:
    seconds["transfer"] = 0.0
    return {
        "algorithm": row.name,
        "variant": format_variant(chosen),
        "platform": REFERENCE,
        "device": f"{platform.python_implementation()} {platform.python_version()}",
    }


def smallest_representatives(representatives: VertexArray) -> VertexArray:
    """Replace each component's representative, any vertex of it, by its smallest vertex."""
    smallest = np.full(len(representatives), len(representatives), np.int32)
    np.minimum.at(smallest, representatives, np.arange(len(representatives), dtype=np.int32))
    return smallest[representatives]


@contextmanager
def _timed(seconds: dict[str, float], phase: str) -> Iterator[None]:
    """Add the time the block takes to `seconds[phase]`."""
    began = perf_counter()
    yield
    seconds[phase] = seconds.get(phase, 0.0) + perf_counter() - began


def connected_components(
    csgraph: Any,
    directed: bool = True,
    connection: str = "weak",
    return_labels: bool = True,
    *,
    algorithm: str = "auto",
    device: Any = None,
    labels: str = "consecutive",
) -> Any:
    """Find the connected components of a graph: scipy's function, on any OpenCL device.

    Takes what ``scipy.sparse.csgraph.connected_components`` takes and returns what it returns, with the
    same numbering. Edge directions are ignored: components are those of the undirected graph.

    Parameters
    ----------
    csgraph : array_like or sparse matrix, shape (n, n), or a graph
        Adjacency. Stored entries of a sparse matrix are edges, as are the nonzero, finite entries of a
        dense one and, of a masked array, all that are not masked. Arrays and lists are always adjacency, as
        in scipy: give edges to :func:`components`. Other graphs, paths and specs are taken as there.
    directed : bool
        Accepted for scipy's sake: the weak components of a directed graph are those of the undirected one.
    connection : {"weak"}
        Strong components are not offered.
    return_labels : bool
        Whether labels are returned beside the count.
    algorithm, device, labels
        As for :func:`components`.

    Returns
    -------
    n_components : int
    labels : ndarray of int32, shape (n,)
        Unless ``return_labels=False``.

    Raises
    ------
    AlgorithmError
        For ``connection="strong"`` on a directed graph.
    GraphError
        If `csgraph` is not square, or holds no numbers.

    Examples
    --------
    >>> import numpy as np
    >>> import pointerjump as pj
    >>> pj.connected_components(np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]]))
    (2, array([0, 0, 1], dtype=int32))
    """
    if not (isinstance(connection, str) and connection.lower() in ("weak", "strong")):
        raise AlgorithmError(f"connection={connection!r}: it must be 'weak'")
    if directed and connection.lower() == "strong":
        raise AlgorithmError(
            "strongly connected components are not offered: use scipy.sparse.csgraph.connected_components"
        )
    if isinstance(csgraph, np.ndarray | list | tuple):
        csgraph = _sparse(csgraph)
    found = components(csgraph, algorithm, device, labels)
    return (found.count, found.labels) if return_labels else found.count


def _sparse(dense: Any) -> Any:
    """Return what scipy takes a dense adjacency matrix, masked or not, to mean."""
    masked = isinstance(dense, np.ma.MaskedArray)
    matrix: Any = dense if masked else as_array(dense, "csgraph", GraphError)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphError(
            f"csgraph has shape {matrix.shape}: an adjacency matrix is square; give edges to components()"
        )
    try:
        matrix = matrix.astype(np.float64)
    except (TypeError, ValueError):
        raise GraphError(f"csgraph has dtype {matrix.dtype}: an adjacency matrix holds numbers") from None
    return sp.csgraph.csgraph_from_masked(matrix) if masked else sp.csgraph.csgraph_from_dense(matrix)


def spanning_forest(
    graph: Any,
    algorithm: str = "auto",
    device: Any = None,
    *,
    vertices: int | None = None,
    ids: Ids | None = None,
    **variant: object,
) -> npt.NDArray[np.int32]:
    """Find a spanning forest: of each component as few of its edges as keep it connected.

    Parameters
    ----------
    graph : object
        As for :func:`components`.
    algorithm : str
        A spanning-forest name from :func:`pointerjump.algorithms`, or ``"auto"``.
    device, vertices, ids : optional
        As for :func:`components`. With ``ids="compact"`` the edges are of vertex numbers, not ids.
    **variant
        The algorithm's variants by name, such as ``input="rows"``.

    Returns
    -------
    ndarray of int32, shape (vertices - components, 2)
        Edges of the graph. How many is certain, which they are is not.

    Raises
    ------
    GraphError, FormatError, SpecError
        If `graph` is none.
    AlgorithmError
        If there is no such algorithm or variant.
    DeviceError
        If there is no such device, or it cannot hold the graph.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.spanning_forest(([0, 1, 2], [1, 2, 0])).shape
    (2, 2)
    """
    return find_forest(graph, algorithm, device, vertices=vertices, ids=ids, **variant)[0]


def find_forest(
    graph: Any,
    algorithm: str = "auto",
    device: Any = None,
    *,
    vertices: int | None = None,
    ids: Ids | None = None,
    **variant: object,
) -> tuple[npt.NDArray[np.int32], dict[str, Any]]:
    """Find a spanning forest; return its edges and the facts of the run, as in ``Components.stats``."""
    row = find_algorithm(algorithm, "spanning-forest")
    seconds: dict[str, float] = {}
    forest: npt.NDArray[np.int32]
    if _means_reference(device):
        host = _with_room_for_labels(graph, vertices, ids).symmetrized()
        chosen = row.variant("reference", variant)
        with _timed(seconds, "compute"):
            forest = row.function()(host, **chosen)
        return forest, {**_reference_facts(row, chosen, seconds), "seconds": seconds}

    from pointerjump.accel.residents.rows import DeviceGraph
    from pointerjump.accel.spanning_forest import forest_of

    resident = _on_device(graph, device, vertices, ids, False, seconds)
    assert isinstance(resident, DeviceGraph)  # as nothing is left free to choose
    session = resident.session
    with session.running():
        plan = resident.prepared(row, variant)
        with _timed(seconds, "compute"):
            plan.enqueue()
            session.finish()
        with _timed(seconds, "transfer"):
            forest = forest_of(resident, plan)
    what = {"algorithm": row.name, "variant": format_variant(plan.variant)}
    where = {"platform": session.device.platform, "device": session.device.device}
    return forest, {**what, **where, "seconds": seconds}


def list_rank(
    successors: npt.ArrayLike, algorithm: str = "auto", device: Any = None, **variant: object
) -> SuccessorArray:
    """Rank linked lists: each element's distance to the last element of its list.

    Parameters
    ----------
    successors : array_like of int, shape (n,)
        The element after each element; a last element is its own successor. Several lists in one
        array are fine.
    algorithm : str
        A list-ranking name from :func:`pointerjump.algorithms`, or ``"auto"``.
    device : optional
        As for :func:`components`.
    **variant
        The algorithm's variants by name, such as ``splitters=1024``.

    Returns
    -------
    ndarray of int32, shape (n,)

    Raises
    ------
    ListError
        If it is no set of lists: a successor out of range, two elements before one, a cycle.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.list_rank([2, 1, 3, 3]).tolist()
    [2, 0, 1, 0]
    """
    return rank_lists(successors, algorithm, device, **variant)[0]


def rank_lists(
    successors: npt.ArrayLike, algorithm: str = "auto", device: Any = None, **variant: object
) -> tuple[SuccessorArray, dict[str, Any]]:
    """Rank linked lists; return the ranks and the facts of the run, as in ``Components.stats``."""
    row = find_algorithm(algorithm, "list-ranking")
    seconds: dict[str, float] = {}
    if _means_reference(device):
        checked = as_successors(successors)
        require_lists(checked)
        chosen = row.variant("reference", variant)
        with _timed(seconds, "compute"):
            ranks = row.function()(checked, **chosen)
        return ranks, {**_reference_facts(row, chosen, seconds), "seconds": seconds}

    driver = row.driver()
    from pointerjump.accel.residents.lists import lists_on

    with _timed(seconds, "transfer"):
        lists = lists_on(device, successors)
        session = lists.session
        session.finish()
    with session.running():  # threads may share a DeviceList, and so its buffers
        with _timed(seconds, "compute"):
            buffer, chosen = driver(lists, **session.variant(row, variant))
            session.finish()
        with _timed(seconds, "transfer"):
            ranks = session.get(buffer, lists.elements)
    where = {"platform": session.device.platform, "device": session.device.device}
    facts = {"algorithm": row.name, "variant": format_variant(chosen), **where, "seconds": seconds}
    return ranks, facts


def _least(x: Any, y: Any) -> Any:
    """Return the lesser, or NaN if either is: where Python's min lets NaN win or not by its place."""
    return x if x <= y or x != x else y


def _greatest(x: Any, y: Any) -> Any:
    """Return the greater, or NaN if either is."""
    return x if x >= y or x != x else y


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "multiply": operator.mul,
    "min": _least,
    "max": _greatest,
}
"""The operators of :func:`list_scan` that have names."""

_OF_NUMPY: dict[Any, str] = {np.add: "add", np.multiply: "multiply", np.minimum: "min", np.maximum: "max"}


def list_scan(
    successors: npt.ArrayLike,
    values: Any,
    operator: str | Callable[[Any, Any], Any] = "add",
    algorithm: str = "auto",
    device: Any = None,
    **variant: object,
) -> npt.NDArray[Any]:
    """Scan linked lists: combine the values from the first element of each list up to each element.

    Parameters
    ----------
    successors : array_like of int, shape (n,)
        The element after each element; a last element is its own successor. Several lists in one
        array are fine.
    values : array_like, shape (n,)
        One value for each element.
    operator : {"add", "multiply", "min", "max"} or callable
        What combines two values, the earlier in the list first. It must be associative; it need not
        commute nor have an inverse. A callable is given Python's own numbers, so integers do not wrap.
        ``"min"`` and ``"max"`` of NaN and anything is NaN.
    algorithm : str
        A list-scan name from :func:`pointerjump.algorithms`, or ``"auto"``.
    device : optional
        As for :func:`components`, but that devices know the named operators only (and NumPy's of the same
        names), on integers, bools and floating-point numbers. Default: the fastest device that works, if it
        can do this scan; else, as wherever parts of a list take integers past 64 bits, the serial reference.
        Sums and products of floating-point numbers are rounded as the device groups them.
    **variant
        The algorithm's variants by name, such as ``splitters=1024``.

    Returns
    -------
    ndarray, shape (n,)
        Of int64 for integers and bools, float64 for floating-point numbers (or if the operator makes such of
        integers), and Python objects for all others, an array of dtype object among them.

    Raises
    ------
    ListError
        If it is no set of lists, there is not one value for each element, a value is masked, or integers
        pass 64 bits.
    AlgorithmError
        If there is no such operator or algorithm, or a device is named and kernels cannot do this scan.
    DeviceError
        If there is no such device, or it cannot hold the lists or compute with such numbers.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.list_scan([2, 1, 3, 3], [1, 10, 100, 1000]).tolist()
    [1, 10, 101, 1101]
    >>> pj.list_scan([2, 1, 3, 3], list("abcd"), lambda x, y: x + y).tolist()
    ['a', 'b', 'ac', 'acd']
    """
    row = find_algorithm(algorithm, "list-scan")
    checked = as_successors(successors)
    given, dtype = _scannable(values)
    name: Any = operator
    if isinstance(operator, np.ufunc) and dtype is not object:
        name = _OF_NUMPY.get(operator, operator)  # NumPy's own would wrap
    combine = OPERATORS.get(name) if isinstance(name, str) else name
    if not callable(combine):
        raise AlgorithmError(
            f"operator={operator!r}: it must be one of {', '.join(OPERATORS)}, or a callable"
        )
    if len(given) != len(checked):
        raise ListError(f"there are {len(given)} values for {len(checked)} elements: give one each")

    session = None
    if not _means_reference(device):
        try:
            session = _scanning_session(name, dtype, device)
        except (AlgorithmError, DeviceError):
            if device is not None:
                raise
    if session:
        try:
            return _scan_on_device(row, session, checked, _as_kernels_take(given, dtype), name, variant)
        except OverflowError:  # in some part of a list; Python's own integers tell whether in a result
            both = {axis.name for axis in row.axes_of("reference")}
            variant = {axis: value for axis, value in variant.items() if axis in both}
    require_lists(checked)
    chosen = row.variant("reference", variant)
    own = given.tolist() if isinstance(given, np.ndarray) else given
    return _as_array(row.function()(checked, own, combine, **chosen), dtype)


def _scanning_session(operator: Any, dtype: type, device: Any) -> Session:
    """Return the session of the device to scan on.

    Raises
    ------
    AlgorithmError
        If kernels cannot do this scan.
    DeviceError
        If there is no such device, or it lacks the numbers.
    """
    from pointerjump.accel.list_scan import has_doubles
    from pointerjump.accel.runtime.session import session_for

    way_out = 'leave device out, or run the reference (device="reference")'
    if not isinstance(operator, str):
        raise AlgorithmError(f"devices know the operators {', '.join(OPERATORS)} only: {way_out}")
    if dtype is object:
        raise AlgorithmError(f"devices scan integers and floating-point numbers only: {way_out}")
    session = session_for(device)
    if dtype is np.float64 and not has_doubles(session):
        raise DeviceError(f"{session.device.device} has no 64-bit floating-point numbers: {way_out}")
    return session


def _scan_on_device(
    row: Algorithm,
    session: Session,
    successors: SuccessorArray,
    values: npt.NDArray[Any],
    operator: str,
    variant: dict[str, object],
) -> npt.NDArray[Any]:
    from pointerjump.accel.residents.lists import DeviceList

    lists = DeviceList(successors, session)
    with session.running():
        result, _ = row.driver()(lists, values, operator, **session.variant(row, variant))
        return session.get(result, lists.elements, values.dtype)


_WHOLE = (int, np.integer, np.bool_)
_REAL = (*_WHOLE, float, np.floating)


def _scannable(values: Any) -> tuple[npt.NDArray[Any] | list[Any], type]:
    """Return values as an array or, where that could change them, a list; and the result's dtype."""
    array = values
    if isinstance(values, np.ndarray):
        array = as_array(values, "values", ListError)  # nothing masked
    else:
        try:
            given = list(values)
        except TypeError:  # a number, a sparse matrix
            raise ListError(
                f"values is of type {type(values).__name__}: give a sequence, one value for each element"
            ) from None
        if any(v is np.ma.masked for v in given):
            raise ListError("values has a masked element: remove or fill masked entries first")
        if given and all(isinstance(v, _WHOLE) for v in given):
            return [int(v) for v in given], np.int64  # np.asarray makes floats of [2**63, -1]
        if not all(isinstance(v, _REAL) for v in given):
            return given, object
        array = np.asarray(given)
    if array.ndim != 1:
        raise ListError(f"values has shape {array.shape}: it must be one-dimensional")
    kind = np.int64 if array.dtype.kind in "iub" else np.float64 if array.dtype.kind == "f" else object
    return array, kind


def _as_kernels_take(values: npt.NDArray[Any] | list[Any], dtype: type) -> npt.NDArray[Any]:
    """Return values as int64 or float64.

    Raises
    ------
    OverflowError
        If those cannot hold them: unsigned numbers past 63 bits, long doubles.
    """
    array: npt.NDArray[Any] = np.ascontiguousarray(values, dtype)  # of a list, Python's integers, it raises
    if isinstance(values, np.ndarray) and not np.array_equal(array, values, equal_nan=dtype is np.float64):
        raise OverflowError(f"not all values fit {np.dtype(dtype)}")
    return array


def _as_array(found: list[Any], dtype: type) -> npt.NDArray[Any]:
    if dtype is np.int64 and all(isinstance(x, _WHOLE) for x in found):
        if any(not -(2**63) <= x < 2**63 for x in found):
            raise ListError(
                "the scan's integers pass 64 bits: give floating-point values, or an array of dtype object"
            )
        return np.array(found, np.int64)
    if dtype is not object and all(isinstance(x, _REAL) for x in found):
        return np.array(found, np.float64)
    result = np.empty(len(found), object)
    for j, x in enumerate(found):
        result[j] = x
    return result
