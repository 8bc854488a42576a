"""Run every kernel on tiny inputs, in a process whose one OpenCL device is the simulator Oclgrind.

test_oclgrind.py starts it, with the environment that makes Oclgrind the only driver. It writes JSON:
which kernels were launched, which of them execute a compare-and-swap, and what Oclgrind said about each, told
by file, kernel, array and source line.

    python oclgrind_worker.py FOLDER JOB [--kernels FOLDER]

where JOB is an algorithm; or auto, for edge lists, small graphs and rows as they are stored; or sets, for
disjoint sets; or tables, for pairs and groups of ids; or regions, for images that are labelled already.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import re
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from made_forests import merges_of, relabelled, rooted_from, shapes, walked_up

import pointerjump as pj
import pointerjump.base.images
from pointerjump.accel import (
    afforest_edges,
    boruvka,
    interning,
    random_splitter,
    region_contacts,
    region_sums,
    regions,
    two_pass,
)
from pointerjump.accel.id_forests import IdForest
from pointerjump.accel.interning import DeviceInterner
from pointerjump.accel.residents import graphs as resident_graphs
from pointerjump.accel.residents import images as resident_images
from pointerjump.accel.residents import labels as resident_labels
from pointerjump.accel.residents import staging
from pointerjump.accel.residents.labels import ResidentLabels
from pointerjump.accel.runtime import devices, programs, ring
from pointerjump.accel.runtime import session as sessions
from pointerjump.accel.runtime.icd import opencl
from pointerjump.accel.runtime.probe import Verdict
from pointerjump.accel.runtime.session import Kernels, Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.accel.tuning import TUNING, Tuning
from pointerjump.base import limits
from pointerjump.base.id_bytes import IdBytes, IdKind
from pointerjump.base.rooted import Rooted
from pointerjump.reference import region_contacts as reference_contacts
from pointerjump.reference import region_sums as reference_sums
from pointerjump.reference import regions as reference
from pointerjump.registry import ALGORITHMS, Algorithm, Variant, format_variant
from pointerjump.solving.ancestors import common_ancestors
from pointerjump.solving.inputs import as_graph

# One work-group of one work-item, as CPUs get, would show no race: several groups of several work-items,
# whatever type of device Oclgrind says it is. TILE and the groups are so small that tiny graphs fill them.
TINY = replace(
    TUNING["gpu"],
    group=4,
    groups_per_unit=3,
    groups_at_once=2,
    tile=2,
    elements_per_splitter=4,
    shortest_sublists=2,
    splitters_per_taken=3,
    few_splitters=30,
    one_group_splitters=24,
    walks=2,
    ids_ahead=2,
    ids_at_once=40,
    small=0,
    small_group=4,
)


LONG_ROW = 370

# Where the optimizer leaves LLVM's `freeze` or `noalias.scope.decl`, Oclgrind gives up on the kernel; these
# files are not optimized. The others are: it is several times as fast.
NOT_OPTIMIZED = {
    *("crono.cl", "image_labels.cl", "image_runs.cl", "interning.cl", "region_contacts.cl", "regions.cl"),
    *("region_sums.cl", "sequential.cl", "two_pass.cl"),
}


# -- inputs ------------------------------------------------------------------------------------------


def rows(edges: list[tuple[int, int]], vertices: int) -> pj.Graph:
    """Return both directions of every edge, duplicates and self-loops kept, rows unsorted."""
    both = np.array([*edges, *((t, s) for s, t in edges)], np.int32).reshape(-1, 2)
    both = both[np.argsort(both[:, 0], kind="stable")]
    counts = np.bincount(both[:, 0], minlength=vertices)
    return pj.Graph(np.concatenate([[0], np.cumsum(counts)]), both[:, 1].copy())


def graphs() -> dict[str, pj.Graph]:
    rng = np.random.default_rng(5)
    order = rng.permutation(33)
    # Above degree 16 a tile takes a vertex, above 352 a work-group, above LONG_ROW several: 12 and 13 times
    # the same 30 edges are enough.
    high = [(hub, v) for hub, times in ((38, 12), (39, 13)) for v in range(30) for _ in range(times)]
    middle = [(20, v) for v in range(19)] + [(30, v) for v in range(19)]
    return {
        "empty": rows([], 0),
        "one vertex": rows([], 1),
        "untidy": rows([(0, 1), (0, 1), (2, 2), (1, 3), (3, 0), (5, 4), (6, 5), (4, 6), (8, 9)], 11),
        "path": rows(list(zip(order[:-1].tolist(), order[1:].tolist(), strict=True)), 34),
        "middle hubs": rows(middle, 36),
        "high hubs": rows([*high, (31, 32), (39, 33)], 40),
        "random": rows(rng.integers(0, 30, (40, 2)).tolist(), 32),
        "giant": rows([*rng.integers(0, 24, (48, 2)).tolist(), *((v + 1, v) for v in range(23, 27))], 28),
    }


def lists() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(6)
    order = rng.permutation(37)
    one = np.empty(37, np.int32)
    one[order] = np.append(order[1:], order[-1])
    many = one.copy()
    for end in order[[3, 4, 20]]:
        many[end] = end
    # A list, and beside it two cycles: 0 .. 6 and 7 .. 20.
    cycle = np.minimum(np.arange(1, 38, dtype=np.int32), 36)
    cycle[[6, 20]] = 0, 7
    joined = many.copy()
    joined[order[30]] = order[10]  # which has a predecessor already
    return {
        "none": np.empty(0, np.int32),
        "one element": np.zeros(1, np.int32),
        "one": one,
        "many": many,
        "cycle": cycle,
        "two before one": joined,
        "long": np.minimum(np.arange(1, 901, dtype=np.int32), 899),  # ranked by several work-groups, twice
    }


def rooted_forests() -> dict[str, Rooted]:
    some = {name: rooted_from(relabelled(parents, 9)) for name, parents in shapes(37).items()}
    several_blocks = rooted_from(relabelled(shapes(300)["random"], 9))
    return {"no vertices": rooted_from([]), "one vertex": rooted_from([0]), **some, "blocks": several_blocks}


def maps() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(8)
    return {
        "none": np.empty(0, np.int32),
        "one element": np.zeros(1, np.int32),
        "many": np.where(np.arange(150) % 5, np.arange(150) - 1, np.arange(150) + 4),  # cycles of five
        "one cycle": np.roll(np.arange(150), 1),
        "permutation": rng.permutation(130),
        "random": rng.integers(0, 120, 120),
    }


def ids() -> dict[str, list[bytes]]:
    rng = np.random.default_rng(7)
    lengths = [*range(1, 10), 15, 16, 17]
    return {
        "one id": [b"x"],
        "one id again": [b"abc"] * 30,
        "of many lengths": [b"abcdefghijklmnopqrst"[:length] for length in rng.choice(lengths, 70)],
        "all different": [b"%05d" % number for number in range(70)],
        "of one width": [b"%03d" % number for number in rng.integers(0, 20, 70)],
        "integers": [bytes(number) for number in rng.integers(-9, 9, 70).view("V8")],
    }


def images() -> dict[str, tuple[np.ndarray, dict[str, Any]]]:
    """Images, of which some rows take several words, and what is asked of them."""
    rng = np.random.default_rng(8)
    plane, volume, hyper = (rng.random(shape) < 0.5 for shape in ((4, 70), (3, 3, 34), (2, 3, 2, 9)))
    few = rng.integers(0, 3, (4, 70)).astype(np.uint8)
    return {
        "no pixels": (np.zeros((3, 0), bool), {}),
        "background": (np.zeros((3, 40), bool), {}),
        "a line": (plane.ravel(), {"wrap_axes": 0}),
        "4 neighbors": (plane, {}),
        "8 neighbors": (plane, {"connectivity": 2}),
        "8 neighbors on a torus": (plane, {"connectivity": 2, "wrap_axes": (0, 1)}),
        "Fortran order": (np.asfortranarray(plane), {"connectivity": 2}),
        "6 neighbors": (volume, {}),
        "18 neighbors, wrapping": (volume, {"connectivity": 2, "wrap_axes": (0, 2)}),
        "26 neighbors": (volume, {"connectivity": 3}),
        "80 neighbors on a torus": (hyper, {"connectivity": 4, "wrap_axes": (0, 1, 2, 3)}),
        "equal values": (few, {"multilabel": True, "background": None, "connectivity": 2, "wrap_axes": 1}),
        "close values": (few * np.float32(0.5), {"delta": 0.5}),
        "half": (few.astype(np.float16), {"delta": 1, "wrap_axes": 1}),
    }


# -- runs --------------------------------------------------------------------------------------------


FEWER_WORK_ITEMS = (4, 1)  # what Oclgrind's work-groups hold


BESIDE: dict[str, list[Variant]] = {
    "random-splitter": [{"splitters": 20}],  # one work-group ranks so few
    "afforest": [
        {"init": "first", "rest": "adaptive"},  # only both together launch compress_deep
        {
            "neighbor_rounds": 0,
            "skip_largest": False,
            "rest": "until-joined",
        },  # nothing writes a largest tree
    ],
}
"""Variants that differ from the defaults on several axes at once, but run other code than each axis alone."""


def variants(algorithm: Algorithm) -> Iterator[Variant]:
    """Yield each value of each axis beside the defaults, and all ways of access, or of skipping, together.

    The defaults of the kernels are the work of a GPU: Oclgrind's tuning is one.
    """
    axes = [
        replace(axis, values=FEWER_WORK_ITEMS) if axis.name == "work_items" else axis
        for axis in algorithm.axes_of("kernels")
    ]
    default = {axis.name: axis.values[0] for axis in axes}
    ways = [axis for axis in axes if axis.name in ("reads", "access", "balance")]
    skipping = [axis for axis in axes if axis.name in ("skip_largest", "rest")]
    chosen = [default]
    for some in (ways, skipping):
        for values in product(*(axis.values for axis in some)):
            chosen.append({**default, **dict(zip((axis.name for axis in some), values, strict=True))})
    for axis in axes:
        chosen += [{**default, axis.name: value} for value in axis.values]
    chosen += [{**default, **variant} for variant in BESIDE.get(algorithm.name, [])]
    yield from (variant for i, variant in enumerate(chosen) if variant not in chosen[:i])


def run_components(algorithm: Algorithm, session: Session, graph: pj.Graph, variant: Variant) -> None:
    found = pj.components(graph, algorithm=algorithm.name, device=session, labels="representative", **variant)
    np.testing.assert_array_equal(found.labels, smallest(graph))


def run_forest(algorithm: Algorithm, session: Session, graph: pj.Graph, variant: Variant) -> None:
    edges = pj.spanning_forest(graph, algorithm=algorithm.name, device=session, **variant)
    assert len(edges) == graph.vertices - len(np.unique(smallest(graph)))


def run_minimum_forest(algorithm: Algorithm, session: Session, graph: pj.Graph, variant: Variant) -> None:
    boruvka.FEWEST_EACH = 1  # otherwise, one work-item takes all edges of a small graph
    edges = graph.edges_as_read
    stored = len(edges.sources) if edges else graph.directed_edges
    for weights in (np.arange(stored, dtype=np.int32) * 7 % 5, np.arange(stored) % 11 / 4 - 1):
        found, expected = (
            pj.minimum_spanning_forest(graph, weights, algorithm=name, device=device, **choices).places
            for name, device, choices in (
                (algorithm.name, session, variant),
                ("kruskal", "reference", {}),
            )
        )
        np.testing.assert_array_equal(found, expected)


def run_merges(algorithm: Algorithm, session: Session, forest: np.ndarray, variant: Variant) -> None:
    us, vs = forest
    for weights in (np.arange(len(us), dtype=np.int32) * 7 % 5, np.arange(len(us)) % 11 / 4 - 1):
        found = merges_of(us, vs, 72, algorithm.name, session, weights, **variant)
        expected = merges_of(us, vs, 72, "single-linkage", "reference", weights)
        np.testing.assert_array_equal(found, expected)


def run_blocks(algorithm: Algorithm, session: Session, graph: pj.Graph, variant: Variant) -> None:
    edges = graph.edges_as_read  # every stored entry is an edge, so there are parallel ones
    ends = (edges.sources, edges.targets) if edges else (graph.sources, graph.neighbors)
    if algorithm.problem == "bridges":
        find, oracle = pj.bridges, "chain"
    else:
        oracle = "hopcroft-tarjan"

        def find(*given: Any, **options: Any) -> np.ndarray:
            points = pj.articulation_points(*given, **options)
            return np.append(pj.biconnected_components(*given, **options).labels, points)

    found, expected = (
        find(ends, vertices=graph.vertices, algorithm=name, device=device, **choices)
        for name, device, choices in ((algorithm.name, session, variant), (oracle, "reference", {}))
    )
    np.testing.assert_array_equal(found, expected)


def run_ranking(algorithm: Algorithm, session: Session, successors: np.ndarray, variant: Variant) -> None:
    agree(
        lambda: pj.list_rank(successors, algorithm=algorithm.name, device=session, **variant),
        lambda: pj.list_rank(successors, algorithm="sequential", device="reference"),
    )


def run_scan(algorithm: Algorithm, session: Session, successors: np.ndarray, variant: Variant) -> None:
    values = np.arange(len(successors), dtype=np.int32)
    agree(
        lambda: pj.list_scan(successors, values, "add", algorithm=algorithm.name, device=session, **variant),
        lambda: pj.list_scan(successors, values, "add", device="reference"),
    )


def run_rooting(algorithm: Algorithm, session: Session, forest: pj.Graph, variant: Variant) -> None:
    found = pj.rooted_forest(forest, algorithm=algorithm.name, device=session, **variant)
    expected = pj.rooted_forest(forest, algorithm=algorithm.name, device="reference")
    np.testing.assert_array_equal(found.preorder, expected.preorder)
    np.testing.assert_array_equal(found.size, expected.size)
    values = np.arange(forest.vertices, dtype=np.float32) * 0.1
    np.testing.assert_array_equal(found.subtree_sum(values), expected.subtree_sum(values))


def run_ancestors(algorithm: Algorithm, session: Session, rooted: Rooted, variant: Variant) -> None:
    us, vs = np.indices((min(len(rooted.parent), 40),) * 2).reshape(2, -1)
    found = common_ancestors(rooted, us, vs, algorithm=algorithm.name, device=session, choices=variant)
    assert found.tolist() == walked_up(rooted, us, vs)


def run_map(algorithm: Algorithm, session: Session, successors: np.ndarray, variant: Variant) -> None:
    def answers(device: object, **more: Any) -> np.ndarray:
        few = np.arange(len(successors))[:3]
        found = pj.cycles(successors, algorithm=algorithm.name, device=device, **more)
        one_by_one = pj.kth_successor(successors, few, few, device=device, **more)
        powers = pj.kth_successor(successors, 2**33 + 5, device=device, **more)
        return np.concatenate([found.steps, found.length, found.smallest, one_by_one, powers])

    np.testing.assert_array_equal(answers(session, **variant), answers("reference"))


def run_numbering(algorithm: Algorithm, session: Session, ids: list[bytes], variant: Variant) -> None:
    width = len(ids[0]) if len({len(id) for id in ids}) == 1 else None
    column = pa.array(ids, pa.binary(width or -1))
    variant = {**variant, "block": 30} if variant.get("block", 1) > 30 else variant
    numbers, distinct = pj.number_ids(column, algorithm=algorithm.name, device=session, **variant)
    np.testing.assert_array_equal(numbers, pj.number_ids(column, device="reference")[0])
    assert distinct.to_pylist() == list(dict.fromkeys(ids))


def run_labelling(
    algorithm: Algorithm, session: Session, image: tuple[np.ndarray, dict[str, Any]], variant: Variant
) -> None:
    pixels, options = image
    found = pj.label(pixels, **options, algorithm=algorithm.name, device=session, **variant)
    np.testing.assert_array_equal(found, pj.label(pixels, **options, device="reference"))


def agree(kernels: Callable[[], np.ndarray], reference: Callable[[], np.ndarray]) -> None:
    """Require the same answer, or that both refuse what is no set of lists."""
    try:
        expected = reference()
    except pj.ListError:
        try:
            kernels()
        except pj.ListError:
            return
        raise AssertionError("the kernels take what is no set of lists") from None
    np.testing.assert_array_equal(kernels(), expected)


def forests() -> dict[str, pj.Graph]:
    """Trees in which most vertices have one child, one with a hub, and many small ones."""
    specs = (
        "path:vertices=70,order=random,seed=1",
        "star:vertices=70",
        "grid2d:rows=9,columns=8,keep=0.6,seed=1",
    )
    found = {spec.split(":")[0]: pj.spanning_forest(spec, device="reference") for spec in specs}
    many = pj.Graph.from_edges([(4, 0), (4, 7), (4, 9), (9, 2), (2, 5), (9, 8), (3, 6)], vertices=11)
    return {"many": many, **{name: pj.Graph.from_edges(edges, vertices=72) for name, edges in found.items()}}


def forest_edges() -> dict[str, np.ndarray]:
    """The ends of the edges of these forests, and of one without any."""
    found = {name: pj.spanning_forest(graph, device="reference").T for name, graph in forests().items()}
    return {"no edges": np.empty((2, 0), np.int32), **found}


def graphs_without_high_hubs() -> dict[str, pj.Graph]:
    """For algorithms to which all degrees are alike: a hub's many races with itself take long to report."""
    return {name: graph for name, graph in graphs().items() if name != "high hubs"}


