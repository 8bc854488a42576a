"""Run every kernel variant on hostile random graphs, lists and images; stop at the first wrong answer.

    python benches/stress.py [--device NAME] [--seeds 200] [--first 1] [--only NAMES] [--stale] [--json FILE]

Each seed makes two graphs: one of a single hostile kind, and one with all kinds side by side and the
vertices shuffled. Every variant labels both graphs twice, and the labels must be scipy's. Lists, ids and
images are random, too. With --stale, plain reads may return older values (kernels_cl/stale.h); that is for
graphs on CPU devices only.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import ndimage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from zoo_shapes import SHAPES, Size

import pointerjump as pj
from pointerjump.registry import ALGORITHMS, Algorithm, Variant, format_variant
from pointerjump.solving.ancestors import ResidentForests, common_ancestors

if TYPE_CHECKING:
    from pointerjump.accel.runtime.session import Session

Rng = np.random.Generator
Edges = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], int]
"""Sources, targets and the number of vertices."""


# -- hostile inputs --------------------------------------------------------------------------------

KINDS = (
    ("star-first", "star-middle", "star-last"),
    ("path-bit-reversed", "path-zigzag"),
    ("two-halves", "lollipop"),
    ("bipartite", "complete"),
    ("urand-1", "urand-1.5"),  # about as many edges as it takes for a giant component
    ("comb", "broom"),
)
"""Shapes of the zoo: hubs, paths that jump through memory, halves that merge last, dense and sparse graphs,
and paths whose pairs meet late."""


def shape_of(kind: tuple[str, ...], rng: Rng) -> Edges:
    """Return a graph of one kind with up to 900 vertices, and some of its edges twice or as loops."""
    made = SHAPES[str(rng.choice(kind))].build(Size(int(rng.integers(64, 900)), 1024))
    again = rng.integers(0, len(made.sources), 5)
    s, t = np.append(made.sources, made.sources[again]), np.append(made.targets, made.targets[again])
    return np.append(s, s[:3]), np.append(t, s[:3]), made.vertices


def side_by_side(parts: list[Edges], rng: Rng) -> Edges:
    """Return all parts as one graph, with some isolated vertices, in random order."""
    starts = np.cumsum([0, *(n for _, _, n in parts)])
    n = int(starts[-1]) + 10
    name = rng.permutation(n)
    s = np.concatenate([part[0] + start for part, start in zip(parts, starts, strict=False)])
    t = np.concatenate([part[1] + start for part, start in zip(parts, starts, strict=False)])
    return name[s], name[t], n


def graphs_of(seed: int) -> Iterator[pj.Graph]:
    """Yield the two graphs of a seed."""
    rng = np.random.default_rng(seed)
    alone = shape_of(KINDS[seed % len(KINDS)], rng)
    if rng.random() < 0.5:
        alone = side_by_side([alone], rng)
    for s, t, n in (alone, side_by_side([shape_of(kind, rng) for kind in KINDS], rng)):
        graph = pj.Graph.from_edges(s, t, vertices=n)
        yield graph.in_rows() if rng.random() < 0.5 else graph


def lists_of(seed: int) -> npt.NDArray[np.int32]:
    """Return some lists in one array, with the elements in random order."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 3000))
    order = rng.permutation(n)
    successors = np.empty(n, np.int32)
    successors[order] = np.append(order[1:], order[-1])
    cut = order[rng.integers(0, n, int(rng.integers(1, 6)))]
    successors[cut] = cut
    return successors


def scipy_labels(graph: pj.Graph) -> npt.NDArray[np.int32]:
    """Return the labels of scipy, which shares no code with us."""
    ones = np.ones(graph.directed_edges, np.int8)
    matrix = coo_array((ones, (graph.sources, graph.neighbors)), shape=(graph.vertices,) * 2)
    return connected_components(matrix, directed=False)[1].astype(np.int32)


# -- runs ------------------------------------------------------------------------------------------


def run_graph(
    d: pj.DeviceGraph, algorithm: Algorithm, variant: Variant, labels: npt.NDArray[np.int32]
) -> bool:
    """Label a graph twice, or find two forests; return whether all answers are right."""
    if algorithm.problem == "spanning-forest":
        for _ in range(2):
            forest = pj.spanning_forest(d, algorithm=algorithm.name, **variant)
            pj.verify_forest(d.host, forest)
        return True
    return all(
        np.array_equal(pj.components(d, algorithm=algorithm.name, **variant).labels, labels) for _ in range(2)
    )


def run_ancestors(session: Session, algorithm: Algorithm, variant: Variant, seed: int) -> bool:
    """Ask twice for common ancestors in a random forest; return whether the answers are right."""
    from made_forests import relabelled, rooted_from, shapes, walked_up

    rng = np.random.default_rng(seed)
    shape = str(rng.choice(list(shapes(1))))
    rooted = rooted_from(relabelled(shapes(int(rng.integers(1, 3000)), seed)[shape], seed))
    residents: ResidentForests = {}
    for _ in range(2):
        us, vs = rng.integers(0, len(rooted.parent), (2, int(rng.integers(0, 500))))
        found = common_ancestors(
            rooted, us, vs, algorithm=algorithm.name, device=session, residents=residents, choices=variant
        )
        if found.tolist() != walked_up(rooted, us, vs):
            return False
    return True


