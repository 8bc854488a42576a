"""Time some algorithms for components on a device, on the graphs of a table, and print the table.

    python benches/device_table.py --cache FOLDER [--device gpu] [--graphs g22,u23] [--json FILE]

Graphs are generated in parallel and kept in FOLDER. For each graph and algorithm the table shows the wall
time of one run on a graph that is on the device, including launches (the median of 15 after 2), and the sum
of the kernels' own times according to profiling events. Labels are verified before anything is timed.
"""

from __future__ import annotations

import argparse
import json
import statistics
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from time import perf_counter

import numpy as np
from rich.console import Console
from rich.table import Table

import pointerjump as pj
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.bench.kernel_times import kernel_times

GRAPHS = {
    "g24": "kron:scale=24,degree=16,seed=1",
    "g22": "kron:scale=22,degree=16,seed=1",
    "u23": "urand:scale=23,degree=8,seed=1",
    "kron_g500-logn21": "kron_g500-logn21",
    "rmat22": "rmat22.sym",
    "r4-2e23": "r4-2e23.sym",
    "road24": "grid2d:rows=4096,columns=4096,keep=0.62,seed=1",
    "grid22": "grid2d:rows=2048,columns=2048",
    "delaunay_n20": "delaunay_n20",
    "2d-2e20": "2d-2e20.sym",
    "u18": "urand:scale=18,degree=8,seed=1",
}
RUNS: dict[str, tuple[str, dict[str, object]]] = {
    "auto": ("auto", {}),
    "afforest": ("afforest", {}),
    "ecl-cc": ("ecl-cc", {}),
    "ecl-cc race-free": ("ecl-cc", {"reads": "atomic"}),
    "eclaf": ("eclaf", {}),
    "shiloach-vishkin": ("shiloach-vishkin", {}),
}
REPEATS, WARM_UP = 15, 2


def make(name: str, folder: str) -> str:
    """Generate a graph once and keep its rows."""
    target = Path(folder) / f"{name}.npz"
    if not target.exists():
        graph = pj.generate(GRAPHS[name]).symmetrized()
        np.savez(target, offsets=graph.offsets, neighbors=graph.neighbors)
    return name


def load(name: str, folder: Path) -> pj.Graph:
    """Return a graph that was kept."""
    rows = np.load(folder / f"{name}.npz")
    graph = pj.Graph(rows["offsets"], rows["neighbors"])
    graph.__dict__["symmetric"] = True  # make() has symmetrized it
    return graph


def wall(d: pj.DeviceGraph, algorithm: str, variant: dict[str, object]) -> tuple[float, float]:
    """Return the median and minimum wall time of one run, in ms."""
    plan = d.plan(algorithm, **variant)
    times = []
    for _ in range(WARM_UP + REPEATS):
        began = perf_counter()
        plan.run()
        d.session.finish()
        times.append((perf_counter() - began) * 1e3)
    return statistics.median(times[WARM_UP:]), min(times[WARM_UP:])


def kernel_ms(d: pj.DeviceGraph, algorithm: str, variant: dict[str, object]) -> dict[str, float]:
    """Return each kernel's time in one run, in ms, according to profiling events."""
    return {name: timing.median * 1e3 for name, timing in kernel_times(d, algorithm, **variant).items()}


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--device")
    parser.add_argument("--graphs", default=",".join(GRAPHS))
    parser.add_argument("--runs", default=",".join(RUNS))
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    names, runs = arguments.graphs.split(","), arguments.runs.split(",")
    arguments.cache.mkdir(parents=True, exist_ok=True)
    began = perf_counter()
    with ProcessPoolExecutor() as pool:
        list(pool.map(make, names, [str(arguments.cache)] * len(names)))
    print(f"graphs made in {perf_counter() - began:.0f} s", flush=True)

    session = session_for(arguments.device)
    table = Table(title=f"ms on {session.device}: wall (kernels)")
    for heading in ("graph", "vertices", "directed edges", *runs):
        table.add_column(heading, justify="right")
    results = []
    for name in names:
        graph = load(name, arguments.cache)
        d = pj.to_device(graph, session)
        labels = None
        cells = []
        for run in runs:
            algorithm, variant = RUNS[run]
            found = pj.components(d, algorithm, **variant).labels
            if labels is None:
                pj.verify(graph, found)
                labels = found
            if not np.array_equal(found, labels):
                raise SystemExit(f"{name}: {run} gives other labels")
            median, least = wall(d, algorithm, variant)
            kernels = kernel_ms(d, algorithm, variant)
            cells.append(f"{median:.3f} ({sum(kernels.values()):.3f})")
            results.append({"graph": name, "run": run, "ms": median, "min": least, "kernels": kernels})
            shares = ", ".join(f"{k} {v:.3f}" for k, v in kernels.items())
            print(
                f"{name} {run}: {median:.3f} ms, kernels {sum(kernels.values()):.3f} = {shares}", flush=True
            )
        table.add_row(name, f"{graph.vertices:,}", f"{graph.directed_edges:,}", *cells)
    Console(width=160).print(table)
    if arguments.json:
        device = session.device.as_dict()
        arguments.json.write_text(json.dumps({"device": device, "results": results}, indent=1))


if __name__ == "__main__":
    main()
