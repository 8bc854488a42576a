"""Predict what ``pointerjump.dask.components`` takes on clusters that we do not have, by simulating them.

    python benches/cluster.py --simulate [--edges 3000000] [--workers 8] [--method tree] [--group 16]
    python benches/cluster.py --fit costs.json       measure what each step costs here
    python benches/cluster.py --predict costs.json   from that, 10^9 to 10^12 edges on 1 to 1,000 workers
    python benches/cluster.py --check [--rounds 3]   real Dask workers on this machine beside the simulation

The simulation is a scheduler for Dask. It is given the very graphs that Dask would be given, and runs every
task in this process, one after the other. Each simulated worker has a clock. A task moves its worker's clock
on by the CPU seconds that it took here. What a task needs from another worker arrives after a latency and the
time that its bytes take at some bandwidth; a worker sends one thing at a time, and receives one. A task runs
on one of the workers that have some of what it needs: where it can begin first, which for a merge is mostly
where the largest forest lies. Bytes are those of what travels. So answers and bytes are real; time is not.

The prediction is a plain sum: how many rows, ids and bytes each step has, times what one costs here, and what
the network takes. It assumes that all parts are equally large, and that each worker has one core.

Tables are made of pairs of 64-bit ids, one id for every few edges. ``--share`` says which share of ids two
partitions have: 1 for ids that may be in any. ``--group`` says how many ids are in a component: 0 for random
pairs, which make one component of nearly all.
"""

from __future__ import annotations

import argparse
import heapq
import json
import logging
import math
import os
import pickle
import weakref
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from types import SimpleNamespace
from typing import Any, NamedTuple
from unittest.mock import patch

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
from dask._task_spec import Alias, DataNode, convert_legacy_graph
from dask.core import flatten
from dask.order import order
from dask.utils import key_split

import pointerjump as pj
import pointerjump.dask
import pointerjump.dask.tables as planned
from pointerjump.accel.id_forests import NEEDED_PER_ID
from pointerjump.dask.workers import Workers
from pointerjump.parts import stars
from pointerjump.parts.facts import Facts
from pointerjump.parts.forests import part_forest
from pointerjump.parts.sightings import NEARLY_ALL, SAMPLE
from pointerjump.tables.roles import Roles

Key = Any


# -- tables ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """A table of random pairs, made partition by partition.

    Attributes
    ----------
    edges, partitions : int
    edges_per_id : int
    share : float
        Which share of ids two neighboring partitions have. With 1, any partition may have any id.
    group : int
        How many ids are in a component. With 0, both ids of a pair are drawn from all that a partition has.
    """

    edges: int
    partitions: int
    edges_per_id: int = 5
    share: float = 1.0
    group: int = 0

    @property
    def ids(self) -> int:
        return max(2, self.edges // self.edges_per_id)

    def frame(self, partition: int) -> pd.DataFrame:
        """Return a partition."""
        rng = np.random.default_rng([1, partition])
        first, last = (self.edges * i // self.partitions for i in (partition, partition + 1))
        size, group = last - first, max(1, self.group)
        groups = max(1, self.ids // group)
        own = max(1, groups // self.partitions)
        begin, many = (0, groups) if self.share >= 1 else (partition * own, own + round(own * self.share))
        source = rng.integers(0, many, size)
        target = source if self.group else rng.integers(0, many, size)
        columns = {
            name: scrambled((begin + which) % groups * group + rng.integers(0, group, size))
            for name, which in (("source", source), ("target", target))
        }
        return pd.DataFrame(columns)

    def whole(self) -> pd.DataFrame:
        return pd.concat([self.frame(i) for i in range(self.partitions)], ignore_index=True)

    def in_memory(self) -> dd.DataFrame:
        """Return the table with partitions that are there already: reading them takes no time."""
        frames = _Frames(self)
        return dd.from_map(frames, range(self.partitions), meta=frames(0).iloc[:0])

    def on_disk(self, folder: Path) -> dd.DataFrame:
        """Return the table as one that is read from Parquet files."""
        for i in range(self.partitions):
            self.frame(i).to_parquet(folder / f"{i:05}.parquet")
        files = sorted(folder.glob("*.parquet"))
        return dd.from_map(pd.read_parquet, files, meta=self.frame(0).iloc[:0])


class _Frames:
    """The partitions of a table, in memory."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._frames = [table.frame(i) for i in range(table.partitions)]

    def __call__(self, partition: int) -> pd.DataFrame:
        return self._frames[partition]

    def __dask_tokenize__(self) -> object:
        return repr(self._table)


def scrambled(numbers: Any) -> Any:
    """Return ids of which none is near another's: different ones for different numbers."""
    return (numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)).view(np.int64)


# -- the simulated cluster -------------------------------------------------------------------------


class Transfer(NamedTuple):
    """Something that a worker sent to another one, in one of the graphs that were run."""

    name: str
    nbytes: int
    sender: int
    receiver: int
    graph: int


class Step(NamedTuple):
    """A task that ran.

    Attributes
    ----------
    name : str
    worker : int
    seconds : float
        CPU seconds.
    start, finish : float
        By its worker's clock.
    given, made : int
        How many rows or ids it was given, and how many it made. Of bits, how many bytes.
    """

    name: str
    worker: int
    seconds: float
    start: float
    finish: float
    given: int
    made: int


class Held(NamedTuple):
    """Where a result is: its bytes by their addresses, and since when which workers have it."""

    buffers: dict[int, int]
    there: dict[int, float]

    @property
    def nbytes(self) -> int:
        return sum(self.buffers.values())


