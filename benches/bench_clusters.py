"""From a Parquet table of pairs to one of clusters: ``python benches/bench_clusters.py --pairs 10M``.

Every tool reads the same file, and writes for each id its component, named by the smallest id, and the
component's size. Tools take turns, each run in a process of its own, which imports what it needs before the
clock starts. Before anything is timed, every tool's table for a small input is compared with ours.

Printed are the median and the range in seconds, and the process's memory at its peak. A tool that is not
installed is left out; one that takes longer than ``--longest`` gets no second turn.
"""

from __future__ import annotations

import argparse
import json
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
SMALL = 20_000
DISTINCT_PER_PAIR = 1.02
"""The size of the population that ids are drawn from, per pair: then 0.88 ids per pair differ."""


# -- inputs ----------------------------------------------------------------------------------------


def write_pairs(path: Path, pairs: int, kind: str) -> None:
    """Write random pairs with scores."""
    rng = np.random.default_rng(1)
    population = int(DISTINCT_PER_PAIR * pairs)
    ends = rng.integers(0, population, (2, pairs))
    if kind == "strings":
        columns = [_strings(each) for each in ends]
    else:
        ids = rng.integers(-(2**63), 2**63 - 1, population)
        columns = [pa.array(ids[each]) for each in ends]
    score = np.round(rng.random(pairs), 3)
    pq.write_table(pa.table({LEFT: columns[0], RIGHT: columns[1], "score": score}), path)


def _strings(numbers: np.ndarray) -> pa.Array:
    """Return ids such as ``cust_00012345``."""
    text = np.empty((len(numbers), 13), np.uint8)
    text[:, :5] = np.frombuffer(b"cust_", np.uint8)
    text[:, 5:] = numbers[:, None] // 10 ** np.arange(7, -1, -1) % 10 + ord("0")
    offsets = np.arange(0, 13 * len(numbers) + 1, 13, dtype=np.int32)
    return pa.StringArray.from_buffers(len(numbers), pa.py_buffer(offsets), pa.py_buffer(text))


# -- tools: each returns a function from one path to another ----------------------------------------


def ours(device: str | None) -> Callable[[str, str], None]:
    """Return pointerjump, as a user of Python calls it."""
    import pyarrow.dataset  # noqa: F401

    import pointerjump as pj
    from pointerjump.tables.write import write_table

    pj.components(([0], [1]), device=device)

    def run(source: str, target: str) -> None:
        found = pj.components(source, source=LEFT, target=RIGHT, device=device)
        parts = (pa.Table.from_batches([batch]) for batch in found.batches(1 << 20))
        write_table(target, found.schema, parts)

    return run


def _named(ids: np.ndarray, labels: np.ndarray) -> pa.Table:
    """Return the table of clusters, from each id's label."""
    order = np.argsort(ids, kind="stable")[::-1]
    smallest = np.empty(labels.max(initial=-1) + 1, np.int64)
    smallest[labels[order]] = order
    return pa.table({"id": ids, "component": ids[smallest[labels]], "size": np.bincount(labels)[labels]})


def _factorized(source: str) -> tuple[np.ndarray, np.ndarray, int]:
    import pandas as pd

    pairs = pq.read_table(source, columns=[LEFT, RIGHT]).to_pandas()
    codes, ids = pd.factorize(pd.concat([pairs[LEFT], pairs[RIGHT]], ignore_index=True))
    return codes, np.asarray(ids), len(pairs)


def pandas_and_scipy(device: str | None) -> Callable[[str, str], None]:
    """Return pandas.factorize and scipy's connected components."""
    import pandas as pd  # noqa: F401
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    def run(source: str, target: str) -> None:
        codes, ids, m = _factorized(source)
        edges = coo_array((np.ones(m, np.int8), (codes[:m], codes[m:])), (len(ids), len(ids)))
        labels = connected_components(edges.tocsr(), directed=False)[1]
        pq.write_table(_named(ids, labels), target)

    return run


def igraph(device: str | None) -> Callable[[str, str], None]:
    """Return pandas.factorize and igraph."""
    import igraph as ig
    import pandas as pd  # noqa: F401

    def run(source: str, target: str) -> None:
        codes, ids, m = _factorized(source)
        graph = ig.Graph(n=len(ids), edges=np.stack([codes[:m], codes[m:]], axis=1))
        labels = np.array(graph.connected_components().membership)
        pq.write_table(_named(ids, labels), target)

    return run


def polars_grouper(device: str | None) -> Callable[[str, str], None]:
    """Return polars-grouper's super_merger, and Polars for the rest."""
    import polars as pl
    from polars_grouper import super_merger

    def run(source: str, target: str) -> None:
        pairs = super_merger(pl.read_parquet(source, columns=[LEFT, RIGHT]), LEFT, RIGHT)
        ids = pl.concat([pairs.select(pl.col(end).alias("id"), "group") for end in (LEFT, RIGHT)]).unique(
            "id"
        )
        of_group = ids.group_by("group").agg(pl.col("id").min().alias("component"), pl.len().alias("size"))
        ids.join(of_group, on="group").select("id", "component", "size").write_parquet(target)

    return run


