"""Connected components: :func:`components`, and scipy's function of the same name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Number
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol, overload

import numpy as np
import scipy.sparse as sp

from pointerjump.accel.labels import number_in_place, numbers_trees
from pointerjump.errors import AlgorithmError, DeviceError, GraphError
from pointerjump.face.blocks import is_blocks
from pointerjump.face.graphs import GraphInput, graph_input, session_of
from pointerjump.face.result import Components, number_components, smallest_representatives
from pointerjump.face.running import is_reference, solve
from pointerjump.formats.files import are_paths
from pointerjump.graph import Graph, Ids, VertexArray, require_sound_blocks
from pointerjump.inputs import as_graph
from pointerjump.integers import as_array
from pointerjump.registry.selection import COPIED_EDGES
from pointerjump.tables.kinds import are_files_of_pairs, is_table

if TYPE_CHECKING:
    from pointerjump.accel.plan import Plan
    from pointerjump.accel.runtime.session import Session
    from pointerjump.face.table_result import TableComponents

NUMBERED_ON_DEVICE = 1 << 17
"""From so many vertices on, the device numbers components; for fewer, NumPy takes less time than launches."""

LABELS = ("consecutive", "representative")
"""What labels may be: consecutive numbers, or each component's smallest vertex."""


class ArrowTable(Protocol):
    """A table with the Arrow PyCapsule interface: a frame of pandas or Polars, a table of Arrow."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return its rows."""


