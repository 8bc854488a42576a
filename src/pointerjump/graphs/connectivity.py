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
    """A table with the Arrow PyCapsule interface, such as a pandas or Polars frame or an Arrow table."""

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

    Two vertices are in the same component if a path of edges joins them. In a table, rows join ids: each row
    holds the two ids of a pair, or a group and one of its members.

    Parameters
    ----------
    graph : object
        A Graph or DeviceGraph, a scipy sparse matrix or array, a tuple of two arrays or lists (sources,
        targets), an (m, 2) array or list of edges, or a NetworkX, igraph or networkit graph. It may also be a
        path to a file, a list of paths, or a generator spec. A tuple of two pairs, such as ``((1, 2), (7,
        8))``, is an error, because it could be two edges, or sources and targets. Edges may also come in
        blocks: give what :func:`read_blocks` returns, or an iterator of blocks of any of these kinds. Blocks
        are not kept: only one number per vertex is. A table may be a pandas or Polars frame (even a lazy
        one), an Arrow table, batch, reader or data set, a DuckDB relation, or anything with the Arrow
        PyCapsule interface. Parquet, Arrow, CSV and TSV files may be given by a path, a pattern, a folder or
        a list. They count as a table if two columns have usual names, unless `vertices`, `ids` or `devices`
        are given. If you name columns, files and iterators are always tables. Edges between Python objects
        are given as a list or set of pairs of strings, tuples or other hashable objects except numbers; or as
        a dict with an iterable of neighbors for each vertex, in which vertices may be numbers.
    source, target : str, optional
        Tables of pairs: the columns with the two ids of each pair. Default: those with usual names, such as
        ``left`` and ``right``.
    groups : iterable of iterables, or (m, k) array of int, optional
        In place of `graph`: groups of hashable objects, a dict whose values are the groups, or an array of
        vertex numbers with a group in each row, such as the faces of a mesh. All members of a group are in
        one component.
    group, member : str, optional
        Tables of groups: the column with the group and the column with the member, or with a list of members.
        All members of a group are in one component. Without `group`, each row's list is a group. `group` may
        be a list of columns, such as ``["phone", "email"]``: members that share a value in any of them are in
        one component. Values of different columns are different groups. A null or empty group joins its
        member to nothing, so the member is alone unless something else joins it. If a condition leaves out a
        row, its member is left out too, unless another row or `nodes` contains it.
    where : condition or list of conditions, optional
        Tables: take only rows that meet these conditions, such as ``("score", ">=", 0.9)``. The operators are
        ``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in``, ``not in``, ``is null`` and ``is not null``.
    nodes : column, table, path or tuple, optional
        Tables: additional ids, which are in the result even if they are in no row. For a table with several
        columns, name one, as in ``(table, "id")``. Objects: an iterable of additional objects.
    score : str, optional
        Tables of pairs, with `max_size`: the column that says how similar the ids of a pair are.
    max_size : int, optional
        Tables of pairs: the maximum number of ids in a component. A larger component is split into the
        largest subtrees of its tree of merges (see :func:`single_linkage`) that do not exceed this limit.
        Pairs with the best scores merge first; among equal scores, pairs of the smallest ids do. So the order
        of rows does not matter. Other components stay as they are. All pairs are held in memory, and ids are
        in ascending order.
    algorithm : str
        A name from :func:`pointerjump.algorithms`, or ``"auto"``.
    device : str, Device or pyopencl object, optional
        Part of a platform's or device's name, ``"cpu"``, ``"gpu"``, a value that ``PYOPENCL_CTX`` could
        have, or ``"reference"`` for the serial Python reference. Default: the fastest device that works.
    devices : list or "all", optional
        Several devices, each named as for `device`, or all devices that work. Each takes the next part of the
        edges when it is free; at the end, their forests are merged. Not for tables.
    labels : {"consecutive", "representative"}
        How components are named: by a number from 0 to count - 1, in order of smallest vertex (scipy's
        numbering), or by their smallest vertex. For tables, read "id" for "vertex". Default: "representative"
        for tables, "consecutive" for everything else.
    vertices : int, optional
        The number of vertices, for edges, which do not state it (default: largest id + 1).
    ids : {"keep", "compact", "auto"}, optional
        How integer ids in edges become vertices. "keep": ids are vertex numbers, and every number up to the
        largest id is a vertex. "compact": only ids that occur are vertices, numbered in ascending order, and
        the result's ``names`` holds the ids. "auto": "compact" if most numbers would be unused (see
        :func:`pointerjump.read`). Default: "keep" for arrays and blocks, "auto" for files.
    executor : concurrent.futures.Executor or the like, optional
        Workers that share the work: a pool of processes, Dask's ``client.get_executor()``, or mpi4py's
        ``MPIPoolExecutor``. Then `graph` is a list or an iterator of blocks of any of the kinds above, such
        as paths to files. Workers find the components of each block, and the caller's process merges the
        results.
    **variant
        Choices on the algorithm's axes, such as ``init="own"``.

    Returns
    -------
    Components
        For a table, a ``TableComponents``, which also has ``ids`` and ``table()``. The latter returns a table
        of the same kind as the input, with the columns ``id``, ``component`` and ``size``. For pairs,
        ``why()`` and ``weak_links()`` say which rows joined ids. For objects, an ``ObjectComponents``, whose
        ``members()`` are sets of objects.

    Raises
    ------
    GraphError, FormatError, SpecError
        If `graph` is not a graph; for example, an array in which an id is masked.
    TableError
        If a column is missing, an id is null or empty, or two columns hold ids of types that are never equal.
    AlgorithmError, DeviceError, MemoryLimitError
        If there is no such algorithm, variant or device, or no room for the graph or the labels.

    See Also
    --------
    connected_components : The same task, with the arguments and results of scipy's function.
    components_at : Components of a table at several thresholds of a score.
    spanning_forest : The fewest edges that keep each component connected.
    DisjointSet : For edges that keep coming.
    to_device : Put a graph on a device once, for many runs.

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
    """Read a table again in order to explain its components."""
    from pointerjump.graphs.explain import Explanation
    from pointerjump.ids.multigraphs import multigraph_of_table

    wanted = order("bridges", "auto", device, {})
    numbering = wanted.session or REFERENCE
    return Explanation(multigraph_of_table(table, roles, where, numbering, whole=True, bridges=True), wanted)


def require_kept_ids(ids: object) -> None:
    """Refuse an option that renumbers ids, because edges come in blocks."""
    if ids not in (None, "keep"):
        raise GraphError(
            f"ids={ids!r} needs all edges at once, and they come in blocks: leave ids out, or give them whole"
        )
