"""Measure edges without end on a GPU, or on two: from the host's memory, and made on the devices themselves.

    python benches/endless.py [--device gpu] [--devices all] [--only PARTS] [--shrink N] [--rounds 5]

It prints one line of JSON for each measurement. The parts are:

- ``arrays``: edge arrays in ordinary memory, of 256 MiB and 1 GiB, until their labels are in a NumPy array.
- ``lists``: a successor array of 2^26 elements, until its ranks are in a NumPy array.
- ``ring``: 256 MiB and 1 GiB of int32, to the device as `Session.put`, `copy_into` and the ring's `upload` of
  int64 send them, and back as `Session.get` brings them.
- ``blocks``: 2^30 pairs of int32, merged into a set of 2^27 vertices in blocks of ordinary memory.
- ``stream``: 2^36 random edges among 2^30 vertices, made on the device in blocks; beside it, 2^32 such edges
  that are all on the device, merged at once into a new set.
- ``wide``: 4 x 10^9 edges among 3 x 10^9 vertices, so that parents are 64-bit, made on the device. The edges
  connect all vertices that are equal modulo 1,000,003, and no others.
- ``together``: ``stream``, with twice as many edges, and ``blocks`` again, on one device and on several that
  join their sets at the end.

``--shrink N`` divides all sizes by 2^N, so that everything also runs on a small machine. Rates are of edges,
or of bytes that the host gives and takes. A *share* is relative to the rate at which pinned memory is copied
to the device, measured in the same run. Answers are checked, outside of the measured time.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import gcd
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl
import pyopencl.array as cl_array

import pointerjump as pj
from pointerjump.accel.runtime.programs import quiet_compiler
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.bench.timing import interleaved
from pointerjump.solving.shared_blocks import devices_of

Ids = npt.NDArray[Any]
Pair = tuple[Any, Any]
"""The sources and the targets of some edges, in NumPy or pyopencl arrays."""
Report = dict[str, object]

ASKED = 1_000_000
"""About how many vertices or edges are asked about to check an answer."""
SMALL = 1 << 20
"""Up to so many edges, answers are compared with those for all edges in one array."""


@dataclass(frozen=True)
class Sizes:
    """How large the measurements are."""

    shrink: int
    rounds: int

    def of(self, size: int) -> int:
        """Return a size, made smaller as asked."""
        return max(64, size >> self.shrink)

    def power_of_two(self, size: int) -> int:
        """Return a size that is a power of two, made smaller as asked."""
        return 1 << (self.of(size).bit_length() - 1)


def timed(run: Callable[[], object]) -> float:
    """Return how many seconds one run takes."""
    began = perf_counter()
    run()
    return perf_counter() - began


def median(run: Callable[[], object], sizes: Sizes) -> float:
    """Return the median of several runs, in seconds."""
    return interleaved({"run": run}, rounds=sizes.rounds)["run"].median


def pinned_rate(session: Session, sizes: Sizes) -> float:
    """Return how many bytes per second are copied from pinned memory to the device."""
    size = sizes.of(1 << 28)
    flags = cl.mem_flags.READ_WRITE
    pinned = cl.Buffer(session.context, flags | cl.mem_flags.ALLOC_HOST_PTR, size)
    memory, _ = cl.enqueue_map_buffer(session.queue, pinned, cl.map_flags.WRITE, 0, size, np.uint8)
    memory[:] = 1
    there = cl.Buffer(session.context, flags, size)
    seconds = median(lambda: cl.enqueue_copy(session.queue, there, memory), sizes)
    memory.base.release(session.queue)
    return size / seconds


# -- from the host's memory ------------------------------------------------------------------------


def arrays(session: Session, sizes: Sizes) -> Iterator[Report]:
    """Measure `components` on edge arrays in ordinary memory, from the call until the labels are here."""
    pinned = pinned_rate(session, sizes)
    for size in (1 << 28, 1 << 30):
        for dtype in (np.int64, np.int32):
            m = sizes.of(size) // (2 * np.dtype(dtype).itemsize)
            n = max(1, m // 16)
            s, t = np.random.default_rng(1).integers(0, n, (2, m), dtype)
            run = lambda s=s, t=t, n=n: pj.components((s, t), device=session, vertices=n).labels  # noqa: E731
            pj.verify(pj.Graph.from_edges(s, t, vertices=n), run())
            facts = {"part": "arrays", "dtype": np.dtype(dtype).name, "vertices": n, "edges": m}
            yield facts | against_copy(2 * s.nbytes, 4 * n, median(run, sizes), pinned)


def lists(session: Session, sizes: Sizes) -> Iterator[Report]:
    """Measure `list_rank` on a successor array in ordinary memory."""
    pinned = pinned_rate(session, sizes)
    successors = pj.generate(f"list:length={sizes.of(1 << 26)},seed=1")
    run = lambda: pj.list_rank(successors, device=session)  # noqa: E731
    pj.verify_ranks(successors, run())
    facts = {"part": "lists", "elements": len(successors)}
    yield facts | against_copy(successors.nbytes, successors.nbytes, median(run, sizes), pinned)


def ring(session: Session, sizes: Sizes) -> Iterator[Report]:
    """Measure what every large array goes through."""
    pinned = pinned_rate(session, sizes)
    for size in (1 << 28, 1 << 30):
        items = sizes.of(size) // 4
        buffer = session.empty(items, np.int32, "a buffer")
        words, wide = np.ones(items, np.int32), np.ones(items, np.int64)

        def narrowed(buffer: Any = buffer, wide: Ids = wide) -> None:
            with session.running():
                session.ring.upload(buffer, wide, dtype=np.int32)

        ways: dict[str, Callable[[], object]] = {
            "put": lambda words=words: session.put(words, "an array"),
            "copy_into": lambda buffer=buffer, words=words: session.copy_into(buffer, words),
            "upload": narrowed,
            "get": lambda buffer=buffer, items=items: session.get(buffer, items),
        }
        for way, run in ways.items():
            seconds = median(lambda run=run: (run(), session.finish()), sizes)
            given = (0, words.nbytes) if way == "get" else (words.nbytes, 0)
            yield {"part": "ring", "way": way} | against_copy(*given, seconds, pinned)


def against_copy(given: int, taken: int, seconds: float, pinned: float) -> Report:
    """Return a time, and how it compares with copying the bytes that went there and came back."""
    return {
        "bytes_given": given,
        "bytes_taken": taken,
        "seconds": seconds,
        "gigabytes_per_second": given / seconds / 1e9,
        "pinned_gigabytes_per_second": pinned / 1e9,
        "share": given / seconds / pinned,
        "share_with_answer": (given + taken) / seconds / pinned,
    }


def host_blocks(sizes: Sizes) -> tuple[int, list[Ids]]:
    """Return a number of vertices, and blocks of random edges among them in ordinary memory.

    Each block is the first one with all ids shifted, which takes less time than drawing it.
    """
    vertices, edges = sizes.power_of_two(1 << 27), sizes.of(1 << 26)
    first = np.random.default_rng(2).integers(0, vertices, (edges, 2), np.int32)
    shifts = np.random.default_rng(3).integers(0, vertices, 16, np.int32)
    return vertices, [(first ^ shift) for shift in shifts]


def check_blocks(forest: pj.DisjointSet, made: list[Ids]) -> None:
    """Raise an error if a set is not what these blocks make of it."""
    for block in made:
        some = block[:: 1 + len(block) * len(made) // ASKED]
        assert forest.connected(some[:, 0], some[:, 1]).all()
    if len(made) * len(made[0]) <= SMALL:
        check_count(forest, np.concatenate(made))


def check_count(forest: pj.DisjointSet, edges: Any) -> None:
    """Raise an error if a set has not as many subsets as serial union-find finds for all edges."""
    expected = pj.components(edges, algorithm="union-find", device="reference", vertices=forest.vertices)
    assert forest.n_subsets == expected.count, (forest.n_subsets, expected.count)


def blocks(session: Session, sizes: Sizes) -> Iterator[Report]:
    """Measure a set that takes edges in blocks of ordinary memory."""
    pinned = pinned_rate(session, sizes)
    n, made = host_blocks(sizes)
    pj.DisjointSet(n, session).merge(made[0])  # builds the kernels
    forest = pj.DisjointSet(n, session)
    seconds = timed(lambda: forest.merge(iter(made)) or forest.n_subsets)
    check_blocks(forest, made)
    m = sum(len(block) for block in made)
    facts = {"part": "blocks", "vertices": n, "edges": m, "n_subsets": forest.n_subsets}
    yield facts | {"edges_per_second": m / seconds} | against_copy(8 * m, 0, seconds, pinned)


# -- made on the device ----------------------------------------------------------------------------

KERNELS = """
// Steele, Lea and Flood's splitmix64 of a number: a hash.
ulong hash(ulong x) {
    x += 0x9E3779B97F4A7C15UL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9UL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBUL;
    return x ^ (x >> 31);
}

