"""Run the kernels of components, forests, sets, ids, images and contacts with stale reads, in a new process.

    stale_worker.py DEVICE SEED [FILE OLD NEW]

The runtime must be told before it is loaded to use one thread (kernels_cl/stale.h). With OLD and NEW that
text of a kernel file is replaced, and only what runs that file is run. The exit code is 3 if an answer was
wrong.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from functools import partial
from itertools import product
from typing import NoReturn

os.environ |= {"CL_CONFIG_CPU_TBB_NUM_WORKERS": "1", "POCL_MAX_PTHREAD_COUNT": "1"}

import numpy as np
from conftest import bit_reversed, path
from made_forests import merges_of, shapes
from stale import StaleSession
from test_kernels import kernel_variants
from test_label import by_pairs, by_scipy, comb, serpentine
from test_regions import touching

import pointerjump as pj
from pointerjump.accel import boruvka, region_contacts
from pointerjump.accel.id_forests import IdForest
from pointerjump.accel.residents import labels as resident_labels
from pointerjump.accel.runtime import programs
from pointerjump.accel.runtime.devices import choose
from pointerjump.base import limits
from pointerjump.base.id_bytes import IdBytes, IdKind
from pointerjump.registry import ALGORITHMS, Algorithm, format_variant

ID_FILES = ("interning.cl", "smallest_ids.cl", "disjoint_set.cl")
FOREST_FILES = ("boruvka.cl", "filter_boruvka.cl")
MERGES_FILE = "pandora.cl"
BLOCK_FILES = ("fast_bcc.cl", "tarjan_vishkin.cl", "marking.cl")
IMAGE_FILE, CONTACTS_FILE = "two_pass.cl", "region_contacts.cl"
INTEGERS = IdKind(8, "signed")


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
    spoilt = sys.argv[3] if sys.argv[3:] else None
    if spoilt:
        original, (old, new) = programs.source, sys.argv[4:]
        assert old in original(spoilt)
        programs.source = lambda name: original(name).replace(old, new)
    ran = 0
    if spoilt not in (*ID_FILES, *FOREST_FILES, *BLOCK_FILES, MERGES_FILE, IMAGE_FILE, CONTACTS_FILE):
        ran += components(session, [a for a in ALGORITHMS.values() if spoilt in (None, f"{a.module}.cl")])
    if spoilt in (None, *FOREST_FILES):
        ran += minimum_forests(session)
    if spoilt in (None, MERGES_FILE):
        ran += merges(session)
    if spoilt in (None, *BLOCK_FILES):
        ran += blocks(session, spoilt)
    if spoilt in (None, *ID_FILES):
        ran += numbered_ids(session) + named_components(session)
    if spoilt in (None, IMAGE_FILE):
        ran += labelled_images(session)
    if spoilt in (None, CONTACTS_FILE):
        ran += contacts(session)
    print(ran if spoilt else ran + wide_sets(session))


def wrong(what: str) -> NoReturn:
    """Say that an answer was wrong, and end."""
    print(f"wrong with stale reads: {what}", file=sys.stderr)
    sys.exit(3)


def components(session: StaleSession, algorithms: list[Algorithm]) -> int:
    """Run every variant of these algorithms; return how many runs there were."""
    graphs = [pj.to_device(graph, session) for graph in hostile(int(sys.argv[2]))]
    oracles = [pj.components(d.host, algorithm="dfs", device="reference").labels for d in graphs]
    ran = 0
    for algorithm in algorithms:
        name = algorithm.name
        if algorithm.problem != "components" or not algorithm.kernels:
            continue
        for variant in kernel_variants(algorithm):
            if variant.get("reads") == "atomic" or variant.get("graft") == "sorted":
                continue  # no plain read; and pyopencl's sort
            if variant.get("work_items", 1) > 1:
                continue  # CPUs run the work-items of one group in step, not one after the other
            for d, labels in zip(graphs, oracles, strict=True):
                if not np.array_equal(pj.components(d, algorithm=name, **variant).labels, labels):
                    wrong(f"{name} {format_variant(variant)}")
                ran += 1
    return ran


def minimum_forests(session: StaleSession) -> int:
    """Find minimum spanning forests by every variant; return how many runs there were."""
    ran = 0
    # Otherwise, one work-item does all rounds of small graphs, and no value is stale.
    boruvka.ONE_GROUP_EDGES, boruvka.FEWEST_EACH = 0, 1
    for graph in hostile(session.seed):
        edges = graph.edges_as_read
        m = len(edges.sources) if edges else graph.directed_edges
        for weights in (np.arange(m, dtype=np.int32) * 7 % 31, np.arange(m) * 5 % 17 / 8):
            expected = pj.minimum_spanning_forest(graph, weights, algorithm="kruskal", device="reference")
            for name in ("boruvka", "filter-boruvka"):
                for variant in kernel_variants(ALGORITHMS[name]):
                    found = pj.minimum_spanning_forest(
                        graph, weights, algorithm=name, device=session, **variant
                    )
                    if not np.array_equal(found.places, expected.places):
                        wrong(f"{name} {format_variant(variant)}")
                    ran += 1
    return ran


def merges(session: StaleSession) -> int:
    """Find what the edges of forests merge; return how many runs there were."""
    ran = 0
    for parents in shapes(400, session.seed).values():
        vs = np.flatnonzero(parents != np.arange(400))
        name = np.random.default_rng(session.seed).permutation(400)
        for weights in (np.arange(len(vs)), np.arange(len(vs)) * 7 % 31 / 8):
            given = name[vs], name[parents[vs]], 400
            expected = merges_of(*given, "single-linkage", "reference", weights)
            for variant in kernel_variants(ALGORITHMS["pandora"]):
                found = merges_of(*given, "pandora", session, weights, **variant)
                if not np.array_equal(found, expected):
                    wrong(f"pandora {format_variant(variant)}")
                ran += 1
    return ran


def blocks(session: StaleSession, spoilt: str | None) -> int:
    """Find bridges and blocks by every variant of plain reads; return how many runs there were."""
    ran = 0
    few = np.random.default_rng(session.seed).integers(0, 300, (2, 330))  # a third of the edges are bridges
    for graph in [*hostile(session.seed), few.T, np.concatenate([few.T, few[::-1, ::2].T])]:
        for find, oracle, names in (
            (pj.bridges, "chain", ("marking",)),
            (block_labels, "hopcroft-tarjan", ("fast-bcc", "tarjan-vishkin")),
        ):
            algorithms = [ALGORITHMS[name] for name in names]
            algorithms = [each for each in algorithms if spoilt in (None, f"{each.module}.cl")]
            expected = find(graph, algorithm=oracle, device="reference") if algorithms else None
            for algorithm in algorithms:
                for variant in kernel_variants(algorithm):
                    if variant.get("reads") == "atomic":
                        continue
                    found = find(graph, algorithm=algorithm.name, device=session, **variant)
                    if not np.array_equal(found, expected):
                        wrong(f"{algorithm.name} {format_variant(variant)}")
                    ran += 1
    return ran


def block_labels(graph: pj.Graph, **options: object) -> np.ndarray:
    """Return the labels of edges."""
    return pj.biconnected_components(graph, **options).labels


def numbered_ids(session: StaleSession) -> int:
    """Intern ids of which most come several times in a block; return how many runs there were.

    Tables have up to 4096 slots: more have no records.
    """
    rng = np.random.default_rng(session.seed)
    ran = 0
    for access, ahead in product(("striding", "partitioning"), (1, 4)):
        session.tuning = replace(session.tuning, ids_ahead=ahead)
        for most in (40, 1500):
            ids = rng.integers(0, most, 1500).astype(str).tolist()
            expected = pj.number_ids(ids, algorithm="interning", device="reference")[0]
            numbers, _ = pj.number_ids(
                ids, algorithm="interning", device=session, block=600, access=access, reads="plain"
            )
            if not np.array_equal(numbers, expected):
                wrong(f"interning, {access}, {ahead} at a time")
            ran += 1
    return ran


def named_components(session: StaleSession) -> int:
    """Name components of pairs and of groups by their smallest ids; return how many runs there were."""
    rng = np.random.default_rng(session.seed)
    for grouped, access in product((False, True), ("striding", "partitioning")):
        session.tuning = replace(session.tuning, access=access)
        rows = rng.integers(0, 500, (2, 400))
        columns = [IdBytes(INTEGERS, column.view(np.uint8)) for column in rows]
        forest = IdForest(session, INTEGERS, [INTEGERS] if grouped else ())
        with session.running():
            (forest.join if grouped else forest.merge)(*columns)
            ids, named = forest.take()
        found = ids.text.view(np.int64)
        members = rows[1] + 500 if grouped else rows[1]  # groups are vertices of their own
        right = smallest(np.stack([rows[0], members]), 1000)
        for label in np.unique(right):
            together = np.flatnonzero(right == label)
            together = together[together >= 500] - 500 if grouped else together
            if not (found[named[np.isin(found, together)]] == together.min(initial=1000)).all():
                wrong(f"smallest ids, {access}, of {'groups' if grouped else 'pairs'}")
    return 4


def labelled_images(session: StaleSession) -> int:
    """Label images that have more runs than there are work-items; return how many labellings there were."""
    rng = np.random.default_rng(session.seed)
    masks = [
        rng.random((60, 130)) < 0.5,
        rng.random((60, 130)) < 0.6,
        rng.random((6, 9, 130)) < 0.3,
        comb(130, 97).T,
        serpentine(131, 60).T,
    ]
    wrapped = [by_pairs(mask, 1, wrap_axes=(0,)) for mask in masks]
    ran = 0
    for variant in kernel_variants(ALGORITHMS["two-pass"]):
        if variant.get("reads") == "atomic":
            continue
        label = partial(pj.label, algorithm="two-pass", device=session, **variant)
        for mask, expected in zip(masks, wrapped, strict=True):
            for connectivity in range(1, mask.ndim + 1):
                if not np.array_equal(label(mask, connectivity), by_scipy(mask, connectivity)):
                    wrong(f"two-pass {format_variant(variant)}, connectivity={connectivity}")
            if not np.array_equal(label(mask, wrap_axes=0), expected):
                wrong(f"two-pass {format_variant(variant)}, wrap_axes=0")
            ran += mask.ndim + 1
    return ran


def contacts(session: StaleSession) -> int:
    """Count the faces of pairs that most work-items meet; return how often.

    Tables have up to 2048 slots: more have no records.
    """
    region_contacts.FIRST_SLOTS = 512
    resident_labels.SLOTS = 1  # so that pairs go to the table soon
    rng = np.random.default_rng(session.seed)
    for access in ("striding", "partitioning"):
        session.tuning = replace(session.tuning, access=access)
        for most in (20, 40):
            labels = rng.integers(0, most, (400, 30)).astype(np.int32)
            found, expected = pj.contacts(labels, session), touching(labels)
            if not all(map(np.array_equal, found, expected)):
                wrong(f"contacts, {access}, {most - 1} labels")
    return 4


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
                wrong(f"64-bit parents, {access}")
    return 4


def smallest(edges: np.ndarray, vertices: int) -> np.ndarray:
    """Return each vertex's representative, by the reference."""
    graph = pj.Graph.from_edges(*edges, vertices=vertices)
    return pj.components(graph, algorithm="dfs", device="reference", labels="representative").labels


if __name__ == "__main__":
    main()
