"""Time ``auto`` and every other choice on a zoo of graphs, and say where ``auto`` is not the best.

    python benches/zoo.py [--device NAME] [--sizes small,medium,large] [--shapes path,star-last]
        [--forms rows,edges] [--orders generated,shuffled] [--candidates auto,galois,afforest:init=first]
        [--every-variant] [--cache FOLDER] [--minutes M] [--json FILE]
    python benches/zoo.py --report FILE ...

Graphs are on the device before a clock starts, as rows with both directions, or as edges, each once.
All answers are compared with scipy's. Candidates take turns, and the best of them goes on against ``auto``
alone; times are medians of whole runs, with launches.
benches/zoo_shapes.py has the shapes. The graphs are made in parallel, and kept in FOLDER.

For each graph there is a line with the time of ``auto``, that of the best other candidate, and their ratio,
which is flagged if it is above 1.25. At the end are the geometric mean of the ratios, the worst of them, and,
for each algorithm, how many times as long as its published form a default or variant takes at most.

What would take more than --longest seconds on a graph is left out there. That is estimated from smaller
graphs of the same shape: if these were not asked for, all candidates run on them once, and nothing of that is
reported.

With --minutes, the run stops after that time, and says how to go on. --report prints the end again, of one or
several files of results.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby, product
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from zoo_runs import AUTO, FORMS, ORDERS, SIZES, Exhibit, Specimen, load, make, make_all, measure
from zoo_shapes import SHAPES

import pointerjump as pj
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.registry import ALGORITHMS, Algorithm, format_variant

Record = dict[str, Any]
"""What was found on one graph in one form."""

LONGEST = 2.0
"""The seconds that a candidate may take, its plan included, unless the user says otherwise."""

SLOW = 6.0
"""What takes so many times as long as the best may take time that grows with the square of the size."""

TOO_LONG = "would take about"
"""How the reason begins for which a candidate is left out."""

SAVE_EACH = 10.0
"""After so many seconds results are written, so that few are lost if the run is ended."""

TOO_SLOW = 1.25
"""The largest ratio of auto to the best that is not flagged."""

TRAP = 20.0
"""How many times as long as its published form a variant may take."""

# -- candidates ------------------------------------------------------------------------------------

FAST = ("afforest", "afforest-edges", "ecl-cc", "eclaf", "rem-cas", "galois", "one-group", "fast-sv")
"""The algorithms of which each value of each axis is a candidate; of the others only the defaults are."""

COMBINED = ("afforest:init=first,one_in=16,rest=until-joined", "afforest:init=first,rest=until-joined")
"""Candidates that differ from the defaults on several axes."""

NOT_VARIED = {"reads", "access"}
"""Axes that are left alone: how memory is read, and what suits the class of device."""


def all_candidates(every_variant: bool = False) -> list[str]:
    """Return ``auto``, all defaults, all published forms, and variants: of the fast algorithms, or of all."""
    names = [AUTO]
    for algorithm in ALGORITHMS.values():
        if algorithm.problem == "components" and algorithm.kernels:
            names += [algorithm.name, published(algorithm.name)]
            if every_variant or algorithm.name in FAST:
                names += variants_of(algorithm)
    return list(dict.fromkeys([*names, *COMBINED]))


def variants_of(algorithm: Algorithm) -> Iterator[str]:
    """Yield the variants that differ from the default on one axis."""
    for variant in algorithm.variants_one_by_one("kernels"):
        if variant and not variant.keys() & NOT_VARIED:
            yield f"{algorithm.name}:{format_variant(variant)}"


def published(name: str) -> str:
    """Return an algorithm's published form: the reference's defaults, even if the kernels' are others."""
    axes = [axis for axis in ALGORITHMS[name].axes_of("kernels") if "reference" in axis.sides]
    values = {axis.name: axis.values[0] for axis in axes if axis.by_device}
    return f"{name}:{format_variant(values)}" if values else name


def parse_candidates(text: str) -> list[str]:
    """Return candidates from a list such as ``auto,afforest:init=first,one_in=16,galois``."""
    names: list[str] = []
    for part in text.split(","):
        if "=" in part and ":" not in part and names:
            names[-1] += f",{part}"
        else:
            names.append(part)
    return names


# -- measuring -------------------------------------------------------------------------------------


def alike(records: Iterable[Record], **facts: str) -> list[Record]:
    """Return the records with these facts, such as ``form="rows"``."""
    return [found for found in records if facts.items() <= found.items()]


def too_long(earlier: list[Record], names: Iterable[str], items: int, longest: float) -> dict[str, str]:
    """Return the candidates that would take too long on a graph of so many items, with the reasons.

    `earlier` is what was found on smaller graphs of the same shape, order and form, the smallest first.
    Times may grow faster than the graph: those of label propagation on a path grow with the square of its
    length. So we assume the worst of whatever was slow on the last of them.
    """
    if not earlier:
        return {}
    last, reasons = earlier[-1], {}
    larger = items / (last["vertices"] + last["stored"])
    for name in names:
        if TOO_LONG in last["skipped"].get(name, ""):
            reasons[name] = last["skipped"][name]
        elif name in last["cost"]:
            run = last["ms"][name] / 1e3
            growth = larger**2 if last["ms"][name] > SLOW * min(last["ms"].values()) else larger
            seconds = run * growth + (last["cost"][name] - run) * larger
            if seconds > longest:
                reasons[name] = f"{TOO_LONG} {seconds:.1f} s from {items:,} items on"
    return reasons


