"""Tools, and what pointerjump.dropins has in their place: ``python benches/bench_dropins.py --pairs 200000``.

Each tool and its drop-in get the same input, in turns, in one process. Answers are compared before any is
timed. For each, a line has the median time in seconds, and the most memory beyond what there was before.
Memory is measured by one more run in a process of its own, after a run on a small input, which loads
libraries and builds programs. A tool that is not installed is left out: ``pip install '.[dropins]'``.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
from contest import OURS, Line, Sheet, contest, with_peak

from pointerjump.base.memory import in_words
from pointerjump.bench.timing import Effort

BUCKETS = 14


@dataclass(frozen=True)
class Subject:
    """A tool and its drop-in on one input, and how their answers are made comparable."""

    theirs: Callable[[], Any]
    ours: Callable[[], Any]
    plain: Callable[[Any], Any]


def ends(pairs: int, seed: int = 1) -> tuple[list[str], list[str]]:
    """Return pairs of ids like cust_00012345, of which about 0.8 for each pair differ."""
    drawn = np.random.default_rng(seed).integers(0, pairs, (2, pairs))
    return tuple([f"cust_{i:08d}" for i in end.tolist()] for end in drawn)  # type: ignore[return-value]


def polars_grouper(pairs: int, folder: Path) -> Subject:
    """Return super_merger, of both."""
    import polars as pl
    import polars_grouper

    from pointerjump.dropins.polars_grouper import super_merger

    left, right = ends(pairs)
    df = pl.DataFrame({"from": left, "to": right})
    theirs = lambda: polars_grouper.super_merger(df, "from", "to")  # noqa: E731
    return Subject(theirs, lambda: super_merger(df, "from", "to"), lambda found: found["group"].to_list())


def splink(pairs: int, folder: Path) -> Subject:
    """Return Splink's clustering at a threshold, of both, from Arrow tables to an Arrow table."""
    from splink import DuckDBAPI
    from splink.clustering import cluster_pairwise_predictions_at_threshold as theirs

    from pointerjump.dropins.splink import cluster_pairwise_predictions_at_threshold as ours

    left, right = ends(pairs)
    scores = np.random.default_rng(2).random(pairs)
    edges = pa.table({"unique_id_l": left, "unique_id_r": right, "match_probability": scores})
    nodes = pa.table({"unique_id": [f"cust_{i:08d}" for i in range(pairs)]})
    arguments: dict[str, Any] = {"node_id_column_name": "unique_id", "threshold_match_probability": 0.5}
    return Subject(
        lambda: theirs(nodes, edges, DuckDBAPI(), **arguments).as_pyarrow_table(),
        lambda: ours(nodes, edges, **arguments),
        lambda found: found.sort_by("unique_id").to_pydict(),
    )


def datatrove(pairs: int, folder: Path) -> Subject:
    """Return stage 3, of both, on a file for each bucket. Most pairs are found again in another bucket."""
    from datatrove.pipeline.dedup.minhash import MinhashDedupCluster
    from loguru import logger

    from pointerjump.dropins.datatrove import cluster

    logger.remove()
    rng = np.random.default_rng(3)
    drawn = np.sort(rng.integers(0, 2 * pairs, (pairs // BUCKETS * 3, 2)), axis=1).astype("<u4")
    for bucket in range(BUCKETS):
        chosen = rng.choice(drawn, pairs // BUCKETS)
        records = np.column_stack([chosen[:, 0] % 8, chosen[:, 0] // 8, chosen[:, 1] % 8, chosen[:, 1] // 8])
        records[(records[:, :2] != records[:, 2:]).any(axis=1)].tofile(folder / f"{bucket:05d}_00.dups")

    def theirs() -> Path:
        with contextlib.redirect_stderr(io.StringIO()):  # its progress bar
            MinhashDedupCluster(str(folder), str(folder / "theirs")).run()
        return folder / "theirs"

    def ours() -> Path:
        cluster(folder, folder / "ours")
        return folder / "ours"

    return Subject(theirs, ours, lambda out: {path.name: path.read_bytes() for path in out.iterdir()})


SUBJECTS = {"polars-grouper": polars_grouper, "splink": splink, "datatrove": datatrove}


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", nargs=2, metavar=("TOOL", "SIDE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        return print_peak(*options.one, options.pairs)
    effort = Effort(options.rounds, seconds=0.0, patience=0.0)
    sheet = Sheet(f"{options.pairs:,} pairs", {"the tool": ["the tool"]}, "s")
    for name, make in SUBJECTS.items():
        with TemporaryDirectory() as folder:
            try:
                subject = make(options.pairs, Path(folder))
            except ModuleNotFoundError as error:
                print(f"{name} is left out: {error}")
                continue
            sheet.add(measured(name, subject, options.pairs, effort))
    return sheet.print()


def measured(name: str, subject: Subject, pairs: int, effort: Effort) -> Line:
    """Compare the answers, time both in turns, and measure the memory of both."""
    expected = subject.plain(subject.theirs())

    def check(side: str, answer: Any) -> None:
        if subject.plain(answer) != expected:
            sys.exit(f"{name}: the answers differ")

    sides = {OURS: lambda: subject.ours, "the tool": lambda: subject.theirs}
    memory = {f"memory of {side}": peak(name, side, pairs) for side in ("ours", "theirs")}
    return contest(name, sides, check, effort, **memory)


def peak(name: str, side: str, pairs: int) -> str:
    """Return how much memory one run takes, in a process of its own."""
    command = [sys.executable, __file__, "--one", name, side, "--pairs", str(pairs)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def print_peak(name: str, side: str, pairs: int) -> None:
    """Make the input, run once, and print by how much the most memory in use has grown."""
    with TemporaryDirectory() as folder, TemporaryDirectory() as small:
        getattr(SUBJECTS[name](1000, Path(small)), side)()
        grown = with_peak(getattr(SUBJECTS[name](pairs, Path(folder)), side))[1]
        print("?" if grown is None else in_words(grown))


if __name__ == "__main__":
    main()