@overload
def components(
    graph: ArrowTable, source: str | None = ..., target: str | None = ..., **options: Any
) -> TableComponents: ...
@overload
def components(graph: Any, source: str, target: str | None = ..., **options: Any) -> TableComponents: ...
@overload
def components(graph: Any, *, member: str, **options: Any) -> TableComponents: ...
@overload
def components(graph: Any, source: None = ..., target: None = ..., **options: Any) -> Components: ...
def components(
    graph: Any,
    source: str | None = None,
    target: str | None = None,
    *,
    group: str | Sequence[str] | None = None,
    member: str | None = None,
    where: Any = None,
    nodes: Any = None,
    algorithm: str = "auto",
    device: Any = None,
    devices: Any = None,
    labels: str | None = None,
    vertices: int | None = None,
    ids: Ids | None = None,
    executor: Any = None,
    **variant: object,
) -> Components:
    """Find the connected components of an undirected graph, or of the ids in a table.

    Two vertices are in one component if a path of edges joins them. A table says which ids are joined: each
    row has the two ids of a pair, or a group and one of its members.

    Parameters
    ----------
    graph : object
        A Graph or DeviceGraph, a scipy sparse matrix or array, a tuple of two arrays or lists (sources,
        targets), an (m, 2) array or list of edges, or a NetworkX, igraph or networkit graph. Or a path to a
        file, a list of paths, or a generator spec. A tuple of two pairs, such as ``((1, 2), (7, 8))``, could
        be edges or sources and targets, and is an error. Or edges in blocks: what :func:`read_blocks`
        returns, or an iterator of such things. Blocks are not kept: only one number per vertex is. Or a
        table: a pandas or Polars frame (lazy ones too), an Arrow table, batch, reader or data set, a DuckDB
        relation, or anything with the Arrow PyCapsule interface. Parquet, Arrow, CSV and TSV files, given by
        a path, a pattern, a folder or a list, are a table if two columns have usual names, unless `vertices`,
        `ids` or `devices` are given. If columns are named, files and iterators are always tables.
    source, target : str, optional
        Tables of pairs: the columns with the two ids of each pair. Default: those with usual names, such as
        ``left`` and ``right``.
    group, member : str, optional
        Tables of groups: the column with the group and the column with the member, or with a list of members.
        All members of a group are in one component. Without `group`, each row's list is a group. `group` may
        be a list of columns, such as ``["phone", "email"]``: members that share a value in any of them are in
        one component, and values of different columns are different groups. Where a group is null or empty,
        the member is in no group by that column, and alone unless something else joins it. A condition that
        leaves the row out leaves the member out too, unless another row or `nodes` has it.
    where : condition or list of conditions, optional
        Tables: take only rows in which these hold, such as ``("score", ">=", 0.9)``. The operators are
        ``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in``, ``not in``, ``is null`` and ``is not null``.
    nodes : column, table, path or tuple, optional
        Tables: more ids, which are there even if no row has them. A table with several columns needs the
        name of one, as in ``(table, "id")``.
    algorithm : str
        A name from :func:`pointerjump.algorithms`, or ``"auto"``.
    device : str, Device or pyopencl object, optional
        Part of a platform's or device's name, ``"cpu"``, ``"gpu"``, a value that ``PYOPENCL_CTX`` could
        have, or ``"reference"`` for the serial Python reference. Default: the fastest device that works.
    devices : list or "all", optional
        Several devices, each named as for `device`, or all that work. Whichever is free takes the next part
        of the edges; in the end their forests join. Not for tables.
    labels : {"consecutive", "representative"}
        What identifies a component: a number from 0 to count - 1, in order of smallest vertex (scipy's
        numbering), or its smallest vertex itself. In a table, ids take the place of vertices. Default:
        "representative" for tables, "consecutive" for everything else.
    vertices : int, optional
        The number of vertices, for edges, which do not state it (default: largest id + 1).
    ids : {"keep", "compact", "auto"}, optional
        How integer ids in edges become vertices. "keep": ids are vertex numbers, and every number up to the
        largest id is a vertex. "compact": only ids that occur are vertices, numbered in ascending order, and
        the result's ``names`` holds the ids. "auto": compact if most numbers would be unused (see
        :func:`pointerjump.read`). Default: "keep" for arrays and blocks, "auto" for files.
    executor : concurrent.futures.Executor or the like, optional
        Workers that share the work: a pool of processes, Dask's ``client.get_executor()``, MPI's
        ``MPIPoolExecutor``. Then `graph` is a list or an iterator of blocks of any of these kinds, such as
        paths to files. Workers find out what each block connects, and the results are merged here.
    **variant
        Choices on the algorithm's axes, such as ``init="own"``.

    Returns
    -------
    Components
        For a table, a ``TableComponents``, which also has ``ids`` and ``table()``. The latter returns a table
        of the kind that was given, with the columns ``id``, ``component`` and ``size``.

    Raises
    ------
    GraphError, FormatError, SpecError
        If `graph` is not a graph, for example an array in which an id is masked.
    TableError
        If a column is not there, an id is null or empty, or two columns hold ids that are never equal.
    AlgorithmError
        If there is no such algorithm or variant.
    DeviceError
        If there is no such device, or it cannot hold the graph.
    MemoryLimitError
        If the labels would not fit into memory.

    See Also
    --------
    connected_components : The same, with the arguments and results of scipy's function.
    components_at : For a table, at several thresholds of a score.
    spanning_forest : As few of the edges as keep each component connected.
    DisjointSet : For edges that keep coming.
    to_device : Put a graph on a device once, for many runs.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.components(([0, 4], [2, 3]), algorithm="ecl-cc", jump="none").labels.tolist()
    [0, 1, 0, 2, 2]
    >>> c = pj.components(([2_000_000_000, 7], [7, 9]), ids="compact")
    >>> c.names.tolist(), c.labels.tolist()
    ([7, 9, 2000000000], [0, 0, 0])
    >>> import pyarrow as pa
    >>> pairs = pa.table({"left": ["dee", "bob"], "right": ["bob", "ann"], "score": [0.97, 0.91]})
    >>> pj.components(pairs, source="left", target="right", where=("score", ">", 0.9)).table().to_pylist()[0]
    {'id': 'dee', 'component': 'ann', 'size': 3}
    """
    table = any(given is not None for given in (source, target, group, member, where, nodes))
    if executor is not None:
        from pointerjump.parallel import components_by_executor
        from pointerjump.tables.roles import Roles

        require_kept_ids(ids)
        chosen = {"algorithm": None if algorithm == "auto" else algorithm, "devices": devices, **variant}
        roles = Roles(source, target, group, member)
        return components_by_executor(
            graph,
            executor,
            device,
            labels,
            vertices=vertices,
            roles=roles,
            where=where,
            nodes=nodes,
            others=chosen,
        )
    of_numbers = any(option is not None for option in (vertices, ids, devices))
    if table or is_table(graph) or (not of_numbers and are_files_of_pairs(graph)):
        from pointerjump.face.tables import components_of_table, require_no_graph_options
        from pointerjump.tables.roles import Roles

        require_no_graph_options(vertices=vertices, ids=ids, devices=devices)
        roles = Roles(source, target, group, member)
        return components_of_table(
            graph, algorithm, device, labels, roles=roles, where=where, nodes=nodes, choices=variant
        )
    labels = "consecutive" if labels is None else labels
    if devices is None and 0 <= (edges := _edges_in_arrays(graph)) < COPIED_EDGES:  # nearly always so
        return find_components(algorithm, device, variant, labels, lambda: graph_input(graph, vertices, ids))
    from pointerjump.face.streams import components_of_blocks, components_of_parts, links_on_the_way

    if devices is not None and device is not None:
        raise DeviceError("device and devices are both given: leave one out")
    if is_blocks(graph):
        require_kept_ids(ids)
        where = device if devices is None else devices
        return components_of_blocks(graph, algorithm, where, labels, vertices=vertices, choices=variant)
    if devices is not None:
        return components_of_parts(
            as_graph(graph, vertices=vertices, ids=ids), algorithm, devices, labels, variant
        )
    copied = edges >= COPIED_EDGES and ids in (None, "keep") and not is_reference(device)
    if copied and links_on_the_way(algorithm, device, variant):
        return components_of_blocks(
            iter([graph]), algorithm, device, labels, vertices=vertices, choices=variant, kept=graph
        )
    return find_components(
        algorithm, device, variant, labels, lambda: graph_input(graph, vertices, ids), session_of(graph)
    )