class Zoo:
    """What is measured, with what, and all that is known so far."""

    def __init__(self, session: Session, folder: Path, arguments: argparse.Namespace) -> None:
        self.session, self.folder = session, folder
        self.forms, self.longest = arguments.forms, arguments.longest
        chosen = arguments.candidates or all_candidates(arguments.every_variant)
        self.candidates = [AUTO, *dict.fromkeys(name for name in chosen if name != AUTO)]
        self.known: list[Record] = []

    def visit(self, specimen: Specimen, *, once: bool = False) -> Iterator[Record]:
        """Measure a graph in all forms. With `once`, each candidate runs only once."""
        kept = load(specimen, self.folder)
        for form in self.forms:
            exhibit = Exhibit(kept, form, self.session)
            found = {**specimen._asdict(), **exhibit.facts_about(), "components": kept.components}
            others, items = self.candidates[1:], found["vertices"] + found["stored"]
            earlier = alike(self.known, shape=specimen.shape, order=specimen.order, form=form)
            skipped = too_long(earlier, others, items, self.longest)
            found |= vars(measure(exhibit, self.candidates, set(others) if once else set(), skipped))
            self.known.append(found)
            yield found


def warm_up(zoo: Zoo) -> None:
    """Build the kernels of all candidates on a graph of a few vertices, so that no clock sees it."""
    specimen = Specimen("grid", "tiny", "generated")
    with TemporaryDirectory() as folder:
        make(specimen, Path(folder))
        kept = load(specimen, Path(folder))
    for form in FORMS:
        measure(Exhibit(kept, form, zoo.session), zoo.candidates, once=set(zoo.candidates), skipped={})


