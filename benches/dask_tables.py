"""Components of a table in Parquet files: by Dask's workers, and by one process beside them.

    python benches/dask_tables.py FOLDER --workers 2 --memory 2GiB
    python benches/dask_tables.py FOLDER --docs 67108864 --pairs 400_000_000 --far 0.01 --persist

A pair joins two documents of a cluster of eight or so. The files are made first, if they are not there. Both
results must be the same table. It prints seconds, and what travelled.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

FILES = 64


def main() -> None:
    """Make the table, and time both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the files are, or are to be")
    parser.add_argument("--pairs", type=int, default=100_000_000)
    parser.add_argument("--docs", type=int, default=1 << 24, help="how many different ids there are, at most")
    parser.add_argument("--far", type=float, default=1.0, help="the share of pairs that may be in any file")
    parser.add_argument("--workers", type=int, nargs="+", default=[2])
    parser.add_argument("--memory", default="2GiB", help="what each worker has")
    parser.add_argument("--method", default="tree")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--persist", action="store_true", help="leave Dask's result in memory, not in files")
    given = parser.parse_args()
    files = given.folder / f"{given.pairs}-{given.docs}-{given.far}"
    if not files.exists():
        files.mkdir(parents=True)
        with ProcessPoolExecutor() as processes:
            list(processes.map(partial(_make, files, given.pairs, given.docs, given.far), range(FILES)))
    for _ in range(given.rounds):
        seconds, expected = _timed(partial(_here, files, given.folder / "here.parquet", given.persist))
        print(f"one process: {seconds:.1f} s, {len(expected):,} ids", flush=True)
        for workers in given.workers:
            _by_dask(files, workers, given, expected)


def _make(files: Path, pairs: int, docs: int, far: float, number: int) -> None:
    """Write a file: pairs of its own range of documents, but for those that may be of all."""
    rng = np.random.default_rng(number)
    rows = pairs // FILES
    one = rng.integers(number * docs // FILES, (number + 1) * docs // FILES, rows)
    one = np.where(rng.random(rows) < far, rng.integers(0, docs, rows), one)
    other = one // 8 * 8 + rng.integers(0, 8, rows)
    pq.write_table(pa.table({"left": _id(one), "right": _id(other)}), files / f"{number:02}.parquet")


def _id(number: Any) -> Any:
    """Return the ids of documents: 64 bits in no order."""
    mixed = number.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    return (mixed * np.uint64(0x94D049BB133111EB)).view(np.int64)


def _here(files: Path, result: Path, persist: bool) -> pa.Table:
    import pointerjump as pj

    found = pj.components(files, source="left", target="right").arrow()
    if not persist:
        pq.write_table(found, result)
    return found


def _by_dask(files: Path, workers: int, given: argparse.Namespace, expected: pa.Table) -> None:
    import dask.dataframe as dd
    from distributed import Client, LocalCluster, wait

    import pointerjump.dask

    limits = {"n_workers": workers, "threads_per_worker": 1, "memory_limit": given.memory}
    with LocalCluster(**limits, dashboard_address=":0") as cluster, Client(cluster) as client:

        def run() -> Any:
            ddf = dd.read_parquet(files)
            found = pointerjump.dask.components(ddf, "left", "right", method=given.method)
            if given.persist:
                found = found.persist()
                wait(found)
                return found
            result = given.folder / "dask.parquet"
            shutil.rmtree(result, ignore_errors=True)
            found.to_parquet(result, write_index=False)
            return result

        seconds, found = _timed(run)
        table = pa.Table.from_pandas(found.compute()) if given.persist else pq.read_table(found)
        same = table.select(expected.column_names).sort_by("id").equals(expected.sort_by("id"))
        print(f"{workers} workers: {seconds:.1f} s, {'the same table' if same else 'ANOTHER TABLE'}")
        print(f"    {client.get_events('pointerjump')[-1][1]}", flush=True)


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    begin = perf_counter()
    done = work()
    return perf_counter() - begin, done


if __name__ == "__main__":
    main()