// Edges first .. first + edges - 1 of a random graph with mask + 1 vertices, a power of two.
__kernel void random_edges(const ulong first, const ulong edges, const uint mask, __global int *sources,
                           __global int *targets) {
    for (ulong i = get_global_id(0); i < edges; i += get_global_size(0)) {
        const ulong drawn = hash(first + i);
        sources[i] = (uint)drawn & mask;
        targets[i] = (uint)(drawn >> 32) & mask;
    }
}

// Edges of a graph whose components are the vertices that are equal modulo c. First come all edges between v
// and v + c, in an order in which neighbors are far apart; then random ones.
__kernel void modular_edges(const ulong first, const ulong edges, const ulong n, const ulong c,
                            const ulong stride, __global long *sources, __global long *targets) {
    for (ulong i = get_global_id(0); i < edges; i += get_global_size(0)) {
        const ulong e = first + i;
        if (e < n - c) {
            sources[i] = e * stride % (n - c);
            targets[i] = sources[i] + c;
        } else {
            sources[i] = hash(e) % n;
            targets[i] = (ulong)sources[i] % c + c * (hash(~e) % (n / c));
        }
    }
}
"""
STRIDE = 2_654_435_761
"""A prime number. Numbers of edges are multiplied by it, and the products fit into 64 bits."""


class DeviceBlocks:
    """Room for a block of edges on a device, and the kernels that make edges there."""

    def __init__(self, session: Session, edges: int, dtype: type) -> None:
        self.session, self.edges = session, edges
        with quiet_compiler():
            program = cl.Program(session.context, KERNELS).build()
        self.random = cl.Kernel(program, "random_edges")
        self.modular = cl.Kernel(program, "modular_edges")
        self._ends = [cl_array.empty(session.queue, edges, dtype) for _ in range(2)]
        self._shape = session.shapes.over(edges)

    def make(self, kernel: cl.Kernel, first: int, end: int, *facts: Any) -> Pair:
        """Return edges first .. end - 1. They take the memory of the block before."""
        count = np.uint64(end - first)
        buffers = [ends.data for ends in self._ends]
        shape = self._shape.global_size, self._shape.local_size
        kernel(self.session.queue, *shape, np.uint64(first), count, *facts, *buffers)
        s, t = (ends[: end - first] for ends in self._ends)
        return s, t

    def merge(
        self, forest: pj.DisjointSet, kernel: cl.Kernel, first: int, end: int, *facts: Any
    ) -> tuple[float, float]:
        """Make edges first .. end - 1, block by block, and merge them.

        Returns the seconds that it took, and how many of these it took to make edges.
        """
        making = 0.0
        began = perf_counter()
        for begin in range(first, end, self.edges):
            began_block = perf_counter()
            block = self.make(kernel, begin, min(end, begin + self.edges), *facts)
            self.session.finish()
            making += perf_counter() - began_block
            forest.merge(*block)
        _ = forest.n_subsets  # which waits until everything is merged
        return perf_counter() - began, making


def random_in_numpy(edges: int, vertices: int) -> Pair:
    """Return the edges that the kernel of the same kind makes."""
    with np.errstate(over="ignore"):
        x = np.arange(edges, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x ^= x >> np.uint64(31)
    mask = np.uint64(vertices - 1)
    return (x & mask).astype(np.int64), (x >> np.uint64(32) & mask).astype(np.int64)


def check_random(forest: pj.DisjointSet, edges: int) -> None:
    """Raise an error if a set is not what the first edges of the random graph make of it."""
    s, t = random_in_numpy(min(edges, ASKED), forest.vertices)
    assert forest.connected(s, t).all()
    if edges <= SMALL:
        check_count(forest, random_in_numpy(edges, forest.vertices))


def stream(session: Session, sizes: Sizes) -> Iterator[Report]:
    """Measure random edges that are made on the device, in blocks, and as many as fit at once."""
    n, m = sizes.power_of_two(1 << 30), sizes.of(1 << 36)
    at_once = resident(session, sizes, n)
    yield at_once
    room = DeviceBlocks(session, sizes.of(1 << 28), np.int32)  # the kernels have been built there
    forest = pj.DisjointSet(n, session)
    seconds, making = room.merge(forest, room.random, 0, m, np.uint32(n - 1))
    check_random(forest, m)
    rate = m / (seconds - making)
    yield {
        "part": "stream",
        "vertices": n,
        "edges": m,
        "block": room.edges,
        "n_subsets": forest.n_subsets,
        "seconds": seconds,
        "seconds_to_make_edges": making,
        "edges_per_second": rate,
        "edges_per_second_with_making": m / seconds,
        "share_of_resident_rate": rate / at_once["edges_per_second"],
    }


def resident(session: Session, sizes: Sizes, n: int) -> dict[str, Any]:
    """Measure merging edges that are all on the device into a set that has none yet, and is made before."""
    m = sizes.of(1 << 32)
    room = DeviceBlocks(session, m, np.int32)
    edges = room.make(room.random, 0, m, np.uint32(n - 1))
    seconds = []
    for _ in range(1 + sizes.rounds):
        forest = pj.DisjointSet(n, session)
        session.finish()
        seconds.append(timed(lambda forest=forest: forest.merge(*edges) or forest.n_subsets))
    check_random(forest, m)
    middle = float(np.median(seconds[1:]))
    return {"part": "resident", "vertices": n, "edges": m, "seconds": middle, "edges_per_second": m / middle}


def wide(session: Session, sizes: Sizes) -> Iterator[Report]:
    """Measure more vertices than 32 bits can count, whose number of components is known."""
    n, m = 3_000_000_000 >> sizes.shrink, 4_000_000_000 >> sizes.shrink
    c = min(1_000_003, n // 100)
    while gcd(STRIDE, n - c) != 1:
        c -= 1
    room = DeviceBlocks(session, sizes.of(1 << 27), np.int64)
    facts = np.uint64(n), np.uint64(c), np.uint64(STRIDE % (n - c))
    room.merge(pj.DisjointSet(n, session), room.modular, 0, room.edges, *facts)  # builds the kernels
    forest = pj.DisjointSet(n, session)
    seconds, making = room.merge(forest, room.modular, 0, m, *facts)
    some = np.random.default_rng(3).integers(0, n, ASKED)
    assert forest.n_subsets == c, (forest.n_subsets, c)
    assert np.array_equal(forest.find(some), some % c)
    yield {
        "part": "wide",
        "vertices": n,
        "edges": m,
        "n_subsets": forest.n_subsets,
        "seconds": seconds,
        "seconds_to_make_edges": making,
        "edges_per_second": m / (seconds - making),
        "edges_per_second_with_making": m / seconds,
    }


# -- several devices -------------------------------------------------------------------------------

MergeShare = Callable[[int, pj.DisjointSet, range], object]
"""Merges blocks, given by their numbers, into the set of the device with this number."""


def together(sessions: list[Session], sizes: Sizes) -> Iterator[Report]:
    """Measure several devices, each with a set of its own, which are joined at the end, beside the first."""
    n, m = sizes.power_of_two(1 << 30), sizes.of(1 << 37)
    rooms = [DeviceBlocks(session, sizes.of(1 << 28), np.int32) for session in sessions]
    step = rooms[0].edges

    def made_there(which: int, forest: pj.DisjointSet, numbers: range) -> None:
        room = rooms[which]
        first, end = numbers.start * step, min(m, numbers.stop * step)
        room.merge(forest, room.random, first, end, np.uint32(n - 1))

    facts = {"part": "together", "edges_from": "devices", "vertices": n, "edges": m}
    yield facts | one_and_all(sessions, n, m, -(-m // step), made_there, lambda set_: check_random(set_, m))

    n, made = host_blocks(sizes)

    def from_host(which: int, forest: pj.DisjointSet, numbers: range) -> None:
        forest.merge(iter(made[numbers.start : numbers.stop]))
        _ = forest.n_subsets  # which waits until everything is merged

    m = sum(len(block) for block in made)
    facts = {"part": "together", "edges_from": "host", "vertices": n, "edges": m}
    yield facts | one_and_all(sessions, n, m, len(made), from_host, lambda set_: check_blocks(set_, made))


def one_and_all(
    sessions: list[Session],
    vertices: int,
    edges: int,
    blocks: int,
    merge: MergeShare,
    check: Callable[[pj.DisjointSet], None],
) -> Report:
    """Return how long the first device takes for all blocks, and all devices for an equal share each."""
    for which, session in enumerate(sessions):
        merge(which, pj.DisjointSet(vertices, session), range(1))  # builds the kernels
    times: dict[str, Any] = {}
    for name, used in (("one", sessions[:1]), ("all", sessions)):
        sets = [pj.DisjointSet(vertices, session) for session in used]
        for session in used:
            session.finish()
        bounds = np.linspace(0, blocks, len(used) + 1).astype(int).tolist()
        began = perf_counter()
        with ThreadPoolExecutor(len(used)) as pool:
            shares = [
                pool.submit(merge, which, forest, range(bounds[which], bounds[which + 1]))
                for which, forest in enumerate(sets)
            ]
        for share in shares:
            share.result()
        merged = perf_counter() - began
        for other in sets[1:]:
            sets[0].update(other)
        count = sets[0].n_subsets
        seconds = perf_counter() - began
        check(sets[0])
        times |= {f"seconds_on_{name}": seconds, f"seconds_to_join_{name}": seconds - merged}
        times |= {f"edges_per_second_on_{name}": edges / seconds, f"n_subsets_on_{name}": count}
    assert times["n_subsets_on_one"] == times["n_subsets_on_all"], times
    times["devices"] = [str(session.device) for session in sessions]
    times["speedup"] = times["seconds_on_one"] / times["seconds_on_all"]
    return times


def named(devices: str) -> list[Any]:
    """Return the devices that the command line names."""
    if devices == "gpus":
        return [device for device in pj.devices() if device.works and device.type == "gpu"]
    return devices_of(devices if devices == "all" else devices.split(","))


# -- the command -----------------------------------------------------------------------------------

PARTS: dict[str, Callable[[Session, Sizes], Iterator[Report]]] = {
    "arrays": arrays,
    "lists": lists,
    "ring": ring,
    "blocks": blocks,
    "stream": stream,
    "wide": wide,
}


def rounded(value: object) -> object:
    """Return a value with no more digits than mean something."""
    return float(f"{value:.4g}") if isinstance(value, float) else value


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", help="as for pointerjump --device")
    parser.add_argument(
        "--devices", help="for the part 'together': 'all', 'gpus', or names separated by commas"
    )
    parser.add_argument(
        "--only", default="", help=f"of {', '.join([*PARTS, 'together'])}, separated by commas"
    )
    parser.add_argument("--shrink", type=int, default=0, metavar="N", help="divide all sizes by 2^N")
    parser.add_argument("--rounds", type=int, default=5, help="runs of which the median is taken")
    arguments = parser.parse_args()
    sizes = Sizes(arguments.shrink, arguments.rounds)
    chosen = list(filter(None, arguments.only.split(","))) or [*PARTS, "together"]
    for name in chosen:
        if name == "together":
            if arguments.devices is None:
                continue
            reports = together([session_for(device) for device in named(arguments.devices)], sizes)
        elif name in PARTS:
            reports = PARTS[name](session_for(arguments.device), sizes)
        else:
            parser.error(f"there is no part {name!r}: choose from {', '.join([*PARTS, 'together'])}")
        for report in reports:
            print(json.dumps({name: rounded(value) for name, value in report.items()}), flush=True)


if __name__ == "__main__":
    main()
