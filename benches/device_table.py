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
from pathlib import Path
from time import perf_counter

import numpy as np
from rich.console import Console
from rich.table import Table
from table_graphs import GRAPHS, keep, load

import pointerjump as pj
from pointerjump.accel.plan import Plan
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.bench.kernel_times import ProfilingSession, kernel_times

RUNS: dict[str, tuple[str, dict[str, object]]] = {
    "auto": ("auto", {}),
    "afforest": ("afforest", {}),
    "ecl-cc": ("ecl-cc", {}),
    "ecl-cc race-free": ("ecl-cc", {"reads": "atomic"}),
    "eclaf": ("eclaf", {}),
    "shiloach-vishkin": ("shiloach-vishkin", {}),
}
REPEATS, WARM_UP = 15, 2


def wall(session: Session, plan: Plan) -> tuple[float, float]:
    """Return the median and minimum wall time of one run, in ms."""
    times = []
    for _ in range(WARM_UP + REPEATS):
        began = perf_counter()
        plan.run()
        session.finish()
        times.append((perf_counter() - began) * 1e3)
    return statistics.median(times[WARM_UP:]), min(times[WARM_UP:])


def kernel_ms(d: pj.DeviceGraph, algorithm: str, variant: dict[str, object]) -> dict[str, float]:
    """Return each kernel's time in one run, in ms, according to profiling events."""
    session = ProfilingSession(d.session)
    plan = pj.DeviceGraph(d.host, session, rows=d.resident.rows).plan(algorithm, **variant)
    return {name: timing.median * 1e3 for name, timing in kernel_times(plan.run, session).items()}


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
    began = perf_counter()
    keep(names, arguments.cache)
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
            found = pj.components(d, algorithm=algorithm, **variant).labels
            if labels is None:
                pj.verify(graph, found)
                labels = found
            if not np.array_equal(found, labels):
                raise SystemExit(f"{name}: {run} gives other labels")
            median, least = wall(session, d.plan(algorithm, **variant))
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
