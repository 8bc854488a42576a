"""How fast a file that is larger than memory is labelled: ``python benches/stream_file.py --pairs 500M``.

It makes a file of random pairs of ids, block by block, and then measures in one run

- reading the file alone, by ``cat``;
- linking as many pairs that are all in memory already (pairs that come again are linked twice as fast);
- ``pointerjump cc FILE --memory``, and how much memory it had at its peak;
- the same with checkpoints, killed by SIGKILL at random moments and started again: labels must be identical.

Both bounds are rates that no program could exceed here, so the slower one is what streaming is compared with.
"""

from __future__ import annotations

import argparse
import filecmp
import json
import random
import re
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import perf_counter, sleep

import numpy as np
import numpy.typing as npt
from contest import resident

import pointerjump as pj
from pointerjump.base.memory import as_bytes, in_words

PAIRS_AT_ONCE = 1 << 20
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


@dataclass(frozen=True)
class Subject:
    """Random pairs of ids below a number of vertices, and the folder for their file."""

    pairs: int
    vertices: int
    folder: Path
    device: list[str]

    @property
    def file(self) -> Path:
        """The file with the pairs."""
        return self.folder / "pairs.npy"

    def block(self, rng: np.random.Generator, pairs: int = PAIRS_AT_ONCE) -> npt.NDArray[np.int32]:
        """Return some random pairs."""
        return rng.integers(0, self.vertices, (pairs, 2), np.int32)

    def write(self) -> None:
        """Write the file, a block at a time."""
        rng = np.random.default_rng(1)
        with self.file.open("wb") as file:
            np.lib.format.write_array_header_1_0(
                file, {"descr": "<i4", "fortran_order": False, "shape": (self.pairs, 2)}
            )
            for begin in range(0, self.pairs, PAIRS_AT_ONCE):
                file.write(self.block(rng, min(PAIRS_AT_ONCE, self.pairs - begin)).tobytes())

    def blocks_in_memory(self) -> list[npt.NDArray[np.int32]]:
        """Return as many pairs as the file has."""
        rng = np.random.default_rng(2)
        return [
            self.block(rng, min(PAIRS_AT_ONCE, self.pairs - begin))
            for begin in range(0, self.pairs, PAIRS_AT_ONCE)
        ]

    def command(self, output: str, memory: str, *more: str) -> list[str]:
        """Return the command that labels the file."""
        start = [sys.executable, "-m", "pointerjump", "cc", str(self.file), "--memory", memory, "--json"]
        return [*start, "-o", str(self.folder / output), *self.device, *more]


def main() -> None:
    """Measure, and print a line for each measurement."""
    options = parse()
    with TemporaryDirectory(dir=options.folder) as folder:
        device = ["--device", options.device] if options.device else []
        subject = Subject(options.pairs, options.vertices, Path(folder), device)
        subject.write()
        size = subject.file.stat().st_size
        print(f"{subject.pairs:,} random pairs among {subject.vertices:,} vertices, {in_words(size)}")
        read = seconds_of_cat(subject.file)
        linked = seconds_of_linking(subject, options.device)
        streamed, peak = streaming(subject, options.memory)
        for what, seconds in (("cat", read), ("linking from memory", linked), ("cc", streamed)):
            rates = f"{subject.pairs / seconds / 1e6:8.1f} M pairs/s {size / seconds / 1e9:6.2f} GB/s"
            print(f"{what:20} {seconds:8.2f} s {rates}")
        print(f"cc has {max(read, linked) / streamed:.0%} of the slower rate of the two")
        allowed = as_bytes(options.memory, "--memory", pj.FormatError)
        print(f"cc had {in_words(peak)} resident at its peak; {in_words(allowed)} are allowed")
        if peak > allowed:
            sys.exit("cc took more memory than it was allowed")
        killed_and_resumed(subject, options.memory, streamed, options.kills)


