"""Dask graphs: how one is put together, and how a table's partitions become parts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import chain, pairwise
from operator import itemgetter
from typing import Any

from dask import get as get_here
from dask.core import get_dependencies

from pointerjump.tables.open import that_have_rows

Key = Hashable
TaskGraph = dict[Key, Any]


class Tasks:
    """Makes a graph of tasks whose names say what they do, as Dask's dashboard shows them.

    Attributes
    ----------
    graph : dict
    """

    def __init__(self, token: str, graph: TaskGraph) -> None:
        self._token = token
        self._made: dict[str, int] = {}
        self.graph = graph

    def __call__(self, name: str, work: Callable[..., Any], *needed: Key | list[Key]) -> Key:
        """Add a task that gives the results of others to `work`, and return its key."""
        number = self._made[name] = self._made.get(name, -1) + 1
        key = (f"{name}-{self._token}", number)
        self.graph[key] = (work, *needed)
        return key

    def item(self, name: str, of: Key, index: int) -> Key:
        """Add a task that takes one of a result's items."""
        return self(name, itemgetter(index), of)


class TablePart:
    """Partitions of a table that become one forest, or few.

    Attributes
    ----------
    partitions : int
        How many they are.
    needed : list of keys
        The tasks that compute them, unless it does that itself.
    """

    def __init__(self, graph: TaskGraph, keys: Sequence[Key], *, computes: bool = False) -> None:
        self.partitions = len(keys)
        self.needed: list[Key] = [] if computes else list(keys)
        self._own = [(_with_all_it_needs(graph, key), key) for key in keys] if computes else []

    def read(self, computed: Sequence[Any]) -> Iterator[Any]:
        """Yield the partitions that have rows, or an empty one if none has.

        Those that it computes itself are in memory one at a time.
        """
        own = (get_here(graph, key) for graph, key in self._own)
        yield from that_have_rows(chain(computed, own))


def parts_of(graph: TaskGraph, keys: Sequence[Key], parts: int) -> list[TablePart]:
    """Divide the partitions of a table into parts, of partitions that follow one another.

    If no two partitions need the same task, as when each is read from a file, a part computes its own ones,
    one after the other. What a cluster holds already can be computed nowhere else.
    """
    each_needs = [_with_all_it_needs(graph, key) for key in keys]
    needed = set().union(*each_needs)
    computes = len(needed) == sum(map(len, each_needs)) and not any(
        type(graph[key]).__module__.startswith("distributed") for key in needed
    )
    ends = [len(keys) * i // parts for i in range(parts + 1)]
    return [TablePart(graph, keys[begin:end], computes=computes) for begin, end in pairwise(ends)]


def _with_all_it_needs(graph: TaskGraph, key: Key) -> TaskGraph:
    found: TaskGraph = {}
    waiting = [key]
    while waiting:
        key = waiting.pop()
        if key not in found:
            found[key] = graph[key]
            waiting.extend(get_dependencies(graph, key))
    return found
