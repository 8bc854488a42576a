"""How long a volume larger than memory takes: ``python benches/volume.py --size 2048 --memory 2GiB``.

It makes a cube of uint8 with blobs, plane by plane, and then measures, each in a process of its own,

- reading the file once, by ``cat``;
- ``label_chunks`` on a memory map of the file, with the peak of resident memory, mapped pages included;
- the same with chunks of another shape, which must give the same labels.

Labels would take 4 or 8 times as much room as the volume. By default they are not kept: what they are written
to sums them up, weighted by their place, and the time for that is told apart. With ``--out uint16``, or
another dtype that holds them, they are written to a file, and there is no second run.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from contest import resident
from stream_file import seconds_of_cat

import pointerjump as pj
from pointerjump.base.memory import as_bytes, in_words

BLOB = 16
"""Pixels from one random number to the next along each axis: between them the noise is interpolated."""

THRESHOLD = 0.6
"""Noise above it is foreground. It is high enough for blobs to be many and apart."""


class Noise:
    """A cube of smooth noise, thresholded: an image that is computed where it is read.

    Parameters
    ----------
    size : int
        The number of pixels along each axis.
    """

    dtype = np.dtype(np.uint8)

    def __init__(self, size: int) -> None:
        self.shape = (size,) * 3
        corners = -(-size // BLOB) + 1
        self._corners = np.random.default_rng(1).random((corners,) * 3, np.float32)
        self._weights = _interpolation(size, corners)

    def plane(self, z: int) -> npt.NDArray[np.uint8]:
        """Return a plane of the cube."""
        corners = np.tensordot(self._weights[z], self._corners, 1)
        return (self._weights @ corners @ self._weights.T > THRESHOLD).astype(np.uint8)

    def __getitem__(self, slices: tuple[slice, ...]) -> npt.NDArray[np.uint8]:
        return np.stack([self.plane(z)[slices[1:]] for z in range(slices[0].start, slices[0].stop)])

    def write(self, path: Path) -> None:
        """Write the cube to a ``.npy`` file, a plane at a time."""
        header = {"descr": "|u1", "fortran_order": False, "shape": self.shape}
        with path.open("wb") as file:
            np.lib.format.write_array_header_1_0(file, header)
            for z in range(self.shape[0]):
                file.write(self.plane(z).tobytes())


def _interpolation(size: int, corners: int) -> npt.NDArray[np.float32]:
    """Return a matrix that interpolates linearly between corners."""
    places = np.arange(size) / BLOB
    distances = np.abs(places[:, None] - np.arange(corners))
    return np.maximum(0, 1 - distances).astype(np.float32)


class Sums:
    """Takes labels, and keeps only sums of them that tell any two labellings apart.

    Attributes
    ----------
    total : int
        The sum of all labels, each times a random number for its plane, line and column, modulo 2**64.
    seconds : float
        How long that took.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        rng = np.random.default_rng(2)
        self._weights = [rng.integers(0, 2**64, size, np.uint64) for size in shape]
        self.total = 0
        self.seconds = 0.0

    def __setitem__(self, slices: tuple[slice, ...], labels: npt.NDArray[Any]) -> None:
        began = perf_counter()
        planes, lines, columns = (weights[each] for weights, each in zip(self._weights, slices, strict=True))
        for weight, plane in zip(planes, labels, strict=True):
            weighted = (plane.astype(np.uint64) * columns).sum(1) * lines
            self.total = (self.total + int(weight) * int(weighted.sum())) % 2**64
        self.seconds += perf_counter() - began


@dataclass(frozen=True)
class Run:
    """A run of ``label_chunks``.

    Attributes
    ----------
    volume : Path or int
        The file, or the size of a cube that is computed where it is read.
    chunk : tuple of int or None
    memory : str or None
    connectivity : int
    out : tuple of Path and str, or None
        The file that labels are written to, and their dtype.
    device : str or None
    """

    volume: Path | int
    chunk: tuple[int, ...] | None
    memory: str | None
    connectivity: int
    out: tuple[Path, str] | None
    device: str | None

    def report(self) -> Report:
        """Label the volume in another process, and return what that took."""
        with ProcessPoolExecutor(1, get_context("spawn")) as process:
            return process.submit(self._report).result()

    def _report(self) -> Report:
        volume = np.load(self.volume, mmap_mode="r") if isinstance(self.volume, Path) else Noise(self.volume)
        sums = Sums(volume.shape)
        out: Any = sums
        if self.out is not None:
            out = np.lib.format.open_memmap(self.out[0], "w+", self.out[1], volume.shape)
        pj.label(np.ones((2, 2, 2), np.uint8), self.connectivity, device=self.device)  # builds the kernels
        options = {"connectivity": self.connectivity, "memory": self.memory, "device": self.device}
        before, began = resident(Path("/proc/self")), perf_counter()
        _, count = pj.label_chunks(volume, self.chunk, out=out, return_num=True, **options)
        seconds = perf_counter() - began - sums.seconds
        return Report(seconds, sums.seconds, count, sums.total, before, resident(Path("/proc/self")))


class Report(NamedTuple):
    """What a run took: the seconds without those for sums, and the peaks of memory before and after it."""

    seconds: float
    seconds_to_sum: float
    components: int
    total: int
    peak_before: int
    peak: int


def main() -> None:
    """Measure, and print a line for each measurement."""
    options = parse()
    with TemporaryDirectory(dir=options.folder) as folder:
        file = options.file or Path(folder) / "volume.npy"
        if not file.exists():
            Noise(options.size).write(file)
        print(f"a cube of {options.size}^3 pixels, {in_words(file.stat().st_size)}")
        read = seconds_of_cat(file)
        print(f"cat reads it in {read:.1f} s")
        volume = options.size if options.computed else file
        out = None if options.out is None else (Path(folder) / "labels.npy", options.out)
        first = Run(volume, None, options.memory, options.connectivity, out, options.device)
        reports = [tell("slabs", first, read)]
        if options.out is None:
            boxes = (options.size // 8, options.size // 4, options.size // 2)
            reports.append(tell(f"chunks of {boxes}", replace(first, chunk=boxes, memory=None), read))
    allowed = as_bytes(options.resident, "--resident", pj.ImageError)
    if max(report.peak for report in reports) > allowed:
        sys.exit(f"more than {in_words(allowed)} were resident")
    if len({(report.components, report.total) for report in reports}) > 1:
        sys.exit("the labels are not the same")


def tell(what: str, run: Run, read: float) -> Report:
    """Run it, and print what it took."""
    report = run.report()
    print(
        f"{what}: {report.seconds:.1f} s, {report.seconds / read:.1f} times as long as cat; "
        f"{in_words(report.peak)} resident at the peak, {in_words(report.peak_before)} of them before; "
        f"{report.components:,} components, and {report.seconds_to_sum:.1f} s to sum labels up",
        flush=True,
    )
    return report


def parse() -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=int, default=2048)
    parser.add_argument("--memory", default="2GiB")
    parser.add_argument("--resident", default="3GiB", help="fail if more memory than this is resident")
    parser.add_argument("--connectivity", type=int, default=1)
    parser.add_argument("--out", help="a dtype: write labels of it to a file")
    parser.add_argument("--computed", action="store_true", help="compute the volume wherever it is read")
    parser.add_argument("--device")
    parser.add_argument("--folder", type=Path, help="where to make files (default: as for temporary files)")
    parser.add_argument("--file", type=Path, help="the volume: made if it is not there, and left there")
    return parser.parse_args()


if __name__ == "__main__":
    main()
