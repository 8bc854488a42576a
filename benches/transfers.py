"""How fast do host arrays reach a device, and answers come back? Compares with copies of pinned memory.

    python benches/transfers.py [--device gpu] [--mib 256,1024] [--list-scale 26] [--rounds 7] [--json FILE]

The first lines are what the bus can do: copies of one large pinned buffer, both ways. The next are what
drivers make of an ordinary array. Then come the ring's own: arrays as `Session.put` sends them and
`Session.get` brings them back, and chunks that `Ring.feed` sends, for several sizes of slots and numbers
of threads, from which the constants of ring.py were chosen. The last are whole calls of `list_rank`.

Rates count the bytes that cross the bus; those of `list_rank` count the array that was given and the ranks.
`us` is the time that the caller's own thread computes for each chunk, in microseconds.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import json
import statistics
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any

import numpy as np
import pyopencl as cl

import pointerjump as pj
from pointerjump.accel.runtime.devices import choose
from pointerjump.accel.runtime.ring import PINNED, Ring
from pointerjump.accel.runtime.session import Session
from pointerjump.lists import HostLists, rank_lists
from pointerjump.run import order

MIB = 1 << 20
SLOTS = [(2048 // kib * 16, kib << 10) for kib in (512, 1024, 2048)]
SLOTS += [(16, 4 * MIB), (8, 8 * MIB), (4, 16 * MIB)]
"""Rings of 32 and 64 MiB: numbers of slots, and their sizes in bytes."""
THREADS = (4, 8, 12, 16)


class Lines:
    """Measured lines, printed as they come."""

    def __init__(self, session: Session, rounds: int) -> None:
        self.session, self.rounds = session, rounds
        self.pinned: dict[str, float] = {}
        self.lines: list[dict[str, Any]] = []

    def time(self, run: Callable[[], object]) -> tuple[float, float]:
        """Return the median seconds of a run, until the device is done, and of the caller's thread alone."""
        whole, own = [], []
        for _ in range(self.rounds + 2):
            gc.collect()
            self.session.finish()
            began, computed = perf_counter(), thread_time()
            run()
            own.append(thread_time() - computed)
            self.session.finish()
            whole.append(perf_counter() - began)
        return statistics.median(whole[2:]), statistics.median(own[2:])

    def add(
        self, name: str, way: str, size: int, run: Callable[[], object], chunks: int = 0, **facts: object
    ) -> float:
        """Time and print a line; return its rate in GB/s."""
        seconds, own = self.time(run)
        rate = size / seconds / 1e9
        share = rate / self.pinned[way] if way in self.pinned else 1.0
        each = 1e6 * own / chunks if chunks else None
        line = {"name": name, "ms": 1e3 * seconds, "gbps": rate, "of_pinned": share, "us": each, **facts}
        self.lines.append(line)
        rest = f"  {each:5.0f} us" if each is not None else ""
        print(f"{name:58} {1e3 * seconds:9.2f} ms {rate:6.1f} GB/s {share:5.0%}{rest}", flush=True)
        return rate


def pinned_array(session: Session, size: int) -> np.ndarray:
    """Return new pinned memory as an array of bytes."""
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR
    buffer = cl.Buffer(session.context, flags, size)
    access = cl.map_flags.READ | cl.map_flags.WRITE
    return cl.enqueue_map_buffer(session.queue, buffer, access, 0, (size,), np.uint8)[0]


def bus(lines: Lines, size: int) -> None:
    """Measure copies of pinned memory, and of an ordinary array, both ways."""
    session = lines.session
    buffer = session.empty(size, np.uint8, "a buffer")
    ordinary = np.ones(size, np.uint8)
    pinned = pinned_array(session, size)
    pinned[:] = 1
    for name, memory in (("pinned", pinned), ("ordinary", ordinary)):
        copied = (buffer, memory), (memory, buffer)
        to, back = (partial(cl.enqueue_copy, session.queue, *ends) for ends in copied)
        rates = {
            "to": lines.add(f"{name} memory to the device", "to", size, to),
            "from": lines.add(f"{name} memory from the device", "from", size, back),
        }
        lines.pinned = lines.pinned or {**rates, "both": statistics.harmonic_mean(rates.values())}