@dataclass
class Cluster:
    """Workers of one thread each, of which only the clocks are made up. `get` is a scheduler for Dask.

    Attributes
    ----------
    workers : int
    cores : int
        How many workers can run at once: worker *i* has core *i* modulo this. With 0, each has its own.
    bandwidth : float
        Bytes per second that a worker can send, and that it can receive at the same time.
    latency : float
        Seconds.
    overhead : float
        How long the scheduler is busy with each task.
    clock : callable
        Returns the CPU seconds of this process.
    """

    workers: int
    cores: int = 0
    bandwidth: float = 1.25e9
    latency: float = 1e-4
    overhead: float = 0.0
    clock: Callable[[], float] = process_time
    steps: list[Step] = field(default_factory=list)
    transfers: list[Transfer] = field(default_factory=list)
    seconds: float = 0.0
    peak: int = 0
    graphs: int = 0

    def __post_init__(self) -> None:
        self._free = [0.0] * self.workers
        self._core_free = [0.0] * (self.cores or self.workers)
        self._sends, self._receives = [0.0] * self.workers, [0.0] * self.workers
        self._scheduler_free = 0.0
        self._held: dict[Key, Held] = {}
        self._kept: set[Key] = set()
        self._memory: list[Counter[int]] = [Counter() for _ in range(self.workers)]
        self._taken = [0] * self.workers

    @property
    def nbytes(self) -> int:
        """How many bytes were sent."""
        return sum(each.nbytes for each in self.transfers)

    def sent(self) -> dict[str, int]:
        """Return how many bytes were sent of each kind of result."""
        found: dict[str, int] = defaultdict(int)
        for each in self.transfers:
            found[each.name] += each.nbytes
        return dict(found)

    def get(self, dsk: Any, keys: Any, **options: Any) -> Any:
        """Run a graph, and return the results that are asked for."""
        given = dsk if isinstance(dsk, Mapping) else dsk.__dask_graph__()
        wanted = set(flatten(keys)) if isinstance(keys, list) else {keys}
        graph = _needed(convert_legacy_graph(dict(given)), wanted)
        values = self._run(graph, wanted)
        self.graphs += 1
        self.seconds = max(
            [self.seconds, *(max(self._held[key].there.values(), default=0.0) for key in wanted)]
        )
        self._kept |= wanted
        for key in wanted:
            if isinstance(values[key], pd.DataFrame):  # workers forget what the client does not hold any more
                weakref.finalize(values[key], self._drop, key)
        return _in_form_of(keys, values)

    def _run(self, graph: dict[Key, Any], wanted: set[Key]) -> dict[Key, Any]:
        values: dict[Key, Any] = {}
        priority = order(graph)
        users: dict[Key, set[Key]] = {key: set() for key in graph}
        for key, node in graph.items():
            for needed in node.dependencies:
                users[needed].add(key)
        missing = {key: len(node.dependencies) for key, node in graph.items()}
        unused = {key: len(users[key]) for key in graph}
        ready = [(self.seconds, priority[key], key) for key in graph if not missing[key]]
        heapq.heapify(ready)
        while ready:
            time, _, key = heapq.heappop(ready)
            values[key] = self._task(key, graph[key], values, time)
            for needed in graph[key].dependencies:
                unused[needed] -= 1
                if not unused[needed] and needed not in wanted and needed not in self._kept:
                    self._forget(needed)
                    del values[needed]
            for user in users[key]:
                missing[user] -= 1
                if not missing[user]:
                    needed = [self._held[each].there for each in graph[user].dependencies]
                    since = max([time, *(min(there.values(), default=0.0) for there in needed)])
                    heapq.heappush(ready, (since, priority[user], user))
        return values

    def _task(self, key: Key, node: Any, values: dict[Key, Any], time: float) -> Any:
        if key in self._held and not node.dependencies:  # a worker still has it, from an earlier graph
            return node({})
        if isinstance(node, DataNode):
            self._held[key] = Held({}, {})
            return node.value
        needed = {each: self._held[each] for each in node.dependencies}
        if isinstance(node, Alias):
            (same,) = needed.values()
            self._hold(key, same._replace(there=dict(same.there)))
            return values[node.target]
        self._scheduler_free = max(self._scheduler_free, time) + self.overhead
        worker = self._worker_for(needed.values(), self._scheduler_free)
        begin = max(self._scheduler_free, self._arrival(needed, worker, self._scheduler_free))
        core = worker % len(self._core_free)
        start = max(begin, self._free[worker], self._core_free[core])
        began = self.clock()
        value = node({each: values[each] for each in needed})
        seconds = self.clock() - began
        self._free[worker] = self._core_free[core] = finish = start + seconds
        given = sum(quantity(values[each]) for each in needed)
        self.steps.append(Step(key_split(key), worker, seconds, start, finish, given, quantity(value)))
        self._hold(key, Held(buffers(value), {worker: finish}))
        return value

    def _worker_for(self, needed: Iterable[Held], time: float) -> int:
        """Return which of the workers that have some of what is needed could begin first, as Dask does."""
        needed = [held for held in needed if held.there]
        candidates = sorted({worker for held in needed for worker in held.there}) or range(self.workers)

        def begins(worker: int) -> tuple[float, int]:
            away = [held.nbytes for held in needed if worker not in held.there]
            arrival = time + len(away) * self.latency + sum(away) / self.bandwidth
            return max(arrival, self._free[worker]), sum(away)

        return min(candidates, key=begins)

    def _arrival(self, needed: Mapping[Key, Held], worker: int, time: float) -> float:
        """Send to a worker what it lacks, each from where it can leave first; return when all is there."""
        last = time
        for key, held in needed.items():
            if held.there and worker not in held.there:
                sender = min(held.there, key=lambda each: max(held.there[each], self._sends[each]))
                begin = max(time, held.there[sender], self._sends[sender], self._receives[worker])
                end = begin + held.nbytes / self.bandwidth
                self._sends[sender] = self._receives[worker] = end
                held.there[worker] = end + self.latency
                self._take(worker, held)
                self.transfers.append(Transfer(key_split(key), held.nbytes, sender, worker, self.graphs))
            last = max(last, held.there.get(worker, last))
        return last

    def _hold(self, key: Key, held: Held) -> None:
        self._held[key] = held
        for worker in held.there:
            self._take(worker, held)

    def _take(self, worker: int, held: Held) -> None:
        for address, size in held.buffers.items():
            if not self._memory[worker][address]:
                self._taken[worker] += size
            self._memory[worker][address] += 1
        self.peak = max(self.peak, self._taken[worker])

    def _drop(self, key: Key) -> None:
        self._kept.discard(key)
        self._forget(key)

    def _forget(self, key: Key) -> None:
        held = self._held.pop(key, Held({}, {}))
        for worker in held.there:
            for address, size in held.buffers.items():
                self._memory[worker][address] -= 1
                if not self._memory[worker][address]:
                    self._taken[worker] -= size


