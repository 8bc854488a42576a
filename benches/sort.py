"""A stable sort of keys with a payload, and sums over rows: what pyopencl, NumPy and CuPy take.

    python benches/sort.py [--device cpu] [--sizes 1000000,10000000] [--rounds 3] [--forest 10000000]

Keys are 32 or 64 bits and drawn at random; the payload is each key's place, 32 bits.
`pyopencl.algorithm.RadixSort` sorts on the device, at several numbers of bits at a time; it is told how many
bits the greatest key has. Our own `radix_sort` sorts keys of 32 bits, each beside its place. NumPy sorts
keys of 32 bits packed with their places in one word, and otherwise takes its stable argsort. CuPy's stable
argsort, and its sort of packed words, are CUB's radix sort; they run if CuPy is there, and pyopencl's run if
Mako is. Sums over rows, of about eight elements each, are taken by
`pyopencl.scan.GenericScanKernel` with segments, and by NumPy's `add.reduceat`. Every answer is compared with
NumPy's before it is timed. Last, how long `rooted_forest` takes from edges of a random recursive tree, by
stage; *trees* has the sorting.

Printed are seconds: median, least and greatest of the rounds, in which all take turns. What runs on a device
is timed with its data there, and beside that with the way there and back.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl
import pyopencl.array as cl_array

import pointerjump as pj
from pointerjump.accel.radix_sort import sort_pairs
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for

Array = npt.NDArray[Any]
Side = Callable[[], Callable[[], Array]]
"""Computes something, and returns what gets the answer to the host."""

BITS_AT_A_TIME = (2, 4)


def compared(sides: dict[str, Side], expected: Array, rounds: int) -> None:
    """Check each side's answer, then time them in turn, without and with the way of the answer."""
    for name, side in list(sides.items()):
        try:
            np.testing.assert_array_equal(side()(), expected, err_msg=name)
        except (cl.Error, RuntimeError) as error:
            print(f"    {name}: does not run: {str(error).splitlines()[0]}", flush=True)
            del sides[name]
        except AssertionError:
            print(f"    {name}: WRONG ANSWER", flush=True)
            del sides[name]
    spent: dict[str, list[float]] = defaultdict(list)
    for _ in range(rounds):
        for name, side in sides.items():
            began = perf_counter()
            side()
            spent[name].append(perf_counter() - began)
    for name, seconds in spent.items():
        print(f"    {name}: {median(seconds):.4f} ({min(seconds):.4f} to {max(seconds):.4f})", flush=True)


def here(answer: Array) -> Callable[[], Array]:
    """Return what gets an answer that is on the host already."""
    return lambda: answer