def multigraphs() -> dict[str, pj.Graph]:
    """A few of the graphs, of which every stored entry is an edge, and edge lists."""
    some = {name: graphs()[name] for name in ("untidy", "path", "middle hubs")}
    return {**some, "star": rows([(5, v) for v in range(24)], 24), **edge_lists()}


TELLING = ("untidy", "high hubs", "star", "many", "blocks", "of many lengths", "8 neighbors on a torus")
"""Inputs for every variant. The defaults are run on all of them, others on a third of the rest in turn."""

RUNS: dict[str, tuple[Callable[..., None], Callable[[], dict[str, Any]]]] = {
    "components": (run_components, graphs),
    "spanning-forest": (run_forest, graphs),
    "minimum-spanning-forest": (run_minimum_forest, graphs_without_high_hubs),
    "dendrograms": (run_merges, forest_edges),
    "list-ranking": (run_ranking, lists),
    "list-scan": (run_scan, lists),
    "trees": (run_rooting, forests),
    "common-ancestors": (run_ancestors, rooted_forests),
    "biconnectivity": (run_blocks, multigraphs),
    "bridges": (run_blocks, multigraphs),
    "functional-graphs": (run_map, maps),
    "id-numbering": (run_numbering, ids),
    "image-labelling": (run_labelling, images),
}