def _edges_in_arrays(graph: Any) -> int:
    """Return the number of edges that are given in arrays, or -1 for anything else."""
    if isinstance(graph, tuple) and len(graph) == 2:
        graph = graph[0]
    return len(graph) if isinstance(graph, np.ndarray) and graph.ndim else -1


def require_kept_ids(ids: object) -> None:
    """Refuse to renumber ids of edges that come in blocks."""
    if ids not in (None, "keep"):
        raise GraphError(
            f"ids={ids!r} needs all edges at once, and they come in blocks: leave ids out, or give them whole"
        )


def check_labels(labels: object) -> None:
    """Raise an AlgorithmError unless `labels` is one of `LABELS`."""
    if not (isinstance(labels, str) and labels in LABELS):
        raise AlgorithmError(f'labels={labels!r}: it must be "consecutive" or "representative"')


def find_components(
    algorithm: str,
    device: Any,
    choices: Mapping[str, object],
    labels: str,
    take: Callable[[], GraphInput],
    input_session: Session | None = None,
) -> Components:
    """Find the components of the graph that `take` returns. All else is checked before `take` is called."""
    check_labels(labels)
    numbered = labels == "consecutive"

    def numbered_on_device(input: GraphInput) -> bool:
        return numbered and input.host.vertices >= NUMBERED_ON_DEVICE

    def flat(session: Session, input: GraphInput) -> bool:
        return not (numbered_on_device(input) and numbers_trees(session))

    def read(session: Session, plan: Plan, input: GraphInput) -> tuple[VertexArray, bool]:
        n = input.host.vertices
        if numbered and plan.labels is not None:
            return session.get(plan.labels, n), True
        done = numbered_on_device(input)
        if done:
            number_in_place(session, plan.result, n, str(choices.get("reads", "plain")))
        return plan.answer(session, n), done

    def of_reference(representatives: VertexArray) -> tuple[VertexArray, bool]:
        return smallest_representatives(representatives), False

    (found, done), input, run = solve(
        "components",
        algorithm,
        device,
        choices,
        take,
        read,
        of_reference,
        flat=flat,
        input_session=input_session,
    )
    run.seconds["labels"] = 0.0
    if numbered and not done:
        with run.seconds.timed("labels"):
            number_components(found, in_place=True)
    return Components(found, labels, run, input)


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
    """Find the connected components of a graph, as scipy's function does, on any OpenCL device.

    It takes the arguments of ``scipy.sparse.csgraph.connected_components`` and returns the same results, with
    the same numbering. Weak components are those of the undirected graph, and are found on the device. Strong
    components of a directed graph are found by scipy's function itself, serially and on no device.

    Parameters
    ----------
    csgraph : array_like or sparse matrix, shape (n, n), or a graph
        The adjacency matrix. Its edges are those that the installed scipy sees: the stored entries of a
        sparse matrix, even zeros; of a dense one the finite entries that differ from 0 by more than 1e-8; or
        the unmasked entries of a masked array. Zeros of a DIA matrix are never edges. Those of a BSR matrix
        are edges up to scipy 1.17, but neither in scipy 1.18 nor for :func:`components`. As in scipy, an
        array is always an adjacency matrix, and so is a list: give edges to :func:`components`. Other graphs
        and specs are taken as in :func:`components`; a file is always read as a graph.
    directed : bool
        Whether edges have a direction. Only strong components depend on it.
    connection : {"weak", "strong"}
        Two vertices of a directed graph are weakly connected if a path joins them when directions are
        ignored, and strongly connected if directed paths lead from each to the other. In an undirected
        graph the two are the same, and "strong" is answered as "weak" is.
    return_labels : bool
        Whether to return labels as well as the count.
    algorithm, device
        As for :func:`components`. scipy's function offers no choice, so leave both out if strong components
        of a directed graph are asked for.
    labels : {"consecutive", "representative"}
        As for :func:`components`, except that strong components are numbered as scipy does, which is not in
        order of their smallest vertices.

    Returns
    -------
    n_components : int
    labels : ndarray of int32, shape (n,)
        Only if `return_labels`.

    Raises
    ------
    AlgorithmError
        If `connection` is neither of the two, or if strong components of a directed graph are asked for with
        an algorithm or a device, or of something other than a matrix.
    GraphError
        If `csgraph` is not square, or does not hold numbers.

    See Also
    --------
    components : For edges, and for more than labels: sizes, members, the largest component.

    Examples
    --------
    >>> import numpy as np
    >>> import pointerjump as pj
    >>> matrix = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    >>> pj.connected_components(matrix)
    (2, array([0, 0, 1], dtype=int32))
    >>> pj.connected_components(matrix, connection="strong", return_labels=False)
    3
    """
    if not (isinstance(connection, str) and connection.lower() in ("weak", "strong")):
        raise AlgorithmError(f"connection={connection!r}: it must be 'weak' or 'strong'")
    if isinstance(csgraph, np.ndarray | list | tuple) and not are_paths(csgraph):
        csgraph = _sparse(csgraph)
    elif getattr(csgraph, "format", None) == "bsr" and csgraph.shape[0] == csgraph.shape[1]:
        from scipy.sparse.csgraph._validation import validate_graph

        require_sound_blocks(csgraph)
        csgraph = validate_graph(csgraph, directed, dense_output=False)  # in CSR, as this scipy sees it
    if directed and connection.lower() == "strong":
        count, found = _strong_components(csgraph, algorithm, device, labels)
        return (count, found) if return_labels else count
    if isinstance(csgraph, str | PathLike) or are_paths(csgraph):
        csgraph = as_graph(csgraph)  # whatever the names of a file's columns are
    weak = components(csgraph, algorithm=algorithm, device=device, labels=labels)
    return (weak.count, weak.labels) if return_labels else weak.count