def _needed(graph: dict[Key, Any], wanted: set[Key]) -> dict[Key, Any]:
    """Return the part of a graph that some results need."""
    found: dict[Key, Any] = {}
    waiting = list(wanted)
    while waiting:
        key = waiting.pop()
        if key not in found:
            found[key] = graph[key]
            waiting.extend(graph[key].dependencies)
    return found


def _in_form_of(keys: Any, results: Mapping[Key, Any]) -> Any:
    return [_in_form_of(each, results) for each in keys] if isinstance(keys, list) else results[keys]


def buffers(value: Any) -> dict[int, int]:
    """Return how many bytes travel if a value does, by where they are: twice in one place counts once."""
    if isinstance(value, pa.Table):  # of a slice, Dask sends no more than its rows
        return {id(value): value.nbytes}
    apart: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(value, 5, buffer_callback=apart.append)
    found = {id(value): len(rest)}
    for each in apart:
        memory = np.frombuffer(each.raw(), np.uint8)
        if memory.size:
            found[memory.ctypes.data] = memory.size
    return found


def quantity(value: Any) -> int:
    """Return how many rows or ids a value has. Of bits, it is bytes."""
    if isinstance(value, list):
        return sum(quantity(each) for each in value)
    for name in ("ids", "place", "component", "once", "hashes", "forest"):
        part = getattr(value, name, None)
        if part is not None:
            return quantity(part)
    return len(value) if hasattr(value, "__len__") and not isinstance(value, dict | str) else 0


@dataclass
class Run:
    """A simulated run."""

    table: Table
    method: str
    cluster: Cluster
    result: Any
    events: list[dict[str, Any]]


def simulate(
    table: Table,
    method: str,
    cluster: Cluster,
    ddf: dd.DataFrame | None = None,
    split_every: int = 8,
    memory: int = 64 << 30,
) -> Run:
    """Find the components of a table on a simulated cluster. The result stays there, as persisted frames."""
    ddf = table.in_memory() if ddf is None else ddf
    events: list[dict[str, Any]] = []
    tell = lambda **what: events.append(what)  # noqa: E731
    with (
        patch.object(planned, "workers", lambda: Workers(cluster.workers, memory)),
        patch.object(planned, "tell", tell),
        patch("pointerjump.dask.tree.tell", tell),
        patch("pointerjump.dask.stars.tell", tell),
        dask.config.set({"scheduler": cluster.get, "dataframe.shuffle.method": "tasks"}),
    ):
        found = pointerjump.dask.components(
            ddf, "source", "target", split_every=split_every, method=method
        ).persist()
    return Run(table, method, cluster, found, events)


# -- what a step costs, measured here --------------------------------------------------------------

KINDS = {
    "random pairs": {"share": 1.0, "group": 0},
    "groups of 16, anywhere": {"share": 1.0, "group": 16},
    "groups of 16, a tenth shared": {"share": 0.1, "group": 16},
}
"""The tables of the predictions: one component of nearly all ids; small ones that any part may have; and ones
of which most are in one part."""

STARS = {
    "edges-of-forest": "edges-of-forest",
    "roots-of-forest": "edges-of-forest",
    "describe-forests": "describe-forests",
    "edges-both-ways": "edges-both-ways",
    "count-crooked": "count-crooked",
    "large-star": "large-star",
    "small-star": "small-star",
    "getitem-name-operation": "name-by-stars",
    "getitem-components": "components-by-stars",
}
"""The steps of the method "stars", by what Dask calls their tasks. All others belong to shuffles."""

FIRST = ("part-forest", "part-forests")

FEWEST_ROWS = 1000
"""Tasks with fewer rows say nothing about what one costs."""


def fitted(runs: Sequence[Run]) -> dict[str, list[float]]:
    """Return what each step costs for a row given, and for one made."""
    seen: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    shuffled = {"seconds": 0.0, "rows": 0}
    for run in runs:
        rows = run.table.edges / run.table.partitions
        for step in run.cluster.steps:
            if run.method == "tree" or step.name in FIRST:
                if step.name in FIRST:
                    if step.seconds and not step.given:
                        seen["part-forest"].append((rows, step.made, step.seconds))
                else:
                    seen[step.name].append((step.given, step.made, step.seconds))
            elif step.name in STARS:
                seen[STARS[step.name]].append((step.given, 0, step.seconds))
            else:
                shuffled["seconds"] += step.seconds
                shuffled["rows"] += step.made if step.name == "split-taskshuffle" else 0
    found = {name: _line(several) for name, several in seen.items()}
    if shuffled["rows"]:
        found["shuffle"] = [shuffled["seconds"] / shuffled["rows"], 0.0]
    return found


def _line(several: Sequence[tuple[float, float, float]]) -> list[float]:
    """Return the two costs, neither below 0, that fit best. Tasks with many rows count most."""
    from scipy.optimize import nnls

    of = np.array([each for each in several if each[0] + each[1] >= FEWEST_ROWS])
    if not len(of):
        return [0.0, 0.0]
    return [float(cost) for cost in nnls(of[:, :2], of[:, 2])[0]]


def reading_cost(folder: Path, rows: int = 4_000_000) -> float:
    """Return the CPU seconds that reading a row takes, of two int64, from Parquet in the page cache."""
    file = folder / "read.parquet"
    Table(rows, 1).frame(0).to_parquet(file)
    seconds = []
    for _ in range(5):
        began = process_time()
        pd.read_parquet(file)
        seconds.append(process_time() - began)
    return median(seconds[1:]) / rows


