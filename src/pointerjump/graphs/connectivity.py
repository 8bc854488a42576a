"""Connected components of graphs, tables and groups: :func:`components`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol, overload

import numpy as np

from pointerjump.base.edges import Ids
from pointerjump.base.foreign import OF_ARRAYS, to_host
from pointerjump.base.graph import Graph
from pointerjump.base.objects import group_edges, object_edges, refuse_numbers
from pointerjump.errors import AlgorithmError, DeviceError, GraphError
from pointerjump.registry.selection import refuse_misspelt
from pointerjump.solving.inputs import HostGraph, as_graph, classify, graph_input, session_of
from pointerjump.solving.result import Components, ObjectComponents, check_labels, find_components
from pointerjump.solving.run import REFERENCE, choice_for_blocks, order

if TYPE_CHECKING:
    import numpy.typing as npt

    from pointerjump.graphs.explain import Explanation
    from pointerjump.ids.components import TableComponents
    from pointerjump.tables.open import Roles


class ArrowTable(Protocol):
    """A table with the Arrow PyCapsule interface, such as a pandas or Polars DataFrame or an Arrow table."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the rows as an Arrow stream."""


@overload
def components(
    graph: ArrowTable, source: str | None = ..., target: str | None = ..., **options: Any
) -> TableComponents: ...
@overload
def components(graph: Any, source: str, target: str | None = ..., **options: Any) -> TableComponents: ...
@overload
def components(graph: Any, *, member: str, **options: Any) -> TableComponents: ...
@overload
def components(graph: list[tuple[str, str]] | dict[Any, Any], **options: Any) -> ObjectComponents: ...
@overload
def components(graph: None = ..., *, groups: npt.NDArray[np.integer[Any]], **options: Any) -> Components: ...
@overload
def components(graph: None = ..., *, groups: Iterable[Iterable[Any]], **options: Any) -> ObjectComponents: ...
@overload
def components(graph: Any, source: None = ..., target: None = ..., **options: Any) -> Components: ...
def components(
    graph: Any = None,
    source: str | None = None,
    target: str | None = None,
    *,
    groups: Any = None,
    group: str | Sequence[str] | None = None,
    member: str | None = None,
    where: Any = None,
    nodes: Any = None,
    score: str | None = None,
    max_size: int | None = None,
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

    Two vertices are in the same component if they are connected by a path of edges. In a table, the rows
    connect ids: each row contains the two ids of a pair, or a group and one of its members.

    Parameters
    ----------
    graph : object
        A Graph or DeviceGraph, a scipy sparse matrix or array, or a NetworkX, igraph or networkit graph.
        Edges may be passed as a tuple of two arrays or lists (sources, targets), or as an (m, 2) array or
        list. A tuple of two pairs, such as ``((1, 2), (7, 8))``, is rejected as ambiguous. A path to a file,
        a list of paths and a generator spec (such as ``"star:vertices=10"``) are also accepted. Edges may
        also arrive in blocks: pass the result of :func:`read_blocks`, or an iterator over blocks of any of
        these kinds. Blocks are discarded after use: only one number per vertex is kept in memory. A table may
        be a pandas DataFrame, a Polars DataFrame or LazyFrame, an Arrow table, batch, reader or dataset, a
        DuckDB relation, or any object with the Arrow PyCapsule interface. Parquet, Arrow, CSV and TSV files
        may be specified by a path, a pattern, a folder or a list. They are read as a table if two columns
        have names commonly used for pairs, unless `vertices`, `ids` or `devices` is passed. If you pass the
        name of a column, for example as `source`, files and iterators are always read as tables. Edges
        between Python objects may be passed as a list or set of pairs, or as a dict that maps each vertex to
        an iterable of its neighbors. Any hashable objects, such as strings or tuples, are accepted, but
        numbers are accepted only in a set or a dict.
    source, target : str, optional
        For tables of pairs: the columns with the two ids of each pair. By default, columns with commonly used
        names, such as ``left`` and ``right``, are used.
    groups : iterable of iterables, or (m, k) array of int, optional
        Groups of vertices, to be passed instead of `graph`: an iterable of groups of hashable objects, a dict
        whose values are the groups, or an array of vertex numbers. Each row of an array is a group, for
        example a face of a mesh. All members of a group are in the same component.
    group, member : str, optional
        For tables of groups: the column with the group, and the column with the member or with a list of
        members. Without `group`, the list in each row is a group. `group` may be a list of columns, such as
        ``["phone", "email"]``: members that share a value in any of these columns are in the same component.
        Equal values in different columns are different groups. A null or empty group does not connect its
        member to anything, so the member is alone unless something else connects it. If a row is excluded by
        a condition, its member is excluded too, unless it occurs in another row or in `nodes`.
    where : condition or list of conditions, optional
        For tables: use only the rows that meet these conditions, such as ``("score", ">=", 0.9)``. The
        operators are ``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in``, ``not in``, ``is null`` and ``is
        not null``.
    nodes : column, table, path or tuple, optional
        For tables: additional ids, which are included in the result even if they do not occur in any row. For
        a table with several columns, name the column, as in ``(table, "id")``. For objects: an iterable of
        additional objects.
    score : str, optional
        For tables of pairs, if `max_size` is given: the column with the similarity of each pair.
    max_size : int, optional
        For tables of pairs: the maximum number of ids in a component. A larger component is split: its tree
        of merges (see :func:`single_linkage`) is cut into the largest subtrees that do not exceed this limit.
        Pairs with the highest scores are processed first. Ties are broken in favor of the smallest ids, so
        the order of the rows does not matter. All pairs are kept in memory. The ids in the result are in
        ascending order.
    algorithm : str
        The name of an algorithm, as listed by :func:`pointerjump.algorithms`, or ``"auto"``.
    device : str, Device or pyopencl object, optional
        The device to use: part of the name of a platform or device, ``"cpu"``, ``"gpu"``, a value that is
        valid for ``PYOPENCL_CTX``, or ``"reference"`` for the serial reference implementation in Python.
        Defaults to the fastest device that works.
    devices : list or "all", optional
        Several devices, each specified as for `device`, or "all" for all devices that work. Each device takes
        the next batch of edges as soon as it is free. Not available for tables.
    labels : {"consecutive", "representative"}
        How components are labelled. "consecutive": by numbers from 0 to count - 1, in order of their smallest
        vertices, as in scipy. "representative": by their smallest vertices. For tables, ids take the place of
        vertices. Defaults to "representative" for tables and to "consecutive" for everything else.
    vertices : int, optional
        The number of vertices, if `graph` consists of edges. Defaults to the largest id plus 1.
    ids : {"keep", "compact", "auto"}, optional
        How integer ids in edges are mapped to vertices. "keep": ids are vertex numbers, and every number up
        to the largest id is a vertex. "compact": only ids that occur are vertices. They are numbered in
        ascending order, and the result's ``names`` contains the ids. "auto": "compact" if most numbers would
        be unused (see :func:`pointerjump.read`), otherwise "keep". Defaults to "keep" for arrays and blocks,
        and to "auto" for files.
    executor : concurrent.futures.Executor or the like, optional
        An executor whose workers share the computation: a pool of processes, Dask's
        ``client.get_executor()``, or mpi4py's ``MPIPoolExecutor``. With an executor, `graph` must be a list
        or an iterator of blocks of any of the kinds above, such as paths to files.
    **variant
        Options of the algorithm, such as ``init="own"``.

    Returns
    -------
    Components
        The components. For a table, the result is a ``TableComponents``, whose method ``table()`` returns a
        table of the same kind as the input. For objects, it is an ``ObjectComponents``, whose ``members()``
        are sets of objects.

    Raises
    ------
    GraphError, FormatError, SpecError
        If `graph` is not a valid graph, for example if an array contains a masked id.
    TableError
        If a column is missing, if an id is null or empty, or if the ids in two columns have types whose
        values can never be equal.
    AlgorithmError, DeviceError, MemoryLimitError
        If there is no such algorithm, variant or device, or if there is not enough memory for the graph or
        the labels.

    See Also
    --------
    connected_components : The same task, with scipy's parameters and results.
    components_at : Components of a table at several thresholds of a score.
    spanning_forest : A minimal set of edges that keeps each component connected.
    DisjointSet : Components of a graph whose edges arrive over time.
    to_device : Copy a graph to a device once, for use in many runs.

    Examples
    --------
    >>> import numpy as np
    >>> import pointerjump as pj
    >>> pj.components(([0, 4], [2, 3]), algorithm="ecl-cc", jump="none").labels.tolist()
    [0, 1, 0, 2, 2]
    >>> c = pj.components(([2_000_000_000, 7], [7, 9]), ids="compact")
    >>> c.names.tolist(), c.labels.tolist()
    ([7, 9, 2000000000], [0, 0, 0])
    >>> faces = pj.components(groups=np.array([[0, 1, 2], [2, 1, 3], [4, 5, 6]]))
    >>> faces.labels.tolist()
    [0, 0, 0, 0, 1, 1, 1]
    >>> [sorted(members) for members in pj.components(groups=[["a", "b"], ["b", "c"], ["x"]]).members()]
    [['a', 'b', 'c'], ['x']]
    >>> import pyarrow as pa
    >>> pairs = pa.table({"left": ["dee", "bob"], "right": ["bob", "ann"], "score": [0.97, 0.91]})
    >>> pj.components(pairs, source="left", target="right", where=("score", ">", 0.9)).table().to_pylist()[0]
    {'id': 'dee', 'component': 'ann', 'size': 3}
    """
    by_columns = source is not None or member is not None or group is not None
    by_columns |= target is not None or where is not None or score is not None or max_size is not None
    if executor is not None:
        from pointerjump.graphs.parallel import components_by_executor
        from pointerjump.tables.open import Roles

        require_kept_ids(ids)
        refuse_misspelt(variant)
        others = {"algorithm": None if algorithm == "auto" else algorithm, "devices": devices, **variant}
        others |= {"groups": groups, "score": score, "max_size": max_size}
        for name, value in others.items():
            if value is not None:
                raise AlgorithmError(f"{name}={value!r} and executor are both given: leave one out")
        roles = Roles(source, target, group, member)
        return components_by_executor(
            graph, executor, device, labels, vertices=vertices, roles=roles, where=where, nodes=nodes
        )
    by_numbers = vertices is not None or ids is not None or devices is not None
    first, copying = graph[0] if isinstance(graph, tuple) and graph else graph, 0.0
    if type(first) is not np.ndarray and (hasattr(first, OF_ARRAYS[0]) or hasattr(first, OF_ARRAYS[1])):
        began = perf_counter()
        graph = tuple(map(to_host, graph)) if isinstance(graph, tuple) else to_host(graph)
        copying = perf_counter() - began
    groups = groups if groups is None else to_host(groups)
    given = classify(graph, columns=by_columns or nodes is not None, numbers=by_numbers)
    if groups is not None or given.kind == "objects":
        if by_columns or devices is not None or (groups is not None and graph is not None):
            raise GraphError(
                "groups, or edges between objects, are taken at once and have no columns: leave out graph "
                "beside groups, and source, target, group, member, where, score, max_size and devices"
            )
        labels = "consecutive" if labels is None else labels
        check_labels(labels)
        wanted = order("components", algorithm, device, variant)
        if groups is not None and getattr(getattr(groups, "dtype", None), "kind", "O") in "iu":
            if groups.ndim != 2 or nodes is not None:
                raise GraphError(
                    f"groups is an array of numbers of shape {groups.shape}: give a group in each row, and "
                    "vertices= in place of nodes="
                )
            ends = groups[:, :1].repeat(groups.shape[1], axis=1).ravel(), groups.ravel()
            return find_components(wanted, graph_input(ends, vertices, ids, wanted), labels)
        refuse_numbers(vertices, ids)
        made = object_edges(graph, nodes) if groups is None else group_edges(groups, nodes)
        return find_components(wanted, HostGraph(Graph.of_checked(made)), labels, ObjectComponents)
    if given.kind == "table":
        from pointerjump.ids.components import components_of_table
        from pointerjump.tables.open import Roles

        for name, value in (("vertices", vertices), ("ids", ids), ("devices", devices)):
            if value is not None:
                raise GraphError(
                    f"{name}={value!r} is for vertices with numbers, and a table has ids: leave it out"
                )
        roles = Roles(source, target, group, member)
        if score is not None or max_size is not None:
            from pointerjump.ids.thresholds import capped_components

            if algorithm != "auto" or variant or group is not None or member is not None:
                raise GraphError(
                    "max_size is for pairs, and merges them in its own way: leave out algorithm, variants, "
                    "group and member"
                )
            return capped_components(graph, roles, score, max_size, where, nodes, device, labels)
        found = components_of_table(
            graph, algorithm, device, labels, roles=roles, where=where, nodes=nodes, choices=variant
        )
        if group is None and member is None:
            found.explained = partial(_explained, graph, roles, where, device)
        return found
    labels = "consecutive" if labels is None else labels
    if given.kind == "blocks" or devices is not None:
        from pointerjump.solving.shared_blocks import devices_of
        from pointerjump.solving.streams import components_of_blocks, components_of_parts

        if devices is not None and device is not None:
            raise DeviceError("device and devices are both given: leave one out")
        devices = device if devices is None else devices
        if given.kind == "blocks":
            require_kept_ids(ids)
            return components_of_blocks(graph, algorithm, devices, labels, vertices=vertices, choices=variant)
        check_labels(labels)
        devices = devices_of(devices)
        choice_for_blocks(algorithm, devices[0], variant)
        return components_of_parts(
            as_graph(given, vertices=vertices, ids=ids), algorithm, devices, labels, variant
        )
    check_labels(labels)
    wanted = order("components", algorithm, device, variant, session_of(graph))
    answer = find_components(wanted, graph_input(given, vertices, ids, wanted), labels)
    if copying:
        answer.run.seconds["transfer"] += copying
    return answer


def _explained(table: Any, roles: Roles, where: Any, device: Any) -> Explanation:
    from pointerjump.graphs.explain import Explanation
    from pointerjump.ids.multigraphs import multigraph_of_table

    wanted = order("bridges", "auto", device, {})
    numbering = wanted.session or REFERENCE
    return Explanation(multigraph_of_table(table, roles, where, numbering, whole=True, bridges=True), wanted)


def require_kept_ids(ids: object) -> None:
    """Raise a GraphError if `ids` allows renumbering, which is impossible if edges are read in blocks."""
    if ids not in (None, "keep"):
        raise GraphError(
            f"ids={ids!r} needs all edges at once, and they come in blocks: leave ids out, or give them whole"
        )
