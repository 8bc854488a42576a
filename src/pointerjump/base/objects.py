"""Edges between Python objects, passed as pairs, groups or dicts of neighbors.

The objects are numbered in a dict, so objects that compare equal, such as 1 and 1.0, become one vertex.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from itertools import chain, count
from operator import ne
from typing import Any

import numpy as np

from pointerjump.base.edges import EdgeList, are_ends, is_object
from pointerjump.errors import GraphError


def hold_objects(edges: object) -> bool:
    """Return whether edges join objects other than numbers, judging by the first few edges.

    For dicts and sets, this is always true. In a tuple of sources and targets, both must contain objects.
    """
    if isinstance(edges, dict):
        return True
    parts = edges[:2] if isinstance(edges, list | tuple) else [edges]
    if not isinstance(edges, tuple) or len(edges) != 2:
        parts = parts[:1]
    return len(parts) > 0 and all(map(_holds_objects, parts))


def _holds_objects(part: object) -> bool:
    if isinstance(part, np.ndarray):
        return part.dtype.kind in "USO" and part.size > 0 and is_object(part.flat[0])
    if isinstance(part, list | tuple):
        return any(map(is_object, part[:2]))
    return isinstance(part, set | frozenset)


def refuse_numbers(vertices: object, ids: object) -> None:
    if vertices is not None or ids is not None:
        raise GraphError("vertices and ids are for numbers, and these are objects: leave them out")


def object_edges(edges: Any, nodes: Iterable[Any] | None = None) -> EdgeList:
    """Build an edge list from pairs of objects, a tuple of sources and targets, or a dict of neighbors.

    All `nodes` become vertices as well, even if they have no edges.
    """
    if isinstance(edges, dict):
        neighbors = _collections(edges.values(), "neighbors", dicts=True)
        return group_edges([(vertex, *some) for vertex, some in zip(edges, neighbors, strict=True)], nodes)
    if are_ends(edges):
        sources, targets = (end.tolist() if isinstance(end, np.ndarray) else end for end in edges)
        if len(sources) != len(targets):
            raise GraphError(
                f"there are {len(sources)} sources and {len(targets)} targets: give one of each per edge"
            )
        edges = list(zip(sources, targets, strict=True))
    pairs = _collections(edges, "edges")
    if set(map(len, pairs)) - {2}:
        wrong = next(pair for pair in pairs if len(pair) != 2)
        raise GraphError(
            f"edges hold {wrong!r}, which is no pair: components takes groups as groups=, and "
            "weights are given apart"
        )
    return group_edges(pairs, nodes)


def group_edges(groups: Any, nodes: Iterable[Any] | None = None) -> EdgeList:
    """Build an edge list that joins the first member of each group to the other members of the group.

    `groups` is an iterable of iterables, or a dict whose values are iterables. `nodes` are added as vertices.
    """
    if hasattr(groups, "columns") or hasattr(groups, "column_names"):
        raise GraphError("groups is a table: give it first, and name its columns as group= and member=")
    groups = _collections(groups.values() if isinstance(groups, dict) else groups, "groups")
    number: defaultdict[Any, int] = defaultdict(count().__next__)
    try:
        # In this form, the loop over members runs in C.
        members = np.fromiter(map(number.__getitem__, chain.from_iterable(groups)), np.int32)
        for node in () if nodes is None else _collections([nodes], "nodes")[0]:
            number[node]
    except TypeError as error:
        raise GraphError(f"{error}: vertices must be hashable, such as strings or tuples") from None
    names = np.fromiter(number, object, len(number))
    try:
        is_missing = None in number or any(map(ne, names, names))
    except (TypeError, ValueError):  # pandas' NA refuses to say whether it differs from itself
        is_missing = True
    if is_missing:
        raise GraphError("there is None, NaN or NA among the vertices: leave missing values out")
    sizes = np.fromiter(map(len, groups), np.int64, len(groups))
    sizes = sizes[sizes > 0]
    first = np.zeros(len(members), np.bool_)
    first[np.cumsum(sizes) - sizes] = True
    return EdgeList(np.repeat(members[first], sizes - 1), members[~first], len(names), names)


def _collections(groups: Any, what: str, *, dicts: bool = False) -> list[Collection[Any]]:
    """Return the items of an iterable as collections. Reject strings and, unless `dicts` is True, dicts."""
    try:
        listed = list(groups.tolist() if isinstance(groups, np.ndarray) else groups)
        kinds = set(map(type, listed))
        unwanted = (str, bytes) if dicts else (str, bytes, dict)
        if any(issubclass(kind, unwanted) for kind in kinds):
            wrong = next(group for group in listed if isinstance(group, unwanted))
            raise GraphError(f"{what} hold {wrong!r}, a single {type(wrong).__name__}: give lists of objects")
        if all(hasattr(kind, "__len__") for kind in kinds):
            return listed
        return [group if hasattr(group, "__len__") else tuple(group) for group in listed]
    except TypeError as error:
        raise GraphError(f"{what} are no iterable of iterables ({error}): give lists of objects") from None
