"""From a Parquet table of pairs to one of clusters, beside other tools.

    python benches/bench_clusters.py                                # all sizes and kinds of ids
    python benches/bench_clusters.py --pairs 500k,10M --kinds hashes --where without
    python benches/bench_clusters.py --pairs 1M --tools all

Every tool reads the same file, and writes for each id its component, named by the smallest id, and the
component's size. With a condition, only pairs with a score of at least 0.9 count, which are a tenth. Kinds of
ids are *ints* (from 0 on), *strings* (``cust_00012345``), *hashes* (random integers of 64 bits) and *hex*
(hashes of 64 hexadecimal digits).

Tools take turns, each in a process of its own, which imports what it needs before the clock starts (ours also
opens the device), and then does the same thing twice. Before anything is timed, every tool's table for a
smaller input is compared with ours.

Printed are the medians of the first calls and of the second ones, how many times as long as ours the others
take, and the process's memory at its peak; at the end, the least of these ratios. A tool that is not
installed is left out; one that fails or takes longer than ``--longest`` gets no second turn. polars-grouper
0.6.1 fails where there are some 66,000 to 107,000 ids ("Invalid conversion from usize").
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

LEFT, RIGHT = "source", "target"
SCORE, LEAST = "score", 0.9
SMALL = 100_000
OURS = "pointerjump"
COMPARED = ("polars-grouper", "pandas and scipy")
"""The tools that run unless others are asked for."""

DISTINCT_PER_PAIR = 1.02
"""The size of the population that ids are drawn from, per pair: then 0.88 ids per pair differ."""

Tool = Callable[[str, str, bool], None]


# -- inputs ----------------------------------------------------------------------------------------


def write_pairs(path: Path, pairs: int, kind: str) -> None:
    """Write random pairs with scores."""
    rng = np.random.default_rng(1)
    population = int(DISTINCT_PER_PAIR * pairs)
    ends = rng.integers(0, population, (2, pairs))
    ids = rng.integers(0, 2**64, (4, population), np.uint64) if kind == "hex" else None
    if kind == "hashes":
        ids = rng.integers(-(2**63), 2**63 - 1, population)
    columns = []
    for column in ends:
        parts = [_ids(kind, part, ids) for part in np.array_split(column, -(-pairs // 1_000_000))]
        columns.append(pa.chunked_array(parts))
    score = np.round(rng.random(pairs), 3)
    pq.write_table(pa.table({LEFT: columns[0], RIGHT: columns[1], SCORE: score}), path)


def _ids(kind: str, numbers: np.ndarray, ids: np.ndarray | None) -> pa.Array:
    """Return the ids that these numbers stand for."""
    if kind == "strings":
        return _text(b"cust_", numbers[:, None] // 10 ** np.arange(7, -1, -1) % 10)
    if kind == "hex":
        halves = ids.T[numbers].copy().view(np.uint8)
        return _text(b"", np.stack([halves >> 4, halves & 15], axis=2).reshape(len(numbers), 64))
    return pa.array(numbers if ids is None else ids[numbers])


def _text(prefix: bytes, digits: np.ndarray) -> pa.Array:
    """Return strings of a prefix and digits, given one string's digits in each row."""
    text = np.empty((len(digits), len(prefix) + digits.shape[1]), np.uint8)
    text[:, : len(prefix)] = np.frombuffer(prefix, np.uint8)
    text[:, len(prefix) :] = np.frombuffer(b"0123456789abcdef", np.uint8)[digits]
    offsets = np.arange(0, text.size + 1, text.shape[1], dtype=np.int32)
    return pa.StringArray.from_buffers(len(text), pa.py_buffer(offsets), pa.py_buffer(text))


# -- tools: each returns a function from one path to another, and whether the condition holds -------