def smallest(graph: pj.Graph) -> np.ndarray:
    return pj.components(graph, algorithm="dfs", device="reference", labels="representative").labels


def registered(
    algorithm: Algorithm, session: Session, watcher: Watcher
) -> Iterator[tuple[str, Callable[[], None]]]:
    run, inputs = RUNS[algorithm.problem]
    for shorten in (False, True):  # what accel/tuning.py chooses for a class of devices, and builds in
        if shorten and not watcher.built_in("SHORTEN_PATHS", "WALKS"):
            return
        session.tuning = replace(TINY, shorten_paths=shorten, walks=3 if shorten else 1)
        if inputs in (graphs, graphs_without_high_hubs) and not shorten:
            for name in sorted({"untidy", "path", "high hubs"} & inputs().keys()):
                graph = graphs()[name]
                graph._rows = graph.offsets.astype(np.int64), graph.neighbors
                yield f"64-bit offsets of {name}", lambda g=graph: run(algorithm, session, g, {})
        if algorithm.takes == "edges":
            for name, graph in edge_lists().items():
                yield name, lambda g=graph: run(algorithm, session, g, {})
        for i, variant in enumerate(variants(algorithm)):
            for j, (name, value) in enumerate(inputs().items()):
                if i == 0 or name in TELLING or (i + j + shorten) % 3 == 0:
                    what = f"{format_variant(variant)} on {name}, shorten_paths={shorten}"
                    yield what, lambda v=value, w=variant: run(algorithm, session, v, w)