def sorts(session: Session, keys: Array, bits: int) -> dict[str, Side]:
    """Return what sorts keys that have so many bits; the answer is each place's origin."""
    queue, places = session.queue, np.arange(len(keys), dtype=np.int32)
    c_type = {32: "unsigned int", 64: "unsigned long"}[bits]
    sides: dict[str, Side] = {}

    def by_argsort() -> Callable[[], Array]:
        return here(np.argsort(keys, kind="stable").astype(np.int32))

    def packed() -> Callable[[], Array]:
        words = keys.astype(np.uint64) << np.uint64(32) | places.astype(np.uint64)
        words.sort()
        return here((words & np.uint64(0xFFFFFFFF)).astype(np.int32))

    sides["NumPy's stable argsort"] = by_argsort
    if bits == 32:
        sides["NumPy's sort of keys packed with places"] = packed

    try:
        from pyopencl.algorithm import RadixSort
    except ImportError:  # Mako is missing
        at_a_time_by_pyopencl: tuple[int, ...] = ()
    else:
        at_a_time_by_pyopencl = BITS_AT_A_TIME
    known_bits = -(-int(keys.max(initial=0)).bit_length() // max(BITS_AT_A_TIME)) * max(BITS_AT_A_TIME)
    on_device, payload = cl_array.to_device(queue, keys), cl_array.to_device(queue, places)
    for at_a_time in at_a_time_by_pyopencl:
        radix = RadixSort(
            session.context,
            f"__global {c_type} *keys, __global int *places",
            "keys[i]",
            ["keys", "places"],
            bits_at_a_time=at_a_time,
            key_dtype=keys.dtype,
        )

        def resident(radix: Any = radix) -> Callable[[], Array]:
            (_, origins), _ = radix(on_device, payload, key_bits=known_bits, queue=queue)
            queue.finish()
            return lambda: origins.get(queue)

        def there_and_back(radix: Any = radix) -> Callable[[], Array]:
            given = cl_array.to_device(queue, keys), cl_array.to_device(queue, places)
            (_, origins), _ = radix(*given, key_bits=known_bits, queue=queue)
            return here(origins.get(queue))

        sides[f"pyopencl's RadixSort, {at_a_time} bits at a time, on the device"] = resident
        sides[f"pyopencl's RadixSort, {at_a_time} bits at a time, there and back"] = there_and_back

    def by_radix_sort() -> Callable[[], Array]:
        session.copy(ours, pairs, 2 * len(keys))
        found, _ = sort_pairs(session, ours, room, len(keys), known_bits)
        session.finish()
        return lambda: session.get(found, 2 * len(keys), np.int32)[1::2]

    if bits == 32:
        pairs = session.put_writable(np.stack([keys.view(np.int32), places], axis=1), "pairs")
        ours, room = (session.empty(len(keys), np.uint64, what) for what in ("pairs", "room"))
        sides["our radix sort of keys and places side by side, on the device"] = by_radix_sort

    try:
        import cupy
    except ImportError:
        return sides
    given = cupy.asarray(keys)

    def by_cub() -> Callable[[], Array]:
        order = cupy.argsort(given, kind="stable")
        cupy.cuda.Device().synchronize()
        return lambda: cupy.asnumpy(order).astype(np.int32)

    def by_cub_there_and_back() -> Callable[[], Array]:
        return here(cupy.asnumpy(cupy.argsort(cupy.asarray(keys), kind="stable")).astype(np.int32))

    sides["CuPy's argsort, on the device"] = by_cub
    sides["CuPy's argsort, there and back"] = by_cub_there_and_back
    if bits == 64:
        return sides
    words = cupy.asarray(keys.astype(np.uint64) << np.uint64(32) | places.astype(np.uint64))

    def by_cub_packed() -> Callable[[], Array]:
        in_order = cupy.sort(words)
        cupy.cuda.Device().synchronize()
        return lambda: cupy.asnumpy(in_order & 0xFFFFFFFF).astype(np.int32)

    return sides | {"CuPy's sort of keys packed with places, on the device": by_cub_packed}


def row_sums(session: Session, values: Array, begins: Array) -> dict[str, Side]:
    """Return what sums rows; the answer is the sum of each."""
    try:
        from pyopencl.scan import GenericScanKernel
    except ImportError:
        return {"NumPy's add.reduceat": lambda: here(np.add.reduceat(values, begins))}
    queue = session.queue
    flags = np.zeros(len(values), np.uint8)
    flags[begins] = 1
    ends = np.append(begins[1:], len(values)) - 1
    scan = GenericScanKernel(
        session.context,
        np.int64,
        arguments="__global const long *values, __global const uchar *flags, __global long *sums",
        input_expr="values[i]",
        scan_expr="across_seg_boundary ? b : a + b",
        neutral="0",
        is_segment_start_expr="flags[i]",
        output_statement="sums[i] = item;",
    )
    given = cl_array.to_device(queue, values), cl_array.to_device(queue, flags)
    sums = cl_array.empty(queue, len(values), np.int64)

    def scanned() -> Callable[[], Array]:
        scan(*given, sums, queue=queue)
        queue.finish()
        return lambda: sums.get(queue)[ends]

    return {
        "NumPy's add.reduceat": lambda: here(np.add.reduceat(values, begins)),
        "pyopencl's scan with segments, on the device": scanned,
    }


def in_forests(vertices: int, device: str, rounds: int) -> None:
    """Print how long rooting takes from edges, by stage: *trees* has the sorting."""
    rng = np.random.default_rng(1)
    name = rng.permutation(vertices).astype(np.int32)
    below = np.arange(1, vertices)
    above = (rng.random(vertices - 1) * below).astype(np.int64)
    edges = name[below], name[above]
    keys = np.concatenate(
        [edges[0].astype(np.int64) << 32 | edges[1], edges[1].astype(np.int64) << 32 | edges[0]]
    )
    pj.rooted_forest([(0, 1)], device=device)  # builds kernels
    spent: dict[str, list[float]] = defaultdict(list)
    for _ in range(rounds):
        began = perf_counter()
        found = pj.rooted_forest(edges, device=device)
        spent["rooted_forest from edges"].append(perf_counter() - began)
        for stage, seconds in found.stats["seconds"].items():
            spent[f"  of that, {stage}"].append(seconds)
        copied = keys.copy()
        began = perf_counter()
        copied.sort()
        spent["sorting the keys of both directions, NumPy"].append(perf_counter() - began)
        began = perf_counter()
        pj.Graph.from_edges(*edges).in_rows()
        spent["rows of any graph, with duplicates"].append(perf_counter() - began)
    for what, seconds in spent.items():
        print(f"    {what}: {median(seconds):.3f} ({min(seconds):.3f} to {max(seconds):.3f})", flush=True)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--sizes", default="1000000,10000000", help="with commas between")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--forest", type=int, default=10**7, help="vertices; 0: leave this out")
    given = parser.parse_args()
    session = session_for(given.device)
    print(session.device)
    for n in map(int, given.sizes.split(",")):
        rng = np.random.default_rng(1)
        for bits in (32, 64):
            # Each key comes twice or so, so that a sort that is not stable is found out.
            keys = rng.integers(0, n // 2, n) if bits == 32 else rng.integers(0, n // 2, n) << 35
            keys = keys.astype(f"u{bits // 8}")
            print(f"{n:,} keys of {bits} bits", flush=True)
            compared(sorts(session, keys, bits), np.argsort(keys, kind="stable"), given.rounds)
        begins = np.flatnonzero(np.append(True, rng.random(n - 1) < 1 / 8))
        values = rng.integers(-100, 100, n)
        print(f"sums over {len(begins):,} rows of {n:,} elements", flush=True)
        compared(row_sums(session, values, begins), np.add.reduceat(values, begins), given.rounds)
    if given.forest:
        print(f"a random recursive tree of {given.forest:,} vertices", flush=True)
        in_forests(given.forest, given.device, given.rounds)


if __name__ == "__main__":
    main()