@cache
def forest_edges(draws: float, group: int, ids: int = 1 << 17) -> tuple[float, float]:
    """Return, for each id that there is, how many ids a part has, and how many edges its forest has.

    Found by trying: so many ids are drawn in pairs, `draws` times each on average.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    table = Table(max(1, round(ids * draws / 2)), 1, share=1, group=group)
    rng = np.random.default_rng(2)
    groups = max(1, ids // max(1, group))
    if group:
        which = rng.integers(0, groups, table.edges) * group
        u, v = which + rng.integers(0, group, (2, table.edges))
    else:
        u, v = rng.integers(0, ids, (2, table.edges))
    there = len(np.union1d(u, v))
    components, _ = connected_components(coo_array((np.ones(len(u), bool), (u, v)), (ids, ids)), False)
    return there / ids, (ids - components) / ids


class Rounds(NamedTuple):
    """What large-star and small-star do to a table, all as shares of its number of ids.

    Attributes
    ----------
    edges : list of float
        The edges before each round, and after the last.
    larger : list of float
        The edges that each large-star returns.
    hottest : float
        The edges of the id that has most, in any round.
    ids : float
        The ids that are in the table at all.
    """

    edges: list[float]
    larger: list[float]
    hottest: float
    ids: float


def rounds_of(table: Table) -> Rounds:
    """Run large-star and small-star in one place, where they return the same edges as in many."""
    roles = Roles("source", "target")
    forests = [part_forest([table.frame(i)], roles) for i in range(table.partitions)]
    edges = pa.concat_tables([stars.edges_of(each) for each in forests]).combine_chunks()
    before, larger, hottest = [], [], 0
    while True:
        both = stars.both_ways(edges).combine_chunks()
        before.append(len(edges) / table.ids)
        ends = np.unique(both["id"].to_numpy(), return_counts=True)[1]
        hottest = max(hottest, int(ends.max(initial=0)))
        if not stars.crooked(both):
            return Rounds(before, larger, hottest / table.ids, len(ends) / table.ids)
        large = stars.large_star(both)
        larger.append(len(large) / table.ids)
        edges = stars.small_star(large)


PARTS_TRIED = (2, 10, 100, 1000)
IDS_TRIED = (40_000, 400_000)


def measure(largest: int) -> dict[str, Any]:
    """Measure all that a prediction needs, on this machine."""
    runs = []
    for edges in (400_000, 4_000_000, largest):
        for method in ("tree", "stars"):
            for kind in KINDS.values():
                table = Table(edges, 4, **kind)
                run = simulate(table, method, Cluster(4))
                run.result = None
                runs.append(run)
                cpu = sum(step.seconds for step in run.cluster.steps)
                print(f"{table}, {method}: {cpu:.2f} CPU seconds", flush=True)
    by_size = {edges: fitted([r for r in runs if r.table.edges == edges]) for edges in (400_000, 4_000_000)}
    rounds = {}
    for name, kind in KINDS.items():
        for parts in PARTS_TRIED:
            tried = [rounds_of(Table(ids * 5, parts, **kind)) for ids in IDS_TRIED]
            print(f"{name}, {parts} parts: {[len(each.larger) for each in tried]} rounds", flush=True)
            rounds[f"{name}/{parts}"] = tried[-1]._asdict()
    with TemporaryDirectory() as folder:
        read = reading_cost(Path(folder))
    return {
        "seconds_a_row_read": read,
        "steps": fitted([r for r in runs if r.table.edges >= 4_000_000]),
        "steps_by_edges": by_size | {largest: fitted([r for r in runs if r.table.edges == largest])},
        "rounds": rounds,
        "largest": largest,
    }


# -- the prediction --------------------------------------------------------------------------------

ROWS_OF_A_PARTITION = 128 << 20 >> 4
"""Partitions of 128 MiB, of two ids of 8 bytes."""

ROW_OF_FOREST, ROW_OF_EDGES, ROW_OF_RESULT, ROW_OF_CLAIMS = 12, 32, 24, 20
"""Bytes: an id and its root; two ids, a hash and pandas' index; an id, its component and a size; a component,
its name and a size."""


@dataclass(frozen=True)
class Machines:
    """The cluster of a prediction."""

    workers: int
    bandwidth: float = 1.25e9
    latency: float = 1e-4
    overhead: float = 2e-4
    memory: float = 64e9
    read: float = 0.0
    """Bytes of pairs that a worker reads in a second; with 0, what was measured here."""
    cores: int = 0

    @property
    def at_once(self) -> int:
        return min(self.workers, self.cores or self.workers)


@dataclass
class Prediction:
    """What a run takes.

    Attributes
    ----------
    seconds : dict
        Of each step.
    nbytes : float
        What all workers send.
    memory : float
        What the worker that needs most needs.
    reason : str
        Why this is impossible, if it is.
    rounds : int
    fits : bool
        Whether a merge takes no more of a worker's memory than the package allows it: ``auto`` asks this.
    """

    machines: Machines
    costs: Mapping[str, Any]
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    nbytes: float = 0.0
    memory: float = 0.0
    reason: str = ""
    rounds: int = 0
    fits: bool = True

    @property
    def total(self) -> float:
        return sum(self.seconds.values())

    @property
    def slowest(self) -> str:
        return max(self.seconds, key=self.seconds.__getitem__)

    def work(self, name: str, times: float, given: float, made: float = 0.0) -> None:
        """Count some tasks of one kind, which workers share."""
        for_given, for_made = self.costs["steps"].get(name, (0.0, 0.0))
        at_once = min(times, self.machines.at_once)
        if times:
            self.seconds[name] += times / at_once * (for_given * given + for_made * made)
            self.seconds["the scheduler"] += times * self.machines.overhead

    def send(self, name: str, nbytes: float, through_one: float, times: int = 1) -> None:
        """Count bytes that are sent in all, and those of them that go through the busiest link."""
        if self.machines.workers > 1:
            self.nbytes += nbytes
            self.seconds[f"sending: {name}"] += (
                through_one / self.machines.bandwidth + times * self.machines.latency
            )

    def need(self, memory: float, what: str) -> None:
        self.memory = max(self.memory, memory)
        if memory > self.machines.memory and not self.reason:
            self.reason = what


class Counts(NamedTuple):
    """How many ids a table has, and where."""

    parts: int
    ids: float
    of_part: float
    edges_of_part: float
    shared: float
    bits: float
    sent: float
    """Of each part."""
    claims: float
    """Of each part."""
    components: float
    """Of what travels."""
    merged: list[float]
    """In a forest of each level."""


def counted(table: Table, workers: int, split_every: int) -> Counts:
    """Count what the method "tree" would find, by probabilities."""
    parts = max(workers, -(-table.partitions // planned.MOST_PARTITIONS))
    ids, group = float(table.ids), max(1, table.group)
    draws = 2 * table.edges_per_id
    if table.share >= 1:
        has, edges = forest_edges(draws / parts, table.group)
        of_part, edges_of_part = ids * has, ids * edges
        shared = ids * (1 - (1 - has) ** parts - parts * has * (1 - has) ** (parts - 1))
    else:
        window = ids / parts * (1 + table.share)
        of_part, edges_of_part = window, window * (1 - 1 / group if table.group else 1)
        shared = ids * table.share
    all_travel = shared >= NEARLY_ALL * ids
    bits = 0.0 if all_travel or parts == 1 else 2.0 ** math.floor(math.log2(16 * ids))
    mistaken = 1 - math.exp(-ids / bits) if bits else 0.0
    merged, forests = [], 1
    while forests < parts:
        forests = min(parts, forests * split_every)
        if table.share >= 1:
            merged.append(
                ids * (1 - math.exp(-draws * forests / parts)) if all_travel else shared * forests / parts
            )
        else:
            merged.append((shared + mistaken * (ids - shared)) * min(1, (forests + 1) / parts))
    if parts == 1:
        sent = claims = components = 0.0
    elif table.share >= 1:
        sent = of_part if all_travel else shared
        claims, components = of_part - edges_of_part, ids / group if table.group else 1.0
    else:
        sent = 2 * shared / parts + mistaken * (of_part - 2 * shared / parts)
        claims = sent / group if table.group else 1.0
        components = merged[-1] / group if table.group else 1.0
    return Counts(
        parts,
        ids,
        of_part,
        edges_of_part,
        shared,
        bits,
        sent,
        min(claims, of_part),
        components,
        merged or [0.0],
    )


def _begun(found: Prediction, table: Table, counts: Counts, split_every: int) -> float:
    """Count the steps that both methods begin with, and return the memory that forests take afterwards."""
    machines = found.machines
    rows = table.edges / counts.parts
    read = 16 / machines.read if machines.read else found.costs["seconds_a_row_read"]
    found.seconds["reading"] += table.edges * read / machines.at_once
    found.work("part-forest", counts.parts, rows, counts.of_part)
    kept = -(-counts.parts // machines.workers) * counts.of_part * ROW_OF_FOREST
    making = counts.of_part * (2 * 8 + NEEDED_PER_ID)
    found.need(kept + making, "the forests of the parts")
    if counts.of_part >= 2**31:
        found.reason = found.reason or "2^31 ids in a part"
    facts = Facts(
        [round(counts.of_part)] * counts.parts,
        [],
        8,
        SimpleNamespace(shared_ids=counts.shared, bits=counts.bits),
    )
    found.fits = facts.needed_by_a_merge(split_every) <= machines.memory * planned.FOR_A_MERGE
    return kept


def predict_tree(
    table: Table, machines: Machines, costs: Mapping[str, Any], split_every: int = 8
) -> Prediction:
    """Predict what the method "tree" takes."""
    found = Prediction(machines, costs)
    counts = counted(table, machines.workers, split_every)
    parts, workers = counts.parts, machines.workers
    kept = _begun(found, table, counts, split_every)
    if parts == 1:  # there is nothing to merge
        found.work("rows-that-stayed", 1, counts.of_part, counts.of_part)
        rows = counts.ids / table.partitions
        found.work("components", table.partitions, rows, rows)
        found.need(kept + counts.ids * ROW_OF_RESULT, "the result")
        return found
    levels, doublings = len(counts.merged), math.ceil(math.log2(workers)) if workers > 1 else 0

    found.work("describe-forest", parts, counts.of_part)
    found.work("sight-ids", parts, counts.of_part if counts.bits else 0, counts.bits / 8)
    sample = 16.0 * min(SAMPLE, counts.of_part)
    found.send("samples", (parts - 1) * sample, levels * (split_every - 1) * sample, levels)
    each = counts.bits / 4  # two bits for each
    forests = float(parts)
    for _ in range(levels):
        groups = math.ceil(forests / split_every)
        many = min(split_every, forests)
        found.work("merge-sightings", groups, many * each / 2, each / 2)
        found.send("bits", (forests - groups) * each, (many - 1) * each * math.ceil(groups / workers), levels)
        forests = groups
    found.send("bits", (workers - 1) * each, doublings * each, doublings)
    found.need(kept + (min(split_every, parts) + 1) * each, "the bits of all ids")
    found.work("select-travelling-ids", parts, counts.of_part + each / 2, counts.sent)

    below, forests, sizes = counts.sent, float(parts), []
    for merged in counts.merged:
        groups = math.ceil(forests / split_every)
        many = min(split_every, forests)
        in_turn = math.ceil(groups / workers)
        found.work("merge-forests", groups, many * below, merged)
        away = (many - 1) * below
        found.send("forests", groups * away * ROW_OF_FOREST, in_turn * away * ROW_OF_FOREST, levels)
        found.work("pass-down-components", groups * many, 2 * merged, below)
        found.send("components", groups * away * 4, in_turn * away * 4)
        sizes.append(many * below * ROW_OF_FOREST + merged * (2 * 8 + NEEDED_PER_ID))
        below, forests = merged, groups
    top = counts.merged[-1]
    found.need(kept + max(sizes), "the merged forest")
    if top >= 2**31:
        found.reason = found.reason or "2^31 ids in a forest"
    found.work("number-components", 1, top, top)

    claimed = counts.claims * ROW_OF_CLAIMS
    found.work("claim-components", parts, counts.of_part + 2 * counts.sent, counts.claims)
    forests, size = float(parts), counts.claims
    for _ in range(levels):
        groups = math.ceil(forests / split_every)
        many = min(split_every, forests)
        larger = min(counts.components, many * size)
        found.work("merge-claims", groups, many * size, larger)
        away = (many - 1) * size * ROW_OF_CLAIMS
        found.send("claims", groups * away, math.ceil(groups / workers) * away, levels)
        forests, size = groups, larger
    found.work("name-components", 1, counts.components + top, counts.components)
    to_all = counts.components * ROW_OF_CLAIMS
    found.work("select-names", parts, counts.components + counts.sent, counts.claims)
    if doublings * to_all <= parts * claimed:
        found.send("names", (workers - 1) * to_all, doublings * to_all, doublings)
    else:
        found.send("names", parts * claimed, parts * claimed)
    stayed = counts.of_part - counts.sent
    found.work("rows-that-stayed", parts, counts.of_part + 2 * counts.sent + counts.claims, stayed)
    one = replace(machines, cores=1)  # they run where the merged forest is
    alone = Prediction(one, costs)
    alone.work("rows-that-travelled", 1, 2 * top + counts.components, top)
    found.seconds["rows-that-travelled"] += alone.seconds["rows-that-travelled"]
    found.send("rows", top * ROW_OF_RESULT * (1 - 1 / workers), top * ROW_OF_RESULT * (1 - 1 / workers))
    rows = counts.ids / table.partitions
    found.work("components", table.partitions, rows, rows)
    at_top = top * (ROW_OF_FOREST + 4) + counts.components * ROW_OF_CLAIMS
    found.need(kept + at_top + counts.ids / workers * ROW_OF_RESULT, "the result")
    return found


def predict_stars(table: Table, machines: Machines, costs: Mapping[str, Any]) -> Prediction:
    """Predict what the method "stars" takes."""
    found = Prediction(machines, costs)
    counts = counted(table, machines.workers, 8)
    kept = _begun(found, table, counts, 8)
    parts, workers, places = counts.parts, machines.workers, table.partitions
    found.work("describe-forests", parts, counts.of_part)
    found.work("edges-of-forest", 2 * parts, counts.of_part)
    kind = _kind_of(table)
    tried = min(PARTS_TRIED, key=lambda each: abs(math.log(each / parts)))
    seen = Rounds(**costs["rounds"][f"{kind}/{tried}"])
    if parts == 1:  # a forest's edges are stars
        seen = seen._replace(edges=[counts.edges_of_part / counts.ids], larger=[])
    ids = seen.ids * counts.ids
    edges = [parts * counts.edges_of_part, *(each * counts.ids for each in seen.edges[1:])]
    larger = [each * counts.ids for each in seen.larger]
    hottest = seen.hottest * counts.ids if not table.group else 0.0
    found.rounds = len(larger)

    def shuffled(rows: float) -> None:
        """Count a shuffle. The place of the id that has most rows takes longest."""
        busiest = max(rows / workers, min(rows, hottest))
        found.work("shuffle", places, busiest * machines.at_once / places)
        found.send("shuffles", rows * ROW_OF_EDGES * (1 - 1 / workers), busiest * ROW_OF_EDGES, 2 * workers)
        found.seconds["the scheduler"] += 2 * places * machines.overhead
        found.need(kept + 3 * busiest * ROW_OF_EDGES, "the rows of one place")

    def worked(name: str, rows: float) -> None:
        busiest = max(rows / workers, min(rows, hottest))
        found.work(name, places, busiest * machines.at_once / places)

    for number, some in enumerate(edges):
        worked("edges-both-ways", some)
        shuffled(2 * some)
        worked("count-crooked", 2 * some)
        if number < len(larger):
            worked("large-star", 2 * some)
            shuffled(larger[number])
            worked("small-star", larger[number])
    known = edges[-1] + parts * (counts.of_part - counts.edges_of_part)
    shuffled(known)
    worked("name-by-stars", known)
    shuffled(ids)
    worked("components-by-stars", ids)
    if 3 * max(2 * edges[0] / workers, min(2 * edges[0], hottest)) * ROW_OF_EDGES > machines.memory:
        found.reason = found.reason or "the rows of one place"
    return found


def _kind_of(table: Table) -> str:
    """Return for which of the tables rounds were counted that are like this one's."""
    if not table.group:
        return "random pairs"
    return "groups of 16, anywhere" if table.share >= 1 else "groups of 16, a tenth shared"


