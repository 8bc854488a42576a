"""Run every kernel variant over a folder of graphs with known answers; print a table.

    python benches/every_variant.py FOLDER [--device NAME] [--json FILE] [--combinations] [--part I/K]

FOLDER holds graphs and an ``expected.csv`` with the columns file, vertices, undirected_edges, components
and largest_component. The first labels for each graph are verified, and every variant must give the same
ones. The variants are the defaults and every other value of each axis alone; with --combinations, all
combinations of values. A cell of the table shows the number of variants that ran and the median time, in
ms, of the default variant's kernels on a graph that is on the device, or "refused" if the algorithm does
not take the graph.
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
from pathlib import Path
from time import perf_counter

import numpy as np
from rich.console import Console
from rich.table import Table

import pointerjump as pj
from pointerjump.registry import ALGORITHMS, Algorithm, format_variant

WITH_KERNELS = [
    algorithm for algorithm in ALGORITHMS.values() if algorithm.problem == "components" and algorithm.kernels
]
REPEATS = 5


def check_counts(expected: dict[str, str], graph: pj.Graph, found: pj.Components) -> None:
    """Compare an answer with the known one, and verify its labels."""
    facts = {
        "vertices": graph.vertices,
        "undirected_edges": graph.edges,
        "components": found.count,
        "largest_component": int(found.sizes.max()),
    }
    for name, value in facts.items():
        if value != int(expected[name]):
            raise SystemExit(f"{expected['file']}: {name} is {value}, expected {expected[name]}")
    pj.verify(graph, found.labels)


def run_variants(
    d: pj.DeviceGraph, algorithm: Algorithm, labels: np.ndarray, all_of_them: bool
) -> tuple[int, float]:
    """Run the variants of one algorithm; return their number, and the default's median time in ms."""
    variants = list(
        algorithm.variants("kernels") if all_of_them else algorithm.variants_one_by_one("kernels")
    )
    for variant in variants:
        found = pj.components(d, algorithm=algorithm.name, **variant)
        if not np.array_equal(found.labels, labels):
            raise SystemExit(f"{d}: {algorithm.name} {format_variant(variant)} gives other labels")
    plan = d.plan(algorithm.name)
    times = []
    for _ in range(REPEATS):
        began = perf_counter()
        plan.run()
        d.session.finish()
        times.append(perf_counter() - began)
        if times[0] > 1:
            break
    return len(variants), statistics.median(times) * 1e3


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--device")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--combinations", action="store_true")
    parser.add_argument("--part", default="1/1", help="which graphs: the I-th of every K")
    arguments = parser.parse_args()
    results = []
    table = Table(title=f"variants that are right, and ms of the default ({arguments.device or 'default'})")
    for heading in (
        "graph",
        "vertices",
        "edges",
        "components",
        "largest",
        *(algorithm.name for algorithm in WITH_KERNELS),
    ):
        table.add_column(heading, justify="left" if heading == "graph" else "right")
    part, parts = map(int, arguments.part.split("/"))
    known = list(csv.DictReader((arguments.folder / "expected.csv").read_text().splitlines()))
    for expected in known[part - 1 :: parts]:
        graph = pj.read(arguments.folder / expected["file"])
        d = pj.to_device(graph, arguments.device)
        first = pj.components(d)
        check_counts(expected, graph, first)
        cells = []
        for algorithm in WITH_KERNELS:
            try:
                count, ms = run_variants(d, algorithm, first.labels, arguments.combinations)
            except pj.AlgorithmError as refusal:
                results.append(
                    {"graph": expected["file"], "algorithm": algorithm.name, "refused": str(refusal)}
                )
                cells.append("refused")
                continue
            results.append(
                {"graph": expected["file"], "algorithm": algorithm.name, "variants": count, "ms": ms}
            )
            cells.append(f"{count} {ms:.2f}")
        facts = (graph.vertices, graph.edges, first.count, int(first.sizes.max()))
        table.add_row(expected["file"], *(f"{fact:,}" for fact in facts), *cells)
        print(f"{expected['file']}: {' | '.join(cells)}", flush=True)
    Console(width=160).print(table)
    if arguments.json:
        arguments.json.write_text(
            json.dumps({"device": d.session.device.as_dict(), "results": results}, indent=1)
        )


if __name__ == "__main__":
    main()