def edge_lists() -> dict[str, pj.Graph]:
    """Graphs made of edges, each once and in any direction, in the forms in which kernels read them."""
    pairs = np.random.default_rng(8).integers(0, 30, (40, 2))
    found = {}
    for dtype, other, m in ((np.int32, np.int64, 40), (np.int64, np.int32, 200)):  # any two of the three meet
        some = np.resize(pairs, (m, 2))
        found[f"{m} edges as pairs of {dtype.__name__}"] = as_graph(some.astype(dtype))
        found[f"{m} edges as two arrays of {other.__name__}"] = as_graph(
            (some[:, 0].astype(other), some[:, 1].astype(other))
        )
    return found


def by_auto(session: Session) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield what ``auto`` runs, on edge lists, small graphs, and rows as they are stored."""

    def components(graph: Any, small: int, group: int, access: str) -> None:
        session.tuning = replace(TINY, small=small, small_group=group, access=access)
        found = pj.components(graph, algorithm="auto", device=session, labels="representative")
        np.testing.assert_array_equal(found.labels, smallest(getattr(graph, "host", graph)))

    ways = ((0, 4, "striding"), (0, 4, "partitioning"), (1000, 4, "striding"), (1000, 1, "striding"))
    for shape in ways:
        for name, graph in {**edge_lists(), **graphs()}.items():
            name = f"{name}, small={shape[0]}, group={shape[1]}, {shape[2]}"
            yield name, lambda g=graph, s=shape: components(g, *s)

    for name, graph in graphs().items():  # rows with both directions: what auto chooses for them
        resident = pj.to_device(graph, session)
        yield f"to_device, {name}", lambda r=resident: components(r, 0, 4, "striding")


def by_sets(session: Session) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield what disjoint sets and lists run, on a device with the host's memory and one with its own."""
    # Small, because Oclgrind is slow; without threads, because it knows only one; and even small arrays are
    # copied in stages, so that the device checks and narrows them.
    ring.PINNED, ring.IN_PLACE, ring.MOST_THREADS = (4, 4096), (2, 4096), 0
    staging._BYTES, sessions.RING_FROM = 4096, 1
    own_memory = Session(replace(session.device, host_memory=False))
    rng = np.random.default_rng(9)

    def merged(where: Session, dtype: type, most_narrow: int, reads: str) -> None:
        limits.MOST_NARROW_VERTICES = most_narrow
        edges = rng.integers(0, 60, (2, 80)).astype(dtype)
        one, other = (pj.DisjointSet(device=where, reads=reads) for _ in range(2))
        one.merge(*edges[:, :10] // 3)
        one.merge(*edges[:, :20])
        other.merge(*edges[:, 20:])
        one.update(other)
        one.update(pj.DisjointSet.load(saved(other), where))
        both = np.concatenate([edges, edges[:, :10] // 3], axis=1)
        expected = smallest(pj.Graph.from_edges(*both, vertices=one.vertices))
        np.testing.assert_array_equal(one.labels("representative"), expected)
        np.testing.assert_array_equal(one.find(np.arange(one.vertices)), expected)
        assert one.connected(*edges).all()
        assert one.n_subsets == one.labels().max() + 1 == len(np.unique(expected))

    def asked(where: Session, dtype: type, most_narrow: int) -> None:
        import pyopencl.array as cl_array

        limits.MOST_NARROW_VERTICES = most_narrow
        chain = np.arange(61, dtype=dtype)
        for question in ("find", "connected"):
            forest = pj.DisjointSet(
                400, where
            )  # so many that the chain is not compressed before the question
            ends = chain[1:], chain[:-1]
            if question == "connected":  # the kernel checks what is on the device already
                ends = tuple(cl_array.to_device(where.queue, each.copy()) for each in ends)
            forest.merge(*ends)
            answers = forest.find(chain) == 0 if question == "find" else forest.connected(chain[::-1], chain)
            assert answers.all()

    for where, dtype, most_narrow in product((session, own_memory), (np.int32, np.int64), (2**31 - 1, 30)):
        what = f"{dtype.__name__}, up to {most_narrow} narrow, own memory: {where is own_memory}"
        for reads in ("plain", "atomic"):
            yield f"{what}, {reads}", lambda w=where, d=dtype, m=most_narrow, r=reads: merged(w, d, m, r)
        if where is session:
            yield f"a chain, {what}", lambda d=dtype, m=most_narrow: asked(session, d, m)
    outside = {"outside": np.full(37, 99, np.int32)}
    for name, successors in {**lists(), **outside}.items():
        yield (
            f"list {name}",
            lambda s=successors: agree(
                lambda: pj.list_rank(s.astype(np.int64), device=own_memory),
                lambda: pj.list_rank(s, algorithm="sequential", device="reference"),
            ),
        )


class OneHash(DeviceInterner):
    """An interner for which all ids have the same hash."""

    def _kernels(self, access: str | None, **macros: object) -> Kernels:
        return super()._kernels(access, ONE_HASH=5, **macros)


def by_one_hash(session: Session) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield what runs when too many ids share a hash, and how a table is made anew."""

    def crowded(reads: str, farthest: int) -> None:
        interner = OneHash(session, IdKind(), reads=reads)
        numbers: list[int] = []
        with session.running():
            for interning.FARTHEST, some in ((64, range(30)), (farthest, range(20, 40)), (64, range(50))):
                interner._slots = 0  # as if the table had become too small
                found = interner.intern([IdBytes.of(interner.kind, [b"%03d" % i for i in some])])
                numbers += session.get(found, len(some)).tolist()
        assert numbers == [*range(30), *range(20, 40), *range(50)]
        assert (interner._slot is None) == (farthest < 40)

    for reads, farthest in product(("plain", "atomic"), (8, 35, 64)):
        yield f"one hash, farthest={farthest}, reads={reads}", lambda r=reads, f=farthest: crowded(r, f)


def by_tables(session: Session) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield what tables of pairs and of groups run, on devices with the host's memory and with their own."""
    own_memory = Session(replace(session.device, host_memory=False))

    def named(where: Session, ids: list[bytes], kind: IdKind, grouped: bool, reads: str) -> None:
        names = IdKind(2) if grouped else kind
        left = [b"%02d" % (i % 7) for i in range(len(ids))] if grouped else ids
        right = ids if grouped else ids[::-1]
        forest = IdForest(where, kind, [names] if grouped else (), reads=reads)
        with where.running():
            (forest.join if grouped else forest.merge)(IdBytes.of(names, left), IdBytes.of(kind, right))
            found, smallest = forest.take()
        number = {id: i for i, id in enumerate(dict.fromkeys([*left, *right]))}
        edges = np.array([[number[id] for id in side] for side in (left, right)])
        if grouped:  # groups are vertices, too, but have no names that count
            edges[0] += len(number)
        roots = pj.components(pj.Graph.from_edges(*edges), algorithm="dfs", device="reference").labels
        listed = found.tolist()
        for id, name in zip(listed, smallest.tolist(), strict=True):
            together = [other for other in listed if roots[number[other]] == roots[number[id]]]
            assert listed[name] == min(together, key=lambda id: in_order(id, kind))

    orders = {None: ("bytes",), 3: ("bytes",), 8: ("signed", "unsigned")}
    for where, name, grouped, reads in product(
        (session, own_memory),
        ("of many lengths", "of one width", "integers"),
        (False, True),
        ("plain", "atomic"),
    ):
        some = ids()[name]
        width = len(some[0]) if name != "of many lengths" else None
        for order in orders[width]:
            what = f"{name}, {order}, own memory: {where is own_memory}, grouped: {grouped}, {reads}"
            kind = IdKind(width, order)
            yield what, lambda w=where, i=some, k=kind, g=grouped, r=reads: named(w, i, k, g, r)


def by_images(session: Session) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield labellings with a CPU's words and strips, and with 64-bit places, runs and labels."""
    algorithm = ALGORITHMS["two-pass"]
    as_on_a_cpu = replace(TINY, word_bits=64, strip=128, label_strip=128)
    places, runs = resident_images.NARROW_PLACES, two_pass.MOST_NARROW_VERTICES
    dtype = pointerjump.base.images.label_dtype

    def labelled(image: tuple[np.ndarray, dict[str, Any]], tuning: Tuning, wide: bool, access: str) -> None:
        session.tuning = tuning
        resident_images.NARROW_PLACES = 0 if wide else places
        two_pass.MOST_NARROW_VERTICES = -1 if wide else runs
        pointerjump.base.images.label_dtype = (lambda _: np.int64) if wide else dtype
        run_labelling(algorithm, session, image, {"access": access})

    for tuning, wide in ((TINY, True), (as_on_a_cpu, False), (as_on_a_cpu, True)):
        for i, (name, image) in enumerate(images().items()):
            access = ("striding", "partitioning")[(i + wide + (tuning is TINY)) % 2]
            what = f"{name}, {tuning.word_bits}-bit words, wide: {wide}, {access}"
            yield what, lambda i=image, t=tuning, w=wide, a=access: labelled(i, t, w, a)


def by_regions(session: Session) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield what runs on images that are labelled already, and how a table of contacts is made anew."""
    region_contacts.FIRST_SLOTS = 64
    resident_labels.SLOTS = 16
    rng = np.random.default_rng(10)
    given = {
        "no pixels": np.zeros((3, 0), np.int32),
        "background": np.zeros((3, 40), np.uint8),
        "a row": rng.integers(0, 4, 200).astype(np.int64),
        "runs": np.repeat(rng.integers(0, 3, (4, 3, 9)), 7, axis=2).astype(np.int32),
        "many labels": np.arange(150, dtype=np.int32).reshape(3, 50).T,
        "four axes": rng.integers(0, 30, (2, 3, 2, 40)).astype(np.uint16)[..., ::2],
    }

    def measured(labels: np.ndarray, access: str) -> None:
        count = int(labels.max(initial=0))
        placed = ResidentLabels(labels, session, renumbered=True)
        assert regions.largest_label(placed, access=access) == count
        found, expected = regions.measure(placed, count, access=access), reference.measure(labels, count)
        for what in ("sizes", "sums", "boxes"):
            np.testing.assert_array_equal(getattr(found, what), getattr(expected, what))
        fresh = regions.renumber(placed, found, 2, 9, access=access)
        np.testing.assert_array_equal(fresh, reference.renumber(labels, expected, 2, 9))
        for ours, theirs in zip(
            region_contacts.find_contacts(placed, access=access),
            reference_contacts.find_contacts(labels),
            strict=True,
        ):
            np.testing.assert_array_equal(ours, theirs)
        added_up(placed, labels, count, access)

    def added_up(placed: ResidentLabels, labels: np.ndarray, count: int, access: str) -> None:
        first = np.zeros((count, labels.ndim), np.uint32)
        lengths = np.array(labels.shape, np.uint32)
        for dtype in ("u1", "i8"):
            values = rng.integers(0, 100, labels.shape).astype(dtype)
            seen = ResidentLabels(values, session)
            extremes = reference_sums.find_extremes(labels, values, count)
            found = region_sums.find_extremes(placed, seen, count, access=access)
            for ours, theirs in zip(found, extremes, strict=True):
                np.testing.assert_array_equal(ours, theirs)
            levels = extremes[0], np.zeros(count, np.uint32), (True, True, True, True)
            sums = region_sums.add_up(placed, first, lengths, seen, *levels, access=access)
            expected = reference_sums.add_up(labels, first, lengths, values, *levels)
            np.testing.assert_array_equal(sums, expected)

    for access, name in product(("striding", "partitioning"), given):
        yield f"{name}, access={access}", lambda n=name, a=access: measured(given[n], a)


def in_order(id: bytes, kind: IdKind) -> bytes | int:
    """Return what an id is compared by."""
    return id if kind.order == "bytes" else int.from_bytes(id, "little", signed=kind.order == "signed")


def saved(forest: pj.DisjointSet) -> Path:
    path = Path(os.environ["OCLGRIND_LOG"]).with_name("set.npz")
    forest.save(path)
    return path


# -- watching the simulator --------------------------------------------------------------------------


class Watcher:
    """Stands between accel and pyopencl: knows what each launch is, and what Oclgrind says of it."""

    def __init__(self, folder: Path) -> None:
        self.cl = cl = opencl()
        self.launched: set[tuple[str, str]] = set()
        self.findings: dict[tuple[Any, ...], dict[str, Any]] = {}
        self.running = ""
        self.launches = 0
        self._files: dict[int, str] = {}
        self._kept: list[Any] = []  # so that no other object gets its id
        self._helpers: dict[Any, Helpers] = {}
        self._real_buffer, self._real_kernel = cl.Buffer, cl.Kernel
        self._real_enqueue, self._real_copy = cl.enqueue_nd_range_kernel, cl.enqueue_copy
        self._real_build = programs.build
        self.swapping: set[tuple[str, str]] = set()
        log = Path(os.environ["OCLGRIND_LOG"])
        log.touch()
        self._log = log.open(encoding="utf-8", errors="replace")
        # Oclgrind prints which instructions were executed; standard output is for it alone.
        self._flush = ctypes.CDLL(None).fflush
        counts = folder / "counts"
        os.dup2(os.open(counts, os.O_WRONLY | os.O_CREAT), 1)
        self._counts = counts.open()
        cl.Buffer, cl.Kernel = self.buffer, self.kernel
        cl.enqueue_nd_range_kernel, cl.enqueue_copy = self.enqueue, self.copy
        cl.enqueue_fill_buffer = self.fill
        programs.build = self.build

    def build(self, context: Any, name: str, options: list[str]) -> Any:
        if name in NOT_OPTIMIZED:
            options = [*options, "-cl-opt-disable"]
        program = self._real_build(context, name, options)
        self._kept.append(program)
        self._files[id(program)] = name
        return program

    def buffer(self, context: Any, flags: int, size: int = 0, hostbuf: Any = None) -> Any:
        """Make a buffer, and have Oclgrind know what in it is initialized.

        It takes USE_HOST_PTR for uninitialized, and a new buffer at a freed one's address for initialized.
        """
        use, copy = self.cl.mem_flags.USE_HOST_PTR, self.cl.mem_flags.COPY_HOST_PTR
        if hostbuf is not None:
            return self._real_buffer(context, flags & ~use | copy, 0, hostbuf)
        buffer = self._real_buffer(context, flags | copy, 0, np.zeros(size, np.uint8))
        self._help(context).poison(buffer)
        self._log.read()  # that it was
        return buffer

    def built_in(self, *macros: str) -> bool:
        """Whether a program built so far depends on one of these macros."""
        return any(macro in programs.source(file) for file in self._files.values() for macro in macros)

    def kernel(self, program: Any, name: str) -> Any:
        real = self._real_kernel(program, name)
        file = self._files.get(id(program))
        return WatchedKernel(real, file, name) if file else real  # else pyopencl's own

    def copy(self, queue: Any, target: Any, source: Any, **options: Any) -> Any:
        """Copy. To write a part of a buffer makes Oclgrind forget that the rest of it was ever written."""
        to_buffer = isinstance(target, self._real_buffer)
        if to_buffer and isinstance(source, self._real_buffer):
            queue.finish()  # the copy is made in another queue
            return self._help(queue.context).move(source, target, **options)
        to_buffer = to_buffer and isinstance(source, np.ndarray)
        if not to_buffer or source.nbytes == target.size or options:
            return self._real_copy(queue, target, source, **options)
        return self._help(queue.context).write(source, target)

    def fill(self, queue: Any, target: Any, pattern: Any, offset: int, size: int) -> Any:
        """Fill by copying: what is filled Oclgrind takes for unwritten."""
        assert offset == 0, "a fill that does not begin at 0 is not watched"
        return self.copy(queue, target, np.full(size // pattern.nbytes, pattern))

    def enqueue(self, queue: Any, kernel: Any, *shape: Any, **options: Any) -> Any:
        if not isinstance(kernel, WatchedKernel):
            return self._real_enqueue(queue, kernel, *shape, **options)
        self._executed(queue)
        self._log.read()  # whatever pyopencl's own kernels did
        event = self._real_enqueue(queue, kernel.real, *shape, **options)
        if re.search(r"atom(ic)?_cmpxchg", self._executed(queue)):
            self.swapping.add((kernel.file, kernel.name))
        self.launched.add((kernel.file, kernel.name))
        self.launches += 1
        self._blame(kernel, queue)
        return event

    def _executed(self, queue: Any) -> str:
        queue.finish()
        self._flush(None)
        return self._counts.read()

    def _blame(self, kernel: WatchedKernel, queue: Any) -> None:
        """Keep what Oclgrind has said since the last launch, each thing once."""
        for report in reports(self._log.read()):
            report |= {"file": kernel.file, "kernel": kernel.name}
            report["array"] = self._array(kernel, queue, report)
            report["atomic_reads"] = "reads=atomic" in self.running
            key = (*(report[name] for name in ("kind", "array", "atomic_reads")), *report["lines"])
            report["running"] = self.running
            self.findings.setdefault((kernel.file, kernel.name, *key), report)

    def _array(self, kernel: WatchedKernel, queue: Any, report: dict[str, Any]) -> str:
        """Name the kernel's argument that a report's address is in; Oclgrind gives only the address."""
        if report["space"] != "global":
            return report["space"]
        names = argument_names(programs.source(kernel.file), kernel.name)
        for name, argument in zip(names, kernel.arguments, strict=True):
            # Each buffer has 2**48 addresses for itself: what lies outside is still told by them.
            if not isinstance(argument, self._real_buffer):
                continue
            if self._help(queue.context).address(argument) >> 48 == report["address"] >> 48:
                return name
        return "?"

    def _help(self, context: Any) -> Helpers:
        if context not in self._helpers:
            self._helpers[context] = Helpers(self, context)
        return self._helpers[context]


class Helpers:
    """Kernels of our own, which nobody watches."""

    SOURCE = """
    __kernel void address_of(__global uchar *p, __global ulong *address) { *address = (ulong)p; }
    __kernel void write(__global const uint *from, __global uint *to) {
        to[get_global_id(0)] = from[get_global_id(0)];
    }
    __kernel void move(__global const uchar *from, ulong src, __global uchar *to, ulong dst) {
        to[dst + get_global_id(0)] = from[src + get_global_id(0)];
    }
    __kernel void poison(__global const uint *unwritten, __global uint *to, uint words) {
        uint i = get_global_id(0) * 16;
        if (i + 16 <= words) vstore16(vload16(0, unwritten), 0, to + i);
        else for (; i < words; ++i) to[i] = unwritten[0];
    }"""

    def __init__(self, watcher: Watcher, context: Any) -> None:
        self._cl = watcher.cl
        self._buffer, self._copy = watcher._real_buffer, watcher._real_copy
        self._enqueue = watcher._real_enqueue
        self._context = context
        self._queue = self._cl.CommandQueue(context)
        program = self._cl.Program(context, self.SOURCE).build()
        self._kernels = {
            name: watcher._real_kernel(program, name) for name in ("address_of", "write", "move", "poison")
        }
        self._unwritten = self._buffer(context, self._cl.mem_flags.READ_WRITE, 64)
        self._out = self._buffer(context, self._cl.mem_flags.READ_WRITE, 8)

    def poison(self, buffer: Any) -> None:
        words = buffer.size // 4
        self._run("poison", -(-words // 16), self._unwritten, buffer, np.uint32(words))

    def write(self, array: np.ndarray, target: Any) -> Any:
        flags = self._cl.mem_flags
        array = np.frombuffer(array.tobytes() + bytes(-array.nbytes % 4), np.uint32)
        whole = self._buffer(self._context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=array)
        return self._run("write", array.nbytes // 4, whole, target)

    def move(
        self, source: Any, target: Any, *, byte_count: int, src_offset: int = 0, dst_offset: int = 0
    ) -> Any:
        where = source, np.uint64(src_offset), target, np.uint64(dst_offset)
        return self._run("move", byte_count, *where)

    def address(self, buffer: Any) -> int:
        self._run("address_of", 1, buffer, self._out)
        found = np.zeros(1, np.uint64)
        self._copy(self._queue, found, self._out)
        return int(found[0])

    def _run(self, name: str, items: int, *arguments: Any) -> Any:
        self._kernels[name].set_args(*arguments)
        event = self._enqueue(self._queue, self._kernels[name], (items,), None)
        self._queue.finish()
        return event


class WatchedKernel:
    """A kernel that remembers its arguments."""

    def __init__(self, real: Any, file: str, name: str) -> None:
        self.real = real
        self.file = file
        self.name = name
        self.arguments: tuple[Any, ...] = ()

    def set_args(self, *arguments: Any) -> None:
        self.arguments = arguments
        self.real.set_args(*arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


def argument_names(source: str, kernel: str) -> list[str]:
    """Return the names of a kernel's parameters, in order."""
    parameters = re.search(rf"__kernel void {kernel}\(([^)]*)\)", source)
    assert parameters, kernel
    macros = dict(re.findall(r"^#define (\w+) ((?:.*\\\n)*.*)$", source, re.MULTILINE))
    expanded = re.sub(r"\b[A-Z]+\b", lambda name: macros.get(name[0], name[0]), parameters[1])
    return [re.findall(r"\w+", part)[-1] for part in expanded.split(",")]


WHERE = re.compile(r"^(.*?)(?: of size \d+)?(?: (?:at|to|from|used to) )?(\w+) memory address 0x([0-9a-f]+)")
PLACE = re.compile(r"\s+At line \d+ \(column \d+\) of ")


def reports(log: str) -> list[dict[str, Any]]:
    """Take Oclgrind's log apart: a report begins with a line that is not indented."""
    found: list[dict[str, Any]] = []
    source = False  # whether this line is the kernel's source
    for line in log.splitlines():
        if line and not line[0].isspace():
            match = WHERE.match(line)
            kind, space, address = match.groups() if match else (line, "", "0")
            found.append({"kind": kind, "space": space, "address": int(address, 16), "lines": [], "text": ""})
        if found:
            if source:
                found[-1]["lines"].append(line.strip())
            source = PLACE.match(line) is not None
            found[-1]["text"] += line + "\n"
    return found


def without_line_numbers(name: str, source: Callable[[str], str] = programs.source) -> str:
    """Return a kernel file's text such that Oclgrind finds the source line of what it reports."""
    return re.sub(r"^#line.*$", "", source(name), flags=re.MULTILINE)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kernels", type=Path)
    parser.add_argument("job")
    asked = parser.parse_args()
    if asked.kernels:
        programs.files = lambda package: asked.kernels
    programs.source = without_line_numbers
    for kind in TUNING:
        TUNING[kind] = TINY
    resident_graphs.LONG_ROW = LONG_ROW
    random_splitter.TAKEN = 2
    afforest_edges.MOST_STEPS, afforest_edges.MOST_DEFERRED = 1, 3

    devices.verdict = lambda handle: Verdict(works=True)  # trying a device writes to the log as well
    watcher = Watcher(asked.folder)
    session = session_for("Oclgrind")
    failures: dict[str, str] = {}
    jobs: dict[str, Iterator[tuple[str, Callable[[], None]]]] = {
        algorithm.name: registered(algorithm, session, watcher)
        for algorithm in ALGORITHMS.values()
        if algorithm.kernels
    }
    jobs["interning"] = chain(jobs["interning"], by_one_hash(session))
    jobs["two-pass"] = chain(jobs["two-pass"], by_images(session))
    jobs["auto"] = by_auto(session)
    jobs["sets"] = by_sets(session)
    jobs["tables"] = by_tables(session)
    jobs["regions"] = by_regions(session)
    for what, run in jobs[asked.job]:
        watcher.running = f"{asked.job}: {what}"
        try:
            run()
        except Exception:
            failures[watcher.running] = traceback.format_exc()
    found = {
        "launched": sorted(watcher.launched),
        "launches": watcher.launches,
        "swapping": sorted(watcher.swapping),
        "findings": list(watcher.findings.values()),
        "failures": failures,
    }
    (asked.folder / "found.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main()
