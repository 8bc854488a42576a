"""Simulate ``pointerjump.dask.components`` on clusters that we do not have.

    python benches/cluster.py [--edges 3000000] [--workers 8] [--method tree] [--group 16]

The simulation is a scheduler for Dask. It is given the very graphs that Dask would be given, and runs every
task in this process, one after the other. Each simulated worker has a clock. A task moves its worker's clock
on by the CPU seconds that it took here. What a task needs from another worker arrives after a latency and the
time that its bytes take at some bandwidth; a worker sends one thing at a time, and receives one. A task runs
on one of the workers that have some of what it needs: where it can begin first, which for a merge is mostly
where the largest forest lies. Bytes are those of what travels. So answers and bytes are real; time is not.

Tables are made of pairs of 64-bit ids, one id for every few edges. ``--share`` says which share of ids two
partitions have: 1 for ids that may be in any. ``--group`` says how many ids are in a component: 0 for random
pairs, which make one component of nearly all.
"""

from __future__ import annotations

import argparse
import heapq
import pickle
import weakref
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import process_time
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
        How many rows or ids it was given, and how many it made.
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
    """Return how many rows or ids a value has."""
    if isinstance(value, list):
        return sum(quantity(each) for each in value)
    for name in ("ids", "forest"):
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
        patch.object(planned, "workers", lambda: (cluster.workers, memory)),
        patch.object(planned, "tell", tell),
        patch("pointerjump.dask.stars.tell", tell),
        dask.config.set({"scheduler": cluster.get, "dataframe.shuffle.method": "tasks"}),
    ):
        found = pointerjump.dask.components(
            ddf, "source", "target", split_every=split_every, method=method
        ).persist()
    return Run(table, method, cluster, found, events)


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


def parse() -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--edges", type=int, default=3_000_000)
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
    parser.add_argument("--overhead", type=float, default=2e-4, help="seconds of the scheduler for each task")
    parser.add_argument("--memory", type=float, default=64e9, help="bytes that a worker has")
    return parser.parse_args()


def main() -> None:
    """Simulate a run, and print what it took."""
    options = parse()
    table = Table(options.edges, options.partitions, options.edges_per_id, options.share, options.group)
    small = replace(table, edges=min(table.edges, 200_000))
    simulate(small, options.method, Cluster(options.workers))  # builds the kernels
    network = (options.bandwidth, options.latency, options.overhead)
    cluster = Cluster(options.workers, options.cores, *network)
    run = simulate(
        table, options.method, cluster, split_every=options.split_every, memory=int(options.memory)
    )
    show_run(run)
    print("the components are right" if same_components(run) else "the components are WRONG")


if __name__ == "__main__":
    main()
