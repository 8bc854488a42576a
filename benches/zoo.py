"""Time ``auto`` and every other choice on a zoo of graphs, and say where ``auto`` is not the best.

    python benches/zoo.py [--device NAME] [--sizes small,medium,large] [--shapes path,star-last]
        [--forms rows,edges] [--orders generated,shuffled] [--candidates auto,galois,afforest:init=first]
        [--every-variant] [--cache FOLDER] [--minutes M] [--json FILE] [--markdown FILE]
    python benches/zoo.py --report FILE [FILE ...] [--markdown FILE]
    python benches/zoo.py --compare BEFORE AFTER

Graphs are on the device before a clock starts, as rows with both directions, or as edges, each once.
All answers are compared with scipy's. Candidates take turns; the times are medians, including launches.
benches/zoo_shapes.py has the shapes. The graphs are made in parallel, and kept in FOLDER.

For each graph there is a line with the time of ``auto``, that of the best other candidate, and their ratio,
which is flagged if it is above 1.25. At the end are the geometric mean of the ratios, the worst of them, and,
for each algorithm, how many times as long as its published form a default or variant takes at most.

With --minutes, the run stops after that time, and says what it has left out. --report prints the end again
from one or several files of results; --compare shows two of them side by side.
"""

from __future__ import annotations

import argparse
import gc
import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import zoo_report
from rich.console import Console
from zoo_graphs import ORDERS, SIZES, Specimen, load, make_all
from zoo_runs import AUTO, FORMS, Exhibit, all_candidates, measure, parse_candidates, record
from zoo_shapes import SHAPES

from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for

LONGEST = 2.0
"""A candidate is skipped if preparing and running it is estimated to take longer, in seconds."""

NEVER_NEAR = 3.0
"""What takes so many times as long as the best on all graphs of a size runs only once on larger ones."""

Record = dict[str, Any]


class Zoo:
    """A visit to the zoo: what is measured, and what was found so far."""

    def __init__(self, session: Session, folder: Path, candidates: list[str], longest: float) -> None:
        self.session, self.folder, self.candidates, self.longest = session, folder, candidates, longest
        self.records: list[Record] = []

    def visit(self, specimen: Specimen, forms: list[str]) -> Iterator[Record]:
        """Measure a graph in several forms."""
        kept = load(specimen, self.folder)
        for form in forms:
            exhibit = Exhibit(kept, form, self.session)
            items = exhibit.vertices + exhibit.resident.stored
            times = measure(
                exhibit,
                self.candidates,
                self.never_near(specimen, form),
                self.too_long(specimen, form, items),
            )
            found = record(*specimen, exhibit, kept, times)
            self.records.append(found)
            yield found

    def earlier(self, shape: str, order: str, form: str) -> list[Record]:
        """Return what was found for a shape in smaller sizes, in the order of sizes."""
        return [
            found
            for found in self.records
            if (found["shape"], found["order"], found["form"]) == (shape, order, form)
        ]

    def never_near(self, specimen: Specimen, form: str) -> set[str]:
        """Return the candidates that were far from the best on all graphs of the smallest size."""
        smaller = [found for found in self.records if found["size"] != specimen.size]
        if not smaller:
            return set()
        seen = [
            found
            for found in smaller
            if (found["size"], found["order"], found["form"]) == (smaller[0]["size"], specimen.order, form)
        ]
        return {
            name for name in self.candidates if name != AUTO and seen and all(far(name, one) for one in seen)
        }

    def too_long(self, specimen: Specimen, form: str, items: int) -> dict[str, str]:
        """Return the candidates that are estimated to take too long, each with the reason."""
        earlier = self.earlier(specimen.shape, specimen.order, form)
        if not earlier:
            return {}
        reasons = {}
        for name in self.candidates:
            seconds = estimate(name, earlier, items)
            if name != AUTO and seconds > self.longest:
                reasons[name] = f"would take about {seconds:.0f} s"
        return reasons


def far(name: str, found: Record) -> bool:
    """Return whether a candidate was far from the best on one graph."""
    best = min(found["ms"].values())
    return name not in found["ms"] or found["ms"][name] > NEVER_NEAR * best


