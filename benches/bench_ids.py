"""How fast ids become numbers: ``python benches/bench_ids.py --rows 10000000 --distinct 4000000 --rounds 5``.

Everything takes the same Arrow column, or what is made of it beforehand without being timed, and returns a
number for each row. All take turns in one process, so that whatever else the machine does slows down all of
them. Before anything is timed, the numbers are checked: they must be equal where pyarrow's are, and nowhere
else.

Printed are the median time, the spread, and how much more memory the process had at the peak of the first run
than before it. Memory that a library had kept from earlier work is not seen.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from contest import OURS, Line, Run, Sheet, contest, with_peak

import pointerjump as pj
from pointerjump.base.memory import in_words
from pointerjump.bench.timing import Effort

Column = pa.Array | pa.ChunkedArray
Numbers = Any
"""A number for each row, as an array of any library."""

WARM = 1000
"""How many ids everything numbers once before it is measured."""


# -- ids -------------------------------------------------------------------------------------------


def strings(numbers: np.ndarray) -> Column:
    """Return ids such as ``cust_00012345``."""
    digits = numbers[:, None] // 10 ** np.arange(7, -1, -1) % 10 + ord("0")
    text = np.empty((len(numbers), 13), np.uint8)
    text[:, :5] = np.frombuffer(b"cust_", np.uint8)
    text[:, 5:] = digits
    offsets = np.arange(0, 13 * len(numbers) + 1, 13, np.int64)
    return pa.Array.from_buffers(
        pa.large_string(), len(numbers), [None, pa.py_buffer(offsets), pa.py_buffer(text)]
    )


def hashes(numbers: np.ndarray) -> Column:
    """Return ids of 64 bits without any order."""
    return pa.array((numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)).view(np.int64))


IDS: dict[str, Callable[[np.ndarray], Column]] = {"strings": strings, "hashes": hashes}


# -- who takes part --------------------------------------------------------------------------------


def by_pointerjump(column: Column, device: str | None) -> Callable[[], Numbers]:
    """Return what numbers a column on a device."""
    return lambda: pj.number_ids(column, algorithm="interning", device=device)[0]


def by_pyarrow(column: Column) -> Callable[[], Numbers]:
    """Return what numbers a column by pyarrow, in one thread."""
    return lambda: column.dictionary_encode().indices


def by_pandas(column: Column) -> Callable[[], Numbers]:
    """Return what numbers a column by pandas, which prefers NumPy's integers and Arrow's strings."""
    import pandas as pd

    if pa.types.is_integer(column.type):
        values: Any = column.to_numpy()
    else:
        values = pd.array(column, dtype=pd.ArrowDtype(column.type))
    return lambda: pd.factorize(values)[0]


def by_polars_rank(column: Column) -> Callable[[], Numbers]:
    """Return what numbers a column by Polars' dense rank, which sorts."""
    import polars as pl

    series = pl.Series(pl.from_arrow(column))
    return lambda: series.rank("dense")


def by_polars_join(column: Column) -> Callable[[], Numbers]:
    """Return what numbers a column by Polars' unique and a join."""
    import polars as pl

    frame = pl.DataFrame({"id": pl.from_arrow(column)})

    def run() -> Numbers:
        distinct = frame.unique().with_row_index("number")
        return frame.join(distinct, on="id", how="left", maintain_order="left")["number"]

    return run


def by_duckdb(column: Column) -> Callable[[], Numbers]:
    """Return what numbers a column by DuckDB's dense rank."""
    import duckdb

    connection = duckdb.connect()
    rows = pa.table({"id": column, "row": np.arange(len(column))})
    connection.register("rows", rows)
    query = """
        WITH distinct_ids AS (SELECT id, row_number() OVER () AS number FROM (SELECT DISTINCT id FROM rows))
        SELECT number FROM rows JOIN distinct_ids USING (id) ORDER BY row"""
    return lambda: connection.execute(query).fetchnumpy()["number"]


OTHERS: dict[str, Callable[[Column], Callable[[], Numbers]]] = {
    "pyarrow dictionary_encode": by_pyarrow,
    "pandas.factorize": by_pandas,
    "Polars rank": by_polars_rank,
    "Polars unique, join": by_polars_join,
    "DuckDB": by_duckdb,
}


# -- measuring -------------------------------------------------------------------------------------


def check(name: str, numbers: Numbers, expected: np.ndarray) -> None:
    """Require that numbers are equal where the expected ones are, and nowhere else."""
    found = np.asarray(numbers)
    first = np.zeros(int(expected.max(initial=-1)) + 1, np.int64)
    first[expected] = found
    assert np.array_equal(first[expected], found), f"{name} gives equal ids different numbers"
    assert len(np.unique(first)) == len(first), f"{name} gives different ids the same number"


def measured(kind: str, column: Column, device: str | None, effort: Effort) -> Line:
    """Check all, note how much memory each takes, then time all in turns."""
    prepare = {OURS: partial(by_pointerjump, device=device), **OTHERS}
    expected = np.asarray(column.dictionary_encode().indices)

    def made(name: str) -> Run:
        prepare[name](column[:WARM])()  # programs are built, and libraries loaded
        run = prepare[name](column)
        peak = with_peak(run)[1]
        print(f"{kind}: {name} has taken {'?' if peak is None else in_words(peak)}")
        return run

    makers = {name: partial(made, name) for name in prepare}
    return contest(kind, makers, partial(check, expected=expected), effort)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Measure how fast ids become numbers.")
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--distinct", type=int, default=120_000, help="how many ids there are to choose from")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kinds", nargs="+", choices=IDS, default=list(IDS))
    parser.add_argument("--device", help="as `pointerjump devices` names it")
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    arguments = parser.parse_args()
    chosen = np.random.default_rng(1).integers(0, arguments.distinct, arguments.rows)
    effort = Effort(arguments.rounds, seconds=0.0, patience=0.0)
    sheet = Sheet(f"{arguments.rows:,} ids of {arguments.distinct:,}", {"the fastest": list(OTHERS)}, "s")
    for kind in arguments.kinds:
        sheet.add(measured(kind, IDS[kind](chosen), arguments.device, effort))
    sheet.print()
    if arguments.json:
        arguments.json.write_text(json.dumps([line.as_dict() for line in sheet.lines], indent=1))


if __name__ == "__main__":
    main()