def duckdb(device: str | None) -> Callable[[str, str], None]:
    """Return a recursive query in DuckDB."""
    import duckdb

    def run(source: str, target: str) -> None:
        duckdb.sql(f"""
            copy (
                with recursive both_ways as (
                    select {LEFT} as u, {RIGHT} as v from '{source}'
                    union all select {RIGHT}, {LEFT} from '{source}'
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


def splink(device: str | None) -> Callable[[str, str], None]:
    """Return Splink's clustering on DuckDB."""
    import duckdb
    from splink import DuckDBAPI
    from splink.clustering import cluster_pairwise_predictions_at_threshold

    def run(source: str, target: str) -> None:
        con = duckdb.connect()
        con.sql(f"create table edges as select {LEFT} as id_l, {RIGHT} as id_r from '{source}'")
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


def networkx(device: str | None) -> Callable[[str, str], None]:
    """Return NetworkX, from a pandas frame."""
    import networkx as nx
    import pandas as pd

    def run(source: str, target: str) -> None:
        graph = nx.from_pandas_edgelist(pd.read_parquet(source, columns=[LEFT, RIGHT]), LEFT, RIGHT)
        rows: dict[str, list[Any]] = {"id": [], "component": [], "size": []}
        for members in nx.connected_components(graph):
            rows["id"] += members
            rows["component"] += [min(members)] * len(members)
            rows["size"] += [len(members)] * len(members)
        pq.write_table(pa.table(rows), target)

    return run


TOOLS: dict[str, Callable[[str | None], Callable[[str, str], None]]] = {
    "pointerjump": ours,
    "polars-grouper": polars_grouper,
    "pandas and scipy": pandas_and_scipy,
    "pandas and igraph": igraph,
    "Splink": splink,
    "DuckDB": duckdb,
    "NetworkX": networkx,
}


# -- turns -----------------------------------------------------------------------------------------


def work(tool: str, device: str | None, source: str, target: str) -> None:
    """Run a tool once, and print the seconds and the bytes at the peak as JSON."""
    run = TOOLS[tool](device)
    begin = perf_counter()
    run(source, target)
    seconds = perf_counter() - begin
    status = Path("/proc/self/status").read_text()
    peak = int(status.split("VmHWM:")[1].split()[0]) << 10
    print(json.dumps([seconds, peak]))


def turn(tool: str, device: str | None, source: Path, target: Path, longest: float) -> list[float] | None:
    """Let a tool have its turn in a process of its own; return None if it takes too long or fails."""
    command = [sys.executable, __file__, "--work", tool, "--source", str(source), "--target", str(target)]
    command += ["--device", device] if device else []
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=longest)
    except subprocess.TimeoutExpired:
        print(f"{tool}: not done after {longest:.0f} s", file=sys.stderr)
        return None
    if done.returncode:
        print(f"{tool}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    return list(json.loads(done.stdout.splitlines()[-1]))


def agree(tool: str, device: str | None, folder: Path, kind: str) -> bool:
    """Return whether a tool is there; raise an error if its clusters are not ours."""
    source = folder / f"small-{kind}.parquet"
    if not source.exists():
        write_pairs(source, SMALL, kind)
        turn("pointerjump", device, source, folder / f"ours-{kind}.parquet", 100)
    if turn(tool, device, source, folder / "theirs.parquet", 100) is None:
        return False
    rows = []
    for path in (folder / f"ours-{kind}.parquet", folder / "theirs.parquet"):
        table = pq.read_table(path).sort_by("id")
        rows.append([table[name].to_pylist() for name in ("id", "component", "size")])
    if rows[0] != rows[1]:
        raise AssertionError(f"{tool} finds other clusters")
    return True


def main() -> None:
    """Let all tools take turns, and print what they took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", default="1M", help="how many pairs, such as 10M")
    parser.add_argument(
        "--kinds", default="strings,hashes", help="strings, hashes (64-bit integers), or both"
    )
    parser.add_argument("--tools", default=",".join(TOOLS), help="which tools, with commas between")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--longest", type=float, default=300, help="seconds that a turn may take")
    parser.add_argument("--device", help="what pointerjump runs on")
    for internal in ("--work", "--source", "--target"):
        parser.add_argument(internal, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.work:
        work(asked.work, asked.device, asked.source, asked.target)
        return
    pairs = int(float(asked.pairs.rstrip("kM")) * {"k": 1e3, "M": 1e6}.get(asked.pairs[-1], 1))
    with TemporaryDirectory() as name:
        for kind in asked.kinds.split(","):
            compare(Path(name), kind, pairs, asked)


def compare(folder: Path, kind: str, pairs: int, asked: argparse.Namespace) -> None:
    """Print a line for each tool, on one kind of ids."""
    source = folder / f"{kind}.parquet"
    write_pairs(source, pairs, kind)
    tools = [tool for tool in asked.tools.split(",") if agree(tool, asked.device, folder, kind)]
    found: dict[str, list[list[float]]] = {tool: [] for tool in tools}
    for _ in range(asked.rounds):
        for tool in list(tools):
            taken = turn(tool, asked.device, source, folder / "out.parquet", asked.longest)
            if taken is None:
                tools.remove(tool)
            else:
                found[tool].append(taken)
    print(f"\n{pairs:,} pairs, {kind}")
    best = median(seconds for seconds, _ in found["pointerjump"]) if found.get("pointerjump") else None
    for tool, runs in found.items():
        if not runs:
            print(f"{tool:20} more than {asked.longest:.0f} s")
            continue
        seconds = sorted(each for each, _ in runs)
        ratio = f"  {median(seconds) / best:5.1f} times ours" if best else ""
        peak = max(each for _, each in runs) / 2**20
        spread = f"({seconds[0]:.2f} to {seconds[-1]:.2f})"
        print(f"{tool:20} {median(seconds):7.2f} s {spread}  {peak:7,.0f} MiB{ratio}")


if __name__ == "__main__":
    main()
