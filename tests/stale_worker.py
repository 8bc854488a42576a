"""Run the component kernels with stale reads, in a process of its own.

    stale_worker.py DEVICE SEED [OLD NEW]

The runtime must be told before it is loaded to use one thread (kernels_cl/stale.h). With OLD and NEW that
text of ecl_cc.cl is replaced. The exit code is 3 if an answer was wrong.
"""

from __future__ import annotations

import os
import sys

os.environ |= {"CL_CONFIG_CPU_TBB_NUM_WORKERS": "1", "POCL_MAX_PTHREAD_COUNT": "1"}

import numpy as np
from conftest import bit_reversed, path
from test_kernels import kernel_variants

import pointerjump as pj
from pointerjump import limits
from pointerjump.accel.runtime import programs
from pointerjump.accel.runtime.devices import choose
from pointerjump.accel.runtime.stale import StaleSession
from pointerjump.registry import ALGORITHMS, format_variant


def hostile(seed: int) -> list[pj.Graph]:
    """A bit-reversed path, and hubs among random edges: all with more vertices than work-items."""
    rng = np.random.default_rng(seed)
    n = 400
    s, t = rng.integers(0, n, (2, 350))
    return [
        path(bit_reversed(256)),
        pj.Graph.from_edges(np.append(s, np.full(150, n - 1)), np.append(t, rng.integers(0, n, 150))),
    ]


def main() -> None:
    """Run every variant of plain reads, on graphs of its own seed."""
    session = StaleSession(choose(sys.argv[1]), int(sys.argv[2]))
    only = ["ecl-cc"] if sys.argv[3:] else list(ALGORITHMS)
    if sys.argv[3:]:
        original, (old, new) = programs.source, sys.argv[3:]
        assert old in original("ecl_cc.cl")
        programs.source = lambda name: original(name).replace(old, new)
    graphs = [pj.to_device(graph, session) for graph in hostile(int(sys.argv[2]))]
    oracles = [pj.components(d.host, "dfs", "reference").labels for d in graphs]
    ran = 0
    for name in only:
        algorithm = ALGORITHMS[name]
        if algorithm.problem != "components" or not algorithm.kernels:
            continue
        for variant in kernel_variants(algorithm):
            if variant.get("reads") == "atomic" or variant.get("graft") == "sorted":
                continue  # no plain read; and pyopencl's sort
            if variant.get("work_items", 1) > 1:
                continue  # CPUs run the work-items of one group in step, not one after the other
            for d, labels in zip(graphs, oracles, strict=True):
                if not np.array_equal(pj.components(d, name, **variant).labels, labels):
                    print(f"wrong with stale reads: {name} {format_variant(variant)}", file=sys.stderr)
                    sys.exit(3)
                ran += 1
    print(ran + (0 if sys.argv[3:] else wide_sets(session)))


def wide_sets(session: StaleSession) -> int:
    """Run disjoint sets with 64-bit parents; return how many."""
    limits.MOST_NARROW_VERTICES = 100
    rng = np.random.default_rng(session.seed)
    for access in ("striding", "partitioning"):
        for vertices in (250, 2000):
            edges = rng.integers(0, vertices, (2, 2, vertices // 2))
            one, other = (pj.DisjointSet(vertices, session, access=access) for _ in range(2))
            one.merge(*edges[0])
            other.merge(*edges[1])
            one.update(other)
            found, right = one.labels(), smallest(np.concatenate(edges, axis=1), vertices)
            if found.dtype != np.int64 or not np.array_equal(one.labels("representative"), right):
                print(f"wrong with stale reads: 64-bit parents, {access}", file=sys.stderr)
                sys.exit(3)
    return 4


def smallest(edges: np.ndarray, vertices: int) -> np.ndarray:
    """Return each vertex's representative, by the reference."""
    graph = pj.Graph.from_edges(*edges, vertices=vertices)
    return pj.components(graph, "dfs", "reference", labels="representative").labels


if __name__ == "__main__":
    main()