def run(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Measure what the arguments ask for; return the results."""
    began = perf_counter()
    sizes = needed(arguments.sizes)
    make_all(arguments.shapes, sizes, arguments.orders, folder)
    zoo = Zoo(session_for(arguments.device), folder, arguments)
    warm_up(zoo)
    gc.freeze()  # so that no collection goes through what is there already
    took = perf_counter() - began
    print(f"{len(zoo.candidates)} candidates on {zoo.session.device}; made ready in {took:.0f} s", flush=True)
    results: dict[str, Any] = {"device": zoo.session.device.as_dict(), "records": [], "left_out": []}
    saved = began
    for size, order, shape in product(sizes, arguments.orders, arguments.shapes):
        asked_for = size in arguments.sizes
        if perf_counter() - began > 60 * arguments.minutes:
            results["left_out"] += [[size, order, shape]] if asked_for else []
            continue
        for found in zoo.visit(Specimen(shape, size, order), once=not asked_for):
            if asked_for:
                results["records"].append(found)
                print(line(found), flush=True)
        if arguments.json and perf_counter() - saved > SAVE_EACH:
            arguments.json.write_text(json.dumps(results, indent=1))
            saved = perf_counter()
    return results


def needed(sizes: list[str]) -> list[str]:
    """Return the sizes to visit, in order: those asked for, and those that say how times grow."""
    order = list(SIZES)
    last = max(order.index(size) for size in sizes)
    return [size for size in order[: last + 1] if size in sizes or size != "tiny"]


# -- what is printed -------------------------------------------------------------------------------


def rival(found: Record) -> tuple[str, float]:
    """Return the best other candidate and its time; if there was no other, that of ``auto``."""
    name = found["rival"]
    return name or "nothing else", found["final"][name or AUTO]


def name_of(found: Record) -> str:
    """Return what a graph is called."""
    return " ".join(found[key] for key in ("shape", "size", "order", "form"))


def line(found: Record) -> str:
    """Return what is printed about one graph."""
    best, ms = rival(found)
    flag = "  <-- " if found["ratio"] > TOO_SLOW else ""
    skipped = f"; {len(found['skipped'])} skipped" if found["skipped"] else ""
    return (
        f"{name_of(found)}: auto {found['final'][AUTO]:.3f} ({found['chosen']}), "
        f"best {ms:.3f} ({best}), {found['ratio']:.2f}{flag}{skipped}"
    )


def merged(results: list[dict[str, Any]]) -> dict[str, Any]:
    """Return several results as one; of a graph that is in several, the last one counts."""
    records = {name_of(found): found for result in results for found in result["records"]}
    there = {(found["size"], found["order"], found["shape"]) for found in records.values()}
    missing = {tuple(names): None for result in results for names in result["left_out"]}
    left_out = [names for names in missing if names not in there]
    return {"device": results[0]["device"], "records": list(records.values()), "left_out": left_out}


def grouped(items: Iterable[Any], key: Callable[[Any], tuple[str, ...]]) -> dict[tuple[str, ...], list[Any]]:
    """Return items by a key, in the order in which its values come first."""
    found: dict[tuple[str, ...], list[Any]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def summary(results: dict[str, Any]) -> Iterator[Any]:
    """Yield what is printed at the end."""
    records = results["records"]
    kinds = grouped(records, lambda found: (found["size"], found["order"], found["form"]))
    for kind, of_kind in kinds.items():
        yield f"{' '.join(kind)}: {in_short(of_kind)}"
    if records:
        yield f"all: {in_short(records)}"
        yield worst_table(records)
        yield trap_table(records)
    for (size, order), names in grouped(results["left_out"], lambda names: tuple(names[:2])).items():
        shapes = ",".join(name[2] for name in names)
        yield f"no time was left for --sizes {size} --orders {order} --shapes {shapes}"


def in_short(records: list[Record]) -> str:
    """Return the numbers that sum up the ratios."""
    ratios = np.array([found["ratio"] for found in records])
    share = np.count_nonzero(ratios > TOO_SLOW) / len(ratios)
    mean = np.exp(np.log(ratios).mean())
    spread = f"at most {ratios.max():.2f}; above {TOO_SLOW}: {share:.0%} of {len(ratios)}"
    return f"auto / best {mean:.3f} by geometric mean, {spread}"


def worst_table(records: list[Record], count: int = 10) -> Table:
    """Return the graphs on which auto is furthest from the best."""
    table = Table(title=f"the worst {count}")
    for heading in ("graph", "auto ran", "ms", "best", "ms", "auto / best"):
        table.add_column(heading, justify="right" if heading in ("ms", "auto / best") else "left")
    for found in sorted(records, key=lambda found: found["ratio"], reverse=True)[:count]:
        best, ms = rival(found)
        ours = f"{found['final'][AUTO]:.3f}"
        table.add_row(name_of(found), found["chosen"], ours, best, f"{ms:.3f}", f"{found['ratio']:.2f}")
    return table


def traps(records: list[Record]) -> dict[str, tuple[float, str]]:
    """Return, for each default or variant, the most that it takes over its published form, and where."""
    most: dict[str, tuple[float, str]] = {}
    for found in records:
        for name, ms in found["ms"].items():
            form = None if name == AUTO else published(name.partition(":")[0])
            if form in found["ms"] and form != name:
                most[name] = max(most.get(name, (0.0, "")), (ms / found["ms"][form], name_of(found)))
    return most


def trap_table(records: list[Record]) -> Table:
    """Return for each algorithm the variant that loses most against its published form."""
    table = Table(title=f"the most over the published form (above {TRAP:g} is a trap)")
    for heading in ("variant", "times as long", "graph"):
        table.add_column(heading, justify="right" if heading == "times as long" else "left")
    worst = sorted(traps(records).items(), key=lambda item: (item[0].partition(":")[0], -item[1][0]))
    for _, variants in groupby(worst, key=lambda item: item[0].partition(":")[0]):
        for place, (name, (times, graph)) in enumerate(variants):
            if place == 0 or times > TRAP:
                table.add_row(name, f"{times:.1f}{' <--' if times > TRAP else ''}", graph)
    return table


# -- the command -----------------------------------------------------------------------------------


def some_of(*known: str) -> Any:
    """Return a parser of lists such as ``a,b`` whose words are all known."""

    def parse(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"there is no {name!r}: choose from {', '.join(known)}")
        return names

    return parse


def main() -> None:
    """Measure or read results, keep them, and print what they say."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device")
    parser.add_argument("--sizes", type=some_of(*SIZES), default=["small", "medium", "large"])
    parser.add_argument("--shapes", type=some_of(*SHAPES), default=list(SHAPES))
    parser.add_argument("--forms", type=some_of(*FORMS), default=list(FORMS))
    parser.add_argument("--orders", type=some_of(*ORDERS), default=list(ORDERS))
    parser.add_argument("--candidates", type=parse_candidates)
    parser.add_argument(
        "--every-variant", action="store_true", help="of every algorithm, not of the fast ones"
    )
    parser.add_argument("--longest", type=float, default=LONGEST, help="seconds that a candidate may take")
    parser.add_argument("--cache", type=Path, metavar="FOLDER")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--report", type=Path, nargs="+", metavar="FILE")
    arguments = parser.parse_args()
    try:
        if arguments.report:
            results = merged([json.loads(file.read_text()) for file in arguments.report])
        else:
            with TemporaryDirectory() as folder:
                cache = arguments.cache or Path(folder)
                cache.mkdir(parents=True, exist_ok=True)
                results = run(arguments, cache)
        if arguments.json:
            arguments.json.write_text(json.dumps(results, indent=1))
    except (pj.PointerjumpError, OSError) as error:
        print(f"zoo.py: {error}", file=sys.stderr)
        sys.exit(2)
    console = Console(width=160)
    for part in summary(results):
        console.print(part)


if __name__ == "__main__":
    main()
