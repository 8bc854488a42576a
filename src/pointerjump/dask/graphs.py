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
Graph = dict[Key, Any]


class Tasks:
    """Makes a graph of tasks whose names say what they do, as Dask's dashboard shows them.

    Attributes
    ----------
    graph : dict
    """

    def __init__(self, token: str, graph: Graph | None = None) -> None:
        self._token = token
        self._made: dict[str, int] = {}
        self.graph: Graph = dict(graph or {})

    def __call__(self, name: str, work: Callable[..., Any], *needed: Key | list[Key]) -> Key:
        """Add a task that gives the results of others to `work`, and return its key."""
        number = self._made[name] = self._made.get(name, -1) + 1
        key = (f"{name}-{self._token}", number)
        self.graph[key] = (work, *needed)
        return key

    def item(self, name: str, of: Key, index: int) -> Key:
        """Add a task that takes one of a result's items."""
        return self(name, itemgetter(index), of)

    def reduced(self, name: str, merge: Callable[..., Any], given: Sequence[Key], split_every: int) -> Key:
        """Add tasks that merge all, so many at a time."""
        given = list(given)
        while True:
            given = [self(name, merge, given[i : i + split_every]) for i in range(0, len(given), split_every)]
            if len(given) == 1:
                return given[0]


class Part:
    """Partitions that become one forest.

    Attributes
    ----------
    partitions : int
        How many they are.
    needed : list of keys
        The tasks that compute them, unless it does that itself.
    """

    def __init__(self, graph: Graph, keys: Sequence[Key], *, computes: bool) -> None:
        self.partitions = len(keys)
        self.needed: list[Key] = [] if computes else list(keys)
        self._own = [(_with_all_it_needs(graph, key), key) for key in keys] if computes else []

    def read(self, computed: Sequence[Any]) -> Iterator[Any]:
        """Yield the partitions that have rows, or an empty one if none has.

        Those that it computes itself are in memory one at a time.
        """
        own = (get_here(graph, key) for graph, key in self._own)
        yield from that_have_rows(chain(computed, own))


def parts_of(graph: Graph, keys: Sequence[Key], parts: int) -> list[Part]:
    """Divide the partitions of a table into parts, of partitions that follow one another.

    If no two partitions need the same task, as when each is read from a file, a part computes its own one
    after the other.
    """
    needed: set[Key] = set()
    total = 0
    for key in keys:
        own = _with_all_it_needs(graph, key)
        total += len(own)
        needed.update(own)
    computes = total == len(needed) and all(_is_task(graph[key]) for key in needed)
    ends = [len(keys) * i // parts for i in range(parts + 1)]
    return [Part(graph, keys[begin:end], computes=computes) for begin, end in pairwise(ends)]


def _with_all_it_needs(graph: Graph, key: Key) -> Graph:
    found: Graph = {}
    waiting = [key]
    while waiting:
        key = waiting.pop()
        if key not in found:
            found[key] = graph[key]
            waiting.extend(get_dependencies(graph, key))
    return found


def _is_task(node: Any) -> bool:
    """Whether a node of a graph can be computed anywhere: a result that a cluster holds cannot."""
    return not type(node).__module__.startswith("distributed")