def ours(device: str | None) -> Tool:
    """Return pointerjump, as a user of Python calls it."""
    import pyarrow.dataset  # noqa: F401

    import pointerjump as pj
    from pointerjump.tables.write import write_table

    pj.components(([0], [1]), device=device)

    def run(source: str, target: str, where: bool) -> None:
        condition = (SCORE, ">=", LEAST) if where else None
        found = pj.components(source, source=LEFT, target=RIGHT, where=condition, device=device)
        parts = (pa.Table.from_batches([batch]) for batch in found.batches(1 << 20))
        write_table(target, found.schema, parts)

    return run


def _named(ids: np.ndarray, labels: np.ndarray) -> pa.Table:
    """Return the table of clusters, from each id's label."""
    order = np.argsort(ids, kind="stable")[::-1]
    smallest = np.empty(labels.max(initial=-1) + 1, np.int64)
    smallest[labels[order]] = order
    return pa.table({"id": ids, "component": ids[smallest[labels]], "size": np.bincount(labels)[labels]})


def _factorized(source: str, where: bool) -> tuple[np.ndarray, np.ndarray, int]:
    import pandas as pd

    filters = [(SCORE, ">=", LEAST)] if where else None
    pairs = pq.read_table(source, columns=[LEFT, RIGHT], filters=filters).to_pandas()
    codes, ids = pd.factorize(pd.concat([pairs[LEFT], pairs[RIGHT]], ignore_index=True))
    return codes, np.asarray(ids), len(pairs)


def pandas_and_scipy(device: str | None) -> Tool:
    """Return pandas.factorize and scipy's connected components."""
    import pandas as pd  # noqa: F401
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    def run(source: str, target: str, where: bool) -> None:
        codes, ids, m = _factorized(source, where)
        edges = coo_array((np.ones(m, np.int8), (codes[:m], codes[m:])), (len(ids), len(ids)))
        labels = connected_components(edges.tocsr(), directed=False)[1]
        pq.write_table(_named(ids, labels), target)

    return run


def igraph(device: str | None) -> Tool:
    """Return pandas.factorize and igraph."""
    import igraph as ig
    import pandas as pd  # noqa: F401

    def run(source: str, target: str, where: bool) -> None:
        codes, ids, m = _factorized(source, where)
        graph = ig.Graph(n=len(ids), edges=np.stack([codes[:m], codes[m:]], axis=1))
        labels = np.array(graph.connected_components().membership)
        pq.write_table(_named(ids, labels), target)

    return run


def polars_grouper(device: str | None) -> Tool:
    """Return polars-grouper's super_merger, and Polars for the rest."""
    import polars as pl
    from polars_grouper import super_merger

    def run(source: str, target: str, where: bool) -> None:
        rows = pl.scan_parquet(source)
        rows = rows.filter(pl.col(SCORE) >= LEAST) if where else rows
        pairs = super_merger(rows.select(LEFT, RIGHT).collect(), LEFT, RIGHT)
        ids = pl.concat([pairs.select(pl.col(end).alias("id"), "group") for end in (LEFT, RIGHT)]).unique(
            "id"
        )
        of_group = ids.group_by("group").agg(pl.col("id").min().alias("component"), pl.len().alias("size"))
        ids.join(of_group, on="group").select("id", "component", "size").write_parquet(target)

    return run


def duckdb(device: str | None) -> Tool:
    """Return a recursive query in DuckDB."""
    import duckdb

    def run(source: str, target: str, where: bool) -> None:
        rows = f"'{source}' where {SCORE} >= {LEAST if where else 0}"
        duckdb.sql(f"""
            copy (
                with recursive both_ways as (
                    select {LEFT} as u, {RIGHT} as v from {rows}
                    union all select {RIGHT}, {LEFT} from {rows}
                ), reached(id, component) using key (id) as (
                    select u, min(least(u, v)) from both_ways group by u
                    union
                    select e.u, min(r.component)
                    from reached r join both_ways e on e.v = r.id
                    join recurring.reached k on k.id = e.u
                    group by e.u, k.component having min(r.component) < k.component
                )
                select id, component, count(*) over (partition by component) as size from reached
            ) to '{target}' (format parquet)""")

    return run


