"""How fast do host arrays reach a device, and answers come back? Compares with copies of pinned memory.

    python benches/transfers.py [--device gpu] [--mib 256,1024] [--list-scale 26] [--rounds 7] [--json FILE]

The first lines are what the bus can do: copies of one large pinned buffer, both ways. The next are what
drivers make of an ordinary array. Then come the ring's own: arrays as `Session.put` sends them and
`Session.get` brings them back. The last are whole calls of `list_rank`.

Rates count the bytes that cross the bus; those of `list_rank` count the array that was given and the ranks.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import json
import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pyopencl as cl

import pointerjump as pj
from pointerjump.accel.runtime.devices import choose
from pointerjump.accel.runtime.ring import PINNED
from pointerjump.accel.runtime.session import Session
from pointerjump.solving.lists import HostLists, rank_lists
from pointerjump.solving.run import order

MIB = 1 << 20


class Lines:
    """Measured lines, printed as they come."""

    def __init__(self, session: Session, rounds: int) -> None:
        self.session, self.rounds = session, rounds
        self.pinned: dict[str, float] = {}
        self.lines: list[dict[str, Any]] = []

    def time(self, run: Callable[[], object]) -> float:
        """Return the median seconds of a run, until the device is done."""
        whole = []
        for _ in range(self.rounds + 2):
            gc.collect()
            self.session.finish()
            began = perf_counter()
            run()
            self.session.finish()
            whole.append(perf_counter() - began)
        return statistics.median(whole[2:])

    def add(self, name: str, way: str, size: int, run: Callable[[], object]) -> float:
        """Time and print a line; return its rate in GB/s."""
        seconds = self.time(run)
        rate = size / seconds / 1e9
        share = rate / self.pinned[way] if way in self.pinned else 1.0
        self.lines.append({"name": name, "ms": 1e3 * seconds, "gbps": rate, "of_pinned": share})
        print(f"{name:58} {1e3 * seconds:9.2f} ms {rate:6.1f} GB/s {share:5.0%}", flush=True)
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
    parser.add_argument("--only", default="bus,arrays,lists")
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
    if "lists" in only:
        lists(lines, arguments.list_scale)
    if arguments.json:
        arguments.json.write_text(json.dumps({"device": str(session.device), "lines": lines.lines}, indent=1))


if __name__ == "__main__":
    main()
