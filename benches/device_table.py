"""Time some algorithms for components on a device, on the graphs of a table, and print the table.

    python benches/device_table.py --cache FOLDER [--device gpu] [--graphs g22,u23] [--json FILE]

Graphs are generated in parallel and kept in FOLDER. For each graph and algorithm the table shows the wall
time of one run on a graph that is on the device, including launches (the median of 15), and the sum of the
kernels' own times according to profiling events. Labels are verified before anything is timed.
``pointerjump bench --kernels`` does the same for any graphs.
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.table import Table
from table_graphs import GRAPHS, keep

from pointerjump.accel.plan import Plan
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.bench.own_device import measure_device
from pointerjump.bench.timing import Effort

RUNS = ("auto", "afforest", "ecl-cc", "ecl-cc:reads=atomic", "eclaf", "shiloach-vishkin")
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


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--device")
    parser.add_argument("--graphs", default=",".join(GRAPHS))
    parser.add_argument("--runs", nargs="+", default=RUNS, metavar="NAME[:AXIS=VALUE,...]")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    names = arguments.graphs.split(",")
    keep(names, arguments.cache)
    effort = Effort(REPEATS, seconds=0.0, patience=float("inf"))
    inputs = {name: str(arguments.cache / f"{name}.egr") for name in names}
    session = session_for(arguments.device)
    found = measure_device(session, inputs, arguments.runs, effort=effort, kernels=True, begin=print)
    table = Table(title=f"ms on {session.device}: wall (kernels)")
    for heading in ("graph", "vertices", "directed edges", *arguments.runs):
        table.add_column(heading, justify="right")
    for graph in found["inputs"]:
        cells = []
        for run in arguments.runs:
            asked = (graph["name"], run)
            own = [each for each in found["times"] if (each["input"], each["algorithm"]) == asked]
            ms = {kind: [1e3 * t["median"] for t in own if t["kind"] == kind] for kind in ("run", "kernel")}
            cells.append(f"{ms['run'][0]:.3f} ({sum(ms['kernel']):.3f})" if ms["run"] else "refused")
        table.add_row(graph["name"], f"{graph['vertices']:,}", f"{graph['directed_edges']:,}", *cells)
    Console(width=160).print(table, *found["left_out"], sep="\n")
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