def splink(device: str | None) -> Tool:
    """Return Splink's clustering on DuckDB."""
    import duckdb
    from splink import DuckDBAPI
    from splink.clustering import cluster_pairwise_predictions_at_threshold

    def run(source: str, target: str, where: bool) -> None:
        con = duckdb.connect()
        rows = f"'{source}' where {SCORE} >= {LEAST if where else 0}"
        con.sql(f"create table edges as select {LEFT} as id_l, {RIGHT} as id_r from {rows}")
        con.sql("create table nodes as select id_l as id from edges union select id_r from edges")
        api = DuckDBAPI(con)
        names = {"node_id_column_name": "id", "edge_id_column_name_left": "id_l"}
        found = cluster_pairwise_predictions_at_threshold(
            con.table("nodes").to_arrow_table(),
            con.table("edges").to_arrow_table(),
            api,
            edge_id_column_name_right="id_r",
            **names,
        )
        con.sql(
            "copy (select id, cluster_id as component, count(*) over (partition by cluster_id) as size "
            f"from {found.physical_name}) to '{target}' (format parquet)"
        )

    return run


def networkx(device: str | None) -> Tool:
    """Return NetworkX, from a pandas frame."""
    import networkx as nx
    import pandas as pd

    def run(source: str, target: str, where: bool) -> None:
        filters = [(SCORE, ">=", LEAST)] if where else None
        pairs = pd.read_parquet(source, columns=[LEFT, RIGHT], filters=filters)
        graph = nx.from_pandas_edgelist(pairs, LEFT, RIGHT)
        rows: dict[str, list[Any]] = {"id": [], "component": [], "size": []}
        for members in nx.connected_components(graph):
            rows["id"] += members
            rows["component"] += [min(members)] * len(members)
            rows["size"] += [len(members)] * len(members)
        pq.write_table(pa.table(rows), target)

    return run


TOOLS: dict[str, Callable[[str | None], Tool]] = {
    OURS: ours,
    "polars-grouper": polars_grouper,
    "pandas and scipy": pandas_and_scipy,
    "pandas and igraph": igraph,
    "Splink": splink,
    "DuckDB": duckdb,
    "NetworkX": networkx,
}


# -- turns -----------------------------------------------------------------------------------------


def work(tool: str, device: str | None, source: str, target: str, where: bool) -> None:
    """Run a tool twice, and print the seconds of each call and the bytes at the peak as JSON."""
    run, seconds = TOOLS[tool](device), []
    for _ in range(2):
        begin = perf_counter()
        run(source, target, where)
        seconds.append(perf_counter() - begin)
    status = Path("/proc/self/status").read_text()
    print(json.dumps([*seconds, int(status.split("VmHWM:")[1].split()[0]) << 10]))