def parse() -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=number, default=number("500M"))
    parser.add_argument("--vertices", type=number, default=1 << 27)
    parser.add_argument("--memory", default="2GiB")
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--device")
    parser.add_argument(
        "--folder", type=Path, help="where to make the file (default: as for temporary files)"
    )
    return parser.parse_args()


def number(text: str) -> int:
    """Return a number such as 20M or 2^27."""
    power = re.fullmatch(r"2\^([0-9]+)", text)
    if power:
        return int(2 ** int(power[1]))
    found = re.fullmatch(r"([0-9.]+)([kmg]?)", text.lower())
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number such as 20M or 2^27")
    return int(float(found[1]) * UNITS[found[2]])


def seconds_of_cat(file: Path) -> float:
    """Return how long reading a file alone takes."""
    started = perf_counter()
    with file.open("rb") as read:
        subprocess.run(["cat"], stdin=read, stdout=subprocess.DEVNULL, check=True)
    return perf_counter() - started


def seconds_of_linking(subject: Subject, device: str | None) -> float:
    """Return how long linking takes without reading, up to the labels."""
    blocks = subject.blocks_in_memory()
    pj.DisjointSet(device=device).merge(blocks[0])  # builds the kernels
    started = perf_counter()
    forest = pj.DisjointSet(device=device)
    forest.merge(iter(blocks))
    forest._take()
    return perf_counter() - started


def streaming(subject: Subject, memory: str) -> tuple[float, int]:
    """Return how long the command took, and its peak of resident memory in bytes."""
    started = perf_counter()
    with subprocess.Popen(subject.command("labels.npy", memory), stdout=subprocess.PIPE, text=True) as child:
        watch = Peak(child.pid)
        document = json.loads(child.communicate()[0])
        peak = watch.bytes()
    print(f"{document['components']:,} components; seconds: {document['seconds']}")
    return perf_counter() - started, peak


class Peak:
    """The most memory that a child process has had; after its end, nobody knows."""

    def __init__(self, process: int) -> None:
        self._process = Path(f"/proc/{process}")
        self._bytes = 0
        self._over = Event()
        self._thread = Thread(target=self._look)
        self._thread.start()

    def _look(self) -> None:
        while not self._over.wait(0.02):
            with suppress(OSError, ValueError, IndexError):  # it ends just now
                self._bytes = max(self._bytes, resident(self._process))

    def bytes(self) -> int:
        """Stop looking, and return the peak."""
        self._over.set()
        self._thread.join()
        return self._bytes


def killed_and_resumed(subject: Subject, memory: str, seconds: float, kills: int) -> None:
    """Kill the command at random moments and start it again; the labels have to be the same.

    The moments are counted from the first checkpoint on, and so early that the last run has much left to do.
    """
    checkpoint = subject.folder / "checkpoint.npz"
    every = seconds / 10
    more = ("--checkpoint", str(checkpoint), "--checkpoint-every", str(every))
    command = subject.command("resumed.npy", memory, *more)
    moments = random.Random(1)
    for _ in range(kills):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as child:
            while child.poll() is None and not checkpoint.exists():
                sleep(0.01)
            try:
                child.wait(moments.uniform(0.5, 1) * seconds / (kills + 1))
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGKILL)
        there = f"a checkpoint of {in_words(checkpoint.stat().st_size)}" if checkpoint.exists() else "nothing"
        print(f"ended with {child.returncode}, and left {there}")
    started = perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as child:
        watch = Peak(child.pid)
        child.wait()
        peak = watch.bytes()
    taken = perf_counter() - started
    same = filecmp.cmp(subject.folder / "labels.npy", subject.folder / "resumed.npy", shallow=False)
    print(f"resumed and finished in {taken:.2f} s, with {in_words(peak)} at the peak; ", end="")
    print(f"labels {'identical' if same else 'DIFFER'}")
    if child.returncode or not same or checkpoint.exists():
        sys.exit("resuming went wrong")


if __name__ == "__main__":
    main()
