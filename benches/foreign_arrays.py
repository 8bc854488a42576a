"""The time that copies of other libraries' arrays take, as `stats` has it.

    python benches/foreign_arrays.py [--device D] [--powers 20,24,27] [--rounds 5]

Prints a row for each library that is installed and each size: `transfer` of `components((us, vs))` for two
int32 arrays, the same for arrays of NumPy, and gibibytes per second of the difference. All are medians.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from statistics import median
from typing import Any

import click
import numpy as np

import pointerjump as pj

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # or JAX takes most of a GPU's memory
VERTICES = 1 << 20  # fewer than edges, so that most of the time goes into these


def libraries() -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Yield the name of each library here, with the place of its arrays, and what makes an array of it."""
    for name in ("cupy", "torch", "jax.numpy"):
        try:
            library = import_module(name)
            place = "cuda" if name == "torch" and library.cuda.is_available() else None
            of = partial(library.asarray, device=place) if place else library.asarray
            made = of(np.zeros(1))
        except Exception as error:  # it is not installed, or finds no driver
            print(f"{name}: {error}", file=sys.stderr)
        else:
            yield f"{name.partition('.')[0]} on {made.device}", of


def transfer(ends: tuple[Any, Any], device: str | None, rounds: int) -> float:
    runs = [pj.components(ends, device=device, vertices=VERTICES) for _ in range(rounds)]
    return median(run.stats["seconds"]["transfer"] for run in runs)


@click.command()
@click.option("--device", metavar="NAME")
@click.option("--powers", default="20,24,27", show_default=True, help="Powers of two: the lengths of arrays.")
@click.option("--rounds", default=5, show_default=True)
def main(device: str | None, powers: str, rounds: int) -> None:
    print("| arrays | edges | MiB | transfer, s | with NumPy, s | copies, GiB/s |")
    print("| --- | --: | --: | --: | --: | --: |")
    for power in map(int, powers.split(",")):
        ends = tuple(np.random.default_rng(1).integers(0, VERTICES, (2, 1 << power), dtype=np.int32))
        nbytes = sum(each.nbytes for each in ends)
        own = transfer(ends, device, rounds)
        print(f"| numpy | 2^{power} | {nbytes >> 20} | {own:.5f} | | |")
        for name, of in libraries():
            spent = transfer(tuple(map(of, ends)), device, rounds)
            speed = f"{nbytes / 2**30 / (spent - own):.1f}" if spent - own > 1e-3 else "-"
            print(f"| {name} | 2^{power} | {nbytes >> 20} | {spent:.5f} | {own:.5f} | {speed} |")


if __name__ == "__main__":
    main()