def turn(tool: str, source: Path, target: Path, where: bool, asked: argparse.Namespace) -> list[float] | None:
    """Let a tool have its turn in a process of its own; return None if it takes too long or fails."""
    command = [sys.executable, __file__, "--work", tool, "--source", str(source), "--target", str(target)]
    command += ["--device", asked.device] if asked.device else []
    command += ["--where", "with" if where else "without"]
    try:
        # Installed packages have their bytecode, so ours may keep it.
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        done = subprocess.run(command, capture_output=True, text=True, timeout=asked.longest, env=environment)
    except subprocess.TimeoutExpired:
        print(f"{tool}: not done after {asked.longest:.0f} s", file=sys.stderr)
        return None
    if done.returncode:
        print(f"{tool}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    return list(json.loads(done.stdout.splitlines()[-1]))


def tables(path: Path) -> pa.Table:
    """Return the table that a tool wrote, as all of them are compared."""
    table = pq.read_table(path)
    text = pa.types.is_large_string(table["id"].type) or pa.types.is_string(table["id"].type)
    of_ids = pa.large_string() if text else pa.int64()
    types = zip(("id", "component", "size"), (of_ids, of_ids, pa.int64()), strict=True)
    return pa.table({name: table[name].cast(type) for name, type in types}).sort_by("id").combine_chunks()


def that_agree(
    tools: list[str], folder: Path, kind: str, where: bool, asked: argparse.Namespace
) -> list[str]:
    """Return the tools that are there; raise an error if the clusters of one are not ours."""
    source, target = folder / f"small-{kind}.parquet", folder / "out.parquet"
    write_pairs(source, 10 * SMALL if where else SMALL, kind)
    turn(OURS, source, target, where, asked)
    found, there = tables(target), []
    for tool in tools:
        if turn(tool, source, target, where, asked) is None:
            continue
        if not tables(target).equals(found):
            raise AssertionError(f"{tool} finds other clusters")
        there.append(tool)
    return there


def main() -> None:
    """Let all tools take turns, and print what they took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", default="100k,500k,1M,5M,10M", help="how many pairs, such as 500k,10M")
    parser.add_argument("--kinds", default="ints,strings,hashes,hex", help="kinds of ids")
    parser.add_argument("--where", default="without,with", help="without the condition, with it, or both")
    parser.add_argument("--tools", default=",".join(COMPARED), help=f"or all, or some of {', '.join(TOOLS)}")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--longest", type=float, default=300, help="seconds that a turn may take")
    parser.add_argument("--device", help="what pointerjump runs on")
    for internal in ("--work", "--source", "--target"):
        parser.add_argument(internal, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.work:
        work(asked.work, asked.device, asked.source, asked.target, asked.where == "with")
        return
    tools = list(TOOLS) if asked.tools == "all" else asked.tools.split(",")
    tools = [OURS, *(tool for tool in tools if tool != OURS)]
    sizes = [
        int(float(each.rstrip("kM")) * {"k": 1e3, "M": 1e6}.get(each[-1], 1))
        for each in asked.pairs.split(",")
    ]
    least: dict[str, list[float]] = {}
    print(f"load {os.getloadavg()[0]:.1f}")
    for kind in asked.kinds.split(","):
        for condition in asked.where.split(","):
            with TemporaryDirectory() as name:
                folder, where = Path(name), condition == "with"
                there = that_agree(tools, folder, kind, where, asked)
                for pairs in sizes:
                    source = folder / "pairs.parquet"
                    write_pairs(source, pairs, kind)
                    print(f"\n{pairs:,} pairs, {kind}, {condition} the condition", flush=True)
                    for tool, ratios in compare(there, source, where, asked).items():
                        least[tool] = list(map(min, least.get(tool, ratios), ratios))
    print(f"\nleast times ours, first and second calls; load {os.getloadavg()[0]:.1f}")
    for tool, (first, second) in least.items():
        print(f"{tool:20} {first:5.2f} {second:5.2f}")


def compare(
    there: list[str], source: Path, where: bool, asked: argparse.Namespace
) -> dict[str, tuple[float, float]]:
    """Print a line for each tool; return how many times as long as ours each of the others took."""
    tools, found = list(there), {tool: [] for tool in there}
    for _ in range(asked.rounds):
        for tool in list(tools):
            taken = turn(tool, source, source.with_name("out.parquet"), where, asked)
            if taken is None:
                tools.remove(tool)
            else:
                found[tool].append(taken)
    ratios = {}
    for tool, runs in found.items():
        if not runs:
            print(f"{tool:20} failed, or took more than {asked.longest:.0f} s")
            continue
        cells = []
        for call in range(2):
            seconds, ours_took = sorted(run[call] for run in runs), median(run[call] for run in found[OURS])
            ratio = median(seconds) / ours_took
            cells.append(f"{median(seconds):7.3f} s ({seconds[0]:.3f} to {seconds[-1]:.3f}) {ratio:5.2f}")
            ratios.setdefault(tool, []).append(ratio)
        print(f"{tool:20} {'   '.join(cells)}   {max(run[2] for run in runs) / 2**20:7,.0f} MiB", flush=True)
    return {tool: tuple(each) for tool, each in ratios.items() if tool != OURS}


if __name__ == "__main__":
    main()