def _strong_components(matrix: Any, algorithm: str, device: Any, labels: str) -> tuple[int, VertexArray]:
    """Return the number of strongly connected components, and their labels, found by scipy's function."""
    # From where it is defined, because csgraph's own name for it may have been given to our function.
    from scipy.sparse.csgraph._traversal import connected_components as scipys_function

    if algorithm != "auto" or device is not None:
        raise AlgorithmError(
            'connection="strong" is answered by scipy, which has one algorithm and uses no device: leave '
            "algorithm and device out"
        )
    check_labels(labels)
    if not sp.issparse(matrix):
        raise AlgorithmError(
            f'connection="strong" needs the directions of edges, and a {type(matrix).__name__} is taken as '
            "undirected: give the adjacency matrix, sparse or dense"
        )
    stored: Any = matrix
    Graph.from_scipy(stored)  # refuses a damaged matrix, on which scipy might crash
    rows = stored.tocsr()
    entries = (np.ones(rows.nnz), rows.indices[: rows.nnz], rows.indptr)  # values do not matter
    pattern = sp.csr_array(entries, shape=rows.shape)
    once = pattern.copy()
    once.sum_duplicates()  # which also sorts rows, and so changes scipy's numbering
    if once.nnz < pattern.nnz:
        pattern = once  # scipy's function never returns from some rows with duplicates
    count, found = scipys_function(pattern, connection="strong")
    return count, smallest_representatives(found) if labels == "representative" else found


def _sparse(dense: Any) -> Any:
    """Return a dense adjacency matrix, masked or not, as the sparse one that scipy would make of it."""
    masked = isinstance(dense, np.ma.MaskedArray)
    matrix: Any = dense if masked else as_array(dense, "csgraph", GraphError)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphError(
            f"csgraph has shape {matrix.shape}: an adjacency matrix is square; give edges to components()"
        )
    objects = matrix.flat if matrix.dtype == object else ()
    if matrix.dtype.kind not in "biufcO" or not all(isinstance(each, Number | np.bool_) for each in objects):
        raise GraphError(f"csgraph has dtype {matrix.dtype}: an adjacency matrix holds numbers")
    matrix = matrix.astype(np.float64)
    if matrix.size == 0:  # scipy has no answer if it is masked, too
        return sp.csr_array(matrix.shape)
    return sp.csgraph.csgraph_from_masked(matrix) if masked else sp.csgraph.csgraph_from_dense(matrix)