def estimate(name: str, earlier: list[Record], items: int) -> float:
    """Return the seconds that a candidate takes on a larger graph, from what it took on smaller ones.

    They may grow with the square of the size, as those of label propagation do on a path. Only one smaller
    graph is known at first. Whoever was quick there is taken to grow as the graph does.
    """
    if any("would take" in found["skipped"].get(name, "") for found in earlier):
        return float("inf")
    known = [found for found in earlier if name in found["cost"]]
    if not known:
        return 0.0
    sizes = [found["vertices"] + found["stored"] for found in known]
    cost = [found["cost"][name] for found in known]
    larger = items / sizes[-1]
    if len(known) > 1:
        return cost[-1] * max(larger, cost[-1] / cost[-2])
    slow = known[-1]["ms"][name] > 6 * min(known[-1]["ms"].values())
    return cost[-1] * larger ** (2 if slow else 1)


def warm_up(session: Session, candidates: list[str]) -> None:
    """Build the kernels of all candidates on a graph of a few vertices, so that no clock sees it."""
    with TemporaryDirectory() as folder:
        specimen = Specimen("grid", "tiny", "generated")
        make_all(*([name] for name in specimen), Path(folder))
        kept = load(specimen, Path(folder))
    for form in FORMS:
        measure(Exhibit(kept, form, session), candidates, once=candidates, skipped={})


def run(arguments: argparse.Namespace, folder: Path, console: Console) -> dict[str, Any]:
    """Measure what the arguments ask for; return all results."""
    began = perf_counter()
    make_all(arguments.shapes, arguments.sizes, arguments.orders, folder)
    session = session_for(arguments.device)
    candidates = list(
        dict.fromkeys([AUTO, *(arguments.candidates or all_candidates(arguments.every_variant))])
    )
    warm_up(session, candidates)
    gc.freeze()  # so that no collection goes through what is there already
    console.print(
        f"{len(candidates)} candidates on {session.device}; made ready in {perf_counter() - began:.0f} s"
    )
    zoo = Zoo(session, folder, candidates, arguments.longest)
    left_out = []
    for size, order, shape in product(arguments.sizes, arguments.orders, arguments.shapes):
        if perf_counter() - began > 60 * arguments.minutes:
            left_out.append(f"{shape} {size} {order}")
            continue
        for found in zoo.visit(Specimen(shape, size, order), arguments.forms):
            print(zoo_report.line(found), flush=True)
    return {"device": session.device.as_dict(), "records": zoo.records, "left_out": left_out}


def some_of(known: list[str] | tuple[str, ...]) -> Any:
    """Return a parser of lists such as ``a,b`` whose words are all known."""

    def parse(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"there is no {name!r}: choose from {', '.join(known)}")
        return names

    return parse


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    shapes = list(SHAPES)
    made = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    made.add_argument("--device")
    made.add_argument("--sizes", type=some_of(list(SIZES)), default=["small", "medium", "large"])
    made.add_argument("--shapes", type=some_of(shapes), default=shapes)
    made.add_argument("--forms", type=some_of(FORMS), default=list(FORMS))
    made.add_argument("--orders", type=some_of(ORDERS), default=list(ORDERS))
    made.add_argument("--candidates", type=parse_candidates)
    made.add_argument("--every-variant", action="store_true")
    made.add_argument("--longest", type=float, default=LONGEST, help="seconds that a candidate may take")
    made.add_argument("--cache", type=Path)
    made.add_argument("--minutes", type=float, default=float("inf"))
    made.add_argument("--json", type=Path)
    made.add_argument("--markdown", type=Path)
    made.add_argument("--report", type=Path, nargs="+", metavar="FILE")
    made.add_argument("--compare", type=Path, nargs=2, metavar=("BEFORE", "AFTER"))
    return made


def main() -> None:
    """Run the command."""
    arguments = parser().parse_args()
    console = Console(width=160)
    if arguments.compare:
        before, after = (json.loads(file.read_text()) for file in arguments.compare)
        for part in zoo_report.comparison(before["records"], after["records"]):
            console.print(part)
        return
    if arguments.report:
        results = zoo_report.merged([json.loads(file.read_text()) for file in arguments.report])
    elif arguments.cache:
        arguments.cache.mkdir(parents=True, exist_ok=True)
        results = run(arguments, arguments.cache, console)
    else:
        with TemporaryDirectory() as folder:
            results = run(arguments, Path(folder), console)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1))
    for part in zoo_report.summary(results):
        console.print(part)
    if arguments.markdown:
        arguments.markdown.write_text(zoo_report.markdown(results))


if __name__ == "__main__":
    main()