def arrays(lines: Lines, size: int) -> None:
    """Measure what every large array goes through: `copy_into` and `get`, with the ring as it is."""
    session, items = lines.session, size // 4
    buffer = session.empty(items, np.int32, "a buffer")
    words, wide = np.ones(items, np.int32), np.ones(items, np.int64)
    what = f"{size // MIB} MiB of int32"

    def narrowed() -> None:
        with session.running():
            session.ring.upload(buffer, wide, dtype=np.int32)

    lines.add(f"put: {what}, into a new buffer", "to", size, lambda: session.put(words, "an array"))
    lines.add(f"copy_into: {what}, into the same", "to", size, lambda: session.copy_into(buffer, words))
    lines.add(f"upload: {what} from int64", "to", size, narrowed)
    lines.add(f"get: {what}, a new array", "from", size, lambda: session.get(buffer, items))


def rings(lines: Lines, size: int, slots: int, slot_size: int, threads: int) -> None:
    """Measure one ring: feeding chunks, sending an array, and bringing one back."""
    session, items = lines.session, size // 4
    buffer = session.empty(items, np.int32, "a buffer")
    given = np.ones(items, np.int32)
    ring = Ring(session.context, session.queue, in_place=False, slots=slots, size=slot_size, threads=threads)
    chunk, chunks = slot_size // 4, size // slot_size

    def fills() -> Iterator[Callable[[np.ndarray], tuple[int, None]]]:
        for begin in range(0, items, chunk):
            part = given[begin : begin + chunk]

            def fill(memory: np.ndarray, part: np.ndarray = part) -> tuple[int, None]:
                np.copyto(memory[: part.nbytes].view(np.int32), part)
                return part.nbytes, None

            yield fill

    def fed() -> None:
        with session.running():
            ring.feed(fills(), lambda chunk, _: None)

    def sent() -> None:
        with session.running():
            ring.upload(buffer, given)

    def brought() -> None:
        with session.running():
            ring.download(np.empty(items, np.int32), buffer)

    of = f"{slots} x {slot_size / MIB:g} MiB, {threads} threads"
    facts = {"slots": slots, "slot": slot_size, "threads": threads}
    for name, way, run in (("feed", "to", fed), ("upload", "to", sent), ("download", "from", brought)):
        lines.add(f"{name}: {of}", way, size, run, chunks, **facts)


def lists(lines: Lines, scale: int) -> None:
    """Measure whole calls of `list_rank` on a random list, and print where the time goes."""
    session = lines.session
    words = pj.generate(f"list:length={1 << scale},seed=1")
    for given in (words, words.astype(np.int64)):
        pj.verify_ranks(given, pj.list_rank(given, device=session))
        spent: list[dict[str, float]] = []

        def rank(given: np.ndarray = given, spent: list[dict[str, float]] = spent) -> None:
            spent.append(
                rank_lists(order("list-ranking", "auto", session, {}), HostLists(given))[1]["seconds"]
            )

        size = given.nbytes + words.nbytes
        lines.add(f"list_rank: 2^{scale} of {given.dtype}", "both", size, rank)
        phases = {name: 1e3 * statistics.median(run[name] for run in spent) for name in spent[0]}
        print("    " + ", ".join(f"{name} {ms:.2f} ms" for name, ms in phases.items()))
        lines.lines[-1]["phases"] = phases


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device")
    parser.add_argument("--mib", default="256,1024", help="sizes of arrays")
    parser.add_argument("--list-scale", type=int, default=26)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="bus,arrays,rings,lists")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    only = arguments.only.split(",")
    # A device that shares the host's memory is treated as if it did not, so that the script runs anywhere.
    session = Session(dataclasses.replace(choose(arguments.device), host_memory=False))
    sizes = [int(mib) * MIB for mib in arguments.mib.split(",")]
    lines = Lines(session, arguments.rounds)
    print(f"{session.device}; a ring has {PINNED[0]} slots of {PINNED[1] / MIB:g} MiB")
    bus(lines, sizes[0])
    if "arrays" in only:
        for size in sizes:
            arrays(lines, size)
    if "rings" in only:
        for slots, slot_size in SLOTS:
            for threads in THREADS:
                rings(lines, sizes[0], slots, slot_size, threads)
    if "lists" in only:
        lists(lines, arguments.list_scale)
    if arguments.json:
        arguments.json.write_text(json.dumps({"device": str(session.device), "lines": lines.lines}, indent=1))


if __name__ == "__main__":
    main()