def predictions(
    costs: Mapping[str, Any], machines: Machines
) -> Iterator[tuple[str, int, int, Prediction, Prediction]]:
    """Yield a prediction for each kind of table, number of edges and number of workers."""
    for name, kind in KINDS.items():
        for edges in (10**9, 10**10, 10**11, 10**12):
            for workers in (1, 10, 100, 1000):
                table = Table(edges, max(workers, -(-edges // ROWS_OF_A_PARTITION)), **kind)
                here = replace(machines, workers=workers)
                yield (
                    name,
                    edges,
                    workers,
                    predict_tree(table, here, costs),
                    predict_stars(table, here, costs),
                )


# -- beside real workers ---------------------------------------------------------------------------


class Took(NamedTuple):
    """What a run took: seconds by the clock, CPU seconds of all workers, and bytes between them."""

    seconds: float
    cpu: float
    nbytes: int


def pin(core: int) -> None:
    """Have this process use one core only. OpenCL's CPU drivers use all that there are otherwise."""
    for thread in Path("/proc/self/task").iterdir():
        os.sched_setaffinity(int(thread.name), {core})


def _cpu_seconds() -> float:
    return process_time()


def _received(dask_worker: Any) -> int:
    """Return how many bytes a worker has received, as Dask estimates: a slice counts as the whole array."""
    return sum(each["total"] for each in dask_worker.transfer_incoming_log)


@contextmanager
def real_workers(number: int) -> Iterator[Any]:
    """Start Dask workers of one thread, each pinned to a core, and yield a client."""
    from distributed import Client, LocalCluster

    for name in ("distributed", "distributed.shuffle"):  # they tell of every shuffle
        logging.getLogger(name).setLevel(logging.ERROR)
    options = {"threads_per_worker": 1, "memory_limit": 0, "dashboard_address": None}
    with LocalCluster(n_workers=number, **options) as cluster, Client(cluster) as client:
        addresses = sorted(client.scheduler_info(n_workers=-1)["workers"])
        for i, address in enumerate(addresses):
            client.run(pin, i % (os.cpu_count() or 1), workers=[address])
        yield client


def measured(client: Any, ddf: dd.DataFrame, method: str, shuffle: str) -> Took:
    """Find components with real workers."""
    from distributed import wait

    cpu, received = (sum(client.run(each).values()) for each in (_cpu_seconds, _received))
    began = perf_counter()
    with dask.config.set({"dataframe.shuffle.method": shuffle}):
        found = pointerjump.dask.components(ddf, "source", "target", method=method).persist()
        wait(found)
    seconds = perf_counter() - began
    return Took(
        seconds,
        sum(client.run(_cpu_seconds).values()) - cpu,
        sum(client.run(_received).values()) - received,
    )


def measured_network(client: Any) -> dict[str, float]:
    """Return latency, bandwidth and the scheduler's overhead between the first two workers."""
    first, second = sorted(client.scheduler_info(n_workers=-1)["workers"])[:2]

    def seconds_to_send(size: int, number: int) -> float:
        made = client.submit(np.full, size, number, np.uint8, workers=[first], pure=False)
        made.result()
        began = perf_counter()
        client.submit(len, made, workers=[second], pure=False).result()
        return perf_counter() - began

    def seconds_alone() -> float:
        began = perf_counter()
        client.submit(len, "", workers=[second], pure=False).result()
        return perf_counter() - began

    size = 200 << 20
    alone = median(seconds_alone() for _ in range(20))
    small = median(seconds_to_send(1, i) for i in range(20)) - alone
    large = median(seconds_to_send(size, i) for i in range(5)) - alone - small
    many = 2000
    began = perf_counter()
    client.gather(client.map(abs, range(many), pure=False))
    return {
        "latency": max(small, 1e-5),
        "bandwidth": size / large,
        "overhead": (perf_counter() - began) / many,
    }


def _simulated(table: Table, method: str, cluster: Cluster, folder: Path) -> Took:
    """Simulate in a process of its own, pinned as workers are."""
    pin((os.cpu_count() or 1) - 1)
    files = sorted(folder.glob("*.parquet"))
    ddf = dd.from_map(pd.read_parquet, files, meta=table.frame(0).iloc[:0])
    simulate(_small(table), method, Cluster(cluster.workers))  # builds the kernels
    run = simulate(table, method, cluster, ddf)
    return Took(run.cluster.seconds, sum(step.seconds for step in run.cluster.steps), run.cluster.nbytes)


def _small(table: Table) -> Table:
    return replace(table, edges=min(table.edges, 100_000 * table.partitions))


def check(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure real workers and simulate them, in turn, and print both."""
    os.environ["MALLOC_TRIM_THRESHOLD_"] = "65536"  # as Dask's own workers have it
    cores = options.cores or os.cpu_count() or 1
    with real_workers(2) as client:
        network = {
            **measured_network(client),
            **({} if options.overhead is None else {"overhead": options.overhead}),
        }
    print(", ".join(f"{name}: {value:.3g}" for name, value in network.items()))
    costs = json.loads(options.costs.read_text()) if options.costs else None
    lines = []
    for kind, settings in KINDS.items():
        if options.only not in kind:
            continue
        table = Table(options.edges, options.partitions, options.edges_per_id, **settings)
        with TemporaryDirectory() as folder:
            ddf = table.on_disk(Path(folder))
            for workers in (1, 2, 4):
                cluster = Cluster(workers, cores=cores, **network)
                for method in ("tree", "stars"):
                    lines.append(_checked(table, kind, method, cluster, ddf, Path(folder), options, costs))
    return lines


def _checked(
    table: Table,
    kind: str,
    method: str,
    cluster: Cluster,
    ddf: dd.DataFrame,
    folder: Path,
    options: argparse.Namespace,
    costs: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Measure and simulate one method on one table, and print a line."""
    shuffles = ("tasks",) if method == "tree" else ("tasks", "p2p")
    real: dict[str, list[Took]] = defaultdict(list)
    with real_workers(cluster.workers) as client, TemporaryDirectory() as other:
        small = _small(table).on_disk(Path(other))
        for shuffle in shuffles:
            measured(client, small, method, shuffle)  # builds the kernels
            for _ in range(options.rounds):
                real[shuffle].append(measured(client, ddf, method, shuffle))
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        several = [
            process.submit(_simulated, table, method, cluster, folder).result() for _ in range(options.rounds)
        ]
    line: dict[str, Any] = {
        "table": kind,
        "method": method,
        "workers": cluster.workers,
        "cores": len(cluster._core_free),
    }
    for name, facts in [*real.items(), ("simulated", several)]:
        seconds = sorted(each.seconds for each in facts)
        line[name] = {
            "seconds": [seconds[0], median(seconds), seconds[-1]],
            "cpu": median(each.cpu for each in facts),
            "nbytes": median(each.nbytes for each in facts),
        }
    if costs is not None:
        machines = Machines(
            cluster.workers,
            cluster.bandwidth,
            cluster.latency,
            cluster.overhead,
            cores=len(cluster._core_free),
        )
        predict = predict_tree if method == "tree" else predict_stars
        line["model"] = predict(table, machines, costs).total
    line["ratio"] = line["tasks"]["seconds"][1] / line["simulated"]["seconds"][1]
    print(json.dumps(line), flush=True)
    return line


# -- the command -----------------------------------------------------------------------------------


def cut_edges(table: Table) -> int:
    """Return how many edges have an id that several partitions have."""
    frames = [table.frame(i) for i in range(table.partitions)]
    ids = np.concatenate([np.unique(frame.to_numpy()) for frame in frames])
    each, partitions = np.unique(ids, return_counts=True)
    several = each[partitions > 1]
    return sum(int(np.isin(frame.to_numpy(), several).any(axis=1).sum()) for frame in frames)


def same_components(run: Run) -> bool:
    """Return whether a simulated run found the components of the whole table."""
    with dask.config.set(scheduler="sync"):
        found = run.result.compute().sort_values("id").reset_index(drop=True)
    whole = pj.components(run.table.whole(), source="source", target="target").table()
    return bool(found.equals(whole.sort_values("id").reset_index(drop=True).astype(found.dtypes.to_dict())))


def show_run(run: Run) -> None:
    """Print what a simulated run took."""
    cluster, cut = run.cluster, cut_edges(run.table)
    by_name: dict[str, list[Step]] = defaultdict(list)
    for step in cluster.steps:
        by_name[step.name].append(step)
    for name, steps in by_name.items():
        print(f"{name:28} {len(steps):6} tasks {sum(each.seconds for each in steps):10.4f} CPU seconds")
    for name, size in sorted(cluster.sent().items(), key=lambda each: -each[1]):
        print(f"{name:28} {size:14,} bytes sent")
    by_graph = Counter[int]()
    for each in cluster.transfers:
        by_graph[each.graph] += each.nbytes
    print(f"bytes sent by each graph: {[by_graph[i] for i in range(cluster.graphs)]}")
    for event in run.events:
        print(event)
    print(
        f"{cluster.seconds:.3f} s on {cluster.workers} workers; {cluster.nbytes:,} bytes sent, "
        f"{cluster.nbytes / run.table.edges:.2f} an edge and {cluster.nbytes / max(1, cut):.2f} a cut edge "
        f"({cut:,} are cut); {cluster.peak:,} bytes held by one worker at the peak"
    )


def show_predictions(costs: Mapping[str, Any], machines: Machines) -> list[dict[str, Any]]:
    """Print the predictions as tables in Markdown, and return them."""
    lines, last = [], None
    for name, edges, workers, tree, by_stars in predictions(costs, machines):
        if name != last:
            print(f"\n{name}\n")
            print("| edges | workers | tree | sent | memory | stars | rounds | sent | memory | auto |")
            print("| --: | --: | --: | --: | --: | --: | --: | --: | --: | --- |")
            last = name
        cells = [f"10^{round(math.log10(edges))}", f"{workers:,}"]
        for each in (tree, by_stars):
            cells.append(in_seconds(each.total) if not each.reason else f"no: {each.reason}")
            if each is by_stars:
                cells.append(str(each.rounds))
            cells += [in_bytes(each.nbytes), in_bytes(each.memory)]
        print(f"| {' | '.join(cells)} | {'tree' if tree.fits else 'stars'} |")
        for method, each in (("tree", tree), ("stars", by_stars)):
            lines.append(
                {
                    "table": name,
                    "edges": edges,
                    "workers": workers,
                    "method": method,
                    "seconds": each.total,
                    "slowest": each.slowest,
                    "steps": dict(each.seconds),
                    "bytes": each.nbytes,
                    "memory": each.memory,
                    "impossible": each.reason,
                    "rounds": each.rounds,
                    "auto": "tree" if tree.fits else "stars",
                }
            )
    return lines


def in_seconds(seconds: float) -> str:
    """Return seconds, minutes or hours."""
    if seconds < 100:
        return f"{seconds:.2g} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.2g} h"


def in_bytes(size: float) -> str:
    """Return bytes with three digits at most."""
    for unit, scale in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if size >= scale:
            return f"{size / scale:.3g} {unit}"
    return f"{size / 1e3:.3g} kB"


def parse() -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--simulate", action="store_true", help="one run")
    what.add_argument("--fit", type=Path, metavar="FILE", help="measure the costs of steps, and write them")
    what.add_argument("--predict", type=Path, metavar="FILE", help="from costs that --fit wrote")
    what.add_argument("--check", action="store_true", help="measure real workers, and simulate them")
    parser.add_argument("--edges", type=int, default=3_000_000, help="with --fit, those of the largest table")
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--method", default="tree", choices=planned.METHODS)
    parser.add_argument("--edges-per-id", type=int, default=5)
    parser.add_argument("--share", type=float, default=1.0, help="of ids that several parts have")
    parser.add_argument("--group", type=int, default=0, help="ids in a component; with 0, nearly all")
    parser.add_argument("--split-every", type=int, default=8)
    parser.add_argument("--cores", type=int, default=0, help="how many workers run at once (default: all)")
    parser.add_argument("--bandwidth", type=float, default=1.25e9, help="bytes a second")
    parser.add_argument("--latency", type=float, default=1e-4, help="seconds")
    parser.add_argument(
        "--overhead", type=float, help="seconds of the scheduler for each task (default: 0.0002)"
    )
    parser.add_argument("--memory", type=float, default=64e9, help="bytes that a worker has")
    parser.add_argument("--read", type=float, default=0.0, help="bytes that a worker reads in a second")
    parser.add_argument("--costs", type=Path, help="with --check, also compare with a prediction from these")
    parser.add_argument("--only", default="", help="with --check, only tables with this in their name")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def main() -> None:
    """Do what is asked for."""
    options = parse()
    overhead = 2e-4 if options.overhead is None else options.overhead
    network = {"bandwidth": options.bandwidth, "latency": options.latency, "overhead": overhead}
    told: Any = None
    if options.check:
        told = check(options)
    elif options.predict:
        machines = Machines(1, **network, memory=options.memory, read=options.read)
        told = show_predictions(json.loads(options.predict.read_text()), machines)
    else:
        pin(0)
        if options.fit:
            options.fit.write_text(json.dumps(measure(options.edges), indent=1))
        else:
            table = Table(
                options.edges, options.partitions, options.edges_per_id, options.share, options.group
            )
            simulate(_small(table), options.method, Cluster(options.workers))  # builds the kernels
            cluster = Cluster(options.workers, options.cores, **network)
            run = simulate(
                table, options.method, cluster, split_every=options.split_every, memory=int(options.memory)
            )
            show_run(run)
            print("the components are right" if same_components(run) else "the components are WRONG")
    if options.json:
        options.json.write_text(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