def run_map(session: Session, algorithm: Algorithm, variant: Variant, seed: int) -> bool:
    """Find the cycles of a random map or permutation; return whether they are the reference's, and powers."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 4000))
    successors = rng.permutation(n) if seed % 2 else rng.integers(0, n, n)
    found = pj.cycles(successors, algorithm=algorithm.name, device=session, **variant)
    right = pj.cycles(successors, device="reference")
    k = rng.integers(0, 2**63, n)
    ends = pj.kth_successor(successors, k, algorithm=algorithm.name, device=session, **variant)
    return (
        np.array_equal(found.steps, right.steps)
        and np.array_equal(found.length, right.length)
        and np.array_equal(found.smallest, right.smallest)
        and np.array_equal(ends, pj.kth_successor(successors, k, device="reference"))
    )


def run_ids(session: Session, algorithm: Algorithm, variant: Variant, seed: int) -> bool:
    """Number ids, of which most come more than once; return whether the numbers are right."""
    rng = np.random.default_rng(seed)
    ids = rng.integers(0, int(rng.integers(1, 4000)), int(rng.integers(1, 4000))).astype(str).tolist()
    first: dict[str, int] = {}
    expected = [first.setdefault(id, len(first)) for id in ids]
    return pj.number_ids(ids, algorithm=algorithm.name, device=session, **variant)[0].tolist() == expected


def run_image(session: Session, algorithm: Algorithm, variant: Variant, seed: int) -> bool:
    """Label a random mask of one to four dimensions twice; return whether the labels are scipy's."""
    rng = np.random.default_rng(seed)
    ndim = int(rng.integers(1, 5))
    mask = rng.random(rng.integers(1, (0, 9000, 150, 30, 12)[ndim], ndim)) < rng.random()
    connectivity = int(rng.integers(1, ndim + 1))
    expected, _ = ndimage.label(mask, ndimage.generate_binary_structure(ndim, connectivity))
    for _ in range(2):
        found = pj.label(mask, connectivity, algorithm=algorithm.name, device=session, **variant)
        if not np.array_equal(found, expected):
            return False
    return True


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--only", default="", help="names of algorithms, comma-separated")
    parser.add_argument("--stale", action="store_true")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    if arguments.stale:  # use one thread: the records of stale.h are not atomic
        os.environ |= {"CL_CONFIG_CPU_TBB_NUM_WORKERS": "1", "POCL_MAX_PTHREAD_COUNT": "1"}
    from pointerjump.accel.runtime.devices import choose
    from pointerjump.accel.runtime.sessions import session_for

    sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
    from stale import StaleSession

    only = set(filter(None, arguments.only.split(",")))
    algorithms = [
        algorithm
        for algorithm in ALGORITHMS.values()
        if algorithm.kernels and (not only or algorithm.name in only)
    ]
    chosen = choose(arguments.device)
    began, runs = perf_counter(), Counter[str]()
    for seed in range(arguments.first, arguments.first + arguments.seeds):
        gc.collect()  # frees the last seed's session and buffers, which with --stale take gigabytes
        session = StaleSession(chosen, seed % 16) if arguments.stale else session_for(chosen)
        for graph in graphs_of(seed):
            d, labels = pj.to_device(graph, session), scipy_labels(graph)
            for algorithm in algorithms:
                if algorithm.problem not in ("components", "spanning-forest"):
                    continue
                for variant in algorithm.variants("kernels"):
                    if arguments.stale and (variant["reads"] == "atomic" or variant.get("graft") == "sorted"):
                        continue  # no plain reads, or pyopencl's own sort
                    if arguments.stale and variant.get("work_items", 1) > 1:
                        continue  # CPUs run the work-items of one group in step, not one after the other
                    if not run_graph(d, algorithm, variant, labels):
                        sys.exit(f"seed {seed}, {graph}: {algorithm.name} {format_variant(variant)} is wrong")
                    runs[algorithm.name] += 2
        successors = lists_of(seed)
        ranks = pj.list_rank(successors, algorithm="sequential", device="reference")
        sums = pj.list_scan(successors, np.arange(len(successors)), device="reference")
        for algorithm in algorithms if not arguments.stale else []:
            for variant in algorithm.variants("kernels"):
                if algorithm.problem == "list-ranking":
                    right = np.array_equal(
                        pj.list_rank(successors, algorithm=algorithm.name, device=session, **variant), ranks
                    )
                elif algorithm.problem == "list-scan":
                    values = np.arange(len(successors))
                    found = pj.list_scan(
                        successors, values, "add", algorithm=algorithm.name, device=session, **variant
                    )
                    right = np.array_equal(found, sums)
                elif algorithm.problem == "common-ancestors":
                    right = run_ancestors(session, algorithm, variant, seed)
                elif algorithm.problem == "functional-graphs":
                    right = run_map(session, algorithm, variant, seed)
                elif algorithm.problem == "id-numbering":
                    right = run_ids(session, algorithm, variant, seed)
                elif algorithm.problem == "image-labelling":
                    right = run_image(session, algorithm, variant, seed)
                else:
                    break
                if not right:
                    sys.exit(f"seed {seed}: {algorithm.name} {format_variant(variant)}")
                runs[algorithm.name] += 1
        if seed % 10 == 0:
            print(f"seed {seed}: {sum(runs.values()):,} runs, {perf_counter() - began:.0f} s", flush=True)
    report = {
        "device": str(chosen),
        "stale": arguments.stale,
        "seeds": arguments.seeds,
        "seconds": round(perf_counter() - began),
        "runs": dict(runs),
    }
    print(json.dumps(report))
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
